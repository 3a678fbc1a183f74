"""Sends notifications to the targets of `notify:`, each by the process that its channel names.

Sending continues beside the loop and takes a bounded time, owns every process it starts, and never fails a run: what went
wrong is a fact. `notified` holds no secret of ours: of an address only scheme and host, values from the environment by
their name. What the configuration says literally is in the journal as it was written; views mask it.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ralph.core import facts as f
from ralph.core.policy import NotifyPolicy
from ralph.errors import RalphError
from ralph.notify.channel import channel_of, secrets_of, target_name
from ralph.notify.notification import Notification
from ralph.processes.owned_process import OwnedProcess
from ralph.processes.ownership import Ownership
from ralph.text import one_line

PATIENCE = 30.0  # seconds for all targets together: all are sent at the same time
LOOK_AGAIN = 0.1  # seconds, while something is being sent
QUIET = 1.0  # seconds after which a person who waits is shown what for
TEXT_CHARS = 300
_NOTHING_KEPT = Path(os.devnull)
_NO_RING = 1 << 62  # bytes of output until the transcript would need a second file


class Sending(msgspec.Struct):
    notification: Notification
    target: str
    deadline: float
    owned: OwnedProcess | None = None
    secrets: dict[str, str] = {}
    last: str = ""  # the last line of output
    ok: bool = False
    text: str = ""


class Notifier:
    """For one loop. `already` holds (occasion, about, target) of what was sent; `sent_notifications` finds it in the facts."""

    def __init__(
        self,
        targets: Sequence[NotifyPolicy],
        folder: Path,
        record: Callable[[f.AnyFact], None],
        *,
        already: set[tuple[str, str, str]],
        ownership: Ownership,
        patience: float = PATIENCE,
    ) -> None:
        self._targets = {target_name(target, number): target for number, target in enumerate(targets, 1)}
        self._folder = folder
        self._record = record
        self._already = already
        self._ownership = ownership
        self._patience = patience
        self._under_way: list[Sending] = []

    def start(self, notification: Notification) -> None:
        """Starts to send to the targets that want it. Waits for nothing and raises nothing."""
        under_way = {_key(s) for s in self._under_way}
        for target, policy in self._targets.items():
            key = (notification.occasion, notification.about, target)
            if notification.occasion in policy.when and key not in self._already | under_way:
                self._under_way.append(self._start(target, policy, notification))

    def advance(self) -> float:
        """Takes what is ready. In how many seconds to call again, at the latest. Only `record` can raise."""
        for s in list(self._under_way):
            if s.owned is None or _has_ended(s):
                self._over(s)
            elif time.monotonic() >= s.deadline:
                self._over(s, f"no end within {self._patience:g} s: it was ended")
        return LOOK_AGAIN if self._under_way else float("inf")

    def loop_is_over(self) -> None:
        """Its waits are over as well: they need no notification any more."""
        for s in [s for s in self._under_way if s.notification.occasion == "wait"]:
            self._over(s, "cut short: the loop has ended")

    def finish(
        self,
        *,
        calls: Sequence[int],
        hurried: Callable[[], bool],
        slow: Callable[[list[str]], None],
        pulse: Callable[[], float],
    ) -> None:
        """Until everything is sent or given up. `hurried` cuts it short; something can be read from `calls` when
        it may have become true. `slow` gets the targets that take long; `pulse` is called as time passes."""
        self.loop_is_over()
        mention_at = time.monotonic() + QUIET
        self.advance()
        while self._under_way and not hurried():
            if time.monotonic() >= mention_at:
                slow([s.target for s in self._under_way])
                mention_at = float("inf")
            _wait(self._under_way, calls, min(mention_at, time.monotonic() + pulse()))
            self.advance()
        for s in list(self._under_way):
            self._over(s, "cut short")

    def _over(self, s: Sending, why: str = "") -> None:
        self._under_way.remove(s)
        if s.owned is not None:
            _end(s, why)
        if s.ok:
            self._already.add(_key(s))
        notification = s.notification
        self._record(
            f.Notified(
                occasion=notification.occasion,
                about=notification.about,
                target=s.target,
                ok=s.ok,
                text=s.text,
            )
        )

    def _start(self, target: str, policy: NotifyPolicy, notification: Notification) -> Sending:
        env = {k: v for k, v in os.environ.items() if k not in ("RALPH_FAULT", "RALPH_TIER")}
        sending = Sending(
            notification, target, time.monotonic() + self._patience, secrets=secrets_of(policy, env)
        )
        try:
            process = channel_of(policy, env).process(policy, notification, self._folder, env)
            sending.secrets = secrets_of(policy, process.env)
            sending.owned = self._ownership.start(
                f"notify-{notification.occasion}",
                process.argv,
                cwd=process.cwd,
                env=process.env,
                stdin=process.stdin,
                out=_NOTHING_KEPT,
                cap_bytes=_NO_RING,
                merge=True,
            )
        except Exception as error:  # a channel may be anyone's
            sending.text = shown(f"not started: {error}", sending.secrets)
        return sending


def _key(s: Sending) -> tuple[str, str, str]:
    return s.notification.occasion, s.notification.about, s.target


def shown(text: str, secrets: dict[str, str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, secrets[secret])
    return one_line(text, TEXT_CHARS)


def _wait(sendings: list[Sending], calls: Sequence[int], until: float) -> None:
    poll = select.poll()
    for fd in calls:
        poll.register(fd, select.POLLIN)
    for one in (s.owned for s in sendings if s.owned):
        for fd in one.fds():
            poll.register(fd, select.POLLIN)
        if (fd_in := one.wants_write()) is not None:
            poll.register(fd_in, select.POLLOUT)
    seconds = min(until, *(s.deadline for s in sendings)) - time.monotonic()
    poll.poll(max(0.0, seconds) * 1000 + 0.5)


def _has_ended(s: Sending) -> bool:
    """Takes what it says meanwhile."""
    assert s.owned is not None
    with suppress(OSError):
        for line in s.owned.pump():
            s.last = line.text if line.text.strip() else s.last
    return s.owned.exited()


def _end(s: Sending, why: str) -> None:
    """Everything it started is gone when this returns."""
    assert s.owned is not None
    try:
        ended = s.owned.close()
    except RalphError as error:
        s.text = shown(str(error), s.secrets)
        return
    last = next((line.text for line in reversed(ended.rest) if line.text.strip()), s.last)
    s.ok = ended.code == 0 and not why
    if s.ok:
        left = ", ".join(ended.stragglers[:5])
        s.text = one_line(f"ended what it left running: {left}", TEXT_CHARS) if left else ""
        return
    how = why or (f"exit {ended.code}" if ended.code > 0 else f"killed by signal {-ended.code}")
    s.text = shown(f"{how}: {last}" if last else how, s.secrets)
