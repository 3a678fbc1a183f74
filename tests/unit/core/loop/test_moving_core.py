"""A loop that moved to another machine: where it is, and what its next agent is told."""

from __future__ import annotations

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop.fold import fold_all
from ralph.core.policy import GatePolicy, Policy, Task
from ralph.prompt.compose import _HOW_NOTES

ROOT = "/var/ann/work"
POLICY = Policy(
    agent=AgentPolicy("custom", command=(f"{ROOT}/agent.sh", f"--log={ROOT}/log", f"{ROOT}2/x")),
    fallback=(AgentPolicy("scripted", script=f"{ROOT}/agent.yml", env={"PLACE": ROOT}),),
    gates=(GatePolicy("tests", run="sh test.sh"),),
)
STARTED = f.LoopStarted("l", Task("t", "t"), POLICY, root=ROOT)
MOVED = f.LoopMoved(run="r", epoch=2, root="/srv/bob")
ITERATION = f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="t")
CUT = f.IterationEnded(serial=1, n=1, how="interrupted", code=-9, seconds=3.0, tree="t", cause="stop")


def test_what_the_policy_names_in_the_workspace_is_named_in_the_new_one() -> None:
    policy = fold_all([STARTED, MOVED]).identity.policy
    assert policy.agent.command == ("/srv/bob/agent.sh", "--log=/srv/bob/log", f"{ROOT}2/x")
    assert policy.fallback[0].script == "/srv/bob/agent.yml"
    assert policy.fallback[0].env == {"PLACE": "/srv/bob"}
    assert policy.gates == POLICY.gates


def test_the_next_agent_is_told_that_the_edits_of_the_iteration_before_are_lost() -> None:
    facts = [STARTED, f.WorkspacePrepared(tree="t"), ITERATION, CUT]
    assert "still here" in _HOW_NOTES[fold_all(facts).progress.last_how]
    assert "lost" in _HOW_NOTES[fold_all([*facts, MOVED]).progress.last_how]


def test_a_move_after_an_iteration_that_ended_says_nothing_of_edits() -> None:
    whole = f.IterationEnded(serial=1, n=1, how="exited", code=0, seconds=3.0, tree="t2")
    facts = [STARTED, f.WorkspacePrepared(tree="t"), ITERATION, whole, MOVED]
    assert fold_all(facts).progress.last_how == ""
