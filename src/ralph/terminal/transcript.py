"""What an agent printed, as a conversation: its words, the calls of tools with how they ended, errors and retries.

The one renderer of transcripts: `ralph logs`, `ralph run -v`, reports and diagnostics use it. Pure: lines in, rows out. Whoever
shows rows makes their text harmless first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.terminal.activity import Piece, call_words, pieces
from ralph.terminal.screen import Style, TextSpan
from ralph.text import duration

RowKind = Literal["text", "thinking", "call", "done", "failed", "error", "retry", "notice"]

MARKS: dict[RowKind, str] = {"call": "▸", "done": "✓", "failed": "✗"}
_STYLES: dict[RowKind, Style] = {
    "thinking": "dim",
    "done": "green",
    "failed": "red",
    "error": "red",
    "retry": "yellow",
    "notice": "dim",
}
_MOST_PARTIAL = 20_000  # characters of a message that comes in parts, before it is shown as it is
_MOST_SAID = 4000  # characters of the last words, by which their repetition is known
_MOST_HELD = 50  # rows that wait for the end of a call
_MOST_OPEN = 1000  # calls whose end is waited for
_FIRST_LINES, _LAST_LINES = 4, 2  # of a result that are shown where it is folded
_LAST_LINES_FAILED = 8  # an error is at the end
_THOUGHT_LINES = 3
_LINE_CHARS = 300  # of a line of a result


class Row(msgspec.Struct, frozen=True):
    """One step of the conversation. A call that is over has its result with it."""

    kind: RowKind
    text: str = ""
    output: str = ""  # what a tool gave
    seconds: float = -1.0  # that the call took; below 0: not known
    at: float = 0.0  # since 1970; 0: not known
    helper: bool = False  # of a helper that the agent started


class Conversation:
    """The pieces of one agent process: messages that come in parts are joined, what is said twice is there once, and a result
    knows its call."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[Piece, float]] = {}  # with when it was heard
        self._begun: list[Piece] = []  # of a message
        self._said = ""
        self._error = ""
        self._notice = ""

    def feed(self, line: str, now: float = 0.0) -> list[Piece]:
        """`now`: when the line came, where it is read as it comes."""
        found: list[Piece] = []
        for piece in pieces(line):
            if piece.partial and sum(len(part.text) for part in self._begun) < _MOST_PARTIAL:
                self._begun.append(piece)
                continue
            found += [*self.end(), *self._taken(replace(piece, partial=False), now)]
        return found

    def end(self) -> list[Piece]:
        """What is left when nothing follows."""
        begun, self._begun = self._begun, []
        if not begun:
            return []
        text = "".join(part.text for part in begun)
        if len(begun) > 1:  # a key that came in two parts was masked in neither
            from ralph.history.serialise import without_secrets  # few agents speak in parts

            text = without_secrets(text)
        return self._taken(replace(begun[0], text=text, partial=False), 0.0)

    def _taken(self, piece: Piece, now: float) -> list[Piece]:
        match piece.kind:
            case "call":
                if len(self._calls) < _MOST_OPEN:
                    self._calls[piece.id] = (piece, now)
            case "result":
                return [self._paired(piece, now)]
            case "text":
                words = piece.text[-_MOST_SAID:].strip()
                if piece.last and words and words.endswith(self._said or "\0"):
                    return []
                self._said = words or self._said
            case "error":
                if piece.text in (self._error, self._said):
                    return []
                self._error = piece.text
            case "notice":
                if piece.text == self._notice:
                    return []
                self._notice = piece.text
        return [piece]

    def _paired(self, result: Piece, now: float) -> Piece:
        call, heard = self._calls.pop(result.id, (result, 0.0))
        took = result.seconds
        if took < 0 and call is not result:
            ended, began = (result.at, call.at) if result.at and call.at else (now, heard)
            took = ended - began if ended >= began > 0 else -1.0
        name, given = call.name or result.name, call.given if call.given is not None else result.given
        return replace(result, name=name, given=given, seconds=took)


