"""What a claim's results amount to as evidence: for each gate what ran and what it said, and how strong that is. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ralph.core.facts import GateEnded
from ralph.core.loop.claims import proves_itself, reaches_more
from ralph.core.loop.state import Claim, LoopState, verdict_key
from ralph.core.policy import GatePolicy
from ralph.core.proof import DEGREES, Account, Degree, Evidence, GateEvidence
from ralph.text import count

UNKNOWN_RUNNER = "its runner reports no tests by name"


def evidence_of(s: LoopState, claim: Claim) -> Evidence:
    gates = tuple(_of_gate(s, claim, gate) for gate in s.gates if was_asked(s, claim, gate))
    return Evidence(
        degree=_degree(s, claim, gates),
        gates=gates,
        findings=claim.findings,
        suppressions=claim.suppressions,
        unread=claim.unread,
        sandbox=s.identity.policy.sandbox.kind,
    )


def was_asked(s: LoopState, claim: Claim, gate: GatePolicy) -> bool:
    """A reviewer of judges is asked only where there is a doubt to decide."""
    return not gate.decides_doubts or verdict_key(gate.name, "as-is", claim.tree) in s.judgement.verdicts


def _degree(s: LoopState, claim: Claim, gates: Sequence[GateEvidence]) -> Degree:
    """The strongest that a hard gate gives; a reviewer's opinion proves nothing."""
    measured = [g for g in gates if g.hard and g.start in _STARTS and g.claim == "green"]
    if not measured:
        return "unverified"
    red = [g for g in measured if g.start == "red" and (not g.known_red or g.fixed)]
    if not red:
        return "no-regression"
    return "own-tests" if all(_by_its_own(s, claim, g) for g in red) else "proven"


_STARTS = ("red", "green", "flaky", "unknown")


def _by_its_own(s: LoopState, claim: Claim, g: GateEvidence) -> bool:
    """Every test that it ran came with the change."""
    gate = s.gate(g.gate)
    if gate is not None and (proves_itself(s, claim, gate) or reaches_more(claim, gate)):
        return True
    return g.originals is not None and g.originals.total == 0 and g.tests > 0


def _of_gate(s: LoopState, claim: Claim, gate: GatePolicy) -> GateEvidence:
    j = s.judgement
    verdicts = j.verdicts.get(verdict_key(gate.name, "as-is", claim.tree), ())
    if gate.kind.asked_once:
        said = ("PASS" if verdicts[-1] else "FAIL") if verdicts else "no verdict"
        return GateEvidence(gate=gate.name, start="-", claim=said, hard=gate.hard)
    runs = [r for r in j.results if r.gate == gate.name and r.tree == claim.tree]
    as_is = _last(runs, "as-is")
    originals = _account(runs)
    new = _last(runs, "new-tests")
    where: Literal["checkout", "folder"] = "checkout" if as_is and as_is.hermetic else "folder"
    return GateEvidence(
        gate=gate.name,
        start=s.said_at_start(gate),
        claim="green" if verdicts and verdicts[-1] else "red",
        where=where,
        hard=gate.hard,
        passes=sum(1 for r in runs if r.variant == "as-is" and r.passed),
        tests=as_is.tests.run if as_is and as_is.tests else 0,
        originals=originals,
        new_tests=new.new_tests if new else 0,
        idle_tests=new.idle_tests if new else (),
        unchecked="" if as_is and as_is.report else UNKNOWN_RUNNER,
        known_red=as_is.known_red if as_is else 0,
        fixed=_fixed(s, as_is),
        hidden=bool(gate.hidden),
        unrecorded=gate.name in j.judged_in_folder,
    )


def _fixed(s: LoopState, as_is: GateEnded | None) -> int:
    before = s.judgement.base_tests.get(as_is.gate) if as_is and as_is.known_red else None
    return max(0, before.failed - as_is.known_red) if before and as_is else 0


