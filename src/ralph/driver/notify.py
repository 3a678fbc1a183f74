"""Tells whom `notify:` names: a command with JSON on standard input, or an address of apprise.

Telling goes on beside the loop and takes a bounded time, owns every process it starts, and never fails a run: what went
wrong is a fact. `notified` holds no secret of ours: of an address only scheme and host, values from the environment by
their name. What the configuration says literally is in the journal as it was written; views mask it.
"""

from __future__ import annotations

import json
import os
import re
import select
import string
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

import msgspec

from ralph.core import facts as f
from ralph.core.policy import NotifyPolicy
from ralph.core.text import one_line
from ralph.driver.news import News
from ralph.driver.processes import Owned, Ownership
from ralph.errors import RalphError

PATIENCE = 30.0  # seconds for all targets together: they are told at the same time
LOOK_AGAIN = 0.1  # seconds, while somebody is being told
QUIET = 1.0  # seconds after which a person who waits is told what for
TEXT_CHARS = 300
_NOTHING_KEPT = Path(os.devnull)
_NO_RING = 1 << 62  # bytes of output until the transcript would need a second file
# Addresses whose host is one. In the others a token may stand in its place, as in tgram://TOKEN/CHAT.
_WITH_HOST = ("json", "jsons", "xml", "xmls", "form", "forms", "mailto", "mailtos", "gotify", "gotifys")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)[^}]*\})")
_SHORTEST_SECRET = 4


class Letter(msgspec.Struct, frozen=True):
    """What is handed to one process."""

    argv: tuple[str, ...]
    stdin: bytes
    env: dict[str, str]
    cwd: Path
    secrets: dict[str, str]  # what must not be shown -> what is shown instead


class Sending(msgspec.Struct):
    news: News
    target: str
    deadline: float
    owned: Owned | None = None
    secrets: dict[str, str] = {}
    last: str = ""  # the last line of output
    ok: bool = False
    text: str = ""


