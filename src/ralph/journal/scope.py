"""What the hat of an iteration may emit, as its environment tells: for commands that agents call many times, so that they
hear of a refusal at once. Standard library only; the loop itself decides by ralph.core.routing."""

from __future__ import annotations

from collections.abc import Mapping


def refusal(topic: str, env: Mapping[str, str]) -> str:
    """Why the event would be refused; empty when it would not be, or when nobody wears a hat here."""
    hat = env.get("RALPH_HAT", "")
    if not hat or topic == "human.interact":
        return ""
    may = env.get("RALPH_PUBLISHES", "").split()
    completes = topic in env.get("RALPH_COMPLETES", "").split()
    if completes:
        allowed = any(word in may for word in env.get("RALPH_COMPLETES", "").split())
    else:
        allowed = "RALPH_SCOPE" not in env or any(_takes(pattern, topic) for pattern in may)
    if allowed:
        return ""
    return f"refused: the hat {hat} may not publish {topic}; it may: {', '.join(may) or 'nothing'}"


def _takes(pattern: str, topic: str) -> bool:
    wanted, given = pattern.split("."), topic.split(".")
    if pattern in ("*", topic):
        return True
    return len(wanted) == len(given) and all(a in ("*", b) for a, b in zip(wanted, given, strict=True))
