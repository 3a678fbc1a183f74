"""Which channel tells a target. Nothing of a channel is loaded before somebody is to be told by it.

A channel is a file in `channels/`, or an entry point of the group `ralph.notify` in any installed package; its name is
that of the file or of the entry point. `run:` is for the channel `command`, an address for the channel that has the name of
its scheme, and every other address for `apprise`.
"""

from __future__ import annotations

import importlib
import string
from functools import cache
from typing import TYPE_CHECKING

from ralph.core.policy import NotifyPolicy
from ralph.notify import channels
from ralph.notify.channel import Channel

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

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
    import pkgutil  # this and the next are slow to load, and most runs tell nobody

    return [module.name for module in pkgutil.iter_modules(channels.__path__)]


@cache
def _installed() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def _own(name: str) -> Channel:
    channel: Channel = importlib.import_module(f".{name}", channels.__name__).CHANNEL
    return channel
