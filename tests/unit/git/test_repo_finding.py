"""Where the workspace is: found, absent, or refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspace_project import Sh, opened

from ralph.errors import RalphError
from ralph.git import program
from ralph.git.repo import OWN, commits_between, find, head, own_files, printable, safe_name, without_git


def test_subfolder_finds_the_top_of_the_work_tree(project: Path) -> None:
    found = opened(project / "src")
    assert found.root == project.resolve()
    assert found.git_dir == found.common_dir == project.resolve() / ".git"
    assert found.state_dir == project.resolve() / ".git" / "ralph"
    assert found.versioned


def test_linked_worktree_has_its_own_git_dir_and_shares_the_rest(
    project: Path, tmp_path: Path, sh: Sh
) -> None:
    sh(project, "worktree", "add", "-q", str(tmp_path / "linked"))
    found = opened(tmp_path / "linked")
    assert found.root == tmp_path.resolve() / "linked"
    assert found.common_dir == project.resolve() / ".git"
    assert found.git_dir.parent == found.common_dir / "worktrees"


def test_folder_without_git_is_none(tmp_path: Path) -> None:
    assert find(tmp_path) is None


def test_root_path_with_a_newline_is_found(tmp_path: Path, sh: Sh) -> None:
    root = tmp_path / "two\nlines"
    root.mkdir()
    sh(root, "init", "-q")
    assert opened(root).root == root.resolve()


def test_bare_repository_is_refused(tmp_path: Path, sh: Sh) -> None:
    sh(tmp_path, "init", "-q", "--bare", "b.git")
    with pytest.raises(RalphError, match="bare repository"):
        find(tmp_path / "b.git")


def test_inside_the_git_directory_is_refused(project: Path) -> None:
    with pytest.raises(RalphError, match="inside a git directory"):
        find(project / ".git" / "refs")


def test_git_file_that_leads_nowhere_is_damage_not_absence(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere/at/all\n")
    with pytest.raises(RalphError, match="cannot use this repository"):
        find(tmp_path)


def test_missing_git_program_is_said(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(RalphError, match="git program was not found"):
        find(project)


def test_callers_git_environment_does_not_leak_in(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "their-index"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.bare")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    assert opened(project).root == project.resolve()


def test_head_before_and_after_the_first_commit(tmp_path: Path, project: Path, sh: Sh) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    sh(empty, "init", "-q")
    assert head(opened(empty)) is None
    assert head(opened(project)) == sh(project, "rev-parse", "HEAD").strip()
    assert head(without_git(tmp_path)) is None


def test_own_files_are_those_at_the_root_and_in_the_folder_of_the_run(project: Path) -> None:
    found = own_files(
        opened(project), project / "src", ["notes/pad.md", "../elsewhere.md", "../../outside.md"]
    )
    assert set(OWN) <= set(found)
    assert {"src/.ralph", "src/.stop", "src/notes/pad.md", "elsewhere.md"} <= set(found)
    assert not any("outside" in path for path in found)


def test_safe_names_are_usable_and_distinct() -> None:
    assert safe_name("loop-1") == "loop-1"
    odd = {safe_name(text) for text in ("a/b", "a b", "..", "", "a.lock", "ü")}
    assert len(odd) == 6
    assert all("/" not in name and "." not in name and name for name in odd)


def test_printable_path_survives_utf8() -> None:
    assert printable("ü") == "ü"
    assert printable("x\udcff").encode("utf-8")


def test_failure_of_git_is_told_with_its_words(project: Path) -> None:
    with pytest.raises(program.GitFailed, match="git cat-file failed: Not a valid object name") as caught:
        program.run(("cat-file", "-e", "nonsense"), cwd=project)
    assert caught.value.code == 70


def test_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(RalphError, match="does not exist"):
        program.run(("version",), cwd=tmp_path / "absent")


DAMAGED = {
    "empty": b"",
    "garbage": b"\xe9 garbage\n",
    "missing": b"1" * 40 + b"\n",
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_branch_is_not_taken_for_one_before_its_first_commit(
    project: Path, sh: Sh, content: bytes
) -> None:
    (project / ".git/refs/heads/main").write_bytes(content)
    with pytest.raises(RalphError, match="git finds no commit here") as told:
        head(opened(project))
    assert "git fsck" in told.value.todo and told.value.where == str(project.resolve())
    sh(project, "symbolic-ref", "HEAD", "refs/heads/other")
    assert head(opened(project)) is None


def test_a_commit_that_is_missing_is_named(project: Path, sh: Sh) -> None:
    commit = sh(project, "rev-parse", "HEAD").strip()
    linked = project.parent / "linked"
    sh(project, "worktree", "add", "-q", "--detach", str(linked))
    sh(project, "pack-refs", "--all")
    (project / ".git/objects" / commit[:2] / commit[2:]).unlink()
    for place in (project, linked):
        with pytest.raises(RalphError, match=f"{commit[:12]}, is missing"):
            head(opened(place))


def test_commits_from_a_ref_that_was_spoiled_are_not_counted(project: Path) -> None:
    repo = opened(project)
    assert commits_between(repo, head(repo) or "", "\udce9\0") == 0
