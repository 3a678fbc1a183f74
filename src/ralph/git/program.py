"""The one way Ralph calls the git program: a clean environment, neutral configuration, no terminal, no prompts.

Nothing that a repository's own configuration names (hooks, fsmonitor) is ever executed by a call from here.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

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


# Only a warning to git, but what it cannot look into would silently be missing from a snapshot.
UNSEEN = "could not open directory"


class GitFailed(RalphError):
    """git ended with an error that the caller did not expect, or could not see all of the work tree."""

    def __init__(self, args: Sequence[str], status: int, stdout: bytes, stderr: str) -> None:
        lines = [
            line.removeprefix("fatal: ").removeprefix("error: ").removeprefix("warning: ")
            for line in stderr.splitlines()
            if line
        ]
        super().__init__(f"git {args[0]} failed: {'; '.join(lines[:3]) or f'exit {status}'}", code=70)
        self.status = status
        self.stdout = stdout
        self.stderr = stderr


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
) -> bytes:
    """Run git to its end and return what it wrote to stdout (if that is not a file); GitFailed when it exits with
    an error. `settings` (key=value) win over the neutral ones."""
    fault_point(f"git.{args[0]}.before")
    feed = subprocess.PIPE if isinstance(stdin, bytes) else stdin or subprocess.DEVNULL
    process = _start(args, cwd, env, durable, pass_fds, feed, stdout, settings)
    out, err = process.communicate(stdin if isinstance(stdin, bytes) else None)
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
            while part := os.read(process.stdout.fileno(), 1 << 16):
                yield part
            if process.wait():
                errors.seek(0)
                said = errors.read(1 << 16).decode("utf-8", "replace")
                raise GitFailed(args, process.returncode, b"", said)
        finally:  # also when no one reads on
            process.kill()
            process.wait()
            process.stdout.close()


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
        return subprocess.Popen(
            ["git", *_NEUTRAL, *(part for setting in special for part in ("-c", setting)), *args],
            cwd=cwd,
            env={**inherited, **own},
            stdin=feed,
            stdout=stdout or subprocess.PIPE,
            stderr=stderr or subprocess.PIPE,
            pass_fds=pass_fds,
            process_group=0,  # Ctrl-C is for Ralph to handle; it must not cut a snapshot in half
        )
    except FileNotFoundError as error:
        if error.filename != "git":
            raise RalphError(f"the folder {cwd} does not exist", code=2)
        raise RalphError(
            "the git program was not found", todo="Install git, or put it on the PATH.", code=2
        ) from None
    except OSError as error:
        raise RalphError(f"cannot start git in {cwd}: {error.strerror}", code=70) from None
