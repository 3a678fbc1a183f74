"""What is sent of a policy, and what the next worker makes of it."""

from __future__ import annotations

import msgspec

from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.model import Hat, Team
from ralph.core.policy import GatePolicy, NotifyPolicy, Policy
from ralph.core.secrets.masked import filled, is_masked, sent

SECRET = "s3cret"


def policy(secret: str) -> Policy:
    agent = AgentPolicy("claude", args=("--key", secret), env={"KEY": secret})
    return Policy(
        agent=agent,
        fallback=(agent, AgentPolicy("codex")),
        gates=(GatePolicy("look", review="spec", agent=agent), GatePolicy("tests", run="make test")),
        team=Team(hats=(Hat("writer", agent=agent),)),
        notify=(NotifyPolicy(url=f"https://x/{secret}"),),
    )


def test_no_environment_argument_or_address_is_sent() -> None:
    seen = sent(policy(SECRET))
    data = msgspec.json.encode(seen)
    assert SECRET.encode() not in data and is_masked(data)
    assert seen.agent.env.keys() == {"KEY"}
    assert seen.gates[1] == policy(SECRET).gates[1]


def test_the_next_worker_fills_in_what_is_written_there() -> None:
    assert filled(sent(policy(SECRET)), policy("other")) == policy("other")


def test_what_is_not_written_there_any_more_is_empty() -> None:
    found = filled(sent(policy(SECRET)), Policy(agent=AgentPolicy("claude")))
    assert (found.agent.args, found.agent.env) == ((), {"KEY": ""})
    assert not is_masked(msgspec.json.encode(found))


def test_a_policy_without_secrets_is_sent_as_it_is() -> None:
    plain = Policy(agent=AgentPolicy("codex"))
    assert sent(plain) == plain
