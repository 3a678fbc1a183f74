"""No agent that is known by name is started in a way in which it would ask somebody for permission."""

from __future__ import annotations

from pathlib import Path

import pytest

from ralph.agents.adapter import AgentTools
from ralph.agents.registry import adapter, programs
from ralph.core.agent_policy import AgentPolicy

NAMES = [name for name, _ in programs()]

WITHOUT_ASKING = {
    "claude": "--dangerously-skip-permissions",
    "codex": "--dangerously-bypass-approvals-and-sandbox",
    "gemini": "--yolo",
    "opencode": "--auto",
    "amp": "--dangerously-allow-all",
    "kiro": "--trust-all-tools",
    "copilot": "--allow-all",
    "pi": "-p",  # it never asks
    "qwen": "--yolo",
    "aider": "--yes-always",
    "roo": "--print",  # it asks with --require-approval only
}


def test_every_known_agent_is_looked_at() -> None:
    assert set(WITHOUT_ASKING) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_started_so_that_it_does_not_ask(tmp_path: Path, name: str) -> None:
    policy = AgentPolicy(backend=name)
    launch = adapter(policy).launch(policy, "do it", tmp_path / "prompt", AgentTools(private=tmp_path))
    assert WITHOUT_ASKING[name] in launch.argv
