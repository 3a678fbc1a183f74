"""What a newcomer meets in the first hour: Ralph's own files, wrong commands, withheld variables, the commit at the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import Project, Terminal, until

SEED = "RALPH_DIAGNOSTICS=1 ralph run -v --no-tui -P PROMPT.md 2>&1 | tee ralph-output.log"


@pytest.fixture
def unprepared(project: Project) -> Project:
    """Nobody ran `ralph init`: git ignores none of Ralph's files."""
    (project.path / ".gitignore").unlink()
    project.commit("no ignore rules")
    return project


def test_the_launch_command_of_the_board_runs_twice_and_leaves_git_status_clean(unprepared: Project) -> None:
    unprepared.agent("echo $RALPH_ITERATION > answer; echo TASK_COMPLETE")
    unprepared.config("cli: {backend: custom, command: ./agent.sh}\ngates: none\n")
    unprepared.commit("an agent that answers anything")
    for _ in range(2):
        done = unprepared.shell(f"set -o pipefail; {SEED}")
        assert done.returncode == 0, done.stdout + done.stderr
        assert unprepared.git("status", "--porcelain") == "?? answer"
        (unprepared.path / "answer").unlink()
    assert "iteration 1" in (unprepared.path / "ralph-output.log").read_text()
    assert list((unprepared.path / ".ralph/diagnostics").iterdir())


@pytest.mark.parametrize("sent", ["> out.log", "2> out.log", "> out.log 2>&1", "2>&1 | tee -a out.log"])
def test_a_runs_own_output_is_neither_uncommitted_work_nor_a_change(unprepared: Project, sent: str) -> None:
    unprepared.write("out.log", "of an earlier run\n")
    unprepared.agent("true; echo TASK_COMPLETE")  # nothing is done: a growing log must not look like work
    unprepared.commit("an idle agent")
    unprepared.git("rm", "-q", "--cached", "out.log")
    unprepared.git("commit", "-qm", "the log is not in git")
    unprepared.shell(f"ralph run --max-iterations 1 {sent}")
    assert (
        unprepared.facts("iteration.ended")[-1]["tree"] == unprepared.facts("workspace.prepared")[-1]["tree"]
    )
    assert unprepared.git("status", "--porcelain") == ""


def test_a_file_of_the_users_is_still_uncommitted_work(unprepared: Project) -> None:
    unprepared.write("mine.txt", "x\n")
    done = unprepared.shell("ralph run 2>&1 | tee out.log")
    assert "there are uncommitted changes: mine.txt" in done.stdout
    assert "out.log" not in done.stdout


def test_the_list_of_tasks_blocks_no_prompt_and_stays_out_of_status(unprepared: Project) -> None:
    assert unprepared.ralph("task", "add", "Later").returncode == 0
    assert unprepared.git("status", "--porcelain") == ""
    unprepared.write("ralph.yml.bak", "an older one\n")
    done = unprepared.ralph("run", "-P", "PROMPT.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert unprepared.git("status", "--porcelain") == "?? answer"
    # It is the user's to put into git; from then on git shows it like anything else.
    unprepared.git("add", "-f", "tasks.jsonl")
    unprepared.git("commit", "-qm", "share the list")
    unprepared.ralph("task", "add", "Another")
    assert "M tasks.jsonl" in unprepared.git("status", "--porcelain")


def test_an_agents_list_of_tasks_is_seen_although_git_status_leaves_it_out(unprepared: Project) -> None:
    unprepared.ralph("task", "add", "Write 42")
    line = '{"id":"%s","title":"Found on the way","status":"pending"}'
    unprepared.agent(f"echo 42 > answer; echo '{line % 'Z'}' >> tasks.jsonl; echo TASK_COMPLETE")
    unprepared.commit("an agent that finds work")
    unprepared.ralph("run", "--once")
    assert "Found on the way" in (unprepared.path / "tasks.jsonl").read_text()
    assert unprepared.git("status", "--porcelain") == ""


def test_the_users_own_exclude_rules_stay_as_they_are(unprepared: Project) -> None:
    exclude = unprepared.path / ".git/info/exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_bytes(b"*.iml\r\n/build")
    assert unprepared.ralph("run").returncode == 0
    after = exclude.read_bytes()
    assert after.startswith(b"*.iml\r\n/build\n# Ralph's own files\n")
    unprepared.ralph("run", "--fresh", "-p", "again")
    assert exclude.read_bytes() == after


def test_with_rules_of_ones_own_nothing_is_added(project: Project) -> None:
    project.write(".gitignore", ".ralph/\n.ralph_state.md*\n.ralph.lock\nralph.log*\n.stop\n")
    project.commit()
    exclude = project.path / ".git/info/exclude"
    before = exclude.read_bytes() if exclude.exists() else b""
    assert project.ralph("run").returncode == 0
    assert (exclude.read_bytes() if exclude.exists() else b"") == before


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["run", "Make the test pass"], 'Did you mean `ralph run -p "Make the test pass"`?'),
        (["run", "Make", "the", "test", "pass"], 'Did you mean `ralph run -p "Make the test pass"`?'),
        (["run", "task-auth", "5"], "`ralph run --task task-auth --max-iterations 5`"),
        (["run", "task-auth"], "`ralph run --task task-auth`"),
        (["run", "sh", "agent.sh"], "`ralph run -- sh agent.sh`"),
        (["list"], "Did you mean `ralph task list`?"),
        (["add", "x"], "Did you mean `ralph task add`?"),
        (["config"], "`ralph validate`"),
        (["stauts"], "Did you mean `ralph status`?"),
        (["help", "gaets"], "Did you mean `ralph help gates`?"),
    ],
)
def test_a_wrong_command_names_the_right_one(project: Project, arguments: list[str], hint: str) -> None:
    done = project.ralph(*arguments)
    assert done.returncode == 2
    assert hint in " ".join(done.stderr.split()), done.stderr
    assert project.facts() == []


