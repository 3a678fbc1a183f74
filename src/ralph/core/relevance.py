"""Which memories matter most now: those that share rare words with the work at hand, then recent ones. Pure.

The order is a function of the texts alone, so a replay of a run finds the same one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ralph.core.memories import KINDS, Memory

RECENCY = 0.25  # what being of the newest day counts, where the best match of words counts 1
TAGGED = 1.0  # what a tag that was asked for counts
_DAY = 86_400
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")
_UNSPACED = re.compile(r"[\u2e80-\uffff]{2,}")  # scripts without spaces: pairs of characters stand for words
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "about after all also and any are because been before but can could did does each for from had has have how "
        "into its may more must not now one only other our out over shall should some such than that the their them "
        "then there these they this those use used was were what when where which while who will with would you your",
    )
)


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
    for word in _WORD.findall(text):
        found.add(_stem(word.casefold()))
        if not word.islower():
            found.update(_stem(part.casefold()) for part in _HUMP.findall(word))
    for run in _UNSPACED.findall(text):
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
