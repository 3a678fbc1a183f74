"""Is a claim true? One function says what is still to be found out, or what the gates' results amount to.

The order is that of cost and of strength: the gates on the claimed tree; what an inspection of the change shows; the gates
with the original judges, test by test; the new tests on the starting code; the gates once more, against chance.
Only `verified` comes from here, and only from hard gates that passed on the claimed tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core.facts import GateEnded, Purpose, Variant
from ralph.core.globs import matches
from ralph.core.loop.state import Claim, LoopState, failure_key, verdict_key
from ralph.core.policy import GatePolicy
from ralph.core.proof import PASS, Account
from ralph.text import digest, few

QUICK = 5.0  # seconds: a gate that is quicker is asked more often
PASSES, QUICK_PASSES = 3, 6


class Operation(msgspec.Struct, frozen=True):
    id: str


class RunGate(Operation, frozen=True):
    gate: str
    purpose: Purpose
    variant: Variant
    tree: str
    swap: tuple[str, ...] = ()
    in_folder: bool = False  # to see whether it says there what it says in a clean checkout


class InspectClaim(Operation, frozen=True):
    """Find out which gate inputs the change touched."""

    tree: str


DoubtKind = Literal["gaming", "hidden", "cut-short", "judges", "contradicted", "missing", "weaker"]


class Doubt(msgspec.Struct, frozen=True):
    """Why a claim that passes its gates is not believed. `keys` are what `allow` would have to name."""

    kind: DoubtKind
    text: str
    keys: tuple[str, ...]
    gate: str = ""


class Verdict(msgspec.Struct, frozen=True):
    what: Literal["verified", "unverified", "failed", "needs-review"]
    result: GateEnded | None = None  # the one that decided, when failed
    flaky: bool = False  # results contradict each other on this tree
    doubts: tuple[Doubt, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(sorted({key for doubt in self.doubts for key in doubt.keys}))


_ADVICE: dict[DoubtKind, str] = {
    "gaming": "do the work without it",
    "hidden": "put these files back as they were",
    "cut-short": "let the tests run to their end",
    "judges": "put these files back as they were",
    "contradicted": "make the original tests pass; if one of them is wrong, say so in your notes: a person decides",
    "missing": "put them back, and make them pass",
    "weaker": "make them as strong as they were",
}


def advice(doubts: Iterable[Doubt]) -> str:
    """For the agent: what is doubted, and what to do about it."""
    return "; ".join(f"{doubt.text}; {_ADVICE[doubt.kind]}" for doubt in doubts)


def doubts_of(s: LoopState) -> tuple[Doubt, ...]:
    """What is doubted of the claim that is open, once its gates have passed."""
    claim = s.judgement.claim
    if claim is None or claim.touched is None or _by_chance(s, claim) or _as_it_is(s, claim):
        return ()
    found = _doubts(s, claim)
    return () if isinstance(found, RunGate) else found or tuple(_weaker(s, claim))


Step = RunGate | InspectClaim | Verdict


def judge(s: LoopState, claim: Claim) -> Step:
    if not s.gates:
        return Verdict("unverified")
    if step := _by_chance(s, claim) or _as_it_is(s, claim):
        return step
    if claim.unfinished:
        return Verdict("unverified")  # it does not say that it is done, so that more need not be known
    if claim.touched is None:
        return InspectClaim(id=f"inspect:{claim.serial}" + _round(claim), tree=claim.tree)
    doubts = _doubts(s, claim)
    if isinstance(doubts, RunGate):
        return doubts
    if doubts:
        return _decided(s, claim, doubts) or Verdict("needs-review", doubts=doubts)
    if not any(g.hard and not g.decides_doubts for g in s.gates):
        return Verdict("unverified")
    if step := _new_tests(s, claim) or _chance(s, claim):
        return step
    if weaker := tuple(_weaker(s, claim)):
        return _decided(s, claim, weaker) or Verdict("needs-review", doubts=weaker)
    return Verdict("verified")


def due_after_iteration(s: LoopState, serial: int) -> RunGate | None:
    """The next `every: iteration` gate that has not yet looked at the tree of this iteration."""
    for gate in s.gates:
        if (
            gate.every == "iteration"
            and verdict_key(gate.name, "as-is", s.workspace.tree) not in s.judgement.verdicts
        ):
            op = f"iteration:{serial}:{gate.name}" + _anew(s, gate)
            if gate.kind.asked_once and (
                s.judgement.claim or _result(s, op)
            ):  # asked in its turn; or it gave no verdict
                continue
            return RunGate(id=op, gate=gate.name, purpose="iteration", variant="as-is", tree=s.workspace.tree)
    return None


# -- the steps, in their order ---------------------------------------------------------------------------------------


def _by_chance(s: LoopState, claim: Claim) -> Verdict | None:
    """It passed, and did not pass again. Looked at first: the contradiction would call for one more look at the first pass."""
    for gate in (g for g in s.gates if g.kind.measures):
        for n in range(2, max(QUICK_PASSES, s.identity.policy.flaky_passes) + 1):
            found = _result(s, _pass(claim, gate, n))
            if found is not None and not found.passed:
                why = f"passed {n - 1} time{'s' if n > 2 else ''} on this tree, then failed: {found.headline}"
                return Verdict("failed", result=replace(found, headline=why))
    return None


def _as_it_is(s: LoopState, claim: Claim) -> RunGate | Verdict | None:
    for gate in s.gates:
        if _left_out(s, claim, gate):
            continue
        found = _settle(s, claim, gate, "as-is")
        if isinstance(found, RunGate):
            return found
        if gate.hard and not found.passed:
            return Verdict("failed", result=found, flaky=_contradicted(s, found))
    return None


def _doubts(s: LoopState, claim: Claim) -> RunGate | tuple[Doubt, ...]:
    at_once = (*_gaming(s, claim), *_out_of_sight(s, claim))
    if s.identity.policy.rules > 1 and any(doubt.kind not in s.judgement.returned for doubt in at_once):
        return at_once  # the agent hears of it before more is run
    found = _with_originals(s, claim)
    return found if isinstance(found, RunGate) else (*at_once, *found)


_DECIDABLE: tuple[DoubtKind, ...] = ("judges", "contradicted", "missing", "weaker")


def _decided(s: LoopState, claim: Claim, doubts: tuple[Doubt, ...]) -> RunGate | Verdict | None:
    """A reviewer of judges may decide what the agent has heard of and insists on; None: a person has to."""
    told = all(d.kind in _DECIDABLE and d.kind in s.judgement.returned for d in doubts)
    for gate in s.gates if told else ():
        if gate.decides_doubts:
            found = _settle(s, claim, gate, "as-is", tuple(sorted({key for d in doubts for key in d.keys})))
            if isinstance(found, RunGate):
                return found
            return Verdict("verified") if found.passed else None
    return None


def _gaming(s: LoopState, claim: Claim) -> Iterator[Doubt]:
    if found := [finding for finding in claim.findings if not _allowed_by_name(s, finding.key)]:
        text = f"the change games its judge: {few([finding.words for finding in found])}"
        yield Doubt("gaming", text, tuple(finding.key for finding in found))


def _out_of_sight(s: LoopState, claim: Claim) -> Iterator[Doubt]:
    """No snapshot holds these, so that they cannot be swapped for their originals."""
    for gate in s.gates:
        paths = tuple(
            p for p in claim.hidden.get(gate.name, ()) if _reached(s, gate, p) and not _allowed(s, p)
        )
        if gate.hard and paths:
            text = f"{gate.name}: green with gate inputs that changed or that new ignore rules hide"
            yield Doubt("hidden", f"{text}: {', '.join(paths)}", paths, gate.name)


def _with_originals(s: LoopState, claim: Claim) -> RunGate | list[Doubt]:
    doubts: list[Doubt] = []
    assert claim.touched is not None
    for gate in s.gates:
        paths = tuple(p for p in claim.touched.get(gate.name, ()) if not _allowed(s, p))
        if (
            not gate.hard
            or gate.decides_doubts
            or any(_reached(s, gate, p) and not _allowed(s, p) for p in claim.hidden.get(gate.name, ()))
        ):
            continue
        found = _settle(s, claim, gate, "original" if paths else "as-is", paths)
        if isinstance(found, RunGate):
            return found
        doubts += _doubts_of(s, claim, gate, found, paths)
    return doubts


def _doubts_of(
    s: LoopState, claim: Claim, gate: GatePolicy, found: GateEnded, paths: tuple[str, ...]
) -> Iterator[Doubt]:
    """What the run with the original judges leaves open, test by test where its runner says."""
    if found.cut_short and not _allowed_by_name(s, f"{gate.name}::cut-short"):
        text = f"{gate.name}: exit 0, but its runner did not come to its end, or reports failures"
        yield Doubt("cut-short", text, (f"{gate.name}::cut-short",), gate.name)
    account = found.account
    if account is None:
        if not found.passed and not proves_itself(s, claim, gate):
            text = f"{gate.name}: green only with changed gate inputs: {', '.join(paths)}"
            yield Doubt("judges", text, paths, gate.name)
        return
    yield from _of_account(s, gate, account, paths)
    blames = account.obsolete or account.contradicted or account.missing
    explained = blames or proves_itself(s, claim, gate) or (account.passed and reaches_more(claim, gate))
    if not found.passed and not explained:
        text = f"{gate.name}: green only with changed gate inputs: {', '.join(paths)}"
        yield Doubt("judges", text, paths, gate.name)


def _of_account(s: LoopState, gate: GatePolicy, account: Account, paths: tuple[str, ...]) -> Iterator[Doubt]:
    if against := [c for c in account.contradicted if not _allowed_test(s, c.test)]:
        said = few([f"{c.test} ({c.was})" if c.was else c.test for c in against])
        others = [p for p in paths if p not in {c.test.partition("::")[0] for c in against}]
        behind = f"without the change to {few(others)}, " if others else ""
        disagree = "disagrees" if len(against) == 1 else "disagree"
        text = f"{gate.name}: {behind}{len(against)} of the original tests {disagree}: {said}"
        yield Doubt("contradicted", text, tuple(c.test for c in against), gate.name)
    if gone := [test for test in account.missing if not _allowed_test(s, test)]:
        text = f"{gate.name}: {len(gone)} of the original tests did not run: {few(gone)}"
        yield Doubt("missing", text, tuple(gone), gate.name)


def proves_itself(s: LoopState, claim: Claim, gate: GatePolicy) -> bool:
    """At the start there was nothing that could judge, and what judges now came with the work: there is no second verdict."""
    touched, added = (claim.touched or {}).get(gate.name, ()), claim.added.get(gate.name, ())
    tests = s.judgement.base_tests.get(gate.name)
    none = tests is None or tests.run + tests.skipped == 0
    return s.judgement.base.get(gate.name) is False and none and bool(touched) and set(touched) <= set(added)


def reaches_more(claim: Claim, gate: GatePolicy) -> bool:
    """It counts what tests reach, and of its judges only tests were changed, by additions: as they were they reach less, which
    is what the task is about."""
    touched = set((claim.touched or {}).get(gate.name, ()))
    additions = set(claim.new_tests) - set(claim.added.get(gate.name, ())) - claim.weakened.keys()
    return gate.counts_coverage and bool(touched) and touched <= additions


def _new_tests(s: LoopState, claim: Claim) -> RunGate | Verdict | None:
    """New tests must fail on the starting code, or they prove nothing."""
    if s.identity.policy.reproduce == "off" or claim.round:
        return None
    ran: list[GateEnded] = []
    for gate in s.gates:
        as_is = _latest(s, claim, gate)
        if not (gate.hard and s.in_checkout(gate) and as_is and as_is.report):
            continue
        if claim.new_tests:
            found = _settle(s, claim, gate, "new-tests", claim.new_tests)
            if isinstance(found, RunGate):
                return found
            ran.append(replace(found, report=as_is.report))
        else:
            ran.append(as_is)
    if not requires_reproduction(s) or not ran or any(s.judgement.base.get(r.gate) is False for r in ran):
        return None
    if any(r.new_tests > len(r.idle_tests) for r in ran):
        return None
    what = (
        "every new test passes on the starting code"
        if any(r.new_tests for r in ran)
        else "there is no new test"
    )
    why = f"{what}: a bug is fixed when a test shows it on the code as it was"
    lacking = replace(
        ran[0], passed=False, code=1, headline=why, excerpt=why, error_hash=digest("reproduce", what)
    )
    return Verdict("failed", result=lacking)


def requires_reproduction(s: LoopState) -> bool:
    rule = s.identity.policy.reproduce
    return rule == "require" or (rule == "auto" and s.identity.task.type == "bug")


def _chance(s: LoopState, claim: Claim) -> RunGate | None:
    """A coin does not show itself by one pass."""
    if claim.round:
        return None
    for gate in s.gates:
        first = _latest(s, claim, gate)
        if not (gate.hard and gate.kind.measures and first and s.judgement.base.get(gate.name) is False):
            continue
        for n in range(2, _passes_wanted(s, first) + 1):
            op = _pass(claim, gate, n)
            if _result(s, op) is None:
                return RunGate(id=op, gate=gate.name, purpose="claim", variant="as-is", tree=claim.tree)
    return None


def _pass(claim: Claim, gate: GatePolicy, n: int) -> str:
    return f"{_named(claim, gate, 'as-is')}{PASS}{n}"


def _passes_wanted(s: LoopState, first: GateEnded) -> int:
    return s.identity.policy.flaky_passes or (QUICK_PASSES if first.seconds < QUICK else PASSES)


def _weaker(s: LoopState, claim: Claim) -> Iterator[Doubt]:
    found = {p: texts for p, texts in weakened(s, claim).items() if not _ran_as_it_was(s, claim, p)}
    if found:
        texts = [text for path in sorted(found) for text in found[path]]
        yield Doubt("weaker", f"green, but existing tests are weaker: {few(texts)}", tuple(sorted(found)))


# -- results ---------------------------------------------------------------------------------------------------------


def _settle(
    s: LoopState, claim: Claim, gate: GatePolicy, variant: Variant, swap: tuple[str, ...] = ()
) -> RunGate | GateEnded:
    """This gate's word on the claim; or that it has to be asked, perhaps once more."""
    op = _named(claim, gate, variant)
    if gate.kind.asked_once:
        op += _anew(s, gate)
        found = s.judgement.reviews.get(verdict_key(gate.name, variant, claim.tree)) or _result(s, op)
        holds = _opinion_holds
    else:
        after_iteration = f"iteration:{claim.serial}:{gate.name}" if variant == "as-is" else ""
        found = _result(s, op) or _result(s, after_iteration)
        holds = _measure_holds
    if found is not None and not holds(s, gate, found):
        op += ":again"
        found = _result(s, op)
    return found or RunGate(
        id=op, gate=gate.name, purpose="claim", variant=variant, tree=claim.tree, swap=swap
    )


