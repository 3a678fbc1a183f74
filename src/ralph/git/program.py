"""The one way Ralph calls the git program: a clean environment, neutral configuration, no terminal, no prompts.

Nothing that a repository's own configuration names (hooks, fsmonitor) is ever executed by a call from here. Every call has a
limit of time, and inside `owned_children` none outlives Ralph, however it ends.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from ralph.errors import RalphError
from ralph.fault_points import fault_point

# What the caller's shell says about *which* repository to use must not leak in; which user configuration
# to read and where discovery stops stays the user's choice.
_KEPT = frozenset(
    {
        "GIT_CEILING_DIRECTORIES",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        "GIT_EXEC_PATH",
    }
)
# Where git finds the user's own configuration.
READ_BY_GIT = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_FORCED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_AUTHOR_NAME": "Ralph",
    "GIT_AUTHOR_EMAIL": "ralph@localhost",
    "GIT_COMMITTER_NAME": "Ralph",
    "GIT_COMMITTER_EMAIL": "ralph@localhost",
}
_NEUTRAL = tuple(
    part
    for setting in (
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "core.untrackedCache=false",
        "core.splitIndex=false",
        "core.trustctime=true",
        "core.checkStat=default",
        "core.safecrlf=false",  # a snapshot is never refused because of line endings
        "core.quotePath=false",
        "core.logAllRefUpdates=false",
        "i18n.commitEncoding=UTF-8",
        "add.ignoreErrors=false",
        "advice.addEmbeddedRepo=false",
        "submodule.recurse=false",
        "checkout.workers=4",
        "gc.auto=0",
    )
    for part in ("-c", setting)
)


LIMIT = (
    600.0  # seconds for one call: git has read a very large work tree by then, or waits for what never comes
)
_began: float | None = None  # when the call that Ralph waits for was begun
_GRACE = 2.0  # seconds in which git removes its lock files when it is asked to end


# Only a warning to git, but what it cannot look into would silently be missing from a snapshot.
UNSEEN = "could not open directory"


class GitFailed(RalphError):
    """git ended with an error that the caller did not expect, or could not see all of the work tree."""

    def __init__(self, args: Sequence[str], status: int, stdout: bytes, stderr: str) -> None:
        said = [line for line in stderr.splitlines() if line]
        errors = [
            line for line in said if line.startswith(("fatal: ", "error: "))
        ]  # hints come first at times
        lines = [
            line.removeprefix("fatal: ").removeprefix("error: ").removeprefix("warning: ")
            for line in errors or said
        ]
        super().__init__(f"git {args[0]} failed: {'; '.join(lines[:3]) or f'exit {status}'}", code=70)
        self.status = status
        self.stdout = stdout
        self.stderr = stderr


class GitOverdue(GitFailed):
    """git did not end in time, and was ended."""

    def __init__(self, args: Sequence[str], seconds: float) -> None:
        super().__init__(args, -signal.SIGTERM, b"", f"it did not end within {seconds:.0f} s")


# -- whose children they are -------------------------------------------------------------------------------

# Reads from a pipe that only Ralph writes to, so that any death of Ralph wakes it. SIGTERM first: git removes its locks then.
_WATCH = "trap '' HUP INT TERM; read -r _; kill -15 0; sleep 1; kill -9 0"


class _ChildGroup:
    """The process group of Ralph's children, and a small process in it that ends them when Ralph is gone."""

    def __init__(self) -> None:
        theirs, self._ours = os.pipe()
        try:
            self._watcher = subprocess.Popen(
                ["/bin/sh", "-c", _WATCH],
                cwd="/",
                env={"PATH": os.defpath},
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                process_group=0,
            )
        finally:
            os.close(theirs)
        self.id = self._watcher.pid

    def is_watched(self) -> bool:
        return self._watcher.poll() is None

    def close(self) -> None:
        self._watcher.kill()
        self._watcher.wait()
        os.close(self._ours)


_group: _ChildGroup | None = None


@contextmanager
def owned_children() -> Iterator[None]:
    """Whatever is started from here meanwhile dies with Ralph."""
    global _group
    _group = _ChildGroup()
    try:
        yield
    finally:
        _group.close()
        _group = None


def start(command: Sequence[str], **how: Any) -> subprocess.Popen[bytes]:
    """A child of Ralph's own. Not in Ralph's process group: Ctrl-C is for Ralph to handle; it must not cut a snapshot in half."""
    global _group
    if _group is not None and not _group.is_watched():
        _group.close()
        _group = _ChildGroup()
    return subprocess.Popen(command, process_group=_group.id if _group else 0, **how)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a child of ours and what it has started; in a run, all of them."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(_group.id if _group else process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
            return


