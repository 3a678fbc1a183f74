"""Writes what `ralph init` planned, all or nothing. Signals that end the process are held back until a failed write is undone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from ralph.errors import DISK, RalphError
from ralph.git.repo import Repo

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Within it, the first signal is only noted, unless it comes where someone heeds it: there it raises
    KeyboardInterrupt. Later ones change nothing."""

    def __init__(self) -> None:
        self._came = 0
        self._heeding = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        for number in _ENDING:
            if signal.getsignal(number) != signal.SIG_IGN:  # `nohup ralph init` means what it says
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._came and not (kind is KeyboardInterrupt and self._came == signal.SIGINT):
            signal.raise_signal(self._came)

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Here nothing is half done that could not be undone."""
        self._heeding = True
        try:
            if self._came:
                raise KeyboardInterrupt
            yield
        finally:
            self._heeding = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        first, self._came = not self._came, self._came or number
        if first and self._heeding:
            raise KeyboardInterrupt


IGNORED = (".ralph/", ".ralph_state.md", ".ralph.lock", ".stop", "ralph.log", "ralph.log.1")
COMMENT = "# Ralph's own files"
SCHEMA = ".ralph/schema.json"
_TRIES = 1000


class File(msgspec.Struct, frozen=True):
    """A file to be written."""

    path: Path
    data: bytes
    replace: bool = False  # one that is there already
    keep: bool = True  # and keep a copy of it


class Written(msgspec.Struct, frozen=True):
    paths: tuple[Path, ...]
    kept: tuple[Path, ...]  # copies of what was replaced


def apply(files: Sequence[File], move_aside: Sequence[Path] = ()) -> Written:
    """Write them all. When one cannot be written, everything is as before."""
    kept: list[Path] = []
    try:
        with ExitStack() as take_back:
            prepared = [_prepared(file, take_back) for file in files]
            for path in move_aside:
                kept.append(_free_name(path, take_back))
                path.replace(kept[-1])
                take_back.callback(kept[-1].replace, path)
            for file, ready in zip(files, prepared, strict=True):
                if file.replace and os.path.lexists(file.path):
                    kept += _replace(file, ready, take_back)
                else:
                    _create(file.path, ready, take_back)
            take_back.pop_all()
    except OSError as error:
        raise _refused(error) from error
    return Written(tuple(file.path for file in files), tuple(kept))


def _create(path: Path, ready: Path, take_back: ExitStack) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # someone may have made it meanwhile
    take_back.callback(path.unlink)
    ready.replace(path)


def _replace(file: File, ready: Path, take_back: ExitStack) -> list[Path]:
    """Returns the copy that stays, if one shall."""
    old, kept = file.path.read_bytes(), list[Path]()
    if file.keep:
        kept.append(_free_name(file.path, take_back))
        shutil.copy2(file.path, kept[0])
    ready.replace(file.path)
    take_back.callback(file.path.write_bytes, old)
    return kept


def _prepared(file: File, take_back: ExitStack) -> Path:
    """The content, beside its place and under another name, with the mode that the file has or should have."""
    _make_folder(file.path.parent, take_back)
    fd, name = tempfile.mkstemp(prefix=".ralph-init-", dir=file.path.parent)
    take_back.callback(Path(name).unlink, missing_ok=True)
    with open(fd, "wb") as out:
        out.write(file.data)
        out.flush()
        os.fsync(out.fileno())
    Path(name).chmod(_mode(file.path))
    return Path(name)


def _make_folder(folder: Path, take_back: ExitStack) -> None:
    if folder.is_dir():
        return
    _make_folder(folder.parent, take_back)
    folder.mkdir()
    take_back.callback(folder.rmdir)


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _free_name(path: Path, take_back: ExitStack) -> Path:
    """A name beside it that nothing had, now taken."""
    for number in range(1, _TRIES):
        copy = path.with_name(f"{path.name}.bak{number if number > 1 else ''}")
        with suppress(FileExistsError):
            os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            take_back.callback(copy.unlink, missing_ok=True)
            return copy
    raise RalphError("there are too many copies of it", where=str(path), todo="Remove its .bak files.")


def _refused(error: OSError) -> Exception:
    if error.errno in DISK:
        return error
    return RalphError(
        f"cannot be written: {error.strerror}",
        where=str(error.filename or ""),
        todo="Nothing was changed. Make the folder writable, or move what is in the way.",
    )


# -- .gitignore ------------------------------------------------------------------------------------


def missing_ignores(repo: Repo, folder: Path) -> tuple[str, ...]:
    """The lines for Ralph's own files that no .gitignore from the root down to `folder` has yet."""
    if not repo.versioned:
        return ()
    known: set[str] = set()
    place = folder
    while True:
        lines = _lines(place / ".gitignore")
        known |= {line.strip("/") for line in lines if place == folder or not line.startswith("/")}
        if place == repo.root or place == place.parent:
            break
        place = place.parent
    return tuple(line for line in IGNORED if line.strip("/") not in known)


def _lines(path: Path) -> list[str]:
    try:
        return [line.strip() for line in path.read_bytes().decode("utf-8", "replace").splitlines()]
    except OSError:
        return []


def gitignore(path: Path, lines: Sequence[str]) -> File:
    """The file with these lines added and every other byte as it was."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise RalphError(
            "is not a plain file",
            where=str(path),
            todo="Use --no-gitignore, and have git ignore these yourself: " + " ".join(lines),
        )
    old = path.read_bytes() if path.exists() else b""
    end = b"\r\n" if b"\r\n" in old else b"\n"
    gap = b"" if not old else end if old.endswith(b"\n") else end * 2
    added = end.join([COMMENT.encode(), *(line.encode() for line in lines)]) + end
    return File(path, old + gap + added, replace=True, keep=False)


def adds_only_ignores(old: bytes, new: bytes) -> bool:
    """Whether nothing but the lines for Ralph's own files was added."""
    added = [line.strip() for line in new[len(old) :].decode("utf-8", "replace").splitlines()]
    return new.startswith(old) and all(line in ("", COMMENT, *IGNORED) for line in added)


def schema(folder: Path) -> File:
    """What editors complete keys by."""
    from ralph.config.json_schema import schema as made

    text = json.dumps(made(), indent=2, ensure_ascii=False) + "\n"
    return File(folder / SCHEMA, text.encode(), replace=True, keep=False)
