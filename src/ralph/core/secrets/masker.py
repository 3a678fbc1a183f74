"""What well-known credentials look like, so that they are masked even when no one named them.

A shape decides within REACH bytes and, but for private keys, within a line. The rest of a token, however long, is the
run of characters that follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

REACH = 2048  # bytes within which every shape, its surroundings included, is decided
CONTEXT = 4  # bytes before a match that it may look at

_WORD = rb"[A-Za-z0-9_-]"
# Not in the middle of a word; but JSON writes a newline as \n, which is no word.
_FREE = rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"


class Shape(NamedTuple):
    """`pattern`'s group 1 is where the secret begins; `run` matches what more of it follows. Both are compiled when the first
    anchor is seen: most outputs have none."""

    anchors: tuple[bytes, ...]  # one of these is in every match: looked for first, which is much faster
    pattern: bytes
    run: bytes


def _shape(anchors: bytes, pattern: bytes, run: bytes = _WORD + rb"*+", *, free: bool = True) -> Shape:
    return Shape(tuple(anchors.split()), (_FREE if free else b"") + pattern, run)


_BEGIN = rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_NEWLINE = rb"(?:\r?\n|\\{1,4}[nr]){1,4}"
_PEM_HEADERS = rb"(?:[A-Za-z-]{3,20}: [^\n\\]{1,120}" + _NEWLINE + rb"){0,6}"
# The only shape that spans lines: its first ones are here, and the next may be its body.
UNFINISHED_KEY = _BEGIN + _NEWLINE + _PEM_HEADERS + rb"[^\n]{0,160}\Z"

SHAPES = (
    # OpenAI, Anthropic, OpenRouter, ...: a digit tells it from words joined by hyphens
    _shape(b"sk-", rb"(sk-(?=[A-Za-z_-]{0,60}+[0-9])[A-Za-z0-9_-]{20})"),
    _shape(b"sk_ rk_ pk_", rb"([spr]k_(?:live|test)_[A-Za-z0-9]{16})"),
    _shape(b"ghp_ gho_ ghu_ ghs_ ghr_", rb"(gh[pousr]_[A-Za-z0-9]{20})"),
    _shape(b"github_pat_", rb"(github_pat_[A-Za-z0-9_]{20})"),
    _shape(b"glpat-", rb"(glpat-[A-Za-z0-9_-]{16})"),
    _shape(b"AKIA ASIA", rb"((?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])", rb""),
    _shape(b"AIza", rb"(AIza[A-Za-z0-9_-]{30})"),
    _shape(b"ya29.", rb"(ya29\.[A-Za-z0-9_-]{20})"),
    _shape(b"xox", rb"(xox[a-z]-[A-Za-z0-9-]{10})"),
    _shape(b"npm_", rb"(npm_[A-Za-z0-9]{30})"),
    _shape(b"pypi-", rb"(pypi-[A-Za-z0-9_-]{40})"),
    _shape(b"hf_", rb"(hf_[A-Za-z0-9]{30})"),
    _shape(b"eyJ", rb"(eyJ[A-Za-z0-9_-]{5,600}+\.eyJ[A-Za-z0-9_-]{4})", rb"[A-Za-z0-9_.-]*+"),
    _shape(
        b"earer EARER",
        rb"(?i:bearer)[ \t]{1,4}((?=[A-Za-z_.~+/=-]{0,60}+[0-9])[A-Za-z0-9_.~+/=-]{16})",
        rb"[A-Za-z0-9_.~+/=-]*+",
    ),
    _shape(
        b"uthorization UTHORIZATION api-key API-KEY Api-Key",
        rb"(?i:authorization|x-(?:goog-)?api-key)[\"'\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4}[\"'\\]{0,4}"
        rb"(?:(?i:bearer|basic|token)[ \t]{1,4})?+([A-Za-z0-9_.~+/=-]{8})",
        rb"[A-Za-z0-9_.~+/=-]*+",
    ),
    _shape(b"://", rb"://[^\s/@:\"'\\]{0,100}:([^\s/@:\"'\\]{1,300})@", rb"", free=False),
    _shape(b"://", rb"://([A-Za-z0-9_-]{20,300})@", rb"", free=False),
    _shape(
        b"-----BEGIN",
        _BEGIN + _NEWLINE + _PEM_HEADERS + rb"([A-Za-z0-9+/=]{16})",
        rb"(?:[A-Za-z0-9+/=\s]++|\\{1,4}[nr])*+",
        free=False,
    ),
)


MASK = "***"
SHORTEST = 8  # a shorter value is masked only when someone says that it is a secret: it may be any word

_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


class _Match(NamedTuple):
    first: int  # where the match begins
    begin: int  # where the secret in it begins
    stop: int
    shape: Shape | None = None  # of a token, which may go on


class Masker:
    """`values` are likely secrets; `named` are secrets whatever their length."""

    def __init__(self, values: Iterable[str], named: Iterable[str] = ()) -> None:
        wanted = {v for v in values if len(v) >= SHORTEST} | {v for v in named if v}
        forms = {form for value in wanted for form in _forms(value) if form.strip(b"*")}
        self._literals = sorted(forms, key=lambda form: (-len(form), form))
        self._of_lines = [literal for literal in self._literals if b"\n" in literal]
        self._reach = max([REACH, *map(len, self._literals)])

    def text(self, text: str) -> str:
        try:
            return self._whole(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # half a pair, from JSON
            return self._whole(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def stream(self) -> MaskedStream:
        """For one stream of bytes; each needs its own."""
        return MaskedStream(self)

    def _whole(self, raw: bytes) -> bytes:
        return self.stream().feed(raw, last=True)

    # -- for MaskedStream

    def matches(self, data: bytes, start: int) -> Iterator[_Match]:
        """What begins at `start` or later; they may overlap, and come in no order."""
        for literal in self._literals:
            at = data.find(literal, start)
            while at >= 0:
                yield _Match(at, at, at + len(literal))
                at = data.find(literal, at + 1)
        for shape in SHAPES:
            if any(data.find(anchor, start) >= 0 for anchor in shape.anchors):
                yield from _of_shape(shape, data, start)

    def open_from(self, data: bytes, start: int) -> int:
        """Where something begins that the bytes to come may complete."""
        earliest = max(start, len(data) - self._reach)
        held = max(earliest, data.rfind(b"\n", earliest) + 1)
        if key := re.compile(UNFINISHED_KEY).search(data, earliest) if b"-----BEGIN" in data else None:
            held = min(held, key.start())
        for literal in self._of_lines:  # the others lie in the unfinished line
            held = min(held, _unfinished(literal, data, earliest))
        return held


class MaskedStream:
    """Feed chunks, and finish()."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._data = b""  # a few bytes already given out, and what is held back
        self._given = 0  # how many of them are given out
        self._open: list[_Match] = []  # begun in what is given out, not yet at their end
        self._in_mask = False  # what was given out last is a mask

    def feed(self, chunk: bytes, *, last: bool = False) -> bytes:
        data, start = self._data + chunk, self._given
        end = len(data) if last else self._masker.open_from(data, start)
        found = [_extended(match, data) for match in self._open]
        found += [match for match in self._masker.matches(data, start) if match.first < end]
        out = self._give(data, start, end, found)
        drop = max(0, end - CONTEXT)
        self._data, self._given = data[drop:], end - drop
        self._open = [
            m._replace(first=m.first - drop, begin=m.begin - drop, stop=m.stop - drop)
            for m in _going_on(found, end)
        ]
        return out

    def finish(self) -> bytes:
        return self.feed(b"", last=True)

    def _give(self, data: bytes, start: int, end: int, found: list[_Match]) -> bytes:
        out = []
        at = start
        for begin, stop in sorted((max(m.begin, start), min(m.stop, end)) for m in found):
            if begin > at:
                out.append(data[at:begin] if begin < end else data[at:end])
                self._in_mask = False
            if stop > max(at, begin) and not self._in_mask:
                out.append(MASK.encode())
                self._in_mask = True
            at = max(at, min(begin, end), stop)
        if at < end:
            out.append(data[at:end])
            self._in_mask = False
        return b"".join(out)


