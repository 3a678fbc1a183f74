"""What a person wants of a loop while it runs, from a message of the inbox to a fact. An agent cannot say any of it."""

from __future__ import annotations

import os
import select
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.errors import RalphError
from ralph.git.program import busy_seconds
from ralph.journal import inbox
from ralph.journal.store import remove_file
from ralph.text import digest

KINDS = ("say", "answer", "pause", "continue")  # of messages
MOST_CHARS = 20_000  # of one text: it goes into a prompt
_BY_CHARS = 100


def fact_of_request(key: str, message: dict[str, object], run: str) -> f.AnyFact:
    kind, by = message.get("kind"), str(message.get("by", ""))[:_BY_CHARS]
    if message.get("token"):
        return f.InboxRefused(name=key, why=f"only a person can {kind}")
    if kind in ("say", "answer"):
        text = message.get("text")
        if not isinstance(text, str) or not text.strip():
            return f.InboxRefused(name=key, why=f"{kind}: there is no text")
        if len(text) > MOST_CHARS:
            return f.InboxRefused(
                name=key, why=f"{kind}: the text has {len(text)} characters of {MOST_CHARS}"
            )
        if kind == "answer":
            return f.Answered(name=key, text=text, by=by)
        return f.Said(name=key, text=text, hat=str(message.get("hat", "")), by=by)
    if message.get("run") != run:
        return f.InboxRefused(name=key, why=f"meant for run {message.get('run')}, which is over")
    task = str(message.get("task", ""))
    if kind == "pause":
        return f.Paused(name=key, by=by, now=message.get("now") is True, task=task)
    return f.Continued(name=key, by=by, task=task)


WAKE = (
    signal.SIGURG
)  # says that something is in the inbox; does no harm to a process that does not expect it yet
PATIENCE = 10.0  # seconds that git may still work after a person asked for the end
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


_REFUSALS = 100  # of one sandbox that are told


class _Box(msgspec.Struct):
    heard: bool
    once: bool
    refused: int = 0


class _Ear(msgspec.Struct):
    """What is meant for one loop, and by which token its iteration is known."""

    record: Callable[[f.AnyFact], None]
    kill: Callable[[], None]
    token: str = ""
    serial: int = 0
    since: float = 0.0