def _latest(s: LoopState, claim: Claim, gate: GatePolicy) -> GateEnded | None:
    """What it said of the claimed tree as it is, once that is settled."""
    found = _settle(s, claim, gate, "as-is")
    return found if isinstance(found, GateEnded) else None


def _measure_holds(s: LoopState, gate: GatePolicy, first: GateEnded) -> bool:
    """A failure of a new kind, or a verdict that contradicts an earlier one on the same tree, is asked once more: a gate
    that changes its mind is flaky, and that is not the agent's fault."""
    if not gate.hard or first.wrote or first.timed_out == "hard" or first.variant == "new-tests":
        return True
    if first.variant == "original" and first.account and not first.account.disagrees:
        return True  # it is red for what is obsolete
    known = first.passed or failure_key(first.gate, first.error_hash) in s.judgement.failures
    return known and not _contradicted(s, first)


def _opinion_holds(s: LoopState, gate: GatePolicy, first: GateEnded) -> bool:
    """Its verdict on a tree holds; an answer without one is asked for once more."""
    return not first.unclear or first.timed_out == "hard"


def _named(claim: Claim, gate: GatePolicy, variant: Variant) -> str:
    return f"claim:{claim.serial}{_round(claim)}:{gate.name}:{variant}"


def _round(claim: Claim) -> str:
    """Merged with a target that has moved on, it is judged anew, under names of its own."""
    return f"+{claim.round}" if claim.round else ""


