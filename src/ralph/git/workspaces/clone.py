"""A clone that borrows the user's objects and has nothing else of theirs: no remote, no hooks, its own refs. So an
agent in it cannot move the user's refs or stash. It is used again: only files that changed are written anew.

The index that shows which files those are is kept outside of the clone, where no agent marks entries as unchanged.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ralph.fault_points import fault_point
from ralph.files import read_bytes, remove_tree
from ralph.git import program
from ralph.git.program import GitFailed
from ralph.git.repo import FILE_SETTINGS, Repo, configuration, literal_pattern, quoted, shared_settings
from ralph.git.repository_excludes import users_rules

_TAKEN = FILE_SETTINGS | {"user.email", "user.name"}  # and who commits
_UNFINISHED = ("index.lock", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_KEPT = frozenset({"config", "HEAD", "objects", "packed-refs", "refs"})


def prepare(
    repo: Repo, folder: Path, base: str, branch: str, target: str = "", *, keep: Sequence[str] = ()
) -> None:
    """Make `folder` a clean clone at `base`, on `branch`, from whatever is there. `keep`: shared folders, left alone."""
    index = folder.with_name(f"{folder.name}.index")
    refs = _packed_refs(repo, base, branch, target)
    if (folder / ".git" / "HEAD").is_file() and not folder.is_symlink() and index.exists():
        try:
            _clean(repo, folder, base, branch, refs, keep, index)
            return
        except (GitFailed, OSError):
            pass  # damaged, or made unreadable: a new one
    remove_tree(folder)
    index.unlink(missing_ok=True)
    fault_point("clone.init.before", writes=True)
    (folder / ".git").mkdir(parents=True)
    fault_point("clone.init.after")
    _clean(repo, folder, base, branch, refs, keep, None)


def point(inside: Repo, branch: str, commit: str, target: str = "") -> None:
    """Let the clone stand at another commit of the user's repository: its branch, HEAD and index. Files stay."""
    drop_locks(inside.git_dir)
    told = "".join(f"update refs/heads/{name}\0{commit}\0\0" for name in _heads(branch, target))

    def update() -> None:
        inside.git_inside("update-ref", "--no-deref", "--stdin", "-z", stdin=os.fsencode(told))

    try:
        update()
    except GitFailed:  # damaged by its agent: they are the clone's own
        for name in _heads(branch, target):
            remove_tree(inside.git_dir / "refs/heads" / name)
        update()
    inside.git_inside("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    reset_index(inside, commit)


def drop_locks(git_dir: Path) -> None:
    """Of a git that was killed with its agent. No one else works in a clone, and its agent is gone by now."""
    for folder, names, files in os.walk(git_dir):
        if folder == str(git_dir):
            names[:] = [name for name in names if name in ("refs", "logs")]
        for name in files:
            if name.endswith(".lock"):
                remove_tree(Path(folder, name))


def reset_index(inside: Repo, commit: str) -> None:
    """The commit's tree into the workspace's index, with what it knows of unchanged files; from nothing if it is damaged."""
    for leftover in _UNFINISHED:
        remove_tree(inside.git_dir / leftover)
    try:
        inside.git_inside("read-tree", "--reset", "-i", commit)
    except GitFailed:
        remove_tree(inside.git_dir / "index")
        inside.git_inside("read-tree", commit)


def _clean(
    repo: Repo, folder: Path, base: str, branch: str, refs: bytes, keep: Sequence[str], index: Path | None
) -> None:
    git_dir = folder / ".git"
    if git_dir.is_symlink() or not git_dir.is_dir():
        raise OSError("the clone's git directory is not its own")
    inside = Repo(folder, git_dir, git_dir, repo.state_dir, repo.object_format)
    fault_point("clone.clean.before", writes=True)
    for entry in git_dir.iterdir():
        if entry.name not in _KEPT or entry.is_symlink():
            remove_tree(entry)
    for name in ("objects", "refs"):
        remove_tree(git_dir / name)
    write_git_dir(repo, git_dir, refs, f"ref: refs/heads/{branch}", repo.objects)
    fault_point("clone.clean.between", writes=True)
    if index is not None:
        shutil.copy2(index, git_dir / "index")  # with its time, which tells git what entries it cannot trust
        excluded = [part for name in keep for part in ("-e", f"/{literal_pattern(name)}/")]
        inside.git_inside("clean", "-ffdxq", *excluded)
    inside.git_inside("read-tree", "--reset", "-u", base)
    fault_point("clone.files.after")
    own = folder.with_name(f"{folder.name}.index")
    shutil.copy2(git_dir / "index", own)


def write_git_dir(repo: Repo, git_dir: Path, refs: bytes, head: str, objects: Path) -> None:
    """All of a git directory but its index: it looks at files as `repo` does, borrows `objects`, and has neither remotes nor
    hooks."""
    for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"):
        (git_dir / name).mkdir(parents=True)
    (git_dir / "objects/info/alternates").write_bytes(os.fsencode(alternate(objects)) + b"\n")
    _configure(repo, git_dir)
    with suppress(FileNotFoundError):
        shutil.copyfile(repo.common_dir / "shallow", git_dir / "shallow")
    with suppress(FileNotFoundError):
        shutil.copyfile(repo.common_dir / "info/attributes", git_dir / "info/attributes")
    (git_dir / "info/exclude").write_bytes(users_rules(repo))
    (git_dir / "packed-refs").write_bytes(refs)
    (git_dir / "HEAD").write_text(f"{head}\n")


def _configure(repo: Repo, git_dir: Path) -> None:
    """The clone's whole configuration: what the last loop set is gone."""
    settings = {
        "gc.auto": "0",  # snapshots are objects that no ref names
        "gc.pruneExpire": "never",
        "commit.gpgSign": "false",  # these commits are squashed; no one is there to type a passphrase
        "tag.gpgSign": "false",
    }
    settings |= {key: value for key, value in shared_settings(repo).items() if key in _TAKEN}
    if _hooks_elsewhere(tuple(os.environ.get(name, "") for name in program.READ_BY_GIT)):
        settings["core.hooksPath"] = str(git_dir / "hooks")
    text = configuration(repo.object_format, settings)
    (git_dir / "config").write_text(text, errors="surrogateescape")


@functools.lru_cache(maxsize=4)
def _hooks_elsewhere(read_by_git: tuple[str, ...]) -> bool:
    """Whether the user has hooks for all repositories. Asked once in a run: hardly anyone changes this meanwhile."""
    with suppress(GitFailed):
        query = ("config", "--show-scope", "-z", "--get-all", "core.hooksPath")
        told = program.run(query, cwd=Path("/")).split(b"\0")
        scopes = zip(told[::2], told[1::2], strict=False)
        return any(scope in (b"global", b"system") and value for scope, value in scopes)
    return False


def _packed_refs(repo: Repo, base: str, branch: str, target: str) -> bytes:
    """The branch, the target, and the user's tags, which builds ask for the version."""
    listed = b""
    if _has_tags(repo):
        listed = repo.git("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
    heads = [os.fsencode(f"{base} refs/heads/{name}") for name in _heads(branch, target)]
    lines = sorted((*listed.splitlines(), *heads), key=lambda line: line.split(b" ", 1)[1])
    return b"# pack-refs with: sorted \n" + b"".join(line + b"\n" for line in lines)


def _has_tags(repo: Repo) -> bool:
    """As far as a look shows: git is asked only where there may be some."""
    try:
        packed = b" refs/tags/" in read_bytes(repo.common_dir / "packed-refs")
    except FileNotFoundError:
        packed = False
    return packed or any(files for _, _, files in os.walk(repo.common_dir / "refs/tags"))


def _heads(branch: str, target: str) -> list[str]:
    """Two names that can be there together: a branch `task` leaves no room for `task/...`."""
    clash = target == branch or branch.startswith(f"{target}/") or target.startswith(f"{branch}/")
    return [branch] if not target or clash else [branch, target]


def alternate(path: Path) -> str:
    """A path as a line of `info/alternates`."""
    text = str(path)
    return quoted(text) if text.startswith(("#", '"')) or "\n" in text else text
