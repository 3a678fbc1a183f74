"""Settings, marks and names in a work tree behind which a change could be hidden, and is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from workspace_project import Sh, names, opened, user_state

from ralph.git.ignored_files import newly_ignored, own_excludes
from ralph.git.repo import Repo, own_files
from ralph.git.snapshots import Snapshots
from ralph.git.trees import Change
from ralph.git.uncommitted_changes import declared_submodules, uncommitted_paths
from ralph.git.workspaces.pool import refuse


def repository(path: Path, sh: Sh) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    sh(path, "init", "-q")
    (path / "inner").write_text("1")
    sh(path, "add", "-A")
    sh(path, "commit", "-qm", "inner")
    return path


def with_submodule(project: Path, path: str, sh: Sh) -> Path:
    library = repository(project.parent / "library", sh)
    sh(project, "submodule", "--quiet", "add", str(library), path)
    sh(project, "commit", "-qm", "submodule")
    return project / path


def declare(project: Path, line: str) -> None:
    (project / ".gitmodules").write_text(f'[submodule "x"]\n\t{line}\n\turl = u\n')


def changes(snapshots: Snapshots, before: str, after: str) -> set[tuple[str, str]]:
    return {(change.path, change.status) for change in snapshots.diff(before, after)}


# --- submodules


@pytest.mark.parametrize(
    "line",
    [
        "path = .",
        "path",
        'path = ""',
        "path = nested/..",
        "path = ./nested",
        "path = ../sibling",
        "path = {sibling}",
        "path = outside/sibling",  # through a link
        "path = .git/inside",
    ],
)
def test_a_submodule_can_only_be_declared_below_the_root(
    project: Path, either: Snapshots, sh: Sh, line: str
) -> None:
    sibling = repository(project.parent / "sibling", sh)
    for place in ("nested", ".git/inside"):
        repository(project / place, sh)
    (project / "outside").symlink_to(project.parent)
    before = either.take()
    declare(project, line.format(sibling=sibling))
    (project / "a.txt").write_text("tampered\n")
    (project / "new").write_text("n")
    for _ in range(2):
        found = either.take()
        assert found.nested == before.nested == ("nested",)
        assert changes(either, before.tree, found.tree) == {
            (".gitmodules", "A"),
            ("a.txt", "M"),
            ("new", "A"),
        }


def test_a_repository_with_a_name_that_no_index_takes_stays_named(
    project: Path, snapshots: Snapshots, sh: Sh
) -> None:
    repository(project / "git~1", sh)  # a second name of `.git` on some systems
    assert snapshots.take().nested == ("git~1",)
    declare(project, "path = git~1")
    assert snapshots.take().nested == ("git~1",)


def test_an_ordinary_declared_path_is_kept(project: Path, repo: Repo) -> None:
    (project / ".gitmodules").write_text(
        '[submodule "a"]\n\tpath = .github/lib\n[submodule "b"]\n\tpath = ..b/c d\n[submodule "c"]\n\tpath = /c\n'
    )
    assert declared_submodules(repo) == {".github/lib", "..b/c d"}


def test_a_submodule_whose_parent_became_a_link_is_a_deletion(
    project: Path, either: Snapshots, sh: Sh
) -> None:
    with_submodule(project, "libs/one", sh)
    before = either.take()
    (project / "libs").rename(project.parent / "moved")
    (project / "libs").symlink_to(project.parent / "moved")
    (project / "a.txt").write_text("tampered\n")
    found = either.take()
    assert changes(either, before.tree, found.tree) == {("libs/one", "D"), ("libs", "A"), ("a.txt", "M")}
    assert found.dirty_submodules == ()


def test_the_folder_of_the_run_can_become_a_link(project: Path, repo: Repo) -> None:
    snapshots = Snapshots(repo, "x", own_files(repo, project / "src"))
    before = snapshots.take()
    (project / "src").rename(project.parent / "moved")
    (project / "src").symlink_to(project.parent / "moved")
    found = snapshots.take()
    assert changes(snapshots, before.tree, found.tree) == {("src/b.py", "D"), ("src", "A")}


def test_a_submodule_that_gitmodules_wants_ignored_is_compared(
    project: Path, either: Snapshots, sh: Sh
) -> None:
    lib = with_submodule(project, "lib", sh)
    sh(project, "config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    before = either.take().tree
    sh(lib, "commit", "-q", "--allow-empty", "-m", "second")
    after = either.take().tree
    assert changes(either, before, after) == {("lib", "M")}
    assert either.patch_id(before, after)


@pytest.mark.parametrize("how", ["staged", "unstaged", "removed", "file", "link", "untracked"])
def test_a_submodule_that_differs_from_head_is_dirty(project: Path, sh: Sh, how: str) -> None:
    lib = with_submodule(project, "lib", sh)
    assert uncommitted_paths(opened(project)) == []
    match how:
        case "staged" | "unstaged":
            sh(lib, "commit", "-q", "--allow-empty", "-m", "second")
            sh(project, "add", *(["lib"] if how == "staged" else []))
        case "removed":
            shutil.rmtree(lib)
        case "file":
            shutil.rmtree(lib)
            lib.write_text("a file now")
        case "link":
            lib.rename(project.parent / "moved")
            lib.symlink_to(project.parent / "moved")
        case "untracked":
            sh(project, "rm", "-q", "--cached", "lib")
    assert uncommitted_paths(opened(project)) == ["lib"]


# --- marks in the user's index


MARKS = [("--assume-unchanged",), ("--skip-worktree",), ("--assume-unchanged", "--skip-worktree")]


@pytest.mark.parametrize("marks", MARKS, ids=" ".join)
@pytest.mark.parametrize("marked", [["a.txt"], ["a.txt", "src/b.py", ".gitignore"]], ids=["one", "all"])
def test_a_mark_that_hides_edits_from_git_status_hides_none_here(
    project: Path, either: Snapshots, repo: Repo, sh: Sh, marks: tuple[str, ...], marked: list[str]
) -> None:
    for mark in marks:
        sh(project, "update-index", mark, *marked)
    before = user_state(project, sh)
    first = either.take().tree
    assert uncommitted_paths(repo) == []
    (project / "a.txt").write_text("edited\n")
    assert changes(either, first, either.take().tree) == {("a.txt", "M")}
    assert uncommitted_paths(repo) == ["a.txt"]
    either.restore(first)
    assert (project / "a.txt").read_text() == "a\n"
    assert user_state(project, sh) == before


# --- names


def test_a_file_name_cannot_make_another_file_look_like_a_repository(
    project: Path, either: Snapshots
) -> None:
    before = either.take().tree
    odd = "a'\nadd 'conftest.py/'\nq"
    (project / odd).parent.mkdir()
    (project / odd).write_text("q")
    (project / "conftest.py").write_text("tampered")
    found = either.take()
    assert found.nested == ()
    assert changes(either, before, found.tree) == {(odd, "A"), ("conftest.py", "A")}


def test_a_file_name_cannot_take_a_submodule_out(project: Path, either: Snapshots, sh: Sh) -> None:
    with_submodule(project, "lib", sh)
    before = either.take().tree
    odd = "a'\nadd 'lib/'\nq"
    (project / odd).parent.mkdir()
    (project / odd).write_text("q")
    assert changes(either, before, either.take().tree) == {(odd, "A")}


@pytest.mark.parametrize("name", ["n'\nz", "'\nadd 'src"])
def test_a_repository_is_found_whatever_its_name(project: Path, either: Snapshots, sh: Sh, name: str) -> None:
    before = either.take().tree
    repository(project / name, sh)
    (project / "new").write_text("n")
    found = either.take()
    assert found.nested == (name,)
    assert changes(either, before, found.tree) == {("new", "A")}


def test_the_last_file_with_a_line_end_in_its_name_can_go(tmp_path: Path, sh: Sh) -> None:
    root = tmp_path / "r"
    sh(tmp_path, "init", "-q", str(root))
    (root / "two\nlines").write_text("t")
    snapshots = Snapshots(opened(root), "x")
    assert names(snapshots, snapshots.take().tree) == {"two\nlines"}
    (root / "two\nlines").unlink()
    assert names(snapshots, snapshots.take().tree) == set()


@pytest.mark.parametrize("name", [":memory:", ":!x.tmp", ":/y"])
def test_a_name_that_begins_with_a_colon_is_asked_about_as_a_name(
    project: Path, snapshots: Snapshots, name: str
) -> None:
    rules = project / ".gitignore"
    rules.write_text(":memory:\n*.tmp\n:/y\n")
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text("m")
    (project / ":new").write_text("n")
    base = snapshots.take().tree
    changed = [Change(".gitignore", "M")]
    rules.write_text(f"{rules.read_text()}unrelated\n")
    assert newly_ignored(snapshots, base, own_excludes(snapshots.repo), changed) == ()
    rules.write_text(f"{rules.read_text()}?new\n")
    snapshots.take()
    assert newly_ignored(snapshots, base, own_excludes(snapshots.repo), changed) == (":new",)


# --- attributes


@pytest.mark.parametrize("line", ["# *.psd filter=lfs", " \t#*.psd filter=lfs", "\ufeff# *.psd filter=lfs"])
def test_a_comment_in_the_attributes_refuses_no_workspace(
    project: Path, repo: Repo, sh: Sh, line: str
) -> None:
    def after(text: str) -> str | None:
        (project / ".gitattributes").write_text(text, encoding="utf-8")
        sh(project, "add", "-A")
        sh(project, "commit", "-qm", "attributes")
        return refuse(repo, sh(project, "rev-parse", "HEAD").strip())

    assert after(f"{line}\n*.txt text\n") is None
    assert "Git LFS" in (after(f"{line}\n  *.psd filter=lfs\n") or "")
