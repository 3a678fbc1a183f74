"""What people's words, pauses and answers mean for what the loop does next. reducers/people.py records them. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ralph.core.loop.state import LoopState, Say

PAUSE = "pause:"  # the wait of a paused loop; its id continues with the count of pauses
ASK = "ask:"  # the wait for an answer; its id continues with the count of questions
LONGEST_ASK = (
    86400.0  # seconds that an agent can have a loop wait for a person, where the policy says nothing
)
READ_AT_ONCE = 40_000  # characters of people's texts in one prompt; the rest is for the next
_DEADLINES = ("deadline_seconds", "timeout_seconds", "timeout")


class Question(msgspec.Struct, frozen=True):
    text: str
    default: str | None = None
    seconds: float = 0.0


def heard(s: LoopState, hat: str) -> tuple[Say, ...]:
    """What the next iteration, under this hat, is told: as much as one prompt takes, the oldest first."""
    found: list[Say] = []
    room = READ_AT_ONCE
    for say in s.people.says:
        if say.hat not in ("", hat):
            continue
        room -= len(say.text)
        if found and room < 0:
            break
        found.append(say)
    return tuple(found)


def unheard(s: LoopState) -> bool:
    """Someone's words wait for whoever comes next: a claim made before them does not end the loop."""
    return any(not say.hat for say in s.people.says)


def pause_id(s: LoopState) -> str:
    return f"{PAUSE}{s.people.pauses}"


def question(payload: str) -> Question:
    """A question as text, or as a JSON object with `question`, `default` and `deadline_seconds`."""
    given = _object(payload)
    text = given.get("question")
    if not isinstance(text, str) or not text.strip():
        return Question(payload.strip() or "(no question given)")
    default = given.get("default")
    seconds = next((given[name] for name in _DEADLINES if name in given), 0)
    return Question(text.strip(), None if default is None else _text(default), _seconds(seconds))


def ask_id(s: LoopState) -> str:
    return f"{ASK}{s.people.asks}"


def asks(s: LoopState) -> bool:
    """A question is open, and there is time left to wait for its answer."""
    return s.people.question is not None and s.people.ask_seconds > 0 and not s.people.late


def own(op: str) -> bool:
    return op.startswith((PAUSE, ASK))


def cuts(s: LoopState, op: str) -> bool:
    """Whether people want this operation, which is a wait or under a pause that does not wait for it, to end."""
    if op.startswith(PAUSE):
        return s.people.pause is None or op != pause_id(s)
    if op.startswith(ASK) and (s.people.question is None or op != ask_id(s)):
        return True
    pause, running = s.people.pause, s.progress.open.get(op)
    return pause is not None and (pause.now or (running is not None and running.what == "wait"))


def _object(payload: str) -> dict[str, object]:
    if not payload.lstrip().startswith("{"):
        return {}
    try:
        found = msgspec.json.decode(payload)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else msgspec.json.encode(value).decode()


def _seconds(value: object) -> float:
    """What an agent wrote; nonsense is no deadline."""
    try:
        seconds = float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0
