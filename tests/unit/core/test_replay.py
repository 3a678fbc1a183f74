"""A recorded loop is decided again: the same at every point, whatever happened; and a changed fact shows."""

from __future__ import annotations

from collections.abc import Callable

from core_world import POLICIES, TASK, World, answer, close, hat, policy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from test_hat_boards import BOARD, GATED

from ralph.core import facts as f
from ralph.core.hats.model import Team
from ralph.core.loop import decide as d
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import LandPolicy, LimitPolicy, Policy
from ralph.core.replay import JournalEntry, Prompted, Replayed, replay

TEAMS = st.sampled_from(
    [
        None,
        BOARD,
        replace(BOARD, max_items=2, persistent=False),
        GATED,
        replace(GATED, gate_on=(), cooldown=5.0, cooldown_always=True),
        Team(
            hats=(hat("a", "task.start", publishes=("b.go",)), hat("b", "b.*", publishes=("LOOP_COMPLETE",)))
        ),
    ]
)
TAGS = st.sampled_from(
    ["", "TASK_COMPLETE", *(f'<event topic="{t}">x</event>' for t in ("build.done", "b.go", "board.rescan"))]
)
PEOPLE = st.sampled_from(
    [
        f.StopRequested(how="graceful", by="x"),
        f.StopRequested(how="now", by="x"),
        f.Paused(name="p"),
        f.Continued(name="c"),
        f.Said(name="s", text="hear"),
        f.EventReceived(name="e", topic="human.interact", payload="which?"),
        f.EventReceived(name="f", topic="board.scan"),
        f.Answered(name="a", text="this one"),
    ]
)
Draw = Callable[[st.SearchStrategy[object]], object]
STEPS = 60


def played(policy_: Policy, data: st.DataObject) -> list[f.AnyFact]:
    """What a journal would have of a loop in which anything happens, also a death and a resume."""
    journal: list[f.AnyFact] = [f.LoopStarted(loop="l", task=TASK, policy=policy_, root="/r")]
    s = fold(LoopState(), journal[0])
    for _ in range(STEPS):
        wanted = d.decide(s)
        if s.judgement.ended is not None or (not wanted and not s.progress.open):
            break
        for fact in happens(s, wanted, data.draw):
            s = fold(s, fact)
            if not isinstance(fact, f.Tick | f.Metered):
                journal.append(fact)
    return journal


def happens(s: LoopState, wanted: tuple[d.Operation, ...], draw: Draw) -> list[f.Input]:
    unwanted = [op for op in s.progress.open if op not in {w.id for w in wanted}]
    if unwanted:
        return close(unwanted[0], s, draw, d.cutoff(s, unwanted[0]) or "stop")
    chance = draw(st.integers(0, 20))
    if chance == 20:
        return [draw(PEOPLE)]  # type: ignore[list-item]
    if chance == 19 and s.progress.open:
        return [*(x for op in s.progress.open for x in close(op, s, draw, "stop")), f.LoopResumed(run="")]
    match wanted[-1]:
        case d.Look(hat=scanner):
            topic = draw(st.sampled_from(["", "work.propose", "work.finish"]))
            there = draw(st.sampled_from([(), ("work",), ("proposed",)]))
            return [f.BoardLooked(hat=scanner, topic=topic, folder="work", item="i", there=there, tree="t1")]  # type: ignore[arg-type]
        case d.PassOn(serial=serial, tree=tree):
            return [f.TransitionPassed(serial=serial, tree=tree)]
        case d.RunAgent(fresh=fresh) as op:
            return [
                replace(x, fresh=fresh) if isinstance(x, f.IterationStarted) else x
                for x in answer(op, s, draw)
            ]
        case op:
            return [
                replace(x, said=draw(TAGS), structured=True)
                if isinstance(x, f.IterationEnded) and s.identity.policy.team
                else x
                for x in answer(op, s, draw)
            ]


def again(journal: list[f.AnyFact], **more: object) -> Replayed:
    return replay((JournalEntry(n, fact) for n, fact in enumerate(journal, 1)), **more)  # type: ignore[arg-type]


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(POLICIES, TEAMS, st.data())
def test_every_journal_is_decided_again_as_it_was(
    policy_: Policy, team: Team | None, data: st.DataObject
) -> None:
    journal = played(replace(policy_, team=team), data)
    found = again(journal)
    assert [step for step in found.steps if not step.same] == []
    begun = (f.IterationStarted, f.GateStarted, f.WaitStarted, f.LoopEnded, f.BoardLooked, f.ClaimInspected)
    assert len(found.steps) >= sum(isinstance(fact, begun) for fact in journal)
    assert found.next or found.state.judgement.ended or found.state.progress.open or not found.state.started


def whole() -> World:
    """Two iterations, a claim rejected, one that passes."""
    world = World(policy(), prepared=False).tell(f.WorkspacePrepared(tree="base")).base()
    world.claim("t1", False).claim("t2", True)
    world.finish()
    return world


def test_a_loop_is_told_step_by_step() -> None:
    found = again(whole().facts)
    assert found.same and found.next == ""
    assert [step.what for step in found.steps][:4] == [
        "prepare",
        "gate tests (base)",
        "iteration 1",
        "gate tests (claim)",
    ]
    assert found.steps[-1].what == "end completed-verified"


