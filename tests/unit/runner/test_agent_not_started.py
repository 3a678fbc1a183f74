"""An agent that the system does not start is unusable, and the reason is told in plain words."""

from __future__ import annotations

import errno
import os

import pytest

from loop_states import loop_state
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop.decide import RunAgent
from ralph.core.policy import Policy
from ralph.runner.operations.iteration import not_started

OP = RunAgent(id="iteration:1", serial=1, n=1)


@pytest.mark.parametrize(
    ("policy", "error", "told"),
    [
        (AgentPolicy(command=("agent", "-x")), OSError(errno.EAGAIN, "try again"), "agent: try again"),
        (AgentPolicy(backend="scripted"), OSError(errno.EAGAIN, "try again"), "scripted: try again"),
        (AgentPolicy(command=("a",)), OSError(errno.ENOENT, "is not there", "/x/a"), "/x/a: is not there"),
        (
            AgentPolicy(command=("a",)),
            OSError(errno.E2BIG, os.strerror(errno.E2BIG), "a"),
            "the prompt is too long for an argument; set `prompt_mode: stdin`",
        ),
    ],
)
def test_the_reason_is_told(policy: AgentPolicy, error: OSError, told: str) -> None:
    ended = not_started(OP, loop_state(policy=Policy(agent=policy)), error)
    assert (ended.fault, ended.fault_text) == ("unusable", told)
