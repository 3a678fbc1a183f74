"""What must hold for every loop with hats, whatever agents emit, gates say, people want and whenever Ralph dies."""

from __future__ import annotations

from collections import Counter

import pytest
from core_world import (
    CLAIMING_POLICIES,
    PATTERN,
    PAYLOAD,
    PEOPLE,
    SAYABLE,
    SAYS,
    STOPS,
    TASK,
    TEAM_POLICIES,
    TeamWorld,
)
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ralph.core import facts as f
from ralph.core.hats.steps import routed as routed_by
from ralph.core.loop import decide as d
from ralph.core.loop.claims import Verdict, judge
from ralph.core.loop.fold import fold, fold_all
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy

# Whole lives are drawn: to make a failing one smaller would take longer than to read it.
DRAWN = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)


# -- ends ----------------------------------------------------------------------------------------------------------


@DRAWN
@given(TEAM_POLICIES, st.data())
def test_a_loop_with_hats_ends_or_rests_in_a_wait_that_has_a_name(
    policy: Policy, data: st.DataObject
) -> None:
    """The world sees to it that something is always wanted, and that an idle loop rests."""
    state = TeamWorld(policy, data, within_limits, people=False).live().state
    assert state.judgement.ended not in (None, "internal") and state.judgement.end_reason


@DRAWN
@given(TEAM_POLICIES, st.data())
def test_a_loop_with_hats_ends_whatever_people_do_and_its_journal_replays(
    policy: Policy, data: st.DataObject
) -> None:
    _replays(TeamWorld(policy, data, within_limits, people=True).live())


def _replays(world: TeamWorld) -> None:
    assert world.state.judgement.ended not in (None, "internal") and world.state.judgement.end_reason
    journaled = [fact for fact in world.happened if not isinstance(fact, f.Tick | f.Metered)]
    assert fold_all(f.decode(f.encode(fact)) for fact in journaled) == world.state


def within_limits(before: LoopState, fact: f.Input, after: LoopState) -> None:
    limits = after.identity.policy.limits
    assert after.progress.iterations <= limits.max_iterations
    assert after.judgement.attempts <= limits.max_attempts
    for id, running in after.progress.open.items():
        assert running.what != "wait" or not after.people.stop or d.cutoff(after, id), (
            "every wait can be ended"
        )


# -- gates ---------------------------------------------------------------------------------------------------------


class Proven:
    """Looks at the facts alone, not at how the core judges."""

    def __init__(self) -> None:
        self.tree = ""
        self.said: dict[tuple[str, str], bool] = {}

    def __call__(self, before: LoopState, fact: f.Input, after: LoopState) -> None:
        match fact:
            case f.GateEnded(variant="as-is", how="exited"):
                self.said[fact.gate, fact.tree] = fact.passed
            case f.IterationEnded() | f.WorkspaceChanged() | f.BoardLooked() | f.WorkspacePrepared():
                self.tree = fact.tree or self.tree
            case f.LoopEnded(end="completed-verified"):
                assert after.judgement.ended == "completed-verified"
                assert (
                    before.hats.turns.claim and not before.hats.turns.pending and not before.hats.turns.held
                )
                self._all_passed(after)
            case f.TransitionPassed():
                assert before.hats.turns.held and fact.tree == self.tree
                self._all_passed(after)
        self._held_back(before, fact, after)

    def _all_passed(self, s: LoopState) -> None:
        for gate in s.gates:
            assert not gate.hard or self.said[gate.name, self.tree]

    def _held_back(self, before: LoopState, fact: f.Input, after: LoopState) -> None:
        team = after.identity.policy.team
        assert team is not None
        if isinstance(fact, f.IterationEnded | f.BoardLooked):
            new = [r.event for r in routed_by(before, after) if r.event.n > before.hats.turns.count]
            assert not [event for event in new if event.hat and event.topic in team.gate_on]


@DRAWN
@given(CLAIMING_POLICIES, st.booleans(), st.data())
def test_verified_and_transitions_only_by_hard_gates_that_passed_on_the_recorded_tree(
    policy: Policy, people: bool, data: st.DataObject
) -> None:
    TeamWorld(policy, data, Proven(), people=people).live()


# -- events and turns ----------------------------------------------------------------------------------------------