class AgentTranscript:
    """Rows of one agent process. `live`: a call is shown when it begins, its end later; else both are one row."""

    def __init__(self, *, live: bool = False) -> None:
        self._conversation = Conversation()
        self._live = live
        self._held: list[Row] = []
        self._open: dict[str, int] = {}  # call -> its place among the held rows
        self._last_call: str | None = None  # the call that was the last thing shown

    def feed(self, line: str, now: float = 0.0) -> list[Row]:
        return self._take(self._conversation.feed(line, now), now)

    def end(self) -> list[Row]:
        rows = self._take(self._conversation.end(), 0.0)
        left, self._held, self._open = self._held, [], {}
        return rows + left

    def _take(self, found: list[Piece], now: float) -> list[Row]:
        for piece in found:
            self._place(piece, _row(piece, now))
        if self._open and len(self._held) <= _MOST_HELD and not self._live:
            return []
        ready, self._held, self._open = self._held, [], {}
        return ready

    def _place(self, piece: Piece, row: Row) -> None:
        after_its_call, self._last_call = self._last_call == piece.id, None
        if piece.kind == "call":
            self._open[piece.id] = len(self._held)
            self._last_call = piece.id
        elif piece.kind == "result":
            place = self._open.pop(piece.id, None)
            if place is not None:
                self._held[place] = replace(row, at=self._held[place].at)
                return
            if after_its_call and self._live:
                row = replace(row, text="")
        self._held.append(row)


def _row(piece: Piece, now: float) -> Row:
    at = piece.at or (0.0 if piece.plain else now)
    if piece.kind == "call":
        return Row("call", call_words(piece.name, piece.given), at=at, helper=piece.helper)
    if piece.kind == "result":
        kind: RowKind = "failed" if piece.ok is False else "done"
        words = call_words(piece.name, piece.given) or "tool"
        return Row(kind, words, piece.text.strip("\n"), piece.seconds, at, piece.helper)
    return Row(piece.kind, piece.text, at=at, helper=piece.helper)


def lines(row: Row) -> list[tuple[TextSpan, ...]]:
    """A row as lines of a terminal: results and thoughts are folded. Their text is as hostile as the row's."""
    style, indent = _STYLES.get(row.kind, ""), "  " if row.helper else ""
    match row.kind:
        case "call" | "done" | "failed":
            took = f"{'  ' if row.text else ' '}{duration(row.seconds)}" if row.seconds >= 0.05 else ""
            words = (TextSpan(f" {row.text}" if row.text else "", "bold" if row.kind == "call" else ""),)
            head = (TextSpan(indent + MARKS[row.kind], style), *words, TextSpan(took, "dim"))
            last = _LAST_LINES_FAILED if row.kind == "failed" else _LAST_LINES
            return [head, *((TextSpan(f"{indent}  {text}", "dim"),) for text in _folded(row.output, last))]
        case "thinking":
            thought = row.text.strip().splitlines()
            more = len(thought) - _THOUGHT_LINES
            folded = [*thought[:_THOUGHT_LINES], *([f"… {more} more lines"] if more > 0 else [])]
            return [
                (TextSpan(f"{indent}{'thinking: ' if not n else '  '}{text}", style),)
                for n, text in enumerate(folded)
            ]
        case "error":
            texts = row.text.strip().splitlines() or [""]
            return [
                (TextSpan(f"{indent}{'error: ' if not n else '  '}{text}", style),)
                for n, text in enumerate(texts)
            ]
    return [(TextSpan(indent + text, style),) for text in row.text.strip("\n").split("\n")]


def _folded(output: str, last: int) -> list[str]:
    """The first and the last lines of a result, and between them how many were left out."""
    texts = [text if len(text) <= _LINE_CHARS else f"{text[:_LINE_CHARS]}…" for text in output.splitlines()]
    more = len(texts) - _FIRST_LINES - last
    if more <= 1:  # a line that says so would take as much room
        return texts
    return [*texts[:_FIRST_LINES], f"… {more} more lines", *texts[-last:]]


class LiveTranscripts:
    """The transcripts of all agents that are at work: a line belongs to the process that runs for its task."""

    def __init__(self, show: Callable[[str, str, list[Row]], None]) -> None:
        """`show` gets the task, who speaks and the rows."""
        self._show = show
        self._agents: dict[tuple[str, str], AgentTranscript] = {}

    def fact(self, fact: f.AnyFact, task: str) -> None:
        match fact:
            case f.IterationStarted():
                self._agents[task, "agent"] = AgentTranscript(live=True)
            case f.GateStarted(gate=gate) if fact.prompt:  # a reviewer; what a command prints is its own
                self._agents[task, gate] = AgentTranscript(live=True)
            case f.IterationEnded():
                self._end(task, "agent")
            case f.GateEnded(gate=gate):
                self._end(task, gate)

    def heard(self, who: str, line: str, task: str, now: float) -> None:
        agent = self._agents.get((task, who))
        rows = agent.feed(line, now) if agent else [Row("text", line)]
        self._show(
            task, who, [row for row in rows if row.kind != "retry"]
        )  # these are facts, and shown as such

    def _end(self, task: str, who: str) -> None:
        if (agent := self._agents.pop((task, who), None)) is not None:
            self._show(task, who, agent.end())
