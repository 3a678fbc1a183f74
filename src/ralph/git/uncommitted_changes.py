"""What a work tree holds that is not committed, read from a copy of the user's index; nothing is refreshed or locked."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ralph.errors import RalphError
from ralph.files import read_bytes
from ralph.git import program
from ralph.git.private_index import PrivateIndex, excludes
from ralph.git.repo import OWN, Repo, find, head, readable_head

GITLINK = "160000"
_REFUSED = re.compile(r"(?i)(?:^|/)(?:\.git|git~1)[ .]*(?:[/:\\]|$)")  # git has no such path in an index


LARGE = 1000  # files of a folder that git neither tracks nor ignores: hardly anybody's work


def uncommitted_paths(repo: Repo, own: Sequence[str] = ()) -> list[str]:
    """Paths with staged, unstaged or untracked changes and changed submodules, without ignored and Ralph's own files."""
    if not repo.versioned:
        return []
    status, listed = _status(repo, own, "all")
    found = {path.rstrip("/") for path in status}
    for path, commit in gitlinks(listed).items():
        submodule = open_submodule(repo, path)
        if submodule is not None and (readable_head(submodule) != commit or uncommitted_paths(submodule)):
            found.add(path)
    return sorted(found)


def large_folders(repo: Repo, own: Sequence[str] = ()) -> dict[str, int]:
    """Untracked folders of many files that no rule ignores, and how many: dependencies or a build, most likely."""
    untracked = uncommitted_paths(repo, own)
    if len(untracked) < LARGE:
        return {}
    folders = [path for path in _status(repo, own, "normal")[0] if path.endswith("/")]
    counts = {folder: sum(path.startswith(folder) for path in untracked) for folder in folders}
    return {folder: count for folder, count in counts.items() if count >= LARGE}


def _status(repo: Repo, own: Sequence[str], untracked: str) -> tuple[list[str], list[Entry]]:
    """What `git status` names, and the entries of the index. Of a folder without tracked files and `normal`, its name with a
    slash at the end."""
    with tempfile.TemporaryDirectory(prefix="ralph-status-") as folder:
        shadow = PrivateIndex(repo, Path(folder) / "shadow")
        shadow.open()
        shadow.set_head(head(repo))
        shadow.copy_user_index(shadow.index)
        listed = entries_without_marks(shadow)
        status = shadow.run(
            *(
                "status",
                "--porcelain=v1",
                "-z",
                f"--untracked-files={untracked}",
                "--no-renames",
                "--ignore-submodules=dirty",  # what is in them is asked below: this git would run another one there
            ),
            *excludes((*OWN, *own)),
        )
    return [os.fsdecode(line[3:]) for line in status.split(b"\0")[:-1]], listed


def committed(repo: Repo, path: str) -> bytes:
    """The file's content in HEAD; nothing where it is not there."""
    try:
        return program.run(("cat-file", "blob", f"HEAD:{path}"), cwd=repo.root)
    except program.GitFailed:
        return b""


Entry = tuple[str, str, str]  # mode, object, path


def tree_entries(listed: bytes) -> list[Entry]:
    """What `git ls-tree -z` says of files."""
    return [(mode, oid, path) for (mode, _, oid), path in _split(listed)]


def index_entries(listed: bytes) -> list[Entry]:
    """What `git ls-files -s -z` says."""
    return [(mode, oid, path) for (mode, oid, _), path in _split(listed)]


def _split(listed: bytes) -> Iterator[tuple[list[str], str]]:
    for line in os.fsdecode(listed).split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        yield facts.split(" "), path


def entries_without_marks(shadow: PrivateIndex) -> list[Entry]:
    """The entries of the shadow's index, after taking from it the marks "assume unchanged" and "skip worktree": they are
    the user's wishes for git status, and edits of such files would not be seen. In a sparse checkout the second mark says
    which files are not there."""
    listed = shadow.run("ls-files", "-s", "-v", "-z").split(b"\0")[:-1]
    for mark, tags in (("assume-unchanged", b"hs"), ("skip-worktree", b"" if shadow.sparse else b"sS")):
        marked = [line.partition(b"\t")[2] + b"\0" for line in listed if line[:1] in tags]
        if marked:
            shadow.run("update-index", f"--no-{mark}", "-z", "--stdin", stdin=b"".join(marked))
    return index_entries(b"".join(line[2:] + b"\0" for line in listed))


