"""Memories as `.ralph/agent/memories.md` holds them: read from its text, shown again, fitted into a budget of tokens.

Pure; and without msgspec, because commands that agents call many times read them too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ralph.text import harmless

SECTIONS = {"pattern": "Patterns", "decision": "Decisions", "fix": "Fixes", "context": "Context"}
KINDS = tuple(SECTIONS)
TOKEN_BYTES = 4  # as this family of tools reckons
_KIND_OF = {section: kind for kind, section in SECTIONS.items()}
_SECTION = re.compile(r"## (Patterns|Decisions|Fixes|Context)\b")
_HEAD = re.compile(r"### (mem-([0-9]+)-[0-9a-f]{4})\b")
# Matched at the line's start only: sought anywhere, a line full of beginnings would take forever.
_ABOUT = re.compile(r"\s*<!-- tags: ([^|]*)\| created: ([0-9]{4}-[0-9]{2}-[0-9]{2}) -->")
_HEADING = "# Memories\n"
_LEFT_OUT = (
    "\n<!-- truncated: budget {budget} tokens exceeded; `ralph tools memory search` finds {n} more -->\n"
)
_CUT = " [cut]"


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

    @property
    def tag_list(self) -> list[str]:
        return [tag.strip() for tag in self.tags.split(",") if tag.strip()]


def parse(text: str) -> list[Memory]:
    """A memory without text is none; whatever else stands there is not looked at."""
    kind, found = "pattern", list[Memory]()
    current: Memory | None = None
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        if section := _SECTION.match(line):
            kind, current = _KIND_OF[section[1]], None
        elif head := _HEAD.match(line):
            current = Memory(head[1], int(head[2][:18]), kind)
            found.append(current)
        elif current and line.startswith(">"):
            current.lines.append(line[1:].removeprefix(" "))
        elif current and (about := _ABOUT.match(line)):
            current.tags, current.created = about[1].strip(), about[2]
    return [memory for memory in found if memory.content.strip()]


def without(text: str, id: str) -> str:
    """The file's text less one memory; whatever people wrote around it stays. The same text: it is not there."""
    lines = text.split("\n")
    heads = (n for n, line in enumerate(lines) if (head := _HEAD.match(line)) and head[1] == id)
    at = next(heads, -1)
    if at < 0:
        return text
    end = at + 1
    while end < len(lines) and (lines[end].startswith(">") or _ABOUT.match(lines[end])):
        end += 1
    if at and not lines[at - 1].strip() and not "".join(lines[end : end + 1]).strip():
        end += 1  # of the empty lines before and after it, one is enough
    return "\n".join([*lines[:at], *lines[end:]])


def block(memory: Memory) -> str:
    """One memory as the file has it."""
    quoted = "\n".join(f"> {harmless(line)}".rstrip() for line in memory.lines)
    return f"### {memory.id}\n{quoted}\n<!-- tags: {harmless(memory.tags)} | created: {memory.created} -->\n"


def markdown(memories: Sequence[Memory]) -> str:
    """In the given order, in the file's form; a heading wherever the section changes."""
    if not memories:
        return ""
    parts, kind = [_HEADING], ""
    for memory in memories:
        parts.append(_section(memory, kind))
        kind = memory.kind
    return "".join(parts)


def within(memories: Sequence[Memory], budget: int) -> list[Memory]:
    """Those whose Markdown, with a line about the others, takes at most `budget` tokens; 0: all. The first ones first:
    one that does not fit leaves its room to shorter ones, but the very first is cut rather than left out."""
    if budget <= 0 or _size(markdown(memories)) <= budget * TOKEN_BYTES:
        return list(memories)
    room = budget * TOKEN_BYTES - _size(_HEADING) - _size(_left_out(budget, len(memories)))
    taken: list[Memory] = []
    for memory in memories:
        cost = _size(_section(memory, taken[-1].kind if taken else ""))
        if cost > room and not taken and memory is memories[0]:
            if (short := _shortened(memory, room)) is None:
                continue
            memory, cost = short, _size(_section(short, ""))
        if cost <= room:
            taken.append(memory)
            room -= cost
    return taken


def fitted(memories: Sequence[Memory], budget: int, *, by_section: bool = False) -> str:
    """The Markdown of those that fit, most important first (or section by section), and how many are left out."""
    taken = within(memories, budget)
    if not taken:
        return ""
    shown = sorted(taken, key=lambda m: KINDS.index(m.kind)) if by_section else taken
    left = len(memories) - len(taken)
    return markdown(shown) + (_left_out(budget, left) if left else "")


