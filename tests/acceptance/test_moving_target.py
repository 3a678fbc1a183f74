"""The target moves on while a task is at work: what lands is the task's own change, all of it, on what is there by then."""

from __future__ import annotations

import json

import pytest
from project import Project

CONFIG = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: [{name: tests, run: 'true'}]
event_loop: {max_iterations: 4, crash_wait: 0}
"""


class Moving:
    """In its first iteration the agent does `task` in its workspace; then somebody does `user` in the user's checkout."""

    def __init__(self, project: Project) -> None:
        self.project = project
        (project.path / "PROMPT.md").unlink()
        project.config(CONFIG)
        project.write("tasks.jsonl", json.dumps({"id": "A", "title": "Part A", "leaf": True}) + "\n")

    def run(self, task: str, user: str, later: str = ":", before: str = ":") -> str:
        """`before`: done by the user in the checkout before it all begins; `later`: by the agent in further iterations."""
        project = self.project
        project.write(
            "agent.sh",
            "#!/bin/sh\ncat > /dev/null\n"
            f'if [ "$RALPH_ITERATION" = 1 ]; then {{ {task}\n}} > "$HOME/log" 2>&1\n'
            f'(cd "{project.path}" && {{ {user}\n}}) >> "$HOME/log" 2>&1\n'
            f"else {{ {later}\n}}; fi; echo TASK_COMPLETE\n",
            executable=True,
        )
        project.commit()
        prepared = project.shell(before)
        assert prepared.returncode == 0, prepared.stderr
        done = project.ralph("run")
        self.code, self.said = done.returncode, done.stdout + done.stderr
        assert project.git("fsck", "--no-dangling", "--no-progress") == ""
        return project.git("log", "-1", "--format=%s", "main")

    @property
    def iterations(self) -> int:
        return len(self.project.facts("iteration.started"))

    def paths(self) -> list[str]:
        """What the last commit on main changed."""
        return self.project.git("-c", "core.quotePath=false", "show", "--format=", "--name-only").splitlines()


@pytest.fixture
def moving(project: Project) -> Moving:
    return Moving(project)


def test_what_somebody_took_off_the_target_does_not_come_back(moving: Moving) -> None:
    last = moving.run(
        "echo w > w",
        "git show main~:f > f && git commit -qam 'without it' --amend",
        before="echo one > f && git add f && git commit -qm f && echo password >> f && git commit -qam oops",
    )
    assert (last, moving.code, moving.iterations) == ("[A] Part A", 0, 1), moving.said
    assert moving.paths() == ["w"]
    assert moving.project.git("show", "main:f") == "one"


@pytest.mark.parametrize(
    ("rules", "user"),
    [
        ("*.log", "echo u > u && git add u && git commit -qm u"),
        ("", "echo '*.log' >> .gitignore && git commit -qam i"),
    ],
    ids=["ignored already", "ignored meanwhile"],
)
def test_a_file_that_is_ignored_and_belongs_to_the_change_lands(
    moving: Moving, rules: str, user: str
) -> None:
    before = f"echo '{rules}' >> .gitignore && git commit -qam rules" if rules else ":"
    last = moving.run(
        "echo o > out.log; echo w > w; git add -f out.log w; git commit -qm mine", user, before=before
    )
    assert (last, moving.code, moving.iterations) == ("[A] Part A", 0, 1), moving.said
    assert moving.paths() == ["out.log", "w"]


def test_other_rules_for_line_ends_are_no_obstacle(moving: Moving) -> None:
    last = moving.run(
        "printf 'a\\r\\nb\\r\\n' > n.txt",
        "echo '*.txt text' > .gitattributes && git add .gitattributes && git commit -qm attributes",
    )
    assert (last, moving.code, moving.iterations) == ("[A] Part A", 0, 1), moving.said
    assert moving.project.git("show", "main:n.txt") == "a\nb"


def test_a_submodule_that_came_meanwhile_stays(moving: Moving) -> None:
    oid = "1" * 40
    moving.run(
        "echo w > w",
        f"git update-index --add --cacheinfo 160000,{oid},sub && git commit -qm sub",
    )
    project = moving.project
    assert moving.code == 1 and "sub is a submodule" in moving.said
    assert project.ralph("run").returncode == 2, "as at the start of any run"
    assert project.git("rev-parse", "main:sub") == oid
    assert project.git("diff", "--name-only", "main~", "task/A-part-a") == "w"


# -- conflicts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("later", ["sed -i '/^<<<<<<</d' f", "sed -i '/^>>>>>>>/d' f", "git mv f g", ":"])
def test_what_is_left_of_marks_does_not_land(moving: Moving, later: str) -> None:
    """In the third iteration it is resolved."""
    last = moving.run(
        "echo task > f",
        "echo user > f; git commit -qam user",
        later=f"if [ $RALPH_ITERATION = 2 ]; then {later}; else rm -f g; printf 'user\\ntask\\n' > f; fi",
        before="echo start > f && git add f && git commit -qm f",
    )
    assert (last, moving.code, moving.iterations) == ("[A] Part A", 0, 3), moving.said
    assert moving.project.git("show", "main:f") == "user\ntask"
    assert "the merge is not resolved: conflict marks are still in" in moving.project.prompt()


