"""Composes a reviewer's prompt: what was asked for, what to look for, what the gates said, the change."""

from __future__ import annotations

from collections.abc import Sequence

from ralph.core.policy import REVIEWS, GatePolicy
from ralph.core.signals import defuse
from ralph.core.state import LoopState, Result
from ralph.core.text import fenced
from ralph.prompt.compose import task_text, template

CHANGE_CHARS = 60_000
MOST_PATHS = 200

# what to look for -> when it passes, when it fails
_WORDS = {
    "spec": (
        "every criterion is met",
        "a criterion is not met, or something was added that nobody asked for",
    ),
    "quality": ("nothing that should be mended", "something should be mended"),
    "": ("it may pass", "it may not pass"),
}


def compose_review(s: LoopState, gate: GatePolicy, paths: Sequence[str], patch: str, *, cut: bool) -> str:
    what, passes, fails = looks_for(gate)
    text = template("review").format(
        task=task_text(s),
        criteria=_criteria(s),
        looks_for=what,
        gates=_gates(s),
        change=change_text(paths, patch, cut),
        passes=passes,
        fails=fails,
    )
    return defuse(text, s.policy.completion_promise) + "\n"


def looks_for(gate: GatePolicy) -> tuple[str, str, str]:
    """What the reviewer looks for; when it is to say PASS, and when FAIL."""
    known = gate.review if gate.review in REVIEWS else ""
    return (template(f"look-{known}").strip() if known else gate.review.strip(), *_WORDS[known])


def _criteria(s: LoopState) -> str:
    if not s.task.criteria:
        return ""
    return "\n# Criteria\n" + "\n".join(f"- [ ] {criterion}" for criterion in s.task.criteria) + "\n"


def _gates(s: LoopState) -> str:
    said: dict[str, Result] = {}
    for result in s.results:
        gate = s.gate(result.gate)
        if gate and gate.kind.measures and result.variant == "as-is":
            said[result.gate] = result
    if not said:
        return "No command was run before you."
    return "\n".join(_said(s, result) for result in said.values())


def _said(s: LoopState, result: Result) -> str:
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