def gitlinks(entries: Iterable[Entry]) -> dict[str, str]:
    """Path and commit of every submodule among them."""
    return {path: commit for mode, commit, path in entries if mode == GITLINK}


def open_submodule(repo: Repo, path: str) -> Repo | None:
    """The repository checked out at `path`; None when there is none (a submodule that was not initialised)."""
    folder = repo.root.resolve() / path
    if not is_repository(folder):
        return None
    try:
        submodule = find(folder)
    except RalphError:  # its `.git` leads nowhere
        return None
    # Through a link or `..` it may be anything: the project itself, or a folder outside.
    return submodule if submodule is not None and repo.root != submodule.root == folder else None


def is_repository(folder: Path) -> bool:
    """Whether the folder has its own usable `.git`, as a folder or as a file that points elsewhere."""
    marker = folder / ".git"
    try:
        return (marker / "HEAD").is_file() or read_bytes(marker, 100).startswith(b"gitdir:")
    except OSError:
        return False


def declared_submodules(repo: Repo) -> set[str]:
    """The paths inside the work tree that its `.gitmodules` declares."""
    try:
        listed = program.run(
            ("config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$"), cwd=repo.root
        )
    except program.GitFailed:  # none, or unreadable: then it declares nothing
        return set()
    values = (os.fsdecode(item.partition(b"\n")[2]) for item in listed.split(b"\0")[:-1])
    return {path for path in values if _below(path)}


def _below(path: str) -> bool:
    """Whether it is the path of something below the root, written as in an index."""
    normal = path == os.path.normpath(path) and path.split("/")[0] not in ("", ".", "..")
    return normal and not _REFUSED.search(path)


def is_plain_path(root: Path, path: str) -> bool:
    """Whether it is in the work tree: a link on the way to it may lead anywhere."""
    return not any((root / parent).is_symlink() for parent in Path(path).parents)


def under(path: str, roots: Iterable[str]) -> bool:
    """Whether `path` is one of `roots` or below one."""
    return any(path == root or path.startswith(f"{root}/") for root in roots)


def own_entries(entries: Iterable[Entry], own: Sequence[str]) -> dict[str, str]:
    """Path and "mode object" of those at or below these paths."""
    return {path: f"{mode} {oid}" for mode, oid, path in entries if under(path, own)}


def committed_own_files(shadow: PrivateIndex, commit: str | None, own: Sequence[str]) -> dict[str, str]:
    if not commit:
        return {}
    return own_entries(
        tree_entries(shadow.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *own)), own
    )


def put_entries(
    shadow: PrivateIndex, entries: Iterable[Entry], wanted: dict[str, str], own: Sequence[str]
) -> bool:
    """Make the private index, which holds these `entries`, hold exactly the wanted ones of the own paths."""
    held, zero = own_entries(entries, own), shadow.repo.zero
    gone = "".join(f"0 {zero}\t{path}\0" for path in held.keys() - wanted.keys())
    new = "".join(f"{entry}\t{path}\0" for path, entry in wanted.items() if held.get(path) != entry)
    if gone or new:
        told = os.fsencode(gone + new)
        shadow.run("update-index", "--add", "--replace", "-z", "--index-info", stdin=told)
    return bool(gone or new)


def follow_commit(shadow: PrivateIndex, old: str | None, new: str, own: Sequence[str]) -> None:
    """The files of the work tree that two commits hold differently become the new one's, where no one has changed them."""
    was, now = committed_own_files(shadow, old, own), committed_own_files(shadow, new, own)
    moved = {path for path in was.keys() | now.keys() if was.get(path) != now.get(path)}
    root = shadow.repo.root
    moved = {path for path in moved if is_plain_path(root, path)}
    moved -= {path for path in moved if GITLINK in (was.get(path, "")[:6], now.get(path, "")[:6])}
    if not moved:
        return
    with shadow.scratch_index() as index:
        if old:
            shadow.run("read-tree", old, index=index)
        specs = [f":(literal){path}" for path in sorted(moved)]
        edited = set(os.fsdecode(shadow.run("ls-files", "-m", "-z", "--", *specs, index=index)).split("\0"))
        edited |= {path for path in moved - was.keys() if os.path.lexists(root / path)}
        for path in moved - edited - now.keys():
            (root / path).unlink(missing_ok=True)
        shadow.run("read-tree", new, index=index)
        written = sorted((moved - edited) & now.keys())
        told = os.fsencode("".join(f"{path}\0" for path in written))
        shadow.run("checkout-index", "-f", "-z", "--stdin", stdin=told, index=index)