class Control:
    """Turns requests into facts. Signals only set a mark; everything else happens in `deliver`, between operations."""

    def __init__(self, folder: Path, inbox_dir: Path, run: str) -> None:
        self._run = run
        self.stop_file = folder / ".stop"
        self._inbox = str(inbox_dir)
        self._record: Callable[[f.AnyFact], None] = lambda fact: None
        self._sync: Callable[[], None] = lambda: None
        self._seen: set[str] = set()
        self._awaited: Callable[[str], bool] = lambda loop: False
        self._parked: Callable[[str, f.AnyFact], bool] = lambda loop, fact: False
        self._vouches: Callable[[str], bool] = lambda name: False
        self._ears: dict[str, _Ear] = {}
        self._boxes: dict[str, _Box] = {}
        self._signals: list[int] = []
        self._asked = False
        self._heard = False
        self._over = False
        self._pipe = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK) if hasattr(os, "pipe2") else os.pipe()
        self._before: dict[int, object] = {}

    def begin(
        self,
        record: Callable[[f.AnyFact], None],
        sync: Callable[[], None],
        seen: set[str],
        awaited: Callable[[str], bool],
        parked: Callable[[str, f.AnyFact], bool],
        vouches: Callable[[str], bool],
    ) -> None:
        """`record` takes what is meant for no loop. `seen` are the inbox keys that the journal has already. What people say
        to loops that no one attends stays where it is as long as the loop is still `awaited`; what is meant for one that
        waits for a person is given to `parked`, which says whether there is such a loop. `vouches` says of a message without a
        token that it may claim for the iteration."""
        self._record, self._sync, self._seen = record, sync, seen
        self._awaited, self._parked, self._vouches = awaited, parked, vouches

    def attend(self, loop: str, record: Callable[[f.AnyFact], None], kill: Callable[[], None]) -> None:
        """From now on, requests become facts of this loop."""
        self._ears[loop] = _Ear(record, kill)

    def leave(self, loop: str, *, last: bool = False) -> None:
        """`last`: with this loop the run is over, also before it has thought of what to do next."""
        self._ears.pop(loop, None)
        self._over = self._over or last

    def expect(self, loop: str, token: str, serial: int) -> None:
        """Messages that bear the token of this digest are from this iteration; those with another are too late."""
        ear = self._ears[loop]
        ear.token, ear.serial, ear.since = token, serial, time.monotonic()

    def open_box(self, folder: Path, *, heard: bool, once: bool = False) -> None:
        """Listen here as well: someone in a sandbox sees this folder as the inbox. Whoever has no token is not heard
        there; gates are not at all. `once`: what lies there now is the last."""
        self._boxes[str(folder)] = _Box(heard, once)

    def close_box(self, folder: Path) -> None:
        self._boxes[str(folder)].once = True
        self.collect()

    def __enter__(self) -> Control:
        os.set_blocking(self._pipe[1], False)
        signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._on_alarm)
        for number in (*_STOPPING, WAKE):
            if signal.getsignal(number) != signal.SIG_IGN:  # `nohup ralph run` means what it says
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        for fd in self._pipe:
            os.close(fd)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if number != WAKE and self._asked and not self._over:
            self._end_at_once()  # asked twice
        if number != WAKE and not self._asked:
            self._asked = True
            signal.setitimer(signal.ITIMER_REAL, PATIENCE, 1.0)
        self._signals.append(number)

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:
        """Signals are heard between operations. One that waits for git may last as long as git reads what an agent left."""
        if busy_seconds() > PATIENCE and not self._over:
            self._end_at_once()

    def _end_at_once(self) -> NoReturn:
        """The journal stays as it is; a resume closes what was under way."""
        for ear in self._ears.values():
            ear.kill()
        with suppress(OSError):  # the terminal may be what went away, or no one reads
            if select.select([], [2], [], 0)[1]:
                os.write(2, b"\nEnded at once. Go on with `ralph resume`.\n")
        os._exit(130)

    def run_is_over(self) -> None:
        """Nothing can change its end any more: from now on, a signal only hurries what is left to do."""
        self._over = True

    def hurried(self) -> bool:
        self._drain()
        return self._over and any(number != WAKE for number in self._signals)

    def reads(self) -> list[int]:
        return [self._pipe[0]]

    def deliver(self) -> bool:
        """Whether there was anything: who has no loop under way has to think again."""
        self._heard = False
        if not self._over:
            self.heed_stops()
            self.collect()
        return self._heard

    def heed_stops(self) -> None:
        """Signals, and the stop file."""
        self._drain()
        while self._signals:
            number = self._signals.pop(0)
            if number != WAKE:
                by = _SPOKEN.get(number, signal.Signals(number).name)
                self._to_all(f.StopRequested(how="interrupt", by=by))
        if self.stop_file.exists():
            self._to_all(f.StopRequested(how="graceful", by=".stop"))
            self._sync()
            remove_file(self.stop_file)

    def stop(self, fact: f.StopRequested) -> None:
        """By the run itself: a limit of it is reached."""
        self._to_all(fact)
        self._sync()

    def _to_all(self, fact: f.AnyFact) -> None:
        """A stop is for the run: every loop of it has to know."""
        self._heard = True
        for ear in list(self._ears.values()):
            ear.record(fact)
        if not self._ears:
            self._record(fact)

    def collect(self) -> None:
        """Take what lies in the inbox. A message is removed once the journal has it on disk."""
        self._take(self._inbox, None)
        for folder, box in list(self._boxes.items()):
            self._take(folder, box)
            if box.once:
                del self._boxes[folder]
                shutil.rmtree(folder, ignore_errors=True)

    def _take(self, folder: str, box: _Box | None) -> None:
        messages, bad = inbox.take(folder, keep_bad=box is None)
        messages = [(name, message) for name, message in messages if not self._stays(message)]
        for name, message in messages:
            key = inbox.key_of(name)
            if key not in self._seen:
                self._seen.add(key)
                self._note(self._why_unheard(message, box), key, message, box)
        for name in bad:
            self._note("not a message", name, {}, box)
        if messages:
            self._sync()
        for name, _ in messages:
            inbox.done(folder, name)

    def _note(self, unheard: str, key: str, message: dict[str, object], box: _Box | None) -> None:
        self._heard = True
        fact = f.InboxRefused(name=key, why=unheard) if unheard else self._fact_from(key, message)
        if isinstance(fact, f.InboxRefused):
            fact = f.InboxRefused(name=fact.name.encode("utf-8", "replace").decode(), why=fact.why[:300])
            if box is not None:
                box.refused += 1
                if box.refused > _REFUSALS:  # someone wants to fill the journal
                    return
        if isinstance(fact, f.StopRequested) or (
            isinstance(fact, f.Paused | f.Continued) and not message.get("loop")
        ):
            self._to_all(fact)
            return
        ear = self._ear_of(message)
        if ear is None and isinstance(fact, f.Answered) and self._parked(str(message.get("loop")), fact):
            return
        if ear is None and message.get("kind") in KINDS and not isinstance(fact, f.InboxRefused):
            fact = f.InboxRefused(name=key, why=_nobody(message))
        (ear.record if ear else self._record)(fact)

    def _stays(self, message: dict[str, object]) -> bool:
        loop = message.get("loop")
        said = message.get("kind") in ("say", "answer") and isinstance(loop, str) and loop not in self._ears
        return said and self._awaited(str(loop))

    def _ear_of(self, message: dict[str, object]) -> _Ear | None:
        """Whose loop it is about; without a word about it, the only one that there is."""
        named = message.get("loop")
        if isinstance(named, str) and named:
            return self._ears.get(named)
        return next(iter(self._ears.values())) if len(self._ears) == 1 else None

    def _why_unheard(self, message: dict[str, object], box: _Box | None) -> str:
        if box is None:
            return ""
        token = message.get("token")
        if not box.heard:
            return "from a gate, which may send no messages"
        ear = self._ear_of(message)
        if ear is None or not isinstance(token, str) or digest("token", token) != ear.token:
            return "from inside a sandbox, without the iteration's token"
        kind = message.get("kind")
        if kind == "stop":
            return "only a person can stop a run"
        return f"only a person can {kind}" if kind in KINDS else ""

    def _fact_from(self, key: str, message: dict[str, object]) -> f.AnyFact:
        """Who speaks: an iteration is known by its token; without one, it is a person."""
        kind, token = message.get("kind"), message.get("token", "")
        if kind == "stop":
            return _stop(key, message, self._run)
        if kind in KINDS:
            return fact_of_request(key, message, self._run)
        ear = self._ear_of(message)
        if ear is None:
            return f.InboxRefused(name=key, why=_nobody(message))
        if token and (not isinstance(token, str) or digest("token", token) != ear.token):
            return f.InboxRefused(name=key, why="from an iteration that is over")
        claims = kind == "claim" and not token and self._vouches(key)
        serial = ear.serial if token or claims else 0
        if kind == "event":
            return _event(key, message, serial)
        if kind == "checkpoint" and message.get("what") in (
            ("precompact", "stop", "manual") if token else ("manual",)
        ):
            seconds = round(time.monotonic() - ear.since, 3)
            return f.Checkpoint(what=str(message["what"]), serial=ear.serial, seconds=seconds, name=key)
        if not token and not claims:
            return f.InboxRefused(name=key, why=f"only an iteration can send {kind!r}")
        if not serial:
            return f.InboxRefused(name=key, why="no iteration has begun that could claim")
        told = {**message, "kind": _KINDS.get(str(kind), ""), "name": key, "serial": serial}
        try:
            fact: f.ClaimMade | f.TaskProposed = msgspec.convert(told, f.ClaimMade | f.TaskProposed)
            return replace(fact, at_once=True) if isinstance(fact, f.TaskProposed) else fact
        except msgspec.ValidationError as error:
            return f.InboxRefused(name=key, why=f"{kind}: {error}"[:300])

    def _drain(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._pipe[0], 512):
                pass


