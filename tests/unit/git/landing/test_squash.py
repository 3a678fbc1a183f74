"""What lands is made of objects: commits that repeat exactly, merges with the tip, objects out of a workspace."""

from __future__ import annotations

from pathlib import Path

from landing_world import ME, WHEN, commit, head_of
from workspace_project import Sh, opened

from portrait import portrait
from ralph.git.landing.squash import Person, author, bring_history, bring_tree, drop_keeps, merge, squash
from ralph.git.repo import Repo
from ralph.git.snapshots import Snapshots


def tree(sh: Sh, root: Path, name: str) -> str:
    return sh(root, "rev-parse", f"{name}^{{tree}}").strip()


def test_the_same_squash_is_the_same_commit(repo: Repo, project: Path, sh: Sh) -> None:
    base = head_of(project, sh)
    made = [
        squash(repo, tree(sh, project, base), base, "[A] t\n\nCompletes: A\n", ME, WHEN) for _ in range(2)
    ]
    assert made[0] == made[1]
    shown = sh(project, "log", "-1", "--format=%an %ae %cn %aI %P%n%B", made[0])
    assert (
        shown == f"U Ser user@example.org U Ser 2026-01-02T03:04:05+00:00 {base}\n[A] t\n\nCompletes: A\n\n"
    )


def test_the_author_is_whom_git_knows(repo: Repo, project: Path, sh: Sh) -> None:
    assert author(repo) == Person("T", "t@example.org")
    sh(project, "config", "user.name", "Evil <x>\n")
    assert author(repo).name == "Evil x"


def test_changes_of_different_files_merge(repo: Repo, project: Path, sh: Sh) -> None:
    base = head_of(project, sh)
    theirs, ours = commit(repo, sh, base, {"a.txt": "tip\n"}), commit(repo, sh, base, {"src/b.py": "b = 2\n"})
    before = portrait(project)
    merged = merge(repo, base, theirs, tree(sh, project, ours))
    assert merged.conflicts == () and merged.text == ""
    assert sh(project, "show", f"{merged.tree}:a.txt") == "tip\n"
    assert sh(project, "show", f"{merged.tree}:src/b.py") == "b = 2\n"
    assert merge(repo, base, base, tree(sh, project, ours)).tree == tree(sh, project, ours)
    assert portrait(project) == before


def test_changes_in_different_places_of_one_file_are_no_conflict(repo: Repo, project: Path, sh: Sh) -> None:
    lines = [f"line {n}\n" for n in range(30)]
    base = commit(repo, sh, head_of(project, sh), {"a.txt": "".join(lines)})
    theirs = commit(repo, sh, base, {"a.txt": "".join(["first\n", *lines[1:]])})
    ours = commit(repo, sh, base, {"a.txt": "".join([*lines[:-1], "last\n"])})
    merged = merge(repo, base, theirs, tree(sh, project, ours))  # of which git says that it is "Auto-merging"
    assert merged.conflicts == () and merged.text == ""
    assert sh(project, "show", f"{merged.tree}:a.txt") == "".join(["first\n", *lines[1:-1], "last\n"])


def test_a_conflict_is_named_and_marked(repo: Repo, project: Path, sh: Sh) -> None:
    base = head_of(project, sh)
    theirs = commit(repo, sh, base, {"a.txt": "tip\n", "src/b.py": None})
    ours = commit(repo, sh, base, {"a.txt": "mine\n", "src/b.py": "b = 2\n", "c": "c\n"})
    merged = merge(repo, base, theirs, tree(sh, project, ours))
    assert merged.conflicts == ("a.txt", "src/b.py")
    assert "CONFLICT (content): Merge conflict in a.txt" in merged.text
    assert "CONFLICT (modify/delete): src/b.py" in merged.text
    shown = sh(project, "show", f"{merged.tree}:a.txt")
    assert shown.startswith("<<<<<<< ") and "tip\n=======\nmine\n>>>>>>> " in shown


def test_a_file_added_to_a_folder_that_was_split_is_a_conflict_of_that_folder(
    repo: Repo, project: Path, sh: Sh, snapshots: Snapshots
) -> None:
    texts = {name: "".join(f"{name} {n}\n" for n in range(30)) for name in "abcd"}
    base = commit(repo, sh, head_of(project, sh), {f"o/{name}": text for name, text in texts.items()})
    moves: dict[str, str | None] = {f"{'p' if name in 'ab' else 'q'}/{name}": texts[name] for name in texts}
    theirs = commit(repo, sh, base, {**dict.fromkeys(f"o/{name}" for name in texts), **moves})
    ours = commit(repo, sh, base, {"o/new": "new\n"})
    merged = merge(repo, base, theirs, tree(sh, project, ours))
    assert merged.conflicts == ("o",)
    assert merged.text.startswith("CONFLICT (directory rename split): Unclear where to rename o to")
    held = sh(project, "ls-tree", "-r", "--name-only", merged.tree).split()
    assert {"o/new", "p/a", "p/b", "q/c", "q/d"} <= set(held)
    # What looks for the marks of a conflict finds no file there, and none once the folder is gone.
    assert snapshots.read(merged.tree, "o") is None
    assert snapshots.read(tree(sh, project, theirs), "o") is None


