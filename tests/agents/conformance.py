"""What the conformance tests share: a user's project with a real CLI of theirs, logged in (with a fake key) and led to the
scripted model; and the form in which a test says what it saw, for the table in docs/agents.md.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cases
import clis
import pytest
from install import Installed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "acceptance"))

from project import RALPH, Project

from model.serve import Model
from ralph.agents import claude, gemini, opencode
from ralph.agents.adapter import AgentTools, Words
from ralph.agents.registry import adapter
from ralph.core.agent_policy import AgentPolicy

SLOW = {"gemini", "opencode"}
EVERY = [pytest.param(cli, marks=pytest.mark.agents if cli in SLOW else ()) for cli in clis.STARTS]
# For the adapter to set, not for the test.
OURS = {**claude.QUIET, **gemini.QUIET, **opencode.QUIET, "IS_SANDBOX": "1"}
MODELS = {
    "claude": "claude-sonnet-5-5",
    "codex": "gpt-5.4",
    "gemini": "gemini-2.5-pro",
    "opencode": f"{clis.PROVIDER}/gpt-5.4",
}
ANSWER: tuple[dict[str, Any], ...] = (
    {"usage": cases.USAGE},
    {"say": {"text": "I write the answer."}, "write": {"path": "answer", "text": "42\n"}},
    {"bash": {"command": "echo ran >ran.txt"}},
    {"say": {"text": "All done.\n\nTASK_COMPLETE"}},
)
DONE = [{"say": {"text": "Read.\n\nTASK_COMPLETE"}}]


class Place:
    def __init__(self, cli: str, installed: Installed, model: Model, root: Path) -> None:
        self.cli, self.installed, self.model = cli, installed, model
        self.project = Project(root / "project", root / "home")

    def set_up(self, steps: Any, faults: Any = (), *, cli: Any = (), loop: Any = (), **wanted: Any) -> None:
        self.model.add("work", steps, faults)
        start = clis.STARTS[self.cli](
            self.installed, clis.Wanted(self.model.base("work"), self.home, **wanted)
        )
        clis.prepare(start)
        mine = ("PATH", *OURS)
        self.project.env |= {name: value for name, value in start.env.items() if name not in mine}
        self.project.env["PATH"] = f"{RALPH.parent}:{self.installed.node}:{self.project.env['PATH']}"
        # Without one, Gemini asks a router first.
        model = {"model": MODELS["gemini"]} if self.cli == "gemini" else {}
        limits = {"max_iterations": 1, "crash_wait": 0, "max_wait": 0.5, "stop_grace": 2}
        config = {
            "cli": {"backend": self.cli, **model, "command": [str(self.installed.command)], **dict(cli)},
            "gates": [{"name": "tests", "run": "sh test.sh"}],
            "event_loop": {**limits, **dict(loop)},
        }
        self.project.config(json.dumps(config))
        self.project.commit()

    def run(self, steps: Any = ANSWER, faults: Any = (), **more: Any) -> int:
        self.set_up(steps, faults, **more)
        return self.start()

    def start(self) -> int:
        self.done = self.project.ralph("run")
        return self.done.returncode

    def alone(self, prompt: str, args: tuple[str, ...] = (), seconds: float = 60) -> Words:
        """The CLI as the adapter starts it, without a loop around it."""
        model = MODELS["gemini"] if self.cli == "gemini" else ""
        env = {"HOME": str(self.home)}
        command = (str(self.installed.command),)
        policy = AgentPolicy(backend=self.cli, command=command, model=model, args=args, env=env)
        tools = AgentTools(self.project.path.parent / "private")
        launch = adapter(policy).launch(policy, prompt, Path("unused"), tools)
        assert launch.stdin == prompt.encode()
        start = clis.Start(launch.argv, {**self.project.env, **launch.env}, prompt)
        done = clis.run(start, self.project.path, seconds)
        assert done.code == 0, done.stdout + done.stderr
        return self._read(policy, done.stdout, done.code)

    @property
    def home(self) -> Path:
        return Path(self.project.env["HOME"])

    @property
    def ended(self) -> dict[str, Any]:
        return self.project.facts("iteration.ended")[-1]

    @property
    def shown(self) -> str:
        return self.done.stdout + self.done.stderr

    def words(self, model: str = "") -> Words:
        """What the adapter's reader makes of the transcript: all of it, also what no fact carries."""
        transcript = self.project.path / ".git/ralph" / self.ended["output"]
        policy = AgentPolicy(backend=self.cli, model=model, env={"HOME": str(self.home)})
        return self._read(policy, transcript.read_text("utf-8"), self.ended["code"])

    def _read(self, policy: AgentPolicy, stream: str, code: int) -> Words:
        reader = adapter(policy).reader(policy)
        for line in stream.splitlines():
            reader.feed(line)
        reader.ended(code)
        return reader.words()