def busy_seconds() -> float:
    """How long Ralph has been waiting for git by now."""
    return time.monotonic() - _began if _began is not None else 0.0


# -- calls --------------------------------------------------------------------------------------------------


def run(
    args: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: bytes | BinaryIO | None = None,
    stdout: BinaryIO | None = None,
    durable: bool = False,
    pass_fds: Sequence[int] = (),
    settings: Sequence[str] = (),
    limit: float = 0.0,
) -> bytes:
    """Run git to its end and return what it wrote to stdout (if that is not a file); GitFailed when it exits with
    an error. `settings` (key=value) win over the neutral ones. `limit`: seconds; 0: as for every call."""
    global _began
    fault_point(f"git.{args[0]}.before")
    feed = subprocess.PIPE if isinstance(stdin, bytes) else stdin or subprocess.DEVNULL
    process = _start(args, cwd, env, durable, pass_fds, feed, stdout, settings)
    _began = time.monotonic()
    try:
        out, err = process.communicate(stdin if isinstance(stdin, bytes) else None, limit or LIMIT)
    except subprocess.TimeoutExpired:
        end(process)
        process.communicate()
        raise GitOverdue(args, limit or LIMIT) from None
    except KeyboardInterrupt:  # outside a run; in one, signals are heard between operations
        end(process)
        raise
    finally:
        _began = None
    out = out or b""
    fault_point(f"git.{args[0]}.after")
    if process.returncode or UNSEEN.encode() in err:
        raise GitFailed(args, process.returncode, out, err.decode("utf-8", "replace"))
    return out


def stream(args: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """What git writes to stdout, part by part, however much it is. Only for calls that write nothing."""
    with tempfile.TemporaryFile() as errors:  # no pipe: git stops at a full one
        process = _start(args, cwd, env, False, (), subprocess.DEVNULL, stderr=errors)
        assert process.stdout is not None
        try:
            while part := read(process, args):
                yield part
            if process.wait():
                errors.seek(0)
                said = errors.read(1 << 16).decode("utf-8", "replace")
                raise GitFailed(args, process.returncode, b"", said)
        finally:  # also when no one reads on
            process.kill()
            process.wait()
            process.stdout.close()


def read(process: subprocess.Popen[bytes], args: Sequence[str] = ("",)) -> bytes:
    """What it writes next; nothing when it has ended."""
    assert process.stdout is not None
    if not select.select([process.stdout], [], [], LIMIT)[0]:
        end(process)
        raise GitOverdue(args, LIMIT)
    return os.read(process.stdout.fileno(), 1 << 16)


def converse(
    args: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, pass_fds: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """A git process that reads commands from stdin and makes durable what it does. The caller ends it."""
    return _start(args, cwd, env, True, pass_fds, subprocess.PIPE)


def _start(
    args: Sequence[str],
    cwd: Path,
    env: Mapping[str, str] | None,
    durable: bool,
    pass_fds: Sequence[int],
    feed: int | BinaryIO,
    stdout: BinaryIO | None = None,
    settings: Sequence[str] = (),
    stderr: BinaryIO | None = None,
) -> subprocess.Popen[bytes]:
    # As bytes: hundreds of calls for a task, each of which would decode the whole environment and encode it again.
    inherited = {k: v for k, v in os.environb.items() if not k.startswith(b"GIT_") or os.fsdecode(k) in _KEPT}
    own = {os.fsencode(k): os.fsencode(v) for k, v in {**_FORCED, **(env or {})}.items()}
    special = (f"core.fsync={'all' if durable else 'none'}", *settings)
    try:
        return start(
            ["git", *_NEUTRAL, *(part for setting in special for part in ("-c", setting)), *args],
            cwd=cwd,
            env={**inherited, **own},
            stdin=feed,
            stdout=stdout or subprocess.PIPE,
            stderr=stderr or subprocess.PIPE,
            pass_fds=pass_fds,
        )
    except FileNotFoundError as error:
        if error.filename != "git":
            raise RalphError(f"the folder {cwd} does not exist", code=2)
        raise RalphError(
            "the git program was not found", todo="Install git, or put it on the PATH.", code=2
        ) from None
    except OSError as error:
        raise RalphError(f"cannot start git in {cwd}: {error.strerror}", code=70) from None
