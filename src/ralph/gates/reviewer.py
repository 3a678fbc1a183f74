"""A reviewer gate: what its run amounts to. A fresh agent's opinion, read from what it finally says."""

from __future__ import annotations

from ralph.core.digest import digest
from ralph.core.excerpt import excerpt
from ralph.core.policy import GatePolicy
from ralph.core.review import Review, read
from ralph.gates.command import Finding


def find_review(
    gate: GatePolicy, *, code: int, said: str, fault: str, fault_text: str, timed_out: str
) -> Finding:
    """A reviewer passes what it says PASS of, in time and with exit code 0. A FAIL counts with any exit code: some
    say it by both."""
    review = read(said)
    shown = excerpt(review.text)
    if timed_out == "hard":
        why = f"reviewer {gate.name} ran out of time after {gate.hard_timeout:g} s"
        return Finding(False, f"{shown}\n{why}".strip(), digest(gate.name, "out of time"), why, unclear=True)
    if fault:
        return Finding(False, shown, digest(gate.name, fault), fault_text or fault, unclear=True)
    if review.verdict == "PASS" and code == 0:
        return Finding(True, shown, findings=review.findings)
    if review.verdict == "FAIL":
        headline = next(iter(review.findings), "the reviewer says FAIL")
        return Finding(False, shown, _hash(gate, review), headline, findings=review.findings)
    why = f"exit {code}: {fault_text}".rstrip(": ") if code else "the reviewer gave no verdict"
    return Finding(False, f"{shown}\n{why}".strip(), digest(gate.name, "no verdict"), why, unclear=True)


def _hash(gate: GatePolicy, review: Review) -> str:
    """The same findings, in whatever order and however numbered, are the same error."""
    return digest(gate.name, *sorted(" ".join(finding.lower().split()) for finding in review.findings))