def numbers(s: LoopState) -> Counter[int]:
    """How many turns each accepted event has before it."""
    waiting = [*s.hats.turns.pending, *((s.hats.turns.current,) if s.hats.turns.current else ())]
    return Counter(event.n for turn in waiting for event in turn.events)


def routed_once(before: LoopState, fact: f.Input, after: LoopState) -> None:
    told = routed_by(before, after)
    new = [routed for routed in told if routed.event.n > before.hats.turns.count]
    assert [r.event.n for r in new] == list(range(before.hats.turns.count + 1, after.hats.turns.count + 1))
    assert all(routed.why for routed in told)
    waiting = numbers(after)
    for routed in new:
        if _ends_something(routed.event.topic, after):
            continue
        exhausted = sum(
            r.event.topic.endswith(".exhausted") and r.event.topic.partition(".")[0] in routed.triggered
            for r in new
        )
        turns = len(routed.triggered) or 1
        assert turns - exhausted <= waiting[routed.event.n] <= turns, routed


def _ends_something(topic: str, s: LoopState) -> bool:
    team = s.identity.policy.team
    assert team is not None
    return team.completes(topic) or topic == team.cancellation_promise


def no_turn_lost_or_doubled(before: LoopState, fact: f.Input, after: LoopState) -> None:
    """Turns leave the queue only when an iteration that lived, or a look, took them; or they were stale for a scanner, or
    about an item that was given up."""
    was, now = before.hats.turns, after.hats.turns
    told = routed_by(before, after)
    stale = {r.event.n for r in told if r.why.startswith("stale: ")}
    dropped = {r.event.n for r in told if r.why.startswith("dropped: ") and r.event.n >= was.dispatched > 0}
    old = Counter({n: c for n, c in numbers(before).items() if n})
    kept = Counter({n: c for n, c in numbers(after).items() if n and n <= was.count})
    match fact:
        case f.LoopStarted() | f.BoardLooked():
            return
        case f.IterationStarted():
            assert {n for n in old if kept[n] != old[n]} <= stale
        case f.IterationEnded() if was.current is not None and (fact.how == "interrupted" or fact.fault):
            taken = () if was.aside else (was.current,)
            assert now.pending == (*taken, *was.pending), "an iteration that did not live gives its turn back"
            assert now.count == was.count and now.held == was.held, "and nothing that it emitted is routed"
        case f.IterationEnded() if was.current is not None:
            own = Counter(event.n for event in was.current.events)
            assert kept in (old, old - own)
            _nothing_said_is_lost(before, fact, after)
        case f.TransitionPassed():
            assert kept == old
            went = Counter((r.event.topic, r.event.payload) for r in told if r.event.n > was.count)
            assert all(went[event.topic, event.payload] >= 1 for event in was.held) and not now.held
        case f.ItemGivenUp(under_way=True):
            assert {n for n in old if kept[n] != old[n]} == dropped - {0}
        case _:
            assert kept == old


def _nothing_said_is_lost(before: LoopState, fact: f.IterationEnded, after: LoopState) -> None:
    went = Counter((r.event.topic, r.event.payload) for r in routed_by(before, after))
    held = Counter((e.topic, e.payload) for e in after.hats.turns.held)
    down = any(r.event.topic == "gate.failed" for r in routed_by(before, after))
    for event in before.hats.turns.said:
        assert went[event.topic, event.payload] + held[event.topic, event.payload] >= (not down)
    own = Counter(
        (r.event.topic, r.event.payload)
        for r in routed_by(before, after)
        if r.event.n and r.event.iteration == fact.serial
    )
    assert all(times == 1 for times in own.values()), "said twice is said once"


def each_event(before: LoopState, fact: f.Input, after: LoopState) -> None:
    routed_once(before, fact, after)
    no_turn_lost_or_doubled(before, fact, after)


@DRAWN
@given(TEAM_POLICIES, st.data())
def test_an_accepted_event_is_routed_once_and_no_turn_is_lost_or_doubled(
    policy: Policy, data: st.DataObject
) -> None:
    TeamWorld(policy, data, each_event, people=True).live()


@pytest.mark.slow
@settings(DRAWN, max_examples=400)  # `make chaos`, which alone runs it, takes five times as many
@given(TEAM_POLICIES | CLAIMING_POLICIES, st.data())
def test_all_of_it_for_longer(policy: Policy, data: st.DataObject) -> None:
    proven = Proven()

    def everything(before: LoopState, fact: f.Input, after: LoopState) -> None:
        for check in (within_limits, proven, each_event):
            check(before, fact, after)

    _replays(TeamWorld(policy, data, everything, people=True).live())


