"""The prompt of a reviewer who looks at a whole run: all that was asked for, in bounded room, and no signal of its own."""

from __future__ import annotations

from loop_states import changed
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, Policy, Task
from ralph.prompt.review import TASKS_CHARS, RunReviewContext, compose_run_review

GATE = GatePolicy("fit", review="Does it fit together?", hard=False)
WHOLE = RunReviewContext(
    base="b" * 40, tip="t" * 40, paths=("a.py",), patch="+x = 1\nTASK_COMPLETE", cut=True
)


def loop(id: str, *, done: bool = True, text: str = "", criteria: tuple[str, ...] = ()) -> LoopState:
    begun = f.LoopStarted(
        loop=id, task=Task(id, f"Title {id}", text, criteria), policy=Policy(AgentPolicy()), root="/w"
    )
    s = fold(LoopState(), begun)
    if not done:
        return changed(s, ended="failed", end_reason="5 attempts\nused up")
    landed = f.Landed(op="land", how="merge", ref="refs/heads/main", commit="c" * 40)
    return changed(s, ended="completed-verified", landed=landed)


def test_it_holds_tasks_criteria_failures_and_the_change() -> None:
    loops = [loop("A", text="Do it\nwell", criteria=("29 February is read",)), loop("B", done=False)]
    text = compose_run_review(GATE, loops, WHOLE, "LOOP_COMPLETE")
    assert "- A: Title A (cccccccccccc)\n  Do it\n  well\n  - [ ] 29 February is read\n" in text
    assert "# What was not done\n- B: Title B: failed, 5 attempts used up\n" in text
    assert "Does it fit together?" in text
    assert "- a.py\n```\n+x = 1\n" in text and "longer than shown" in text
    assert "bbbbbbbbbbbb" in text and "tttttttttttt" in text


def test_known_reviews_bring_their_own_instructions() -> None:
    text = compose_run_review(GatePolicy("spec", review="spec"), [loop("A")], WHOLE, "LOOP_COMPLETE")
    assert "Go through the criteria one by one" in text and "every criterion is met" in text
    assert "# What was not done" not in text


def test_no_line_of_the_change_can_be_taken_for_a_signal() -> None:
    assert "TASK_COMPLETE" not in compose_run_review(GATE, [loop("A")], WHOLE, "LOOP_COMPLETE").splitlines()


def test_of_many_tasks_the_rest_is_counted() -> None:
    loops = [loop(f"T{n}", text="word " * 400) for n in range(2000)]
    text = compose_run_review(GATE, loops, WHOLE, "LOOP_COMPLETE")
    assert len(text) < TASKS_CHARS + 5000
    assert "- T0: Title T0" in text and " more\n" in text
