"""The tests of source files that are read line by line. Comments and strings are blanked out first, at the same offsets.

Every pattern here takes time in proportion to the text, whatever is in it: an open comment or string reaches to the
end of the text or of the line and is not looked for again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import islice

import msgspec

from ralph.gates.integrity.grammars import Grammar, Patterns, compiled
from ralph.gates.integrity.test_cases import MOST_CHECKS, Case, Helper, Tests, shape_of, squeezed, words_of

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
_INSIDE = re.compile(r"[^\n]")
_BRACKET = re.compile(r"[(){}\[\]]")
_OPENS = {")": "(", "}": "{", "]": "["}
_QUOTES = ("'", '"', "`")


def blanked(text: str, style: str) -> tuple[str, str]:
    """The text without comments; and without comments and what is in strings (their quotes stay)."""
    pattern = re.compile(_PATTERNS[style], re.DOTALL | re.MULTILINE)  # which keeps what it has compiled
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


MOST_CASES = 3000
MOST_ABOVE = 30  # lines of annotations
_ANNOTATION = re.compile(r"\s*(?:@[\w.:]+|#?\[)")
_NAME_BEFORE = re.compile(r"(\w+|`[^`\n]+`)\s*(?:<[^<>()]*>\s*)?\Z")
_BODY = re.compile(r"\{|;|=")
_TWO_CALLS = re.compile(r"\.(?:each|for|skipIf|runIf|if)\Z")
_RETURNS = re.compile(r"^[ \t]*return[ \t]*;?[ \t]*$", re.MULTILINE)
_STATEMENT = re.compile(r"[;{}]")
_TITLE = re.compile(r"[\s(]*([\"'`])")
_QUOTE = re.compile(r"\s*[\"'`]")
_WORD = re.compile(r"[^\w.]")
_SECOND_CALL = re.compile(r"\s*\(")
_FUNCTION_BODY = re.compile(r"(?:=>|\))\s*\{")


class _Part(msgspec.Struct, frozen=True):
    """A case, a group or a helper: where it stands, its name, and what stands around the name that may skip it."""

    start: int
    body: int
    end: int
    name: str
    head: str


class _File:
    def __init__(self, path: str, text: str, grammar: Grammar) -> None:
        self.path = path
        self.grammar = grammar
        self.spoken, self.code = blanked(text, grammar.style)
        self.pairs = brackets(self.code)
        self._braces_open = sorted(at for at in self.pairs if self.code[at] == "{")
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        whole = compiled(grammar.skip_spoken).search(text)
        self.skip = whole.group().strip() if whole else ""

    def line(self, at: int) -> int:
        return bisect_right(self._line_starts, at)

    def line_end(self, at: int) -> int:
        line = self.line(at)
        return self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.code)

    def parts(self, patterns: Patterns) -> Iterator[_Part]:
        """By heads, which stand outside of one another: what is inside a part is not looked at again."""
        for match in compiled(patterns).finditer(self.code):
            named = match.groupdict()
            name = named.get("name") or named.get("name2") or ""
            extent = self._extent(match)
            if extent is None:
                continue
            body, end = extent
            head = (named.get("word") or "") and match.group().lstrip()
            if self.grammar.blocks == "indent":
                head = (head or match.group()).rsplit(".", 1)[-1] + self.code[
                    match.end() : self.line_end(match.end())
                ]
                head = self._decorators(match.start()) + head
            elif self.grammar.blocks == "brace":
                head = self._annotated_from(match.start())[1]
            yield _Part(match.start(), body, end, name or self._title(body, match.end()), head)

    def marked(self) -> Iterator[_Part]:
        """By annotations: the function that follows them."""
        past = 0  # annotations of one function are walked over once
        for match in compiled(self.grammar.mark).finditer(self.code):
            if match.start() < past:
                continue
            at = self._past_annotation(match.start())
            while (another := _ANNOTATION.match(self.code, at)) is not None:
                at = self._past_annotation(another.start())
            past = at
            open_ = self.code.find("(", at, at + 400)
            name = _NAME_BEFORE.search(self.code[at:open_]) if open_ > 0 else None
            if name is None or _STATEMENT.search(self.code, at, open_):
                continue
            body, end = self._braces(open_)
            start, above = self._annotated_from(match.start())
            yield _Part(start, body, end, name.group(1).strip("`"), above + self.code[match.start() : open_])

    def _past_annotation(self, at: int) -> int:
        while self.code[at : at + 1].isspace():
            at += 1
        if self.code[at : at + 1] == "@":
            while at < len(self.code) and (self.code[at].isalnum() or self.code[at] in "@._:"):
                at += 1
            return self.pairs.get(at, at - 1) + 1
        at = self.code.find("[", at)
        return self.pairs.get(at, at) + 1

    def _annotated_from(self, at: int) -> tuple[int, str]:
        """Where the annotations on the lines above begin, and these annotations."""
        line = first = self.line(at)
        while line > max(1, self.line(at) - MOST_ABOVE):
            above = self.code[self._line_starts[line - 2] : self._line_starts[line - 1]].strip()
            if above and not above.startswith(("@", "[", "#[")):
                break
            line -= 1
            first = line if above else first
        start = self._line_starts[first - 1]
        return min(start, at), self.code[start:at]

    def _decorators(self, at: int) -> str:
        return self._annotated_from(at)[1] if self.grammar.style == "python" else ""

    def _title(self, body: int, after: int) -> str:
        at = body if self.grammar.blocks == "call" else after
        quote = _TITLE.match(self.code, at)
        if quote is None:
            return ""
        close = self.code.find(quote.group(1), quote.end())
        return " ".join(self.spoken[quote.end() : close].split()) if close > 0 else ""

    def _extent(self, match: re.Match[str]) -> tuple[int, int] | None:
        """Where the body begins, and where the part ends."""
        if self.grammar.blocks == "call":
            return self._call(match)
        if self.grammar.blocks == "indent":
            return match.end(), self._indented_end(match.start())
        return self._braces(match.end())

    def _call(self, match: re.Match[str]) -> tuple[int, int] | None:
        at = match.end()
        if match.lastgroup != "word":  # a helper, which is no call
            body = _FUNCTION_BODY.search(self.code, match.start(), self.line_end(at) + 200)
            return (body.end() - 1, self.pairs.get(body.end() - 1, self.line_end(at))) if body else None
        while self.code[at : at + 1].isspace():
            at += 1
        if self.code[at : at + 1] == "`":  # a table of parameters
            at = self.code.find("`", at + 1) + 1
        open_ = self.code.find("(", at, at + 3)
        close = self.pairs.get(open_, -1)
        if open_ < 0 or close < 0:
            return None
        second = _SECOND_CALL.match(self.code, close + 1)
        if second and _TWO_CALLS.search(match.group()):
            open_ = second.end() - 1
            close = self.pairs.get(open_, -1)
        is_title = _QUOTE.match(self.code, open_ + 1)
        return (open_ + 1, close) if close > 0 and is_title else None

    def _braces(self, at: int) -> tuple[int, int]:
        parameters = self.code.find("(", at, at + 3)
        at = self.pairs.get(parameters, at)
        begin = _BODY.search(self.code, at)
        if begin is None:
            return at, self.line_end(at)
        if begin.group() == "{":
            return begin.start(), self.pairs.get(begin.start(), len(self.code))
        end = self.code.find(";", begin.start())
        brace = self.code.find("{", begin.start(), self.line_end(begin.start()))
        if brace > 0 and brace in self.pairs:
            return brace, self.pairs[brace]
        return begin.start(), end if end > 0 else self.line_end(begin.start())

    def _indented_end(self, at: int) -> int:
        line = self.line(at)
        first = self.code[self._line_starts[line - 1] : self.line_end(at)]
        depth = len(first) - len(first.lstrip())
        for number in range(line, len(self._line_starts)):
            begin = self._line_starts[number]
            text = self.code[begin : self.line_end(begin)]
            if text.strip() and len(text) - len(text.lstrip()) <= depth:
                return begin
        return len(self.code)

    def assertions(self, begin: int, end: int) -> tuple[list[str], int, set[int]]:
        """Those that can fail, how many cannot, and where they stand."""
        found, trivial, places = [], 0, set()
        for match in compiled(self.grammar.assertion).finditer(self.code, begin, end):
            at = match.start()
            places.add(at)
            if compiled(self.grammar.trivial_spoken).match(self.spoken, at, end):
                trivial += 1
            else:
                found.append(squeezed(self.spoken[at : min(self.line_end(match.end()), end)]))
        return found, trivial, places

    def reached_end(self, part: _Part) -> int:
        """The part's end, or a `return` before it that no condition guards."""
        block = part.body
        if self.grammar.blocks == "call":
            begin = _FUNCTION_BODY.search(self.code, part.body, part.end)
            block = begin.end() - 1 if begin else part.end
        if self.grammar.blocks == "indent" or self.code[block : block + 1] != "{":
            return part.end
        returns = _RETURNS.search(self.code, block, part.end)
        while returns:
            at = returns.end()
            between = self._braces_open[
                bisect_right(self._braces_open, block) : bisect_right(self._braces_open, at)
            ]
            guard = next((self.pairs[brace] for brace in between if self.pairs[brace] >= at), None)
            if guard is None:
                return at
            returns = _RETURNS.search(self.code, guard, part.end)
        return part.end


