"""The table of rules, and what the readers of all languages share: a place that a rule found, and which files are programs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

import msgspec

from ralph.text import one_line


class Rule(msgspec.Struct, frozen=True):
    """`what` begins the sentence and is followed by the code that was found; `instead` ends it."""

    what: str
    instead: str


RULES: Mapping[str, Rule] = {
    "equality": Rule(
        "an equality that holds whatever it is compared with",
        "compare the values that make two objects equal",
    ),
    "exit": Rule(
        "code other than a program's main ends the process or sets its exit status",
        "raise an error or return, and let the program's main decide",
    ),
    "runner-patched": Rule(
        "the test runner, the assertion library or the tests are changed from code",
        "leave them as they are and fix what they test",
    ),
    "work-replaced": Rule(
        "a test file replaces the code that other tests are about",
        "test the code as it is, or replace it for one test only",
    ),
    "clock-patched": Rule(
        "production code replaces the clock",
        "leave the clock as it is, and take it as an argument where tests need one",
    ),
    "call-stack": Rule(
        "production code looks at its callers",
        "compute the result from the arguments, or pass what is needed as one",
    ),
    "test-detected": Rule(
        "production code asks whether it is being tested", "behave the same under a test as everywhere else"
    ),
    "watched": Rule(
        "the result depends on who is watching", "compute the result from the arguments, whoever listens"
    ),
    "debug-build": Rule(
        "the code does something else where it is built for a test",
        "do the same in every build, under a test as everywhere else",
    ),
    "process-wide": Rule(
        "something of the whole process is changed, for all other code too",
        "do the work in this code, and leave the process as it is",
    ),
    "module-patched": Rule(
        "a module of somebody else is changed for all that use it",
        "leave it as it is, and do the work in code of your own",
    ),
    "waits-forever": Rule("the code waits for ever", "do the work, and come to an end"),
    "coded-data": Rule("data is hidden in a code that nobody can read", "write it as it is, or compute it"),
    "loose-equality": Rule(
        "an equality that takes different values for equal", "compare the values as they are"
    ),
    "every-error": Rule(
        "one error is of several kinds at once, so that whoever expects any of them gets it",
        "raise the error that fits what went wrong",
    ),
    "ignored-argument": Rule(
        "the result does not depend on an argument", "use the argument, or take it out of the interface"
    ),
    "errors-dropped": Rule(
        "what used to fail is now caught and left out in silence",
        "do what was asked where it fails, and let real errors be errors",
    ),
    "fixed-date": Rule("a fixed date of our days decides", "ask the clock, or take the date as an argument"),
    "answers-in-data": Rule(
        "a data file holds the examples of the tests", "compute the result for every input"
    ),
    "program-shadowed": Rule(
        "a new file has the name of a program that checks run, and may be found before it",
        "give it another name",
    ),
    "test-files-read": Rule(
        "production code reads the tests, their data or the documentation",
        "move what production needs out of there, or compute it",
    ),
    "assembled-name": Rule(
        "a name is put together from pieces, which hides what is looked up", "write the name as one literal"
    ),
    "expected-literal": Rule(
        "a function that used its arguments now returns what a test expects",
        "compute the result from the arguments",
    ),
    "table-of-answers": Rule(
        "the code looks up exactly the examples of the tests", "compute the result for every input"
    ),
    "call-count": Rule(
        "the answers of the tests are given in the order of the calls",
        "compute the result from the arguments",
    ),
    "input-hash": Rule(
        "inputs are recognised by a hash", "compute the result for every input instead of recognising some"
    ),
    "catch-all": Rule(
        "everything that can go wrong in this function is caught and hidden",
        "catch the errors that are expected, where they occur",
    ),
    "skip-raised": Rule("production code makes tests skip", "do the work, or raise an error of your own"),
    "random-result": Rule("chance decides the result", "make the result depend on the arguments alone"),
    "time-bomb": Rule("the result depends on whether a fixed date has passed", "remove the date"),
    "absolute-path": Rule(
        "a path of this machine is written into the code",
        "use a path relative to the project, or an argument",
    ),
    "outside-files": Rule(
        "a file outside of the project decides what the code does", "keep what the code needs in the project"
    ),
    "background-process": Rule(
        "a process is started that outlives its caller",
        "start it where it can be waited for, and wait for it",
    ),
    "assertions-suppressed": Rule(
        "failed assertions are caught and forgotten", "let them fail, and fix what they found"
    ),
    "builtin-shadowed": Rule(
        "a name that the language or its assertions use gets another meaning", "choose another name"
    ),
    "errors-swallowed": Rule(
        "errors that nothing else caught are kept from ending the program with a failure",
        "handle the error where it occurs, or end with a failure",
    ),
    "process-state": Rule(
        "how long or how often the code ran before decides the result",
        "make the result depend on the arguments alone",
    ),
    "other-signature": Rule(
        "a type checker is shown something else than what runs",
        "declare what runs, and do what the checker asks for",
    ),
    "built-file": Rule(
        "a file that a program makes is changed, and nothing that it is made of",
        "change the source, and make the file again",
    ),
    "dead-option": Rule("an option is declared that nothing reads", "do what the option says"),
    "never-called": Rule("nothing but tests calls this function", "call it where the work is done"),
    "not-a-number": Rule("the result is no number, whatever the arguments are", "compute the result"),
    "mock-in-work": Rule(
        "production code uses what is made to pretend in tests", "do the work, and leave mocks to the tests"
    ),
    "starts-program": Rule(
        "a program is started as soon as the code is loaded", "start it in a function that is called for it"
    ),
    "warnings-muted": Rule(
        "a warning about this code is muted, and the code stays as it was",
        "do what the warning asks for",
    ),
    "message-demoted": Rule(
        "what was said as an error or a warning is now said where nobody hears it",
        "mend what the message is about, and leave its level as it is",
    ),
    "fixed-wait": Rule(
        "a function does nothing but wait for a fixed time",
        "wait for what it is about, however long that takes",
    ),
    "lock-skipped": Rule(
        "the code waited for a lock, and now goes on without it",
        "wait for the lock, or fail where it cannot be got",
    ),
    "unverified-peer": Rule(
        "whoever answers is believed, because certificates are not verified",
        "verify them, by the authority that is to be trusted",
    ),
    "computed-elsewhere": Rule(
        "another program is asked for what the code is to compute", "compute it in this code"
    ),
    "list-shortened": Rule(
        "an entry is taken off a list that tests go through, and what it names is still there",
        "put it back, and mend what it names",
    ),
    "answer-left": Rule(
        "a recorded answer is no longer asked for, and a new one is recorded under another name",
        "ask for it by the name that it has, and mend what differs",
    ),
    "tests-a-copy": Rule(
        "a test has a copy of the function that it is about, and tests the copy",
        "import the function, and test what the project runs",
    ),
    "renamed-call": Rule(
        "the same function is called under another name", "do what the check asks for, without that function"
    ),
    "out-of-sight": Rule(
        "what a check looks for was moved to where it does not look", "do without it, wherever it stands"
    ),
    "generator-off": Rule(
        "a file that a program makes is changed, and the line that calls the program is gone",
        "leave the line, mend the program, and make the file again",
    ),
    "hidden-from-docs": Rule(
        "what has no documentation is hidden from it", "write the documentation, and leave it visible"
    ),
    "check-cannot-fail": Rule(
        "a check is run so that its failure does not count", "let it fail, and mend what it finds"
    ),
    "language-copied": Rule("the texts of a new language are those of another one", "translate them"),
    "failure-ends-well": Rule(
        "an error that ended the program with a failure now ends it with success",
        "mend what fails, and let errors end with a failure",
    ),
    "shared-result": Rule(
        "every call returns the same object, and the next one overwrites what it holds",
        "give each caller a result of its own",
    ),
    "data-dropped": Rule(
        "a table is dropped and made again, with nothing of what was in it", "keep what is in it"
    ),
    "promise-not-kept": Rule(
        "a type of parts that are for one thread is said to be for several",
        "make it of parts that several threads may use",
    ),
    "done-when-started": Rule(
        "what was only started is said to be done", "say so when it has come to its end"
    ),
}


class Hit(msgspec.Struct, frozen=True):
    """A place that a rule found. `code` is what stands there, however it is laid out: by it a place is known again."""

    line: int
    rule: str
    code: str

    @property
    def key(self) -> tuple[str, str]:
        return self.rule, "".join(self.code.split())

    @property
    def text(self) -> str:
        rule = RULES[self.rule]
        return f"{rule.what}: `{one_line(self.code, 100)}`; {rule.instead}"


class Example(msgspec.Struct, frozen=True):
    """One input that code gives a fixed answer to, as the literals of both."""

    line: int
    question: tuple[str, ...]
    answer: tuple[str, ...]


class AnswerTable(msgspec.Struct, frozen=True):
    """Fixed answers that stand together. `has_rest`: there is another answer for whatever is not in it."""

    entries: tuple[Example, ...]
    has_rest: bool

    @property
    def literals(self) -> list[tuple[str, ...]]:
        """Of each entry."""
        return [(*entry.question, *entry.answer) for entry in self.entries]


class Handout(msgspec.Struct, frozen=True):
    """Fixed answers that are given one after another, call by call."""

    line: int
    code: str
    answers: tuple[str, ...]


class Found(msgspec.Struct, frozen=True):
    """What one version of a file holds."""

    hits: tuple[Hit, ...] = ()
    tables: tuple[AnswerTable, ...] = ()
    handouts: tuple[Handout, ...] = ()


class TestsSeen(Protocol):
    """What is known of the tests; they are read when it is first asked."""

    def expect(self, literal: str) -> bool: ...

    def call(self, name: str) -> bool: ...


class SourceFile(msgspec.Struct, frozen=True):
    path: str
    text: str
    is_test: bool = False


# Where a process may end itself: programs, and what people start by hand.
_PROGRAM_PATH = re.compile(
    r"(?:^|/)(?:bin|scripts?|cmd|examples?|docs?|website|demos?|samples|benchmarks?|ci|\.github)/"
    r"|(?:^|/)(?:__main__|main|setup|manage|noxfile|tasks|gulpfile|Gruntfile|build|cli|\w*[_-]cli|console)\.\w+\Z"
    r"|(?:^|/)(?:cli|commands?)/"
)
# What may look at tests, since it is there to build or check the project.
_TOOLING_PATH = re.compile(
    r"(?:^|/)(?:scripts?|tools?|ci|\.github|docs?|examples?|benchmarks?|tasks?|build|\.?config)/"
    r"|(?:^|/)(?:setup|noxfile|tasks|gulpfile|Gruntfile|conftest|manage|build|karma\.\w+|rollup\.\w+|[\w.-]+\.config|[\w.-]+\.conf)\.\w+\Z"
    r"|(?:^|/)(?:testing|test_?utils?|pytest_?plugin|[\w-]*pytest[\w-]*)(?:/|\.\w+\Z)"
)


def is_program(path: str, text: str) -> bool:
    return text.startswith("#!") or _PROGRAM_PATH.search(path) is not None


def is_tooling(path: str) -> bool:
    """Builds, documents or tests the project, and is not a part of it."""
    return _TOOLING_PATH.search(path) is not None


# A path of tests or of documents, in a literal.
TEST_PATH = re.compile(
    r"(?:^|[/\\])(?:tests?|__tests__|__snapshots__|testdata)(?:[/\\]|\Z)"
    r"|(?:^|[/\\])(?:test_\w+\.py|\w+_test\.(?:py|go|rs)|conftest\.py)\Z"
    r"|(?:^|[/\\])[\w.-]+\.(?:test|spec)\.[cm]?[jt]sx?\Z"
    r"|(?:^|[/\\])(?:README|CHANGELOG)(?:\.(?:md|rst|txt))?\Z|(?:^|[/\\])docs?[/\\][^\n]*\.(?:md|rst|txt)\Z"
)
# What the clock decides about. Of other things a fixed date may be a rule: since this day the tax is another.
RUNS_OUT = re.compile(
    r"expir|valid|until|deadline|due\b|ttl|lease|renew|stale|fresh|outdated|not_?(?:before|after)|now\b|today|clock|current",
    re.IGNORECASE,
)
# What a runner leaves in the environment.
TEST_VARIABLE = re.compile(
    r"PYTEST_(?:CURRENT_TEST|XDIST_WORKER\w*|VERSION|RUN_CONFIG|ADDOPTS)|JEST_WORKER_ID|VITEST(?:_\w+)?|NODE_TEST_CONTEXT"
    r"|MOCHA_\w+|npm_lifecycle_event|npm_lifecycle_script|RUST_TEST_THREADS|NEXTEST\w*|CARGO_TARGET_TMPDIR"
)
RUNNER = re.compile(
    r"(?<![\w-])_?(?:pytest|py\.test|unittest|nose2?|jest|mocha|vitest|ava|jasmine|tap)(?![\w-])"
)


# Found before the real one where its folder comes first in PATH. Not those that projects have scripts for, as bin/test.
_PROGRAMS = frozenset(
    {
        "node",
        "npm",
        "npx",
        "python",
        "python3",
        "pip",
        "pytest",
        "go",
        "cargo",
        "rustc",
        "ruff",
        "mypy",
        "jest",
        "vitest",
    }
    | {"mocha", "eslint", "tsc", "git", "sh", "bash", "timeout", "grep", "diff", "cmp", "make"}
)


def shadows_program(path: str) -> bool:
    return path.rpartition("/")[2] in _PROGRAMS


def has_rest(name: str, text: str) -> bool:
    """Whether the code has another answer for what is not in the table of this name."""
    own = re.escape(name)
    pattern = (
        rf"\bin\s+{own}\b|\b{own}\s*\.\s*(?:has|hasOwn\w*|contains\w*|setdefault)\s*\(|\b{own}\s*\.\s*get\s*\([^\n]*,"
        rf"|\b{own}\)?\s*\.\s*(?:reduce|toSorted|sort)\s*\(|\b(?:min|max|sorted)\s*\(\s*{own}\b[^\n]*\bkey\s*=|get_close_matches\([^\n]*\b{own}\b"
        rf"|\b{own}\s*(?:\.\s*get\s*\([^\n]*\)|\[[^\n\]]*\])\s*(?:\?\?|\|\||\bor\b|\bif\b|\.unwrap_or)|,\s*\w+\s*:?=\s*{own}\s*\["
    )
    return re.search(pattern, text) is not None
