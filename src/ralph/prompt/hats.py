"""What hats add to a prompt: the text of the hat, its event, what it may emit, files worth reading, and the agent's notes:
the memories that matter most and the todos that are still open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from ralph.core import todos as t
from ralph.core.hats.board import MOST_FAILURES, NAME_CHARS, Board, set_aside
from ralph.core.hats.model import ASK, COMPLETE, Event, Hat, Team
from ralph.core.hats.routing import matches, overlap, shown_topic
from ralph.core.hats.turns import MOST_FRUITLESS, Routed, Turn
from ralph.core.memories import fitted, parse, ranked
from ralph.text import fenced, few, one_line

SEPARATOR = "\n\n---\n\n"


def role_text(base: str, role: str) -> str:
    """The base (working.md), a line, then the role's text; either may be missing."""
    return SEPARATOR.join(text.strip() for text in (base, role) if text.strip())


PAYLOAD_CHARS = 8_000  # of one event; longer ones are cut
EVENTS_SHOWN = 20
REFUSED_SHOWN = 5
SET_ASIDE_SHOWN = 10
DESCRIPTION_CHARS = 200
Quote = Callable[[str], str]
REMEMBER = 'ralph tools memory add "..."'
_ENDS = (".", "!", "?", ":", "…")
EMIT = '`ralph emit TOPIC "payload"`, the tool `emit_event`, or `<event topic="TOPIC">payload</event>` in your last message'


class Around(msgspec.Struct, frozen=True):
    """What of the loop an iteration is told, whatever it wears."""

    gates: str = ""  # each with its command
    promise: str = COMPLETE
    scratchpad: str = ""
    cleared: bool = False  # some hats find it empty
    memories: bool = False


def hat_text(team: Team, hat: Hat, turn: Turn, around: Around, quoted: Quote) -> str:
    """For the one who wears it. Only it says what is to be done: the rest is left to others."""
    parts = [
        f"# Your hat: {quoted(hat.title)}\nDo this hat's part, once; then stop. Others do the rest.{_leave(around)}"
    ]
    if own := instructions(hat):
        parts.append(quoted(own))
    parts += tool_lines(hat, quoted)
    parts.append(_events(team, turn, quoted))
    parts.append(_may_emit(team, hat, around, quoted))
    return "\n\n".join(part for part in parts if part)


def instructions(hat: Hat) -> str:
    """What it is to do; its description, where nothing else says so."""
    return "\n".join(text for text in ("" if hat.instructions else hat.description.strip(), hat.text) if text)


def tool_lines(hat: Hat, quoted: Quote) -> list[str]:
    told = []
    if hat.allowed_tools:
        told.append(f"Use these tools only: {quoted(', '.join(hat.allowed_tools))}.")
    if hat.disallowed_tools:
        told.append(f"Do not use these tools: {quoted(', '.join(hat.disallowed_tools))}.")
    return told


def coordinator_text(form: str, team: Team, turn: Turn, around: Around, quoted: Quote, judged: str) -> str:
    """For the iteration that wears no hat: only it is told how the whole ends. `judged`: what the gates do with that."""
    events = _events(team, turn, quoted)
    return form.format(
        why=quoted(one_line(turn.why, 300) or "nothing waits"),
        leave=_leave(around),
        hats="\n".join(_one_of(hat, quoted) for hat in team.hats),
        events=f"\n{events}\n" if events else "",
        emit=EMIT,
        most=MOST_FRUITLESS,
        promise=quoted(around.promise),
        judged=f" {judged}" if judged else "",
        ask=ASK,
    ).strip()


def where_to_keep(around: Around) -> str:
    """What a person said once, and later iterations must know."""
    if around.scratchpad and not around.cleared:
        return "write into the scratchpad what they must know of it"
    if around.memories:
        keep = f"keep what they must know of it by `{REMEMBER}`"
    else:
        keep = "write what they must know of it into a file of the work"
    return f"{keep}; the scratchpad is cleared" if around.scratchpad else keep


