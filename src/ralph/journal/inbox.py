"""The inbox: messages of other processes to the run, put by rename. Also finds the state folder, and whether a run holds it.

For commands that agents call many times: standard library only, and little of it.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Mapping

from ralph.fault_points import fault_point
from ralph.files import read_bytes


def state_dir() -> str:
    """Ralph's folder: named by the environment inside an iteration, else found like git finds its own."""
    told = os.environ.get("RALPH_STATE")
    if told:
        return told
    folder = os.getcwd()
    while True:
        git = f"{folder}/.git"
        if os.path.isdir(git):
            return f"{git}/ralph"
        if os.path.isfile(git):
            return _linked(git)
        if os.path.isdir(f"{folder}/.ralph/repository"):
            return f"{folder}/.ralph"
        parent = os.path.dirname(folder)
        if parent == folder:
            raise ValueError("there is no run here: not inside a repository that Ralph works on")
        folder = parent


def _linked(git: str) -> str:
    """A linked worktree: its .git file names its own folder, which names the common one."""
    with open(git, encoding="utf-8", errors="surrogateescape") as file:
        own = os.path.join(os.path.dirname(git), file.read().removeprefix("gitdir:").strip())
    try:
        with open(f"{own}/commondir", encoding="utf-8", errors="surrogateescape") as file:
            return os.path.join(own, file.read().strip(), "ralph")
    except FileNotFoundError:
        return f"{own}/ralph"


def require_run(folder: str) -> None:
    """A message that no one awaits would speak to the next loop, which is about something else."""
    from pathlib import Path

    from ralph.journal.lock import holder

    if holder(Path(folder)) is None:
        raise ValueError("nothing runs here, so no one would read it")


def content_mark(path: str) -> str:
    """A mark of the file's content: it differs once someone has written to the file."""
    import hashlib

    try:
        return hashlib.sha256(read_bytes(path, 1 << 20)).hexdigest()[:16]
    except OSError:
        return "none"


# No pathlib here: importing it costs more than all the rest.


LIMIT = 1 << 20  # bytes of one message
_DEPTH = 64
_TMP = "tmp-"
_TMP_LIFE = 86400  # seconds after which a temporary file belongs to no one
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def put(inbox_dir: str, message: dict[str, object], name: str = "") -> str:
    """Put a message; its file's name is returned. Two with the same given name count as one."""
    raw = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    if len(raw) > LIMIT:
        raise ValueError(f"a message of {len(raw)} bytes is too large; the limit is {LIMIT}")
    if _parse(raw) is None:
        raise ValueError(f'a message is {{"kind": "...", ...}}, at most {_DEPTH} levels deep')
    key = _file_name(name) if name else os.urandom(8).hex()
    file_name = f"{time.time_ns():020d}-{os.getpid()}-{key}.json"
    tmp = f"{inbox_dir}/{_TMP}{file_name}"
    os.makedirs(inbox_dir, exist_ok=True)
    try:
        _write(tmp, raw)
        fault_point("rename.before", writes=True)
        os.rename(tmp, f"{inbox_dir}/{file_name}")
        fault_point("rename.after")
    except BaseException:
        try:
            os.unlink(tmp)
        except OSError:
            pass
        raise
    return file_name


def take(inbox_dir: str, *, keep_bad: bool = True) -> tuple[list[tuple[str, dict[str, object]]], list[str]]:
    """The messages waiting, oldest first, and the names of those that were no messages (now in `bad/`, or gone).

    They stay until `done`, so that a crash before they are in the journal loses none: the same names come
    again, and `key_of` says which are known.
    """
    messages: list[tuple[str, dict[str, object]]] = []
    bad: list[str] = []
    keys: set[str] = set()
    for name in _waiting(inbox_dir):
        path = f"{inbox_dir}/{name}"
        try:
            raw = _read(path)
        except FileNotFoundError:
            continue
        message = _parse(raw) if raw is not None and name.endswith(".json") else None
        if message is None:
            if keep_bad:
                _set_aside(inbox_dir, name)
            else:
                _discard(path)
            bad.append(name)
        elif key_of(name) in keys:
            os.unlink(path)  # the first of its name is reported and still there
        else:
            keys.add(key_of(name))
            messages.append((name, message))
    return messages, bad


