"""What must hold for every sequence of facts, whatever agents, gates, people and the machine do."""

from __future__ import annotations

from core_world import POLICIES as PLAIN
from core_world import TASK, answer, close
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.model import Team, role_hats
from ralph.core.loop import decide as d
from ralph.core.loop.claims import Verdict, judge
from ralph.core.loop.fold import fold, fold_all
from ralph.core.loop.state import LoopState
from ralph.core.run import RunState, Work, fold_run, schedule

# Personas that only conditions put on are no reason for a loop to go another way.
ROLES = role_hats(
    [
        ("branch_commits >= 2", "reviewer"),
        ("last_iteration_failed", "debugger"),
        ("iterations_since_role('reviewer') >= 3", "documenter"),
        ("task_marked_ready_to_complete", "reviewer"),
    ],
    {},
)
POLICIES = PLAIN | PLAIN.map(lambda policy: replace(policy, team=Team(hats=ROLES)))

STOPS = st.builds(
    f.StopRequested, how=st.sampled_from(["graceful", "now", "interrupt", "cancel"]), by=st.just("x")
)
EVENTS = st.builds(
    f.EventReceived,
    name=st.text(max_size=3),
    topic=st.sampled_from(["a", "human.interact"]),
    payload=st.text(max_size=3),
)
ANY_FACT = st.one_of(
    st.from_type(f.IterationStarted),
    st.from_type(f.IterationEnded).map(lambda x: replace(x, new_commits={"main": (x.commit,)})),
    st.from_type(f.GateStarted),
    st.from_type(f.GateEnded),
    st.from_type(f.ClaimInspected),
    st.from_type(f.Checkpoint),
    st.from_type(f.WaitStarted),
    st.from_type(f.WaitEnded),
    st.from_type(f.WorkspacePrepared),
    st.from_type(f.WorkspaceChanged),
    st.from_type(f.LoopEnded),
    st.from_type(f.Said),
    st.from_type(f.Paused),
    st.from_type(f.Continued),
    st.from_type(f.Answered),
    st.from_type(f.Tick),
    st.from_type(f.Metered),
    STOPS,
    EVENTS,
)
MOST_STEPS = 1500  # far above what any policy drawn here can take


def _live(policy: object, data: st.DataObject, interfere: bool) -> tuple[LoopState, list[f.Input]]:
    """Play a whole loop; returns the state at its end and all that happened."""
    happened: list[f.Input] = [f.LoopStarted(loop="l", task=TASK, policy=policy, root="/r")]  # type: ignore[arg-type]
    s = fold(LoopState(), happened[0])
    for _ in range(MOST_STEPS):
        if s.judgement.ended is not None:
            return s, happened
        wanted = d.decide(s)
        _check_wanted(s, wanted)
        facts: list[f.Input] = []
        unwanted = [op for op in s.progress.open if op not in {w.id for w in wanted}]
        if unwanted:
            facts = close(unwanted[0], s, data.draw, d.cutoff(s, unwanted[0]) or "stop")
        elif interfere and data.draw(st.integers(0, 40)) == 40:
            facts = [data.draw(STOPS | EVENTS)]
        elif interfere and s.progress.open and data.draw(st.integers(0, 20)) == 20:
            # Ralph dies and resumes: what was open is closed as interrupted.
            facts = [x for op in s.progress.open for x in close(op, s, data.draw, "stop")]
            facts.append(f.LoopResumed(run="r2"))
        else:
            facts = answer(wanted[-1], s, data.draw)
        for fact in facts:
            s = fold(s, fact)
            happened.append(fact)
    raise AssertionError(f"no end after {MOST_STEPS} steps")