def begins_afresh(team: Team, hat: Hat) -> bool:
    """Whether its scratchpad is cleared before some of its turns (turns.fresh says before which)."""
    if hat.fresh is not None or hat.scanner:
        return bool(hat.fresh) and hat.scan is None
    found = [topic for other in team.hats if other.scanner for topic in other.declared]
    return any(
        overlap(pattern, topic) for pattern in hat.triggers for topic in found if not team.completes(topic)
    )


def item_notes(team: Team, board: Board, turn: Turn, quoted: Quote) -> list[str]:
    """Which item of a board the turn is about, where its event does not say so; and that it was tried before. A scanner is told
    what it is not to dispatch."""
    if (hat := team.hat(turn.hat)) is not None and hat.scanner:
        return _set_aside_notes(board, hat, quoted)
    names = [name for e in turn.events for name in (e.payload.strip(), e.payload.partition(": ")[0])]
    items = [board.items[name] for name in (*names, board.under_way) if name in board.items]
    item = next((item for item in items if not item.done), None)
    if item is None or (item.name != board.under_way and item.name not in board.others):
        return []
    name, folder = (quoted(one_line(text, NAME_CHARS)) for text in (item.name, item.folder))
    if item.failures:
        why = f" Its last failure: {quoted(one_line(item.reason, 300))}." if item.reason else ""
        tries = f"Try {item.failures + 1} of {MOST_FAILURES} at `{name}`"
        return [f"{tries}: last time it was still in `{folder}` afterwards.{why}"]
    if item.scanner and item.name in names:
        return []  # its event says so
    senders = [(team.hat(event.hat), event.topic) for event in turn.events]
    if any(sender and sender.scan and topic in sender.scan.topics for sender, topic in senders):
        return []
    return [f"Under way: `{name}` from `{folder}`."]


def _set_aside_notes(board: Board, hat: Hat, quoted: Quote) -> list[str]:
    aside = [item for item in set_aside(board, hat.id) if item.folder or not item.content]
    listed = [
        f"`{quoted(item.name)}` ({quoted(one_line(item.reason, 100))})" for item in aside[-SET_ASIDE_SHOWN:]
    ]
    if not listed:
        return []
    more = f" and {len(aside) - len(listed)} more" if len(aside) > len(listed) else ""
    return [
        f"Set aside until changed, do not dispatch: {', '.join(listed)}{more}. Take another item, if there is one."
    ]


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


def _leave(around: Around) -> str:
    text = f" Leave in the scratchpad `{around.scratchpad}` what they must know" if around.scratchpad else ""
    if text:
        text += "; a hat that begins afresh finds it empty." if around.cleared else "."
    return f"{text} What holds for all later work: `{REMEMBER}`." if around.memories else text


def _one_of(hat: Hat, quoted: Quote) -> str:
    takes = ", ".join(f"`{quoted(topic)}`" for topic in hat.triggers)
    about = _sentences(one_line(hat.description, DESCRIPTION_CHARS))
    told = [quoted(about) if about else "", f"Takes {takes}." if takes else ""]
    return ": ".join(part for part in (f"- {quoted(hat.title)}", " ".join(t for t in told if t)) if part)


def _may_emit(team: Team, hat: Hat, around: Around, quoted: Quote) -> str:
    topics = hat.declared
    lines = ["## How to end"]
    if topics:
        lines.append(f"Emit one of these, by {EMIT}. Then stop.")
        lines += [_publishes(team, topic, quoted) for topic in topics]
        if hat.default_publishes:
            lines.append(f"If you emit nothing, `{quoted(hat.default_publishes)}` is emitted for you.")
        if around.gates and (gated := _gated(team, hat)):
            which = few([f"`{quoted(topic)}`" for topic in gated])
            lines.append(f"Ralph's own gates must pass first for {which}: {quoted(around.gates)}.")
    else:
        lines.append("Say in a few words what you did, and stop.")
    lines.append(
        f"If you cannot go on without help, end with `TASK_STUCK: <reason>`; a question to a person is `{ASK}`."
    )
    return "\n".join(lines)