def read_lines(path: str, text: str, grammar: Grammar) -> Tests:
    file = _File(path, text, grammar)
    groups = list(islice(file.parts(grammar.group), MOST_CASES))
    parts, marked = list(file.parts(grammar.head)), list(file.marked())
    bodies = {part.body for part in marked}
    parts = _outermost(sorted((*marked, *(p for p in parts if p.body not in bodies)), key=lambda p: p.start))
    helpers = _helpers(file, parts, groups)
    cases = [_case(file, part, groups, helpers) for part in parts[:MOST_CASES]]
    only = compiled(grammar.only)
    return Tests(
        tuple(cases),
        tuple(helpers.values()),
        tuple(sorted(file.line(p.start) for p in (*groups, *parts) if only.search(p.head))),
    )


def _outermost(parts: list[_Part]) -> list[_Part]:
    kept: list[_Part] = []
    for part in parts:
        if not kept or part.start >= kept[-1].end:
            kept.append(part)
    return kept


def _helpers(file: _File, cases: list[_Part], groups: list[_Part]) -> dict[str, Helper]:
    """How many assertions a call of the file's other functions stands for."""
    spans = [(case.start, case.end) for case in cases]
    starts = [start for start, _ in spans]
    helpers: dict[str, Helper] = {}
    beside = [g for g in groups if any(g.start < case.start < g.end for case in cases)]
    for part in _outermost(sorted(file.parts(file.grammar.helper), key=lambda p: p.start)):
        before = bisect_right(starts, part.body) - 1
        if before >= 0 and part.start < spans[before][1]:
            continue
        if file.grammar.style == "rust" and not any(g.start < part.start < g.end for g in beside):
            continue  # code under test: what it asserts is no test
        found, _, _ = file.assertions(part.body, part.end)
        if found:
            helpers[part.name] = Helper(part.name, file.line(part.start), min(len(found), MOST_CHECKS))
    return helpers


