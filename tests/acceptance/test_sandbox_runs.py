"""`sandbox: bwrap` in whole runs: what agents and gates try does not succeed, the loop ends properly and tells; where no
sandbox can be made, nothing runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
from project import CONFIG, Project, only, processes_with, until

from ralph.sandbox.bwrap import usable

ATTACKS = Path(__file__).with_name("attacks_inside.py")
KEY = "the private key of a person"
needs_bwrap = pytest.mark.skipif(bool(usable()), reason=usable() or "never")


def attacked(project: Project, tmp_path: Path) -> dict[str, str]:
    home = Path(project.env["HOME"])
    (home / ".ssh").mkdir()
    (home / ".ssh/id_rsa").write_text(KEY)
    (home / "victim.txt").write_text("untouched")
    (tmp_path / "private.txt").write_text("private")
    project.write("kept/file", "1\n")
    shutil.copy(ATTACKS, project.path / "attacks.py")
    told = {"home": str(home), "first": project.git("rev-parse", "HEAD")}
    project.write("told.json", json.dumps(told))
    project.write("test.sh", f'{sys.executable} attacks.py gate told.json; test "$(cat answer)" = 42\n')
    project.agent(
        f"[ $RALPH_ITERATION = 1 ] && {sys.executable} attacks.py agent told.json\n"
        "[ $RALPH_ITERATION = 2 ] && echo 42 > answer\necho TASK_COMPLETE"
    )
    project.config(CONFIG + "sandbox: bwrap\n")
    project.commit("second")
    return told


# The repository of a clean checkout is the gate's own: that the user's is untouched is seen outside.
OWN_REPOSITORY = {"move_a_ref", "make_a_branch", "commit", "write_a_hook", "replace_git"}


@needs_bwrap
@pytest.mark.parametrize("where", ["checkout", "folder"])
def test_no_attack_succeeds_and_the_loop_ends_as_it_should(
    project: Project, tmp_path: Path, where: str
) -> None:
    attacked(project, tmp_path)
    if where == "folder":
        text = (project.path / "ralph.yml").read_text()
        project.config(text.replace("run: sh test.sh", "run: sh test.sh, hermetic: false"))
        project.commit("third")
    home = Path(project.env["HOME"])
    before, user = contents_of(home), project.user_state()
    secrets = {"AWS_SECRET_ACCESS_KEY": "aws-0123456789", "SERVICE_PASSWORD": "pw-0123456789"}
    done = project.ralph("run", "-v", env=secrets)
    got = {line.split()[3] for line in done.stdout.splitlines() if " tests| GOT:" in line}
    assert got <= (OWN_REPOSITORY if where == "checkout" else set()), done.stdout
    assert "agent| GOT:" not in done.stdout, done.stdout
    assert "agent| tried 17" in done.stdout and "tests| tried 17" in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["end"] == "completed-verified"
    assert (project.path / "answer").read_text() == "42\n"
    assert (project.path / "kept/file").read_text() == "1\n", "what the gate did is undone"
    assert contents_of(home) == before
    assert project.user_state() == user
    assert not (tmp_path / "planted.txt").exists()
    assert not project.facts("stop.requested") and not project.facts("event.received")
    assert not project.facts("claim.made")
    refused = {fact["why"] for fact in project.facts("inbox.refused")}
    assert refused == {
        "from inside a sandbox, without the iteration's token",
        "only a person can stop a run",
        "from a gate, which may send no messages",
        "not a message",
    }
    assert all(KEY not in project.prompt(n) for n in range(len(project.facts("iteration.started"))))
    folder = project.path / ".git/ralph"
    assert [p for p in folder.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()] == []
    assert not list((folder / "inboxes").iterdir())
    left = [fact.get("stragglers", []) for fact in project.facts("iteration.ended")]
    assert left[0] and left[0][0].endswith(" sleep")
    assert "left processes running" in project.ralph("report").stdout


def contents_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@needs_bwrap
def test_the_same_attacks_succeed_without_a_sandbox(project: Project, tmp_path: Path) -> None:
    """Else they would prove nothing. Ralph itself is spared, and what would make it end early."""
    attacked(project, tmp_path)
    text = (project.path / "attacks.py").read_text()
    text = text.replace('os.kill(int(told["pid"]), 9)', 'os.kill(int(told["pid"]), 0)')
    text = text.replace('"journal.jsonl"), "a"', '"journal.jsonl"), "rb"').replace(
        'file.write("forged\\n")', "1"
    )
    text = text.replace('Path(".git").rename("git-of-old")', '"renamed"').replace(
        "    forge_messages(told, phase)\n", ""
    )
    project.write("attacks.py", text)
    project.config(CONFIG + 'env_allow: ["*"]\n')
    project.commit("third")
    done = project.ralph(
        "run", "-v", "--max-iterations", "1", env={"AWS_SECRET_ACCESS_KEY": "aws-0123456789"}
    )
    got = {line.split()[2] for line in done.stdout.replace("agent| ", "").splitlines() if "GOT:" in line}
    assert {"read_the_journal", "move_a_ref", "write_a_hook", "read_the_ssh_key", "kill_ralph"} <= got
    assert {"write_the_prompt", "have_keys_of_others", "see_ralph", "read_transcripts", "read_prompts"} <= got
    assert project.mark("planted") and (tmp_path / "planted.txt").exists()


@needs_bwrap
def test_tools_events_and_scratchpad_work_inside(project: Project) -> None:
    project.config(CONFIG + "sandbox: {kind: bwrap, network: none}\n" if not usable(False) else CONFIG)
    project.agent(
        'ralph emit note "from inside"; ralph scratchpad --done a --test-status b --next-step c --blockers none\n'
        "[ $RALPH_ITERATION = 2 ] && echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    assert project.ralph("run").returncode == 0
    assert [(e["payload"], e["serial"]) for e in project.facts("event.received")] == [
        ("from inside", 1),
        ("from inside", 2),
    ]
    assert "nextStep: c" in project.prompt(1) or "c" in project.prompt(1)


@needs_bwrap
def test_a_hermetic_gate_and_a_reviewer_run_inside(project: Project) -> None:
    inside = 'test -n "$RALPH_SANDBOX" && ! touch $RALPH_STATE/planted 2>/dev/null'
    project.write(
        "review.sh", f"#!/bin/sh\ncat > prompt; {inside} && echo PASS || echo FAIL\n", executable=True
    )
    project.write("test.sh", f'{inside} && test "$(cat answer 2>/dev/null)" = 42\n')
    project.config(
        "cli: {command: ./agent.sh}\nsandbox: bwrap\nevent_loop: {max_iterations: 1}\ngates:\n"
        "- {name: tests, run: sh test.sh, hermetic: true}\n- {review: spec, agent: {command: ./review.sh, prompt_mode: file}}\n"
    )
    project.commit()
    done = project.ralph("run", "-v")
    assert done.returncode == 0, done.stdout + done.stderr


@needs_bwrap
def test_what_a_gate_compiled_at_the_start_serves_later_ones_inside(project: Project) -> None:
    """Of libraries, not of the tree: its files are others at a claim."""
    project.write(
        "test.sh",
        'find "$PYTHONPYCACHEPREFIX" -name "colorsys.*.pyc" | grep -q . && echo compiled before\n'
        "python3 -c 'import colorsys'; test -e answer\n",
    )
    project.config(CONFIG + "sandbox: bwrap\n")
    project.commit()
    done = project.ralph("run", "-v")
    assert done.returncode == 0, done.stdout + done.stderr
    start, claim = done.stdout.split("iteration 1/8 starts")
    assert "compiled before" not in start and "compiled before" in claim


@needs_bwrap
def test_the_death_of_ralph_leaves_nothing_running_and_a_resume_goes_on(project: Project) -> None:
    project.config(CONFIG + "sandbox: bwrap\n")
    project.agent("[ -e begun ] && { echo 42 > answer; echo TASK_COMPLETE; exit; }; touch begun; sleep 600")
    project.commit()
    run = project.start("run")
    until(lambda: (project.path / "begun").exists(), "the agent works")
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    until(lambda: not processes_with(str(project.path)), "everything is gone")
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    ended = project.facts("iteration.ended")
    assert [fact["how"] for fact in ended] == ["interrupted", "exited"]


@needs_bwrap
def test_what_an_interrupted_iteration_had_still_said_is_heard(project: Project) -> None:
    project.config(CONFIG + "sandbox: bwrap\n")
    project.agent(
        "[ -e said ] && { echo 42 > answer; echo TASK_COMPLETE; exit; }\n"
        "touch begun; until [ -e go ]; do sleep 0.02; done; ralph emit note before-the-end; touch said; sleep 600"
    )
    project.commit()
    run = project.start("run")
    until(lambda: (project.path / "begun").exists(), "the agent works")
    os.kill(run.pid, signal.SIGSTOP)  # from now on nobody listens
    (project.path / "go").touch()
    until(lambda: (project.path / "said").exists(), "the agent has spoken")
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert project.ralph("resume").returncode == 0
    assert [fact["payload"] for fact in project.facts("event.received")] == ["before-the-end"]
    assert not list((project.path / ".git/ralph/inboxes").iterdir())


def without_bwrap(tmp_path: Path) -> dict[str, str]:
    return {"PATH": str(only(tmp_path / "bin", "git", "sh", "cat", "env"))}


def test_where_no_sandbox_can_be_made_nothing_runs_and_nothing_is_recorded(
    project: Project, tmp_path: Path
) -> None:
    project.config(CONFIG + "sandbox: bwrap\n")
    project.agent("touch $HOME/ran")
    project.commit()
    done = project.ralph("run", env=without_bwrap(tmp_path))
    assert done.returncode == 2
    assert (
        "`sandbox: bwrap` cannot work here: bubblewrap is not installed. apt-get install bubblewrap"
        in done.stderr
    )
    assert "Nothing was run; `sandbox: none` runs without." in done.stderr
    assert not project.mark("ran")
    assert not (project.path / ".git/ralph").exists()


@needs_bwrap
def test_a_resume_runs_nothing_unsandboxed_either(project: Project, tmp_path: Path) -> None:
    project.config(CONFIG + "sandbox: bwrap\n")
    project.agent("touch $HOME/ran; echo $RALPH_SANDBOX >> where; echo ITERATION_DONE")
    project.commit()
    assert project.ralph("run", "--max-iterations", "1").returncode == 8
    project.config(CONFIG)
    before = len(project.facts())
    done = project.ralph("resume", "--max-iterations", "2", env=without_bwrap(tmp_path))
    assert done.returncode == 2 and "bubblewrap is not installed" in done.stderr
    assert not project.mark("ran") and len(project.facts()) == before
    assert project.ralph("resume", "--max-iterations", "2").returncode == 8
    assert (project.path / "where").read_text() == "bwrap\nbwrap\n"


@needs_bwrap
def test_the_command_line_turns_it_on_and_off(project: Project) -> None:
    project.agent('echo "[$RALPH_SANDBOX]" >> where; echo ITERATION_DONE')
    project.commit()
    project.ralph("run", "--max-iterations", "1", "--sandbox", "bwrap")
    project.config(CONFIG + "sandbox: bwrap\n")
    project.ralph("run", "--fresh", "--in-place", "--max-iterations", "1", "--sandbox", "none")
    assert (project.path / "where").read_text() == "[bwrap]\n[]\n"
    done = project.ralph("run", "--resume", "--sandbox", "none")
    assert done.returncode == 2 and "--sandbox would change nothing" in done.stderr


@needs_bwrap
@pytest.mark.parametrize(
    ("config", "why"),
    [
        ("{kind: bwrap, credentials: [.netrc]}", "sandbox.credentials: there is no"),
        ("{kind: bwrap, readable: [/no/such/folder]}", "sandbox.readable: there is no /no/such/folder"),
        ("{kind: bwrap, writable: [..]}", "sandbox.writable:"),
    ],
)
def test_what_cannot_be_given_is_told_before_anything_runs(project: Project, config: str, why: str) -> None:
    project.config(f"{CONFIG}sandbox: {config}\n")
    project.agent("touch ran")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 2 and why in done.stderr
    assert not (project.path / "ran").exists() and not project.facts()


@needs_bwrap
def test_an_agent_that_is_not_there_is_named(project: Project, tmp_path: Path) -> None:
    """It was when the loop began; inside, only what is shown exists."""
    elsewhere = tmp_path / "elsewhere.sh"
    elsewhere.write_text("#!/bin/sh\nrm -f $0; cat > /dev/null; echo ITERATION_DONE\n")
    elsewhere.chmod(0o755)
    project.config(CONFIG.replace("./agent.sh", str(elsewhere)) + "sandbox: bwrap\n")
    project.agent("")
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 8, done.stdout
    assert elsewhere.exists(), "it is read-only inside"
