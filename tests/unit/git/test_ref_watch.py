"""Who moved a ref: what Ralph did itself, and branches of other loops, are not told; all else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspace_project import Sh

from ralph.errors import RalphError
from ralph.git.landing.target import move
from ralph.git.ref_watch import MOST_COMMITS, RefWatch, Update
from ralph.git.repo import Repo

SIDE = "refs/heads/side"


@pytest.fixture
def commits(project: Path, sh: Sh) -> list[str]:
    """Three commits, the newest first; `side` stands at the oldest, and HEAD on main at the newest."""
    for name in ("second", "third"):
        sh(project, "commit", "-q", "--allow-empty", "-m", name)
    found = sh(project, "rev-list", "HEAD").split()
    sh(project, "branch", "side", found[2])
    return found


def told(watch: RefWatch) -> list[str]:
    return [line.partition(":")[0] for line in watch.moved()]


def test_what_ralph_moved_itself_is_not_told_and_what_others_moved_is(
    repo: Repo, project: Path, sh: Sh, commits: list[str]
) -> None:
    watch = RefWatch(repo)
    move(repo, SIDE, commits[1], commits[2])
    move(repo, SIDE, commits[0], commits[1])
    sh(project, "tag", "theirs")
    assert told(watch) == ["refs/tags/theirs"]
    move(repo, SIDE, "", commits[0])
    assert told(watch) == []


def test_a_move_of_others_before_after_or_between_ralphs_is_told(
    repo: Repo, project: Path, sh: Sh, commits: list[str]
) -> None:
    watch = RefWatch(repo)
    sh(project, "branch", "-f", "side", commits[1])
    move(repo, SIDE, commits[0], commits[1])
    assert told(watch) == [SIDE]
    move(repo, SIDE, commits[1], commits[0])
    sh(project, "branch", "-f", "side", commits[2])
    assert told(watch) == [SIDE]
    move(repo, SIDE, commits[1], commits[2])
    move(repo, SIDE, commits[0], commits[1])
    sh(project, "branch", "-f", "side", commits[1])  # back to where Ralph had it once
    assert told(watch) == [SIDE]


def test_a_branch_that_ralph_made_meanwhile_is_another_loops(
    repo: Repo, project: Path, sh: Sh, commits: list[str]
) -> None:
    watch = RefWatch(repo)
    move(repo, "refs/heads/task/B", commits[2], "")
    sh(project, "branch", "-f", "task/B", commits[0])
    assert told(watch) == []


def test_branches_of_other_loops_are_not_told_but_its_own_is_where_nobody_was_to_work(
    repo: Repo, project: Path, sh: Sh, commits: list[str]
) -> None:
    at_work = {SIDE, "refs/heads/main"}
    watch = RefWatch(repo, lambda: at_work)
    sh(project, "branch", "-f", "side", commits[1])
    at_work.discard(SIDE)  # it ended meanwhile
    assert watch.moved(work=False) == ()
    sh(project, "reset", "-q", "--hard", commits[1])
    assert [line.partition(":")[0] for line in watch.moved(work=False)] == ["refs/heads/main"]


def test_after_a_death_what_the_dead_run_may_have_done_is_not_told(
    repo: Repo, project: Path, sh: Sh, commits: list[str]
) -> None:
    memory = RefWatch(repo).memory()
    made = [Update(SIDE, commits[1], commits[2]), Update(SIDE, commits[0], commits[1])]

    def later() -> list[str]:
        watch = RefWatch(repo)
        watch.recall(memory, made, {"refs/heads/task/B"})
        return told(watch)

    sh(project, "branch", "task/B", commits[0])
    sh(project, "branch", "-f", "side", commits[1])  # the second was only intended
    assert later() == []
    sh(project, "branch", "other", commits[0])
    assert later() == ["refs/heads/other"]


@pytest.mark.parametrize("how", ["symbolic", "link", "link-to-packed"])
def test_head_stands_for_the_branch_at_the_end_of_symbolic_ones(
    repo: Repo, project: Path, sh: Sh, commits: list[str], how: str
) -> None:
    if how == "symbolic":
        sh(project, "symbolic-ref", "refs/heads/master", "refs/heads/main")
        sh(project, "checkout", "-q", "master")
    else:
        (project / ".git/HEAD").unlink()
        (project / ".git/HEAD").symlink_to("refs/heads/main")
    if how == "link-to-packed":
        sh(project, "pack-refs", "--all")
    watch = RefWatch(repo)
    assert (watch.branch(), watch.commit()) == ("refs/heads/main", commits[0])
    sh(project, "commit", "-q", "--allow-empty", "-m", "work")
    assert told(watch) == []
    assert watch.commit() == sh(project, "rev-parse", "HEAD").strip() != commits[0]


def test_a_symbolic_ref_that_is_pointed_elsewhere_is_told_in_full(
    repo: Repo, project: Path, sh: Sh, commits: list[str]
) -> None:
    sh(project, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    watch = RefWatch(repo)
    later = RefWatch(repo)
    later.recall(watch.memory())
    assert later.moved() == (), "a symbolic ref is remembered as it was"
    sh(project, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/side")
    expected = "refs/remotes/origin/HEAD: ref: refs/remotes/origin/main → ref: refs/remotes/origin/side"
    assert watch.moved() == (expected,)


def test_packed_names_end_at_line_feeds_only(repo: Repo, project: Path, sh: Sh, commits: list[str]) -> None:
    sh(project, "branch", "odd\u2028one\x85", commits[1])
    watch = RefWatch(repo)
    sh(project, "pack-refs", "--all")
    assert watch.moved() == ()
    sh(project, "branch", "-f", "odd\u2028one\x85", commits[2])
    assert told(watch) == ["refs/heads/odd\u2028one\x85"]


def test_refs_that_are_packed_during_a_look_have_not_moved(
    repo: Repo, project: Path, sh: Sh, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = RefWatch(repo)
    sh(project, "tag", "theirs")  # so that it looks closely
    scan = RefWatch._stat_all

    def then_packed(self: RefWatch) -> dict[str, tuple[int, int, int]]:
        found = scan(self)
        sh(project, "pack-refs", "--all")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(RefWatch, "_stat_all", then_packed)
        assert told(watch) == ["refs/tags/theirs"]
    assert watch.moved() == ()
    assert watch.commit() == commits[0]


def test_commits_are_found_by_branch_each_once_and_a_fetched_or_older_one_is_not_new(
    repo: Repo, project: Path, sh: Sh, commits: list[str]
) -> None:
    watch = RefWatch(repo)
    for name in ("one", "two"):
        sh(project, "commit", "-q", "--allow-empty", "-m", name)
    sh(project, "branch", "copy")
    sh(project, "branch", "-f", "side", commits[1])
    watch.moved()
    new = sh(project, "rev-list", "HEAD").split()
    assert watch.new_commits() == {"main": (new[0], new[1])}
    watch.moved()
    assert watch.new_commits() == {}


def test_commits_on_a_detached_head_and_no_more_than_are_named(
    repo: Repo, project: Path, sh: Sh, commits: list[str]
) -> None:
    watch = RefWatch(repo)
    sh(project, "checkout", "-q", "--detach")
    for n in range(MOST_COMMITS + 3):
        sh(project, "commit", "-q", "--allow-empty", "-m", str(n))
    watch.moved()
    assert watch.new_commits() == {"HEAD": tuple(sh(project, "rev-list", "HEAD").split()[:MOST_COMMITS])}


def test_an_interrupted_iterations_commits_are_found_by_the_memory_of_the_refs(
    repo: Repo, project: Path, sh: Sh, commits: list[str]
) -> None:
    memory = RefWatch(repo).memory()
    sh(project, "commit", "-q", "--allow-empty", "-m", "one")
    later = RefWatch(repo)
    later.recall(memory)
    later.moved()
    assert later.new_commits() == {"main": (sh(project, "rev-parse", "HEAD").strip(),)}


def test_where_no_ref_moved_git_is_not_asked(
    repo: Repo, project: Path, sh: Sh, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    still, moved = RefWatch(repo), RefWatch(repo)
    still.moved()
    sh(project, "commit", "-q", "--allow-empty", "-m", "one")
    moved.moved()
    monkeypatch.setenv("PATH", str(project / "no-programs-here"))
    assert still.new_commits() == {}
    with pytest.raises((RalphError, OSError)):
        moved.new_commits()
