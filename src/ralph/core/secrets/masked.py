"""Facts and policies fit to be shown: values that a configuration gives literally are masked, names and variables stay."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ralph.core.policy import Policy
from ralph.core.secrets.masker import MASK

_VARIABLE = r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})"
_ONLY_VARIABLES = re.compile(rf"(?:[/?&=@:#,]|{_VARIABLE})*")


def fact(kind: str, data: msgspec.Raw) -> msgspec.Raw:
    """An encoded fact, fit to be shown. Its other fields stay as they are, also those that this version does not know."""
    if kind != "loop.started":
        return data
    found = msgspec.json.decode(data)
    if isinstance(found, dict) and "policy" in found:
        found["policy"] = _policy(found["policy"])
    return msgspec.Raw(msgspec.json.encode(found))


def policy(whole: Policy) -> Policy:
    return msgspec.convert(_policy(msgspec.to_builtins(whole)), Policy)


def sent(whole: Policy) -> Policy:
    """The same for another machine, which gets no arguments of agents either. It fills them in."""
    return msgspec.convert(_policy(msgspec.to_builtins(whole), args=True), Policy)


def is_masked(data: bytes | msgspec.Raw) -> bool:
    return MASK.encode() in bytes(data)


def filled(shown: Policy, own: Policy) -> Policy:
    """With what another reading of the same configuration says in place of what was masked."""
    return msgspec.convert(_filled(msgspec.to_builtins(shown), msgspec.to_builtins(own)), Policy)


def _filled(value: Any, own: Any) -> Any:
    if isinstance(value, str):
        return value if MASK not in value else own if isinstance(own, str) else ""
    if isinstance(value, dict):
        there = own if isinstance(own, dict) else {}
        return {key: _filled(one, there.get(key)) for key, one in value.items()}
    if isinstance(value, list | tuple):
        others = list(own) if isinstance(own, list | tuple) else []
        if list(value) == [MASK]:
            return others
        return [_filled(one, others[n] if n < len(others) else None) for n, one in enumerate(value)]
    return value


def address(url: str) -> str:
    """Variables are named, not filled in: nothing of them is secret."""
    scheme, there, rest = url.partition("://")
    if not there or not re.fullmatch(r"[A-Za-z][\w+.-]*", scheme):
        return url if re.fullmatch(_VARIABLE, url) else MASK
    return url if _ONLY_VARIABLES.fullmatch(rest) else f"{scheme}://{MASK}"


def _policy(found: Any, *, args: bool = False) -> Any:
    if not isinstance(found, dict):
        return found
    shown = {**found, "agent": _agent(found.get("agent"), args)}
    if "gates" in found:
        shown["gates"] = [_wearer(one, args) for one in found["gates"]]
    if "fallback" in found:
        shown["fallback"] = [_agent(one, args) for one in found["fallback"]]
    if found.get("team"):
        hats = [_wearer(one, args) for one in found["team"].get("hats", ())]
        shown["team"] = {**found["team"], "hats": hats}
    if "notify" in found:
        shown["notify"] = [{**n, "url": address(n["url"])} if n.get("url") else n for n in found["notify"]]
    return shown


def _wearer(found: Any, args: bool) -> Any:
    """A hat or a gate, which may have an agent of its own."""
    return {**found, "agent": _agent(found["agent"], args)} if found.get("agent") else found


def _agent(found: Any, args: bool) -> Any:
    if not found:
        return found
    shown = {**found, "env": dict.fromkeys(found["env"], MASK)} if found.get("env") else found
    return {**shown, "args": [MASK]} if args and found.get("args") else shown
