"""How tests look in the languages that are read line by line.

Each entry is a list of alternatives. They meet code without comments and without what is in strings, except those that
are called `spoken`, which see the strings.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

import msgspec

Blocks = Literal["call", "brace", "indent"]
Patterns = tuple[str, ...]

_VALUE = r"""(?:true|false|null|nil|None|\d+|"[^"\n]*"|'[^'\n]*')"""


def _twice(group: str) -> str:
    """The same value as two arguments."""
    return rf"\s*(?P<{group}>{_VALUE})\s*,\s*(?P={group})\s*"


class Grammar(msgspec.Struct, frozen=True):
    """`head` begins a case and has its name or is followed by its title; `mark` is an annotation that makes the next
    function one."""

    style: str  # of comments and strings
    blocks: Blocks  # what encloses a body: the call's parentheses, braces, or indentation
    assertion: Patterns
    trivial_spoken: Patterns  # at the beginning of an assertion
    group: Patterns = ()  # what encloses cases
    head: Patterns = ()
    mark: Patterns = ()
    skip_head: Patterns = ()  # in the head and its annotations
    skip_body: Patterns = ()
    skip_spoken: Patterns = ()  # for the whole file
    only: Patterns = ()
    row: Patterns = ()  # an annotation for each set of parameters
    helper: Patterns = ()
    found: Patterns = ()  # paths by which the runner finds tests; empty: it finds them anywhere


_JS_WORDS = (
    "skip|only|todo|failing|fails|fixme|concurrent|sequential|serial|parallel|each|for|skipIf|runIf|if|step"
)
_JS_CALL = rf"(?:\.(?:{_JS_WORDS}))*(?=\s*[(`])"
_JS_ON_T = (
    "is|not|ok|equals?|notOk|same|like|throws\\w*|true|false|truthy|falsy|deepEqual\\w*|strictEqual\\w*|notEqual\\w*"
    "|match|regex|snapshot|fail|error|rejects|assert(?:\\.\\w+)?"
)

_JAVASCRIPT = Grammar(
    style="js",
    blocks="call",
    head=(rf"(?<![\w.$])(?P<word>(?:[xf]?it|x?test|x?specify|Deno\.test|QUnit\.test){_JS_CALL})",),
    group=(rf"(?<![\w.$])(?P<word>(?:[xf]?describe|x?context|x?suite|QUnit\.module){_JS_CALL})",),
    assertion=(
        r"(?<![\w.$])expect\w*(?:\.\w+)?\s*\(",
        r"(?<![\w.$])assert\w*(?:\.\w+)*\s*\(",
        r"\.should\b",
        rf"\b(?:t|test)\.(?:{_JS_ON_T})\s*\(",
        r"(?<![\w.$])(?:verify|check)[A-Z]\w*\s*\(",
        r"\bsinon\.assert\.\w+\(",
    ),
    trivial_spoken=(
        rf"expect\s*\(\s*(?P<a>{_VALUE})\s*\)(?:\.(?:to|be))*\.(?:toBe|toEqual|toStrictEqual|equals?|eql?)\s*\(\s*(?P=a)\s*\)",
        r"expect\s*\(\s*(?:true|1)\s*\)\.(?:toBeTruthy\(|toBeDefined\(|to\.be\.(?:true|ok)\b)",
        r"assert(?:\.ok|\.isTrue)?\s*\(\s*(?:true|1)\s*[,)]",
        rf"(?:assert|t)\.(?:\w*[eE]qual|equals|is|same)\s*\({_twice('b')}[,)]",
        r"t\.(?:ok|true|truthy)\s*\(\s*true\s*\)",
    ),
    skip_head=(r"^x", r"\.(?:skip|todo|failing|fails|fixme|skipIf|runIf|if)\b"),
    skip_body=(
        r"\bthis\.skip\s*\(",
        r"\b(?:t|ctx|context|test)\.(?:skip|todo|fixme)\s*\(",
        r"\b(?:skip|todo|ignore)\s*:\s*(?:true\b|process\b|[\"'`!])",
        r"^\s*pending\s*\(",
    ),
    only=(r"^f", r"\.only\b"),
    helper=(
        r"\bfunction\s+(?P<name>\w+)",
        r"\b(?:const|let)\s+(?P<name2>\w+)\s*=\s*(?:async\s*)?(?:function\b|\([^()\n]*\)\s*(?::[^=\n]+)?=>)",
    ),
    found=(
        r"[-_.](?:test|spec|cy|e2e)\.\w+\Z",
        r"(?:^|/)(?:__tests__|test|tests|spec|e2e|cypress)/",
        r"(?:^|/)test[-_.][^/]*\Z",
    ),
)

