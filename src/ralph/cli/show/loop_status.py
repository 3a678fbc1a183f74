"""How a loop stands, of its history: what it does and waits for, what its gates said, and what to do. `status --json`
prints it. Reads only. Keys are only ever added: scripts depend on their names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import to_builtins

from ralph.cli.output import cut, seconds_since
from ralph.cli.show.operation_words import about, name_of, output_of, verdict_of
from ralph.core.exits import of_task
from ralph.core.hats.board import Board, BoardItem
from ralph.core.hats.event_log import about as about_events
from ralph.core.hats.event_log import named, title
from ralph.core.hats.steps import IDLE
from ralph.core.loop import steering
from ralph.core.loop.end_advice import what_next, why_it_ended
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy
from ralph.history.gates import GateRun
from ralph.history.iterations import Iteration
from ralph.history.loops import Loop, LoopWait
from ralph.history.serialise import fields, message_json
from ralph.history.texts import JournalTexts
from ralph.terminal.lines import of_backlog
from ralph.terminal.words import Verdict, spent, verdict
from ralph.text import count, duration, few

State = Literal["working", "waiting", "idle", "paused", "stopping", "died", "blocked", "ended"]
ItemState = Literal["under way", "waiting", "through", "given up"]
_SAID_CHARS = 300
_SAID_LINES = 3
_TAIL = 1 << 16  # bytes of a transcript in which to look for the last words


def state_of(loop: Loop) -> State:
    s = loop.state
    if s.judgement.ended:
        return "blocked" if s.judgement.ended == "blocked-on-person" else "ended"
    if loop.standing == "died":
        return "died"
    if s.people.stop:
        return "stopping"
    if steering.pause_id(s) in s.progress.open:
        return "paused"
    if _idles(s):
        return "idle"
    return "waiting" if waiting_for(loop) else "working"


def is_live(loop: Loop) -> bool:
    return loop.standing == "running"


def under_way(loop: Loop) -> list[Iteration | GateRun]:
    return loop.under_way() if is_live(loop) else []


def iteration_under_way(loop: Loop) -> int | None:
    return next((x.n for x in under_way(loop) if isinstance(x, Iteration)), None)


class WaitStatus(NamedTuple):
    what: str
    why: str
    until: str  # empty: until another loop has landed
    since: str = ""


def waiting_for(loop: Loop) -> WaitStatus | None:
    s = loop.state
    if s.judgement.ended or loop.standing == "died":
        return None
    if steering.asks(s) and s.people.ask_until:
        return WaitStatus("answer", s.people.question or "", s.people.ask_until)
    if s.landing.queued and (wait := loop.wait(s.landing.queued.op)):
        return WaitStatus("landing", wait.started.why, "", wait.at.time)
    due = s.agents.wait_due
    return WaitStatus(due.what, due.why, due.until) if due and due.until else None


class PauseStatus(NamedTuple):
    since: str  # empty: it pauses after what is under way
    by: str


def pause_of(loop: Loop) -> PauseStatus | None:
    s = loop.state
    if s.people.pause is None or not is_live(loop):
        return None
    begun = loop.wait(steering.pause_id(s))
    return PauseStatus(begun.at.time if begun else "", s.people.pause.by)


class GateStanding(NamedTuple):
    """A gate of the policy with what it said last."""

    gate: GatePolicy
    last: GateRun | None
    running: GateRun | None
    base: bool | None  # on the starting tree, where an earlier loop knows it

    @property
    def verdict(self) -> Verdict:
        if self.last is not None:
            return verdict_of(self.last)
        # Of reviewers nothing is known from before.
        return verdict(reviewer=False, passed=self.base) if self.base is not None else ""

    @property
    def about(self) -> str:
        """Which tree."""
        if self.last is not None:
            return about(self.last).strip()
        return "on the starting tree, known from before" if self.base is not None else ""

    @property
    def headline(self) -> str:
        return self.last.result.headline if self.last and not self.last.passed else ""


def gate_standings(loop: Loop) -> list[GateStanding]:
    running = {run.gate: run for run in under_way(loop) if isinstance(run, GateRun)}
    return [
        GateStanding(
            gate,
            loop.results.get(gate.name),
            running.get(gate.name),
            loop.state.judgement.base.get(gate.name),
        )
        for gate in loop.state.gates
    ]


class LastWords(NamedTuple):
    iteration: int
    text: str
    final: bool


def last_words(loop: Loop, state_dir: Path) -> LastWords | None:
    """Of the agent that works, or worked last: the end of what it said, or else the last line it printed."""
    texts = JournalTexts(state_dir)
    for it in reversed(loop.iterations.values()):
        text = texts.text(it.said) if it.ended else _so_far(loop.state, output_of(it, state_dir))
        if text.strip():
            last = " ".join([line.strip() for line in text.splitlines() if line.strip()][-_SAID_LINES:])
            return LastWords(it.n, cut(last[-_SAID_CHARS:], _SAID_CHARS), it.ended is not None)
    return None


def _so_far(s: LoopState, output: str) -> str:
    from ralph.agents.registry import adapter

    try:
        with open(output, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            lines = file.read(_TAIL).decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    reader = adapter(s.worker).reader(s.worker)
    for line in lines:
        reader.feed(line)
    return reader.words().said.strip().rpartition("\n")[2]


def next_step(loop: Loop) -> str:
    s = loop.state
    if s.judgement.ended:
        return what_next(s.judgement.ended, s)
    if loop.standing == "died":
        return "The run died. Continue with `ralph resume`."
    if s.people.stop:
        return "It ends by itself. `ralph stop --now` does not wait for the iteration."
    if steering.pause_id(s) in s.progress.open:
        ask = f'Answer it: `{of_task("answer", s)} "..."`. ' if s.people.question is not None else ""
        return f"{ask}`{of_task('continue', s)}` resumes it; `ralph stop` ends it."
    if s.people.question is not None:
        return f'Answer it: `{of_task("answer", s)} "..."`.'
    if s.agents.wait_due and s.agents.wait_due.until:
        return f"It continues by itself then; `{of_task('retry', s)}` tries now, `ralph stop` ends it."
    if _idles(s):
        return "It continues by itself when there is work; `ralph stop` ends it."
    return "`ralph logs --follow` shows what happens; `ralph stop` ends it after the iteration."


# -- hats ----------------------------------------------------------------------------------------------


def _idles(s: LoopState) -> bool:
    return any(op.startswith(IDLE) for op in s.progress.open)


def idle_wait(loop: Loop) -> LoopWait | None:
    """While no one finds work: until when it waits before it looks again."""
    idle = next((op for op in loop.state.progress.open if op.startswith(IDLE)), "") if is_live(loop) else ""
    return loop.wait(idle)


def worn_text(loop: Loop) -> str:
    """Whose turn it is, in words; empty when no iteration is under way."""
    turn = loop.state.hats.turns.current if is_live(loop) else None
    event = about_events(turn.events) if turn else ""
    name = title(loop.state, turn.hat) if turn else ""
    return f"{name}: {event}" if event else name


def queue_text(s: LoopState) -> str:
    waiting = [named(event) for waits in s.hats.turns.pending for event in waits.events]
    return (
        f"{count(len(s.hats.turns.pending), 'turn')} to come: {few(waiting)}" if s.hats.turns.pending else ""
    )


def item_text(item: BoardItem, s: LoopState) -> str:
    place = item.folder if of_backlog(s.identity.policy.team, item.folder) else f"{item.folder}/"
    state = item_state(s.hats.board, item)
    told = {"under way": f"under way, from {place}", "waiting": f"in {place}"}.get(state, state)
    told = told if item.folder else state  # an agent dispatched it, and it is no file
    spendings = spent(item.tokens, item.cost_usd, estimated=s.progress.estimated)
    figures = [duration(item.seconds), *spendings] if round(item.seconds, 1) else []
    # Why it was given up says how often it failed.
    failed = [f"failed {count(item.failures, 'time')}"] if item.failures and state != "given up" else []
    why = f": {item.reason}" if item.reason else ""
    return ", ".join([told, *failed, *figures]) + why


def item_state(board: Board, item: BoardItem) -> ItemState:
    if item.failed:
        return "given up"
    if item.done:
        return "through"
    return "under way" if item.name == board.under_way else "waiting"


# -- as JSON -------------------------------------------------------------------------------------------


def status_json(loop: Loop, state_dir: Path) -> dict[str, Any]:
    s, waits, pause = loop.state, waiting_for(loop), pause_of(loop)
    said = last_words(loop, state_dir)
    return {
        "loop": s.identity.loop,
        "task": s.identity.task.id,
        "title": s.identity.task.title,
        "state": state_of(loop),
        "started": loop.at.time,
        "end": s.judgement.ended,
        "reason": why_it_ended(s),
        "limit": s.judgement.end_limit,
        "question": s.people.question,
        "iterations": s.progress.iterations,
        "max_iterations": s.identity.policy.limits.max_iterations,
        "iteration": iteration_under_way(loop),
        "attempts": s.judgement.attempts,
        "max_attempts": s.identity.policy.limits.max_attempts,
        "under_way": sorted(s.progress.open) if is_live(loop) else [],
        "operations": [_operation_json(x, s) for x in under_way(loop)],
        "waiting": {"for": waits.what, **fields(waits, "why until since")} if waits else None,
        "paused": pause._asdict() if pause else None,
        "told": [message_json(message) for message in loop.messages.values()],
        "stopping": s.people.stop,
        "gates": [_gate_json(x) for x in gate_standings(loop)],
        "said": said._asdict() if said else None,
        "active_seconds": round(s.progress.active_seconds, 1),
        "max_seconds": s.identity.policy.limits.hard_seconds,
        "model": loop.models[-1] if loop.models else "",
        **fields(s.progress, "tokens cost_usd estimated"),
        "proof": s.judgement.proof,
        "evidence": to_builtins(s.judgement.evidence) if s.judgement.evidence else None,
        "recovery": s.workspace.recovery,
        "warnings": list(s.warnings.lines),
        "next": next_step(loop),
        "hats": _hats_json(loop) if s.identity.policy.routing is not None else None,
    }


def _operation_json(x: Iteration | GateRun, s: LoopState) -> dict[str, Any]:
    seconds, running = round(seconds_since(x.at.time), 1), s.progress.open.get(x.op)
    retry = to_builtins(running.retry) if running and running.retry else None
    return {"op": x.op, "name": name_of(x), "since": x.at.time, "seconds": seconds, "retry": retry}


def _gate_json(x: GateStanding) -> dict[str, Any]:
    return {
        **fields(x.gate, "name hard"),
        **fields(x, "verdict about headline"),
        "seconds": x.last.seconds if x.last else None,
        "running_since": x.running.at.time if x.running else "",
    }


def _hats_json(loop: Loop) -> dict[str, Any]:
    s, idle = loop.state, idle_wait(loop)
    turn = s.hats.turns.current if is_live(loop) else None
    return {
        "hat": (turn.hat or None) if turn else None,
        "title": title(s, turn.hat) if turn else "",
        "event": about_events(turn.events) if turn else "",
        "queue": len(s.hats.turns.pending),
        "waiting": [named(event) for waits in s.hats.turns.pending for event in waits.events],
        "idle_since": loop.idle.time if idle and loop.idle else None,
        "idle_until": (idle.started.until or None) if idle else None,
        "cycle": s.hats.turns.cycle,
        "items": [
            {
                **fields(item, "name folder dispatches failures reason tokens cost_usd"),
                "state": item_state(s.hats.board, item),
                "task": of_backlog(s.identity.policy.team, item.folder),
                "seconds": round(item.seconds, 1),
            }
            for item in s.hats.board.items.values()
        ],
        "finished": s.hats.board.finished,
    }
