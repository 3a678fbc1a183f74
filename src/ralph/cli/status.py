"""`ralph status`: what runs here, since when, what it waits for, what to do. Reads the journal, also of a live run."""

from __future__ import annotations

import click

from ralph.cli.place import here
from ralph.cli.stock import latest
from ralph.core.state import LoopState
from ralph.journal.lock import holder
from ralph.ui.lines import what_next
from ralph.ui.terminal import one_line


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def status(as_json: bool) -> None:
    """What runs here, since when, and what to do next.

    \b
    Example:
      ralph status --json
    """
    repo = here()
    live = holder(repo.state_dir)
    state = latest(repo)
    found = _facts(live, state)
    if as_json:
        import json

        click.echo(json.dumps(found))
        return
    for line in _lines(found):
        click.echo(one_line(line))


def _facts(live: dict[str, object] | None, s: LoopState | None) -> dict[str, object]:
    found: dict[str, object] = {"running": live is not None}
    if live:
        found["pid"], found["since"], found["run"] = live.get("pid"), live.get("since"), live.get("run")
    if s is None:
        return found
    return found | {
        "loop": s.loop,
        "task": s.task.id,
        "title": s.task.title,
        "end": s.ended,
        "reason": s.end_reason,
        "limit": s.end_limit,
        "iterations": s.iterations,
        "max_iterations": s.policy.limits.max_iterations,
        "attempts": s.attempts,
        "max_attempts": s.policy.limits.max_attempts,
        "under_way": sorted(s.open) if live else [],
        "waiting": {"for": s.wait_due.what, "why": s.wait_due.why, "until": s.wait_due.until}
        if live and s.wait_due and s.wait_due.until
        else None,
        "stopping": s.stop,
        "active_seconds": round(s.active_seconds, 1),
        "tokens": s.tokens,
        "cost_usd": s.cost_usd,
        "proof": s.proof,
        "recovery": s.recovery,
        "warnings": list(s.warnings),
        "next": _next(live is not None, s),
    }


def _next(running: bool, s: LoopState) -> str:
    if running:
        return "`ralph events --follow` shows what happens; `ralph stop` ends it after the iteration."
    return what_next(s.ended, s) if s.ended else "The run died. Go on with `ralph resume`."


def _lines(found: dict[str, object]) -> list[str]:
    head = f"running (pid {found['pid']}, since {found['since']})" if found["running"] else "not running"
    if "task" not in found:
        return [head, *([] if found["running"] else ['No loop yet. Start with `ralph run -p "..."`.'])]
    shown = [head, f"task        {found['task']}: {found['title']}"]
    if found["end"]:
        limit = f" ({found['limit']})" if found["limit"] else ""
        shown.append(f"end         {found['end']}{limit}: {found['reason']}")
    if under_way := found["under_way"]:
        assert isinstance(under_way, list)
        shown.append(f"under way   {', '.join(under_way)}")
    if isinstance(waiting := found["waiting"], dict):
        shown.append(f"waiting     {waiting['for']} until {waiting['until']}: {waiting['why']}")
    shown.append(f"iterations  {found['iterations']} of {found['max_iterations']}")
    shown.append(f"attempts    {found['attempts']} of {found['max_attempts']} turned down")
    shown.append(f"active      {found['active_seconds']} s")
    if found["tokens"] or found["cost_usd"]:
        shown.append(f"spent       {found['tokens']} tokens, {found['cost_usd']:.2f} USD")
    if isinstance(proof := found["proof"], dict) and proof:
        shown.append("proof       " + ", ".join(f"{gate} {what}" for gate, what in proof.items()))
    if isinstance(warnings := found["warnings"], list):
        shown += [f"warning     {w}" for w in warnings]
    return [*shown, f"next        {found['next']}"]
