"""What git leaves out where an agent calls it: what the user's own excludes say, and the files that Ralph writes beside the
work. An agent that commits everything then commits only its work. The user's repository and settings are not touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from ralph.workspace import git

_KEY = "core.excludesFile"
_COUNT = "GIT_CONFIG_COUNT"
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\*?[ "})  # of a pattern; a space counts only at its end
_READ_BY_GIT = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


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
    return _configured(root, tuple((name, env.get(name, "")) for name in _READ_BY_GIT))


@lru_cache(maxsize=16)
def _configured(root: Path, read_by_git: tuple[tuple[str, str], ...]) -> Path:
    """Asked once in a run: iterations are many, and hardly anybody changes this meanwhile."""
    env = {name: value for name, value in read_by_git if value}
    try:
        named = git.run(("config", "--type=path", "--get", _KEY), cwd=root, env=env)
    except git.GitFailed:  # it is not set, or not to be read
        named = b""
    if named.rstrip(b"\n"):
        return root / os.fsdecode(named.rstrip(b"\n"))
    settings = env.get("XDG_CONFIG_HOME") or _home(env) / ".config"
    return Path(settings, "git", "ignore")


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or "/")


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape") if path.is_file() else ""
    except (OSError, ValueError):
        return ""
