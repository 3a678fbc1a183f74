"""What a person wants of a loop while it runs, from a message of the inbox to a fact. An agent cannot say any of it."""

from __future__ import annotations

from ralph.core import facts as f

KINDS = ("say", "answer", "pause", "continue")  # of messages
MOST_CHARS = 20_000  # of one text: it goes into a prompt
_BY_CHARS = 100


def wish(key: str, message: dict[str, object], run: str) -> f.AnyFact:
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