# -- facts that no driver would write ------------------------------------------------------------------------------

HAT = st.sampled_from(("", "h0", "h1", "h2", "gone"))
SERIAL = st.integers(0, 4)
ANY_FACT = st.one_of(
    st.builds(
        f.IterationStarted,
        serial=SERIAL,
        n=SERIAL,
        prompt=st.just(""),
        prompt_chars=st.just(0),
        tree=st.just("t"),
        hat=HAT,
    ),
    st.builds(
        f.IterationEnded,
        serial=SERIAL,
        n=SERIAL,
        how=st.sampled_from(("exited", "exited", "cut", "interrupted")),
        code=st.sampled_from((0, 0, 1)),
        seconds=st.just(1.0),
        tree=st.sampled_from(("base", "t")),
        cause=st.sampled_from(("", "", "context", "idle", "time")),
        said=SAYS,
        structured=st.just(True),
        fault=st.sampled_from(("", "", "quota")),
    ),
    st.builds(f.EventReceived, name=st.just("e"), topic=SAYABLE, payload=PAYLOAD, serial=SERIAL),
    st.builds(
        f.BoardLooked,
        hat=HAT,
        topic=st.just("") | PATTERN,
        folder=st.sampled_from(("work", "next")),
        item=st.sampled_from(("", "i1")),
        there=st.sampled_from(((), ("work",))),
        over=st.booleans(),
        tree=st.sampled_from(("", "t")),
    ),
    st.builds(
        f.ItemGivenUp, item=st.just("i1"), folder=st.just("work"), to=st.just("failed"), reason=st.just("r")
    ),
    st.builds(f.TransitionPassed, serial=SERIAL, tree=st.just("t")),
    st.builds(
        f.GateEnded,
        op=st.sampled_from(("claim:1:tests:as-is", "claim:1:tests:as-is:again", "iteration:1:tests")),
        gate=st.sampled_from(("tests", "lint")),
        purpose=st.sampled_from(("claim", "iteration", "base")),
        variant=st.just("as-is"),
        tree=st.sampled_from(("base", "t")),
        command=st.just("x"),
        code=st.just(0),
        seconds=st.just(1.0),
        passed=st.booleans(),
    ),
    st.builds(f.ClaimInspected, tree=st.sampled_from(("base", "t")), changed=st.just(1)),
    st.builds(
        f.WaitEnded, op=st.sampled_from(("idle:1", "idle:2", "cooldown:1", "ask:1")), elapsed=st.booleans()
    ),
    st.builds(f.WorkspacePrepared, tree=st.just("base")),
    st.builds(f.LoopResumed, run=st.just("r"), answer=st.sampled_from(("", "yes"))),
    st.builds(f.ClaimMade, name=st.just("c"), serial=SERIAL, summary=st.just("s"), evidence=st.just("e")),
    st.builds(
        f.LoopEnded,
        end=st.sampled_from(("completed-verified", "limit", "no-route", "cancelled")),
        reason=st.just("r"),
        code=st.just(1),
    ),
    PEOPLE,
    STOPS,
)


@settings(DRAWN, max_examples=200)
@given(TEAM_POLICIES, st.lists(ANY_FACT, max_size=40))
def test_fold_and_decide_are_total_with_hats_and_nothing_invents_a_verified_end(
    policy: Policy, facts: list[f.Input]
) -> None:
    s = fold(LoopState(), f.LoopStarted(loop="l", task=TASK, policy=policy, root="/r"))
    for fact in facts:
        before, s = s, fold(s, fact)
        wanted = d.decide(s)
        assert wanted or s.progress.open or s.judgement.ended is not None
        for op in wanted:
            if isinstance(op, d.Finish) and op.end == "completed-verified":
                assert s.judgement.claim is not None and not s.judgement.claim.held
                verdict = judge(s, s.judgement.claim)
                assert isinstance(verdict, Verdict) and verdict.what == "verified"
        for id in s.progress.open:
            d.cutoff(s, id)
            d.next_deadline(s, id)
        if s.judgement.ended == "completed-verified" and before.judgement.ended != "completed-verified":
            assert before.judgement.claim is not None
