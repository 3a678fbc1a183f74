"""Composes a reviewer's prompt: what was asked for, what to look for, what the gates said, the change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from ralph.core.exits import DONE
from ralph.core.facts import GateEnded
from ralph.core.loop.claims import advice, doubts_of
from ralph.core.loop.signals import defuse
from ralph.core.loop.state import LoopState
from ralph.core.policy import REVIEWS, GatePolicy
from ralph.prompt.compose import criteria, task_text, template
from ralph.text import fenced, one_line

CHANGE_CHARS = 60_000
MOST_PATHS = 200

# what to look for -> when it passes, when it fails
_WORDS = {
    "spec": (
        "every criterion is met",
        "a criterion is not met, or something was added that nobody asked for",
    ),
    "quality": ("nothing that should be mended", "something should be mended"),
    "judges": ("the task calls for it", "the task does not call for it, or less is tested now"),
    "": ("it may pass", "it may not pass"),
}


def compose_review(s: LoopState, gate: GatePolicy, paths: Sequence[str], patch: str, *, cut: bool) -> str:
    what, passes, fails = looks_for(gate)
    text = template("review").format(
        task=task_text(s),
        criteria=criteria(s, "Criteria"),
        looks_for=what,
        gates=advice(doubts_of(s)) if gate.decides_doubts else _gates(s),
        change=change_text(paths, patch, cut),
        named="file and line, and the criterion by its id" if s.identity.task.criteria else "file and line",
        passes=passes,
        fails=fails,
    )
    return defuse(text, s.identity.policy.completion_promise) + "\n"


def looks_for(gate: GatePolicy) -> tuple[str, str, str]:
    """What the reviewer looks for; when it is to say PASS, and when FAIL."""
    known = gate.review if gate.review in REVIEWS else ""
    return (template(f"look-{known}").strip() if known else gate.review.strip(), *_WORDS[known])


def _gates(s: LoopState) -> str:
    said: dict[str, GateEnded] = {}
    for result in s.judgement.results:
        gate = s.gate(result.gate)
        if gate and gate.kind.measures and result.variant == "as-is":
            said[result.gate] = result
    if not said:
        return "No command was run before you."
    return "\n".join(_said(s, result) for result in said.values())


def _said(s: LoopState, result: GateEnded) -> str:
    gate = s.gate(result.gate)
    word = "passed" if result.passed else "failed"
    head = f"`{gate.question if gate else result.gate}` {word} (exit {result.code})"
    return f"{head}\n{fenced(result.excerpt)}" if result.excerpt.strip() else f"{head}, without output."


def change_text(paths: Sequence[str], patch: str, cut: bool) -> str:
    if not paths:
        return "Nothing differs from the start: the claim is that nothing had to be done."
    listed = "\n".join(f"- {path}" for path in paths[:MOST_PATHS])
    if len(paths) > MOST_PATHS:
        listed += f"\n- ... and {len(paths) - MOST_PATHS} more"
    rest = "\nThe difference is longer than shown; read the rest in the files." if cut else ""
    return f"{listed}\n{fenced(patch)}{rest}"


TASKS_CHARS = 20_000  # about the tasks; those that do not fit are told by their title, then by their number
_TITLE_CHARS = 200
_REASON_CHARS = 300


class RunReviewContext(msgspec.Struct, frozen=True):
    """The change of a run: between which commits, which paths, and the beginning of the difference."""

    base: str
    tip: str
    paths: Sequence[str]
    patch: str
    cut: bool  # there is more of it


def compose_run_review(
    gate: GatePolicy, loops: Sequence[LoopState], whole: RunReviewContext, promise: str
) -> str:
    """`loops`: those of the run that are over, in the order in which they began."""
    what, passes, fails = looks_for(gate)
    done = [s for s in loops if s.judgement.ended in DONE]
    rest = [s for s in loops if s.judgement.ended not in DONE]
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
    commit = f" ({s.landing.landed.commit[:12]})" if s.landing.landed else ""
    return f"- {s.identity.task.id}: {one_line(s.identity.task.title, _TITLE_CHARS)}{commit}"


def _full(s: LoopState) -> Iterator[str]:
    yield _title(s)
    description = s.identity.task.description.strip()
    if description and description != s.identity.task.title.strip():
        yield from (f"  {line}".rstrip() for line in description.splitlines())
    yield from (f"  - [ ] {one_line(criterion, 1000)}" for criterion in s.identity.task.criteria)


def _failed(s: LoopState) -> Iterator[str]:
    yield f"{_title(s)}: {s.judgement.ended}, {one_line(s.judgement.end_reason, _REASON_CHARS)}"
