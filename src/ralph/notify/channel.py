"""What a channel is: it says which process sends a notification to a target.

A channel starts nothing itself, and must not wait or connect: the runner owns the process, gives it a bounded time and
records how it ended (exit code 0: sent; else its last line says what went wrong).
"""

from __future__ import annotations

import importlib
import json
import re
import string
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

import msgspec

from ralph.core.policy import NotifyPolicy
from ralph.notify import channels
from ralph.notify.notification import Notification

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


# Addresses whose host is one. In the others a token may stand in its place, as in tgram://TOKEN/CHAT.
_WITH_HOST = ("json", "jsons", "xml", "xmls", "form", "forms", "mailto", "mailtos", "gotify", "gotifys")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)[^}]*\})")
_SHORTEST_SECRET = 4


class SendProcess(msgspec.Struct, frozen=True):
    """The process that sends one notification."""

    argv: tuple[str, ...]
    stdin: bytes
    env: dict[str, str]
    cwd: Path


class Channel(Protocol):
    def process(
        self, policy: NotifyPolicy, notification: Notification, folder: Path, env: dict[str, str]
    ) -> SendProcess:
        """`folder`: of the run, there or not; `env`: Ralph's own. ValueError says why nothing can be sent."""
        ...


def target_name(target: NotifyPolicy, number: int) -> str:
    """How facts call a target: its place in the list, and what can be said of it aloud."""
    if target.url:
        return f"{number}: {_address(target.url)}"
    program = next((word for word in target.run.split() if "=" not in word), "")
    plain = re.fullmatch(r"[\w.+/~-]+", program)  # anything else may be more than a name
    return f"{number}: {program.rpartition('/')[2] if plain else 'sh'}"


def expand_url(url: str, env: dict[str, str]) -> str:
    """The address with $VAR and ${VAR} filled in. ValueError if one is not set."""
    try:
        return string.Template(url).substitute(env)
    except KeyError as missing:
        raise ValueError(f"the environment has no {missing.args[0]}") from None
    except ValueError:
        raise ValueError("a $ in the address that names no variable: write %24") from None


def secrets_of(target: NotifyPolicy, env: dict[str, str]) -> dict[str, str]:
    """What must not be shown of a target, whatever its channel says -> what is shown instead."""
    full = string.Template(target.url).safe_substitute(env)
    secrets = dict.fromkeys((part for part in _parts(full) if len(part) >= _SHORTEST_SECRET), "***")
    return secrets | _variables(target.run or target.url, env)


def _variables(text: str, env: dict[str, str]) -> dict[str, str]:
    """The values of the variables that are named in it, each with its name."""
    names = {one or other for one, other in _VARIABLE.findall(text)}
    return {env[n]: f"${n}" for n in sorted(names) if len(env.get(n, "")) >= _SHORTEST_SECRET}


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


def encode_message(message: Mapping[str, object]) -> bytes:
    return json.dumps(message).encode() + b"\n"


GROUP = "ralph.notify"
COMMAND, ANY_ADDRESS = "command", "apprise"


def channel_of(target: NotifyPolicy, env: dict[str, str]) -> Channel:
    """`env`: an address may be named by a variable."""
    if target.run:
        return _own(COMMAND)
    scheme = string.Template(target.url).safe_substitute(env).partition("://")[0].lower()
    if found := _installed().get(scheme):
        channel: Channel = found.load()
        return channel
    return _own(scheme if scheme in _own_names() and scheme != COMMAND else ANY_ADDRESS)


def _own_names() -> list[str]:
    import pkgutil  # this and the next are slow to load, and most runs send nothing

    return [module.name for module in pkgutil.iter_modules(channels.__path__)]


@cache
def _installed() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def _own(name: str) -> Channel:
    channel: Channel = importlib.import_module(f".{name}", channels.__name__).CHANNEL
    return channel
