"""An iteration's surroundings: a workspace, an inbox, the environment; and `ralph mcp` in this process or its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from ralph.agent_tools.mcp_server import Session
from ralph.agent_tools.mcp_tools import McpTools
from ralph.agent_tools.requests import Caller
from ralph.journal import inbox

RALPH = str(Path(sys.executable).with_name("ralph"))
TASK = "tidy-up"


class World:
    def __init__(self, path: Path) -> None:
        self.root = path / "workspace"
        self.notes = self.root / ".ralph/agent"
        self.state = path / "state"
        self.complaints: list[str] = []
        (self.root / ".git").mkdir(parents=True)
        self.env = {
            "RALPH_STATE": str(self.state),
            "RALPH_LOOP": "loop-1",
            "RALPH_TASK": TASK,
            "RALPH_RUN": "run-1",
            "RALPH_ITERATION": "3",
            "RALPH_SCRATCHPAD": str(self.notes / "scratchpad.md"),
            "RALPH_TOKEN": "secret",
        }

    def without(self, name: str) -> World:
        del self.env[name]
        return self

    def session(self, cwd: Path | None = None) -> Session:
        return Session(McpTools(Caller(self.env, str(cwd or self.root)), self.env), self.complaints.append)

    def call(self, name: str, **arguments: Any) -> str:
        """What a tool that worked says."""
        text, wrong = self.result(name, arguments)
        assert not wrong, text
        return text

    def refused(self, name: str, **arguments: Any) -> str:
        text, wrong = self.result(name, arguments)
        assert wrong, text
        return text

    def result(self, name: str, arguments: Any, session: Session | None = None) -> tuple[str, bool]:
        request = {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
        answer = ask(session or self.session(), request)
        assert [part["type"] for part in answer["result"]["content"]] == ["text"]
        return answer["result"]["content"][0]["text"], answer["result"]["isError"]

    def messages(self) -> list[dict[str, object]]:
        """What the driver would take from the inbox."""
        found, bad = inbox.take(str(self.state / "inbox"))
        assert bad == []
        return [message for _, message in found]

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [RALPH, "mcp"],
            cwd=self.root,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def ask(session: Session, message: dict[str, Any], id: int | str = 1) -> dict[str, Any]:
    answer = session.answer(json.dumps({"jsonrpc": "2.0", "id": id} | message).encode())
    assert answer is not None
    found: dict[str, Any] = json.loads(answer)
    assert found["id"] == id
    assert found["jsonrpc"] == "2.0"
    return found
