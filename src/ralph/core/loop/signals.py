"""How an iteration says that it ended. Signals are read only from what the agent finally says, alone on a line.

A completion signal is a claim and nothing more; what it leads to is decided elsewhere (decide.py).
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core.policy import ClaimRule

Word = Literal["ITERATION_DONE", "TASK_COMPLETE", "TASK_STUCK"]

LAST_LINES = 3  # of plain text: how far from the end a signal may stand
_FENCE = re.compile(r"^\s{0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_STUCK = re.compile(r"^TASK_STUCK[*_`]*\s*(?:[:—–-]\s*(?P<reason>.*?))?$")
_EMPHASIS = "*_`"


class Signal(msgspec.Struct, frozen=True):
    """What the final words of an iteration amount to."""

    word: Word
    reason: str = ""
    warning: str = ""
    explicit: bool = True  # False: silence, counted as ITERATION_DONE


# (stuck, complete, done) -> (word, warning)
_CONFLICTS: dict[tuple[bool, bool, bool], tuple[Word, str]] = {
    (False, False, False): ("ITERATION_DONE", ""),
    (False, False, True): ("ITERATION_DONE", ""),
    (False, True, False): ("TASK_COMPLETE", ""),
    (False, True, True): (
        "ITERATION_DONE",
        "said both TASK_COMPLETE and ITERATION_DONE; counted as not complete",
    ),
    (True, False, False): ("TASK_STUCK", ""),
    (True, False, True): ("TASK_STUCK", "said TASK_STUCK and ITERATION_DONE; counted as stuck"),
    (True, True, False): ("TASK_STUCK", "said TASK_STUCK and TASK_COMPLETE; counted as stuck"),
    (True, True, True): ("TASK_STUCK", "said three signals at once; counted as stuck"),
}


def read(text: str, *, structured: bool, promise: str = "LOOP_COMPLETE") -> Signal:
    """The signal in an agent's last words: its last message, or the last lines of plain text."""
    lines = [line for line in outside_fences(text) if line.strip()]
    if not structured:
        lines = lines[-LAST_LINES:]
    stuck = complete = done = False
    reason = ""
    for line in lines:
        word, why = signal_on(line, promise)
        if word == "TASK_STUCK":
            stuck, reason = True, why or reason
        complete |= word == "TASK_COMPLETE"
        done |= word == "ITERATION_DONE"
    word, warning = _CONFLICTS[stuck, complete, done]
    return Signal(word=word, reason=reason, warning=warning, explicit=stuck or complete or done)


def with_tool(said: Signal) -> Signal:
    """The same words from an iteration that has claimed by the tool `ralph-complete`. Other words win over it."""
    if said.word == "TASK_STUCK":
        return replace(
            said, warning=said.warning or "claimed by the tool, but said TASK_STUCK; counted as stuck"
        )
    if said.word == "ITERATION_DONE" and said.explicit:
        return replace(
            said,
            warning=said.warning or "claimed by the tool, but said ITERATION_DONE; counted as not complete",
        )
    return Signal(word="TASK_COMPLETE", warning=said.warning)


def signal_on(line: str, promise: str = "LOOP_COMPLETE") -> tuple[Word | None, str]:
    """The signal that stands alone on this line, and the reason after TASK_STUCK."""
    word = bare(line)
    if word in ("TASK_COMPLETE", "LOOP_COMPLETE") or (promise and word == bare(promise)):
        return "TASK_COMPLETE", ""
    if word == "ITERATION_DONE":
        return "ITERATION_DONE", ""
    if found := _STUCK.match(word):
        return "TASK_STUCK", (found["reason"] or "").strip(_EMPHASIS + " ")
    return None, ""


def claims(said: Signal, exit_code: int, rule: ClaimRule) -> bool:
    """Whether an iteration that ended by itself claims that the work is done. A non-zero exit voids what it says."""
    if said.word == "TASK_STUCK":
        return False
    if rule == "every-iteration":
        return True
    says_so = said.word == "TASK_COMPLETE" or (rule == "exit-zero" and not said.explicit)
    return exit_code == 0 and says_so  # with exit code 0 it may still say that more is to do


def defuse(text: str, promise: str = "LOOP_COMPLETE") -> str:
    """Quote every line that would be read as a signal, so that an echoed prompt says nothing."""
    return "\n".join(
        f"> {line.strip()}" if signal_on(line, promise)[0] else line for line in text.splitlines()
    )


def fence_after(fence: str, line: str) -> str:
    """The code fence that is open after this line, given the one before it; empty outside. As Markdown has it, a fence
    is closed by one of its own kind, at least as long, with nothing behind it."""
    found = _FENCE.match(line)
    if not found:
        return fence
    if not fence:
        return "" if "`" in found["info"] else found["mark"]
    closes = found["mark"].startswith(fence) and not found["info"].strip()
    return "" if closes else fence


def outside_fences(text: str) -> list[str]:
    kept: list[str] = []
    fence = ""
    for line in text.splitlines():
        before, fence = fence, fence_after(fence, line)
        if not before and not fence:
            kept.append(line)
    return kept


def bare(line: str) -> str:
    """The line without emphasis, backticks, a full stop and `<promise>` tags."""
    word = line.strip()
    while True:
        before = word
        word = word.strip(_EMPHASIS).strip()
        word = word.removeprefix("<promise>").removesuffix("</promise>").strip()
        word = word.removesuffix(".").strip()
        if word == before:
            return word
