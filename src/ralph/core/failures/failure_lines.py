"""Which lines of an output say what failed: names of failed tests, and the messages that go with them.

One table for all tools, read top down, first match wins. Sources, stack frames, what passed, counts and
whatever programs print besides are not part of a failure. Knows nothing about hashes or files.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from ralph.core.failures.excerpt import bounded_lines
from ralph.core.failures.normalize import without_stamp
from ralph.core.failures.tap import TapFailure, tap_failure

Role = Literal["name", "listed", "message", "hint", "skip", "frame", "wrapper", "passed", "summary", "other"]
Opens = Literal["", "frame", "blank", "indent"]  # until what the following lines belong to the message

# What may follow in a line that only counts: anything else may be what failed.
_COUNTED = (
    "and|in|of|out|m?s|m|min|h|secs?|seconds?|minutes?|passed|x?failed|skipped|errors?|failures?|warnings?|tests?|total|deselected"
    "|xpassed|pending|todo|ignored|measured|filtered|assertions?|expectations?|suites?|specs?|examples?|found|occurred|during"
    "|collection|reruns?|flaky|checks?|files?|cases?|succeeded|finished|took|time|with|were|was|has|have|the|run|ran"
)
_ONLY_COUNTS = rf"(?:[\W\d]|(?<![A-Za-z])(?:{_COUNTED})(?![A-Za-z]))*"
_MAX_BLOCK = 60  # lines of one message
_TELLING_ROLES = frozenset(("name", "listed", "message", "hint"))
_FAINT_ROLES: frozenset[Role] = frozenset(
    ("passed", "summary")
)  # say nothing about a failure, whatever else there is


class FailureLine(msgspec.Struct, frozen=True):
    role: Role
    text: str


class _Row(msgspec.Struct, frozen=True):
    role: Role
    pattern: re.Pattern[str]
    opens: Opens = ""


def _row(role: Role, pattern: str, opens: Opens = "") -> _Row:
    return _Row(role, re.compile(pattern), opens)


# Recognised everywhere; each of them also ends a message that was under way (except "skip").
_BOUNDARIES = (
    _row("message", r"^E {3,}(?P<text>.*)$"),  # pytest
    # what surrounds a failure
    _row("frame", r"^\s+at \S"),  # JavaScript, Java, C#
    _row("frame", r"^\s*(?:>\s*)?(?:\d+\s*)?\|(?: |$)|^\s*[~^]+\s*$"),  # code frames
    _row("frame", r'^\s*File ".*", line \d'),
    _row("frame", r"^\S+\.py:\d+: (?:in \S.*|\w+)$"),  # pytest
    _row("frame", r"^\s*❯ \S+:\d|^\s+from \S+:\d+:in |^\s*#\d+ |^\s+# \./"),
    _row("frame", r"^goroutine \d+ \[|^\t\S+\.go:\d+|^created by |^\[signal |^stack backtrace:|^\s*Stack [Tt]race:"),
    _row("frame", r"^\s*stack: [|>]|^\s*\.\.\. \d+ more$|^/\S+:\d+$"),
    # TAP: what stands between a name and its message
    _row("skip", r"^\s+(?:duration_ms|location|type|failureType|code|operator): |^\s+---$|^\s+[\w.-]+: [|>][-+]?$"),
    # what passed
    _row("passed", r"^\s*[✓✔√] |^\s*ok \d|^ok\s{2,}\S|^\s*PASS\b|^\s*PASSED\b|^\s*--- (?:PASS|SKIP): "),
    _row("passed", r".*\.\.\. (?:ok|ignored|skipped\b.*)$|.* (?:PASSED|SKIPPED|XFAIL|XPASS)\s*(?:\(.*\)\s*)?(?:\[\s*\d+%\])?$"),
    _row("passed", r"^\s*not ok\b.*# (?:TODO|SKIP)"),
    # counts and headings
    _row("summary", r"^={3,}|^-{3,}$|^-{3,} .* -{3,}$|^!{3,} |^[.FEsxXR]+\s*(?:\[ *\d+%\])?$|^\S+\.py [.FEsxXR]+ +\["),
    _row("summary", r"^(?:platform|rootdir|plugins|configfile|cachedir|collected|created)\b[: ]|^\d+ workers \["),
    _row("summary", r"^Ran \d+ tests? in |^FAILED \(|^OK$"),
    _row("summary", r"^\s*(?:Test Suites|Tests|Snapshots|Time|Seed): |^Ran all test suites"),
    _row("summary", r"^\s*(?:Test Files|Tests|Start at|Duration|Errors)  |^ RUN  |^\s*⎯|^\s*❯ \S+ \(\d+ tests?"),
    _row("summary", r"^\s*\d+ (?:passing|pending|failing)\b|^\s*Running tests with seed|^-test\.shuffle "),
    _row("summary", r"^\s*[ℹ#] (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) "),
    _row("summary", r"^TAP version|^\s*\d+\.\.\d+$|^\s*# Subtest: |^✖ failing tests:|^✖ \d+ problem"),
    _row("summary", r"^running \d+ tests?$|^test result: |^failures:$|^\s*(?:Compiling|Finished|Running|Doc-tests) "),
    _row("summary", r"^FAIL$|^PASS$|^=== (?:RUN|PAUSE|CONT|NAME)|^\?\s+\S+\s+\[no test|^coverage: |^exit status \d+$"),
    _row("summary", r"^\[ +FAILED +\] \d+ tests?|^\[[=-]{10}\]|^Found \d+ errors?\b|^\[ERROR\] Tests run:"),
    _row("summary", r"^\W*(?:FAIL(?:ED|URES?)?|ERRORS?|[Ff]ail(?:ed|ures?)|[Ee]rrors|[Pp]assed)\b\W{1,3}\d+\b(?!:)"),
    _row("summary", rf"^\W*\d+ (?:of \d+ |out of \d+ )?(?:\w+ )?(?:failed|passed|failures?|errors?)\b{_ONLY_COUNTS}$"),
    _row("summary", r"^\d+ errors?(?: generated\.)?$|^compilation terminated\.$|^npm \S+ A complete log|^> \S+@"),
    # what only says that something below it failed: a failure of its own only when nothing else is known
    _row("wrapper", r"^(?:g?make|ninja)(?:\[\d+\])?: (?:\*\*\* \[|Leaving|Entering|Target|build stopped)"),
    _row("wrapper", r"^npm (?:error|ERR!)|^error Command failed|.*ELIFECYCLE|^Command failed with exit code"),
    _row("wrapper", r"^error: (?:test failed|could not compile|aborting due|process didn't exit|\d+ targets? failed)"),
    _row("wrapper", r"^(?:BUILD|Build|Tests?|Execution) (?:FAILED|failed)\b"),
    _row("wrapper", r"^(?:error|ERROR): (?:tests?|build|checks?) failed\.?$"),
    _row("wrapper", r"^collect2: |^ERROR: No tests|^\s*FAILED?!*$|^\s*note: "),
    # names
    _row("name", r"^_{3,} (?P<name>.+?) _{3,}$"),
    _row("name", r"^(?:FAILED|ERROR) (?P<name>\S+\.py(?:::.*?)?)(?: - (?P<text>.*))?$"),
    _row("name", r"^(?:FAIL|ERROR): (?P<name>.+)$"),
    _row("name", r"^\s*--- FAIL: (?P<name>.+?)(?: \([\d.]+s\))?$"),
    _row("name", r"^ *FAIL +(?P<name>\S.* > .+)$", "frame"),  # vitest
    _row("name", r"^\s*FAIL\s+(?P<name>\S.*)$"),
    _row("name", r"^\s*● (?P<name>.+)$", "frame"),  # jest
    _row("name", r"^\s*not ok\b *\d* *(?:- )?(?P<name>.*?)(?: # .*)?$", "frame"),  # TAP
    _row("name", r"^thread '(?P<name>[^']*)'.* panicked at ", "blank"),
    _row("name", r"^\[ +FAILED +\] (?P<name>[^\s,]+)"),
    _row("name", r"^\s+Failed (?P<name>\S.*?) \[\d[^\]]*\]$", "frame"),  # dotnet
    # names as listings show them, without their suite; dropped where a fuller name is known
    _row("listed", r"^\s*[✕✗✘×] (?P<name>.+?)(?: \(?\d+(?:\.\d+)? ?m?s\)?)?$"),
    _row("listed", r"^\s*✖ (?P<name>.+?)(?: \([\d.]+ms\))?$", "frame"),  # node
    _row("listed", r"^(?:\[gw\d+\] )?\[ *\d+%\] (?:FAILED|ERROR) (?P<name>\S.*?)\s*$"),
    _row("listed", r"^(?=.*(?: \.\.\. |::| > ))(?:test )?(?P<name>\S.*?)(?: \.\.\.)? (?:FAILED|FAIL|ERROR)\s*(?:\[ *\d+%\])?$"),
)  # fmt: skip

# Recognised outside of messages.
_MESSAGES = (
    _row("wrapper", r".*(?:\b[Ww]arning\b.{0,9}?: |Warning: |: note: )"),
    _row(
        "message",
        r'^\s*(?:Caused by: |Exception in thread "[^"]*" |Uncaught |Unhandled )?'
        r"(?:[\w$]+[.:\\]+)*\w*(?:Error|Exception|Failure|Panic|Interrupt|Exit)(?: \[[\w ]+\])?(?:: .*|:?$)",
        "blank",
    ),
    _row("message", r"^\s*panic: |^fatal error: |^runtime: |^(?:PHP )?(?:Fatal|Parse) error: |^fatal: |^Fatal ", "blank"),
    _row("message", r"^\S+:\d+: Failure$", "blank"),  # googletest
    _row("message", r"^\s*[\w./\\@+~-]+\.[A-Za-z]\w{0,9}(?::\d+){1,2}(?:: |:?$| - |:in )|^\S+\(\d+(?:,\d+)?\): ", "indent"),
    _row("message", r"^\s*(?:\S{1,64}: )?(?i:(?:fatal |internal |syntax )?error)(?:\[\w+\])?: ", "blank"),
    _row("hint", r"^\s*\[?(?:ERROR|FATAL|CRITICAL|SEVERE|FAIL|FAILED|FAILURE)\b\]?[:!]?\s+\S"),
    _row("message", r"^\s*(?:[Ee]xpected|[Rr]eceived|[Aa]ctual|[Ll]eft|[Rr]ight|[Gg]ot|[Ww]ant)\b[\w ]{0,20}[:=]"),
    _row("message", r"^\s+\d+:\d+\s+error\s|^[A-Z]{1,4}\d{3,5} (?:\[\*\] )?\S"),  # linters
    _row(
        "hint",
        r".*(?:command not found|: not found$|[Nn]o such file or directory|No rule to make target|undefined reference to"
        r"|[Ss]egmentation fault|core dumped|\bKilled$|[Pp]ermission denied|[Oo]ut of memory|[Tt]imed out\b"
        r"|AddressSanitizer|[Aa]ssertion\b.* failed)",
    ),
)  # fmt: skip

_NUMBERED = re.compile(r"^\s{0,4}\d+\) (?P<name>.+?):?$")  # mocha, RSpec, PHPUnit; only below a heading
_NUMBERED_HEADING = re.compile(r"^\s*\d+ failing\b|^Failures:$|^There (?:was|were) \d+ (?:failure|error)")

# What tests printed is shown by their runner, but is not the failure: from a heading to what ends it.
_PRINTED = (
    (re.compile(r"^-+ Captured \S+ \w+ -+$"), re.compile(r"^[_=-]{3,}(?: .* )?[_=-]*$")),
    (re.compile(r"^\s+console\.\w+$"), re.compile(r"^\s+at \S|^\s*(?:FAIL|PASS|●) ")),
    (re.compile(r"^(?:stdout|stderr) \| "), re.compile(r"^$")),
)
_TRACEBACK = re.compile(r"^\s*Traceback \(most recent call last\):")
_CONSOLE_HEADING = re.compile(r"^\s*● Console$")
_GO_OWNER = re.compile(r"^\s*=== (?:RUN|CONT|NAME) +(\S+)")
_GO_VERDICT = re.compile(r"^\s*--- [A-Z]{4}: |^(?:FAIL|PASS|ok)\b")
_GO_PASSED = re.compile(r"^\s*--- (?:PASS|SKIP): (\S+)")


def failure_lines(output: str) -> tuple[FailureLine, ...]:
    """Names and messages of what failed, in order of appearance. Hints alone are no recognised failure."""
    return _Reader().read(bounded_lines(output))


def telling_lines(output: str) -> list[str]:
    """For an output without recognisable failures: every line except those about what passed, and those of programs
    that only say that another failed; these where nothing else is left."""
    lines = [line for raw in bounded_lines(output) if (line := without_stamp(raw)).strip()]
    roles = [_boundary(line)[0] for line in lines]
    for less in (_FAINT_ROLES | {"wrapper"}, _FAINT_ROLES, frozenset[Role]()):
        if kept := [line for line, role in zip(lines, roles, strict=True) if role not in less]:
            return kept
    return []


class _Reader:
    """One pass over the lines; its state is the message that is under way."""

    def __init__(self) -> None:
        self.found: list[tuple[str, FailureLine]] = []  # with the Go test that owns it
        self.short: set[int] = set()  # indices in found of messages that a summary repeats and cuts
        self.opened: Opens = ""
        self.indent = 0
        self.block = 0
        self.printed_until: re.Pattern[str] | None = None
        self.numbered = False
        self.traceback_indent = -1
        self.owner = ""
        self.passed: set[str] = set()

    def read(self, lines: list[str]) -> tuple[FailureLine, ...]:
        tested = 0  # up to where lines are those of a test of TAP
        lines = [without_stamp(raw) for raw in lines]
        for at, line in enumerate(lines):
            if at < tested:
                continue
            if failed := tap_failure(lines, at):
                tested = failed.end
                self._take_tap(failed)
                continue
            if self._is_printed(line):
                continue
            self._follow_go(line)
            if not (self._is_numbered(line) or self._is_traceback(line)):
                self._take(line)
        return self._result()

    def _take_tap(self, failed: TapFailure) -> None:
        self.printed_until, self.traceback_indent, self.opened = None, -1, ""
        self._add("name", failed.name, "")
        for text in failed.messages:
            self._add("message", text, "")

    def _is_printed(self, line: str) -> bool:
        """Is it what a test printed, or the heading of that?"""
        if self.printed_until is not None and not self.printed_until.match(line):
            return True
        self.printed_until = next((end for start, end in _PRINTED if start.match(line)), None)
        if self.printed_until is None and not _CONSOLE_HEADING.match(line):
            return False
        self.opened = ""
        return True

    def _is_numbered(self, line: str) -> bool:
        self.numbered = self.numbered or _NUMBERED_HEADING.match(line) is not None
        if not self.numbered or not (match := _NUMBERED.match(line)):
            return False
        self.opened = ""
        self._add("name", match["name"], "frame")
        return True

    def _is_traceback(self, line: str) -> bool:
        """Python: what is indented is a frame or its source; what ends it is an exception, whatever its name."""
        if _TRACEBACK.match(line):
            self.opened, self.traceback_indent = "", _indent(line)
            return True
        if self.traceback_indent < 0:
            return False
        if not line.strip() or _indent(line) > self.traceback_indent:
            return True
        self.traceback_indent = -1
        if _boundary(line)[0] != "other":
            return False
        self._add("message", line, "blank")
        return True

    def _take(self, line: str) -> None:
        role, match, opens = _boundary(line)
        if role == "skip":
            return
        if role == "other" and self._continues(line):
            self.block += 1
            self._add("message", line, self.opened)
            return
        self.opened = ""
        if role == "other":
            role, match, opens = _first(_MESSAGES, line)
        if match is None or role not in _TELLING_ROLES:
            return
        groups = match.groupdict()
        name, text = groups.get("name"), groups.get("text")
        self._add(role, name or text or line, opens)
        if name and text and text.strip():
            self.short.add(len(self.found))
            self._add("message", text, "")

    def _continues(self, line: str) -> bool:
        if not self.opened or self.block >= _MAX_BLOCK:
            return False
        if not line.strip():
            return self.opened == "frame"
        return self.opened != "indent" or _indent(line) > self.indent

    def _add(self, role: Role, text: str, opens: Opens) -> None:
        if opens != self.opened:
            self.block, self.indent = 0, _indent(text)
        self.opened = opens
        if text.strip():
            self.found.append((self.owner, FailureLine(role, text.strip())))

    def _follow_go(self, line: str) -> None:
        """With -v, Go prints what a test logs before it says whether the test passed."""
        if match := _GO_OWNER.match(line):
            self.owner = match[1]
        elif match := _GO_PASSED.match(line):
            self.passed.add(match[1])
        if _GO_VERDICT.match(line):
            self.owner = ""

    def _result(self) -> tuple[FailureLine, ...]:
        full = any(line.role == "message" and n not in self.short for n, (_, line) in enumerate(self.found))
        found = [
            line
            for n, (owner, line) in enumerate(self.found)
            if owner not in self.passed and not (full and n in self.short)
        ]
        named = any(line.role == "name" for line in found)
        return tuple(line for line in found if not (named and line.role == "listed"))


def _boundary(line: str) -> tuple[Role, re.Match[str] | None, Opens]:
    return _first(_BOUNDARIES, line)


def _first(rows: tuple[_Row, ...], line: str) -> tuple[Role, re.Match[str] | None, Opens]:
    for row in rows:
        if match := row.pattern.match(line):
            return row.role, match, row.opens
    return "other", None, ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
