"""Files that a change hides: ignored now, and not ignored under the rules of the start.

They are in no snapshot, and yet a gate in the work tree sees them. Nothing is changed here.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from ralph.files import read_bytes
from ralph.git import program
from ralph.git.private_index import is_cache
from ralph.git.repo import OWN, Repo, make_git_dir
from ralph.git.repository_excludes import all_rules
from ralph.git.snapshots import Snapshots
from ralph.git.trees import Change

_RULES = ".gitignore"
# Beside OWN: what Ralph may have git pass over while a run works.
_OURS = ("tasks.jsonl", "tasks-done.jsonl", "ralph*.yml.bak*")


def own_excludes(repo: Repo) -> str:
    """The ignore rules that the repository keeps outside its tree, as they are now: Ralph's lines too, since who adds one to
    them hides a file as well."""
    return os.fsdecode(all_rules(repo))


def newly_ignored(
    snapshots: Snapshots, base: str, excludes: str, changes: Iterable[Change]
) -> tuple[str, ...]:
    """Files that the rules of the tree `base` and of `excludes` do not ignore, and the present ones do. Without a
    change of the rules there are none. Whole folders that are ignored (dependencies, builds) are passed over."""
    changed = any(change.path.rpartition("/")[2] == _RULES for change in changes)
    if not changed and own_excludes(snapshots.repo) == excludes:
        return ()
    ignored = [path for path in snapshots.ignored_files() if not is_cache(path)]
    before = _ignored_under(snapshots, base, excludes, ignored) if ignored else set()
    return tuple(path for path in ignored if path not in before)


def _ignored_under(snapshots: Snapshots, base: str, excludes: str, paths: list[str]) -> set[str]:
    """Asks git about these paths in a folder that holds nothing but the rules of `base`."""
    with tempfile.TemporaryDirectory(prefix="ralph-rules-") as folder:
        tree, git_dir = Path(folder, "tree"), Path(folder, "git")
        make_git_dir(git_dir, snapshots.settings())
        tree.mkdir()
        rules_of_start = "\n".join((excludes, *OWN, *_OURS, ""))
        (git_dir / "info" / "exclude").write_bytes(os.fsencode(rules_of_start))
        for _, _, path in snapshots.files(base):
            if path.rpartition("/")[2] == _RULES:
                rules = tree / path
                rules.parent.mkdir(parents=True, exist_ok=True)
                rules.write_bytes(snapshots.read(base, path) or b"")
        # With `./`, since a name that begins with a colon would be a pathspec with magic.
        asked = os.fsencode("".join(f"./{path}\0" for path in paths))
        env = {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(tree)}
        try:
            out = program.run(("check-ignore", "--no-index", "-z", "--stdin"), cwd=tree, env=env, stdin=asked)
        except program.GitFailed as failed:
            if failed.status == 1:  # none of them
                return set()
            raise
    return {path.removeprefix("./") for path in os.fsdecode(out).split("\0")[:-1]}


_KEY = "core.excludesFile"
_COUNT = "GIT_CONFIG_COUNT"
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\*?[ "})  # of a pattern; a space counts only at its end


def with_excludes(
    env: Mapping[str, str], root: Path, own: Iterable[str], kept: Callable[[str], Path]
) -> dict[str, str]:
    """The environment for an agent in the work tree `root`. `own` are Ralph's files, relative to it; `kept` stores a text
    and says where."""
    count = env.get(_COUNT, "0")
    if not count.isdecimal():  # git will complain of it; that is between the user and git
        return dict(env)
    text = _read(_users(env, root, int(count)))
    # Last, so that no pattern of the user's takes them in again.
    patterns = [f"/{path.translate(_SPECIAL)}" for path in own if "\n" not in path]
    text = "\n".join([*([text.rstrip("\n")] if text else []), "# Ralph's own files", *patterns, ""])
    return {
        **env,
        _COUNT: str(int(count) + 1),
        f"GIT_CONFIG_KEY_{count}": _KEY,
        f"GIT_CONFIG_VALUE_{count}": str(kept(text)),
    }


def _users(env: Mapping[str, str], root: Path, count: int) -> Path:
    """The file that git would read without this."""
    for n in reversed(range(count)):
        if env.get(f"GIT_CONFIG_KEY_{n}", "").lower() == _KEY.lower():
            value = env.get(f"GIT_CONFIG_VALUE_{n}", "")
            return _home(env) / value[2:] if value.startswith("~/") else root / value
    return _configured(root, tuple((name, env.get(name, "")) for name in program.READ_BY_GIT))


@lru_cache(maxsize=16)
def _configured(root: Path, read_by_git: tuple[tuple[str, str], ...]) -> Path:
    """Asked once in a run: iterations are many, and hardly anyone changes this meanwhile."""
    env = {name: value for name, value in read_by_git if value}
    try:
        named = program.run(("config", "--type=path", "--get", _KEY), cwd=root, env=env)
    except program.GitFailed:  # it is not set, or not to be read
        named = b""
    if named.rstrip(b"\n"):
        return root / os.fsdecode(named.rstrip(b"\n"))
    settings = env.get("XDG_CONFIG_HOME") or _home(env) / ".config"
    return Path(settings, "git", "ignore")


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or "/")


def _read(path: Path) -> str:
    try:
        return read_bytes(path).decode("utf-8", "surrogateescape") if path.is_file() else ""
    except (OSError, ValueError):
        return ""
