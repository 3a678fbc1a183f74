"""The memories file, `.ralph/agent/memories.md`: what later iterations, tasks and runs should know. Markdown in a known form:

`## Patterns` and three more sections; in each, newest first, `### mem-<seconds>-<hex>`, the text as a quotation, and a
comment with tags and date. People edit it too: whatever is not a memory stays as it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from ralph import files
from ralph.core.memories import SECTIONS, Memory, without
from ralph.core.memories import parse as parse
from ralph.errors import RalphError

NAME = "memories.md"
_NEW = "# Memories\n" + "".join(f"\n## {section}\n" for section in SECTIONS.values())
_SHOWN = 2_000  # characters of one memory in an answer


def shown(memory: Memory) -> str:
    content = memory.content
    text = content if len(content) <= _SHOWN else content[:_SHOWN] + " [cut]"
    about = ", ".join(part for part in (memory.kind, memory.created, memory.tags) if part)
    return f"{memory.id} ({about})\n{text}"


def add(folder: str, content: str, kind: str, tags: Sequence[str]) -> tuple[str, bool]:
    """Its id, and whether it is new: the same text is remembered once."""
    for tag in tags:
        if not tag.strip() or any(c in ",|<>" or not c.isprintable() for c in tag):
            raise RalphError(
                f"{tag!r} is no tag", todo="A tag is a word or two, without , | < > or newlines."
            )
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


def delete(folder: str, id: str) -> bool:
    """Whether it was there."""
    path = f"{folder}/{NAME}"
    if not os.path.lexists(path):
        return False
    with files.Alone(folder):
        text = files.read(path)
        left = without(text, id)
        if left != text:
            files.replace(path, left)
    return left != text


def begin(folder: str, *, anew: bool) -> bool:
    """Write an empty file; False: there is one, and it was not to be written over."""
    with files.Alone(folder):
        if os.path.lexists(f"{folder}/{NAME}") and not anew:
            return False
        files.replace(f"{folder}/{NAME}", _NEW)
    return True


def _inserted(text: str, section: str, block: str) -> str:
    """Below the section's heading; a section that someone removed is put at the end."""
    lines = text.split("\n")
    for n, line in enumerate(lines):
        if line.rstrip() == section:
            rest = "\n".join(lines[n + 1 :])
            return "\n".join([*lines[: n + 1], block]) + rest
    return f"{text.rstrip()}\n\n{section}\n{block}"


def _new_id(text: str) -> str:
    while True:
        name = f"mem-{int(time.time())}-{os.urandom(2).hex()}"
        if name not in text:
            return name
