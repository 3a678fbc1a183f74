"""Files that the user has committed where Ralph keeps its own, over a backlog: no landing reverts, deletes or adds one.
And what Ralph undoes in a workspace can be had back in the user's repository."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from project import Project, until

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0, max_attempts: 2}
"""
WORK = 'mkdir -p parts; echo "good $RALPH_TASK" > "parts/$RALPH_TASK"; echo TASK_COMPLETE'
MEMORIES = ".ralph/agent/memories.md"
SPEC = ".ralph/specs/first.md"


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test.sh", "! grep -rqs bad parts\n")
    project.agent(WORK)
    project.write("tasks.jsonl", "")
    project.commit()
    return project


def add(project: Project, *ids: str) -> None:
    with open(project.path / "tasks.jsonl", "a") as file:
        for id in ids:
            file.write(json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n")


def commit_own(project: Project, **files: str) -> None:
    """As a user does who wants them in the repository though they are ignored."""
    for path, text in files.items():
        project.write(path, text)
        project.git("add", "-f", path)
    project.git("commit", "-qm", "own files")


def run(project: Project, *options: str, env: dict[str, str] | None = None) -> str:
    done = project.ralph("run", *options, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def changed(project: Project, commit: str = "main") -> list[str]:
    """The paths that differ between a commit and the one before it."""
    return project.git("diff", "--name-only", f"{commit}~", commit).splitlines()


def landed(project: Project) -> list[str]:
    return sorted(x["ref"] for x in project.facts("landed"))


def test_what_the_user_committed_between_two_runs_stays(backlog: Project) -> None:
    commit_own(backlog, **{MEMORIES: "v1\n", ".ralph/specs/old.md": "old\n", "ralph.log": "v1\n"})
    add(backlog, "A")
    run(backlog)
    assert changed(backlog) == ["parts/A"]
    backlog.git("rm", "-q", ".ralph/specs/old.md")
    commit_own(backlog, **{MEMORIES: "v2\n", SPEC: "new\n", "ralph.log": "v2\n"})
    add(backlog, "B")
    run(backlog)
    assert changed(backlog) == ["parts/B"]
    assert landed(backlog) == ["refs/heads/main", "refs/heads/main"]
    assert backlog.git("show", f"main:{MEMORIES}") == "v2"


def test_what_the_agent_does_to_such_a_file_never_lands(backlog: Project) -> None:
    commit_own(backlog, **{MEMORIES: "v1\n", SPEC: "spec\n", ".ralph_state.md": "mine\n"})
    backlog.agent(
        f"rm -f {SPEC}; echo hers > {MEMORIES}; echo new > .ralph/new.md; git rm -q --cached {SPEC}\n"
        f"git add -f .ralph; git -c user.name=A -c user.email=a@b commit -qm own; {WORK}"
    )
    backlog.git("commit", "-qam", "agent")
    add(backlog, "A")
    run(backlog)
    assert changed(backlog) == ["parts/A"]


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("clone", ""),
        ("worktree", ""),
        ("clone", "kill@workspace.rebased.before#1"),
        ("clone", "kill@workspace.rebased.after#1"),
    ],
)
def test_one_that_is_committed_while_a_task_runs_is_no_change_of_the_task(
    backlog: Project, kind: str, fault: str
) -> None:
    commit_own(backlog, **{MEMORIES: "v1\n"})
    backlog.config(CONFIG + f"workspace: {kind}\n")
    home = backlog.env["HOME"]  # the gate has one of its own
    seen = f'cp .ralph/specs/first.md "{home}/seen" 2>/dev/null'
    backlog.write("test.sh", f"{seen}; ! grep -rqs bad parts\n")
    backlog.agent(f'touch "$HOME/at-work"; until [ -e "$HOME/go" ]; do sleep 0.02; done; {WORK}')
    backlog.git("commit", "-qam", "config")
    add(backlog, "A")
    process = backlog.start("run", env={"RALPH_FAULT": fault} if fault else {})
    until(lambda: backlog.mark("at-work"), "the agent works")
    commit_own(backlog, **{MEMORIES: "v2\n", SPEC: "new\n", "ralph.log": "log\n"})
    (Path(backlog.env["HOME"]) / "go").touch()
    assert process.wait(60) == (-signal.SIGKILL if fault else 0), backlog.shown()
    if fault:
        run(backlog)
    assert changed(backlog) == ["parts/A"]
    assert landed(backlog) == ["refs/heads/main"], backlog.facts("loop.ended")
    assert backlog.mark("seen"), "gates see what was committed meanwhile"


