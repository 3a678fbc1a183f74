"""What tests are fed with: lists that they go through, recorded answers, fakes, copies. A change must not feed them less."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from ralph.gates.gaming.change_view import CODE, ChangeView, style_of
from ralph.gates.gaming.code_comparison import squeezed
from ralph.gates.gaming.code_lines import CodeLines, code_lines
from ralph.gates.gaming.examples import literals_in
from ralph.gates.gaming.python.syntax import docstring, named_functions, parsed
from ralph.gates.gaming.rules import Hit, is_tooling

LONGEST_LIST = 20_000  # characters; a longer one is data
LEAST_COPY = 80  # characters of a function's body by which a copy is known
_SHORTEST_NAME = 3


class FedTests:
    def __init__(self, view: ChangeView) -> None:
        self._view = view

    def find(self) -> Iterator[tuple[str, Hit]]:
        yield from self._shortened_lists()
        yield from self._answers_left()
        yield from self._fakes()
        yield from self._copies()

    # Lists that tests go through

    def _shortened_lists(self) -> Iterator[tuple[str, Hit]]:
        for change in self._view.code_changes:
            old, new = (self._view.old(change.path), self._view.new(change.path))
            if not old or is_tooling(change.path):
                continue
            now = _lists(code_lines(new, style_of(change.path)))
            for name, (_, then) in _lists(code_lines(old, style_of(change.path))).items():
                if name in now and (lost := _lost(then, now[name][1])) and self._is_gone_through(name):
                    line, left = now[name]
                    for entry in lost:
                        if self._is_still_there(entry, change.path, left):
                            yield change.path, Hit(line, "list-shortened", entry)

    def _is_gone_through(self, name: str) -> bool:
        """By a test of the start, in a loop or as its parameters."""
        module = "" if "." not in name else r"|\b(?:of|in)\s+\w+\s*[):]"
        own = re.escape(name.rpartition(".")[2])
        named = rf"(?:\w+(?:\.|::))*{own}\b"
        loops = re.compile(
            rf"\brange\s+{named}|\b(?:of|in)\s+&?(?:enumerate\(|sorted\(|list\(|Object\.\w+\()*{named}{module}"
            rf"|\bparametrize\s*\([^\n]*(?:\n[^\n]*)?\b{named}"
            rf"|\b{named}\s*\.\s*(?:iter|into_iter|forEach|map|items|keys|values|entries)\s*\(|\.each\s*\(\s*{named}"
        )
        return any(loops.search(text) for text in self._view.tests_before.values())

    def _is_still_there(self, entry: str, path: str, left: Mapping[str, str]) -> bool:
        """What the entry names is still made or asked for by the work, beside the list."""
        text = " ".join(left.values())
        names = [
            word
            for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"(['\"`]).*?\1", "", entry))
            if len(word) >= _SHORTEST_NAME and not re.search(rf"\b{word}\b", text)
        ]
        suffix = path.rpartition(".")[2]
        made = r"\b(?:class|def|func|fn|function|struct|enum|type|const|let|var|static)\s+"
        if any(self._view.mentions(rf"{made}(?:\([^()\n]*\)\s*)?{word}\b", suffix) for word in names):
            return True
        words = [one for one in literals_in(entry) if len(one) >= _SHORTEST_NAME and one not in text]
        asked = r"(?:[!=]==?|\bcase|\bif\b[^\n]*\bin\b[^\n]*)\s*['\"`]"
        return not names and any(
            self._view.mentions(rf"{asked}{re.escape(word)}['\"`]", suffix) for word in words
        )

    # Answers that were recorded

    def _answers_left(self) -> Iterator[tuple[str, Hit]]:
        """A recorded answer is no longer asked for by its name, and the work asks for a new one under another."""
        recorded = [
            change.path
            for change in self._view.all_changes
            if change.status == "A" and _RECORDED.search(change.path) and not CODE.search(change.path)
        ]
        if not recorded:
            return
        folders = {posixpath.dirname(path) for path in recorded}
        changed = {change.path for change in self._view.all_changes}
        kept = {
            _stem(path): path
            for path in self._view.paths
            if posixpath.dirname(path) in folders and path not in changed
        }
        made = {_stem(path) for path in recorded}
        for change in self._view.code_changes:
            then, now = (
                set(literals_in(text.replace("\n", " ; ")))
                for text in (self._asked(change.path, now=False), self._asked(change.path, now=True))
            )
            left = sorted((then - now) & kept.keys())
            if left and made & (now - then):
                yield change.path, Hit(1, "answer-left", kept[left[0]])

    def _asked(self, path: str, *, now: bool) -> str:
        text = self._view.new(path) if now else self._view.old(path)
        return "\n".join(line for line in text.splitlines() if re.search(r"['\"`]", line))

    # Fakes

    def _fakes(self) -> Iterator[tuple[str, Hit]]:
        """What is there for tests, and nothing else used, is now used by the work."""
        for change in self._view.code_changes:
            if is_tooling(change.path):
                continue
            new = code_lines(self._view.new(change.path), style_of(change.path))
            for name in self._pretenders:
                if now := _uses(new, name):
                    yield change.path, new.hit("mock-in-work", now[0])

    @cached_property
    def _pretenders(self) -> list[str]:
        """Types of the start that are for tests, as their name or their comment says, and that nothing but tests names."""
        found = {
            name
            for path, text in self._view.work_before.items()
            if not is_tooling(path) and _SPEAKS_OF_TESTS.search(text)
            for name in _made_for_tests(path, text)
        }
        tests = self._view.tests_before.values() if found else ()
        return sorted(
            name
            for name in found
            if any(re.search(rf"\b{name}\b", test) for test in tests) and not self._is_used_before(name)
        )

    def _is_used_before(self, name: str) -> bool:
        texts = self._view.work_before.items()
        return any(name in text and _uses(code_lines(text, style_of(path)), name) for path, text in texts)

    # Copies

    def _copies(self) -> Iterator[tuple[str, Hit]]:
        """A test that has the function in itself that it is about."""
        for change in self._view.all_changes:
            path = change.path
            if change.status == "D" or not CODE.search(path) or not self._view.is_test(path):
                continue
            own, then = _bodies(path, self._view.new(path)), _bodies(path, self._view.old(path))
            for name, (line, body) in own.items():
                if len(body) < LEAST_COPY or name in then:
                    continue
                if any(body == self._body(work, name) for work in self._view.work if _alike(work, path)):
                    yield path, Hit(line, "tests-a-copy", name)

    def _body(self, path: str, name: str) -> str:
        text = self._view.work[path]
        return _bodies(path, text).get(name, (0, ""))[1] if name in text else ""


# Of what an expression begins with, after the `=`.
_LIST = re.compile(
    r"^\t?(?:export\s+)?(?:pub(?:\([^)\n]*\))?\s+)?(?:(?:const|let|var|static)\s+)?(?P<name>module\.exports|exports\.\w+|[A-Za-z_]\w*)"
    r"(?:\s*:\s*[^=\n{]{1,120}|\s+[\w\[\]*.]{1,60})?\s*=\s*"
    r"(?:&|new\s+(?:Map|Set)\s*\(\s*|frozenset\s*\(\s*|Object\.freeze\s*\(\s*|(?:\[[^\]\n]*\]|map\[[^\]\n]*\])[\w.*\[\]]*(?:\{\})?(?=\{))?(?=[\[{(])",
    re.MULTILINE,
)


def _lists(code: CodeLines) -> dict[str, tuple[int, dict[str, str]]]:
    """Name -> its line, and its entries: by which they are known, and as they are."""
    found = {}
    for match in code.find(_LIST):
        open_ = match.end()
        close = code.pairs.get(open_, -1)
        if not 0 < close - open_ < LONGEST_LIST:
            continue
        entries, begin, at = {}, open_ + 1, open_ + 1
        while at <= close:
            if at in code.pairs:
                at = code.pairs[at]
            elif code.code[at] == "," or at == close:
                if entry := " ".join(code.spoken[begin:at].split()):
                    entries[_key(entry)] = entry
                begin = at + 1
            at += 1
        if entries:
            found[match["name"]] = code.line(match.start()), entries
    return found


def _key(entry: str) -> str:
    """`"runs": RunLength{}` is known by its key, `{ id: 'invoice', ... }` by its first value, others by themselves."""
    named = re.match(r"(['\"`]?)([\w.$ -]+)\1\s*(?::(?!:)|=>)", entry)
    if named:
        return named[2]
    inside = re.match(r"[\[({]\s*(?:\w+\s*[:=]\s*)?(['\"`]?)([\w.$ -]+)\1", entry)
    return inside[2] if inside else squeezed(entry)


def _lost(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Entries that are gone from a list that is otherwise the same, and that no new ones took the place of."""
    gone = [key for key in then if key not in now]
    came = [key for key in now if key not in then]
    return [then[key] for key in gone] if len(gone) < len(then) and not came else []


