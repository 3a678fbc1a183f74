"""Sends notifications to the targets of `notify:`, each by the process that its channel names.

Sending continues beside the loop and takes a bounded time, owns every process it starts, and never fails a run: what went
wrong is a fact. `notified` holds no secret of ours: of an address only scheme and host, values from the environment by
their name. What the configuration says literally is in the journal as it was written; views mask it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from ralph.core import facts as f
from ralph.core.policy import NotifyPolicy
from ralph.errors import RalphError
from ralph.notify.channel import channel_of, secrets_of, target_name
from ralph.notify.notification import Notification
from ralph.processes.owned_process import OwnedProcess
from ralph.processes.ownership import Ownership
from ralph.text import one_line

PATIENCE = 30.0  # seconds for all targets together: all are sent at the same time
TEXT_CHARS = 300
_NOTHING_KEPT = Path(os.devnull)
_NO_RING = 1 << 62  # bytes of output until the transcript would need a second file


class Sending:
    """One notification on its way to one target: an operation of the run, beside its loops."""

    def __init__(
        self, notification: Notification, target: str, patience: float, over: Callable[[Sending], None]
    ) -> None:
        self.id = f"notify-{notification.occasion}"
        self.notification = notification
        self.target = target
        self.owned: OwnedProcess | None = None
        self.secrets: dict[str, str] = {}
        self.ok = False
        self.text = ""
        self._why = ""  # it is ended before its time
        self._last = ""  # the last line of output
        self._patience = patience
        self._deadline = time.monotonic() + patience
        self._over = over

    @property
    def key(self) -> tuple[str, str, str]:
        return self.notification.occasion, self.notification.about, self.target

    def reads(self) -> list[int]:
        return self.owned.fds() if self.owned else []

    def writes(self) -> list[int]:
        fd = self.owned.wants_write() if self.owned else None
        return [] if fd is None else [fd]

    def wake_at(self) -> float:
        return time.monotonic() if self.done() else self._deadline

    def advance(self) -> list[f.Tick | f.Metered | f.AgentRetries]:
        if self.owned is not None:
            with suppress(OSError):
                for line in self.owned.pump():
                    self._last = line.text if line.text.strip() else self._last
        if time.monotonic() >= self._deadline and not self.done():
            self.cut(f"no end within {self._patience:g} s: it was ended")
        return []

    def done(self) -> bool:
        return self.owned is None or bool(self._why) or self.owned.exited()

    def conclude(self) -> list[f.AnyFact]:
        """Everything it started is gone when this returns, and the record says what became of it."""
        if self.owned is not None:
            self._end(self.owned)
        self._over(self)
        return []

    def cut(self, cause: str) -> None:
        """The first cause stays: a signal may come between a cut and its end."""
        self._why = self._why or cause

    def kill(self) -> None:
        if self.owned is not None:
            self.owned.kill()

    def _end(self, owned: OwnedProcess) -> None:
        try:
            ended = owned.close()
        except RalphError as error:
            self.text = shown(str(error), self.secrets)
            return
        last = next((line.text for line in reversed(ended.rest) if line.text.strip()), self._last)
        self.ok = ended.code == 0 and not self._why
        if self.ok:
            left = ", ".join(ended.stragglers[:5])
            self.text = one_line(f"ended what it left running: {left}", TEXT_CHARS) if left else ""
            return
        how = self._why or (f"exit {ended.code}" if ended.code > 0 else f"killed by signal {-ended.code}")
        self.text = shown(f"{how}: {last}" if last else how, self.secrets)


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

    def start(self, notification: Notification) -> list[Sending]:
        """Starts to send to the targets that want it. Waits for nothing and raises nothing."""
        known = self._already | {sending.key for sending in self._under_way}
        wanted = [
            (target, policy)
            for target, policy in self._targets.items()
            if notification.occasion in policy.when
            and (notification.occasion, notification.about, target) not in known
        ]
        begun = [self._start(target, policy, notification) for target, policy in wanted]
        self._under_way += begun
        return begun

    def loop_is_over(self) -> None:
        """Its waits are over as well: they need no notification any more."""
        for sending in self._under_way:
            if sending.notification.occasion == "wait":
                sending.cut("cut short: the loop has ended")

    def _over(self, sending: Sending) -> None:
        self._under_way.remove(sending)
        if sending.ok:
            self._already.add(sending.key)
        about = sending.notification
        self._record(
            f.Notified(
                occasion=about.occasion,
                about=about.about,
                target=sending.target,
                ok=sending.ok,
                text=sending.text,
            )
        )

    def _start(self, target: str, policy: NotifyPolicy, notification: Notification) -> Sending:
        env = {k: v for k, v in os.environ.items() if k not in ("RALPH_FAULT", "RALPH_TIER")}
        sending = Sending(notification, target, self._patience, self._over)
        sending.secrets = secrets_of(policy, env)
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


def shown(text: str, secrets: dict[str, str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, secrets[secret])
    return one_line(text, TEXT_CHARS)
