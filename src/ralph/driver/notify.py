"""Tells whom `notify:` names: a command with JSON on standard input, or an address of apprise.

Telling takes a bounded time, owns every process it starts, and never fails a run: what went wrong is a fact.
No secret gets into a fact: addresses are shown without what follows the host, values from the environment by their name.
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
from ralph.driver.news import News, one_line
from ralph.driver.processes import Owned, Ownership
from ralph.errors import RalphError

PATIENCE = 30.0  # seconds for all targets together: they are told at the same time
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
    target: str
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

    def tell(self, news: News) -> None:
        """At most `patience` seconds. Only `record` can raise."""
        sendings = [
            self._start(target, policy, news)
            for target, policy in self._targets.items()
            if news.occasion in policy.when and (news.occasion, news.about, target) not in self._already
        ]
        self._await([s for s in sendings if s.owned is not None])
        for s in sendings:
            if s.ok:
                self._already.add((news.occasion, news.about, s.target))
            self._record(
                f.Notified(occasion=news.occasion, about=news.about, target=s.target, ok=s.ok, text=s.text)
            )

    def _start(self, target: str, policy: NotifyPolicy, news: News) -> Sending:
        sending = Sending(target)
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

    def _await(self, sendings: list[Sending]) -> None:
        deadline = time.monotonic() + self._patience
        while sendings and time.monotonic() < deadline:
            _wait([s.owned for s in sendings if s.owned], deadline - time.monotonic())
            sendings = [s for s in sendings if not _advance(s)]
        for s in sendings:
            _finish(s, f"no end within {self._patience:g} s: it was ended")


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


def _wait(owned: list[Owned], seconds: float) -> None:
    poll = select.poll()
    for one in owned:
        for fd in one.fds():
            poll.register(fd, select.POLLIN)
        if (fd_in := one.wants_write()) is not None:
            poll.register(fd_in, select.POLLOUT)
    poll.poll(max(0.0, seconds) * 1000 + 0.5)


def _advance(s: Sending) -> bool:
    """Takes what it says; True when it has ended and everything it started is gone."""
    assert s.owned is not None
    with suppress(OSError):
        for line in s.owned.pump():
            s.last = line.text if line.text.strip() else s.last
    if not s.owned.exited():
        return False
    _finish(s, "")
    return True


def _finish(s: Sending, why: str) -> None:
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