def test_marks_in_a_file_whose_name_is_not_text_do_not_land(moving: Moving) -> None:
    name = "$(printf 'n\\377')"
    moving.run(
        f'echo task > "{name}"',
        f'echo user > "{name}"; git commit -qam user',
        before=f'echo start > "{name}" && git add -A && git commit -qm f',
    )
    assert moving.project.git("log", "-1", "--format=%s", "main") == "user", moving.said


def test_names_that_git_made_up_do_not_land(moving: Moving) -> None:
    moving.run("echo task > x", "mkdir x; echo user > x/f; git add x; git commit -qm user")
    assert moving.project.git("log", "-1", "--format=%s", "main") == "user", moving.said
    assert moving.project.git("ls-tree", "-r", "--name-only", "main", "x") == "x/f"


def test_of_what_cannot_hold_marks_the_agents_own_is_kept_and_named(moving: Moving) -> None:
    moving.run(
        "printf 'task\\0' > b",
        "printf 'user\\0' > b; git commit -qam user",
        later="git show $(git rev-parse HEAD):b > /dev/null",
        before="printf 'start\\0' > b && git add b && git commit -qm b",
    )
    project = moving.project
    prompt = project.prompt(1)
    tree = prompt.partition("Yours from before the merge: `git show ")[2].partition(":")[0]
    assert project.git("show", f"{tree}:b") == "task\0"
    saved = project.git("for-each-ref", "--format=%(refname)", "refs/ralph/recovery").splitlines()
    assert "task\0" in [project.git("show", f"{ref}:b") for ref in saved]
    assert "before it was merged" in project.ralph("recover").stdout


# -- what is left in the workspace or taken from it --------------------------------------------------------


@pytest.mark.parametrize("lock", ["HEAD.lock", "refs/heads/main.lock", "index.lock", "packed-refs.lock"])
def test_locks_of_a_git_that_was_killed_are_no_obstacle(moving: Moving, lock: str) -> None:
    last = moving.run(f"echo w > w; touch .git/{lock}", "echo u > u && git add u && git commit -qm u")
    assert (last, moving.code, moving.iterations) == ("[A] Part A", 0, 1), moving.said


def test_a_damaged_ref_in_the_workspace_is_no_obstacle(moving: Moving) -> None:
    last = moving.run(
        "echo w > w; git add w; git commit -qm mine; echo garbage > .git/$(git symbolic-ref HEAD)",
        "echo u > u && git add u && git commit -qm u",
    )
    assert (last, moving.code, moving.iterations) == ("[A] Part A", 0, 1), moving.said
    assert moving.paths() == ["w"]


def test_a_task_whose_workspace_was_made_unusable_begins_anew(moving: Moving) -> None:
    moving.run("echo w > w; rm -rf .git", "echo u > u && git add u && git commit -qm u")
    assert moving.code == 1, moving.said
    assert "A: blocked-on-person: its workspace cannot be used" in moving.said
    assert "To start over: `ralph task reopen A`, then `ralph run`." in moving.said
    moving.project.agent("echo w > w; echo TASK_COMPLETE")
    assert moving.project.ralph("task", "reopen", "A").returncode == 0
    done = moving.project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert moving.project.git("log", "-1", "--format=%s", "main") == "[A] Part A"


def test_no_further_task_begins_on_a_target_that_no_workspace_can_hold(moving: Moving) -> None:
    with open(moving.project.path / "tasks.jsonl", "a") as file:
        file.write(json.dumps({"id": "B", "title": "Part B", "leaf": True}) + "\n")
    moving.run(
        "echo w > w",
        f"git update-index --add --cacheinfo 160000,{'1' * 40},sub && git commit -qm sub",
    )
    assert moving.code == 2 and "sub is a submodule" in moving.said, moving.said
    assert len(moving.project.facts("loop.started")) == 1


def test_what_is_merged_survives_the_users_gc(moving: Moving) -> None:
    collects = f"git -C '{moving.project.path}' gc -q --prune=now; echo ITERATION_DONE; exit"
    last = moving.run(
        "echo task > f; mkdir d; echo n > d/n",
        "echo user > f; git commit -qam user",
        later=f"if [ $RALPH_ITERATION = 2 ]; then {collects}; fi; printf 'user\\ntask\\n' > f",
        before="echo start > f && git add f && git commit -qm f",
    )
    assert (last, moving.code, moving.iterations) == ("[A] Part A", 0, 3), moving.said