def _left_out(s: LoopState, claim: Claim, gate: GatePolicy) -> bool:
    """Past a cap no more is spent on what could not decide anything; and never before the work is said to be done."""
    if gate.decides_doubts or (claim.unfinished and not gate.hard):
        return True
    if (
        gate.hard
        or not gate.kind.runs_agent
        or verdict_key(gate.name, "as-is", claim.tree) in s.judgement.reviews
    ):
        return False
    limits, spent = s.identity.policy.limits, s.spent()
    return spent.cost_usd >= limits.max_cost_usd > 0 or spent.tokens >= limits.max_tokens > 0


def _anew(s: LoopState, gate: GatePolicy) -> str:
    """After a fault (quota, overload) a reviewer is asked again, under a name of its own."""
    count = s.judgement.refusals.get(gate.name, 0)
    return f":{count}" if count else ""


def _result(s: LoopState, op: str) -> GateEnded | None:
    return next((r for r in s.judgement.results if r.op == op), None)


def _contradicted(s: LoopState, result: GateEnded) -> bool:
    verdicts = s.judgement.verdicts.get(verdict_key(result.gate, result.variant, result.tree), ())
    return len(set(verdicts)) > 1


def _reached(s: LoopState, gate: GatePolicy, path: str) -> bool:
    """A clean checkout holds nothing that no snapshot holds but shared folders; only absolute paths lead out of it."""
    shared = any(path == name or path.startswith(f"{name}/") for name in s.identity.policy.share)
    return not s.in_checkout(gate) or path.startswith("/") or shared


def weakened(s: LoopState, claim: Claim) -> dict[str, tuple[str, ...]]:
    """Tests that were there and test less now, unless someone allows it."""
    return {path: texts for path, texts in claim.weakened.items() if not _allowed(s, path)}


def _ran_as_it_was(s: LoopState, claim: Claim, path: str) -> bool:
    """Then the work has passed the tests as they were, and what is left to say is that they are weaker now."""
    touched = claim.touched or {}
    return any(path in touched.get(gate.name, ()) for gate in s.gates if gate.hard and gate.kind.measures)


def _allow(s: LoopState) -> tuple[str, ...]:
    return (*s.identity.policy.allow, *s.identity.task.allow)


def _allowed(s: LoopState, path: str) -> bool:
    return matches(path, _allow(s))


def _allowed_test(s: LoopState, test: str) -> bool:
    """By itself (`PATH::TEST`), or with all of its file."""
    return test in _allow(s) or _allowed(s, test.partition("::")[0])


def _allowed_by_name(s: LoopState, key: str) -> bool:
    """What games its judge is in no list of files that may change."""
    return key in _allow(s)