def tampered(journal: list[f.AnyFact], kind: type, **changes: object) -> list[f.AnyFact]:
    at = next(n for n, fact in enumerate(journal) if isinstance(fact, kind))
    return [*journal[:at], replace(journal[at], **changes), *journal[at + 1 :]]


def test_each_thing_that_is_compared_shows_when_it_was_changed() -> None:
    journal = whole().facts
    for kind, changes in (
        (f.IterationStarted, {"serial": 5}),
        (f.IterationStarted, {"n": 2}),
        (f.IterationStarted, {"hat": "reviewer"}),
        (f.IterationStarted, {"agent": 1}),
        (f.IterationStarted, {"shift": 1}),
        (f.IterationStarted, {"expand": True}),
        (f.IterationStarted, {"fresh": True}),
        (f.GateStarted, {"gate": "lint"}),
        (f.GateStarted, {"tree": "other"}),
        (f.GateStarted, {"op": "claim:9:tests"}),
        (f.ClaimInspected, {"tree": "other"}),
        (f.LoopEnded, {"end": "stuck"}),
        (f.LoopEnded, {"code": 4}),
        (f.LoopEnded, {"reason": "because"}),
        (f.LoopEnded, {"proof": {}}),
    ):
        found = again(tampered(journal, kind, **changes))
        wrong = [step for step in found.steps if not step.same]
        assert wrong, (kind, changes)
        assert wrong[0].expected != wrong[0].found and wrong[0].expected


def test_a_changed_outcome_shows_in_what_was_begun_after_it() -> None:
    journal = tampered(whole().facts, f.IterationEnded, said="TASK_STUCK: no")
    wrong = next(step for step in again(journal).steps if not step.same)
    assert (wrong.expected, wrong.what) == ("end stuck with 4: no", "gate tests (claim)")


def test_what_is_left_out_of_the_journal_shows() -> None:
    journal = [fact for fact in whole().facts if not isinstance(fact, f.ClaimInspected)]
    wrong = next(step for step in again(journal).steps if not step.same)
    assert wrong.expected.startswith("inspect the claim") and wrong.what == "end completed-verified"


def test_a_wait_and_a_look_are_compared_too() -> None:
    world = World(policy(team=BOARD, gates=()))
    world.tell(f.BoardLooked(hat="scanner", why="no work"))
    rest = world.wants()
    assert isinstance(rest, d.Wait)
    world.tell(f.WaitStarted(op=rest.id, what=rest.what, seconds=rest.seconds))
    assert again(world.facts).same
    assert not again(tampered(world.facts, f.WaitStarted, seconds=1.0)).same
    assert not again(tampered(world.facts, f.BoardLooked, hat="writer")).same


def test_a_soft_limit_is_compared_by_what_the_clock_said() -> None:
    limits = LimitPolicy(iteration_soft_seconds=10.0)
    world = World(policy(gates=(), limits=limits))
    op = world.wants()
    assert isinstance(op, d.RunAgent)
    world.tell(
        f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="base"),
        f.Checkpoint(what="iteration-soft", serial=1, seconds=10.0),
    )
    assert again(world.facts).same
    assert not again(tampered(world.facts, f.Checkpoint, seconds=3.0)).same


def test_a_landing_is_compared_and_the_words_about_a_branch_are_not() -> None:
    land = LandPolicy(how="merge", target="refs/heads/main")
    started = f.LoopStarted(loop="l", task=TASK, policy=policy(land=land), root="/w", home="/r")
    world = World(policy(land=land))
    world.facts, world.state = [], LoopState()
    world.tell(started, f.WorkspacePrepared(tree="base")).base().claim("t1", True)
    op = world.wants()
    assert isinstance(op, d.Land)
    world.tell(
        f.LandingIntended(op=op.id, how="merge", ref="refs/heads/main", commit="c", tree="t1"),
        f.Landed(op=op.id, how="merge", ref="refs/heads/main", commit="c"),
    )
    end = world.wants()
    assert isinstance(end, d.Finish)
    world.tell(f.LoopEnded(end=end.end, reason=f"{end.reason}; kept", code=1, proof=end.proof))
    assert again(world.facts).same
    assert not again(tampered(world.facts, f.Landed, op="land:9")).same


def test_a_loop_that_another_run_set_aside_was_not_decided_upon() -> None:
    journal = whole().facts[:-1]
    entries = [JournalEntry(n, fact, "r1") for n, fact in enumerate(journal, 1)]
    aside = f.LoopEnded(end="cancelled", reason="set aside", code=13)
    found = replay([*entries, JournalEntry(99, aside, "r2")])
    assert found.same and found.steps[-1].note
    assert not replay([*entries, JournalEntry(99, aside, "r1")]).same


def test_a_loop_that_goes_on_says_what_comes_next() -> None:
    world = World(policy()).base()
    assert again(world.facts).next == "iteration 1"


def test_a_prompt_that_is_composed_otherwise_is_a_difference() -> None:
    seen: list[int] = []

    def compose(s: LoopState, op: d.RunAgent, fact: f.IterationStarted) -> Prompted:
        seen.append(op.serial)
        return Prompted(op.serial == 1, "the prompt abc")

    found = again(whole().facts, compose=compose)
    assert seen == [1, 2]
    wrong = [step for step in found.steps if not step.same]
    assert [(step.what, step.expected) for step in wrong] == [("iteration 2", "the prompt abc")]
