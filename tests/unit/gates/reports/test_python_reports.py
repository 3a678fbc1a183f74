"""pytest and unittest report their tests by id, however the gate reaches them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from gate_projects import PYTHON, clean_environment, run, run_gate, write

from ralph.gates.reports.runners import read

PROJECT = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "tests/test_calc.py": (
        "import unittest\nfrom calc import add\n\n\n"
        "class TestAdd(unittest.TestCase):\n"
        "    def test_small(self):\n        self.assertEqual(add(1, 2), 3)\n\n"
        "    def test_wrong(self):\n        self.assertEqual(add(1, 2), 4)\n\n"
        "    @unittest.skip('later')\n    def test_later(self):\n        pass\n\n"
        "    @unittest.expectedFailure\n    def test_known(self):\n        self.fail()\n\n"
        "    def test_parts(self):\n"
        "        for n in (1, 2):\n            with self.subTest(n=n):\n                self.assertEqual(n, 1)\n"
    ),
    "tests/__init__.py": "",
}
EXPECTED = {
    "tests/test_calc.py::TestAdd::test_small": "passed",
    "tests/test_calc.py::TestAdd::test_wrong": "failed",
    "tests/test_calc.py::TestAdd::test_later": "skipped",
    "tests/test_calc.py::TestAdd::test_known": "skipped",
    "tests/test_calc.py::TestAdd::test_parts": "failed",
}
RUNNERS = {
    "pytest": f"{PYTHON} -m pytest -q",
    "pytest in parallel": f"{PYTHON} -m pytest -q -n 2",
    "pytest without plugins": f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {PYTHON} -m pytest -q -p no:junitxml -p no:cacheprovider",
    "pytest with a path of its own": f'PYTHONPATH="$PWD" {PYTHON} -m pytest -q',
    "pytest through make": "make -s pytest",
    "unittest": f"{PYTHON} -m unittest -q",
    "unittest through make": "make -s unittest",
    "unittest, a script": f"{PYTHON} run_tests.py",
}
MAKEFILE = f"pytest:\n\t{PYTHON} -m pytest -q\nunittest:\n\t{PYTHON} -m unittest discover\n"
SCRIPT = "import unittest\nunittest.TextTestRunner().run(unittest.defaultTestLoader.discover('.'))\n"


@pytest.mark.parametrize("way", RUNNERS)
def test_tests_are_reported_by_the_same_ids_in_every_way(tmp_path: Path, way: str) -> None:
    root = write(tmp_path / "checkout", {**PROJECT, "Makefile": MAKEFILE, "run_tests.py": SCRIPT})
    ran = run_gate(root, RUNNERS[way])
    assert ran.tests == EXPECTED
    assert ran.report is not None
    assert ran.report.complete
    assert ran.report.runners == (way.partition(" ")[0].strip(","),)
    assert ran.report.details["tests/test_calc.py::TestAdd::test_wrong"].startswith("AssertionError: 3 != 4")


@pytest.mark.parametrize("command", [f"{PYTHON} -m pytest", f"{PYTHON} -m unittest -v"])
def test_what_a_person_sees_stays_the_same(tmp_path: Path, command: str) -> None:
    root = write(tmp_path / "checkout", PROJECT)
    plain = run(command, root, clean_environment())
    asked = run_gate(root, command)
    seconds = re.compile(r"in \d+\.\d+s")
    assert seconds.sub("", asked.output) == seconds.sub("", plain.stdout)
    assert asked.code == plain.returncode


def test_ids_are_the_same_in_another_checkout_and_from_a_folder(tmp_path: Path) -> None:
    files = {
        f"pkg/{name}": text
        for name, text in {
            "pytest.ini": "[pytest]\n",
            "test_p.py": (
                "import os, pytest\n\n\n"
                "@pytest.mark.parametrize('x', [1, os.getcwd(), os.getcwd() + '/a.txt', os.getcwd() + 'long' * 300])\n"
                "def test_x(x):\n    pass\n"
            ),
        }.items()
    }
    first = run_gate(write(tmp_path / "first", files), f"{PYTHON} -m pytest -q", folder="pkg")
    second = run_gate(write(tmp_path / "second checkout", files), f"{PYTHON} -m pytest -q", folder="pkg")
    assert first.tests == second.tests
    assert [name for name in first.tests if len(name) < 100] == [
        "pkg/test_p.py::test_x[1]",
        "pkg/test_p.py::test_x[pkg]",
        "pkg/test_p.py::test_x[pkg/a.txt]",
    ]
    assert len(first.tests) == 4


EARLY = {
    "os._exit in a test": ({"test_b.py": "import os\n\n\ndef test_b():\n    os._exit(0)\n"}, "pytest"),
    "os._exit on import": ({"test_b.py": "import os\nos._exit(0)\n"}, "pytest"),
    "sys.exit in conftest": ({"conftest.py": "import sys\nsys.exit(0)\n"}, "pytest"),
    "os._exit in conftest": ({"conftest.py": "import os\nos._exit(0)\n"}, "pytest"),
    "pytest.exit": (
        {"test_b.py": "import pytest\n\n\ndef test_b():\n    pytest.exit('done', returncode=0)\n"},
        "pytest",
    ),
    "os._exit on import, unittest": ({"test_b.py": "import os\nos._exit(0)\n"}, "unittest"),
    "sys.exit on import, unittest": ({"test_b.py": "import sys\nsys.exit(0)\n"}, "unittest test_b test_a"),
    "os._exit in a test, unittest": (
        {
            "test_b.py": "import os, unittest\n\n\nclass B(unittest.TestCase):\n    def test_b(self):\n        os._exit(0)\n"
        },
        "unittest",
    ),
}


@pytest.mark.parametrize("case", EARLY)
def test_an_early_exit_leaves_the_report_incomplete(tmp_path: Path, case: str) -> None:
    files, runner = EARLY[case]
    others = {
        "test_a.py": "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n"
    }
    ran = run_gate(write(tmp_path / "checkout", {**others, **files}), f"{PYTHON} -m {runner}")
    assert ran.code == 0, ran.output
    assert ran.report is not None
    assert not ran.report.complete


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_a_file_that_cannot_be_loaded_is_named_with_its_reason(tmp_path: Path, runner: str) -> None:
    root = write(
        tmp_path / "checkout",
        {
            "tests/__init__.py": "",
            "tests/test_a.py": "import unittest\nfrom calc import gone\n",
            "tests/test_b.py": (
                "import unittest\n\n\nclass B(unittest.TestCase):\n    def test_b(self):\n        self.fail('no')\n"
                "    def test_c(self):\n        pass\n"
            ),
            "calc.py": "",
        },
    )
    stop = " -x" if runner == "pytest" else " -f"
    ran = run_gate(root, f"{PYTHON} -m {runner}{stop}", keep_going=True)
    assert ran.report is not None
    assert ran.tests == {
        "tests/test_b.py::B::test_b": "failed",
        "tests/test_b.py::B::test_c": "passed",
    }
    assert ran.report.details["tests/test_a.py"].startswith(
        "ImportError: cannot import name 'gone' from 'calc'"
    )
    assert "tests/test_a.py: ImportError" in ran.report.trouble
    assert ran.report.complete


def test_the_outcomes_of_pytest_are_told_apart(tmp_path: Path) -> None:
    root = write(
        tmp_path / "checkout",
        {
            "test_a.py": (
                "import pytest\n\n\n"
                "@pytest.fixture\ndef broken():\n    raise ValueError('no')\n\n\n"
                "@pytest.fixture\ndef untidy():\n    yield\n    raise ValueError('late')\n\n\n"
                "def test_setup(broken):\n    pass\n\n\n"
                "def test_teardown(untidy):\n    pass\n\n\n"
                "@pytest.mark.xfail\ndef test_xfail():\n    assert False\n\n\n"
                "@pytest.mark.xfail(strict=True)\ndef test_xpass():\n    pass\n\n\n"
                "def test_skip():\n    pytest.skip('no')\n\n\n"
                "def test_name():\n    gone()\n\n\n"
                "def test_assert():\n    assert 1 == 2\n"
            )
        },
    )
    ran = run_gate(root, f"{PYTHON} -m pytest")
    assert ran.report is not None
    assert {name.partition("::test_")[2]: outcome for name, outcome in ran.tests.items()} == {
        "setup": "failed",
        "teardown": "failed",
        "xfail": "skipped",
        "xpass": "failed",
        "skip": "skipped",
        "name": "failed",
        "assert": "failed",
    }
    details = {name.partition("::test_")[2]: said for name, said in ran.report.details.items()}
    assert details["name"] == "NameError: name 'gone' is not defined"
    assert details["assert"] == "AssertionError: assert 1 == 2"
    assert details["setup"] == "ValueError: no"


def test_tests_see_the_users_environment_and_runs_inside_of_tests_report_nothing(tmp_path: Path) -> None:
    root = write(
        tmp_path / "checkout",
        {
            "inner/test_in.py": "def test_in():\n    pass\n",
            "test_out.py": (
                "import os, subprocess, sys\n\n\n"
                "def test_out():\n"
                "    assert not [name for name in os.environ if name.startswith('RALPH_')]\n"
                "    assert os.environ['PYTHONPATH'] == '/nowhere'\n"
                "    assert not [path for path in sys.path if 'hooks' in path]\n"
                "    subprocess.run([sys.executable, '-m', 'pytest', 'inner'], check=True)\n\n\n"
                "def test_pytester(pytester):\n"
                "    pytester.makepyfile('def test_in(): pass')\n"
                "    pytester.runpytest().assert_outcomes(passed=1)\n"
            ),
            "conftest.py": "pytest_plugins = ['pytester']\n",
        },
    )
    ran = run_gate(root, f"{PYTHON} -m pytest test_out.py", env={"PYTHONPATH": "/nowhere"})
    assert ran.tests == {"test_out.py::test_out": "passed", "test_out.py::test_pytester": "passed"}, (
        ran.output
    )


def test_tests_see_the_variables_that_the_command_sets(tmp_path: Path) -> None:
    root = write(
        tmp_path / "checkout",
        {
            "src/calc.py": "",
            "test_out.py": (
                "import os, subprocess, sys\n\n\n"
                "def test_out():\n"
                "    assert os.environ['PYTHONPATH'] == 'src'\n"
                "    subprocess.run([sys.executable, '-c', 'import calc'], check=True)\n"
            ),
        },
    )
    for env in ({}, {"PYTHONPATH": "/nowhere"}):
        ran = run_gate(root, f"PYTHONPATH=src {PYTHON} -m pytest test_out.py", env=env)
        assert ran.tests == {"test_out.py::test_out": "passed"}, ran.output


def test_a_sitecustomize_that_was_there_is_loaded_too(tmp_path: Path) -> None:
    root = write(
        tmp_path / "checkout",
        {
            "theirs/sitecustomize.py": "import os, sys\nos.environ['THEIRS'] = __file__\nsys.path.insert(0, '/added')\n",
            "test_a.py": (
                "import os, sys, sitecustomize\n\n\n"
                "def test_a():\n"
                "    assert os.environ['THEIRS'].endswith('theirs/sitecustomize.py')\n"
                "    assert sitecustomize.__file__ == os.environ['THEIRS'] and '/added' in sys.path\n"
            ),
        },
    )
    ran = run_gate(root, f"{PYTHON} -m pytest", env={"PYTHONPATH": str(root / "theirs")})
    assert ran.tests == {"test_a.py::test_a": "passed"}, ran.output


def test_several_runs_of_one_gate_add_up_and_a_failure_stays(tmp_path: Path) -> None:
    test = (
        "import os, unittest\n\n\nclass A(unittest.TestCase):\n"
        "    def test_a(self):\n        assert os.environ['TURN'] != '1'\n\n"
        "    @unittest.skipIf(os.environ['TURN'] == '2', 'not now')\n    def test_b(self):\n        pass\n"
    )
    root = write(tmp_path / "checkout", {"test_a.py": test, "other/test_c.py": test})
    ran = run_gate(
        root,
        f"TURN=1 {PYTHON} -m pytest test_a.py; TURN=2 {PYTHON} -m pytest test_a.py; cd other; TURN=3 {PYTHON} -m unittest",
    )
    assert ran.tests == {
        "test_a.py::A::test_a": "failed",
        "test_a.py::A::test_b": "passed",
        "other/test_c.py::A::test_a": "passed",
        "other/test_c.py::A::test_b": "passed",
    }
    assert ran.report is not None
    assert ran.report.runners == ("pytest", "unittest")


def test_a_gate_without_a_runner_that_we_know_is_not_checked(tmp_path: Path) -> None:
    root = write(tmp_path / "checkout", {"check.py": "import unittest.mock\nprint('fine')\n"})
    ran = run_gate(root, f"{PYTHON} check.py")
    assert (ran.code, ran.report, ran.output) == (0, None, "fine\n")


def test_a_message_that_is_not_valid_unicode_ends_no_report(tmp_path: Path) -> None:
    tests = "def test_a():\n    assert '\\udcff' == 'a'\n\n\ndef test_b():\n    pass\n"
    root = write(tmp_path / "checkout", {"test_a.py": tests})
    ran = run_gate(root, f"{PYTHON} -m pytest")
    assert ran.tests == {"test_a.py::test_a": "failed", "test_a.py::test_b": "passed"}
    assert ran.report is not None
    assert ran.report.complete


def test_records_that_are_no_files_or_torn_are_not_believed(tmp_path: Path) -> None:
    records = tmp_path / "records"
    records.mkdir()
    os.mkfifo(records / "pytest-1.jsonl")
    (records / "pytest-2.jsonl").symlink_to("/dev/zero")
    (records / "pytest-3.jsonl").write_text('{"event":"begin","runner":"pytest"}\n{"event":"te')
    report = read(tmp_path, root=tmp_path, output="")
    assert report is not None
    assert (report.complete, report.tests) == (False, {})