def _check_wanted(s: LoopState, wanted: tuple[d.Operation, ...]) -> None:
    """Either something is wanted, or something under way is being cut off: never nothing."""
    assert wanted or s.progress.open
    assert len({op.id for op in wanted}) == len(wanted)
    for op in wanted:
        if isinstance(op, d.Wait):
            assert op.what and op.why
            assert (
                0
                <= op.seconds
                <= max(s.identity.policy.limits.max_wait_seconds, s.identity.policy.limits.crash_wait_seconds)
            )


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(POLICIES, st.data())
def test_every_loop_ends(policy: object, data: st.DataObject) -> None:
    state, _ = _live(policy, data, interfere=False)
    assert state.judgement.ended is not None
    assert state.judgement.end_reason


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(POLICIES, st.data())
def test_every_loop_ends_whoever_interferes(policy: object, data: st.DataObject) -> None:
    assert _live(policy, data, interfere=True)[0].judgement.ended is not None


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(POLICIES, st.data())
def test_replaying_the_journal_gives_the_same_state(policy: object, data: st.DataObject) -> None:
    state, happened = _live(policy, data, interfere=True)
    journaled = [fact for fact in happened if not isinstance(fact, f.Tick | f.Metered)]
    replayed = fold_all(f.decode(f.encode(fact)) for fact in journaled)
    assert replayed == state


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(POLICIES, st.data())
def test_verified_only_by_passing_hard_gates_on_the_recorded_tree(
    policy: object, data: st.DataObject
) -> None:
    state, happened = _live(policy, data, interfere=True)
    if state.judgement.ended != "completed-verified":
        return
    _check_verified(state, happened)


def _check_verified(state: LoopState, happened: list[f.Input]) -> None:
    """Looks at the facts alone, not at how the core judges."""
    last = [x for x in happened if isinstance(x, f.IterationEnded) and x.how == "exited"][-1]
    hard = [g for g in state.identity.policy.gates if g.hard]
    assert hard
    assert last.code == 0
    assert last.tree != "base"
    for gate in hard:
        said = [
            x
            for x in happened
            if isinstance(x, f.GateEnded)
            and (x.gate, x.tree, x.variant, x.how) == (gate.name, last.tree, "as-is", "exited")
        ]
        assert said
        assert said[-1].passed


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(POLICIES, st.lists(ANY_FACT, max_size=30))
def test_fold_and_decide_are_total_and_nothing_invents_a_verified_end(
    policy: object, facts: list[f.Input]
) -> None:
    s = fold(LoopState(), f.LoopStarted(loop="l", task=TASK, policy=policy, root="/r"))  # type: ignore[arg-type]
    for fact in facts:
        before = s
        s = fold(s, fact)
        for op in d.decide(s):
            if isinstance(op, d.Finish) and op.end == "completed-verified":
                assert s.judgement.claim is not None
                verdict = judge(s, s.judgement.claim)
                assert isinstance(verdict, Verdict) and verdict.what == "verified"
        for op_id in s.progress.open:
            d.cutoff(s, op_id)
            d.next_deadline(s, op_id)
        if s.judgement.ended == "completed-verified" and before.judgement.ended != "completed-verified":
            assert before.judgement.claim is not None


@given(
    st.lists(st.sampled_from(["a", "b", "c"]), unique=True).map(tuple),
    st.lists(
        st.sampled_from(["completed-verified", "failed", "interrupted", "stuck"]), min_size=3, max_size=3
    ),
)
def test_schedule_runs_every_task_once_one_at_a_time_and_ends(
    tasks: tuple[str, ...], ends: list[f.End]
) -> None:
    from ralph.core.exits import CODES
    from ralph.core.policy import Task

    s = fold_run(RunState(), f.RunStarted(run="r", pid=1, version="", tier="", tasks=tasks))
    started: list[str] = []
    for _ in range(20):
        steps = schedule(s, tasks, Work())
        if any(not hasattr(step, "task") for step in steps):
            break
        for step in steps:
            started.append(step.task)
            loop = f.LoopStarted(loop="l", task=Task(id=step.task, title=""), policy=TASK_POLICY, root="")
            s = fold_run(s, loop, step.task)
        assert len(s.running) <= 1
        if s.running:
            end = ends[len(s.ended) % 3]
            s = fold_run(s, f.LoopEnded(end=end, reason="", code=CODES[end]), s.running[0])
    assert len(started) == len(set(started))
    (last,) = schedule(s, tasks, Work())
    assert not s.running
    if set(ends[: len(s.ended)]) == {"completed-verified"}:
        assert last.code == 0


TASK_POLICY = d.LoopState().identity.policy
