"""A user's project in which several real CLIs are at hand, all logged in (with fake keys) and led to the scripted model.

What an iteration does may depend on its number: the scripted model lets the agent run `./step.sh`, which the test writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import clis
from install import Installed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "acceptance"))

from project import RALPH, Project

from model.log import Logged
from model.serve import Model
from ralph.agents import claude, gemini, opencode

LEFT_TO_ADAPTERS = ("PATH", "IS_SANDBOX", *claude.QUIET, *gemini.QUIET, *opencode.QUIET)
CLAIM = {"say": {"text": "All done.\n\nTASK_COMPLETE"}}
STEP = {"bash": {"command": "sh step.sh"}}
LOOP = {"max_iterations": 8, "crash_wait": 0, "stop_grace": 2}


class Loop:
    """`script(cli, ...)` says what the model does for one CLI; the first CLI that is set up is the loop's agent."""

    def __init__(self, root: Path, model: Model, installed: Mapping[str, Installed]) -> None:
        self.model, self.installed = model, installed
        self.project = Project(root / "project", root / "home")
        bins = [f"{cli.command.parent}:{cli.node}" for cli in installed.values()]
        self.project.env["PATH"] = ":".join((str(RALPH.parent), *bins, self.project.env["PATH"]))

    def script(self, cli: str, steps: Iterable[Any] = (), faults: Iterable[Any] = (), **wanted: Any) -> None:
        self.model.add(cli, steps, faults)
        home = Path(self.project.env["HOME"])
        start = clis.STARTS[cli](self.installed[cli], clis.Wanted(self.model.base(cli), home, **wanted))
        clis.prepare(start)
        self.project.env |= {name: value for name, value in start.env.items() if name not in LEFT_TO_ADAPTERS}

    def configure(self, agent: str, *, model: str = "", loop: Mapping[str, Any] = LOOP, **more: Any) -> None:
        config = {
            "cli": {"backend": agent, **({"model": model} if model else {})},
            "gates": [{"name": "tests", "run": "sh test.sh"}],
            "event_loop": {**LOOP, **loop},
        }
        self.project.config(json.dumps({**config, **more}))
        self.project.commit()

    def run(self, *arguments: str) -> CompletedProcess[str]:
        return self.project.ralph("run", *arguments)

    def asked(self, cli: str) -> list[Logged]:
        """The requests for the work of this CLI, in order, without those that the model refused."""
        return self.model.requests(cli)

    def ended(self) -> list[dict[str, Any]]:
        return self.project.facts("iteration.ended")
