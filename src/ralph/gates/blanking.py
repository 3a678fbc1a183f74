"""Source text with its comments and strings blanked out, at the same offsets; and which bracket closes which.

Every pattern here takes time in proportion to the text, whatever is in it: an open comment or string reaches to the
end of the text or of the line and is not looked for again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_LINE = {"c": r"//[^\n]*", "hash": r"\#[^\n]*"}
_BLOCK = r"/\*.*?(?:\*/|\Z)"
_DOUBLE = r'"(?:\\.|[^"\\\n])*"?'
_SINGLE = r"'(?:\\.|[^'\\\n])*'?"
_TRIPLE = r'"""(?:\\.|[^\\])*?(?:"""|\Z)' + "|" + r"'''(?:\\.|[^\\])*?(?:'''|\Z)"
_TEMPLATE = r"`(?:\\.|[^`\\])*(?:`|\Z)"
_CHARACTER = r"'(?:\\[^\n]{1,9}?|[^'\\\n])'"  # not a lifetime
_RAW_RUST = r'\br(?P<fence>\#*)".*?(?:"(?P=fence)|\Z)'
# Where a value is expected, a slash opens a pattern and not a division.
_PATTERN = r"(?:(?<=[(,=:\[!&|?{};\n])|(?<=[(,=:\[!&|?{};] )|(?<=return ))/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
_BEGIN_END = r"^=begin\b.*?(?:^=end\b|\Z)"

_PATTERNS: Mapping[str, str] = {
    "js": "|".join((_LINE["c"], _BLOCK, _PATTERN, _TEMPLATE, _DOUBLE, _SINGLE)),
    "go": "|".join((_LINE["c"], _BLOCK, r"`[^`]*(?:`|\Z)", _DOUBLE, _CHARACTER)),
    "rust": "|".join((_LINE["c"], _BLOCK, _RAW_RUST, r'"(?:\\.|[^"\\])*(?:"|\Z)', _CHARACTER)),
    "c": "|".join((_LINE["c"], _BLOCK, _TRIPLE, r'@"(?:""|[^"])*(?:"|\Z)', _DOUBLE, _SINGLE)),
    "php": "|".join((_LINE["c"], r"\#(?!\[)[^\n]*", _BLOCK, _DOUBLE, _SINGLE)),
    "ruby": "|".join((_BEGIN_END, _DOUBLE, _SINGLE, _LINE["hash"])),
    "python": "|".join((_TRIPLE, _DOUBLE, _SINGLE, _LINE["hash"])),
}
_COMPILED: dict[str, re.Pattern[str]] = {}
_INSIDE = re.compile(r"[^\n]")
_BRACKET = re.compile(r"[(){}\[\]]")
_OPENS = {")": "(", "}": "{", "]": "["}
_QUOTES = ("'", '"', "`")


def blanked(text: str, style: str) -> tuple[str, str]:
    """The text without comments; and without comments and what is in strings (their quotes stay)."""
    pattern = _COMPILED.get(style)
    if pattern is None:
        pattern = _COMPILED[style] = re.compile(_PATTERNS[style], re.DOTALL | re.MULTILINE)
    return pattern.sub(_no_comment, text), pattern.sub(_no_content, text)


def _is_comment(found: str) -> bool:
    return found.startswith(("//", "/*", "#", "=begin"))


def _no_comment(match: re.Match[str]) -> str:
    found = match.group()
    return _INSIDE.sub(" ", found) if _is_comment(found) else found


def _no_content(match: re.Match[str]) -> str:
    found = match.group()
    if _is_comment(found) or len(found) < 2 or found[-1] not in _QUOTES:
        return _INSIDE.sub(" ", found)
    return found[0] + _INSIDE.sub(" ", found[1:-1]) + found[-1]


def brackets(code: str) -> dict[int, int]:
    """Offset of every opening bracket -> offset of the one that closes it. What does not fit is left out."""
    pairs: dict[int, int] = {}
    waiting: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(code):
        bracket, at = match.group(), match.start()
        if bracket not in _OPENS:
            waiting.append((bracket, at))
            continue
        # A stray closing one must not undo all that is open.
        if waiting and waiting[-1][0] == _OPENS[bracket]:
            pairs[waiting.pop()[1]] = at
    return pairs
