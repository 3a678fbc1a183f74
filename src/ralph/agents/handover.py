"""How adapters hand things over without touching the user's settings: private files, and a quiet environment."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from ralph.core.policy import AgentPolicy

HOOK_SECONDS = 30


def private_file(folder: Path, name: str, text: str) -> Path:
    """A file that only the user can read, in the iteration's own folder: it may hold the iteration's token."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / name
    with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)
    return path


def hooks(command: tuple[str, ...]) -> dict[str, list[dict[str, Any]]]:
    """Which of an agent CLI's hooks call back, in the form that Claude Code and Codex share. After its context was compacted
    an agent can be told to wrap up; before, it cannot."""

    def call(name: str, **more: str) -> list[dict[str, Any]]:
        hook = {"type": "command", "command": shlex.join((*command, name)), "timeout": HOOK_SECONDS}
        return [{**more, "hooks": [hook]}]

    return {
        "PreCompact": call("pre-compact"),
        "SessionStart": call("pre-compact", matcher="compact"),
        "Stop": call("stop"),
    }


def environment(ours: dict[str, str], policy: AgentPolicy) -> dict[str, str]:
    """What the user has set, in the configuration or around Ralph, is stronger."""
    return {**{name: os.environ.get(name, value) for name, value in ours.items()}, **policy.env}
