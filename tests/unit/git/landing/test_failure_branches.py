"""Failure branches: made without a checkout, found again, archived on a rerun, pushed in bounded time."""

from __future__ import annotations

from pathlib import Path

from landing_world import ME, busy_user, commit, head_of, no_hook_ran
from workspace_project import Sh

from portrait import portrait
from ralph.git.landing.failure_branch import (
    Failure,
    FailureBranch,
    archive,
    fail_branch,
    fail_commit,
    failure_branches,
    find_failure,
)
from ralph.git.landing.remote import push
from ralph.git.landing.squash import Person
from ralph.git.repo import Repo

FAILED = Failure("A.1", 5, 50, 4, 5, "tests", "abc123")


def tree_of(repo: Repo, sh: Sh, base: str, changes: dict[str, str | None]) -> str:
    return sh(repo.root, "rev-parse", f"{commit(repo, sh, base, changes)}^{{tree}}").strip()


def failed(
    repo: Repo, tree: str, base: str, failure: Failure, state: str, by: Person, when: str
) -> FailureBranch:
    return fail_branch(repo, failure.task, fail_commit(repo, tree, base, failure, state, by, when), when)


def test_the_branch_holds_work_state_and_message(repo: Repo, project: Path, sh: Sh) -> None:
    busy_user(project, sh)
    before = portrait(project)
    base = head_of(project, sh)
    tree = tree_of(repo, sh, base, {"a.txt": "half\n", ".ralph_state.md": "stale\n"})
    made = [failed(repo, tree, base, FAILED, "# State\n", ME, "2026-01-21T11:30:45+01:00") for _ in range(2)]
    assert made[0] == made[1] and made[0].branch == "wip/ralph-fail-A.1-20260121-103045"
    assert sh(project, "log", "-1", "--format=%P%n%B", made[0].branch) == (
        f"{base}\nRalph Loop failed: A.1\n\nIterations: 5/50\nAttempts: 4/5\nLast gate: tests\nError hash: abc123\n\n"
        "See .ralph_state.md for full history\n\n"
    )
    assert sh(project, "show", f"{made[0].branch}:.ralph_state.md") == "# State\n"
    assert sh(project, "show", f"{made[0].branch}:a.txt") == "half\n"
    after = portrait(project)
    assert after == before.but(branches={**before.branches, f"refs/heads/{made[0].branch}": made[0].commit})
    assert no_hook_ran(project)
    sh(project, "fsck", "--strict")


def test_two_failures_in_one_second_get_two_branches(repo: Repo, project: Path, sh: Sh) -> None:
    base = head_of(project, sh)
    one = failed(repo, tree_of(repo, sh, base, {"x": "1"}), base, FAILED, "", ME, "2026-01-21T10:30:45Z")
    two = failed(repo, tree_of(repo, sh, base, {"x": "2"}), base, FAILED, "", ME, "2026-01-21T10:30:45Z")
    assert two.branch == f"{one.branch}-2"


def test_a_loop_that_was_cut_short_finds_its_own_branch_and_not_an_earlier_loops(
    repo: Repo, project: Path, sh: Sh
) -> None:
    base = head_of(project, sh)
    tree = tree_of(repo, sh, base, {"x": "1"})

    def commit_at(when: str) -> str:
        return fail_commit(repo, tree, base, FAILED, f"---\ntimestamp: {when}\n", ME, when)

    when = "2026-01-21T10:30:45.123Z"
    made = fail_branch(repo, "A.1", commit_at(when), when)
    assert find_failure(repo, "A.1", "20260121-103000", commit_at) == made
    assert find_failure(repo, "A.1", "20260121-103046", commit_at) is None, (
        "a rerun that fails in the same way"
    )
    assert find_failure(repo, "A.1", "20260121-103000", lambda when: base) is None
    assert find_failure(repo, "A.2", "20260121-103000", commit_at) is None