def test_in_place_they_do_not_show_as_changes(project: Project) -> None:
    commit_own(project, **{MEMORIES: "v1\n", "ralph.log": "v1\n"})
    project.agent(f"echo more >> {MEMORIES}; echo 42 > answer; echo TASK_COMPLETE")
    for version in ("v2", "v3"):
        project.write("answer", version)
        project.commit()
        commit_own(project, **{MEMORIES: f"{version}\n", SPEC: f"{version}\n"})
        done = project.ralph("run", "--fresh")
        assert done.returncode == 0, done.stdout + done.stderr
        assert project.facts("claim.inspected")[-1]["changed"] == 1
        tree = project.facts("workspace.prepared")[-1]["tree"]
        assert project.git("show", f"{tree}:{MEMORIES}") == version


# -- what was undone -----------------------------------------------------------------------------------


def recoverable(project: Project, text: str) -> list[str]:
    listed = json.loads(project.ralph("recover", "--json").stdout)
    return [one["ref"] for one in listed if text in one["reason"]]


@pytest.mark.parametrize("point", ["", "protect.before", "protect.after"])
def test_protected_files_that_were_put_back_can_be_had_where_the_user_is(
    backlog: Project, point: str
) -> None:
    backlog.agent(f"mkdir -p .github/workflows; echo hers > .github/workflows/ci.yml; {WORK}")
    backlog.git("commit", "-qam", "agent")
    add(backlog, "A")
    if point:
        died = backlog.ralph("run", env={"RALPH_FAULT": f"kill@{point}#1"})
        assert died.returncode in (-9, 137), died.stdout + died.stderr
    shown = run(backlog)
    assert changed(backlog) == ["parts/A"]
    if not point:
        line = "protected files were put back; `ralph recover` has its version: .github/workflows/ci.yml"
        assert line in shown
    add(backlog, "B")
    backlog.agent(WORK)
    backlog.git("commit", "-qam", "agent")
    run(backlog)  # in the same slot
    refs = recoverable(backlog, "before undoing protected files")
    assert refs
    assert len({backlog.git("rev-parse", f"{ref}^{{tree}}") for ref in refs}) == len(refs)
    restored = backlog.ralph("recover", refs[0], ".github/workflows/ci.yml")
    assert restored.returncode == 0, restored.stderr
    assert (backlog.path / ".github/workflows/ci.yml").read_text() == "hers\n"
    assert backlog.git("fsck", "--no-dangling", "--no-progress") == ""


def test_what_a_gate_wrote_in_a_clone_can_be_had_there_too(backlog: Project) -> None:
    backlog.config(CONFIG.replace("test.sh}", "test.sh, hermetic: false}"))
    backlog.write("test.sh", "echo out > written\n")
    backlog.git("commit", "-qam", "gate")
    add(backlog, "A")
    assert backlog.ralph("run").returncode == 1  # no gate may do that
    refs = recoverable(backlog, "before undoing what gate tests wrote")
    assert refs and {backlog.git("show", f"{ref}:written") for ref in refs} == {"out"}


# -- refs ----------------------------------------------------------------------------------------------


def test_what_the_run_itself_moves_is_not_blamed_on_an_agent_in_a_worktree(backlog: Project) -> None:
    backlog.config(CONFIG + "workspace: worktree\nparallel: 2\n")
    # A works until B has landed, D has failed and C is at work; each commits on its own branch. A also makes a tag.
    backlog.agent(
        'git -c user.name=A -c user.email=a@b commit -q --allow-empty -m "step of $RALPH_TASK"\n'
        'if [ "$RALPH_TASK" = A ]; then touch "$HOME/a"; until [ -e "$HOME/c" ]; do sleep 0.02; done; git tag hers\n'
        'else until [ -e "$HOME/a" ]; do sleep 0.02; done; fi\n'
        '[ "$RALPH_TASK" != C ] || touch "$HOME/c"\n'
        f'[ "$RALPH_TASK" != D ] || {{ mkdir -p parts; echo bad > parts/D; echo TASK_STUCK; exit 0; }}\n{WORK}'
    )
    backlog.git("commit", "-qam", "agent")
    add(backlog, "A", "B", "D", "C")
    backlog.ralph("run")
    assert landed(backlog) == ["refs/heads/main"] * 3
    told = [line for x in backlog.facts("iteration.ended") for line in x.get("refs_moved", ())]
    assert {line.partition(":")[0] for line in told} == {"refs/tags/hers"}, told