def _case(file: _File, part: _Part, groups: list[_Part], helpers: dict[str, Helper]) -> Case:
    grammar = file.grammar
    around = [group for group in groups if group.start < part.start < group.end]
    end = file.reached_end(part)
    found, trivial, places = file.assertions(part.body, end)
    if helpers:
        calls = re.compile(rf"\b({'|'.join(map(re.escape, helpers))})\s*\(")
        for match in calls.finditer(file.code, part.body, end):
            texts = helpers[match.group(1)].texts()
            # a name like `assertGood` counted as one already
            found += texts[1:] if match.start() in places else texts
    body = file.spoken[part.body : part.end]
    return Case(
        path=file.path,
        name=" > ".join(p.name for p in (*around, part) if p.name) or f"line {file.line(part.start)}",
        line=file.line(part.start if not part.name else file.code.find(part.name, part.start)) or 1,
        assertions=tuple(found),
        trivial=trivial,
        skip=file.skip or _skip(file, part, end, around),
        rows=len(compiled(grammar.row).findall(part.head)),
        words=words_of(body),
        shape=shape_of(body),
    )


def _skip(file: _File, part: _Part, end: int, around: list[_Part]) -> str:
    head = compiled(file.grammar.skip_head)
    for place in (part, *around):
        if match := head.search(place.head):
            shown = match.group() if len(match.group()) > 1 else _WORD.split(place.head)[0]
            return " ".join(shown.split())
    body = compiled(file.grammar.skip_body).search(file.code, part.body, end)
    if body:
        return body.group().strip().rstrip("(").strip()
    if file.grammar.blocks == "call" and not re.search(r"=>|\bfunction\b|,", file.code[part.body : part.end]):
        return "a title without a body"
    return ""
