"""Memories, `.ralph/agent/memories.md`: what later iterations, tasks and runs should know. Markdown in a known form:

`## Patterns` and three more sections; in each, newest first, `### mem-<seconds>-<hex>`, the text as a quotation, and a
comment with tags and date. People edit it too: whatever is not a memory stays as it is.
"""

from __future__ import annotations

import os
import re
import time

from ralph.mcp import files

NAME = "memories.md"
SECTIONS = {"pattern": "Patterns", "decision": "Decisions", "fix": "Fixes", "context": "Context"}
_KINDS = {section: kind for kind, section in SECTIONS.items()}
_NEW = "# Memories\n" + "".join(f"\n## {section}\n" for section in SECTIONS.values())
_SECTION = re.compile(r"## (Patterns|Decisions|Fixes|Context)\b")
_HEAD = re.compile(r"### (mem-(\d+)-[0-9a-f]{4})\b")
_ABOUT = re.compile(r"<!-- tags: ([^|]*)\| created: (\d{4}-\d{2}-\d{2}) -->")
_SHOWN = 2_000  # characters of one memory in an answer


class Memory:
    def __init__(self, id: str, seconds: int, kind: str) -> None:
        self.id = id
        self.seconds = seconds
        self.kind = kind
        self.lines: list[str] = []
        self.tags = ""
        self.created = ""

    @property
    def content(self) -> str:
        return "\n".join(self.lines)

    def shown(self) -> str:
        text = self.content if len(self.content) <= _SHOWN else self.content[:_SHOWN] + " [cut]"
        about = ", ".join(part for part in (self.kind, self.created, self.tags) if part)
        return f"{self.id} ({about})\n{text}"


def add(folder: str, content: str, kind: str, tags: list[str]) -> tuple[str, bool]:
    """Its id, and whether it is new: the same text is remembered once."""
    path = f"{folder}/{NAME}"
    lines = [line.rstrip() for line in content.strip().splitlines()]
    with files.Alone(folder):
        text = files.read(path) or _NEW
        for known in parse(text):
            if known.kind == kind and known.lines == lines:
                return known.id, False
        name = _new_id(text)
        quoted = "\n".join(f"> {line}".rstrip() for line in lines)
        date = time.strftime("%Y-%m-%d", time.gmtime())
        block = f"\n### {name}\n{quoted}\n<!-- tags: {', '.join(tags)} | created: {date} -->\n"
        files.replace(path, _inserted(text, f"## {SECTIONS[kind]}", block))
    return name, True


def search(folder: str, words: list[str], kind: str) -> list[Memory]:
    """Those that hold every word, in text or tags, newest first."""
    found = [m for m in parse(files.read(f"{folder}/{NAME}")) if kind in ("", m.kind)]
    wanted = [word.casefold() for word in words]
    hits = [m for m in found if all(word in f"{m.content}\n{m.tags}".casefold() for word in wanted)]
    return sorted(hits, key=lambda m: -m.seconds)


def parse(text: str) -> list[Memory]:
    """A memory without text is none."""
    kind, found = "pattern", list[Memory]()
    current: Memory | None = None
    for line in text.splitlines():
        if section := _SECTION.match(line):
            kind, current = _KINDS[section[1]], None
        elif head := _HEAD.match(line):
            current = Memory(head[1], int(head[2][:18]), kind)
            found.append(current)
        elif current and line.startswith(">"):
            current.lines.append(line[1:].removeprefix(" "))
        elif current and (about := _ABOUT.search(line)):
            current.tags, current.created = about[1].strip(), about[2]
    return [memory for memory in found if memory.content.strip()]


def _inserted(text: str, section: str, block: str) -> str:
    """Below the section's heading; a section that somebody removed is put at the end."""
    lines = text.splitlines(keepends=True)
    for n, line in enumerate(lines):
        if line.rstrip() == section:
            lines[n] = line if line.endswith("\n") else f"{line}\n"
            return "".join([*lines[: n + 1], block, *lines[n + 1 :]])
    return f"{text.rstrip()}\n\n{section}\n{block}"


def _new_id(text: str) -> str:
    while True:
        name = f"mem-{int(time.time())}-{os.urandom(2).hex()}"
        if name not in text:
            return name
