"""When something happened: which record says so, and the moment, which never runs backwards within a loop."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ralph.journal.record import Record


class At(msgspec.Struct, frozen=True):
    """A record of the journal: its number, its time as written, its run; and the same moment in seconds since 1970. A
    clock may be set back: what happened later never has an earlier moment."""

    seq: int = 0
    time: str = ""
    run: str = ""
    moment: float = 0.0


class TimeSpan(msgspec.Struct, frozen=True):
    """From when to when, in seconds since 1970; what has not ended lasts until the newest record."""

    began: float
    ended: float


def moment(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def at_record(record: Record, not_before: float = 0.0) -> At:
    return At(record.seq, record.at, record.run, max(moment(record.at), not_before))
