"""`ralph doctor`: what is wrong is found, with how to mend it, and nothing is changed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from project import Project, contents, end_processes, only, until

from ralph.sandbox.bwrap import usable
from ralph.setup.project import agent_names, known_agents

needs_bwrap = pytest.mark.skipif(bool(usable(False)), reason=usable(False) or "never")


def findings(project: Project, **how: Any) -> list[dict[str, Any]]:
    done = project.ralph("doctor", "--json", **how)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert done.returncode == (0 if all(one["ok"] for one in found) else 2), done.stdout
    assert all(one["mend"] for one in found if one["level"] == "fix"), "each says how to mend it"
    return found


def about(found: list[dict[str, Any]], what: str) -> list[tuple[str, str]]:
    return [(one["level"], one["text"]) for one in found if one["what"] == what]


def program(folder: Path, name: str, body: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


def test_it_looks_at_everything_and_changes_nothing(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    before = contents(project.path)
    found = findings(project)
    assert {one["what"] for one in found} >= {
        *("python", "git", "processes", "sandbox", "agents", "terminal"),
        *("workspace", "state", "disk", "journal", "config"),
    }
    assert all(one["ok"] for one in found)
    ((level, text),) = about(found, "journal")
    assert level == "ok" and "records" in text
    configured = about(found, "sandbox")[-1]
    assert configured == ("note", "not configured: agents and gates have your rights")
    assert contents(project.path) == before


def test_agents_are_asked_for_their_versions(project: Project, tmp_path: Path) -> None:
    bin = tmp_path / "bin"
    program(bin, "claude", 'read line && exit 9; echo "2.1.9 (Claude Code)"')
    program(bin, "codex", "sleep 600 & wait")
    program(bin, "gemini", r"printf 'no \033[31mnode\n'; exit 1")
    program(bin, "opencode", f"echo 1.2.3 in $PWD; touch {tmp_path}/asked")
    project.env["PATH"] = f"{bin}:{project.env['PATH']}"
    project.env["DOCTOR_TEST"] = "asked-codex"
    found = findings(project)
    assert {("ok", "claude 2.1.9"), ("ok", "opencode 1.2.3")} <= set(about(found, "agents"))
    slow, broken = (text for level, text in about(found, "agents") if level == "note")
    assert slow == "codex does not say its version within 5 s"
    assert broken.startswith("gemini does not say its version: no ")
    assert all(one["ok"] for one in found), "an agent that nobody configured is no fault"
    until(lambda: not _sleeping("asked-codex"), "what it started is gone")
    assert "\033" not in project.ralph("doctor").stdout


def test_doctor_and_init_look_for_the_same_agents(project: Project, tmp_path: Path) -> None:
    (project.path / "ralph.yml").unlink()
    bin = only(tmp_path / "bin", "git", "sh", "cat")
    env = {"PATH": str(bin)}
    ((level, text),) = about(findings(project, env=env), "agents")
    assert (level, text) == ("note", f"none of {agent_names()} is on PATH")
    for agent in known_agents():
        program(bin, agent.program, "echo 1.2.3")
    assert about(findings(project, env=env), "agents") == [
        ("ok", f"{name} 1.2.3") for name in agent_names().split(", ")
    ]


def _sleeping(mark: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_text())
        except OSError:
            continue
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to another user")
def test_a_repository_of_another_user_says_how_to_trust_it(project: Project) -> None:
    os.chown(project.path, 12345, 12345)
    os.chown(project.path / ".git", 12345, 12345)
    found = findings(project)
    ((level, text),) = about(found, "workspace")
    assert level == "fix" and "belongs to another user" in text
    (mend,) = (one["mend"] for one in found if one["what"] == "workspace")
    subprocess.run(mend.removeprefix("Run: "), shell=True, check=True, env=project.env)
    assert about(findings(project), "workspace")[0][0] == "ok"


def test_a_damaged_journal_must_be_mended(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    journal = project.path / ".git/ralph/journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], lines[1].replace(b"loop", b"pool", 1), *lines[2:]]))
    ((level, text),) = about(findings(project), "journal")
    assert level == "fix" and "damaged at line 2" in text


def test_a_torn_tail_is_no_fault(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    with open(project.path / ".git/ralph/journal.jsonl", "ab") as file:
        file.write(b'{"seq":')
    ((level, text),) = about(findings(project), "journal")
    assert level == "note" and "torn" in text


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such processes cannot be found")
def test_a_dead_run_and_what_it_left_are_found(project: Project) -> None:
    project.agent("touch $HOME/begun; until [ -e $HOME/go ]; do sleep 0.02; done")
    project.commit()
    run = project.start("run")
    until(lambda: project.mark("begun"), "the agent works")
    assert ("note", f"one is under way (pid {run.pid})") in about(findings(project), "run")
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    started = project.facts("run.started")[-1]["run"]
    left = subprocess.Popen(["sleep", "600"], env=project.env | {"RALPH_RUN": started})
    try:
        until(
            lambda: f"processes: {left.pid} sleep" in str(about(findings(project), "run")), "only it is left"
        )
        found = findings(project)
        ((level, text),) = about(found, "run")
        assert level == "fix" and text == f"run {started} died and left processes: {left.pid} sleep"
        assert about(found, "lock") == [
            ("note", f"{project.path / '.ralph.lock'} names {run.pid}, which is dead")
        ]
    finally:
        left.kill()
        left.wait()
        end_processes(started)
    assert about(findings(project), "run") == [("note", f"run {started} died")]


def test_a_lock_that_is_none_stops_a_run_and_is_found(project: Project) -> None:
    project.write(".ralph.lock", "mine, do not touch\n")
    assert project.ralph("run").returncode == 2
    ((level, text),) = about(findings(project), "lock")
    assert level == "fix" and "holds no process id" in text


def test_warnings_of_the_configuration_are_notes(project: Project) -> None:
    project.config("cli: {command: ./agent.sh, prompt_flag: '-p'}\ngates: none\n")
    found = findings(project)
    assert ("note", "ralph.yml:1: cli.prompt_flag: is used only with prompt_mode: arg or file") in about(
        found, "config"
    )
    assert all(one["ok"] for one in found)


def test_without_a_configuration_it_says_how_to_get_one(project: Project) -> None:
    (project.path / "ralph.yml").unlink()
    ((level, text),) = about(findings(project), "config")
    assert (level, text) == ("note", "there is no ralph.yml here")


def test_a_temporary_folder_that_cannot_be_used_is_named(project: Project, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    found = findings(project, env={"TMPDIR": str(gone)})
    assert ("note", f"TMPDIR={gone} cannot be used") in about(found, "disk")
    assert str(tmp_path / "tmp") in str(about(findings(project), "disk")), "the one that is used is looked at"


@needs_bwrap
def test_what_the_configured_sandbox_gives_is_told(project: Project) -> None:
    netrc = Path(project.env["HOME"], ".netrc")
    netrc.write_text("machine x")
    project.config(
        "cli: {command: ./agent.sh}\ngates: none\nsandbox: {kind: bwrap, network: none, credentials: [.netrc]}\n"
    )
    possible, configured = about(findings(project), "sandbox")
    assert possible == ("ok", "bubblewrap works: `sandbox: bwrap` confines agents and gates")
    assert configured[0] == "ok"
    assert "no network" in configured[1] and "of your home custom sees ~/.netrc" in configured[1]
    netrc.unlink()
    (_, (level, text)) = about(findings(project), "sandbox")
    assert (level, text) == ("fix", f"sandbox.credentials: there is no {netrc}")


def test_without_bubblewrap_a_configured_sandbox_must_be_mended(project: Project, tmp_path: Path) -> None:
    project.config("cli: {command: ./agent.sh}\ngates: none\nsandbox: bwrap\n")
    env = {"PATH": str(only(tmp_path / "bin", "git", "sh", "cat"))}
    possible, configured = about(findings(project, env=env), "sandbox")
    assert possible == ("note", "`sandbox: bwrap` cannot work here: bubblewrap is not installed")
    assert configured[0] == "fix" and "bubblewrap is not installed" in configured[1]


def test_variables_that_are_held_back_are_named_but_not_their_values(project: Project) -> None:
    env = {"DATABASE_URL": "postgres://secret-place", "OPENAI_API_KEY": "k", "CARGO_HOME": "/c"}
    found = findings(project, env=env)
    assert about(found, "variables") == [
        ("note", "not for the agent custom: DATABASE_URL"),
        ("note", "not for gates: DATABASE_URL, OPENAI_API_KEY"),
    ]
    assert "secret-place" not in str(found)
    project.config('cli: {command: ./agent.sh}\ngates: none\nenv_allow: ["*"]\n')
    assert [level for level, _ in about(findings(project, env=env), "variables")] == ["ok", "ok"]


def test_a_pipe_gets_no_colours_and_says_ok_note_or_fix(project: Project) -> None:
    project.config("cli: {comand: x}\n")
    done = project.ralph("doctor")
    assert done.returncode == 2
    marks = {line[:4].strip() for line in done.stdout.splitlines()} - {""}
    assert marks == {"ok", "note", "FIX"}
    assert "\033" not in done.stdout
