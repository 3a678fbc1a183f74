"""Go that games its judge, found by patterns over code without comments and strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ralph.gates.gaming.code_comparison import (
    fixed_waits,
    lock_skipped,
    messages_demoted,
    no_numbers,
    rounds_away,
    unchecked_errors,
    unused_arguments,
)
from ralph.gates.gaming.code_lines import CodeLines, adjacent, code_lines, example
from ralph.gates.gaming.examples import literals_in
from ralph.gates.gaming.rules import (
    TEST_PATH,
    TEST_VARIABLE,
    AnswerTable,
    Example,
    Found,
    Handout,
    Hit,
    SourceFile,
    TestsSeen,
    has_rest,
    is_tooling,
)
from ralph.gates.gaming.said_success import failures_end_well, shared_results, tables_dropped
from ralph.gates.gaming.traces import traces_in_code

_STRING = r'(?:"(?:\\.|[^"\\\n]){0,300}"|`[^`\n]{0,300}`)'
_VALUE = rf"(?:{_STRING}|-?\d[\w.]*)"
FUNCTION = re.compile(r"^func\s+(?:\([^()\n]*\)\s*)?(?P<name>\w+)\s*(?:\[[^\]\n]*\])?\(", re.MULTILINE)
_PARAMETER = re.compile(r"(?:^|,)\s*(?!ctx\b)([a-zA-Z]\w*)\s+(?=[\w*\[\]{.])")
_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
_EXIT = re.compile(r"(?<![\w.])(?:os|syscall|unix)\.Exit\s*\(\s*(?P<status>[^()\n]{0,40})\)")
_RUNS_TESTS = re.compile(r"\bm\.Run\s*\(\s*\)")
_LINKED = re.compile(r"^//go:linkname\s+\w+\s+(?:testing|runtime|os)\.\S+", re.MULTILINE)
_MEMORY = re.compile(r"(?<![\w.])(?:syscall|unix)\.Mprotect\s*\([^\n]*PROT_EXEC")
_FIELDS = re.compile(r'\.FieldByName\s*\(\s*"(?:failed|ran|skipped|finished|common|hasSub)"')
_EQUALITY = re.compile(
    r"^func\s+\([^()\n]*\)\s*(?P<name>Is|Equal|Equals|Eq)\s*\(\s*(?P<other>\w+)\s+[^()\n]*\)\s*bool\s*(?=\{)",
    re.MULTILINE,
)
_SHADOWED = re.compile(
    r"^[ \t]*(?:(?:const|var)\s+)?(?:true|false|nil)\b[ \t\w]*(?:,\s*\w+\s*)*:?=(?!=)"
    r"|^func\s+(?:panic|recover|len|cap|append|copy)\s*\(|^[ \t]*type\s+(?:error|bool|string|int)\b",
    re.MULTILINE,
)
_ASKS = re.compile(r"(?<![\w.])testing\.(?:Testing|CoverMode)\s*\(\s*\)")
_FLAG = re.compile(r'(?<![\w.])flag\.(?:CommandLine\.)?Lookup\s*\(\s*"test\.')
_ARGUMENTS = re.compile(r"(?<![\w.])os\.(?:Args|Executable)\b")
_TEST_PROGRAM = re.compile(r'"[^"\n]*(?:\.test|[-/_]test)\b[^"\n]*"|"-test\.')
_PROGRAM_NAME = re.compile(
    r"\b(?:Ext|HasSuffix|HasPrefix|Contains|TrimSuffix|EqualFold|MatchString)\s*\(|\bBase\s*\([^\n]*[!=]="
)
_NEAR_PROGRAM = 200  # characters in which a program's name is made use of
_VARIABLE = re.compile(
    rf"(?<![\w.])os\.(?:Getenv|LookupEnv)\s*\(\s*(?P<name>{_STRING})\s*(?P<more>\+\s*{_STRING})?"
)
_CALLERS = re.compile(
    r"(?<![\w.])(?:runtime\.(?:Callers?|CallersFrames|FuncForPC|Stack)|debug\.(?:Stack|PrintStack))\s*\("
)
_TELLS_APART = re.compile(r"\bReadFile\b|\bos\.Open\b|_test\b|\btesting\.|\bTest")
_READS = re.compile(
    r"(?<![\w.])(?:os|ioutil|filepath|path|embed|fs)\.(?:ReadFile|Open|Join|ReadDir|Glob)\s*\("
)
_EMBEDS = re.compile(r"^//go:embed\s+.*(?:testdata|_test\.go).*$", re.MULTILINE)
_CHANCE = re.compile(
    r"(?<![\w.])rand\.(?:Float64|Float32)\s*\(\s*\)\s*[<>]=?\s*\d?\.\d"
    r"|(?<![\w.])rand\.(?:Intn?|IntN)\s*\(\s*\d+\s*\)\s*[<>!=]=?\s*\d"
)
_DATE = re.compile(
    r"\btime\.Now\s*\(\s*\)(?:\.UTC\(\))?\s*\.\s*(?:(?:After|Before|Compare)\s*\(\s*time\.(?:Date\s*\(\s*20\d\d|Unix\s*\(\s*1\d{9})"
    r"|Unix(?:Milli|Nano)?\s*\(\s*\)\s*[<>]=?\s*1\d{9,}|Year\s*\(\s*\)\s*[<>!=]=?\s*20\d\d)"
)
_TEMPORARY = re.compile(r"\b(?:ReadFile|Open|Stat|Lstat)\s*\([^\n]*\bos\.TempDir\s*\(\s*\)")
_APART = re.compile(r"\bSetsid\s*:\s*true\b")
_HASHED_TABLE = re.compile(r"\bmap\[(?:u?int(?:32|64)|\[\d+\]byte|\[\w+\.Size\w*\]byte)\]")
_HASH = re.compile(r"(?<![\w.])(?:crc32|crc64|adler32|md5|sha1|sha256|sha512|fnv)\.\w+")
_CLOCK = re.compile(r"\btime\.(?:Now|Since|Until)\s*\(")
_ANY_CLOCK = re.compile(r"now|since|until|elapsed|clock", re.IGNORECASE)
_SWAPPED = re.compile(r"^[ \t]*(?!test)(?P<name>[a-z]\w*)(?<!Hook)(?<!Func)\s*=\s*func\s*\(", re.MULTILINE)
_COUNTED = re.compile(r"(?<![\w.])(?P<list>[a-zA-Z_]\w*)\s*\[\s*\(?\s*(?P<counter>[a-zA-Z_][\w.]*)")
_ENTRY = re.compile(
    rf"(?:^|[{{,])[ \t]*(?P<key>{_VALUE}|\{{[^{{}}\n]{{1,80}}\}})\s*:\s*(?P<value>{_VALUE})\s*(?=[,}}])",
    re.MULTILINE,
)
_CASE = re.compile(
    rf"(?:\bcase\s+(?P<key>{_VALUE})\s*:|\bif\s+[^{{\n]{{0,80}}==\s*(?P<key2>{_VALUE})[^{{\n]{{0,60}}\{{)\s*return\s+(?P<value>{_VALUE})"
)
_TABLE_NAME = re.compile(r"(\w+)\s*:?=\s*map\[")


def read_go(file: SourceFile) -> Found:
    code = code_lines(file.text, "go")
    rules = _IN_TESTS if file.is_test else _IN_PRODUCTION
    hits = [hit for rule in rules for hit in rule(code, file)]
    if file.is_test:
        return Found(tuple(hits))
    return Found(tuple(hits), tuple(_tables(code)), tuple(_handouts(code)))


def compared_go(old: str, new: str, tests: TestsSeen) -> Iterator[Hit]:
    before, after = code_lines(old, "go"), code_lines(new, "go")
    yield from unused_arguments(before, after, FUNCTION, _PARAMETER, tests)
    yield from no_numbers(before, after, FUNCTION)
    yield from lock_skipped(before.code, after.code)
    yield from unchecked_errors(before, after)
    yield from fixed_waits(before, after, tests)
    yield from messages_demoted(before.spoken, after.spoken, tests)
    yield from failures_end_well(before, after)
    yield from shared_results(before, after, FUNCTION, "go")
    yield from tables_dropped(before, after)
    known = {part.name: before.code[part.begin : part.end] for part in before.parts(FUNCTION)}
    for part in after.parts(FUNCTION):
        then, now = known.get(part.name), after.code[part.begin : part.end]
        if then is None or then == now:
            continue
        if "recover()" in now and "recover()" not in then and _hides_panics(now):
            yield after.hit("catch-all", part.begin + now.find("recover()"))
        if (
            _CLOCK.search(then)
            and not _ANY_CLOCK.search(now)
            and re.search("now|since|elapsed|clock|time", part.name.lower())
        ):
            yield after.hit("clock-patched", part.begin)


def _hides_panics(body: str) -> bool:
    at = body.find("recover()")
    handler = body[at : at + 300].partition("}()")[0]
    return not re.search(r"\bpanic\s*\(|\berr\w*\s*=|[eE]rror|\blog\b|Log|Print", handler)


def _exits(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    is_program = _is_main(code)
    for match in code.find(_EXIT):
        function = code.part_around(FUNCTION, match.start())
        in_init = function is not None and function.name == "init"
        if in_init or (match["status"].strip() == "0" and not is_program):
            yield code.hit("exit", match.start())


def _is_main(code: CodeLines) -> bool:
    package = _PACKAGE.search(code.code)
    return package is not None and package[1] in ("main", "cmd", "cli")


def _main_of_tests(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """A TestMain that ends well whatever the tests said."""
    for match in code.find(_EXIT):
        function = code.part_around(FUNCTION, match.start())
        if function is None or function.name != "TestMain" or match["status"].strip() != "0":
            continue
        if _RUNS_TESTS.search(code.code, function.begin, match.start()):
            yield code.hit("exit", match.start())


def _patches(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in _LINKED.finditer(code.text):
        if "testing." in match.group() or "os.Exit" in match.group():
            yield Hit(code.line(match.start()), "runner-patched", match.group())
    for match in code.find(_MEMORY):
        yield code.hit("runner-patched", match.start())
    for match in code.find(_FIELDS, spoken=True):
        if "unsafe" in code.code:
            yield code.hit("runner-patched", match.start())


def _swaps(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """init of a test file gives a name of the package another function."""
    for part in code.parts(FUNCTION):
        if part.name == "init":
            for match in _SWAPPED.finditer(code.code, part.begin, part.end):
                yield code.hit("work-replaced", match.start("name"))


def _equalities(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_EQUALITY):
        body = code.block(match.end())
        if body is None:
            continue
        inside = code.code[body[0] + 1 : body[1]].strip()
        other = re.escape(match["other"])
        looked = re.sub(rf"\b{other}\s*[!=]=\s*nil\b", "true", inside)
        if re.search(r"\bmath\.Abs\s*\(|\bstrings\.(?:EqualFold|Contains|HasPrefix)\s*\(", inside):
            yield code.hit("loose-equality", match.start())
        elif not re.fullmatch(r"return\s+false;?", inside) and not re.search(rf"\b{other}\b", looked):
            yield code.hit("equality", match.start())


_ARITHMETIC = re.compile(
    r"^func\s+\(\s*\w+\s+[^()\n]*\)\s*(?:Sub|Minus|Diff|Cmp|Compare|Less)\s*\(\s*(?P<other>\w+)\s+[^()\n]*\)[^{\n]*(?=\{)",
    re.MULTILINE,
)


def _arithmetic(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """A difference or an order that is the same whatever it is of."""
    for match in code.find(_ARITHMETIC):
        body = code.block(match.end())
        inside = code.code[body[0] + 1 : body[1]] if body else "panic"
        if "panic" in inside:
            continue
        if not re.search(rf"\b{match['other']}\b", inside):
            yield code.hit("equality", match.start())
        elif rounds_away(inside):
            yield code.hit("loose-equality", match.start())


def _shadows(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_SHADOWED):
        yield code.hit("builtin-shadowed", match.end() - 1)


def _detection(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    if is_tooling(file.path):
        return
    for pattern in (_ASKS, _FLAG):
        for match in code.find(pattern, spoken=True):
            yield code.hit("test-detected", match.start())
    for match in code.find(_ARGUMENTS):
        near = code.code[match.start() : match.end() + _NEAR_PROGRAM].partition("\n\n")[0]
        if _TEST_PROGRAM.search(code.line_text(match.start())) or (
            not _is_main(code) and _PROGRAM_NAME.search(near)
        ):
            yield code.hit("test-detected", match.start())
    for match in code.find(_VARIABLE, spoken=True):
        if match["more"]:
            yield code.hit("assembled-name", match.start())
        elif TEST_VARIABLE.fullmatch(match["name"].strip('"`')):
            yield code.hit("test-detected", match.start())


def _callers(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    if is_tooling(file.path):
        return
    for match in code.find(_CALLERS):
        function = code.part_around(FUNCTION, match.start())
        if function and _TELLS_APART.search(code.spoken, function.begin, function.end):
            yield code.hit("call-stack", match.start())


_DOCUMENT = re.compile(
    r"^//go:embed\s+.*(?:README|CHANGELOG|docs?/)[^\n]*\n(?:[ \t]*//[^\n]*\n)*[ \t]*(?:var\s+)?(?P<name>\w+)\s",
    re.MULTILINE,
)


def _documents(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """A document that is part of the program, and is searched: one may also be shown."""
    for match in _DOCUMENT.finditer(code.text):
        own = re.escape(match["name"])
        searched = rf"\b(?:strings|bytes|regexp|bufio|csv|\w*[rR]e\w*)\.\w+\([^\n]*\b{own}\b"
        if not is_tooling(file.path) and re.search(searched, code.code):
            yield Hit(code.line(match.start()), "test-files-read", match.group().partition("\n")[0])


def _test_files(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    if is_tooling(file.path):
        return
    for match in code.find(_READS):
        if any(map(TEST_PATH.search, code.literals_of_call(match))):
            yield code.hit("test-files-read", match.start())
    for match in _EMBEDS.finditer(code.text):
        yield Hit(code.line(match.start()), "test-files-read", match.group())


_SIMPLE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("random-result", _CHANCE),
    ("time-bomb", _DATE),
    ("outside-files", _TEMPORARY),
    ("background-process", _APART),
)


def _simple(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for rule, pattern in _SIMPLE:
        for match in code.find(pattern):
            yield code.hit(rule, match.start())


def _hashes(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """A table by hashes that is filled with what the code holds."""
    if not _HASHED_TABLE.search(code.code) or not (hashed := _HASH.search(code.code)):
        return
    filled = any(
        part.name == "init" and "{" in code.code[part.begin + 1 : part.end] for part in code.parts(FUNCTION)
    )
    if filled or re.search(r"\bmap\[(?:u?int(?:32|64))\]\w+\s*\{\s*(?:0x[0-9a-fA-F]+|\d{6,})\s*:", code.code):
        yield code.hit("input-hash", hashed.start())


def _traces(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    return traces_in_code(code, file, "go", FUNCTION)


_Rule = Callable[[CodeLines, SourceFile], Iterator[Hit]]
_IN_TESTS: tuple[_Rule, ...] = (_main_of_tests, _patches, _swaps, _shadows)
_IN_PRODUCTION: tuple[_Rule, ...] = (
    *(
        _exits,
        _patches,
        _equalities,
        _arithmetic,
        _shadows,
        _detection,
        _callers,
        _documents,
        _test_files,
        _simple,
        _hashes,
        _traces,
    ),
)


def _tables(code: CodeLines) -> Iterator[AnswerTable]:
    for entries in adjacent(_examples(code, _ENTRY)):
        begin = code.offset(entries[0].line)
        names = _TABLE_NAME.findall(code.code, max(0, begin - 100), begin + 100)
        yield AnswerTable(entries, not names or has_rest(names[-1], code.code))
    for entries in adjacent(_examples(code, _CASE), lines=3):
        yield AnswerTable(entries, has_rest=True)


def _examples(code: CodeLines, pattern: re.Pattern[str]) -> Iterator[Example]:
    for match in pattern.finditer(code.spoken):
        key = match["key"] or match.groupdict().get("key2") or ""
        at = match.start("value")
        if code.is_code(at) and (found := example(code.line(at), key, match["value"])):
            yield found


_LIST = re.compile(
    r"^[ \t]*(?:var\s+)?(?P<name>\w+)\s*=\s*\[[^\]\n]*\]\w+\s*\{(?P<items>[^{}]{1,2000})\}", re.MULTILINE
)


def _handouts(code: CodeLines) -> Iterator[Handout]:
    """ANSWERS[counter] where something else than a loop moves the counter."""
    lists = {match["name"]: tuple(literals_in(match["items"])) for match in _LIST.finditer(code.spoken)}
    for match in code.find(_COUNTED) if lists else ():
        handed, counter = lists.get(match["list"], ()), re.escape(match["counter"])
        if len(handed) < 2 or not re.search(rf"\b{counter}\s*(?:\+\+|\+=)", code.code):
            continue
        is_kept = "." in counter or re.search(rf"^[ \t]*var\s+{counter}\b", code.code, re.MULTILINE)
        function = code.part_around(FUNCTION, match.start())
        body = code.code[function.begin : function.end] if function else ""
        if is_kept and not re.search(rf"\bfor\b[^{{\n]*\b{counter}\b", body):
            yield Handout(code.line(match.start()), match.group(), handed)
