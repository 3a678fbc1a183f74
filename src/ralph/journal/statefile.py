"""The state file `.ralph_state.md`: a view for people and for the next iteration. The system writes it, never an agent."""

from __future__ import annotations

from collections.abc import Sequence

from ralph.core.counting import history_table
from ralph.core.next import why_it_ended
from ralph.core.state import LoopState
from ralph.core.text import fenced

NAME = ".ralph_state.md"
TEMPORARY = f"{NAME}.tmp"
FILES_SHOWN = 100


def render(s: LoopState, *, timestamp: str, files_modified: Sequence[str]) -> str:
    """Header, the outputs of the last attempts, the whole history. `iteration` counts attempts here."""
    last = s.history[-1] if s.history else None
    header = {
        "task_id": _scalar(s.task.id),
        "iteration": s.attempts,
        "max_iterations": s.policy.limits.max_attempts,
        "agent_runs": s.serial,
        "last_gate": _scalar(last.gate) if last else "none",
        "exit_code": last.code if last else 0,
        "error_hash": _scalar(last.error_hash) if last else "none",
        "timestamp": timestamp,
        "stuck_count": s.streak if s.streak > 1 else 0,
        "strategy_shifts": s.shifts,
    }
    lines = ["---", *(f"{key}: {value}" for key, value in header.items())]
    lines += _yaml_list("files_modified", files_modified)
    lines += ["---", ""]
    if s.refusal:
        lines += ["## Claim refused", s.refusal, ""]
    for attempt in s.history:
        if attempt.excerpt:
            lines += [
                f"## Attempt {attempt.number}: {attempt.gate} output (verbatim)",
                fenced(attempt.excerpt),
                "",
            ]
    for result in s.red_now():
        lines += [f"## Gate {result.gate} on the tree as it is (verbatim)", fenced(result.excerpt), ""]
    lines += ["## Attempt History", history_table(s.history)]
    if s.ended:
        lines += ["", "## End", f"{s.ended}: {why_it_ended(s)}", ""]
    return "\n".join(lines)


def _yaml_list(key: str, values: Sequence[str]) -> list[str]:
    if not values:
        return [f"{key}: []"]
    shown = [f"  - {_scalar(value)}" for value in values[:FILES_SHOWN]]
    if len(values) > FILES_SHOWN:
        shown.append(f"  # and {len(values) - FILES_SHOWN} more")
    return [f"{key}:", *shown]


def _scalar(value: str) -> str:
    """Plain where YAML reads it back as the same text, quoted otherwise."""
    plain = value and all(c.isalnum() or c in "._/-+@" for c in value) and value[0].isalpha()
    if plain and value.lower() not in ("true", "false", "yes", "no", "on", "off", "null", "y", "n"):
        return value
    import json

    return json.dumps(value)
