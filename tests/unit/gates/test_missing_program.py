"""What a gate's command lacks: named when no work on the task could bring it, with what was probably meant."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ralph.gates.kinds import Surroundings
from ralph.gates.missing_program import missing_program, nearest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".venv/bin").mkdir(parents=True)
    (root / "sub").mkdir()
    program(root / ".venv/bin/flake9")
    program(root / "old.sh", "#!/opt/gone/bin/python3\n")
    program(root / "env.sh", "#!/usr/bin/env pytohn3\n")
    (root / "plain.sh").write_text("exit 0\n")
    (root / "calls.sh").write_text("pytset\n")
    (root / "package.json").write_text('{"scripts": {"test": "exit 0", "lint": "exit 0"}}')
    (root / "Makefile").write_text("CC := cc\ntest:\n\ttrue\nbroken:\n\tpytset\n")
    return root


def program(path: Path, text: str = "#!/bin/sh\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def found(command: str, root: Path) -> str:
    """What is said of this command after it was really run."""
    for name in ("pytest", "python3"):
        if not (root.parent / "bin" / name).exists():
            program(root.parent / "bin" / name, '#!/bin/sh\nexec /usr/bin/env -i /usr/bin/python3 "$@"\n')
    path = f"{root.parent / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    ran = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=root,
        env={"PATH": path, "LANG": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ran.returncode, ran.stdout
    return missing_program(command, ran.returncode, ran.stdout, Surroundings(root, root, path))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("pytset", "there is no program `pytset` on PATH; did you mean `pytest`?"),
        ("cd sub && pytset -q", "did you mean `pytest`?"),
        ("CI=1 timeout 9s pytset", "did you mean `pytest`?"),
        ("if true; then pytset; fi", "did you mean `pytest`?"),
        ("ls >/dev/null && zzqxv-runner", "there is no program `zzqxv-runner` on PATH"),
        ("python3 -V && pytset", "did you mean `pytest`?"),
        ("flake9", "`flake9` is not on PATH, but in .venv/bin: write `.venv/bin/flake9`"),
        (".venv/bin/falke9", "there is no `.venv/bin/falke9`; did you mean `.venv/bin/flake9`?"),
        ("/opt/gone/bin/tool", "there is no `/opt/gone/bin/tool`"),
        ("./plain.sh", "`./plain.sh` is not executable; `chmod +x ./plain.sh`"),
        ("./sub", "`./sub` is a folder"),
        ("./old.sh", "the interpreter of `./old.sh` is not there: /opt/gone/bin/python3; did you mean"),
        ("./env.sh", "the interpreter of `./env.sh` is not there: pytohn3; did you mean `python3`?"),
        ("python3 -m pytset -q", "Python has no module `pytset`; did you mean `pytest`?"),
        ("make tset", "the Makefile has no target `tset`; did you mean `test`?"),
    ],
)
def test_what_no_work_could_bring_is_named_with_what_was_meant(
    command: str, said: str, project: Path
) -> None:
    assert said in found(command, project)


@pytest.mark.parametrize(
    "command",
    [
        "./check.sh",  # the task may write it
        "sh check.sh",
        "bin/tool --all",
        "sub/run.sh",
        "sh calls.sh",  # a file of the project calls what is missing: the agent can correct it
        "make broken",
        "python3 -m calc",
        "python3 -m builder",
        "make deploy",
        "cp plain.sh zzqxv && zzqxv",  # the command makes it first
        "PATH=$PWD/bin:$PATH zzqxv-tool",
        "runs() { exit 127; }; runs",
        "exit 127",
        "false",
    ],
)
def test_what_the_task_may_bring_is_not_missing(command: str, project: Path) -> None:
    assert found(command, project) == ""


@pytest.mark.parametrize(
    ("command", "output", "said"),
    [
        ("cargo tset", "error: no such command: `tset`", "cargo has no command `tset`; did you mean `test`?"),
        (
            "cargo nextest run",
            "error: no such command: `nextest`",
            "cargo has no command `nextest`; install it",
        ),
        ("cargo xtask", "error: no such command: `xtask`", ""),
        ("go tset ./...", "go tset: unknown command\nRun 'go help'", "did you mean `test`?"),
        ("uv run pytset", "error: Failed to spawn: `pytset`", "did you mean `pytest`?"),
        ("poetry run pytset", "Command not found: pytset", "did you mean `pytest`?"),
        ("python3 -m pytest", "/usr/bin/python3: No module named pytest", "install it where the gate runs"),
        ("pip install -e . && python3 -m pytest", "/usr/bin/python3: No module named pytest", ""),
        ("python3 -m pytest", "E  ModuleNotFoundError: No module named 'pytset'", ""),
        ("npm run tset", 'npm error Missing script: "tset"', "no script `tset`; did you mean `test`?"),
        ("npm run deploy", 'npm error Missing script: "deploy"', ""),
        ("yarn tset", 'error Command "tset" not found.', "did you mean `test`?"),
    ],
)
def test_programs_that_lack_what_they_were_asked_to_run(
    command: str, output: str, said: str, project: Path
) -> None:
    why = missing_program(command, 1, output, Surroundings(project, project, ""))
    assert said in why
    assert bool(said) == bool(why)


def test_a_name_of_the_projects_own_is_not_taken_for_a_slip() -> None:
    assert nearest("pytset", ("pytest", "tset", "python")) == "pytest"
    assert nearest("mpyy", ("mypy", "py")) == "mypy"
    assert nearest("zzqxv", ("pytest", "ls")) == ""
