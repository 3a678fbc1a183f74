"""Any program as an agent: prompt by stdin, argument or file; words as plain text or JSON lines."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from ralph.agents.adapter import SAID_CHARS, Launch, Reader, Words
from ralph.core.policy import AgentPolicy

_TAIL_LINES = 200  # enough context to know whether the last lines stand inside a code fence


class CommandAdapter:
    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path) -> Launch:
        argv = policy.command
        flag = (policy.prompt_flag,) if policy.prompt_flag else ()
        match policy.prompt_mode:
            case "arg":
                return Launch(argv=(*argv, *flag, prompt), env=policy.env)
            case "file":
                return Launch(argv=(*argv, *flag, str(prompt_file)), env=policy.env)
        return Launch(argv=argv, stdin=prompt.encode(), env=policy.env)

    def reader(self, policy: AgentPolicy) -> Reader:
        if policy.output == "jsonl":
            from ralph.agents.jsonlines import JsonLinesReader

            return JsonLinesReader()
        return TextReader()


class TextReader:
    """Keeps the last lines of plain text, each bounded."""

    def __init__(self) -> None:
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)

    def feed(self, line: str) -> None:
        self._tail.append(line[:SAID_CHARS])

    def words(self) -> Words:
        lines = list(self._tail)
        # The journal keeps the end; an open fence before it must not be forgotten.
        said = "\n".join(lines)[-SAID_CHARS:]
        dropped = "\n".join(lines)[: -len(said)] if said else ""
        if _opens_fence(dropped):
            said = "```\n" + said
        return Words(said=said)


def _opens_fence(text: str) -> bool:
    return sum(line.lstrip().startswith(("```", "~~~")) for line in text.splitlines()) % 2 == 1
