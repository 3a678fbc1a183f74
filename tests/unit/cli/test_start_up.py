"""How much of Ralph is imported before the agent runs: `make bench` shows what that costs, here is what keeps it low."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

MOST = 165
AGENT = "#!/bin/sh\ncp imports imports-at-start\necho ITERATION_DONE\n"


def test_a_prompt_s_agent_starts_before_most_of_ralph_is_imported(tmp_path: Path) -> None:
    (tmp_path / "agent.sh").write_text(AGENT)
    (tmp_path / "agent.sh").chmod(0o755)
    (tmp_path / "ralph.yml").write_text(
        "cli: {command: ./agent.sh}\ngates: [{name: check, run: 'true'}]\nevent_loop: {max_iterations: 1}\n"
    )
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith("RALPH_")}
    with open(tmp_path / "imports", "w") as errors:  # `python -v` names there what it imports
        subprocess.run(
            [sys.executable, "-v", "-m", "ralph", "run", "-p", "Do nothing.", "--in-place"],
            cwd=tmp_path,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
    told = (tmp_path / "imports-at-start").read_text()
    modules = re.findall(r"^import '(ralph[\w.]*)'", told, re.MULTILINE)
    assert "import 'jinja2" not in told, "only a report needs it"
    assert "ralph.runner.run" in modules
    assert len(modules) <= MOST, sorted(modules)
