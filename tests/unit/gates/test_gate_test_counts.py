"""How many tests a run says it ran, and whether a later run tests less."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ralph.core.failures.test_counts import Counts, fewer
from ralph.gates.command import counts

SAID = {
    "pytest": (
        "collected 7 items\n\n== 1 failed, 3 passed, 2 skipped, 1 xfailed, 2 warnings in 0.12s ==\n",
        Counts(4, 3, 1),
    ),
    "pytest -q": ("....\n4 passed in 0.01s\n", Counts(4)),
    "pytest, an hour": ("=== 4 passed, 1 deselected in 3671.02s (1:01:11) ===\n", Counts(4, 1)),
    "pytest, an error": ("ERROR tests/test_a.py\n1 error in 0.10s\n", Counts(1, 0, 1)),
    "pytest, none": ("no tests ran in 0.00s\n", Counts(0)),
    "unittest": (
        "Ran 6 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=2, expected failures=1)\n",
        Counts(3, 3, 2),
    ),
    "unittest, good": ("...\n----\nRan 3 tests in 0.001s\n\nOK\n", Counts(3)),
    "jest": (
        "Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 skipped, 1 todo, 3 passed, 6 total\nSnapshots:   0 total\n",
        Counts(4, 2, 1),
    ),
    "vitest": (
        " Test Files  1 passed (1)\n      Tests  1 failed | 3 passed | 2 skipped (6)\n",
        Counts(4, 2, 1),
    ),
    "mocha": ("\n  3 passing (8ms)\n  1 pending\n  1 failing\n\n  1) x\n", Counts(4, 1, 1)),
    "node": (
        "ℹ tests 5\nℹ suites 0\nℹ pass 3\nℹ fail 0\nℹ cancelled 0\nℹ skipped 1\nℹ todo 1\n",
        Counts(3, 2),
    ),
    "node, TAP": (
        "TAP version 13\nok 1 - a\n1..4\n# tests 5\n# suites 0\n# pass 3\n# fail 0\n# skipped 1\n# todo 1\n",
        Counts(3, 2),
    ),
    "TAP": ("1..4\nok 1 a\nnot ok 2 b\nok 3 c # skip later\nok 4 d\n    ok 1 inner\n", Counts(3, 1, 1)),
    "cargo": (
        "running 2 tests\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
        "   Doc-tests r\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n",
        Counts(4, 1, 1),
    ),
    "nextest": ("     Summary [   0.01s] 5 tests run: 4 passed, 1 failed, 2 skipped\n", Counts(5, 2, 1)),
    "go -v": (
        "--- PASS: TestA (0.00s)\n    --- PASS: TestA/s (0.00s)\n--- SKIP: TestB (0.00s)\n--- FAIL: TestC (0.0s)\nFAIL\n",
        Counts(3, 1, 1),
    ),
    "surefire": (
        "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s - in a.ATest\n"
        "[INFO] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in a.BTest\n"
        "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1\n",
        Counts(4, 1, 1),
    ),
    "gradle": ("> Task :test FAILED\n\n5 tests completed, 1 failed, 1 skipped\n", Counts(4, 1, 1)),
    "dotnet": (
        "Failed!  - Failed:     1, Passed:     4, Skipped:     2, Total:     7, Duration: 9 ms - a.dll\n",
        Counts(5, 2, 1),
    ),
    "rspec": ("Finished in 0.1 seconds\n5 examples, 1 failure, 2 pending\n", Counts(3, 2, 1)),
    "minitest": ("2 runs, 1 assertions, 0 failures, 0 errors, 1 skips\n", Counts(1, 1)),
    "phpunit": ("OK (5 tests, 7 assertions)\n", Counts(5)),
    "phpunit, skipped": (
        "OK, but some tests were skipped!\nTests: 5, Assertions: 7, Failures: 1, Skipped: 1.\n",
        Counts(4, 1, 1),
    ),
    "pest": ("  Tests:    1 skipped, 4 passed (7 assertions)\n", Counts(4, 1)),
    "bun": (" 5 pass\n 1 skip\n 0 fail\nRan 6 tests across 2 files. [9.00ms]\n", Counts(5, 1)),
    "deno": ("ok | 5 passed | 0 failed | 1 ignored (10ms)\n", Counts(5, 1)),
}


@pytest.mark.parametrize("runner", SAID)
def test_a_runner_tells_how_many_tests_it_ran(runner: str) -> None:
    output, expected = SAID[runner]
    assert counts(output) == expected
    coloured = "\x1b[2K\x1b[1m" + output.replace("\n", "\x1b[0m\r\n\x1b[32m")
    assert counts(coloured) == expected


def test_several_runners_of_one_gate_add_up() -> None:
    assert counts(SAID["pytest"][0] + SAID["jest"][0]) == Counts(8, 5, 2)
    assert counts(SAID["pytest -q"][0] * 2) == Counts(8)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "all good\n",
        "I passed 3 exams in 2019\n",
        "error: 5 tests were here\n",
        "Success: no issues found in 10 source files\n",
        "ok  \texample.com/a\t0.01s\n",
        "I said: 4 passed in 0.01s\n",
        "Tests: none total\n",
    ],
)
def test_what_tells_no_number_is_not_counted(output: str) -> None:
    assert counts(output) is None


HOSTILE = [
    "99999999999999999999999 passed in 0.1s\n",
    "1 " * 40_000 + "passed in 0.1s\n",
    "Tests:  " + "1 passed | " * 20_000,
    "Tests: " + "1 total " * 20_000,
    "=" * 200_000,
    "ok 1 " * 50_000 + "\n1..1\n",
    "\x1b]0;" * 50_000,
    "\r" * 200_000 + "\udcff\x00",
    "--- PASS: \n" * 100_000,
]


@pytest.mark.parametrize("output", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_output_does_no_harm(output: str) -> None:
    said = counts(output)
    assert said is None or 0 <= said.run < 10**8


def test_lines_are_only_counted_in_whole_output() -> None:
    shown = "--- PASS: TestA (0.00s)\n"
    assert counts(shown) == Counts(1)
    assert counts(shown, whole=False) is None
    assert counts(shown * 20_000) is None, "too much of it to be seen"
    assert counts(f"{'x' * 70 + chr(10)}" * 9_000 + "4 passed in 0.01s\n") == Counts(4), (
        "the end is always seen"
    )


def test_real_runners_are_understood(tmp_path: Path) -> None:
    (tmp_path / "test_real.py").write_text(
        "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n\n"
        "    @unittest.skip('later')\n    def test_b(self):\n        pass\n\n    def test_c(self):\n        self.fail()\n"
    )
    for command in (["unittest", "-v", "test_real"], ["pytest", "-v", "--color=yes"]):
        done = subprocess.run(
            [sys.executable, "-B", "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert counts(done.stdout + done.stderr) == Counts(2, 1, 1), (command, done.stdout, done.stderr)


def test_fewer_tests_and_more_skips_are_put_into_words() -> None:
    assert fewer(Counts(5), Counts(3)) == "3 tests ran, 5 at the start"
    assert fewer(Counts(5), Counts(0)) == "no tests ran, 5 at the start"
    assert fewer(Counts(5), Counts(1, 4)) == "1 test ran, 5 at the start; 4 skipped, none at the start"
    assert fewer(Counts(5, 1), Counts(6, 2)) == "2 skipped, 1 at the start"


def test_more_tests_or_no_numbers_are_no_reason_for_words() -> None:
    assert fewer(Counts(5, 1, 2), Counts(6, 1)) == ""
    assert fewer(Counts(5, 1), Counts(5)) == ""
    assert fewer(None, Counts(0)) == fewer(Counts(5), None) == ""