_SPOKEN: dict[int, str] = {
    signal.SIGINT: "Ctrl-C",
    signal.SIGTERM: "a termination signal",
    signal.SIGHUP: "the closing terminal",
}


# kind of message -> kind of fact: what an iteration can say beyond events
_KINDS = {"claim": "claim.made", "task": "task.proposed"}


def _nobody(message: dict[str, object]) -> str:
    named = message.get("loop")
    return f"meant for loop {named}, which is over" if named else "it does not say for which loop it is"


def _stop(key: str, message: dict[str, object], run: str) -> f.AnyFact:
    match message:
        case {"run": asked} if asked != run:
            return f.InboxRefused(name=key, why=f"meant for run {asked}, which is over")
        case {"how": ("graceful" | "now" | "cancel") as how}:
            return f.StopRequested(how=how, by=str(message.get("by", "ralph stop")), name=key)
    return f.InboxRefused(name=key, why="a stop that does not say how")


def _event(key: str, message: dict[str, object], serial: int) -> f.AnyFact:
    topic = message.get("topic")
    if not isinstance(topic, str) or not topic.strip():
        return f.InboxRefused(name=key, why="an event without a topic")
    return f.EventReceived(name=key, topic=topic, payload=str(message.get("payload", "")), serial=serial)


def tell(state_dir: Path, message: dict[str, object], pid: int | None, name: str = "") -> None:
    """Put a message for the run that holds the journal, and wake it. By the `name`, its fact is found in the journal."""
    try:
        inbox.put(str(state_dir / "inbox"), message, name)
        if pid:
            os.kill(pid, WAKE)
    except ProcessLookupError:
        pass
    except OSError as error:
        raise RalphError(
            f"cannot reach the run: {error.strerror}",
            where=str(state_dir / "inbox"),
            todo="Make the folder writable, or press Ctrl-C where it runs.",
        ) from error
