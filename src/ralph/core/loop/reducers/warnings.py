"""What a person should know and no rule acts on. Reduced last, from what the other slices have become. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ralph.core import facts as f
from ralph.core.failures.test_counts import fewer
from ralph.core.loop.claims import weakened
from ralph.core.loop.state import SOFT_LIMITS, LoopState, Warnings, verdict_key
from ralph.core.loop.step import CANNOT_RUN, Reducers, Step, new_note
from ralph.core.policy import GatePolicy, kept, put_back
from ralph.text import few

Found = Iterator[tuple[str, str]]  # kind, and words


def _with(before: Warnings, found: Iterable[tuple[str, str]]) -> Warnings:
    by_kind = before.by_kind
    for kind, text in found:
        count = by_kind[kind][0] if kind in by_kind else 0
        by_kind = {**by_kind, kind: (count + 1, text)}
    return before if by_kind is before.by_kind else Warnings(by_kind)


def _iteration_ended(step: Step, x: f.IterationEnded) -> Warnings:
    return _with(step.before.warnings, _of_iteration(step, x))


def _of_iteration(step: Step, x: f.IterationEnded) -> Found:
    if x.stragglers:
        left = ", ".join(x.stragglers)
        yield "stragglers", f"iteration {x.n} left processes running, now ended: {left}"
    if x.refs_moved:
        yield "refs", _moved_refs(f"iteration {x.n}", x)
    if x.protected:
        yield "protected", put_back(x.protected)
    if x.unattributed:
        yield "unattributed", kept(x.n, x.unattributed)
    if (said := step.outcome.said) is None:
        return
    yield from _deaf_caps(step.now)
    if said.warning:
        yield "signals", f"iteration {x.n} {said.warning}"
    if step.outcome.kind == "spoke" and step.team is not None:
        yield from step.hat_step.warnings


def _deaf_caps(s: LoopState) -> Found:
    """A cap on what the agent does not report never acts."""
    limits = s.identity.policy.limits
    if limits.max_cost_usd > 0 and not s.progress.cost_usd:
        yield "no cost", "a limit on cost is set, but the agent does not say what it costs"
    if limits.max_tokens > 0 and not s.progress.tokens:
        yield "no tokens", "a limit on tokens is set, but the agent does not say how many it uses"


def _moved_refs(who: str, x: f.IterationEnded | f.GateEnded) -> str:
    when = f"since {who} began, which was interrupted" if x.how == "interrupted" else f"while {who} ran"
    return f"refs moved {when}: {', '.join(x.refs_moved)}"


def _inspected(step: Step, x: f.ClaimInspected) -> Warnings:
    claim = step.now.judgement.claim
    if claim is None or claim.tree != x.tree:
        return step.before.warnings
    found = []
    if weaker := [text for texts in weakened(step.now, claim).values() for text in texts]:
        found.append(("weakened", f"existing tests are weaker: {few(sorted(weaker))}"))
    if x.ignored:
        hides = f"new ignore rules keep files out of the snapshot: {', '.join(x.ignored[:5])}"
        found.append(("hidden", hides))
    return _with(step.before.warnings, found)


def _gate_ended(step: Step, x: f.GateEnded) -> Warnings:
    return _with(step.before.warnings, _of_gate(step, x))


def _of_gate(step: Step, x: f.GateEnded) -> Found:
    if x.refs_moved:
        yield "refs", _moved_refs(f"reviewer {x.gate}", x)
    if x.how == "interrupted":
        return
    gate = step.before.gate(x.gate)
    if gate and gate.kind.asked_once:
        yield from _of_opinion(gate, x)
        return
    if gate and (warning := _of_time_or_failure(gate, x)):
        yield f"gate {x.gate} {x.timed_out}", warning
    verdicts = step.now.judgement.verdicts.get(verdict_key(x.gate, x.variant, x.tree), ())
    if len(set(verdicts)) > 1:
        yield f"flaky {x.gate}", f"gate {x.gate} is flaky: it says two things about one tree"
    less = fewer(step.before.judgement.base_tests.get(x.gate), x.tests)
    if x.purpose != "base" and x.passed and less:
        yield f"fewer {x.gate}", f"gate {x.gate} tests less than at the start: {less}"
    if x.empty:
        yield f"empty {x.gate}", f"gate {x.gate} passes, but it ran no test"
    if x.gate in step.now.judgement.judged_in_folder - step.before.judgement.judged_in_folder:
        yield f"folder {x.gate}", _needs_folder(x)
    if x.purpose == "base" and x.wrote and x.code == 0:
        yield f"writes {x.gate}", f"{x.headline}; every claim will fail on it"
    if x.purpose == "base" and not x.passed and not x.report and step.policy.baseline == "allow-red":
        what = "its runner names no tests, so that every failure of a claim counts"
        yield f"baseline {x.gate}", f"gate {x.gate} is red at the start, and {what} (`baseline: allow-red`)"
    blocks = x.cannot_run and gate and gate.hard  # the end says so
    if x.purpose == "base" and (x.code in CANNOT_RUN or x.cannot_run) and not blocks:
        why = x.cannot_run or x.headline
        yield f"unrun {x.gate}", f"gate {x.gate} cannot be run on the starting tree: {why}"


def _needs_folder(x: f.GateEnded) -> str:
    """`share` takes whole folders only."""
    folders = [name.rstrip("/") for name in x.unrecorded if name.endswith("/")]
    fix = f"`share: [{', '.join(folders[:5])}]`" if folders else "`setup:` on the gate"
    return (
        f"gate {x.gate} depends on files that git does not record ({few(x.unrecorded)}): it is red in a clean checkout, so that "
        f"the folder is judged. {fix} in ralph.yml lets it judge what lands"
    )


def _of_time_or_failure(gate: GatePolicy, x: f.GateEnded) -> str:
    if x.timed_out == "hard":
        return f"gate {x.gate} ran out of time after {x.seconds:.1f} s" if not gate.hard else ""
    if x.timed_out == "soft":
        return f"gate {x.gate} took {x.seconds:.1f} s, longer than its soft limit"
    if not gate.hard and not x.passed and x.purpose != "base":
        return f"gate {x.gate} (soft) failed: {x.headline}"
    return ""


def _of_opinion(gate: GatePolicy, x: f.GateEnded) -> Found:
    noun = gate.kind.noun
    if x.wrote:
        undone = f"files changed while {noun} {x.gate} ran; undone, `ralph recover` has them: {', '.join(x.wrote[:5])}"
        yield f"gate {x.gate} wrote", undone
    if x.timed_out == "soft":
        yield (
            f"gate {x.gate} {x.timed_out}",
            f"{noun} {x.gate} took {x.seconds:.1f} s, longer than its soft limit",
        )
    elif not gate.hard and (x.unclear or not x.passed):
        yield f"gate {x.gate} {x.timed_out}", f"{noun} {x.gate} (soft): {x.headline}"
    elif x.unclear and x.purpose == "iteration":
        yield f"gate {x.gate} {x.timed_out}", f"{noun} {x.gate} gave no verdict: {x.headline}"


def _checkpoint(step: Step, x: f.Checkpoint) -> Warnings:
    if not new_note(step.before.progress, x):
        return step.before.warnings
    return _with(step.before.warnings, [(x.what, f"{SOFT_LIMITS[x.what]} after {x.seconds:.0f} s")])


def _item_given_up(step: Step, x: f.ItemGivenUp) -> Warnings:
    now = f"is in {x.to}/ now" if x.to else "is set aside" if x.stays else "is marked as failed"
    return _with(step.before.warnings, [(f"item {x.item}", f"{x.item} {now}: {x.reason}")])


REDUCERS: Reducers = {
    f.IterationEnded: _iteration_ended,
    f.ClaimInspected: _inspected,
    f.GateEnded: _gate_ended,
    f.Checkpoint: _checkpoint,
    f.ItemGivenUp: _item_given_up,
}