def done(inbox_dir: str, name: str) -> None:
    """Remove a message, after the journal has it on disk."""
    fault_point("inbox.done.before", writes=True)
    try:
        os.unlink(f"{inbox_dir}/{name}")
    except FileNotFoundError:
        pass
    fault_point("inbox.done.after")


def key_of(name: str) -> str:
    """What makes two messages the same one: a file's name without time and pid."""
    stem = name.removesuffix(".json")
    parts = stem.split("-", 2)
    return parts[2] if len(parts) == 3 and parts[0].isdigit() and parts[1].isdigit() else stem


def _waiting(inbox_dir: str) -> list[str]:
    try:
        names = sorted(os.listdir(inbox_dir))
    except FileNotFoundError:
        return []
    waiting = []
    for name in names:
        if name.startswith(_TMP):
            _drop_if_abandoned(f"{inbox_dir}/{name}")
        elif name != "bad" and not name.startswith("."):
            waiting.append(name)
    return waiting


def _drop_if_abandoned(tmp: str) -> None:
    try:
        if os.stat(tmp).st_mtime < time.time() - _TMP_LIFE:
            os.unlink(tmp)
    except FileNotFoundError:
        pass


def _read(path: str) -> bytes | None:
    """The file's bytes; None if it is no file that can be read, or too large."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENXIO):
            return None
        raise
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        raw = b""
        while len(raw) <= LIMIT and (more := os.read(fd, LIMIT + 1)):
            raw += more
        return raw if len(raw) <= LIMIT else None
    finally:
        os.close(fd)


def _write(path: str, raw: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        while raw:
            raw = raw[os.write(fd, raw) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def _set_aside(inbox_dir: str, name: str) -> None:
    os.makedirs(f"{inbox_dir}/bad", exist_ok=True)
    target = f"{inbox_dir}/bad/{name}"
    if os.path.lexists(target):
        target = f"{target}.{time.time_ns()}"
    fault_point("rename.before", writes=True)
    os.rename(f"{inbox_dir}/{name}", target)
    fault_point("rename.after")


def _discard(path: str) -> None:
    """In a folder that a stranger can write: nothing there is followed, and `bad` may be theirs as well."""
    try:
        os.unlink(path)
    except IsADirectoryError:
        import shutil

        shutil.rmtree(path, ignore_errors=True)
    except FileNotFoundError:
        pass


def _parse(raw: bytes) -> dict[str, object] | None:
    """The message, if the journal can hold it."""
    try:
        message = json.loads(raw.decode())
    except (ValueError, RecursionError):
        return None
    if isinstance(message, dict) and isinstance(message.get("kind"), str) and _storable(message, _DEPTH):
        return message
    return None


def _storable(value: object, depth: int) -> bool:
    """The writer of the journal is strict where Python's JSON is not: surrogates, NaN, depth."""
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)
    if isinstance(value, dict):
        return depth > 0 and all(_storable(k, 0) and _storable(v, depth - 1) for k, v in value.items())
    if isinstance(value, list):
        return depth > 0 and all(_storable(v, depth - 1) for v in value)
    return not isinstance(value, float) or value - value == 0  # neither NaN nor infinite


def _file_name(name: str) -> str:
    """The given name, made fit for a file name; the same name always gives the same."""
    fit = "".join(c if c in _PLAIN else f"%{c.encode('utf-8', 'surrogatepass').hex()}." for c in name)
    if len(fit) <= 100:
        return fit
    import hashlib  # rarely needed, and not cheap to import

    return f"{fit[:60]}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()}"


def refusal(topic: str, env: Mapping[str, str]) -> str:
    """Why the event would be refused; empty when it would not be, or when no one wears a hat here."""
    hat = env.get("RALPH_HAT", "")
    if not hat or topic == "human.interact":
        return ""
    may = env.get("RALPH_PUBLISHES", "").split()
    completes = topic in env.get("RALPH_COMPLETES", "").split()
    if completes:
        allowed = any(word in may for word in env.get("RALPH_COMPLETES", "").split())
    else:
        allowed = "RALPH_SCOPE" not in env or any(_takes(pattern, topic) for pattern in may)
    if allowed:
        return ""
    return f"refused: the hat {hat} may not publish {topic}; it may: {', '.join(may) or 'nothing'}"


def _takes(pattern: str, topic: str) -> bool:
    wanted, given = pattern.split("."), topic.split(".")
    if pattern in ("*", topic):
        return True
    return len(wanted) == len(given) and all(a in ("*", b) for a, b in zip(wanted, given, strict=True))
