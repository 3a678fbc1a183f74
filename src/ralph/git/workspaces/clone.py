"""A clone that borrows the user's objects and has nothing else of theirs: no remote, no hooks, its own refs. So an
agent in it cannot move the user's refs or stash. It is used again: only files that changed are written anew.

The index that shows which files those are is kept outside of the clone, where no agent marks entries as unchanged.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ralph.fault_points import fault_point
from ralph.files import remove_tree
from ralph.git import program
from ralph.git.private_index import quoted
from ralph.git.program import GitFailed
from ralph.git.repo import Repo

# Of the user's own configuration: what decides how files look, and who commits.
_TAKEN = (
    "core.autocrlf",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "user.email",
    "user.name",
)
_KEPT = frozenset({"config", "HEAD", "objects", "packed-refs", "refs"})


class _Refs(NamedTuple):
    head: str
    packed: bytes


def prepare(
    repo: Repo, folder: Path, base: str, branch: str, target: str = "", *, keep: Sequence[str] = ()
) -> None:
    """Make `folder` a clean clone at `base`, on `branch`, from whatever is there. `keep`: shared folders, left alone."""
    index = folder.with_name(f"{folder.name}.index")
    refs = _refs(repo, base, branch, target)
    if (folder / ".git" / "HEAD").is_file() and not folder.is_symlink() and index.exists():
        try:
            _clean(repo, folder, base, refs, keep, index)
            return
        except (GitFailed, OSError):
            pass  # damaged, or made unreadable: a new one
    remove_tree(folder)
    index.unlink(missing_ok=True)
    folder.mkdir(parents=True)
    fault_point("clone.init.before", writes=True)
    _init(repo, folder)
    fault_point("clone.init.after")
    _clean(repo, folder, base, refs, keep, None)


def point(inside: Repo, branch: str, commit: str, target: str = "") -> None:
    """Let the clone stand at another commit of the user's repository: its branch, HEAD and index. Files stay."""
    drop_locks(inside.git_dir)
    told = "".join(f"update refs/heads/{name}\0{commit}\0\0" for name in _heads(branch, target))

    def update() -> None:
        command = ("update-ref", "--no-deref", "--stdin", "-z")
        program.run(command, cwd=inside.root, env=_env(inside.git_dir), stdin=os.fsencode(told))

    try:
        update()
    except GitFailed:  # damaged by its agent: they are the clone's own
        for name in _heads(branch, target):
            _remove(inside.git_dir / "refs/heads" / name)
        update()
    program.run(("symbolic-ref", "HEAD", f"refs/heads/{branch}"), cwd=inside.root, env=_env(inside.git_dir))
    reset_index(inside, commit)


def drop_locks(git_dir: Path) -> None:
    """Of a git that was killed with its agent. No one else works in a clone, and its agent is gone by now."""
    for folder, names, files in os.walk(git_dir):
        if folder == str(git_dir):
            names[:] = [name for name in names if name in ("refs", "logs")]
        for name in files:
            if name.endswith(".lock"):
                _remove(Path(folder, name))


def reset_index(inside: Repo, commit: str) -> None:
    """The commit's tree into the workspace's index, with what it knows of unchanged files; from nothing if it is damaged."""
    env = {"GIT_DIR": str(inside.git_dir), "GIT_WORK_TREE": str(inside.root)}
    for leftover in (
        "index.lock",
        "MERGE_HEAD",
        "MERGE_MSG",
        "MERGE_MODE",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
    ):
        _remove(inside.git_dir / leftover)
    try:
        program.run(("read-tree", "--reset", "-i", commit), cwd=inside.root, env=env)
    except GitFailed:
        _remove(inside.git_dir / "index")
        program.run(("read-tree", commit), cwd=inside.root, env=env)


def _init(repo: Repo, folder: Path) -> None:
    program.run(
        ("init", "-q", "--template=", f"--object-format={repo.object_format}", str(folder)),
        cwd=folder,
        env={"GIT_DEFAULT_REF_FORMAT": "files"},
    )


