"""What well-known credentials look like, so that they are masked even when nobody named them.

A shape decides within REACH bytes and, but for private keys, within a line. The rest of a token, however long, is the
run of characters that follows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

REACH = 2048  # bytes within which every shape, its surroundings included, is decided
CONTEXT = 4  # bytes before a match that it may look at

_WORD = rb"[A-Za-z0-9_-]"
# Not in the middle of a word; but JSON writes a newline as \n, which is no word.
_FREE = rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"


class Shape(NamedTuple):
    """`pattern`'s group 1 is where the secret begins; `run` matches what more of it follows."""

    anchors: tuple[bytes, ...]  # one of these is in every match: looked for first, which is much faster
    pattern: re.Pattern[bytes]
    run: re.Pattern[bytes]


def _shape(anchors: bytes, pattern: bytes, run: bytes = _WORD + rb"*+", *, free: bool = True) -> Shape:
    return Shape(tuple(anchors.split()), re.compile((_FREE if free else b"") + pattern), re.compile(run))


_BEGIN = rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_NEWLINE = rb"(?:\r?\n|\\{1,4}[nr]){1,4}"
_PEM_HEADERS = rb"(?:[A-Za-z-]{3,20}: [^\n\\]{1,120}" + _NEWLINE + rb"){0,6}"
# The only shape that spans lines: its first ones are here, and the next may be its body.
UNFINISHED_KEY = re.compile(_BEGIN + _NEWLINE + _PEM_HEADERS + rb"[^\n]{0,160}\Z")

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
