"""Puts the objects that Ralph made into one pack: snapshots are written file by file, and thousands of loose objects would slow
down the user's git and make it pack by itself.

Nothing is lost on the way: a loose object is removed only when a pack that is on disk holds it. What a dead run left is taken
along by the next one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ralph.git import program
from ralph.git.program import GitFailed
from ralph.git.repo import Repo

_SINCE = "loose-since"  # its time says from when on loose objects are ours
_LAST = "packed"  # names the pack that was made last
_SMALL = 1 << 20  # bytes of a pack's index: up to this, the next pack takes its objects along
_REST = re.compile(r"[0-9a-f]{38}(?:[0-9a-f]{24})?")
_ENDINGS = (".idx", ".rev", ".pack")


@contextmanager
def packed_objects(repo: Repo) -> Iterator[None]:
    """What is made inside is packed at the end. Needs the lock of the state folder, which must be there."""
    since = repo.state_dir / _SINCE
    with suppress(OSError):
        if not since.exists():
            since.touch()
    try:
        yield
    finally:
        with suppress(OSError, GitFailed):  # they are as good where they are
            _pack(repo, since)
            since.unlink(missing_ok=True)


def _pack(repo: Repo, since: Path) -> None:
    loose = _loose(repo.objects, since.stat().st_mtime_ns)
    if not loose:
        return
    last = _last_pack(repo)
    oids = {*loose, *(_objects_in(repo, last) if last else ())}
    stem = repo.objects / "pack" / "pack"
    stem.parent.mkdir(exist_ok=True)
    made = program.run(
        ("pack-objects", "-q", "--window=0", str(stem)),
        cwd=repo.common_dir,
        env={"GIT_DIR": str(repo.common_dir)},
        stdin="".join(f"{oid}\n" for oid in sorted(oids)).encode(),
        durable=True,
        settings=("pack.threads=1", "pack.compression=1"),
    )
    name = f"pack-{made.decode().strip()}"
    (repo.state_dir / _LAST).write_text(f"{name}\n")
    for path in loose.values():
        path.unlink(missing_ok=True)
    if last is not None and last.stem != name:
        for ending in _ENDINGS:
            last.with_suffix(ending).unlink(missing_ok=True)


def _loose(objects: Path, since: int) -> dict[str, Path]:
    """Object id -> file, of those written or asked for since then."""
    found = {}
    for folder in objects.glob("[0-9a-f][0-9a-f]"):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if _REST.fullmatch(entry.name) and entry.stat(follow_symlinks=False).st_mtime_ns >= since:
                    found[folder.name + entry.name] = Path(entry.path)
    return found


def _last_pack(repo: Repo) -> Path | None:
    """The index of the pack before, where it is still there as it was made, and small."""
    try:
        index = repo.objects / "pack" / f"{(repo.state_dir / _LAST).read_text().strip()}.idx"
        small = index.stat().st_size <= _SMALL
    except (OSError, ValueError):
        return None
    return index if small and not index.with_suffix(".keep").exists() else None


def _objects_in(repo: Repo, index: Path) -> list[str]:
    format_ = f"--object-format={repo.object_format}"
    listed = program.run(("show-index", format_), cwd=repo.common_dir, stdin=index.read_bytes())
    return [line.split()[1] for line in listed.decode().splitlines()]
