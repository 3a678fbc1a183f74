"""`ralph demo --fleet`: one command; a loop continues on another worker, and its work lands."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from serving import RALPH


@pytest.mark.parametrize("database", ["PostgreSQL", "SQLite"])
@pytest.mark.timeout(900)
def test_a_worker_is_killed_half_way_the_other_continues_and_it_lands(tmp_path: Path, database: str) -> None:
    programs, temporary = tmp_path / "bin", tmp_path / "tmp"
    for folder in (programs, temporary):
        folder.mkdir()
    if database == "SQLite":  # a PostgreSQL that cannot be used
        for name in ("initdb", "postgres"):
            (programs / name).write_text("#!/bin/sh\nexit 1\n")
            (programs / name).chmod(0o755)
    environment = {
        "HOME": str(tmp_path),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
    }
    done = subprocess.run([RALPH, "demo", "--fleet"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    first, _, rest = done.stdout.partition("kill -9 ")
    killed = rest.partition(",")[0]
    other = {"ann": "bob", "bob": "ann"}[killed]
    assert f"keeps its tasks in {database}" in first
    assert f"{killed} has the task" in first and "iteration 3/" in first
    assert f"{other} continues the task, from where {killed} was: 2 iterations, 1 rejected claim." in rest
    worked, _, landed = rest.partition("lea merges it with main, and judges the result.")
    assert "gate tests: green" in worked and "gate tests: green" in landed, rest
    assert "The task is complete: landed on main; proven: tests red→green" in landed, rest
    assert "Make `median` in stats.py right" in landed.partition("The last commit on main of the remote:")[2]
    assert rest.partition("1 task, ")[2].partition(" facts: ")[2].startswith("sound\n")
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("other", ["--board", "-v"])
def test_it_is_a_demo_of_its_own(tmp_path: Path, other: str) -> None:
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run([RALPH, "demo", "--fleet", other], env=environment, capture_output=True, text=True)
    assert (done.returncode, f"--fleet and {other} cannot be combined" in done.stderr) == (2, True)