def _gated(team: Team, hat: Hat) -> list[str]:
    """Of what it may publish. A loop that never ends rests on a completion: no gate is asked."""
    held = [topic for topic in team.gate_on if any(matches(own, topic) for own in hat.declared)]
    claims = [topic for topic in hat.declared if team.completes(topic) and not team.persistent]
    return [*held, *claims]


def _publishes(team: Team, topic: str, quoted: Quote) -> str:
    meaning = team.meanings.get(topic)
    told = _sentences(meaning.description, meaning.on_publish) if meaning else ""
    return f"- `{quoted(topic)}`: {quoted(told)}" if told else f"- `{quoted(topic)}`"


def _sentences(*texts: str) -> str:
    """One after another, each with an end."""
    parts = [text.strip() for text in texts if text.strip()]
    return " ".join(part if part.endswith(_ENDS) else f"{part}." for part in parts)


# -- notes: memories and todos -------------------------------------------------------------------

MOST_TODOS = 40  # shown; the rest is counted
TITLE_CHARS = 200
ID_CHARS = 60
_TAG = re.compile(r"<(?=\s*/?\s*ready-tasks)", re.IGNORECASE)
_ICONS = {"in_progress": "[~]", "open": "[ ]"}
_HINT = "Close one with `ralph tools task close ID` once you have seen it work."


def choose_memories(text: str, budget: int, query: str = "", tags: Iterable[str] = ()) -> str:
    """Of the text of memories.md, as Markdown that begins with `# Memories`, at most `budget` tokens (0: all); empty
    when nothing fits. `query`: what the iteration is about (task, hat, event); `tags`: names of hat and topic."""
    return fitted(ranked(parse(text), query, tags), budget)


def ready_todos(text: str, loop: str = "") -> str:
    """Of the text of the agent's tasks.jsonl, what can be begun and what still waits; empty when nothing is open."""
    known = t.parse(text)[0]
    mine = t.of_loop(known, loop)
    ready = t.ordered(t.of_loop(t.ready(known), loop))
    ids = {id(todo) for todo in ready}
    blocked = t.ordered(todo for todo in mine if t.unfinished(todo) and id(todo) not in ids)
    if not ready and not blocked:
        return ""
    lines = [_counts(len(ready), len(blocked), mine), "", *(_line(todo) for todo in ready[:MOST_TODOS])]
    if blocked:
        lines += ["", "Blocked:", *(_blocked(todo) for todo in blocked[: max(0, MOST_TODOS - len(ready))])]
    if (more := len(ready) + len(blocked) - MOST_TODOS) > 0:
        lines.append(f"[{more} more: `ralph tools task list`]")
    return "\n".join(["<ready-tasks>", *lines, "", _HINT, "</ready-tasks>"])


def _counts(ready: int, blocked: int, mine: list[t.Todo]) -> str:
    closed, failed = (sum(t.status_of(todo) == status for todo in mine) for status in ("closed", "failed"))
    return f"## Tasks: {ready} ready, {ready + blocked} open, {closed} closed" + (
        f", {failed} failed" if failed else ""
    )


def _line(todo: t.Todo) -> str:
    return f"- {_ICONS.get(t.status_of(todo), '[?]')} {_what(todo)}"


def _blocked(todo: t.Todo) -> str:
    ids = ", ".join(_plain(id, ID_CHARS) for id in t.blockers(todo)[:10])
    return f"- [blocked] {_what(todo)}" + (f" — blocked by: {ids}" if ids else "")


def _what(todo: t.Todo) -> str:
    title = _plain(t.text_of(todo, "title"), TITLE_CHARS) or "(no title)"
    key = _plain(t.text_of(todo, "key"), ID_CHARS)
    about = f" — key: {key}" if key else ""
    return f"[P{t.priority_of(todo)}] {title} ({_plain(t.text_of(todo, 'id'), ID_CHARS)}){about}"


def _plain(text: str, most: int) -> str:
    """One line that cannot end the block it stands in."""
    return _TAG.sub("‹", one_line(text, most))
