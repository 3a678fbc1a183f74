"""What people tell a loop while it runs, and what it asks them: texts, pauses, questions with a deadline. Pure.

A text waits until an iteration that lived has read it. A pause is a person's wish, so it has no end of its own; a
question that names a deadline is waited for until then, and no longer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f

if TYPE_CHECKING:
    from ralph.core.loop.state import LoopState

PAUSE = "pause:"  # the wait of a paused loop; its id goes on with the count of pauses
ASK = "ask:"  # the wait for an answer; its id goes on with the count of questions
LONGEST_ASK = (
    86400.0  # seconds that an agent can have a loop wait for a person, where the policy says nothing
)
READ_AT_ONCE = 40_000  # characters of people's texts in one prompt; the rest is for the next
_DEADLINES = ("deadline_seconds", "timeout_seconds", "timeout")


class Say(msgspec.Struct, frozen=True):
    name: str
    text: str
    hat: str = ""  # only for it; empty: for whoever comes next
    by: str = ""
    reader: int = 0  # serial of the iteration that has it in its prompt


class Pause(msgspec.Struct, frozen=True):
    by: str
    now: bool = False  # what is under way is cut off


class Steering(msgspec.Struct, frozen=True):
    """How people have a hand in a loop."""

    says: tuple[Say, ...] = ()  # that no iteration has lived to read
    pause: Pause | None = None
    pauses: int = 0
    asks: int = 0
    default: str | None = None  # what the agent does when nobody answers in time
    seconds: float = 0.0  # that the loop waits for an answer; 0: it ends at once
    until: str = ""  # fixed when the wait begins
    late: bool = False  # nobody answered in time, and there is no default
    defaulted: bool = False  # the loop's answer is the agent's own default
    replied: bool = False  # somebody answered after the loop had ended


class Question(msgspec.Struct, frozen=True):
    text: str
    default: str | None = None
    seconds: float = 0.0


# -- texts ---------------------------------------------------------------------------------------------------------


def said(s: LoopState, x: f.Said) -> LoopState:
    return _with(s, says=(*s.steer.says, Say(x.name, x.text, x.hat, x.by)))


def heard(s: LoopState, hat: str) -> tuple[Say, ...]:
    """What the next iteration, under this hat, is told: as much as one prompt takes, the oldest first."""
    found: list[Say] = []
    room = READ_AT_ONCE
    for say in s.steer.says:
        if say.hat not in ("", hat):
            continue
        room -= len(say.text)
        if found and room < 0:
            break
        found.append(say)
    return tuple(found)


def reading(steer: Steering, names: tuple[str, ...], serial: int) -> Steering:
    """An iteration begins with these in its prompt."""
    if not names:
        return steer
    read = tuple(replace(say, reader=serial) if say.name in names else say for say in steer.says)
    return replace(steer, says=read)


def lived(steer: Steering, serial: int) -> Steering:
    """The iteration could make use of what it was told; after a crash or a cut the next one is told again."""
    if not steer.says:
        return steer
    return replace(steer, says=tuple(say for say in steer.says if say.reader != serial))


def unheard(s: LoopState) -> bool:
    """Somebody's words wait for whoever comes next: a claim made before them does not end the loop."""
    return any(not say.hat for say in s.steer.says)


# -- pauses --------------------------------------------------------------------------------------------------------


def paused(s: LoopState, x: f.Paused) -> LoopState:
    if s.ended is not None:
        return s
    if s.steer.pause is not None:
        return _with(s, pause=replace(s.steer.pause, now=s.steer.pause.now or x.now))
    return _with(s, pause=Pause(x.by, x.now), pauses=s.steer.pauses + 1)


def continued(s: LoopState, x: f.Continued) -> LoopState:
    return _with(s, pause=None)


def pause_id(s: LoopState) -> str:
    return f"{PAUSE}{s.steer.pauses}"


# -- questions -----------------------------------------------------------------------------------------------------


def question(payload: str) -> Question:
    """A question as text, or as a JSON object with `question`, `default` and `deadline_seconds`."""
    given = _object(payload)
    text = given.get("question")
    if not isinstance(text, str) or not text.strip():
        return Question(payload.strip() or "(no question given)")
    default = given.get("default")
    seconds = next((given[name] for name in _DEADLINES if name in given), 0)
    return Question(text.strip(), None if default is None else _text(default), _seconds(seconds))


def asked(s: LoopState, payload: str) -> LoopState:
    """How long the loop waits: as the policy says and the agent allows; without a word from either, not at all."""
    found = question(payload)
    most = s.policy.limits.human_timeout_seconds
    wanted = found.seconds or most
    steer = replace(
        s.steer,
        asks=s.steer.asks + 1,
        default=found.default,
        seconds=min(wanted, most or LONGEST_ASK),
        until="",
        late=False,
    )
    return replace(s, question=found.text, steer=steer)


def answered(s: LoopState, x: f.Answered) -> LoopState:
    """The answer to what is open; or, come too late for that, to what was answered by default. Nothing is lost."""
    if s.question is not None:
        s = replace(s, question=None, asked=s.question, answer=x.text)
        return _with(s, late=False, until="", defaulted=False, replied=s.ended is not None)
    if s.steer.defaulted:
        return _with(replace(s, answer=x.text), defaulted=False)
    return said(s, f.Said(name=x.name, text=x.text, by=x.by))


def ask_id(s: LoopState) -> str:
    return f"{ASK}{s.steer.asks}"


def asks(s: LoopState) -> bool:
    """A question is open, and there is time left to wait for its answer."""
    return s.question is not None and s.steer.seconds > 0 and not s.steer.late


# -- waits, ends, resumes ------------------------------------------------------------------------------------------


def own(op: str) -> bool:
    return op.startswith((PAUSE, ASK))


def wait_started(s: LoopState, x: f.WaitStarted) -> LoopState:
    return _with(s, until=x.until) if x.op == ask_id(s) else s


def wait_ended(s: LoopState, x: f.WaitEnded) -> LoopState:
    """Nobody answered in time: the agent's default holds, or the loop ends."""
    if not x.elapsed or x.op != ask_id(s) or s.question is None:
        return s
    if s.steer.default is None:
        return _with(s, late=True)
    s = replace(s, question=None, asked=s.question, answer=s.steer.default)
    return _with(s, defaulted=True, until="")


def cuts(s: LoopState, op: str) -> bool:
    """Whether people want this operation, which is a wait or under a pause that does not wait for it, to end."""
    if op.startswith(PAUSE):
        return s.steer.pause is None or op != pause_id(s)
    if op.startswith(ASK) and (s.question is None or op != ask_id(s)):
        return True
    pause, running = s.steer.pause, s.open.get(op)
    return pause is not None and (pause.now or (running is not None and running.what == "wait"))


def resumed(steer: Steering, *, answer: bool) -> Steering:
    """A person lets the loop go on, so a pause is over; what was said and asked before is still open."""
    steer = replace(steer, pause=None, replied=False)
    return replace(steer, late=False, until="", defaulted=False) if answer else steer


def _with(s: LoopState, **changes: Any) -> LoopState:
    return replace(s, steer=replace(s.steer, **changes))


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