_RECORDED = re.compile(
    r"(?:^|/)(?:__)?(?:snapshots?|goldens?|golden[_-]files|expected|approved|cassettes|baselines?|references?)(?:__)?/[^/]+\Z",
    re.IGNORECASE,
)


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0]


_SPEAKS_OF_TESTS = re.compile(r"[Ff]ake|[Mm]ock|[Ss]tub|\btest")
_NAMED_FAKE = re.compile(r"(?:Fake|Mock|Stub)(?![a-z])\w*|\w+(?:Fake|Mock|Stub)")
_FOR_TESTS = re.compile(
    r"\b(?:only\s+)?(?:for|in)\s+(?:the\s+|unit\s+|our\s+)?tests?(?:ing)?(?:\s+only)?\s*(?:[.;,)]|\Z)|\btest double\b"
)
_TYPE = re.compile(
    r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)\n]*\))?\s+)?(?:abstract\s+)?(?:class|struct|type|enum)\s+(?P<name>\w+)",
    re.MULTILINE,
)
_COMMENT = re.compile(r"[ \t]*(?://[/!]?|/?\*+/?|#(?!\[))")


def _made_for_tests(path: str, text: str) -> Iterator[str]:
    for match in code_lines(text, style_of(path)).find(_TYPE):
        name = match["name"]
        if _NAMED_FAKE.fullmatch(name) or _FOR_TESTS.search(_said_of(path, text, match.start(), name)):
            yield name