def test_without_anything_to_do_it_says_how_to_say_it(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 2
    for word in ("-p", "PROMPT.md", "`ralph task add"):
        assert word in done.stderr


def test_a_gate_may_be_only_its_command(project: Project) -> None:
    project.config("cli: {command: ./agent.sh}\ngates: [sh test.sh]\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["proof"] == {"test": "red→green"}


def test_the_pages_that_errors_name_are_installed(project: Project) -> None:
    listed = project.ralph("help").stdout
    assert "Get started:" in listed and "\nGuides:\n" in listed.partition("Pages")[2]
    assert "gates " in listed.partition("Pages")[2]
    assert project.ralph("help", "gates").stdout.startswith("# ")
    assert project.ralph("help", "docs/gates.md").stdout == project.ralph("help", "gates").stdout
    assert "Usage: ralph resume" in project.ralph("help", "resume").stdout
    assert "`ralph hats --help`" in project.ralph("help", "hats").stdout


WITHHELD = {
    "DATABASE_URL": "postgres://localhost/x",
    "GH_TOKEN": "ghp-fake",
    "SSH_AUTH_SOCK": "/nowhere",
    "ZZZ": "1",
}


def test_the_start_names_variables_that_are_withheld_and_look_wanted(project: Project) -> None:
    done = project.ralph("run", env=WITHHELD)
    assert done.returncode == 0
    said = [line for line in done.stderr.splitlines() if "env_allow" in line]
    assert len(said) == 1 and "env_allow: [DATABASE_URL, GH_TOKEN, SSH_AUTH_SOCK]" in said[0]
    assert "ghp-fake" not in done.stdout + done.stderr and "ZZZ" not in said[0]
    shown = project.ralph("doctor", env=WITHHELD | {f"MINE_{n}": "x" for n in range(60)}).stdout
    assert "MINE_59" in shown and "ZZZ" in shown and "SSH_AUTH_SOCK" in shown


def test_what_the_configuration_lets_through_is_not_named(project: Project) -> None:
    project.config((project.path / "ralph.yml").read_text() + "env_allow: [DATABASE_URL, GH_TOKEN]\n")
    project.commit()
    assert "env_allow" not in project.ralph("run", env=WITHHELD).stderr
    assert "env_allow" not in project.ralph("run", "--fresh", "-p", "x").stderr


def test_what_was_proven_is_committed_with_its_evidence_and_nothing_else(project: Project) -> None:
    project.agent("echo 42 > answer; rm old; echo more >> kept; echo TASK_COMPLETE")
    project.write("old", "x\n")
    project.write("kept", "x\n")
    project.write("mine", "x\n")
    project.commit()
    assert project.ralph("run", "-p", "Write 42 into the file answer").returncode == 0
    project.write("mine", "staged by the user\n")
    project.git("add", "mine")
    project.write("also mine", "x\n")
    done = project.ralph("commit")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.git("log", "-1", "--format=%s%n%an") == "Write 42 into the file answer\nUser"
    assert project.git("log", "-1", "--format=%(trailers:key=Ralph-Proof,valueonly)") == "tests red→green"
    assert project.git("show", "--format=", "--name-status").split() == [
        "A",
        "answer",
        "M",
        "kept",
        "D",
        "old",
    ]
    assert project.git("status", "--porcelain") == 'M  mine\n?? "also mine"'
    assert "Nothing to commit" in project.ralph("commit").stdout


def test_what_was_not_proven_or_changed_since_is_not_committed(project: Project) -> None:
    assert "no prompt was worked on here" in project.ralph("commit").stderr
    project.agent("echo 41 > answer; echo TASK_COMPLETE")
    project.commit()
    project.ralph("run", "--max-iterations", "1")
    done = project.ralph("commit")
    assert done.returncode == 2 and "nothing is proven" in done.stderr, done.stderr
    project.agent("echo 42 > answer; echo TASK_COMPLETE")
    project.ralph("run", "--fresh", "--in-place")
    project.write("answer", "42 \n")
    done = project.ralph("commit")
    assert done.returncode == 2 and "changed since the gates passed: answer" in done.stderr, done.stderr
    assert project.git("log", "--format=%s").splitlines()[-1] == "begin"


def test_a_hook_that_refuses_the_commit_is_heard(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    project.write(".git/hooks/pre-commit", "#!/bin/sh\necho not like this >&2\nexit 1\n", executable=True)
    done = project.ralph("commit")
    assert done.returncode == 1 and "not like this" in done.stderr and "nothing was committed" in done.stderr
    assert project.git("log", "--format=%s") == "begin"


def test_on_a_terminal_a_proven_run_names_the_commit_and_asks_nothing(project: Project) -> None:
    """Who has it run overnight is not there to answer, and what comes after it in a script must not wait."""
    terminal = Terminal(project, "run")
    assert terminal.end() == 0
    assert "then `ralph commit`" in terminal.shown
    assert project.git("log", "-1", "--format=%s") == "begin"


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "-v", "-P", "nowhere.md"),
        ("run", "-v", "-c", "nowhere.yml"),
        ("run", "-v", "--task", "A"),
        ("resume", "-v"),
        ("run", "-v", "--", "no-such-agent"),
    ],
)
def test_a_users_mistake_shows_no_traceback_with_v_either(
    project: Project, arguments: tuple[str, ...]
) -> None:
    done = project.ralph(*arguments)
    assert done.returncode in (2, 10), done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert len(done.stderr.strip().splitlines()) <= 6


