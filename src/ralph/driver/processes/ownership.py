"""Ownership of processes for one run: every program is started here, and none outlives its close()."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Literal

from ralph.driver.processes import link, marks
from ralph.driver.processes.capture import Mask, Stream, Transcript
from ralph.driver.processes.keeper import cgroup, wire
from ralph.driver.processes.owned import Owned, StartFailed
from ralph.driver.processes.program import find, why_not
from ralph.errors import RalphError
from ralph.seams import seam

CAP_BYTES = 64 << 20
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Ownership:
    """One per run. Its end, also by exception, ends everything that was started through it."""

    def __init__(self, tier: str, run: str, mask: Callable[[], Mask] | None = None) -> None:
        """`mask` makes what keeps secrets out of one output, transcripts included."""
        if not _RUN_ID.fullmatch(run):
            raise ValueError(f"not a run id: {run!r}")
        self.tier = tier
        self.run = run
        self._mask = mask
        self._started = 0
        self._live: set[Owned] = set()
        self._keeper = link.take(tier)
        self._closed = False

    def __enter__(self) -> Ownership:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(
        self,
        key: str,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes | None,
        out: Path,
        cap_bytes: int = CAP_BYTES,
        merge: bool = False,
    ) -> Owned:
        """Starts argv with exactly this environment plus the two marks. OSError if the program cannot be
        executed or `out` cannot be written; RalphError if the tier fails."""
        if self._closed:
            raise ValueError("this Ownership is closed")
        program = find(argv[0], cwd, env)
        self._started += 1
        mark = f"{self.run}/{self._started}-{key}"
        marked = {**env, marks.RUN: self.run, marks.PROCESS: mark}
        request = (
            os.fsencode(cwd),
            os.fsencode(program),
            [os.fsencode(a) for a in argv],
            {os.fsencode(k): os.fsencode(v) for k, v in marked.items()},
        )
        seam("process.start.before", writes=True)
        try:
            try:
                owned = self._try_start(request, stdin, out, cap_bytes, merge, mark)
            except StartFailed as e:
                if e.step != "keeper":
                    raise
                self._replace_keeper()  # it died between taking the request and serving it: nothing has run
                owned = self._try_start(request, stdin, out, cap_bytes, merge, mark)
        except StartFailed as e:
            raise self._explain(e, program, cwd) from None
        self._live.add(owned)
        seam("process.start.after")
        return owned

    def _try_start(
        self, request: wire.Request, stdin: bytes | None, out: Path, cap_bytes: int, merge: bool, mark: str
    ) -> Owned:
        with ExitStack() as theirs:
            owned, fds = _plumb(
                stdin, out, cap_bytes, merge, mark, self._keeper.pid, self._live.discard, theirs, self._mask
            )
            try:
                self._send(request, fds)
                theirs.close()
                owned.wait_running()
            except BaseException:
                owned.abandon()
                raise
        return owned

    def close(self, *, spare_keeper: bool = False) -> None:
        """Ends everything; the keeper too, or leaves it to the next Ownership of this tier."""
        with ExitStack() as ends:  # one that cannot be ended does not save the others
            for owned in list(self._live):
                ends.callback(owned.close)
        if self._closed:
            return
        self._closed = True
        if spare_keeper:
            link.spare(self.tier, self._keeper)
        else:
            self._keeper.close()
            for place in cgroup.places(self._keeper.places):  # were the keeper itself killed
                cgroup.remove(place)

    def residue(self) -> str:
        """For the journal: by this, sweep() finds what is left should Ralph die."""
        return marks.residue(self.tier, self.run, self._keeper.pid, self._keeper.places)

    def _send(self, request: wire.Request, fds: Sequence[int]) -> None:
        try:
            self._keeper.send(request, fds)
        except OSError:  # someone killed it: guards live without their keeper, the next one needs a new one
            self._replace_keeper()
            self._keeper.send(request, fds)

    def _replace_keeper(self) -> None:
        self._keeper.close()
        self._keeper = link.Keeper(self.tier, self._keeper.places)

    def _explain(self, failed: StartFailed, program: str, cwd: Path) -> Exception:
        match failed.step:
            case "cwd":
                return OSError(failed.number, failed.what, os.fspath(cwd))
            case "exec":
                return OSError(failed.number, why_not(program, failed.number, failed.what), program)
            case _:
                return RalphError(
                    f"a process cannot be held in tier {self.tier}: {failed.what}",
                    todo="`ralph doctor` says which tiers work here; RALPH_TIER chooses one.",
                    code=70,
                )


def _plumb(
    stdin: bytes | None,
    out: Path,
    cap: int,
    merge: bool,
    mark: str,
    keeper: int,
    forget: Callable[[Owned], None],
    theirs: ExitStack,
    mask: Callable[[], Mask] | None,
) -> tuple[Owned, list[int]]:
    """Our ends, in an Owned; and theirs: control, stdin, stdout, stderr."""
    with ExitStack() as ours:
        control, their_control = socket.socketpair()
        ours.callback(control.close)
        theirs.callback(their_control.close)
        prompt, their_stdin = _input_pipe(stdin, ours, theirs)
        outputs: list[tuple[Literal["out", "err"], Path]] = [("out", out)]
        if not merge:
            outputs.append(("err", out.with_name(out.name + ".err")))
        streams, written = [], []
        for name, path in outputs:
            transcript = Transcript(path, cap)
            ours.callback(transcript.close)
            read, write = os.pipe()
            ours.callback(os.close, read)
            theirs.callback(os.close, write)
            streams.append(Stream(name, read, transcript, mask() if mask else None))
            written.append(write)
        ours.pop_all()
    owned = Owned(control, prompt, stdin or b"", streams, mark, keeper, forget)
    return owned, [their_control.fileno(), their_stdin, written[0], written[-1]]


def _input_pipe(data: bytes | None, ours: ExitStack, theirs: ExitStack) -> tuple[int, int]:
    """Our end, or -1, and theirs."""
    if data is None:
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        theirs.callback(os.close, null)
        return -1, null
    read, write = os.pipe()
    theirs.callback(os.close, read)
    os.set_blocking(write, False)
    ours.callback(os.close, write)
    return write, read
