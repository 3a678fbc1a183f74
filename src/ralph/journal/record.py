"""One record of the journal: its line, sequence number and checksum; and the time and the ids that records carry."""

from __future__ import annotations

import os
import zlib
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ralph.errors import RalphError


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_id() -> str:
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"


ROTATED = "journal.rotated"
IMPORTED = "imported"  # the run of records that were made elsewhere: what they found out is not known here

_KEY = b',"crc":"'
_END = b'"}\n'
_HEX = len(_END) + 8  # from the end of the line back to the first digit of the checksum
_BODY = _HEX + len(_KEY)


class Record(msgspec.Struct, frozen=True):
    seq: int
    at: str
    run: str
    loop: str
    kind: str
    data: msgspec.Raw


class Rotation(msgspec.Struct, frozen=True):
    """The first record of every journal file but the first: ties it to the file before, by name, number and checksum."""

    previous: str
    last_seq: int
    last_crc: str


class Damage(RalphError):
    """The journal says something that was never written. Nothing is changed when this is raised."""

    def __init__(self, file: Path, line: int, offset: int, wrong: str) -> None:
        super().__init__(
            f"the journal is damaged at line {line} (byte {offset}): {wrong}",
            where=str(file),
            todo="Nothing was changed. Look at that line; to start over, move the file away.\n"
            "Saved work is not lost: `ralph recover` lists it.",
            code=70,
        )


class Misfit(ValueError):
    """A line that is not the next record of its chain; misplaced: it is a whole record with another number."""

    def __init__(self, why: str, *, misplaced: bool = False) -> None:
        super().__init__(why)
        self.misplaced = misplaced


class Chain:
    """Where a sequence of records stands. Without arguments: before the first line of some file."""

    __slots__ = ("base", "crc", "seq")

    def __init__(self, seq: int = -1, crc: int = 0) -> None:
        self.seq = seq
        self.crc = crc
        self.base = (seq, crc)  # what came before the first line

    def line(self, at: str, run: str, loop: str, kind: str, data: bytes) -> bytes:
        """The next line, newline included. `data` is an encoded JSON object."""
        if data[:1] != b"{" or data[-1:] != b"}" or b"\n" in data:
            raise ValueError(f"the data of a record is one JSON object on one line, not {data[:40]!r}")
        text = msgspec.json.encode
        body = b'{"seq":%d,"at":%b,"run":%b,"loop":%b,"kind":%b,"data":%b' % (
            self.seq + 1,
            text(at),
            text(run),
            text(loop),
            text(kind),
            data,
        )
        return b"%b%b%08x%b" % (body, _KEY, zlib.crc32(body, self.crc), _END)

    def accept(self, line: bytes) -> Record:
        """Step over the line if it is the next one; else raise Misfit and stay."""
        if self.seq >= 0:
            before = self.seq, self.crc
        else:
            before = _base(line)
        expected = before[0] + 1
        if line[-len(_END) :] != _END or line[-_BODY:-_HEX] != _KEY:
            raise Misfit("this is not a whole record")
        crc = zlib.crc32(line[:-_BODY], before[1])
        if line[-_HEX : -len(_END)] != b"%08x" % crc:
            raise _misfit(line, expected)
        try:
            record = _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Misfit(f"this is not a record: {error}")
        if record.seq != expected:
            raise _misfit(line, expected)
        if self.seq < 0:
            self.base = before
        self.seq = record.seq
        self.crc = crc
        return record


class _Line(Record, frozen=True):
    crc: str


_decode = msgspec.json.Decoder(Record).decode
_decode_line = msgspec.json.Decoder(_Line).decode


def looks_like_record(line: bytes) -> Record | None:
    """The line as a record, whether or not it belongs where it is."""
    try:
        return _decode_line(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _base(line: bytes) -> tuple[int, int]:
    """The first line of a file says itself what it continues; its checksum proves it."""
    record = looks_like_record(line)
    if record is None or record.kind != ROTATED:
        return 0, 0
    try:
        rotation = msgspec.json.decode(record.data, type=Rotation)
        return rotation.last_seq, int(rotation.last_crc, 16)
    except ValueError:  # then the checksum does not fit, and that is what is reported
        return 0, 0


def _misfit(line: bytes, expected: int) -> Misfit:
    found = looks_like_record(line)
    if found is None or found.seq == expected:
        return Misfit("its checksum does not match what is written")
    return Misfit(f"record {expected} is expected here, and this is record {found.seq}", misplaced=True)
