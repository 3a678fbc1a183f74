"""What `ralph emit` refuses at once is what the loop would refuse."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loop_states import loop_state
from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.model import Hat, Team
from ralph.core.hats.routing import refusal as decided
from ralph.core.policy import Policy
from ralph.journal.inbox import refusal
from ralph.runner.hat_notes import told_of_hat

TOPICS = st.sampled_from(
    ["build.done", "build.failed", "review", "LOOP_COMPLETE", "TASK_COMPLETE", "ALL_DONE", "human.interact"]
)
PATTERNS = st.one_of(TOPICS, st.sampled_from(["build.*", "*", "*.done"]))


@given(
    publishes=st.lists(PATTERNS, max_size=4).map(tuple),
    topic=TOPICS,
    enforced=st.booleans(),
    promise=st.sampled_from(["LOOP_COMPLETE", "ALL_DONE"]),
)
def test_the_command_and_the_loop_refuse_the_same(
    publishes: tuple[str, ...], topic: str, enforced: bool, promise: str
) -> None:
    team = Team(
        hats=(Hat(id="builder", triggers=("task.start",), publishes=publishes),),
        enforce_scope=enforced,
        completion_promise=promise,
    )
    s = loop_state(policy=Policy(agent=AgentPolicy(), team=team), hat="builder")
    assert bool(refusal(topic, told_of_hat(s))) == bool(decided(team, team.hats[0], topic))


def test_a_refusal_names_the_hat_and_what_it_may() -> None:
    env = {"RALPH_HAT": "builder", "RALPH_PUBLISHES": "build.done build.*", "RALPH_SCOPE": "enforced"}
    assert refusal("x.y", env) == "refused: the hat builder may not publish x.y; it may: build.done, build.*"


def test_nobody_is_refused_who_wears_no_hat() -> None:
    assert refusal("anything", {"RALPH_SCOPE": "enforced"}) == ""
