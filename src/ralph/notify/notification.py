"""What is worth a notification: ends, blocks and waits, as one stable JSON object. Pure.

A person is needed: a block. The loop is over or parked: an end. It waits for a service, and not just for an instant: a wait.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from ralph.core import facts as f
from ralph.core.exits import DONE, NEEDS_PERSON, REQUESTED, End, of_task
from ralph.core.loop.end_advice import what_next
from ralph.core.loop.state import LoopState
from ralph.core.policy import Occasion
from ralph.text import count, duration, one_line

SCHEMA = 1
WORTH_TELLING = 60.0  # seconds: a service that hiccups for less is not worth a notification
WHILE_WAITING = "Nothing: it continues by itself. `ralph stop` ends it."
TITLE_CHARS, LINE_CHARS, FIELD_CHARS = 120, 500, 4000

Mood = Literal["success", "warning", "failure", "info"]


class Notification(msgspec.Struct, frozen=True):
    """One notification. `about` names it within its loop: no one is notified of it twice."""

    occasion: Occasion
    about: str
    title: str
    text: str
    mood: Mood
    message: dict[str, object]


class NotificationContext(msgspec.Struct, frozen=True):
    """What a fact does not say of itself."""

    run: str  # that recorded the fact
    folder: str
    host: str
    time: str


def notification_of(fact: f.AnyFact, s: LoopState, scene: NotificationContext) -> Notification | None:
    """The notification for this fact, if it is worth one; `s` is the state after it."""
    match fact:
        case f.LoopEnded():
            return _ended(fact, s, scene)
        case f.WaitStarted(what="quota" | "rate-limit" | "overload") if _long(fact, s):
            return _waits(fact, s, scene)
        case f.WaitStarted(what="answer"):
            return _asks(fact, s, scene)
    return None


def sent_notifications(facts: Iterable[f.AnyFact]) -> set[tuple[str, str, str]]:
    """Occasion, about and target of every notification that was sent, by a loop's facts."""
    return {(x.occasion, x.about, x.target) for x in facts if isinstance(x, f.Notified) and x.ok}


def _long(fact: f.WaitStarted, s: LoopState) -> bool:
    """Once for a row of short waits, when they add up; and for every long wait for a quota, because it says until when."""
    adds_up = s.agents.waited < WORTH_TELLING <= s.agents.waited + fact.seconds
    return adds_up or (fact.what == "quota" and fact.seconds >= WORTH_TELLING)


def _ended(fact: f.LoopEnded, s: LoopState, scene: NotificationContext) -> Notification:
    end = s.judgement.ended or fact.end  # the state believes no end that the gates do not bear out
    occasion: Occasion = "block" if end in NEEDS_PERSON else "end"
    about = f"{end}:{scene.run}"  # a run ends a loop once
    title = one_line(f"{end}: {_name(s)}", TITLE_CHARS)
    text = _text(fact.reason, s, what_next(end, s), scene)
    details: dict[str, object] = {
        "end": end,
        "reason": fact.reason[:FIELD_CHARS],
        "code": fact.code,
        "limit": fact.limit or None,
        "proof": fact.proof,
        "paths": list(fact.paths[:50]),
        "question": (s.people.question or "")[:FIELD_CHARS] or None if end == "blocked-on-person" else None,
        "next": what_next(end, s),
    }
    message = _message(occasion, about, title, text, s, scene, details)
    return Notification(occasion, about, title, text, _mood(end), message)


def _waits(fact: f.WaitStarted, s: LoopState, scene: NotificationContext) -> Notification:
    # The moment is part of it: a resumed wait keeps its own, and another one may come under the same name.
    about = f"{fact.op}:{fact.until}"
    title = one_line(f"waiting ({fact.what}): {_name(s)}", TITLE_CHARS)
    until = fact.until or "an unknown moment"
    text = _text(f"waits {duration(fact.seconds)}, until {until}: {fact.why}", s, WHILE_WAITING, scene)
    wait: dict[str, object] = {
        "what": fact.what,
        "why": fact.why[:FIELD_CHARS],
        "seconds": fact.seconds,
        "until": fact.until or None,
    }
    details: dict[str, object] = {"wait": wait, "next": WHILE_WAITING}
    message = _message("wait", about, title, text, s, scene, details)
    return Notification("wait", about, title, text, "warning", message)


def _asks(fact: f.WaitStarted, s: LoopState, scene: NotificationContext) -> Notification:
    """A person is needed, and the loop waits for them."""
    about = f"{fact.op}:{fact.until}"
    title = one_line(f"asks: {_name(s)}", TITLE_CHARS)
    late = "it ends" if s.people.default is None else f"it continues with: {s.people.default}"
    todo = f'Answer until {fact.until}: `{of_task("answer", s)} "..."`; after that {late}'
    text = _text(fact.why, s, todo, scene)
    wait: dict[str, object] = {
        "what": fact.what,
        "why": fact.why[:FIELD_CHARS],
        "seconds": fact.seconds,
        "until": fact.until,
    }
    details: dict[str, object] = {
        "question": fact.why[:FIELD_CHARS],
        "wait": wait,
        "next": todo[:FIELD_CHARS],
    }
    return Notification(
        "block", about, title, text, "warning", _message("block", about, title, text, s, scene, details)
    )


def _message(
    occasion: Occasion,
    about: str,
    title: str,
    text: str,
    s: LoopState,
    scene: NotificationContext,
    details: dict[str, object],
) -> dict[str, object]:
    """Always the same keys; null where one does not apply."""
    return (
        {
            "schema": SCHEMA,
            "id": f"{s.identity.loop}/{occasion}/{about}",  # the same if it is sent again, so that a receiver can drop the second
            "occasion": occasion,
            "title": title,
            "text": text,
            "task": {"id": s.identity.task.id, "title": s.identity.task.title[:FIELD_CHARS]},
            "loop": s.identity.loop,
            "run": scene.run,
            "end": None,
            "reason": None,
            "code": None,
            "limit": None,
            "proof": {},
            "paths": [],
            "question": None,
            "wait": None,
            "next": None,
            "iterations": s.progress.iterations,
            "attempts": s.judgement.attempts,
            "tokens": s.progress.tokens,
            "cost_usd": round(s.progress.cost_usd, 6),
            "active_seconds": round(s.progress.active_seconds, 3),
            "folder": scene.folder,
            "host": scene.host,
            "time": scene.time,
        }
        | details
    )


def _text(what: str, s: LoopState, todo: str, scene: NotificationContext) -> str:
    figures = [
        count(s.progress.iterations, "iteration"),
        f"{count(s.judgement.attempts, 'attempt')} rejected",
    ]
    figures += [f"{duration(s.progress.active_seconds)} active"]
    figures += [f"{s.progress.tokens} tokens"] if s.progress.tokens else []
    figures += [f"{s.progress.cost_usd:.2f} USD"] if s.progress.cost_usd else []
    lines = (what, ", ".join(figures), f"Next: {todo}", f"{scene.host}:{scene.folder}")
    return "\n".join(one_line(line, LINE_CHARS) for line in lines)


def _name(s: LoopState) -> str:
    return s.identity.task.title or s.identity.task.id


def _mood(end: End) -> Mood:
    if end in DONE:
        return "success"
    if end in NEEDS_PERSON:
        return "warning"
    return "info" if end in REQUESTED else "failure"
