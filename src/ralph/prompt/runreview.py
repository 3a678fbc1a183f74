"""Composes the prompt of a reviewer who looks at a whole run: what was asked for, what became of it, the whole change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from ralph.core.exits import DONE
from ralph.core.policy import GatePolicy
from ralph.core.signals import defuse
from ralph.core.state import LoopState
from ralph.core.text import one_line
from ralph.prompt.compose import template
from ralph.prompt.review import change_text, looks_for

TASKS_CHARS = 20_000  # about the tasks; those that do not fit are told by their title, then by their number
_TITLE_CHARS = 200
_REASON_CHARS = 300


class Whole(msgspec.Struct, frozen=True):
    """The change of a run: between which commits, which paths, and the beginning of the difference."""

    base: str
    tip: str
    paths: Sequence[str]
    patch: str
    cut: bool  # there is more of it


def compose_run_review(gate: GatePolicy, loops: Sequence[LoopState], whole: Whole, promise: str) -> str:
    """`loops`: those of the run that are over, in the order in which they began."""
    what, passes, fails = looks_for(gate)
    done = [s for s in loops if s.ended in DONE]
    rest = [s for s in loops if s.ended not in DONE]
    text = template("review-run").format(
        base=whole.base[:12],
        tip=whole.tip[:12],
        done=_within(done, _full, TASKS_CHARS) or "Nothing.",
        rest=f"\n# What was not done\n{_within(rest, _failed, TASKS_CHARS // 2)}\n" if rest else "",
        looks_for=what,
        change=change_text(whole.paths, whole.patch, whole.cut),
        passes=passes,
        fails=fails,
    )
    return defuse(text, promise) + "\n"


def _within(loops: Sequence[LoopState], say: Callable[[LoopState], Iterator[str]], room: int) -> str:
    """Each in full while there is room, then in a line, then only how many."""
    lines: list[str] = []
    for index, s in enumerate(loops):
        text = "\n".join(say(s))
        if len(text) > room:
            text = _title(s)
        if len(text) > room:
            lines.append(f"- ... and {len(loops) - index} more")
            break
        room -= len(text)
        lines.append(text)
    return "\n".join(lines)


def _title(s: LoopState) -> str:
    commit = f" ({s.landed.commit[:12]})" if s.landed else ""
    return f"- {s.task.id}: {one_line(s.task.title, _TITLE_CHARS)}{commit}"


def _full(s: LoopState) -> Iterator[str]:
    yield _title(s)
    description = s.task.description.strip()
    if description and description != s.task.title.strip():
        yield from (f"  {line}".rstrip() for line in description.splitlines())
    yield from (f"  - [ ] {one_line(criterion, 1000)}" for criterion in s.task.criteria)


def _failed(s: LoopState) -> Iterator[str]:
    yield f"{_title(s)}: {s.ended}, {one_line(s.end_reason, _REASON_CHARS)}"