_GO = Grammar(
    style="go",
    blocks="brace",
    head=(r"^func\s+(?:\([^()\n]*\)\s*)?(?P<name>(?:Test|Fuzz|Example)\w*)\s*(?=\()",),
    assertion=(
        r"\b[tT]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(",
        r"\b(?:assert|require|is|must|qt)\.\w+\s*\(",
        r"(?<![\w.])(?:Expect|Eventually|Consistently|Ω)\s*\(",
        r"(?<![\w.])(?:assert|require|check|verify|expect|must)[A-Z]\w*\s*\(",
    ),
    trivial_spoken=(
        r"(?:assert|require)\.True\s*\(\s*\w+\s*,\s*true\s*\)",
        rf"(?:assert|require)\.Equal\s*\(\s*\w+\s*,{_twice('a')}\)",
    ),
    skip_body=(r"\b[tT]\.Skip(?:f|Now)?\s*\(",),
    skip_spoken=(r"^//(?:go:build|\s*\+build)\s+.+$",),
    helper=(r"^func\s+(?P<name>(?!Test|Fuzz|Example|Benchmark)\w+)\s*(?=\()",),
    found=(r"_test\.go\Z",),
)

_RUST = Grammar(
    style="rust",
    blocks="brace",
    mark=(r"#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b",),
    group=(r"\bmod\s+(?P<name>\w+)(?=\s*\{)",),
    assertion=(
        r"\b(?:debug_|prop_)?assert\w*!",
        r"\b(?:panic|unreachable)!",
        r"(?<![\w.])assert_\w+\s*\(",
    ),
    trivial_spoken=(
        r"(?:debug_)?assert!\s*\(\s*true\s*[,)]",
        rf"(?:debug_)?assert_eq!\s*\({_twice('a')}[,)]",
    ),
    skip_head=(r"\bignore\b", r"\bshould_panic\b", r"#\[\s*cfg\s*\((?!\s*test\s*\))"),
    row=(r"#\[\s*(?:test_case|case)\b",),
    helper=(r"\bfn\s+(?P<name>\w+)",),
)

_JAVA = Grammar(
    style="c",
    blocks="brace",
    mark=(
        r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Theory|Property)\b(?!\w)",
    ),
    head=(r"\bvoid\s+(?P<name>test\w*)\s*(?=\()", r"\bfun\s+(?P<name2>test\w*)\s*(?=\()"),
    group=(r"\b(?:class|object|interface)\s+(?P<name>\w+)",),
    assertion=(
        r"(?<![\w@])(?:assert\w*|verify\w*|expect\w*|fail|should\w+)\s*\(",
        r"\bassert\s+[\w!(]",
        r"\.(?:andExpect|should\w*|must\w*)\b",
        r"\s(?:shouldBe|shouldNotBe|shouldEqual)\s",
    ),
    trivial_spoken=(
        r"assert(?:True|That)?\s*\(\s*true\s*[,)]",
        r"assertFalse\s*\(\s*false\s*[,)]",
        rf"assert(?:Equals|Same)?\s*\({_twice('a')}[,)]",
        r"assert\s+true\b",
        rf"assertNotNull\s*\(\s*{_VALUE}\s*\)",
    ),
    skip_head=(
        r"@(?:\w+\.)*(?:Disabled\w*|Ignored?|EnabledIf\w*|EnabledOn\w*|PendingFeature)\b",
        r"\benabled\s*=\s*false",
    ),
    skip_body=(
        r"\bassume(?:True|False|That|NoException)\s*\(",
        r"\bAssumptions?\.\w+\(",
        r"\bthrow new (?:\w+\.)*SkipException\b",
    ),
    helper=(r"\b(?:void|fun)\s+(?P<name>\w+)\s*(?=\()",),
    found=(r"(?:^|/)(?:Test[^/]*|[^/]*(?:Test|Tests|TestCase|IT|Spec|Suite))\.\w+\Z",),
)

_CSHARP = Grammar(
    style="c",
    blocks="brace",
    mark=(
        r"\[\s*(?:\w+\s*,\s*)*(?:Fact|Theory|Test|TestMethod|DataTestMethod|TestCase|TestCaseSource)\b(?!\w)",
    ),
    group=(r"\bclass\s+(?P<name>\w+)",),
    assertion=(
        r"\bAssert(?:\.\w+)+\s*(?:<[^<>()\n]*>)?\s*\(",
        r"\.Should\w*\s*\(",
        r"\.Verify\w*\s*\(",
        r"\bawait Verify\s*\(",
    ),
    trivial_spoken=(
        r"Assert\.(?:True|IsTrue)\s*\(\s*true\s*[,)]",
        rf"Assert\.(?:Equal|AreEqual)\s*\({_twice('a')}[,)]",
        r"Assert\.Pass\s*\(",
    ),
    skip_head=(r"\bSkip\s*=", r"[\[,]\s*(?:Ignore|Explicit)\b", r"\bIgnore\s*="),
    skip_body=(r"\bAssert\.(?:Ignore|Inconclusive|Skip)\s*\(", r"\bSkip\.(?:If|IfNot)\s*\("),
    row=(r"\b(?:InlineData|TestCase|DataRow)\s*\(",),
    helper=(r"\bvoid\s+(?P<name>\w+)\s*(?=\()",),
)

