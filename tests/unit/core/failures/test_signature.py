"""The error hash: the same failure keeps it, another failure changes it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.core.failures.normalize import without_noise
from ralph.core.failures.signature import MAX_HEADLINE, error_hash, headline

OUTPUTS = Path(__file__).parents[3] / "fixtures" / "outputs"
TOOLS = sorted(path.name for path in OUTPUTS.iterdir() if (path / "again.txt").exists())


def recorded(tool: str, run: str) -> str:
    return (OUTPUTS / tool / f"{run}.txt").read_text()


def hashed(output: str) -> str:
    return error_hash(output, 1, "tests")


# --- real outputs


def test_the_recordings_are_there() -> None:
    assert {
        "pytest",
        "unittest",
        "jest",
        "vitest",
        "mocha",
        "node",
        "tap",
        "go",
        "gopanic",
        "cargo",
        "gcc",
        "tsc",
        "make",
    } <= set(TOOLS)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_same_failure_in_another_place_order_and_time_has_the_same_hash(tool: str) -> None:
    first, again = recorded(tool, "first"), recorded(tool, "again")
    assert first != again
    assert hashed(first) == hashed(again)


@pytest.mark.parametrize("tool", TOOLS)
def test_another_value_and_another_test_have_other_hashes(tool: str) -> None:
    assert len({hashed(recorded(tool, run)) for run in ("first", "value", "other")}) == 3


@pytest.mark.parametrize("tool", TOOLS)
def test_a_time_before_each_line_changes_nothing(tool: str) -> None:
    output = recorded(tool, "first")
    stamped = [f"2026-01-21T10:30:{n % 60:02d}.123Z {line}" for n, line in enumerate(output.split("\n"))]
    assert hashed("\n".join(stamped)) == hashed(output)


@pytest.mark.parametrize("tool", TOOLS)
def test_windows_line_ends_change_nothing(tool: str) -> None:
    output = recorded(tool, "first")
    assert hashed(output.replace("\n", "\r\n")) == hashed(output)


@pytest.mark.parametrize("tool", ["pytest", "jest", "go", "cargo", "gcc"])
def test_make_around_a_tool_does_not_hide_which_failure_it_is(tool: str) -> None:
    hashes = {
        hashed(recorded(tool, run) + "make: *** [Makefile:3: test] Error 1\n")
        for run in ("first", "value", "other")
    }
    assert len(hashes) == 3


def test_a_failure_that_comes_or_goes_changes_the_hash() -> None:
    blocks = recorded("go", "first").split("--- FAIL: ")
    assert hashed("--- FAIL: ".join(blocks[:-1])) != hashed(recorded("go", "first"))


# --- single differences


def pytest_failure(message: str) -> str:
    return f"____ test_a ____\n\n>       f()\nE       {message}\n\ntest_a.py:3: AssertionError\nFAILED test_a.py::test_a - x\n"


SAME = [
    ("<a.B object at 0x7f9be41150d0>", "<a.B object at 0x55d1c2a01230>"),
    (
        "open('/tmp/pytest-of-ann/pytest-12/test_a0/x.txt')",
        "open('/tmp/pytest-of-bob/pytest-3/popen-gw1/test_a0/x.txt')",
    ),
    ("open('/var/folders/zz/T/tmpab12cd34/x.txt')", "open('/var/folders/yy/T/tmpzz99xx88/x.txt')"),
    ("rm /tmp/tmp.lhwU84ytB5", "rm /tmp/tmp.UlZ6eLgLpe"),
    ("wrote /tmp/tmpk3j2h1g0", "wrote /tmp/tmpa_b8c7d6"),
    ("open('/home/ann/proj/conf.ini')", "open('/work/loops/7/conf.ini')"),
    ("at file:///home/ann/proj/a.mjs:3:5", "at file:///srv/b/a.mjs:13:7"),
    ("started 2026-01-21T10:30:00Z", "started 2026-02-03T01:02:03.5+01:00"),
    ("started Wed Jan 21 10:30:00 2026", "started Thu Jan 22 11:31:01 2026"),
    ("at 10:30:00.123", "at 23:01:59.9"),
    ("on 2026-01-21", "on 2026-01-22"),
    ("timeout, finished in 1.2 secs", "timeout, finished in 13 secs"),
    ("slow (5 ms)", "slow (1.2 s)"),
    ("slow after 0.12s", "slow after 7s"),
    ("slow: 0.12345 seconds", "slow: 2.34567 seconds"),
    ("pid 123 died", "pid 9876 died"),
    ("refused: 127.0.0.1:43211", "refused: 127.0.0.1:51122"),
    ("refused: localhost port 43211", "refused: localhost port 51122"),
    ("no user 3f2b1c9e-0a1b-4c2d-8e3f-112233445566", "no user a1b2c3d4-0a1b-4c2d-8e3f-665544332211"),
    ("no blob 2f5cb745fb5fedf3", "no blob 9e107d9d372bb682"),
    ("Using --randomly-seed=12", "Using --randomly-seed=345"),
    ("Seed: 12345", "Seed: -67890"),
    ('File "a.py", line 3, in f', 'File "a.py", line 33, in f'),
    ("a.py:3: wrong", "a.py:30: wrong"),
    ("x.sh: line 2: 811 Killed", "x.sh: line 9: 4711 Killed"),
    ("created at 1794771698.0266225", "created at 1794771803.58"),
    ("assert {'b', 'a'} == set()", "assert {'a', 'b'} == set()"),
    ("\x1b[31mwrong\x1b[0m", "wrong"),
]

DIFFERENT = [
    ("assert 3 == 4", "assert 3 == 5"),
    ("Expected: 401, Received: 200", "Expected: 401, Received: 500"),
    ("ValueError: x", "KeyError: x"),
    ("assert '/users/5' == '/'", "assert '/users/6' == '/'"),
    ("assert '2026-01-21' == ''", "assert '2026-01-22' == ''"),
    ("assert '10:30:00' == ''", "assert '10:30:01' == ''"),
    ("assert '5 seconds' == ''", "assert '6 seconds' == ''"),
    ("assert 'localhost:8080' == ''", "assert 'localhost:80' == ''"),
    ("assert 1000000007 == 0", "assert 1000000009 == 0"),
    ("assert [401] == []", "assert [402] == []"),
    ("assert 0x1f == 0", "assert 0x2f == 0"),
    ("assert -1 == 0", "assert 1 == 0"),
    ("no module 'src/a/index.js'", "no module 'src/b/index.js'"),
    ("open('conf/a.ini')", "open('conf/b.ini')"),
    ("invalid JSON: line 1 column 2", "invalid JSON: line 2 column 2"),
    ("assert 'Ann' == ''", "assert 'ann' == ''"),
    ("assert 'a b' == ''", "assert 'a  b' == ''"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_noise_in_a_message_does_not_count(a: str, b: str) -> None:
    assert hashed(pytest_failure(a)) == hashed(pytest_failure(b))
    assert hashed(a) == hashed(b)  # also where no failure is recognised


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_values_in_a_message_count(a: str, b: str) -> None:
    assert hashed(pytest_failure(a)) != hashed(pytest_failure(b))
    assert hashed(a) != hashed(b)


def test_gate_and_exit_code_count() -> None:
    hashes = {
        error_hash("", 1, "tests"),
        error_hash("", 2, "tests"),
        error_hash("", 1, "lint"),
        error_hash("output", 1, "tests"),
    }
    assert len(hashes) == 4
    assert all(re.fullmatch("[0-9a-f]{8}", each) for each in hashes)


def test_what_tests_print_does_not_count() -> None:
    captured = "----------- Captured stdout call -----------\nERROR {}\n=========== short test summary info ===========\n"
    a, b = (
        pytest_failure("assert 1 == 2") + captured.format(noise) for noise in ("random 0.1", "random 0.7")
    )
    assert hashed(a) == hashed(b)


def test_names_in_the_short_summary_carry_the_values_when_nothing_else_does() -> None:
    summary = "FAILED test_a.py::test_a - assert 1 == {}\n1 failed in 0.1s\n"
    assert hashed(summary.format(2)) != hashed(summary.format(3))


def test_a_home_made_script_is_judged_by_all_it_says_except_what_passed() -> None:
    script = "started at 10:30:00\ncheck add ... {}\ncheck sub ... ok\n{}FAILED: 1 of {}\n"
    one = script.format("5 != 4", "", 2)
    assert hashed(one) == hashed(
        script.format("5 != 4", "check mul ... ok\n", 3).replace("10:30:00", "11:31:01")
    )
    assert hashed(one) != hashed(script.format("6 != 4", "", 2))


def test_an_exception_of_any_name_ends_a_traceback() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line {}, in f\n    {}\nshop.TokenExpired: for {}\n'
    assert hashed(trace.format(3, "x = 1", "ann")) == hashed(trace.format(9, "y = 2", "ann"))
    assert hashed(trace.format(3, "x = 1", "ann")) != hashed(trace.format(3, "x = 1", "bob"))


def test_the_hash_is_the_same_in_every_process() -> None:
    code = "from ralph.core.failures.signature import error_hash; import sys; print(error_hash(sys.stdin.read(), 1, 'tests'))"
    output = recorded("jest", "first")
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=output,
            env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
            text=True,
            capture_output=True,
        )
        assert done.stdout.strip() == hashed(output), done.stderr


# --- properties

VALUES = st.integers(
    -(10**8), 10**8
)  # larger ones look like seconds or nanoseconds since 1970, which are noise
FAILURES = st.dictionaries(
    st.from_regex(r"test_[a-z]{1,8}", fullmatch=True),
    st.tuples(VALUES, VALUES),
    min_size=1,
    max_size=6,
)
PASSED = st.lists(st.from_regex(r"more_[a-z]{1,8}", fullmatch=True), max_size=5)
Failures = dict[str, tuple[int, int]]


def as_pytest(failures: Failures, passed: list[str], line: int, seconds: float) -> str:
    blocks = [
        f"____ {name} ____\n\n    def {name}():\n>       assert f() == {want}\nE       assert {got} == {want}\n\n"
        f"test_a.py:{line + n}: AssertionError"
        for n, (name, (got, want)) in enumerate(failures.items())
    ]
    listed = [f"test_a.py::{name} PASSED [ {n}%]" for n, name in enumerate(passed)]
    short = [f"FAILED test_a.py::{name} - assert" for name in failures]
    count = f"==== {len(failures)} failed, {len(passed)} passed in {seconds}s ===="
    return "\n".join(
        [*listed, "==== FAILURES ====", *blocks, "==== short test summary info ====", *short, count]
    )


def as_jest(failures: Failures, passed: list[str], line: int, seconds: float) -> str:
    listed = [f"    ✓ {name} ({line} ms)" for name in passed] + [
        f"    ✕ {name} ({line} ms)" for name in failures
    ]
    blocks = [
        f"  ● shop › {name}\n\n    expect(received).toBe(expected)\n\n    Expected: {want}\n    Received: {got}\n\n"
        f"    > {line} | code\n        |  ^\n\n      at Object.<anonymous> (a.test.js:{line}:5)\n"
        for name, (got, want) in failures.items()
    ]
    count = f"Tests:       {len(failures)} failed, {len(passed)} passed\nTime:        {seconds} s"
    return "\n".join(["FAIL ./a.test.js", "  shop", *listed, "", *blocks, count])


def as_go(failures: Failures, passed: list[str], line: int, seconds: float) -> str:
    good = [f"=== RUN   {name}\n    a_test.go:{line}: fine\n--- PASS: {name} ({seconds}s)" for name in passed]
    bad = [
        f"=== RUN   {name}\n    a_test.go:{line}: got {got}, want {want}\n--- FAIL: {name} ({seconds}s)"
        for name, (got, want) in failures.items()
    ]
    return "\n".join([*good, *bad, "FAIL", f"FAIL\texample.com/a\t{seconds}s", "FAIL"])


def as_cargo(failures: Failures, passed: list[str], line: int, seconds: float) -> str:
    listed = [f"test {name} ... ok" for name in passed] + [f"test {name} ... FAILED" for name in failures]
    blocks = [
        f"---- {name} stdout ----\n\nthread '{name}' ({line}) panicked at src/lib.rs:{line}:9:\n"
        f"assertion `left == right` failed\n  left: {got}\n right: {want}\n"
        for name, (got, want) in failures.items()
    ]
    count = f"test result: FAILED. {len(passed)} passed; {len(failures)} failed; finished in {seconds}s"
    return "\n".join(
        [
            f"running {len(listed)} tests",
            *listed,
            "",
            "failures:",
            "",
            *blocks,
            "failures:",
            *failures,
            "",
            count,
        ]
    )


@pytest.mark.parametrize("tool", [as_pytest, as_jest, as_go, as_cargo])
@settings(max_examples=40, deadline=None)
@given(
    FAILURES,
    PASSED,
    st.randoms(use_true_random=False),
    st.integers(1, 9999),
    st.floats(0, 100).map(lambda s: round(s, 2)),
)
def test_order_lines_durations_and_passed_tests_do_not_count(
    tool, failures, passed, random, line, seconds
) -> None:  # type: ignore[no-untyped-def]
    names = list(failures)
    random.shuffle(names)
    reordered = {name: failures[name] for name in names}
    assert hashed(tool(reordered, passed, line, seconds)) == hashed(tool(failures, [], 3, 0.01))


@pytest.mark.parametrize("tool", [as_pytest, as_jest, as_go, as_cargo])
@settings(max_examples=40, deadline=None)
@given(FAILURES, PASSED, st.integers(1, 9999))
def test_failed_names_and_values_count(tool, failures, passed, line) -> None:  # type: ignore[no-untyped-def]
    name, (got, want) = next(iter(failures.items()))
    reference = hashed(tool(failures, passed, line, 0.5))
    unlike = max(abs(value) for pair in failures.values() for value in pair) + 1
    assert hashed(tool({**failures, name: (unlike, want)}, passed, line, 0.5)) != reference
    assert hashed(tool({**failures, "test_another_one": (got, want)}, passed, line, 0.5)) != reference


LINES = """E   x|FAILED a.py::b - c|● a|✖ a|1) a|2 failing|Traceback (most recent call last):|--- PASS: a|=== RUN a|  at x||    x
a.c:1:2: error: b|error[E1]: a|thread 'a' panicked at b|not ok 1 - a|10:00:00 E   x|\x1b[0m""".replace(
    "\n", "|"
).split("|")


@settings(deadline=None)
@given(st.text() | st.lists(st.sampled_from(LINES)).map("\n".join), st.integers(), st.text())
def test_any_text_has_a_hash_and_a_headline(output: str, exit_code: int, gate: str) -> None:
    assert re.fullmatch("[0-9a-f]{8}", error_hash(output, exit_code, gate))
    line = headline(output)
    assert len(line) <= MAX_HEADLINE
    assert line == " ".join(line.split())


NOISE = """/tmp/a1b2c3d4e5/x.py:3~0x7fffaabb~10:30:00~2026-01-21~(5 ms)~in 3s~pid 7~'~ ~\t~-~a~1~/~{~}~.~:~[50%]~==9==~seed=4
line 9~, ~a.c(3): ~localhost:40000~..~9 passed~T10:00:00~1700000000""".replace("\n", "~").split("~")


@settings(deadline=None)
@given(st.lists(st.sampled_from(NOISE)).map(" ".join))
def test_a_line_without_noise_has_none_to_lose(line: str) -> None:
    assert without_noise(without_noise(line)) == without_noise(line)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "/a",
        "a.",
        "::",
        " ",
        "\t",
        "0",
        "1:",
        "(1",
        "E ",
        "'",
        "\\",
        "{",
        "\r",
        "\x1b[",
        "a::b > ",
        " ... ",
        "| ",
        "___ ",
        "\n",
        "f0",
        "1.1.",
    ],
)
def test_pathological_output_is_hashed_in_bounded_time(unit: str) -> None:
    endless = unit * (5_000_000 // len(unit))
    wide = (unit * (2_000 // len(unit)) + "\n") * 50
    for output in (endless, wide):
        assert hashed(output)
        headline(output)


def test_of_huge_output_the_end_counts() -> None:
    noise = "".join(f"step {n}\n" for n in range(500_000))
    a, b = recorded("pytest", "first"), recorded("pytest", "value")
    assert hashed(noise + a) == hashed(noise + noise + a)
    assert hashed(noise + a) != hashed(noise + b)


# --- headlines


@pytest.mark.parametrize(
    ("tool", "run", "line"),
    [
        ("pytest", "first", "test_rejects_expired_token: assert 200 == 401"),
        ("unittest", "other", "test_total (test_shop.ShopTest.test_total): AssertionError: 2 != 1"),
        ("jest", "first", "session › should reject expired token: Expected: 401, Received: 200"),
        ("jest", "again", 'should compare: - "status": 401,, + "status": 200,'),
        ("vitest", "first", "pay.test.js > should pay: AssertionError: expected [ 200 ] to include 401"),
        ("mocha", "other", "should add up: AssertionError [ERR_ASSERTION]: 2 == 1"),
        ("node", "first", "should reject expired token: 200 !== 401"),
        ("tap", "first", "should reject expired token (shop.test.js:6): expected 401, actual 200"),
        ("go", "first", "TestRejectsExpiredToken: shop_test.go:8: got 200, want 401"),
        (
            "gopanic",
            "first",
            "TestFirst: panic: runtime error: index out of range [7] with length 3 [recovered]",
        ),
        ("cargo", "other", "tests::adds_up: assertion `left == right` failed, left: 2, right: 1"),
        (
            "gcc",
            "first",
            "/tmp/w1/proj/shop.c:1:27: error: ‘token_200’ undeclared (first use in this function)",
        ),
        ("make", "first", "status 200 is wrong"),
    ],
)
def test_the_headline_says_what_failed(tool: str, run: str, line: str) -> None:
    assert headline(recorded(tool, run)) == line


def test_the_headline_of_a_reviewers_words_is_the_first_complaint() -> None:
    assert headline("Reviewed.\nMissing: password reset flow (spec line 24)\nExtra: added --json flag") == (
        "Missing: password reset flow (spec line 24)"
    )


def test_the_headline_of_the_documented_example_names_test_and_values() -> None:
    output = "FAIL src/auth.test.ts\n  ✕ should reject expired token\n    Expected: 401, Received: 200\n"
    assert headline(output).endswith("Expected: 401, Received: 200")


def test_a_long_headline_is_cut() -> None:
    line = headline("E   ValueError: " + "x" * 500)
    assert len(line) == MAX_HEADLINE
    assert line.endswith("…")


TAPE = """TAP version 13
# greets
not ok 1 should be equal
  ---
    operator: equal
    expected: |-
      'hello  world'
    actual: |-
      'hello world'
    at: Test.<anonymous> (/home/me/p/test/greet.js:7:5)
    stack: |-
      Error: should be equal
          at Test.assert
  ...
1..1
"""


def test_a_tap_block_gives_the_test_its_place_and_both_values_with_their_white_space() -> None:
    assert headline(TAPE) == "should be equal (greet.js:7): expected 'hello  world', actual 'hello world'"
    own = TAPE.replace("    operator: equal\n", "    error: 'the greeting is wrong'\n")
    assert headline(own).startswith("should be equal (greet.js:7): the greeting is wrong: expected 'hello  ")


def test_the_place_of_a_test_in_tap_is_no_part_of_its_failure_but_its_values_are() -> None:
    moved = TAPE.replace(":7:5", ":70:5").replace("/home/me/p", "/tmp/other")
    assert error_hash(TAPE, 1, "tests") == error_hash(moved, 1, "tests")
    assert error_hash(TAPE, 1, "tests") != error_hash(TAPE.replace("'hello world'", "'hello'"), 1, "tests")


AT = "  at:\n    line: 3\n    file: test/sum.js\n"


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (f"{AT}  diff: |\n    --- expected\n    +++ actual\n    -4\n    +3\n", "sum (test/sum.js:3): -4, +3"),
        ("  error: '2 subtests failed'\n", "sum: 2 subtests failed"),
        ("  wanted: 4\n  found: 3\n", "sum: expected 4, actual 3"),
    ],
)  # fmt: skip
def test_blocks_of_other_runners_are_read(block: str, shown: str) -> None:
    assert headline(f"not ok 1 - sum\n  ---\n{block}  ...\n") == shown


def test_a_block_that_is_cut_off_leaves_no_marks_of_yaml() -> None:
    assert headline("not ok 1 - sum\n  ---\n  expected: |-\n    'a'\n") == "sum: 'a'"
    assert headline("not ok 1 - later # TODO\n  ---\n  error: 'x'\n  ...\nnot ok 2 - sum\n") == "sum"


def test_white_space_in_quotation_marks_stays() -> None:
    assert headline("AssertionError: 'a  b'  !=   'a b'") == "AssertionError: 'a  b' != 'a b'"
