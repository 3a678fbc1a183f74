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


def address(url: str) -> str:
    """Variables are named, not filled in: nothing of them is secret."""
    scheme, there, rest = url.partition("://")
    if not there or not re.fullmatch(r"[A-Za-z][\w+.-]*", scheme):
        return url if re.fullmatch(_VARIABLE, url) else MASK
    return url if _ONLY_VARIABLES.fullmatch(rest) else f"{scheme}://{MASK}"


def _policy(found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    shown = {**found, "agent": _agent(found.get("agent"))}
    if "gates" in found:
        shown["gates"] = [{**g, "agent": _agent(g["agent"])} if g.get("agent") else g for g in found["gates"]]
    if "fallback" in found:
        shown["fallback"] = [_agent(one) for one in found["fallback"]]
    if found.get("team"):
        hats = [
            {**h, "agent": _agent(h["agent"])} if h.get("agent") else h for h in found["team"].get("hats", ())
        ]
        shown["team"] = {**found["team"], "hats": hats}
    if "notify" in found:
        shown["notify"] = [{**n, "url": address(n["url"])} if n.get("url") else n for n in found["notify"]]
    return shown


def _agent(found: Any) -> Any:
    return {**found, "env": dict.fromkeys(found["env"], MASK)} if found and found.get("env") else found