def _last(runs: Sequence[GateEnded], variant: str) -> GateEnded | None:
    return next((r for r in reversed(runs) if r.variant == variant), None)


def _account(runs: Sequence[GateEnded]) -> Account | None:
    """Of the run with the original judges; where none was changed, every run is one."""
    found = _last(runs, "original") or _last(runs, "as-is")
    return found.account if found else None


# -- in words --------------------------------------------------------------------------------------------------------


def summary(evidence: Evidence, proof: dict[str, str]) -> str:
    """One line: how strong it is, and for each gate why."""
    by_gate = {g.gate: g for g in evidence.gates}
    parts = [
        f"{gate} {_with_details(what, by_gate[gate])}" for gate, what in proof.items() if gate in by_gate
    ]
    return f"{DEGREES[evidence.degree]}: {', '.join(parts)}"


def _with_details(what: str, g: GateEvidence) -> str:
    """All notes on a gate in one pair of brackets."""
    found = "; ".join(details(g))
    if not found:
        return what
    return f"{what.removesuffix(')')}; {found})" if what.endswith(")") else f"{what} ({found})"


def details(g: GateEvidence) -> list[str]:
    """What a person wants to know of a gate beyond red and green."""
    found = []
    if g.originals is not None and g.originals.total:
        found.append(f"originals: {account_words(g.originals)}")
    if g.new_tests:
        found.append(new_test_words(g))
    if g.fixed:
        found.append(f"{g.fixed} of the start's failures fixed")
    if g.passes > 1:
        found.append(f"{g.passes} passes")
    return found


TABLE = ("Gate", "Ran in", "Start → claim", "#Passes", "Original tests", "New tests")


def rows(evidence: Evidence) -> list[tuple[str, ...]]:
    """Gate by gate, for reports."""
    return [
        (
            g.gate + ("" if g.hard else " (soft)") + (" (hidden)" if g.hidden else ""),
            ""
            if g.start == "-"
            else _WHERE[g.where] + (", with files that git does not record" if g.unrecorded else ""),
            g.claim if g.start == "-" else f"{g.start} → {_now(g)}",
            "" if g.start == "-" else str(g.passes),
            account_words(g.originals) if g.originals is not None else "" if g.start == "-" else g.unchecked,
            new_test_words(g) if g.new_tests else "",
        )
        for g in evidence.gates
    ]


def _now(g: GateEvidence) -> str:
    return f"{count(g.known_red, 'failure')} of the start, none new" if g.known_red else g.claim


_WHERE = {"checkout": "a clean checkout", "folder": "the folder"}


def notes(evidence: Evidence) -> list[str]:
    """What else a person should know before trusting it, a sentence each."""
    found = [f"In doubt: {finding.words}" for finding in evidence.findings]
    found += [f"Switched off: {text}" for text in evidence.suppressions]
    found += [f"Not looked through: {text}" for text in evidence.unread]
    for g in evidence.gates:
        found += [
            f"Obsolete test of {g.gate}: {test}" for test in (g.originals.obsolete if g.originals else ())
        ]
        found += [f"Proves nothing, it passes on the starting code: {test}" for test in g.idle_tests]
    on = "on" if any(g.hidden for g in evidence.gates) else "off"
    return [*found, f"Sandbox: {evidence.sandbox}; hidden gates: {on}"]


def account_words(account: Account) -> str:
    counts = (
        (account.passed, "passed"),
        (len(account.obsolete), "obsolete"),
        (len(account.contradicted), "contradicted"),
        (len(account.missing), "missing"),
        (len(account.skipped), "skipped as before"),
    )
    return ", ".join(f"{n} {word}" for n, word in counts if n) or "none"


def new_test_words(g: GateEvidence) -> str:
    tests, idle = count(g.new_tests, "new test"), len(g.idle_tests)
    if not idle:
        return f"{tests}, failing on the old code"
    return f"{tests}, {'all' if idle == g.new_tests else idle} passing on the old code"
