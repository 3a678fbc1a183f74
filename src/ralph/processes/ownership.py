"""Starts processes that Ralph owns, by the best tier that works here; and why a command's program cannot be executed."""

from __future__ import annotations

import atexit
import errno
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Literal

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.processes import keeper as keeper_protocol
from ralph.processes import marks
from ralph.processes.capture import Mask, Stream, Transcript
from ralph.processes.keeper import cgroup
from ralph.processes.owned_process import Ended, OwnedProcess, StartFailed


def find_program(name: str, cwd: Path, env: Mapping[str, str]) -> str:
    """As a shell in `cwd` with this environment would find it. FileNotFoundError or PermissionError if it would not."""
    if "/" in name:
        folders = [""]
    else:
        folders = env.get("PATH", os.defpath).split(os.pathsep)
    candidates = [os.fspath(cwd / folder / name) for folder in folders] if name else []
    there = [c for c in candidates if os.path.exists(c)]  # noqa: PTH110 - Path.exists() fails in closed folders
    for c in there:
        if os.path.isfile(c) and os.access(c, os.X_OK):  # noqa: PTH113
            return c
    if there:
        what = "a directory, not a program" if os.path.isdir(there[0]) else "not executable"  # noqa: PTH112
        raise PermissionError(errno.EACCES, what, there[0])
    raise FileNotFoundError(errno.ENOENT, "no such program", name)


def why_not_executable(program: str, number: int, what: str) -> str:
    """execve says "No such file" of a script whose interpreter is missing, and little of one that names none."""
    if number not in (errno.ENOENT, errno.ENOEXEC, errno.EACCES):
        return what
    try:
        with open(program, "rb") as f:
            first = f.readline(256)
    except OSError:
        return what
    if first.startswith(b"#!"):
        return f"its interpreter cannot be executed: {first.decode('utf-8', 'replace').strip()}"
    if number == errno.ENOEXEC:
        return "neither a binary for this machine nor a script with a #! line"
    return what


_HOME = Path(__file__).parent
_BOOT = "import sys; sys.path.append(sys.argv[1]); from keeper.server import main; main()"
_PATIENCE = 30.0

_spares: dict[str, Keeper] = {}


class Keeper:
    """One small process beside Ralph. It ends when the socket does, so also when Ralph is killed."""

    def __init__(self, tier: str, places: str = "") -> None:
        if tier == "cgroup" and not places:
            places = f"{cgroup.own_place()}/ralph-{os.urandom(6).hex()}."
        self.places = places  # how the paths of its cgroups begin; never used twice
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._socket.settimeout(_PATIENCE)
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, os.fspath(_HOME), tier, places],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # Ctrl-C is for Ralph
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, request: keeper_protocol.Request, fds: Sequence[int]) -> None:
        data = memoryview(keeper_protocol.pack(request))
        sent = socket.send_fds(self._socket, [data], fds)
        self._socket.sendall(data[sent:])

    def close(self) -> None:
        self._socket.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def get_ready(wanted: str = "") -> None:
    """Starts the keeper that `choose_tier` asks first, so that it comes up while the caller does something else."""
    tier = wanted or TIERS[0]
    if tier in TIERS and tier not in _spares and sys.platform == "linux":
        keep_spare(tier, Keeper(tier))


def take_keeper(tier: str) -> Keeper:
    """A keeper for this tier: the spare one, whose start-up has been paid for, or a new one."""
    return _spares.pop(tier, None) or Keeper(tier)


def keep_spare(tier: str, keeper: Keeper) -> None:
    """Keeps it for who takes the next one; it ends with Ralph in any case."""
    if tier in _spares or not keeper.alive():
        keeper.close()
    else:
        _spares[tier] = keeper


