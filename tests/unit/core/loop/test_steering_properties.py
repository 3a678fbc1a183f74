"""Whatever people say, pause, continue and answer, whenever: a loop ends, or is in a wait that has a name and a way out."""

from __future__ import annotations

from core_world import POLICIES, TASK, answer, close
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.loop import steering
from ralph.core.loop.fold import fold, fold_all
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy

NAMES = st.sampled_from(["1", "2", "3", "4"])
ASKS = st.sampled_from(
    ["Which?", '{"question": "Q", "default": "d", "deadline_seconds": 9}', '{"question": "Q", "timeout": 9}']
)
PEOPLE = st.one_of(
    st.builds(f.Said, name=NAMES, text=st.text(max_size=3), hat=st.sampled_from(["", "", "x"])),
    st.builds(f.Paused, name=NAMES, by=st.just("p"), now=st.booleans()),
    st.builds(f.Continued, name=NAMES),
    st.builds(f.Answered, name=NAMES, text=st.text(max_size=3)),
    st.builds(f.EventReceived, name=NAMES, topic=st.just("human.interact"), payload=ASKS),
    st.builds(
        f.StopRequested, how=st.sampled_from(["graceful", "now", "interrupt", "cancel"]), by=st.just("p")
    ),
)
MOST_STEPS = 2500
MOST_WISHES = (
    60  # a person who never stops talking can keep a loop from its end for ever: that is their right
)


def _live(policy: Policy, data: st.DataObject) -> tuple[LoopState, list[f.Input]]:
    happened: list[f.Input] = [f.LoopStarted(loop="l", task=TASK, policy=policy, root="/r")]
    s = fold(LoopState(), happened[0])
    wishes = 0
    for _ in range(MOST_STEPS):
        if s.judgement.ended is not None:
            return s, happened
        wanted = d.decide(s)
        _check(s, wanted)
        unwanted = [op for op in s.progress.open if op not in {w.id for w in wanted}]
        if unwanted:
            facts = close(unwanted[0], s, data.draw, d.cutoff(s, unwanted[0]) or "stop")
        elif wishes < MOST_WISHES and data.draw(st.integers(0, 6)) == 6:
            wishes += 1
            facts = [data.draw(PEOPLE)]
        elif s.progress.open and data.draw(st.integers(0, 20)) == 20:
            facts = [x for op in s.progress.open for x in close(op, s, data.draw, "stop")]
            facts.append(f.LoopResumed(run="r2"))
        elif any(op.startswith(steering.PAUSE) for op in s.progress.open):
            facts = [f.Continued(name="9")]
        else:
            facts = _happens(wanted[-1], s, data)
        for fact in facts:
            s = fold(s, fact)
            happened.append(fact)
    raise AssertionError(f"no end after {MOST_STEPS} steps")


def _happens(op: d.Operation, s: LoopState, data: st.DataObject) -> list[f.Input]:
    facts = answer(op, s, data.draw)
    if isinstance(op, d.RunAgent) and isinstance(facts[0], f.IterationStarted):
        started = {name: getattr(facts[0], name) for name in facts[0].__struct_fields__}
        names = tuple(say.name for say in steering.heard(s, op.hat))
        return [f.IterationStarted(**(started | {"heard": names}))]
    return facts


def _check(s: LoopState, wanted: tuple[d.Operation, ...]) -> None:
    assert wanted or s.progress.open
    for op in wanted:
        if isinstance(op, d.Wait):
            assert op.what and op.why
            if op.what == "pause":
                assert s.people.pause is not None and not s.people.stop
            if op.what == "answer":
                assert s.people.question is not None and 0 < op.seconds <= steering.LONGEST_ASK
    for op_id, running in s.progress.open.items():
        if running.what == "wait" and s.people.stop:
            assert d.cutoff(s, op_id), "every wait can be ended"


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(POLICIES, st.data())
def test_every_loop_ends_whatever_people_want_of_it(policy: Policy, data: st.DataObject) -> None:
    state, happened = _live(policy, data)
    assert state.judgement.ended is not None
    journaled = [fact for fact in happened if not isinstance(fact, f.Tick | f.Metered)]
    assert fold_all(f.decode(f.encode(fact)) for fact in journaled) == state


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(POLICIES, st.data())
def test_what_was_said_is_read_by_an_iteration_that_lived_or_still_waits(
    policy: Policy, data: st.DataObject
) -> None:
    state, happened = _live(policy, data)
    read: dict[str, set[int]] = {}
    lived = {x.serial for x in happened if isinstance(x, f.IterationEnded) and x.how != "interrupted"}
    said: list[f.Said] = []
    for x in happened:
        if isinstance(x, f.Said):
            said.append(x)
        elif isinstance(x, f.IterationStarted):
            for name in x.heard:
                read.setdefault(name, set()).add(x.serial)
    waiting = {say.name for say in state.people.says}
    for x in said:
        assert x.name in waiting or read.get(x.name, set()) & lived
