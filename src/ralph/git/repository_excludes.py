"""The ignore rules that a repository keeps outside its tree, `.git/info/exclude`, and what of them is Ralph's.

Ralph adds the paths of its own files for the user's `git status`. In snapshots and workspaces the rules are the user's, so that
no work is hidden; but an output of Ralph's that grows with every line is no work there either.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ralph.files import read_bytes
from ralph.git.program import GitFailed
from ralph.git.repo import OWN, Repo, literal_pattern

_OWN = b"# Ralph's own files"
_LIST = b"# Ralph's list of tasks: `git add -f` puts it into git"


def users_rules(repo: Repo) -> bytes:
    """What the file holds without Ralph's lines."""
    return _without(_read(repo), _OWN, _LIST)


def snapshot_rules(repo: Repo) -> bytes:
    """The same with Ralph's own files. Its list of tasks is for everyone to see."""
    return _without(_read(repo), _LIST)


def all_rules(repo: Repo) -> bytes:
    return _read(repo)


def keep_out_of_status(repo: Repo, folder: Path, written: Iterable[Path], tasks: Iterable[Path]) -> None:
    """Have the user's git pass over Ralph's own files of a run in `folder`, over `written` and over the list of `tasks`. What git
    tracks stays tracked, with the rest of the list. A file that cannot be written changes nothing."""
    if not repo.versioned:
        return
    places = dict.fromkeys((repo.root, folder))
    own = [*(_pattern(repo, place / name) for place in places for name in OWN), *_patterns(repo, written)]
    listed = _patterns(repo, tasks)
    try:
        old = _read(repo)
        known = set(old.splitlines())
        own, listed = ([line for line in lines if line not in known] for lines in (own, listed))
        if listed and _tracked(repo, listed):
            listed = []
        own = _not_ignored(repo, own)
        new = _with(_with(old, _OWN, own), _LIST, listed)
        if new != old:
            _write(repo, new)
    except (OSError, GitFailed):
        return


def _file(repo: Repo) -> Path:
    return repo.common_dir / "info" / "exclude"


def _read(repo: Repo) -> bytes:
    try:
        # git passes over a byte order mark at the start of a file only, where theirs may not be any more
        return read_bytes(_file(repo)).removeprefix(codecs.BOM_UTF8)
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _write(repo: Repo, content: bytes) -> None:
    file = _file(repo)
    file.parent.mkdir(exist_ok=True)
    fresh = file.with_name(f"exclude.{os.getpid()}")
    try:
        fresh.write_bytes(content)
        fresh.replace(file.resolve())
    finally:
        fresh.unlink(missing_ok=True)


def _patterns(repo: Repo, paths: Iterable[Path]) -> list[bytes]:
    inside = (path for path in paths if path.is_relative_to(repo.root))
    return [_pattern(repo, path) for path in inside]


def _pattern(repo: Repo, path: Path) -> bytes:
    return os.fsencode("/" + literal_pattern(str(path.relative_to(repo.root))))


def _tracked(repo: Repo, patterns: Iterable[bytes]) -> bool:
    specs = [f":(top,glob){os.fsdecode(pattern)[1:]}" for pattern in patterns]
    return bool(repo.git_inside("ls-files", "-z", "--", *specs))


def _not_ignored(repo: Repo, patterns: list[bytes]) -> list[bytes]:
    """Those of them that no other rule has git pass over already."""
    if not patterns:
        return []
    # As folders, which rules for files match too.
    asked = {b"./" + pattern[1:].replace(b"\\", b"") + b"/x": pattern for pattern in patterns}
    try:
        said = repo.git_inside("check-ignore", "-z", "--stdin", stdin=b"\0".join(asked) + b"\0")
    except GitFailed as failed:
        if failed.status != 1:  # none of them
            raise
        said = b""
    ignored = set(said.split(b"\0"))
    return [pattern for path, pattern in asked.items() if path not in ignored]


def _with(content: bytes, header: bytes, lines: list[bytes]) -> bytes:
    """The rules with these lines below their header, which is added at the end where it is missing."""
    if not lines:
        return content
    if header not in content.splitlines():
        end = b"" if not content or content.endswith(b"\n") else b"\n"
        content += end + header + b"\n"
    before, _, after = content.partition(header + b"\n")
    return before + header + b"\n" + b"".join(line + b"\n" for line in lines) + after


def _without(content: bytes, *headers: bytes) -> bytes:
    return b"".join(line for header, line in _by_header(content) if header not in headers)


def _by_header(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each line after the comment above it; an empty line ends what belongs to one."""
    header = b""
    for line in content.splitlines(keepends=True):
        if line.startswith(b"#") or not line.strip():
            header = line.strip()
        yield header, line
