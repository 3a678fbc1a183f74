"""Any program as an agent: prompt by stdin, argument or file; words as plain text or JSON lines.

A stream of JSON that Ralph knows is read as what it is, whatever the configuration calls it.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

from ralph.agents.adapter import SAID_CHARS, Launch, Reader, Tools, Words
from ralph.core.excerpt import ESCAPES
from ralph.core.policy import AgentPolicy
from ralph.core.signals import fence_after

_LINE_CHARS = 1000  # so that the last lines always fit; a signal's line is short


class CommandAdapter:
    def check(self, policy: AgentPolicy) -> None:
        """That the program is there and can be executed was looked at with the configuration."""

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: Tools) -> Launch:
        argv = policy.command
        flag = (policy.prompt_flag,) if policy.prompt_flag else ()
        match policy.prompt_mode:
            case "arg":
                return Launch(argv=(*argv, *flag, prompt), env=policy.env)
            case "file":
                return Launch(argv=(*argv, *flag, str(prompt_file)), env=policy.env)
        return Launch(argv=argv, stdin=prompt.encode(), env=policy.env)

    def reader(self, policy: AgentPolicy) -> Reader:
        from ralph.agents.guess import GuessingReader

        return GuessingReader(policy)


class TextReader:
    """Keeps the last lines of plain text, each bounded, and knows whether they begin inside a code fence."""

    def __init__(self) -> None:
        self._tail: deque[str] = deque()
        self._chars = 0
        self._fence = ""  # open where the tail begins

    def feed(self, line: str) -> None:
        self._tail.append(_clean(line)[:_LINE_CHARS])
        self._chars += len(self._tail[-1]) + 1
        while self._chars > SAID_CHARS:
            gone = self._tail.popleft()
            self._chars -= len(gone) + 1
            self._fence = fence_after(self._fence, gone)

    def ended(self, code: int) -> None:
        """Text says nothing more at its end."""

    def words(self) -> Words:
        return Words(said="\n".join([self._fence, *self._tail] if self._fence else self._tail))


def bounded(text: str) -> str:
    """The end of a message, cleaned, with the fence in which it begins."""
    reader = TextReader()
    for line in text.splitlines():
        reader.feed(line)
    return reader.words().said


def _clean(line: str) -> str:
    """Without colours and titles, which a signal may wear, and without half characters, which the journal cannot hold."""
    bare = ESCAPES.sub("", line[: 2 * _LINE_CHARS])
    return bare.encode("utf-8", "replace").decode()