def _of_shape(shape: Shape, data: bytes, start: int) -> Iterator[_Match]:
    stop = 0
    pattern, rest = re.compile(shape.pattern), re.compile(shape.run)
    found = pattern.search(data, start)
    while found:
        if found.end(1) > stop:  # else it lies in the run that is known already
            run = rest.match(data, found.end(1))
            stop = run.end() if run else found.end(1)
        yield _Match(found.start(), found.start(1), stop, shape)
        found = pattern.search(data, found.start() + 1)


def _extended(match: _Match, data: bytes) -> _Match:
    run = re.compile(match.shape.run).match(data, match.stop) if match.shape else None
    return match._replace(stop=run.end()) if run else match


def _going_on(found: Iterable[_Match], end: int) -> Iterable[_Match]:
    """Those that reach further than `end`, or may. Of many that share one run, the first says it all."""
    longest: dict[tuple[Shape | None, int], _Match] = {}
    for match in found:
        if match.stop >= end:
            key = (match.shape, match.stop)
            longest[key] = min(match, longest.get(key, match), key=lambda m: m.begin)
    return longest.values()


def _unfinished(literal: bytes, data: bytes, earliest: int) -> int:
    """Where the end of `data` is the beginning of the literal; else the end."""
    at = data.find(literal[:1], max(earliest, len(data) - len(literal) + 1))
    while at >= 0 and not literal.startswith(data[at:]):
        at = data.find(literal[:1], at + 1)
    return at if at >= 0 else len(data)


def _forms(value: str) -> Iterator[bytes]:
    """The value as people, URLs, JSON and base64 write it."""
    try:
        raw = value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = value.encode("utf-8", "surrogatepass")
    yield raw
    for kept in (b"", b"/", b"!*'()", b" "):
        for hexadecimal in ("%{:02X}", "%{:02x}"):
            yield _percent(raw, _UNRESERVED + kept, hexadecimal.format).replace(b" ", b"+")
    if not any("\ud800" <= c <= "\udfff" for c in value):
        text = msgspec.json.encode(value)[1:-1].decode()
        yield text.encode()
        yield "".join(c if c < "\x7f" else _json_escape(c) for c in text).encode()
    for ahead in range(3):  # where in a group of three bytes it begins, inside something longer
        text = str(msgspec.to_builtins(bytes(ahead) + raw)).rstrip("=")
        known = text[(0, 2, 3)[ahead] : (ahead + len(raw)) * 8 // 6]
        if len(known) >= SHORTEST:
            yield known.encode()
            yield known.replace("+", "-").replace("/", "_").encode()


def _percent(raw: bytes, kept: bytes, write: Callable[[int], str]) -> bytes:
    return b"".join(bytes((b,)) if b in kept else write(b).encode() for b in raw)


def _json_escape(char: str) -> str:
    raw = char.encode("utf-16-be")
    return "".join(f"\\u{raw[i : i + 2].hex()}" for i in range(0, len(raw), 2))