def test_a_changed_submodule_that_is_ignored_comes_home_too(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path
) -> None:
    """`ignore = all` hides it from every diff that is not told otherwise."""
    first = head_of(project, sh)
    (project / ".gitmodules").write_text('[submodule "s"]\n\tpath = s\n\turl = ./s\n\tignore = all\n')
    sh(project, "add", ".gitmodules")
    sh(project, "update-index", "--add", "--cacheinfo", f"160000,{first},s")
    sh(project, "commit", "-qm", "sub")
    base = head_of(project, sh)
    clone = tmp_path / "clone"
    sh(tmp_path, "clone", "-q", "--shared", str(project), str(clone))
    sh(clone, "update-index", "--cacheinfo", f"160000,{base},s")
    made = sh(clone, "write-tree").strip()
    bring_tree(repo, clone / ".git/objects", made, base)
    assert base in sh(project, "ls-tree", made, "s")


def test_objects_of_a_workspace_come_home_without_git_running_there(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path
) -> None:
    base = head_of(project, sh)
    clone = tmp_path / "clone: odd"
    sh(tmp_path, "clone", "-q", "--shared", str(project), str(clone))
    (clone / "deep/er").mkdir(parents=True)
    for number in range(3):
        (clone / f"deep/er/f{number}").write_text(f"{number}\n")
    (clone / "a.txt").unlink()
    sh(clone, "add", "-A")
    sh(clone, "commit", "-qm", "few")
    few = head_of(clone, sh)
    few_tree = tree(sh, clone, few)
    for number in range(150):
        (clone / f"g{number}").write_text(f"{number}\n")
    sh(clone, "add", "-A")
    sh(clone, "commit", "-qm", "many")
    many = head_of(clone, sh)
    (clone / ".git/config").write_text("[broken")
    before = portrait(project)
    objects = clone / ".git/objects"
    bring_tree(repo, objects, tree(sh, project, base), base)
    for number in (1, 2):  # again is no harm
        bring_tree(repo, objects, few_tree, base, loop="one")
        assert sh(project, "show", f"{few_tree}:deep/er/f0") == "0\n", number
    assert sh(project, "cat-file", "-t", few, check=False) == "", "not its commits"
    bring_history(repo, objects, few, base, loop="one")
    bring_history(repo, objects, many, few, loop="two")
    sh(project, "gc", "-q", "--prune=now")
    sh(project, "rev-list", "--objects", many)
    sh(project, "fsck")
    assert portrait(project) == before
    packs = project / ".git/objects/pack"
    assert len(list(packs.glob("*.keep"))) == 3, "no gc touches them"
    drop_keeps(repo, "one")
    (kept,) = packs.glob("*.keep")
    assert kept.read_text() == "ralph two\n"
    assert not list((project / ".git/ralph").glob("tmp*"))


def test_a_sha256_repository_squashes_and_merges(tmp_path: Path, sh: Sh) -> None:
    root = tmp_path / "sha256"
    sh(tmp_path, "init", "-q", "--object-format=sha256", str(root))
    (root / "a").write_text("a\n")
    sh(root, "add", "-A")
    sh(root, "commit", "-qm", "first")
    repo, base = opened(root), head_of(root, sh)
    one, two = commit(repo, sh, base, {"b": "b\n"}), commit(repo, sh, base, {"c": "c\n"})
    merged = merge(repo, base, one, tree(sh, root, two))
    assert len(merged.tree) == 64 and sh(root, "ls-tree", "--name-only", merged.tree).split() == [
        "a",
        "b",
        "c",
    ]


def test_of_learnings_a_merge_keeps_both_sides(repo: Repo, project: Path, sh: Sh) -> None:
    base = commit(repo, sh, head_of(project, sh), {"learnings.md": "first\n", "notes.md": "first\n"})
    theirs = commit(repo, sh, base, {"learnings.md": "first\ntheirs\n"})
    ours = commit(repo, sh, base, {"learnings.md": "first\nours\n"})
    merged = merge(repo, base, theirs, tree(sh, project, ours))
    assert merged.conflicts == ()
    assert sh(project, "show", f"{merged.tree}:learnings.md").split() == ["first", "theirs", "ours"]
    other = [commit(repo, sh, base, {"notes.md": f"first\n{side}\n"}) for side in ("theirs", "ours")]
    assert merge(repo, base, other[0], tree(sh, project, other[1])).conflicts == ("notes.md",)
