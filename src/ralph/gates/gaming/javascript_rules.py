"""JavaScript and TypeScript that game their judge, found by patterns over code without comments and strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ralph.gates.gaming.code_comparison import (
    dropped_errors,
    fixed_waits,
    messages_demoted,
    no_numbers,
    unused_arguments,
)
from ralph.gates.gaming.code_lines import CodeLines, adjacent, code_lines, example
from ralph.gates.gaming.examples import literals_in
from ralph.gates.gaming.rules import (
    RUNNER,
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
    is_program,
    is_tooling,
)
from ralph.gates.gaming.said_success import (
    failures_end_well,
    leaks_unwarned,
    shared_results,
    tables_dropped,
)
from ralph.gates.gaming.traces import traces_in_code

_STRING = r"""(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'|`[^`\n]{0,300}`)"""
_PARAMETER = re.compile(r"(?:^|,)\s*([a-zA-Z$][\w$]*)\s*(?=[,:=?]|\Z)")
_ASSIGN = r"\s*=(?![=>])"
_EQUALITY = re.compile(
    r"(?<![\w.$])(?:equals|isEqual|equalTo|eq)\s*(?:[:=]\s*(?:async\s+)?(?:function\s*)?)?\(\s*(?P<other>\w+)\s*(?::[^()\n]{1,60})?\)"
)
_EXIT = re.compile(
    r"(?<![\w.$])(?:(?:globalThis|global)\s*\.\s*)?process\s*"
    r"(?:\.\s*(?:exit|reallyExit|abort)|\[\s*['\"](?:exit|reallyExit|abort)['\"]\s*\])\s*\(\s*(?P<status>[^()\n]{0,40})\)"
)
_EXIT_TAKEN = re.compile(
    r"\bimport\s*\{[^{}\n]*\bexit\b[^{}\n]*\}\s*from\s*['\"](?:node:)?process['\"]"
    r"|\{[^{}\n]*\bexit\b[^{}\n]*\}\s*=\s*(?:process\b|require\s*\(\s*['\"](?:node:)?process['\"])"
)
_BARE_EXIT = re.compile(r"(?<![\w.$])exit\s*\(\s*(?P<status>[^()\n]{0,40})\)")
_EXIT_CODE = re.compile(rf"(?<![\w.$])process\s*\.\s*exitCode{_ASSIGN}\s*(?P<status>[\w.]+)")
_EXIT_PATCHED = re.compile(rf"(?<![\w.$])process\s*\.\s*(?:exit|reallyExit|emit){_ASSIGN}")
_HANDLER = re.compile(
    r"(?<![\w.$])process\s*\.\s*(?:on|once|addListener|prependListener)\s*\(\s*['\"`](?P<event>exit|beforeExit|uncaughtException|unhandledRejection)['\"`]"
)
_ASSERT_NAME = re.compile(
    r"(?:(?:const|let|var)\s+(?:\{[^{}\n]{0,200}\}|(?P<name>[\w$]+))\s*=\s*require\s*\(\s*|import\s+(?:\*\s+as\s+)?(?P<name2>[\w$]+)\s*(?:,[^'\"\n]{0,100})?\s+from\s*)"
    r"['\"](?P<module>(?:node:)?assert(?:/strict)?|(?:node:)?test|chai|expect|should|@jest/globals|vitest|mocha|tape|ava|uvu(?:/assert)?|jest-\w+)['\"]"
)
_BUILT_IN_NAME = re.compile(
    r"(?:(?:const|let|var)\s+(?P<name>[\w$]+)\s*=\s*require\s*\(\s*|import\s+(?:\*\s+as\s+)?(?P<name2>[\w$]+)\s+from\s*)"
    r"['\"](?:node:)?(?:fs|fs/promises|path|util|os|events|http|https|net|timers|child_process|crypto|url|vm|stream|readline|perf_hooks|process|buffer)['\"]"
)
_GLOBAL_PATCHED = re.compile(
    r"(?<![\w.$])(?:globalThis|global|window)\s*\.\s*(?:expect|assert|describe|it|test|jest|vi|beforeEach|afterEach)"
    + _ASSIGN
)
_PROTOTYPE = re.compile(
    rf"(?<![\w.$])(?:Object|Array|String|Number|Boolean|Function|Map|Set|RegExp|Error|Promise)\s*\.\s*prototype\s*(?:\.\s*[\w$]+|\[[^\]\n]{{1,60}}\]){_ASSIGN}"
)
_DEFINED = re.compile(
    r"(?<![\w.$])(?:(?:Object|Reflect)\s*\.\s*(?:define(?:Property|Properties)|assign|set)|\w*(?:extend|define|patch|mixin)\w*)\s*\(\s*"
    r"(?:Object|Array|String|Number|Boolean|Function|Map|Set|RegExp|Error|Promise|Math|JSON)(?:\s*\.\s*prototype)?\s*,"
)
_BUILT_IN = re.compile(
    rf"(?<![\w.$])(?:JSON\s*\.\s*(?:stringify|parse)|Object\s*\.\s*(?:is|keys|entries)|Array\s*\.\s*isArray|Number\s*\.\s*isNaN){_ASSIGN}"
)
_CLOCK = re.compile(
    rf"(?<![\w.$])(?:(?:globalThis|global|window)\s*\.\s*)?(?:Date\s*\.\s*now|performance\s*\.\s*now|process\s*\.\s*(?:hrtime|uptime)(?:\s*\.\s*bigint)?|(?:globalThis|global|window)\s*\.\s*(?:Date|setTimeout|performance)){_ASSIGN}"
)
_CACHE = re.compile(
    rf"(?<![\w.$])require\s*\.\s*cache\s*\[[^\]\n]{{1,200}}\]{_ASSIGN}|(?<![\w.$])Module\s*\.\s*_(?:load|cache|resolveFilename|extensions)(?:\s*\[[^\]\n]{{1,99}}\])?{_ASSIGN}"
)
_STACK = re.compile(
    r"(?:new\s+)?Error\s*\([^()\n]{0,80}\)\s*\)?\s*\.\s*stack\b|\bError\s*\.\s*(?:captureStackTrace|prepareStackTrace)\b|(?<![\w.$])(?:arguments\s*\.\s*callee\s*\.\s*caller)"
)
_STACK_USED = re.compile(
    r"\breadFile|[._](?:test|spec)\.|[._](?:test|spec)\b(?!\s*\()|node:test|\bjest\b|\bmocha\b"
)
_ENV = re.compile(rf"\benv\s*(?:\.\s*(?P<name>\w+)|(?:\?\.)?\[\s*(?P<text>{_STRING})\s*\])")
_ARGV = re.compile(
    r"\b(?:process\s*\.\s*(?:argv|execArgv|title|argv0)|require\s*\.\s*main\b(?:\s*\??\.\s*filename)?)"
)
_TEST_NAME = re.compile(
    r"['\"`/][^'\"`\n]*(?:\.?test|spec)(?:\.[cm]?[jt]s|s?/|['\"`$])|--test\b", re.IGNORECASE
)
_READS = re.compile(
    r"(?<![\w$])(?:require|readFileSync|readFile|import|join|resolve|openSync|createReadStream|existsSync|readdirSync|URL)\s*\("
)
_PIECES = re.compile(
    rf"(?:\[|(?<![\w$])(?:require|import)\s*\()\s*(?P<pieces>{_STRING}(?:\s*\+\s*{_STRING})+|\[\s*{_STRING}(?:\s*,\s*{_STRING})+\s*\]\s*\.\s*join\s*\([^()\n]*\))\s*[\])]"
)
_CHANCE = re.compile(
    r"\bMath\s*\.\s*random\s*\(\s*\)\s*[<>]=?\s*0?\.\d|\b0?\.\d+\s*[<>]=?\s*Math\s*\.\s*random\s*\("
)
_DATE = re.compile(
    r"(?:\bDate\s*\.\s*now\s*\(\s*\)|new\s+Date\s*\(\s*\)(?:\s*\.\s*getTime\s*\(\s*\))?)\s*[<>]=?\s*(?:new\s+Date\s*\(\s*['\"\d]|Date\s*\.\s*parse\s*\(\s*['\"]|(?P<number>1[\d_]{12,16}|1\.\de12)\b|(?P<name>[A-Za-z_$][\w$]*))"
)
_HASHED = re.compile(
    r"(?:===?\s*"
    + _STRING
    + r"|\[[^\]\n]{0,80})?\bcreateHash\s*\([^()\n]*\)[^;\n]{0,120}?\.digest\s*\([^()\n]*\)\s*(?:===?\s*"
    + _STRING
    + r"|\])"
)
_DETACHED = re.compile(r"\bdetached\s*:\s*true\b")
_COUNTED = re.compile(r"(?<![\w$.])(?P<list>[A-Za-z_$][\w$]*)\s*\[\s*(?P<counter>[A-Za-z_$][\w$]*)\s*\+\+")
_SHIFTED = re.compile(r"(?<![\w$.])(?P<list>[A-Za-z_$][\w$]*)\s*\.\s*(?:shift|pop)\s*\(\s*\)")
_ANSWER = rf"(?:{_STRING}|-?\d[\d_.]*|\[[^\[\]\n]{{0,120}}\])"
_ENTRY = re.compile(
    rf"(?<=[{{,\s])(?P<key>{_STRING}|[\w$]+)\s*:\s*(?P<value>{_ANSWER})\s*[,\n}}]"
    rf"|\[\s*(?P<key2>{_STRING}|[\d_.]+)\s*,\s*(?P<value2>{_ANSWER})\s*\]"
)
FUNCTION = re.compile(
    r"(?:\bfunction\s*\*?\s*(?P<name>[\w$]+)\s*|(?<![\w$.])(?:exports\.|module\.exports\.|const\s+|let\s+)?(?P<name2>[\w$]+)\s*=\s*(?:async\s*)?(?:function\s*[\w$]*\s*)?)\("
)
_CASE = re.compile(
    rf"(?:\bcase\s+(?P<key>{_STRING}|-?[\d_.]+)\s*:|\bif\s*\([^()\n]{{0,60}}===?\s*(?P<key2>{_STRING}|-?[\d_.]+)[^()\n]{{0,60}}\))\s*\{{?\s*return\s+(?P<value>{_STRING}|-?\d[\d_.]*|\[[^\[\]\n]{{0,120}}\])"
)
_SUPPRESSED = re.compile(r"\bcatch\s*(?:\(\s*\w*\s*(?::\s*\w+\s*)?\)\s*)?\{\s*\}")
_ASSERTION = re.compile(r"(?<![\w.$])(?:assert|expect)\b[\w.]*\s*\(")

_NEAR_NAME = 100  # characters between a table's name and its first entry
MOST_NAMES = 20  # of assertion libraries in a file
_NEAR = 1000  # characters in which a stack is made use of


def read_javascript(file: SourceFile) -> Found:
    code = code_lines(file.text, "js")
    rules = _IN_TESTS if file.is_test else _IN_PRODUCTION
    hits = [hit for rule in rules for hit in rule(code, file)]
    if file.is_test:
        return Found(tuple(hits))
    return Found(tuple(hits), tuple(_tables(code)), tuple(_handouts(code)))


def compared_javascript(old: str, new: str, tests: TestsSeen) -> Iterator[Hit]:
    before, after = code_lines(old, "js"), code_lines(new, "js")
    yield from unused_arguments(before, after, FUNCTION, _PARAMETER, tests)
    yield from no_numbers(before, after, FUNCTION)
    yield from dropped_errors(before, after)
    yield from fixed_waits(before, after, tests)
    yield from messages_demoted(before.spoken, after.spoken, tests)
    yield from failures_end_well(before, after)
    yield from shared_results(before, after, FUNCTION, "js")
    yield from tables_dropped(before, after)
    yield from leaks_unwarned(before, after, tests)


def _equalities(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_EQUALITY):
        body = code.block(match.end())
        if body is None or code.code[match.end() : body[0]].strip(" \n=>:boleanvid") not in ("",):
            continue
        inside = code.code[body[0] + 1 : body[1]]
        returned = re.findall(r"\breturn\b([^;\n]*)", inside)
        looked = re.sub(rf"typeof\s+{match['other']}\b", "", inside)
        if not returned or all(one.strip() in ("false", "") for one in returned):
            continue
        if not re.search(rf"\b{re.escape(match['other'])}\b", looked) or all(
            one.strip() == "true" for one in returned
        ):
            yield code.hit("equality", match.start())


_AS_A_VALUE = re.compile(
    r"(?:\bvalueOf|\[\s*Symbol\s*\.\s*toPrimitive\s*\])\s*\([^()\n]*\)\s*(?::\s*\w+\s*)?\{\s*return\s+(?:-?\d|true\b|['\"`])[^;\n}]*;?\s*\}"
)


def _values(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """An object that is the same number or text in every comparison and difference."""
    for match in code.find(_AS_A_VALUE):
        yield code.hit("equality", match.start())


def _exits(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_EXIT_PATCHED):
        yield code.hit("exit", match.start())
    if is_program(file.path, file.text):
        return
    taken = next(code.find(_EXIT_TAKEN, spoken=True), None)
    for match in (*code.find(_EXIT, spoken=True), *(code.find(_BARE_EXIT) if taken else ())):
        if match["status"].strip() in ("", "0", "undefined", "null", "false") and not _in_main(
            code, match.start()
        ):
            yield code.hit("exit", match.start())
    for match in code.find(_EXIT_CODE):
        if match["status"] in ("0", "undefined", "null", "false") and not _in_main(code, match.start()):
            yield code.hit("exit", match.start())


_MAIN = re.compile(
    r"require\s*\.\s*main\s*===?\s*module|module\s*===?\s*require\s*\.\s*main|import\s*\.\s*meta\s*\.\s*(?:main\b|url\s*===?)"
)
_MAIN_FUNCTION = re.compile(
    r"(?:function\s+|const\s+|async\s+|^|\s)(\w*(?:main|cli|usage|help|version|exit|quit|shutdown|terminate|stop|sig)\w*)\s*(?:=[^{]*|\([^{]*)\Z",
    re.IGNORECASE,
)


def _in_main(code: CodeLines, at: int) -> bool:
    """Whether it is in a block for a file that is started by itself, or in a function that is there to end a program."""
    for begin, _ in code.around(at):
        head = (
            code.code[max(0, begin - 160) : begin].rpartition("\n\n")[2].rpartition(";")[2].rpartition("}")[2]
        )
        if _MAIN.search(head) or _MAIN_FUNCTION.search(head):
            return True
    return False


def _handlers(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """What happens at the end of the process, or when it should fail."""
    for match in code.find(_HANDLER, spoken=True):
        open_ = code.code.find("(", match.start())
        body = code.code[match.end() : code.pairs.get(open_, match.end() + 400)]
        if match["event"] in ("exit", "beforeExit"):
            if re.search(
                r"\bexitCode\s*=(?!=)\s*(?:0|undefined|null)|\b(?:exit|reallyExit|kill)\s*\(\s*(?:0\s*)?\)",
                body,
            ):
                yield code.hit("exit", match.start())
        elif (
            not is_program(file.path, file.text)
            and "{" in body
            and not re.search(
                r"\bthrow\b|\b(?:exit|abort|kill|emit|reject|fail\w*|next|done|cb|callback)\s*\(|exitCode\s*=\s*[^0]",
                body,
            )
        ):
            yield code.hit("errors-swallowed", match.start())


def _patches(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """The assertion library or the runner."""
    for match in code.find(_GLOBAL_PATCHED):
        yield code.hit("runner-patched", match.start())
    for match in code.find(_CACHE):
        if not file.is_test or not code.around(match.start()):  # in a test it may be what the test is about
            yield code.hit("runner-patched", match.start())
    names = {match["name"] or match["name2"] for match in code.find(_ASSERT_NAME, spoken=True)} - {None}
    for name in sorted(filter(None, names))[:MOST_NAMES]:
        own = re.escape(name)
        changed = re.compile(
            rf"(?<![\w.$]){own}(?:\s*\.\s*[\w$]+|\s*\[[^\]\n]{{1,60}}\])+{_ASSIGN}"
            rf"|(?<![\w.$])Object\s*\.\s*(?:assign|defineProperty|defineProperties)\s*\(\s*{own}\b|(?<![\w.$])Reflect\s*\.\s*set\s*\(\s*{own}\b"
        )
        for match in code.find(changed):
            yield code.hit("runner-patched", match.start())


def _modules_patched(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """Modules that come with Node, for all that use them."""
    names = {match["name"] or match["name2"] for match in code.find(_BUILT_IN_NAME, spoken=True)}
    for name in sorted(names)[:MOST_NAMES]:
        changed = re.compile(rf"(?<![\w.$]){re.escape(name)}\s*\.\s*[a-z][\w$]*{_ASSIGN}")
        for match in code.find(changed):
            if not re.search(r"\b(?:env|exitCode|title|umask)\b", match.group()):
                yield code.hit("module-patched", match.start())


def _required_and_patched(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """require('assert').equal = ..."""
    pattern = re.compile(
        rf"(?<![\w.$])require\s*\(\s*['\"](?:node:)?(?:assert(?:/strict)?|test|chai)['\"]\s*\)(?:\s*\.\s*[\w$]+)+{_ASSIGN}(?!\s*require)"
    )
    for match in code.find(pattern, spoken=True):
        yield code.hit("runner-patched", match.start())


def _built_ins(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for pattern in (_PROTOTYPE, _DEFINED, _BUILT_IN):
        for match in code.find(pattern):
            before = code.code[max(0, match.start() - 80) : match.start()]
            if not re.search(r"if\s*\(\s*!|typeof|\|\|\s*\(?\s*\Z|in\s+\w+\)", before):  # a polyfill
                yield code.hit("builtin-shadowed", match.start())


def _clocks(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_CLOCK):
        yield code.hit("clock-patched", match.start())


def _stacks(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_STACK):
        at = match.start()
        begin, end = next(iter(code.around(at)), (at, at + _NEAR))
        if _STACK_USED.search(code.spoken, max(begin, at - _NEAR), min(end, at + _NEAR)):
            yield code.hit("call-stack", match.start())


def _detection(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    if is_tooling(file.path):
        return
    for match in code.find(_ENV, spoken=True):
        name = match["name"] or match["text"].strip("'\"`")
        if TEST_VARIABLE.fullmatch(name):
            yield code.hit("test-detected", match.start())
    for match in code.find(_ARGV):
        statement = code.line_text(match.start())
        if RUNNER.search(statement) or (
            _TEST_NAME.search(statement)
            and re.search(r"\.(?:endsWith|includes|match|test|some|startsWith|indexOf)\(", statement)
        ):
            yield code.hit("test-detected", match.start())


def _test_files(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    if is_tooling(file.path) or is_program(file.path, file.text):
        return
    for match in code.find(_READS):
        if any(map(TEST_PATH.search, code.literals_of_call(match))):
            yield code.hit("test-files-read", match.start())


def _pieces(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_PIECES, spoken=True):
        if match.group()[0] != "[" or re.search(
            r"[\w$\])]\s*\Z", code.code[max(0, match.start() - 20) : match.start()]
        ):
            yield code.hit("assembled-name", match.start())


def _chance(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_CHANCE):
        yield code.hit("random-result", match.start())


def _dates(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_DATE, spoken=True):
        if match["name"]:
            fixed = re.search(
                rf"\bconst\s+{re.escape(match['name'])}\s*=\s*(?:1[\d_]{{12,16}}\b|new\s+Date\s*\(\s*['\"\d]|Date\s*\.\s*parse\s*\(\s*['\"])",
                code.spoken,
            )
            if not fixed:
                continue
        yield code.hit("time-bomb", match.start())


def _hashes(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    for match in code.find(_HASHED, spoken=True):
        yield code.hit("input-hash", match.start())


def _background(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    if not is_program(file.path, file.text):
        for match in code.find(_DETACHED):
            yield code.hit("background-process", match.start())


def _suppressed(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    """An assertion of a test in a try whose catch does nothing."""
    for match in code.find(_SUPPRESSED):
        tried = code.code.rfind("}", 0, match.start())
        open_ = code.openings.get(tried)
        if open_ is not None and _ASSERTION.search(code.code, open_, tried):
            yield code.hit("assertions-suppressed", match.start())


def _traces(code: CodeLines, file: SourceFile) -> Iterator[Hit]:
    return traces_in_code(code, file, "js", FUNCTION)


_Rule = Callable[[CodeLines, SourceFile], Iterator[Hit]]
_IN_TESTS: tuple[_Rule, ...] = (_patches, _required_and_patched, _suppressed)
_IN_PRODUCTION: tuple[_Rule, ...] = (
    *(
        _equalities,
        _values,
        _exits,
        _handlers,
        _patches,
        _required_and_patched,
        _built_ins,
        _clocks,
        _stacks,
        _detection,
    ),
    *(_test_files, _pieces, _chance, _dates, _hashes, _background, _modules_patched, _traces),
)


_TABLE_NAME = re.compile(r"\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]+)?=\s*(?:new\s+Map\s*\(\s*)?[{\[]")


def _tables(code: CodeLines) -> Iterator[AnswerTable]:
    for entries in adjacent(_examples(code, _ENTRY)):
        begin = code.offset(entries[0].line)
        names = _TABLE_NAME.findall(code.code, max(0, begin - _NEAR_NAME), begin + _NEAR_NAME)
        yield AnswerTable(entries, not names or has_rest(names[-1], code.code))
    for entries in adjacent(_examples(code, _CASE), lines=3):
        yield AnswerTable(entries, has_rest=True)


def _examples(code: CodeLines, pattern: re.Pattern[str]) -> Iterator[Example]:
    for match in pattern.finditer(code.spoken):
        named = match.groupdict()
        key, value = named["key"] or named["key2"], named["value"] or named.get("value2") or ""
        question = key if key[0] in "'\"`-" or key[0].isdigit() else f"'{key}'"
        if code.is_code(match.start()) and (found := example(code.line(match.start()), question, value)):
            yield found


def _handouts(code: CodeLines) -> Iterator[Handout]:
    for pattern in (_COUNTED, _SHIFTED):
        for match in code.find(pattern):
            counter = match.groupdict().get("counter")
            if counter and not re.search(
                rf"^(?:export\s+)?let\s+{re.escape(counter)}\b", code.code, re.MULTILINE
            ):
                continue
            own = re.escape(match["list"])
            listed = re.search(
                rf"^(?:export\s+)?(?:const|let|var)\s+{own}\s*(?::[^=\n]+)?=\s*\[(?P<items>[^\[\]]{{1,2000}})\]",
                code.spoken,
                re.MULTILINE,
            )
            literals = literals_in(listed["items"]) if listed else []
            if len(literals) > 1:
                yield Handout(code.line(match.start()), match.group(), tuple(literals))