@atexit.register
def _close_spares() -> None:
    while _spares:
        _spares.popitem()[1].close()


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
        self._live: set[OwnedProcess] = set()
        self._keeper = take_keeper(tier)
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
    ) -> OwnedProcess:
        """Starts argv with exactly this environment plus the two marks. OSError if the program cannot be
        executed or `out` cannot be written; RalphError if the tier fails."""
        if self._closed:
            raise ValueError("this Ownership is closed")
        program = find_program(argv[0], cwd, env)
        self._started += 1
        mark = f"{self.run}/{self._started}-{key}"
        marked = {**env, marks.RUN: self.run, marks.PROCESS: mark}
        request = (
            os.fsencode(cwd),
            os.fsencode(program),
            [os.fsencode(a) for a in argv],
            {os.fsencode(k): os.fsencode(v) for k, v in marked.items()},
        )
        plumb = partial(self._plumb, stdin, out, cap_bytes, merge, mark)
        fault_point("process.start.before", writes=True)
        try:
            try:
                owned = self._try_start(request, plumb)
            except StartFailed as e:
                if e.step != "keeper":
                    raise
                self._replace_keeper()  # it died between taking the request and serving it: nothing has run
                owned = self._try_start(request, plumb)
        except StartFailed as e:
            raise self._explain(e, program, cwd) from None
        self._live.add(owned)
        fault_point("process.start.after")
        return owned

    def _try_start(
        self,
        request: keeper_protocol.Request,
        plumb: Callable[[ExitStack], tuple[OwnedProcess, list[int]]],
    ) -> OwnedProcess:
        with ExitStack() as theirs:
            owned, fds = plumb(theirs)
            try:
                self._send(request, fds)
                theirs.close()
                owned.wait_running()
            except BaseException:
                owned.abandon()
                raise
        return owned

    def _plumb(
        self, stdin: bytes | None, out: Path, cap: int, merge: bool, mark: str, theirs: ExitStack
    ) -> tuple[OwnedProcess, list[int]]:
        """Our ends, in an OwnedProcess; and theirs: control, stdin, stdout, stderr."""
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
                streams.append(Stream(name, read, transcript, self._mask() if self._mask else None))
                written.append(write)
            ours.pop_all()
        owned = OwnedProcess(
            control, prompt, stdin or b"", streams, mark, self._keeper.pid, self._live.discard
        )
        return owned, [their_control.fileno(), their_stdin, written[0], written[-1]]

    def close(self, *, spare_keeper: bool = False) -> None:
        """Ends everything; the keeper too, or leaves it to the next Ownership of this tier."""
        with ExitStack() as ends:  # one that cannot be ended does not save the others
            for owned in list(self._live):
                ends.callback(owned.close)
        if self._closed:
            return
        self._closed = True
        if spare_keeper:
            keep_spare(self.tier, self._keeper)
        else:
            self._keeper.close()
            for place in cgroup.places(self._keeper.places):  # were the keeper itself killed
                cgroup.remove(place)

    def residue(self) -> str:
        """For the journal: by this, sweep() finds what is left should Ralph die."""
        return marks.residue(self.tier, self.run, self._keeper.pid, self._keeper.places)

    def _send(self, request: keeper_protocol.Request, fds: Sequence[int]) -> None:
        try:
            self._keeper.send(request, fds)
        except OSError:  # someone killed it: guards live without their keeper, the next one needs a new one
            self._replace_keeper()
            self._keeper.send(request, fds)

    def _replace_keeper(self) -> None:
        self._keeper.close()
        self._keeper = Keeper(self.tier, self._keeper.places)

    def _explain(self, failed: StartFailed, program: str, cwd: Path) -> Exception:
        match failed.step:
            case "cwd":
                return OSError(failed.number, failed.what, os.fspath(cwd))
            case "exec":
                return OSError(
                    failed.number, why_not_executable(program, failed.number, failed.what), program
                )
            case _:
                return RalphError(
                    f"a process cannot be held in tier {self.tier}: {failed.what}",
                    todo="`ralph doctor` says which tiers work here; RALPH_TIER chooses one.",
                    code=70,
                )


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


TIERS = ("cgroup", "pidns", "reaper", "group")

_probed: dict[str, str] = {}


def available_tiers() -> dict[str, str]:
    """Each tier with "" if it works here, else why not. Found out by doing it, once."""
    return {tier: _why_not(tier) for tier in TIERS}


def choose_tier(wanted: str = "") -> str:
    """The best tier that works here, or the wanted one if it does."""
    if wanted and wanted not in TIERS:
        raise RalphError(f"unknown tier {wanted!r}", todo=f"The tiers are {', '.join(TIERS)}.")
    if wanted and (reason := _why_not(wanted)):
        raise RalphError(
            f"the tier {wanted} does not work here: {reason}", todo="`ralph doctor` lists those that do."
        )
    for tier in (wanted,) if wanted else TIERS:
        if not _why_not(tier):
            return tier
    why = "; ".join(available_tiers().values())
    todo = "Run it where programs can be started; `ralph doctor` shows each way."
    raise RalphError(f"no program can be started here: {why}", todo=todo, code=70)


def _why_not(tier: str) -> str:
    if tier not in _probed:
        _probed[tier] = _probe(tier)
    return _probed[tier]


def _probe(tier: str) -> str:
    if sys.platform != "linux" and tier != "group":
        return "needs Linux"
    try:
        with tempfile.TemporaryDirectory(prefix="ralph-probe-") as folder:
            ended = _try(tier, Path(folder, "out"))
    except RalphError as e:
        return e.what.rpartition(": ")[2]
    except OSError as e:
        return e.strerror or str(e)
    return (
        ""
        if ended.code == 0 and not ended.trouble
        else f"a probe ended with {ended.code} {ended.trouble}".strip()
    )


def _try(tier: str, out: Path) -> Ended:
    ownership = Ownership(tier, f"probe-{os.getpid()}")
    try:
        owned = ownership.start("probe", ["/bin/sh", "-c", ":"], cwd=Path("/"), env={}, stdin=None, out=out)
        while not owned.exited():
            owned.wait()
            owned.pump()
        return owned.close()
    finally:
        ownership.close(spare_keeper=True)  # for the run that follows
