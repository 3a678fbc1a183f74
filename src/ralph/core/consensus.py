"""What reviewers who look at a whole run say together. Pure; nothing here decides how the run ends."""

from __future__ import annotations

from collections.abc import Sequence

from ralph.core.facts import RunReviewed
from ralph.core.policy import GatePolicy
from ralph.core.text import few


def latest(reviews: Sequence[RunReviewed]) -> tuple[RunReviewed, ...]:
    """The last word of each reviewer: one who was interrupted is asked again by the run that goes on."""
    return tuple({review.gate: review for review in reviews}.values())


def next_of(reviewers: Sequence[GatePolicy], reviews: Sequence[RunReviewed]) -> str:
    """The first who has not been heard to the end. No verdict, and no time left, are answers too: nobody is asked twice."""
    heard = {review.gate for review in reviews if review.how == "exited"}
    return next((reviewer.name for reviewer in reviewers if reviewer.name not in heard), "")


def is_consensus(reviews: Sequence[RunReviewed]) -> bool:
    """Everyone who was to be asked says PASS."""
    said = latest(reviews)
    return bool(said) and all(r.passed for r in said) and set(said[-1].asked) <= {r.gate for r in said}


def together(reviews: Sequence[RunReviewed]) -> str:
    """In a line; empty when nobody has said anything."""
    said = latest(reviews)
    if not said:
        return ""
    if is_consensus(said):
        return f"consensus: {few([r.gate for r in said])} {'says' if len(said) == 1 else 'say'} PASS"
    heard = {r.gate for r in said}
    parts = [
        (sorted(r.gate for r in said if r.passed), "PASS"),
        (sorted(r.gate for r in said if not r.passed and not r.unclear), "FAIL"),
        (sorted(r.gate for r in said if r.unclear), "no verdict"),
        (sorted(set(said[-1].asked) - heard), "not asked"),
    ]
    return "no consensus: " + "; ".join(f"{few(names)}: {word}" for names, word in parts if names)