def _said_of(path: str, text: str, at: int, name: str) -> str:
    """The comment above a type, or a class's docstring."""
    if path.endswith(".py"):
        tree = parsed(text)
        kinds = [part for part in tree.body if getattr(part, "name", "") == name] if tree else []
        said = docstring(kinds[0]) if kinds else None
        return str(said.value) if said else ""
    found: list[str] = []
    for line in reversed(text[:at].splitlines()):
        if _COMMENT.match(line):
            found.append(_COMMENT.sub("", line, count=1).strip())
        elif not line.lstrip().startswith(("#[", "@")):
            break
    return " ".join(reversed(found))


# Where a type is named and not made use of: declared, implemented, imported, handed on.
_NAMED_ONLY = re.compile(
    r"(?:pub(?:\([^)]*\))?\s+)?(?:use|impl|import|from|export|module\.exports|class|struct|type|enum|__all__|mod)\b"
    r"|func\s*\(\w*\s*\*?\w+\)|[\w\s,'\"]+,?\Z"
)


def _uses(code: CodeLines, name: str) -> list[int]:
    if name not in code.code:
        return []
    own = _own_blocks(code, name)
    return [
        match.start()
        for match in re.finditer(rf"\b{name}\b", code.code)
        if not any(begin <= match.start() <= end for begin, end in own)
        and not _NAMED_ONLY.match(code.line_text(match.start()))
    ]


def _own_blocks(code: CodeLines, name: str) -> list[tuple[int, int]]:
    """What belongs to a type itself."""
    found = []
    for match in re.finditer(
        rf"^(?P<indent>[ \t]*)(?:export\s+)?(?:pub\s+)?(?:class|struct|enum|impl)\b[^{{;\n]*"
        rf"\b{name}\b(?P<python>[^{{;\n]*:[ \t]*$)?",
        code.code,
        re.MULTILINE,
    ):
        if match["python"] is None:
            block = code.block(match.end())
        else:
            after = re.compile(rf"^(?:{match['indent']})\S", re.MULTILINE).search(code.code, match.end())
            block = match.start(), after.start() if after else len(code.code)
        found += [block] if block else []
    return found


def _alike(work: str, test: str) -> bool:
    return style_of(work) == style_of(test)


_FUNCTION = re.compile(
    r"^[ \t]*(?:export\s+)?(?:pub(?:\([^)\n]*\))?\s+)?(?:async\s+)?(?:(?:func|function|fn)\s+(?P<name>\w+)\s*(?:<[^<>\n]*>)?\s*"
    r"|(?:const|let|exports\.)\s*(?P<name2>\w+)\s*=\s*(?:async\s*)?(?:function\s*)?)\(",
    re.MULTILINE,
)


def _bodies(path: str, text: str) -> dict[str, tuple[int, str]]:
    """The functions that stand by themselves: name -> line, and what they do."""
    if path.endswith(".py"):
        tree = parsed(text)
        found = {}
        for name, node in named_functions(tree).items() if tree else ():
            parts = [part for part in node.body if part is not node.body[0] or docstring(node) is None]
            if "." not in name:
                found[name] = node.lineno, squeezed("".join(map(ast.unparse, parts)))
        return found
    code = code_lines(text, style_of(path))
    return {
        part.name: (code.line(part.begin), squeezed(code.spoken[part.begin : part.end]))
        for part in code.parts(_FUNCTION)
    }
