"""The gate kind `command`: how a command is run and what its run amounts to; and how many tests it ran, by its output.

Most gates are not test runs: tests are counted only where the output says a number. `core/failures/test_counts.py` knows what
runners print when there was nothing to run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ralph.core.failures.excerpt import (
    FIRST_LINES,
    FIRST_WINDOW,
    LAST_LINES,
    LAST_WINDOW,
    bounded_lines,
    excerpt,
    excerpt_windows,
    windows_text,
)
from ralph.core.failures.test_counts import Counts, ran_nothing
from ralph.core.globs import matches
from ralph.core.loop.state import LoopState
from ralph.core.policy import COMMAND, GatePolicy
from ralph.gates.kinds import Asked, GateFinding, Program, Ran
from ralph.git.private_index import CACHE_FOLDERS
from ralph.text import digest, few

MOST = 10_000_000  # a larger number is no count

# What the words of a summary mean. A test that is expected to fail may fail unseen, like one that is skipped.
_BUCKETS = {
    **dict.fromkeys(("passed", "pass", "passing", "successful", "succeeded", "xpassed", "ok"), "run"),
    **dict.fromkeys(("failed", "fail", "failing", "failures", "failure", "errors", "error"), "failed"),
    **dict.fromkeys(
        ("skipped", "skip", "skips", "pending", "pendings", "todo", "ignored", "xfailed"), "skipped"
    ),
    **dict.fromkeys(
        ("omissions", "incomplete", "deselected", "excluded", "expected failures", "aborted"), "skipped"
    ),
    **dict.fromkeys(("total", "tests", "tests run", "runs", "examples", "completed"), "total"),
}
_WORDS = "|".join(sorted((re.escape(word) for word in _BUCKETS), key=len, reverse=True))
# As text: compiled when the first gate has ended, not when Ralph starts.
_NUMBER_WORD = rf"(?i)(\d+) (?:tests? )?({_WORDS}|example|test)\b"
_WORD_NUMBER = rf"(?i)\b({_WORDS})\s*[:=]?\s+(\d+)\b|\b({_WORDS})=(\d+)"
_SINGULAR = {"example": "examples", "test": "tests"}
Sums = dict[str, int]


def counts(output: str, *, whole: bool = True) -> Counts | None:
    """None when the output does not say. When it is not the `whole` output, what is summed up over it is not trusted."""
    lines = bounded_lines(output)
    whole = (
        whole and len(output) <= FIRST_WINDOW + LAST_WINDOW and output.count("\n") < FIRST_LINES + LAST_LINES
    )
    found = [said for runner in _RUNNERS if (said := runner(lines, whole)) is not None]
    return _add(found)


def _read(text: str, pattern: str) -> Sums:
    sums: Sums = {}
    for match in re.finditer(pattern, text):
        groups = [group for group in match.groups() if group is not None]
        number, word = groups if groups[0].isdigit() else reversed(groups)
        word = _SINGULAR.get(word.lower(), word.lower())
        if len(number) < 9 and int(number) < MOST:
            sums[_BUCKETS[word]] = sums.get(_BUCKETS[word], 0) + int(number)
    return sums


def _counts(sums: Sums) -> Counts:
    """From a total, or from what passed and what failed."""
    skipped, failed = sums.get("skipped", 0), sums.get("failed", 0)
    total = sums.get("total")
    run = sums.get("run", 0) + failed if total is None else max(0, total - skipped)
    return Counts(run=run, skipped=skipped, failed=failed)


def _add(parts: Sequence[Counts]) -> Counts | None:
    if not parts:
        return None
    return Counts(sum(c.run for c in parts), sum(c.skipped for c in parts), sum(c.failed for c in parts))


Runner = Callable[[Sequence[str], bool], Counts | None]


def _summary(line: str, pairs: str, *, once: bool = True) -> Runner:
    """A runner that ends with one line of numbers. `once`: however much came before, that line is in the last part."""

    def read(lines: Sequence[str], whole: bool) -> Counts | None:
        if not whole and not once:
            return None
        shape = re.compile(line)
        return _add([_counts(_read(text, pairs)) for text in lines if shape.match(text)])

    return read


def _several(first: str, others: str, pairs: str) -> Runner:
    """A runner whose summary is a line for each number: `first` begins it, `others` belong to it as long as they follow."""

    def read(lines: Sequence[str], whole: bool) -> Counts | None:
        begins, belongs = re.compile(first), re.compile(others)
        blocks: list[Sums] = []
        open_ = False
        for text in lines:
            starts = begins.match(text) is not None
            if not starts and not (open_ and belongs.match(text)):
                open_ = open_ and not text.strip()
                continue
            if starts:
                blocks.append({})
            open_ = True
            for bucket, number in _read(text, pairs).items():
                blocks[-1][bucket] = blocks[-1].get(bucket, 0) + number
        return _add([_counts(block) for block in blocks])

    return read


def _each(passed: str, failed: str, skipped: str) -> Runner:
    """A runner that says nothing at the end: its lines are counted, which needs all of them."""

    def read(lines: Sequence[str], whole: bool) -> Counts | None:
        if not whole:
            return None
        shapes = [re.compile(shape) for shape in (passed, failed, skipped)]
        good, bad, out = (sum(1 for text in lines if shape.match(text)) for shape in shapes)
        return Counts(good + bad, out, bad) if good + bad + out else None

    return read


def _unittest(lines: Sequence[str], whole: bool) -> Counts | None:
    """`Ran 5 tests in 0.1s`, and the verdict some lines later."""
    found: list[Counts] = []
    for n, text in enumerate(lines):
        if ran := re.match(r"Ran (\d{1,8}) tests? in [\d.]+s", text):
            verdicts = (
                line for line in lines[n + 1 : n + 4] if re.match(r"(?:OK|FAILED|NO TESTS RAN)\b", line)
            )
            sums = _read(next(verdicts, ""), _WORD_NUMBER)
            found.append(_counts({**sums, "total": int(ran.group(1))}))
    return _add(found)


def _tap(lines: Sequence[str], whole: bool) -> Counts | None:
    """Where no summary of node's or tape's follows."""
    plan = any(re.match(r"1\.\.\d+", text) for text in lines)
    if not plan or any(re.match(r"[#ℹ] tests \d", text) for text in lines):
        return None
    skips = r"(?:not )?ok \d+.*# (?:SKIP|skip|TODO|todo)\b"
    return _each(rf"(?!{skips})ok \d+\b", rf"(?!{skips})not ok \d+\b", skips)(lines, whole)


# pytest; the words that count are fewer than those that appear
_PYTEST_LINE = (
    r"=*\s*(?:\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests passed)(?:, )?)+"
    r" in [\d.]+s|=*\s*no tests ran in "
)
# Maven's totals; the lines of the classes before them name the time
_SUREFIRE_LINE = r"(?:\[\w+\] +)?Tests run: +\d+, +Failures: +\d+(?:, +Errors: +\d+, +Skipped: +\d+)?\s*$"
_RUNNERS: tuple[Runner, ...] = (
    _summary(_PYTEST_LINE, r"(\d+) (passed|failed|errors?|skipped|deselected|xfailed|xpassed)\b"),
    _unittest,
    _summary(r"Tests: +.*\b\d+ total\s*$", _NUMBER_WORD),  # jest
    _summary(r"\s*Tests  +(?:\d+ (?:passed|failed|skipped|todo)(?: \| )?)+ \(\d+\)", _NUMBER_WORD),  # vitest
    _several(r"\s+\d+ passing \(", r"\s+\d+ (?:pending|failing)\s*$", _NUMBER_WORD),  # mocha
    _several(
        r"[#ℹ] tests \d+$",
        r"[#ℹ] (?:suites|pass|fail|cancelled|skipped|todo) ",
        r"(tests|skipped|todo|fail) +(\d+)",
    ),
    _tap,
    _summary(
        r"test result: \w+\. \d+ passed; \d+ failed; \d+ ignored;",
        r"(\d+) (passed|failed|ignored)",
        once=False,
    ),
    _summary(r"\s*Summary \[.*\] +\d+ tests? run:", r"(\d+) (passed|skipped|failed)\b"),  # nextest
    _each(r"\s*--- PASS: ", r"\s*--- FAIL: ", r"\s*--- SKIP: "),  # go test -v
    _summary(_SUREFIRE_LINE, _WORD_NUMBER),
    _summary(r"\d+ tests? completed", r"(\d+) (?:tests? )?(completed|failed|skipped)"),  # gradle
    _summary(
        r"(?:Passed|Failed|Skipped)! +- Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total:",
        r"(Failed|Passed|Skipped): +(\d+)",
    ),
    _summary(r"\d+ examples?, \d+ failures?", _NUMBER_WORD),  # rspec
    _summary(
        r"\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors",
        r"(\d+) (runs|tests|failures|errors|skips|pendings|omissions)\b",
    ),
    _summary(r"OK \(\d+ tests?, \d+ assertions?\)", r"(\d+) (tests?)\b"),  # phpunit
    _summary(r"Tests: \d+, Assertions: \d+", r"(Tests|Failures|Errors|Skipped|Incomplete): (\d+)"),
    _summary(r"\s*Tests: +.*\d+ (?:passed|failed|skipped) \(\d+ assertions?\)", _NUMBER_WORD),  # pest
    _several(r"\s*\d+ pass$", r"\s*\d+ (?:skip|todo|fail)$", _NUMBER_WORD),  # bun
    _summary(r"(?:ok|FAILED) \| \d+ passed .*\| \d+ failed", _NUMBER_WORD),  # deno
)


CACHES = tuple(f"**/{name}/**" for name in CACHE_FOLDERS)


class Command:
    about = COMMAND

    def check(self, options: dict[str, Any]) -> tuple[str, ...]:
        return ()

    def program(self, gate: GatePolicy, asked: Asked) -> Program:
        return shell(command_line(gate))

    def find(self, gate: GatePolicy, ran: Ran) -> GateFinding:
        """A gate passes by exit code 0, in time, without writing where it may not."""
        first, last, lines = ran.output()
        text, shown = _seen(first, last, lines)
        tests = counts(text, whole=not last)
        if ran.timed_out == "hard":
            # What it printed before time ran out differs by chance; that it hangs is the error.
            why = f"{gate.name} ran out of time after {gate.hard_timeout:g} s"
            return GateFinding(False, f"{shown}\n{why}".strip(), digest(gate.name, "out of time"), why)
        if wrote := ran.wrote:
            why = f"{gate.name} changed files that it may not change: {few(wrote, 10)} (undone; `may_write` lets it)"
            return GateFinding(False, f"{shown}\n{why}".strip(), digest(gate.name, "wrote", *wrote), why)
        if ran.code == 0:
            return GateFinding(passed=True, excerpt=shown, empty=ran_nothing(text), tests=tests)
        # tables of patterns, needed only after a failure
        from ralph.core.failures.signature import error_hash, headline
        from ralph.gates.missing_program import missing_program

        told = headline(text) or f"exit code {ran.code}"
        lacks = missing_program(command_line(gate), ran.code, text, ran.where) if ran.where else ""
        signature = error_hash(text, ran.code, gate.name)
        return GateFinding(False, shown, signature, told, tests=tests, cannot_run=lacks)

    def command(self, gate: GatePolicy, s: LoopState) -> str:
        return gate.run

    def evidence(self, gate: GatePolicy, s: LoopState) -> str:
        return command_line(gate)


def shell(command: str) -> Program:
    return Program(("/bin/sh", "-c", command))


def command_line(gate: GatePolicy) -> str:
    """Setup belongs to the command: a result is known again only for the same both."""
    if gate.hermetic and gate.setup:
        return f"{{ {gate.setup}\n}} && {{ {gate.run}\n}}"
    return gate.run


def undeclared(gate: GatePolicy, written: Iterable[str]) -> tuple[str, ...]:
    """The paths that the gate changed and may not. Caches that someone committed are the tools' own."""
    return tuple(path for path in written if not matches(path, (*gate.may_write, *CACHES)))


def _seen(first: bytes, last: bytes, lines: int) -> tuple[str, str]:
    """What is known of the output, to be searched; and what of it is shown."""
    if last:
        return windows_text(first, last), excerpt_windows(first, last, lines)
    text = first.decode("utf-8", "replace")
    return text, excerpt(text)