def _clean(repo: Repo, folder: Path, base: str, refs: _Refs, keep: Sequence[str], index: Path | None) -> None:
    git_dir = folder / ".git"
    if git_dir.is_symlink() or not git_dir.is_dir():
        raise OSError("the clone's git directory is not its own")
    fault_point("clone.clean.before", writes=True)
    for entry in git_dir.iterdir():
        if entry.name not in _KEPT or entry.is_symlink():
            _remove(entry)
    for name in ("objects", "refs"):
        _remove(git_dir / name)
    for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"):
        (git_dir / name).mkdir(parents=True)
    (git_dir / "objects/info/alternates").write_bytes(os.fsencode(_quoted_path(repo.objects)) + b"\n")
    _configure(repo, git_dir)
    with suppress(FileNotFoundError):
        shutil.copyfile(repo.common_dir / "shallow", git_dir / "shallow")
    for name in ("attributes", "exclude"):
        with suppress(FileNotFoundError):
            shutil.copyfile(repo.common_dir / "info" / name, git_dir / "info" / name)
    (git_dir / "packed-refs").write_bytes(refs.packed)
    (git_dir / "HEAD").write_text(f"ref: {refs.head}\n")
    fault_point("clone.clean.between", writes=True)
    if index is not None:
        shutil.copy2(index, git_dir / "index")  # with its time, which tells git what entries it cannot trust
        excluded = [part for name in keep for part in ("-e", f"/{_literal(os.path.normpath(name))}/")]
        program.run(("clean", "-ffdxq", *excluded), cwd=folder, env=_env(git_dir))
    program.run(("read-tree", "--reset", "-u", base), cwd=folder, env=_env(git_dir))
    fault_point("clone.files.after")
    own = folder.with_name(f"{folder.name}.index")
    shutil.copy2(git_dir / "index", own)


def _configure(repo: Repo, git_dir: Path) -> None:
    """The clone's whole configuration: what the last loop set is gone."""
    sha256 = repo.object_format != "sha1"
    lines = ["[core]", f"repositoryformatversion = {int(sha256)}", "bare = false"]
    if sha256:
        lines += ["[extensions]", f"objectformat = {repo.object_format}"]
    settings = {
        "gc.auto": "0",  # snapshots are objects that no ref names
        "gc.pruneExpire": "never",
        "commit.gpgSign": "false",  # these commits are squashed; no one is there to type a passphrase
        "tag.gpgSign": "false",
    }
    listed = program.run(
        ("config", "--file", str(repo.common_dir / "config"), "--list", "-z"), cwd=repo.common_dir
    )
    for item in os.fsdecode(listed).split("\0")[:-1]:
        key, has_value, value = item.partition("\n")
        if key in _TAKEN:
            settings[key] = value if has_value else "true"  # a key alone is true to git
    if _hooks_elsewhere(git_dir):
        settings["core.hooksPath"] = str(git_dir / "hooks")
    for key, value in settings.items():
        section, _, name = key.partition(".")
        lines += [f"[{section}]", f"{name} = {quoted(value)}"]
    (git_dir / "config").write_text("\n".join(lines) + "\n", errors="surrogateescape")


def _hooks_elsewhere(git_dir: Path) -> bool:
    """Whether the user has hooks for all repositories."""
    with suppress(GitFailed):
        told = program.run(
            ("config", "--show-scope", "-z", "--get-all", "core.hooksPath"), cwd=git_dir
        ).split(b"\0")
        scopes = zip(told[::2], told[1::2], strict=False)
        return any(scope in (b"global", b"system") and value for scope, value in scopes)
    return False


def _refs(repo: Repo, base: str, branch: str, target: str) -> _Refs:
    """The branch, the target, and the user's tags, which builds ask for the version."""
    listed = program.run(
        ("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"),
        cwd=repo.common_dir,
        env={"GIT_DIR": str(repo.common_dir)},
    )
    heads = [os.fsencode(f"{base} refs/heads/{name}") for name in _heads(branch, target)]
    lines = sorted((*listed.splitlines(), *heads), key=lambda line: line.split(b" ", 1)[1])
    return _Refs(
        f"refs/heads/{branch}", b"# pack-refs with: sorted \n" + b"".join(line + b"\n" for line in lines)
    )


def _heads(branch: str, target: str) -> list[str]:
    """Two names that can be there together: a branch `task` leaves no room for `task/...`."""
    clash = target == branch or branch.startswith(f"{target}/") or target.startswith(f"{branch}/")
    return [branch] if not target or clash else [branch, target]


def _env(git_dir: Path) -> dict[str, str]:
    return {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(git_dir.parent)}


def _literal(name: str) -> str:
    """A path as a pattern that matches only itself."""
    return "".join(f"\\{character}" if character in "*?[\\ " else character for character in name)


def _quoted_path(path: Path) -> str:
    text = str(path)
    return quoted(text) if text.startswith(("#", '"')) or "\n" in text else text


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
