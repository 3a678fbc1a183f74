"""Whatever becomes of a run over a backlog, what the user has checked out, staged, stashed and not committed is theirs."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from busyuser import CONFIG, PLACES, WORK, BusyUser
from project import until

# B does not pass; X and Y write the same line, and who comes second is told.
STORY = f"""\
case $RALPH_TASK in
B) mkdir -p parts; echo bad > parts/B; echo TASK_COMPLETE; exit;;
X|Y) if grep -qs '<<<<<<<' shared; then echo both > shared; else echo $RALPH_TASK > shared; fi;;
esac
{WORK}
"""
MINE = ("staged", "both", "unstaged", "gone", "moved", "elsewhere")
SLOW = f"touch $HOME/began; n=0; while [ ! -e $HOME/go ] && [ $n -lt 1200 ]; do n=$((n+1)); sleep 0.05; done; {WORK}"


def files_of(*tasks: str) -> list[str]:
    return [f"{folder}/{task}" for task in tasks for folder in ("known", "parts")]


def assert_unharmed(user: BusyUser) -> None:
    """Nothing of Ralph's is left where the user works, and git is content."""
    assert not user.hooks_ran()
    assert user.git("fsck", "--no-dangling", "--no-progress") == ""
    assert user.git("for-each-ref", "refs/ralph/base") == ""


def commit_all(user: BusyUser, root: Path) -> list[str]:
    """`git commit -a` of the user; the paths that it changes."""
    quiet = ("git", "-c", "core.hooksPath=/dev/null")
    subprocess.run([*quiet, "commit", "-qam", "mine"], cwd=root, env=user.env, check=True)
    return user.git("-C", str(root), "diff", "--name-only", "--no-renames", "HEAD~1", "HEAD").splitlines()


@pytest.mark.parametrize("place", PLACES)
def test_success_failure_and_conflict_leave_what_the_user_has(tmp_path: Path, place: str) -> None:
    user = BusyUser(tmp_path, place, "A", "B", "X", "Y", agent=STORY, config=CONFIG + "parallel: 2\n")
    done = user.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert any(fact.get("conflicts") == ["shared"] for fact in user.facts("workspace.merged"))
    landed = user.facts("landed")
    assert len(landed) == 3 and {fact["how"] for fact in landed} == {"merge"}
    assert all(fact.get("followed", []) == [str(root) for root in user.on_target()] for fact in landed)
    assert user.git("show", "main:shared") == "both"
    (branch,) = user.git("for-each-ref", "--format=%(refname)", "refs/heads/wip/").splitlines()
    wanted = user.followed(user.main(), *files_of("A", "X", "Y"), "shared")
    assert user.look() == wanted.but(
        branches={**wanted.branches, branch: user.git("rev-parse", branch)},
    )
    assert_unharmed(user)
    for root in user.on_target():
        assert set(commit_all(user, root)) <= {f"mine/{name}" for name in MINE}, "their own, and no revert"


@pytest.mark.parametrize("place", ["both", "detached"])
def test_ctrl_c_leaves_what_the_user_has_and_the_next_run_goes_on(tmp_path: Path, place: str) -> None:
    user = BusyUser(tmp_path, place, "A", agent=SLOW)
    run = user.start("run")
    try:
        until(lambda: user.mark("began"), "the agent works")
        os.kill(run.pid, signal.SIGINT)
        assert run.wait(60) == 130
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
    assert user.look() == user.before, "no branch either: an interruption is no failure"
    assert not user.hooks_ran()
    (Path(user.env["HOME"]) / "go").touch()
    done = user.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert user.look() == user.followed(user.main(), *files_of("A"))
    assert_unharmed(user)


def killed_at(user: BusyUser, seam: str) -> None:
    done = user.ralph("run", "--once", env={"RALPH_FAULT": f"kill@{seam}"})
    assert done.returncode == -9, f"{seam}: {done.stdout}{done.stderr}"


# Of a landing: locked, followed, moved, and told to nobody. The third of a run's changes of refs is the landing.
LANDING = (
    "landing.prepare.after#3",
    "landing.follow.after#1",
    "landing.index.after#1",
    "landing.ref.before#3",
    "landing.ref.after#3",
    "landing.clear.before#3",
)
AROUND = ("clone.clean.before#1", "landing.bring.after#1", "landing.squash.after#1", "append.before#1")


@pytest.mark.parametrize(
    ("place", "command", "seams"),
    [("both", "run", LANDING), ("other", "resume", LANDING[1:5:3]), ("detached", "run", LANDING[4:5])],
)
def test_killed_in_a_landing_the_next_run_puts_right_what_it_left(
    tmp_path: Path, place: str, command: str, seams: tuple[str, ...]
) -> None:
    tasks = [f"T{number}" for number in range(len(seams))]
    user = BusyUser(tmp_path, place, *tasks)
    for number, seam in enumerate(seams):
        intended = user.journaled("landing.intended")
        killed_at(user, seam)
        assert user.journaled("landing.intended") == intended + 1 and user.journaled("landed") == number, seam
        done = user.ralph(command, *(("--once",) if command == "run" else ()))
        assert done.returncode == 0, f"{seam}: {done.stdout}{done.stderr}"
        assert user.journaled("landed") == number + 1
        assert user.look() == user.followed(user.main(), *files_of(*tasks[: number + 1])), seam
    assert user.git("log", "--format=%s", f"-{len(tasks)}", "main").splitlines() == [
        f"[{task}] Part {task}" for task in reversed(tasks)
    ]
    assert_unharmed(user)
    for root in user.on_target():
        assert set(commit_all(user, root)) <= {f"mine/{name}" for name in MINE}, "their own, and no revert"