def test_a_run_in_another_worktree_is_named_and_not_ended_from_here(project: Project) -> None:
    project.agent(
        "touch $HOME/began; while [ ! -e $HOME/finish ]; do sleep 0.1; done; echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    other = project.path.parent / "other tree"
    project.git("worktree", "add", "-q", "-b", "aside", str(other))
    live = project.start("run", "--task-id", "answer-it")
    until(lambda: project.mark("began"), "the agent works")
    second = project.ralph("run", "--task-id", "another", cwd=other)
    assert second.returncode == 2
    for told in (
        f"in {project.path}",
        f"pid {live.pid}",
        "task answer-it",
        f"cd {project.path} && ralph stop",
    ):
        assert told in second.stderr, second.stderr
    for words in (("stop", "--now"), ("cancel",), ("pause",), ("say", "x")):
        refused = project.ralph(*words, cwd=other)
        assert refused.returncode == 2, words
        assert f"works in {project.path}, on answer-it" in refused.stderr, refused.stderr
    (Path(project.env["HOME"]) / "finish").touch()
    assert live.wait(60) == 0
    assert project.end()["end"] == "completed-verified"


def loose(project: Project) -> int:
    return sum(1 for _ in (project.path / ".git/objects").glob("??/*"))


def many(project: Project, folder: str, files: int = 1100) -> None:
    for number in range(files):
        project.write(f"{folder}/p{number}/index.js", f"module.exports = {number}\n")


def test_a_large_untracked_folder_is_named_before_anything_is_stored(project: Project) -> None:
    project.write("web/package.json", "{}\n")
    project.commit()
    many(project, "web/node_modules")
    before = loose(project)
    for arguments in (("run",), ("init", "--yes", "--force", "--gate", "sh test.sh")):
        done = project.ralph(*arguments)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "web/node_modules/ (1,100 files)" in done.stderr
        assert "Add to .gitignore:\n  /web/node_modules/\n" in done.stderr
        assert loose(project) == before
    project.write(".gitignore", (project.path / ".gitignore").read_text() + "/web/node_modules/\n")
    project.commit()
    assert project.ralph("run").returncode == 0


def test_snapshots_leave_no_loose_objects_and_can_still_be_restored(project: Project) -> None:
    many(project, "notes", 40)
    before = loose(project)
    for number in range(3):
        project.agent(f"echo 4{number} > answer; echo {number} > notes/p0/index.js; echo TASK_COMPLETE")
        project.ralph("run", "--in-place", "--fresh", "--max-iterations", "1")
    assert loose(project) <= before
    assert len(list((project.path / ".git/objects/pack").glob("*.pack"))) == 1, (
        "one pack takes the others along"
    )
    project.git("fsck", "--strict")
    first = project.facts("workspace.prepared")[0]["tree"]
    assert project.git("show", f"{first}:notes/p0/index.js") == "module.exports = 0"