_PHP = Grammar(
    style="php",
    blocks="brace",
    head=(r"\bfunction\s+(?P<name>test\w*)\s*(?=\()",),
    group=(r"^\s*(?:final\s+|abstract\s+)*class\s+(?P<name>\w+)",),
    assertion=(
        r"(?:\$this->|self::|static::|Assert::)(?:assert|expect|fail)\w*\s*\(",
        r"(?<![\w>$:])expect\s*\(",
    ),
    trivial_spoken=(
        r"(?:\$this->|self::|static::|Assert::)assertTrue\s*\(\s*true\s*[,)]",
        rf"(?:\$this->|self::|static::|Assert::)assert(?:Equals|Same)\s*\({_twice('a')}[,)]",
    ),
    skip_body=(r"\bmarkTest(?:Skipped|Incomplete)\s*\(",),
    helper=(r"\bfunction\s+(?P<name>(?!test)\w+)\s*(?=\()",),
    found=(r"Test\.php\Z",),
)

_RUBY = Grammar(
    style="ruby",
    blocks="indent",
    head=(
        r"^[ \t]*def\s+(?P<name>test_\w+[?!]?)",
        r"^[ \t]*(?P<word>[xf]?(?:it|specify|example|scenario)|its|test|should)\b(?=\s*(?:[\"'({]|do\b))",
    ),
    group=(
        r"^[ \t]*class\s+(?P<name>\w+)",
        r"^[ \t]*(?:RSpec\.)?(?P<word>[xf]?(?:describe|context|feature))\b",
    ),
    assertion=(
        r"(?<![\w.])(?:expect\w*\s*[({]|is_expected\b|assert\w*[\s(]|refute\w*[\s(]|flunk\b)",
        r"\.should(?:_not)?\b",
        r"\.(?:must|wont)_\w+",
    ),
    trivial_spoken=(
        rf"expect\s*\(\s*(?P<a>{_VALUE})\s*\)\.to\s*\(?(?:eq|be|eql)[ (]\s*(?P=a)",
        r"expect\s*\(\s*true\s*\)\.to\s+be_truthy",
        r"assert[ (]\s*true\b",
        rf"assert_equal[ (]{_twice('b')}",
    ),
    skip_head=(r"^x", r",\s*:(?:skip|pending)\b", r"\b(?:skip|pending):\s*(?!false\b|nil\b)"),
    skip_body=(r"^\s*(?:skip|pending|omit)\b(?!\s*[=.:])",),
    only=(r"^f", r",\s*:focus\b", r"\bfocus:\s*true"),
    helper=(r"^[ \t]*def\s+(?P<name>(?!test_)\w+[?!]?)",),
    found=(r"_(?:spec|test)\.rb\Z", r"(?:^|/)test_[^/]*\.rb\Z"),
)

# What the parser of this version of Python does not read.
_PYTHON = Grammar(
    style="python",
    blocks="indent",
    head=(r"^[ \t]*(?:async\s+)?def\s+(?P<name>test\w*)",),
    group=(r"^[ \t]*class\s+(?P<name>\w+)",),
    assertion=(
        r"^\s*assert\b",
        r"\bself\.(?:assert|fail)\w*\s*\(",
        r"\bpytest\.(?:raises|fail|warns)\b",
        r"\.assert_\w+\s*\(",
    ),
    trivial_spoken=(
        r"\s*assert\s+(?:True|1)\s*(?:,|$)",
        r"self\.assertTrue\s*\(\s*True\s*[,)]",
        rf"self\.assertEqual\s*\({_twice('a')}[,)]",
    ),
    skip_head=(r"@(?:[\w.]+\.)?(?:skip\w*|xfail|expectedFailure)\b",),
    skip_body=(r"\bpytest\.skip\s*\(", r"\bself\.skipTest\s*\(", r"\braise (?:\w+\.)?SkipTest\b"),
    helper=(r"^[ \t]*def\s+(?P<name>(?!test)\w+)",),
    found=(r"(?:^|/)(?:test[^/]*|[^/]*_test)\.py\Z",),
)

_BY_SUFFIX: dict[str, Grammar] = {
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), _JAVASCRIPT),
    **dict.fromkeys(("java", "groovy", "scala", "kt", "kts"), _JAVA),
    "go": _GO,
    "rs": _RUST,
    "cs": _CSHARP,
    "php": _PHP,
    "rb": _RUBY,
    "py": _PYTHON,
}


def grammar_of(path: str) -> Grammar | None:
    return _BY_SUFFIX.get(path.rpartition(".")[2].lower())


def found_by_name(path: str) -> bool:
    """Whether the language's usual runner takes this file for one of tests."""
    grammar = grammar_of(path)
    return not grammar or not grammar.found or compiled(grammar.found).search(path) is not None


@cache
def compiled(patterns: Patterns) -> re.Pattern[str]:
    """None of no alternatives ever matches."""
    return re.compile("|".join(patterns) or r"(?!)", re.MULTILINE)