def test_killed_before_and_after_a_landing_nothing_of_the_users_has_changed(tmp_path: Path) -> None:
    user = BusyUser(tmp_path, "target", *AROUND_TASKS)
    done: list[str] = []
    for seam, task in zip(AROUND, AROUND_TASKS, strict=True):
        killed_at(user, seam)
        landed = user.journaled("landed") > len(done)
        assert user.look() == user.followed(user.main(), *files_of(*done, *([task] if landed else []))), seam
        again = user.ralph("run", "--task", task)
        assert again.returncode == 0, again.stdout + again.stderr
        done.append(task)
        assert user.look() == user.followed(user.main(), *files_of(*done)), seam
    assert_unharmed(user)


AROUND_TASKS = ("K1", "K2", "K3", "K4")


def test_a_prompt_that_is_worked_on_in_place_first_gets_the_checkout_put_right(tmp_path: Path) -> None:
    user = BusyUser(tmp_path, "target", "A")
    killed_at(user, "landing.index.after#1")
    assert "known/A" in user.git("diff", "--cached", "--name-only"), (
        "the landed work shows, and is not on the branch"
    )
    done = user.ralph("run", "-p", "Another thing", "--task-id", "P", "--in-place", "--gate", "true")
    assert done.returncode == 0, done.stdout + done.stderr
    seen = user.look()
    assert (seen.index, seen.branches) == (user.before.index, user.before.branches)
    new = {path: digest for path, digest in seen.files.items() if path not in ("parts/P", "known/P")}
    assert new == user.before.files


@pytest.mark.parametrize("overlaps", ["edited", "staged", "untracked", "ignored", "deleted", "in the second"])
def test_where_edits_overlap_the_work_is_on_a_branch_and_the_report_says_so(
    tmp_path: Path, overlaps: str
) -> None:
    user = BusyUser(tmp_path, "both", "A")
    root = user.second if overlaps == "in the second" else user.path
    path = "parts/A" if overlaps in ("untracked", "ignored") else "known/A"
    if overlaps == "ignored":
        user.write(".gitignore", (user.path / ".gitignore").read_text() + "parts/\n")
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).unlink(missing_ok=True)
    if overlaps != "deleted":
        (root / path).write_text("mine\n")
    if overlaps == "staged":
        user.git("-c", "core.hooksPath=/dev/null", "add", path)
    before, main = user.look(), user.main()
    done = user.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    (landed,) = user.facts("landed")
    assert (landed["how"], landed["ref"]) == ("branch", "refs/heads/task/A-part-a")
    assert user.look() == before.but(branches={**before.branches, landed["ref"]: landed["commit"]})
    assert user.main() == main
    report = user.ralph("report").stdout
    for said in (done.stdout, report):
        assert "task/A-part-a" in said and f"{root}: your edits overlap: {path}" in said, said
    assert_unharmed(user)


def test_a_worktree_for_each_task_leaves_the_users_own_alone(tmp_path: Path) -> None:
    story = "git commit -q --no-verify --allow-empty -m mine\n" + STORY
    config = CONFIG + "workspace: worktree\n"
    user = BusyUser(tmp_path, "other", "A", "B", agent=story, config=config)
    (user.path / ".git/hooks/post-commit").unlink()  # the agent's own commits run it
    user.before = user.look()
    done = user.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    (branch,) = user.git("for-each-ref", "--format=%(refname)", "refs/heads/wip/").splitlines()
    wanted = user.followed(user.main(), *files_of("A"))
    seen = user.look()
    assert seen == wanted.but(branches={**wanted.branches, branch: user.git("rev-parse", branch)})
    assert user.ralph("task", "reopen", "B").returncode == 0
    again = user.ralph("run")  # its branch is free again, though an agent had committed to it
    assert again.returncode == 1, again.stdout + again.stderr
    assert branch.replace("refs/heads/", "refs/ralph/archive/") in user.git(
        "for-each-ref", "refs/ralph/archive"
    )
    assert set(user.look().worktrees) == set(seen.worktrees)


def test_what_a_cancelled_task_had_made_is_kept_and_no_branch_is(tmp_path: Path) -> None:
    user = BusyUser(tmp_path, "target", "A", agent="mkdir -p parts; echo half > parts/A; " + SLOW)
    run = user.start("run")
    try:
        until(lambda: user.mark("began"), "the agent works")
        assert user.ralph("cancel").returncode == 0
        run.wait(60)
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
    assert user.look() == user.before
    ref = user.git("for-each-ref", "--format=%(refname)", "refs/ralph/recovery")
    assert user.git("show", f"{ref}:parts/A") == "half"
    assert user.end()["end"] == "cancelled" and user.end()["reason"].endswith(f"kept as {ref}")
    assert_unharmed(user)
