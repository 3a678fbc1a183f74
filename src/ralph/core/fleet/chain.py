"""The running hash over a task's facts: equal chains at a number mean equal facts up to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ralph.core import facts as f
from ralph.core.fleet.model import SentFact


def chained(before: str, n: int, loop: str, kind: str, at: str, body: bytes) -> str:
    """The chain of fact `n`. Lengths are part of it: no two facts read alike."""
    head = "\0".join((before, str(n), loop, kind, at, str(len(body))))
    return hashlib.sha256(head.encode() + b"\0" + body).hexdigest()


def number(fact: f.AnyFact, n: int, before: str, *, loop: str, at: str) -> SentFact:
    """The fact as the next one of its task."""
    kind, body = f.kind_of(fact), f.encode(fact)
    return SentFact(n, loop, kind, at, body, chained(before, n, loop, kind, at, body))


def first_broken(facts: Iterable[SentFact], before: str = "", last: int = 0) -> int:
    """The number of the first fact that does not follow from the one before; 0: all do."""
    for fact in facts:
        if fact.n != last + 1:
            return last + 1
        if chained(before, fact.n, fact.loop, fact.kind, fact.at, fact.body) != fact.chain:
            return fact.n
        before, last = fact.chain, fact.n
    return 0
