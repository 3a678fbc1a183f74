"""What is added to a gate's run, and what is done when that breaks it."""

from __future__ import annotations

from pathlib import Path

import pytest
from gate_projects import PYTHON, clean_environment, run, run_gate, write

from ralph.gates.reports.additions import Addition, extend
from ralph.gates.reports.runners import broke, broken, instrument, read

COMMANDS = {
    "PYTHONPATH=src pytest": 'PYTHONPATH="${RALPH_GATE_PYTHONPATH}:"src pytest',
    "PYTHONPATH= pytest": 'PYTHONPATH="${RALPH_GATE_PYTHONPATH}" pytest',
    "export PYTHONPATH='a b'; pytest": "export PYTHONPATH=\"${RALPH_GATE_PYTHONPATH}:\"'a b'; pytest",
    "sh -c 'PYTHONPATH=a pytest'": "sh -c 'PYTHONPATH=\"${RALPH_GATE_PYTHONPATH}:\"a pytest'",
    'sh -c "PYTHONPATH=a pytest"': 'sh -c "PYTHONPATH=a pytest"',
    "echo MY_PYTHONPATH=a --PYTHONPATH=b": "echo MY_PYTHONPATH=a --PYTHONPATH=b",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_variable_that_the_command_sets_is_extended(command: str) -> None:
    assert extend(command, {"PYTHONPATH": Addition("/hooks", ":")}) == COMMANDS[command]


def test_the_runners_that_a_command_uses_are_named_through_scripts(tmp_path: Path) -> None:
    root = write(
        tmp_path / "checkout",
        {
            "Makefile": "test:\n\tpytest\n\tnpm test\n",
            "package.json": '{"scripts": {"test": "npm run all", "all": "jest && go test ./...", "x": "vitest"}}',
        },
    )

    def named(command: str) -> tuple[str, ...]:
        return instrument(command, checkout=root, folder="", reports=tmp_path / "r", env={}).runners

    assert named("make test") == ("pytest", "jest", "go")
    assert named("npm t") == ("jest", "go")
    assert named("npm run x") == ("vitest",)
    assert named("cargo test") == ("cargo",)
    assert named("ruff check") == ()


def test_where_a_makefile_sets_the_path_pytest_writes_xml(tmp_path: Path) -> None:
    tests = (
        "import pytest\nfrom calc import add\n\n\nclass TestA:\n    class TestB:\n"
        "        @pytest.mark.parametrize('x', ['a.b', 1])\n        def test_x(self, x):\n            pass\n\n\n"
        "def test_name():\n    gone()\n\n\ndef test_assert():\n    assert add(1, 1) == 3\n\n\n"
        "def test_skip():\n    pytest.skip('no')\n"
    )
    root = write(
        tmp_path / "checkout",
        {
            "pkg/Makefile": f".PHONY: test\ntest:\n\tPYTHONPATH=src {PYTHON} -m pytest -q\n",
            "pkg/src/calc.py": "def add(a, b):\n    return a + b\n",
            "pkg/tests/test_a.py": tests,
            "pkg/pytest.ini": "[pytest]\n",
        },
    )
    ran = run_gate(root, "make test", folder="pkg", env={"PYTEST_ADDOPTS": "-p no:cacheprovider"})
    path = "pkg/tests/test_a.py"
    assert ran.tests == {
        f"{path}::TestA::TestB::test_x[a.b]": "passed",
        f"{path}::TestA::TestB::test_x[1]": "passed",
        f"{path}::test_name": "failed",
        f"{path}::test_assert": "failed",
        f"{path}::test_skip": "skipped",
    }, ran.output
    assert ran.report is not None
    assert ran.report.runners == ("pytest",)
    assert ran.report.details[f"{path}::test_name"] == "NameError: name 'gone' is not defined"
    assert ran.report.details[f"{path}::test_assert"].startswith("AssertionError: assert 2 == 3")
    write(root, {"pkg/tests/test_b.py": "from calc import lost\n"})
    report = run_gate(root, "make test", folder="pkg").report
    assert report is not None
    assert report.details["pkg/tests/test_b.py"].startswith("ImportError: cannot import name 'lost'")


def test_xml_that_pytest_does_not_write_is_not_believed(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "a">]><testsuites><testcase classname="a" name="&a;"/></testsuites>'
    (tmp_path / "in .xml").write_text(bomb)
    report = read(tmp_path, root=tmp_path, output="")
    assert report is not None
    assert (report.complete, report.tests) == (False, {})


def test_a_run_that_our_options_break_is_seen_and_works_without_them(tmp_path: Path) -> None:
    """As an older Node would, this one refuses our options."""
    root = write(tmp_path / "checkout", {"test_a.py": "def test_a():\n    pass\n", "bin/node": OLD_NODE})
    (root / "bin/node").chmod(0o755)
    command = f'PATH="$PWD/bin:$PATH"; node check.js && {PYTHON} -m pytest'
    first = run_gate(root, command)
    assert first.code == 9
    assert broke(first.output)
    assert broken(first.output) == ("javascript",)
    base = clean_environment()
    again = instrument(
        command, checkout=root, folder="", reports=tmp_path / "again", env=base, without=broken(first.output)
    )
    done = run(again.command, root, {**base, **again.env})
    assert done.returncode == 0, done.stdout
    report = read(tmp_path / "again", root=root, output=done.stdout)
    assert report is not None
    assert report.tests == {"test_a.py::test_a": "passed"}
    assert again.note == "not asked for test reports, because that broke the run: javascript"


OLD_NODE = """#!/bin/sh
case "$NODE_OPTIONS" in
*--test-reporter*) echo "node: --test-reporter= is not allowed in NODE_OPTIONS" >&2; exit 9;;
esac
"""


def test_an_ordinary_failure_is_not_taken_for_ours(tmp_path: Path) -> None:
    root = write(tmp_path / "checkout", {"test_a.py": "def test_a():\n    gone()\n"})
    ran = run_gate(
        root, f"{PYTHON} -m pytest --no-such-option; {PYTHON} -m pytest; {PYTHON} -m unittest nothing"
    )
    assert ran.code != 0
    assert not broke(ran.output), ran.output


@pytest.mark.parametrize("command", [f"{PYTHON} -m pytest", f"{PYTHON} -m unittest", "node --test"])
def test_where_no_report_can_be_written_the_tests_run_as_without_us(tmp_path: Path, command: str) -> None:
    files = {
        "test_a.py": "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n",
        "a.test.js": "require('node:test').test('a', () => {});\n",
    }
    root, base = write(tmp_path / "checkout", files), clean_environment()
    asked = instrument(command, checkout=root, folder="", reports=tmp_path / "reports", env=base)
    (tmp_path / "reports/records").rmdir()
    done = run(asked.command, root, {**base, **asked.env})
    assert done.returncode == 0, done.stdout
    assert read(tmp_path / "reports", root=root, output=done.stdout) is None


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_our_code_is_not_measured_with_the_users(tmp_path: Path, runner: str) -> None:
    """A trace function sees the files of all code that runs, as a measurement of coverage does."""
    root = write(
        tmp_path / "checkout",
        {
            "trace_all.py": (
                "import atexit, runpy, sys\n\nfiles = set()\n\n\n"
                "def trace(frame, event, arg):\n    files.add(frame.f_code.co_filename)\n\n\n"
                "atexit.register(lambda: print(*sorted(files), sep='\\n'))\nsys.settrace(trace)\n"
                f"sys.argv = ['{runner}']\nrunpy.run_module('{runner}', run_name='__main__')\n"
            ),
            "test_a.py": "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n",
        },
    )
    ran = run_gate(root, f"{PYTHON} trace_all.py")
    assert ran.tests == {"test_a.py::A::test_a": "passed"}, ran.output
    seen = ran.output.splitlines()
    assert str(root / "test_a.py") in seen
    assert [file for file in seen if "ralph" in file and file.startswith("<")]
    assert not [file for file in seen if "/hooks/" in file]
