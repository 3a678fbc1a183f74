"""What differs between two runs of the same failure, taken out of a line.

Values in assertions stay. Where a value and noise look alike (a date, a duration, a port), only what a
tool prints by itself goes: a literal in quotes is someone's value.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?"
_STAMP = (
    r"(?<!\d)\d{4}[-/]\d\d[-/]\d\d[T _]\d\d[:_-]\d\d(?:[:_-]\d\d(?:[.,_]\d+)?)?(?:Z|\s?[+-]\d\d:?\d\d\b)?"
    rf"|\b{_DAY},? (?:{_MONTH} +\d{{1,2}}|\d{{1,2}} {_MONTH}(?: \d{{4}})?) {_CLOCK}(?: [A-Z]{{3,4}})?(?: \d{{4}})?"
    rf"|\b{_MONTH} [ \d]\d {_CLOCK}"
)
_UNIT = r"(?:ns|µs|us|ms|millis(?:econds)?|s|secs?|seconds?|m|mins?|minutes?|h)"
_SPAN = rf"\d+(?:\.\d+)?\s?{_UNIT}"
_LINE_START = re.compile(rf"^\[?(?:{_STAMP}|{_CLOCK})\]?:? ?")

# Roots under which a path is a matter of the machine. Elsewhere only a file with an extension is reduced:
# "/users/5" may be a route that the failing test asserts.
_MACHINE_ROOT = re.compile(r"/(?:tmp|var|private|home|Users|root|usr|opt|mnt|media|srv|nix|runner|builds)/")
_TEMP_ROOTS = ("/tmp/", "/var/folders/", "/var/tmp/", "/private/", "/dev/shm/", "/run/")
_PART = r"[^\s/:;,|'\"`‘’()<>\[\]{}=*]+"
_PATH = (
    r"(?<![\w.~/@-])(?:file://|(?:\.\./)+(?=(?:tmp|var|private|home|Users|root)/)|(?=/))"
    rf"(/?{_PART}(?:/{_PART})+)/?"
)
_RANDOM_NAME = re.compile(
    r"tmp[._-]?\w{6,}$|.*\d{4,}|cc\w{6}\.\w$|.*[._-](?=[a-z]*[A-Z0-9])[A-Za-z0-9]{6,}$", re.DOTALL
)


def _reduced(match: re.Match[str]) -> str:
    path = "/" + match[1].lstrip("/")
    last = path.rpartition("/")[2]
    if path.startswith(_TEMP_ROOTS) and _RANDOM_NAME.match(last):
        return "<tmp>"
    return last if _MACHINE_ROOT.match(path) or "." in last[1:] else match[0]


def _sorted_items(match: re.Match[str]) -> str:
    return "{" + ", ".join(sorted(match[1].split(", "))) + "}"


_ROWS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    # first what leaves nothing behind, so that its neighbours are seen side by side
    (rf" ?[(\[] ?[<>~]? ?{_SPAN}(?: {_SPAN})? ?[)\]]", ""),
    (r" ?\[ {0,2}\d{1,3}%\]", ""),
    (_STAMP, "<time>"),
    (rf"(?<![\w'\".:]){_CLOCK}(?![\w'\"])", "<time>"),
    (r"(?<![\w'\"./-])\d{4}([-/])\d\d\1\d\d(?![\w'\"/-])", "<date>"),
    (r"(?<![\w.])1[6-9]\d{8}(?:\d{9}|\d{6}|\d{3})?(?:\.\d+)?(?![\w.])", "<time>"),  # seconds, ms, µs, ns
    (r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<uuid>"),
    (r"(?i)\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,}\b", "<hex>"),
    (r"(?i)\b0x[0-9a-f]{6,}\b", "0x"),
    (r"\b1[34]\d{13}\b", "<id>"),  # id() of an object in CPython
    (r"(?i)(\bat|\baddr=|\bpc=|\+)( ?)0x[0-9a-f]+\b", r"\1\g<2>0x"),
    (_PATH, _reduced),
    (r"\btmp\.\w{6,}", "<tmp>"),
    # where in a file
    (r"(\.[A-Za-z]\w{0,9}):\d+(?::\d+)?(?![\w.])", r"\1"),
    (r"(\.[A-Za-z]\w{0,9})\(\d+(?:,\d+)?\)(?=:)", r"\1"),
    (r"(\.[A-Za-z]\w{0,9}:)\(\.\w+\+0x[0-9a-f]*\)", r"\1"),
    (r"((?:, |\bon )line )\d+|(: line )\d+(?=:)", r"\1\2<n>"),
    (r"(\.sh: |\bsh: )\d+(?=: )", r"\1<n>"),
    (r"\b([Mm]akefile):\d+", r"\1"),
    (r"^\s*\d+:\d+(?=\s)", ""),
    # who ran it
    (r"(?i)(\bpid[ :=]{0,2}|\bprocess )\d+", r"\1<n>"),
    (r"==\d+==", "==<n>=="),
    (r"\((node):\d+\)", r"(\1)"),
    (r"^(\s*thread '[^']*') \(\d+\)", r"\1"),
    (r"\b(Thread-|goroutine |gw)\d+\b", r"\1<n>"),
    (r"^(\S{1,64})\[\d{3,}\]:", r"\1:"),
    (r"(: line <n>:\s+)\d+ +(?=[A-Z])", r"\1"),
    # where it listened: only what the system hands out
    (r"((?:\blocalhost|\b\d{1,3}(?:\.\d{1,3}){3}|\]|::1|\bport)[ :=]{1,2})[3-6]\d{4}\b", r"\1<port>"),
    (r"(?i)(\bseed\b\W{0,16}?)-?\d+", r"\1<n>"),
    (r"(-test\.shuffle )\d+", r"\1<n>"),
    # how long it took
    (rf"(?i)(\b(?:in|took|after|elapsed|duration|time)\b[:=]?\s*){_SPAN}\b", r"\1<span>"),
    (rf"(?<![\w.'\"])\d+\.\d{{3,}}\s?{_UNIT}\b(?!['\"])", "<span>"),
    (rf"\t{_SPAN}$", ""),
    (r"(\bduration_ms\W{1,3})[\d.]+", r"\1<span>"),
    # in what order a set or a map came
    (r"\{([^{}]*)\}", _sorted_items),
    # how far it came
    (r"\b\d+( (?:[a-z]+ )?(?:passed|passing|succeeded|ok)\b)", r"<n>\1"),
)
_TABLE = tuple((re.compile(pattern), replacement) for pattern, replacement in _ROWS)


def without_stamp(line: str) -> str:
    """The line without the time that a log or a CI system put before it; indentation is kept."""
    return _LINE_START.sub("", line, count=1)


def without_noise(line: str) -> str:
    """The line as every run of the same failure prints it."""
    line = without_stamp(line)
    for pattern, replacement in _TABLE:
        line = pattern.sub(replacement, line)
    return line.strip()