def _section(memory: Memory, before: str) -> str:
    heading = "" if memory.kind == before else f"\n## {SECTIONS[memory.kind]}\n"
    return f"{heading}\n{block(memory)}"


def _shortened(memory: Memory, room: int) -> Memory | None:
    """As much of its text as there is room for; None: not even a few words."""
    short = Memory(memory.id, memory.seconds, memory.kind)
    short.tags, short.created = memory.tags, memory.created
    room -= _size(_section(short, "")) + _size(_CUT)
    for line in map(harmless, memory.lines):
        room -= len("\n> ") + _size(line)
        if room < 0:
            kept = line.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
            short.lines.append(kept + _CUT)
            break
        short.lines.append(line)
    return short if len(short.content) - len(_CUT) >= 20 else None


def _left_out(budget: int, n: int) -> str:
    return _LEFT_OUT.format(budget=budget, n=n)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


RECENCY = 0.25  # what being of the newest day counts, where the best match of words counts 1
TAGGED = 1.0  # what a tag that was asked for counts
_DAY = 86_400
# As text: what only lists or keeps memories compiles none of them.
_WORD = r"[^\W_]+"
_HUMP = r"[A-Z]?[a-z]{2,}|[A-Z]{2,}"
_UNSPACED = r"[\u2e80-\uffff]{2,}"  # scripts without spaces: pairs of characters stand for words
_COMMON_WORDS = (
    "about after all also and any are because been before but can could did does each for from had has have how "
    "into its may more must not now one only other our out over shall should some such than that the their them "
    "then there these they this those use used was were what when where which while who will with would you your"
)
_COMMON = frozenset(_COMMON_WORDS.split())


def ranked(memories: Sequence[Memory], query: str = "", tags: Iterable[str] = ()) -> list[Memory]:
    """The most relevant first: `query` is what the work is about, `tags` are names (of a hat, of a topic) that memories
    may carry. Equal ones: newest day first, then by kind, then the newest."""
    overlaps = _overlaps(memories, words(query))
    best = max(overlaps, default=0.0) or 1.0
    asked = {tag.casefold() for tag in tags}
    days = sorted({memory.seconds // _DAY for memory in memories})
    recency = {day: n / max(1, len(days) - 1) for n, day in enumerate(days)}

    def weight(n: int) -> tuple[float, int, int]:
        memory = memories[n]
        tagged = len(asked.intersection(tag.casefold() for tag in memory.tag_list)) if asked else 0
        score = overlaps[n] / best + TAGGED * tagged + RECENCY * recency[memory.seconds // _DAY]
        return -round(score, 9), KINDS.index(memory.kind), -memory.seconds

    return [memories[n] for n in sorted(range(len(memories)), key=weight)]


def words(text: str) -> set[str]:
    """What two texts can share: without endings and common words, parts of compound names as well."""
    found: set[str] = set()
    for word in re.findall(_WORD, text):
        found.add(_stem(word.casefold()))
        if not word.islower():
            found.update(_stem(part.casefold()) for part in re.findall(_HUMP, word))
    for run in re.findall(_UNSPACED, text):
        found.update(run[n : n + 2] for n in range(len(run) - 1))
    found.discard("")
    return found


def _overlaps(memories: Sequence[Memory], wanted: set[str]) -> list[float]:
    if not wanted:
        return [0.0] * len(memories)
    texts = [words(memory.content) for memory in memories]
    tagged = [words(memory.tags) for memory in memories]
    shared = [wanted & (text | tags) for text, tags in zip(texts, tagged, strict=True)]
    known: dict[str, int] = {}
    for found in shared:
        for word in found:
            known[word] = known.get(word, 0) + 1
    rarity = {word: math.log(1 + len(memories) / times) for word, times in known.items()}
    return [
        # A long text holds something of everything; and the order of a set must not decide.
        math.fsum(rarity[word] * (2 if word in tags else 1) for word in found) / (1 + len(text) / 100)
        for found, text, tags in zip(shared, texts, tagged, strict=True)
    ]


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    if len(word) < 3 or word in _COMMON:
        return ""
    return re.sub(r"(?:ing|ed|es|s|e)$", "", word) if len(word) > 4 else word