def test_a_rerun_archives_only_this_tasks_untouched_branches(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path
) -> None:
    base = head_of(project, sh)
    tree = tree_of(repo, sh, base, {"x": "1"})

    def fail(task: str, second: int) -> str:
        failure = Failure(task, 1, 50, 0, 5, "", "")
        return failed(repo, tree, base, failure, "", ME, f"2026-01-21T10:30:{second:02}Z").branch

    mine, looked_at, built_on = fail("A.1", 1), fail("A.1", 2), fail("A.1", 3)
    fail("A.1-20260121-103045", 4)
    fail("A.10", 5)
    sh(project, "worktree", "add", "-q", str(tmp_path / "look"), looked_at)
    sh(project, "update-ref", f"refs/heads/{built_on}", commit(repo, sh, built_on, {"y": "y"}, text="mine\n"))
    sh(project, "branch", "wip/ralph-fail-A.1-notes")
    branches = sh(project, "branch", "--format=%(refname:short)").split()
    assert [one.branch for one in failure_branches(repo, "A.1")] == [mine, looked_at]
    assert [one.branch for one in archive(repo, "A.1")] == [mine]
    assert archive(repo, "A.1") == []
    assert sh(project, "branch", "--format=%(refname:short)").split() == [b for b in branches if b != mine]
    assert sh(project, "rev-parse", f"refs/ralph/archive/{mine}^{{tree}}")


def test_a_branch_of_the_user_with_odd_characters_in_its_subject_is_no_trouble(
    repo: Repo, project: Path, sh: Sh
) -> None:
    base = head_of(project, sh)
    tree = tree_of(repo, sh, base, {"x": "1"})
    made = failed(repo, tree, base, FAILED, "", ME, "2026-01-21T10:30:45Z")
    odd = commit(repo, sh, base, {"y": "1"}, text="a\rb\x0bc\x0cd\x1ce\x85f\u2028g h\n")
    for name in ("wip/a", "wip/z", "wip/an\u2028odd\x85one"):
        sh(project, "branch", name, odd)
    assert failure_branches(repo, "A.1") == [made]
    assert archive(repo, "A.1") == [made]


def test_a_push_takes_no_tags_along(repo: Repo, project: Path, sh: Sh, tmp_path: Path) -> None:
    sh(tmp_path, "init", "-q", "--bare", str(tmp_path / "remote.git"))
    sh(project, "remote", "add", "origin", str(tmp_path / "remote.git"))
    sh(project, "config", "push.followTags", "true")
    sh(project, "tag", "-a", "-m", "mine", "v1")
    assert push(repo, "wip/x", head_of(project, sh)) == ""
    assert sh(tmp_path / "remote.git", "for-each-ref", "--format=%(refname)").split() == ["refs/heads/wip/x"]


def test_the_only_remote_is_pushed_to_whatever_its_name(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path
) -> None:
    sh(tmp_path, "init", "-q", "--bare", str(tmp_path / "remote.git"))
    sh(project, "remote", "add", "my\u2003remote", str(tmp_path / "remote.git"))
    assert push(repo, "wip/x", head_of(project, sh)) == ""
    assert "refs/heads/wip/x" in sh(tmp_path / "remote.git", "for-each-ref", "--format=%(refname)").split()


def test_a_push_reaches_the_remote_or_warns(repo: Repo, project: Path, sh: Sh, tmp_path: Path) -> None:
    busy_user(project, sh)
    base = head_of(project, sh)
    assert push(repo, "wip/x", base)
    sh(tmp_path, "init", "-q", "--bare", str(tmp_path / "remote.git"))
    sh(project, "remote", "add", "origin", str(tmp_path / "remote.git"))
    before = portrait(project)
    new = commit(repo, sh, base, {"a.txt": "1\n"})
    assert push(repo, "wip/x", base) == push(repo, "wip/x", base) == ""
    assert push(repo, "wip/x", new) == ""
    other = commit(repo, sh, base, {"a.txt": "2\n"})
    assert push(repo, "wip/x", other), "what is there is not ours to overwrite"
    after = portrait(project)
    assert after.branches == before.branches and after.config == before.config and no_hook_ran(project)
    sh(project, "remote", "set-url", "origin", "ssh://nobody@127.0.0.1:1/x")
    refused = push(repo, "wip/x", base)
    assert refused.startswith("git push to origin: ")
    sh(project, "config", "core.sshCommand", "sleep 60 #")
    hangs = push(repo, "wip/x", base, seconds=0.3)
    assert hangs
