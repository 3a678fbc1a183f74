"""What a configuration says literally does not reach whoever looks at it."""

from __future__ import annotations

import msgspec
import pytest

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.model import Hat, Team
from ralph.core.policy import GatePolicy, NotifyPolicy, Policy, Task
from ralph.core.secrets import masked

AGENT = AgentPolicy(command=("agent", "--fast"), env={"API_KEY": "s3cret"})
POLICY = Policy(
    agent=AGENT,
    gates=(GatePolicy(name="tests", run="true"), GatePolicy(name="spec", review="spec", agent=AGENT)),
    notify=(NotifyPolicy(run="mail me"), NotifyPolicy(url="tgram://s3cret/chat", when=("block",))),
)


def test_a_policy_keeps_all_but_its_secrets() -> None:
    shown = masked.policy(POLICY)
    assert "s3cret" not in repr(shown)
    assert shown.agent.env == {"API_KEY": "***"} and shown.agent.command == ("agent", "--fast")
    assert shown.gates[1].agent == shown.agent and shown.gates[0] == POLICY.gates[0]
    assert shown.notify == (POLICY.notify[0], NotifyPolicy(url="tgram://***", when=("block",)))


def test_agents_of_hats_and_those_who_take_over_keep_their_secrets_too() -> None:
    whole = msgspec.structs.replace(
        POLICY, fallback=(AGENT,), team=Team(hats=(Hat("a", agent=AGENT), Hat("b", triggers=("x",))))
    )
    shown = masked.policy(whole)
    assert "s3cret" not in repr(shown)
    assert shown.team and whole.team and shown.team.hats[1] == whole.team.hats[1]
    assert shown.team.hats[0].agent == shown.fallback[0] == shown.agent
    assert masked.policy(msgspec.structs.replace(POLICY, team=Team())).team == Team()


def test_the_fact_of_a_loops_start_is_masked_and_what_is_unknown_stays() -> None:
    started = f.LoopStarted(loop="l1", task=Task(id="t", title="T"), policy=POLICY, root="/x")
    data = msgspec.json.decode(f.encode(started)) | {"later": 1}
    shown = masked.fact("loop.started", msgspec.Raw(msgspec.json.encode(data)))
    assert b"s3cret" not in bytes(shown)
    found = msgspec.json.decode(shown)
    assert found["later"] == 1 and found["root"] == "/x"
    assert f.decode(shown) == msgspec.structs.replace(started, policy=masked.policy(POLICY))


def test_other_facts_are_left_alone() -> None:
    data = msgspec.Raw(f.encode(f.RunEnded(run="r", code=0)))
    assert masked.fact("run.ended", data) is data


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("json://user:s3cret@host/x", "json://***"),
        ("slack://${SLACK_TOKEN}/$CHANNEL", "slack://${SLACK_TOKEN}/$CHANNEL"),
        ("slack://${SLACK_TOKEN}/s3cret", "slack://***"),
        ("slack://${SLACK_TOKEN:-s3cret}", "slack://***"),
        ("$NOTIFY_URL", "$NOTIFY_URL"),
        ("s3cret", "***"),
        ("s3cret s3cret://x", "***"),
    ],
)
def test_of_an_address_only_its_kind_and_its_variables_are_shown(url: str, shown: str) -> None:
    assert masked.address(url) == shown
