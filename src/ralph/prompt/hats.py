"""What hats add to a prompt: whose turn it is, what it is about, and what may be emitted. Without a hat: who could take over."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ralph.core.hats import ASK, Event, Hat, Team
from ralph.core.queue import Routed, Turn
from ralph.core.routing import shown_topic
from ralph.core.text import fenced, few, one_line

PAYLOAD_CHARS = 8_000  # of one event; longer ones are cut
EVENTS_SHOWN = 20
REFUSED_SHOWN = 5
DESCRIPTION_CHARS = 200
Quote = Callable[[str], str]
EMIT = '`ralph emit TOPIC "payload"`, the tool `emit_event`, or `<event topic="TOPIC">payload</event>` in your last message'


def hat_text(
    team: Team, hat: Hat, turn: Turn, quoted: Quote, *, scratchpad: str = "", memories: bool = False
) -> str:
    """For the one who wears it. Only it says what is to be done: the rest is left to others."""
    parts = [f"# Your hat: {quoted(hat.title)}\nDo what this hat says, once; then stop. Others do the rest."]
    if scratchpad:
        parts[0] += f" Leave in the scratchpad `{scratchpad}` what they must know."
    if memories:
        parts[0] += ' What holds for all later work: `ralph tools memory add "..."`.'
    if hat.text:
        parts.append(quoted(hat.text))
    if hat.allowed_tools:
        parts.append(f"Use these tools only: {quoted(', '.join(hat.allowed_tools))}.")
    if hat.disallowed_tools:
        parts.append(f"Do not use these tools: {quoted(', '.join(hat.disallowed_tools))}.")
    parts.append(_events(team, turn, quoted))
    parts.append(_may_emit(team, hat, quoted))
    return "\n\n".join(part for part in parts if part)


def coordinator_text(team: Team, turn: Turn, quoted: Quote) -> str:
    """For the iteration that wears no hat."""
    lines = [
        "# You coordinate",
        f"No hat is on, because {quoted(_because(turn.why))}. Bring the work to the hat that should go on, by {EMIT}; "
        "or do what is missing yourself. The hats:",
    ]
    for hat in team.hats:
        about = f": {quoted(one_line(hat.description, DESCRIPTION_CHARS))}" if hat.description else ""
        takes = ", ".join(f"`{quoted(topic)}`" for topic in hat.triggers)
        lines.append(
            f"- {quoted(hat.title)}{about} Takes {takes}." if takes else f"- {quoted(hat.title)}{about}"
        )
    return "\n".join(lines) + _below(_events(team, turn, quoted))


def refused_notes(refused: Sequence[Routed], quoted: Quote) -> list[str]:
    """What the iteration before was not allowed to emit: it does not live to read it, the next one does."""
    return [
        f"`{quoted(shown_topic(routed.event.topic))}` from the iteration before was {quoted(one_line(routed.why, 300))}."
        for routed in refused[-REFUSED_SHOWN:]
    ]


def _events(team: Team, turn: Turn, quoted: Quote) -> str:
    if not turn.events:
        return ""
    shown = [_event(team, event, quoted) for event in turn.events[:EVENTS_SHOWN]]
    if len(turn.events) > EVENTS_SHOWN:
        shown.append(f"- and {len(turn.events) - EVENTS_SHOWN} more")
    return "## What it is about\n" + "\n".join(shown)


def _event(team: Team, event: Event, quoted: Quote) -> str:
    payload = event.payload.strip()
    text = f"- `{quoted(shown_topic(event.topic))}`"
    if payload and "\n" not in payload and len(payload) <= DESCRIPTION_CHARS:
        text += f": {quoted(payload)}"
    elif payload:
        cut = payload[:PAYLOAD_CHARS]
        note = (
            f"\n[... {len(payload) - PAYLOAD_CHARS} characters cut ...]"
            if len(payload) > PAYLOAD_CHARS
            else ""
        )
        text += f":\n{quoted(fenced(cut))}{note}"
    meaning = team.meanings.get(event.topic)
    told = [meaning.description, meaning.on_trigger] if meaning else []
    return text + "".join(f"\n  {quoted(line.strip())}" for line in told if line.strip())


def _may_emit(team: Team, hat: Hat, quoted: Quote) -> str:
    topics = hat.declared
    lines = ["## How to end"]
    if topics:
        lines.append(f"Emit one of these, by {EMIT}. Then stop.")
        lines += [_publishes(team, topic, quoted) for topic in topics]
        if hat.default_publishes:
            lines.append(f"If you emit nothing, `{quoted(hat.default_publishes)}` is emitted for you.")
    else:
        lines.append("Say in a few words what you did, and stop.")
    lines.append(
        f"If you cannot go on without help, end with `TASK_STUCK: <reason>`; a question to a person is `{ASK}`."
    )
    return "\n".join(lines)


def _publishes(team: Team, topic: str, quoted: Quote) -> str:
    meaning = team.meanings.get(topic)
    told = (
        [text.strip() for text in (meaning.description, meaning.on_publish) if text.strip()]
        if meaning
        else []
    )
    about = f": {quoted(' '.join(told))}" if told else ""
    return f"- `{quoted(topic)}`{about}"


def _because(why: str) -> str:
    return one_line(why, 300) or few(["nothing waits"])


def _below(text: str) -> str:
    return f"\n\n{text}" if text else ""