class Notifier:
    """For one loop. `already` holds (occasion, about, target) of what was told; `news.told` finds it in the facts."""

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
        self._targets = {name(target, number): target for number, target in enumerate(targets, 1)}
        self._folder = folder
        self._record = record
        self._already = already
        self._ownership = ownership
        self._patience = patience
        self._under_way: list[Sending] = []

    def start(self, news: News) -> None:
        """Begins to tell those whom it concerns. Waits for nobody and raises nothing."""
        under_way = {_key(s) for s in self._under_way}
        for target, policy in self._targets.items():
            key = (news.occasion, news.about, target)
            if news.occasion in policy.when and key not in self._already | under_way:
                self._under_way.append(self._start(target, policy, news))

    def advance(self) -> float:
        """Takes what is ready. In how many seconds to call again, at the latest. Only `record` can raise."""
        for s in list(self._under_way):
            if s.owned is None or _has_ended(s):
                self._over(s)
            elif time.monotonic() >= s.deadline:
                self._over(s, f"no end within {self._patience:g} s: it was ended")
        return LOOK_AGAIN if self._under_way else float("inf")

    def loop_is_over(self) -> None:
        """And its waits with it: nobody needs to hear of them any more."""
        for s in [s for s in self._under_way if s.news.occasion == "wait"]:
            self._over(s, "cut short: the loop has ended")

    def finish(
        self,
        *,
        calls: Sequence[int],
        hurried: Callable[[], bool],
        slow: Callable[[list[str]], None],
        pulse: Callable[[], float],
    ) -> None:
        """Until everybody has been told or was given up. `hurried` cuts it short; something can be read from `calls` when
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
        news = s.news
        self._record(
            f.Notified(occasion=news.occasion, about=news.about, target=s.target, ok=s.ok, text=s.text)
        )

    def _start(self, target: str, policy: NotifyPolicy, news: News) -> Sending:
        sending = Sending(news, target, time.monotonic() + self._patience)
        try:
            letter = self._letter(policy, news)
            sending.secrets = letter.secrets
            sending.owned = self._ownership.start(
                f"notify-{news.occasion}",
                letter.argv,
                cwd=letter.cwd,
                env=letter.env,
                stdin=letter.stdin,
                out=_NOTHING_KEPT,
                cap_bytes=_NO_RING,
                merge=True,
            )
        except (RalphError, OSError, ValueError) as error:
            sending.text = shown(f"not started: {error}", sending.secrets)
        return sending

    def _letter(self, policy: NotifyPolicy, news: News) -> Letter:
        env = {k: v for k, v in os.environ.items() if k not in ("RALPH_FAULT", "RALPH_TIER")}
        if policy.url:
            url, secrets = expanded(policy.url, env)
            letter = {"url": url, "title": f"Ralph: {news.title}", "text": news.text, "mood": news.mood}
            # Not in the workspace, and with nothing of it on the path: an agent could have put an apprise.py there.
            sender = (sys.executable, "-P", "-m", "ralph.driver.notify_apprise")
            return Letter(sender, _json(letter), env, Path("/"), secrets)
        env |= {
            "RALPH_NOTIFY_OCCASION": news.occasion,
            "RALPH_NOTIFY_END": str(news.message["end"] or ""),
            "RALPH_NOTIFY_TITLE": news.title,
            "RALPH_NOTIFY_TEXT": news.text,
        }
        # Somebody is to be told also when the agent has removed the folder.
        cwd = self._folder if self._folder.is_dir() else Path("/")
        shell = ("/bin/sh", "-c", policy.run)
        return Letter(shell, _json(news.message), env, cwd, variables(policy.run, env))


def _key(s: Sending) -> tuple[str, str, str]:
    return s.news.occasion, s.news.about, s.target


def name(target: NotifyPolicy, number: int) -> str:
    """How facts call a target: its place in the list, and what can be said of it aloud."""
    if target.url:
        return f"{number}: {_address(target.url)}"
    program = next((word for word in target.run.split() if "=" not in word), "")
    plain = re.fullmatch(r"[\w.+/~-]+", program)  # anything else may be more than a name
    return f"{number}: {program.rpartition('/')[2] if plain else 'sh'}"


def expanded(url: str, env: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The address with $VAR and ${VAR} filled in, and all that must not be shown of it. ValueError if one is not set."""
    try:
        full = string.Template(url).substitute(env)
    except KeyError as missing:
        raise ValueError(f"the environment has no {missing.args[0]}") from None
    except ValueError:
        raise ValueError("a $ in the address that names no variable: write %24") from None
    secrets = dict.fromkeys((part for part in _parts(full) if len(part) >= _SHORTEST_SECRET), "***")
    return full, secrets | variables(url, env)


def variables(text: str, env: dict[str, str]) -> dict[str, str]:
    """The values of the variables that are named in it, each with its name."""
    names = {one or other for one, other in _VARIABLE.findall(text)}
    return {env[n]: f"${n}" for n in sorted(names) if len(env.get(n, "")) >= _SHORTEST_SECRET}


def shown(text: str, secrets: dict[str, str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, secrets[secret])
    return one_line(text, TEXT_CHARS)


def _address(url: str) -> str:
    scheme, there, _ = url.partition("://")
    if not there:
        return url if _VARIABLE.fullmatch(url) else "url"
    if not re.fullmatch(r"[A-Za-z][\w+.-]*", scheme):
        return "url"
    return f"{scheme}://{_place(url)[0]}" if _has_host(url) else f"{scheme}://"


def _parts(url: str) -> list[str]:
    """Everything in an address that may be a secret, also as it reads when decoded."""
    host, port = _place(url) if _has_host(url) else ("", "")
    parts = [part for part in re.split(r"[/?&=@:#,]", url.partition("://")[2]) if part not in (host, port)]
    return parts + [unquote(part) for part in parts]


def _has_host(url: str) -> bool:
    return url.partition("://")[0].lower() in _WITH_HOST


def _place(url: str) -> tuple[str, str]:
    """Host and port."""
    host, _, port = re.split(r"[/?#]", url.partition("://")[2])[0].rpartition("@")[2].partition(":")
    return host, port


def _json(message: Mapping[str, object]) -> bytes:
    return json.dumps(message).encode() + b"\n"


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
