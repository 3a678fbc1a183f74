"""The commands of the Makefile run what they say: tests/tiers.py, no_processes.py, left_out.py and the sample of `make chaos`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import crash
import pytest
from crash import Seam
from hypothesis import given, settings
from hypothesis import strategies as st

import examples
import left_out
import tiers

ROOT = Path(__file__).parents[2]
ACCEPTANCE = ROOT / "tests/acceptance"


def run_pytest(*arguments: str, cwd: Path = ROOT, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=cwd,
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=250,
    )
    return done.stdout + done.stderr


def expression(target: str) -> str:
    """What the Makefile gives pytest as -m."""
    recipe = (ROOT / "Makefile").read_text().partition(f"\n{target}:")[2].partition("\n\n")[0]
    found = re.search(r"-m (?:\"([^\"]+)\"|(\w+))", recipe)
    assert found, recipe
    return found[1] or found[2]


@pytest.fixture(scope="module")
def tier() -> set[tuple[str, str]]:
    """File and function of each acceptance test that is in `make test`."""
    said = run_pytest("--collect-only", "-m", expression("test"), str(ACCEPTANCE))
    return {(Path(path).name, name) for path, name in re.findall(r"^(\S+\.py)::(\w+)", said, re.MULTILINE)}


def test_every_acceptance_file_is_in_make_test(tier: set[tuple[str, str]]) -> None:
    files = {path.name for path in ACCEPTANCE.rglob("test_*.py") if "newcomer" not in path.parts}
    assert files <= {file for file, _ in tier}
    assert len(tier) < 250, "it has six minutes"


@pytest.mark.parametrize("promise", range(1, 9))
def test_every_promise_is_in_make_test(tier: set[tuple[str, str]], promise: int) -> None:
    tests = {(file, name) for file, names in tiers.PROMISES[promise].items() for name in names}
    assert tests and tests <= tier, tests - tier


def test_what_the_tables_name_is_there() -> None:
    files = {path.name: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
    assert files.keys() >= tiers.FULL_UNIT
    unit = "".join(path.read_text() for path in (ROOT / "tests/unit").rglob("test_*.py"))
    assert [name for name in tiers.LONG_UNIT if f"def {name}(" not in unit] == []
    assert all(f"def {name}(" in files[file] for file, name in tiers.CASES)
    assert all(f"def {name}(" in files["test_fleet_simulation.py"] for name in tiers.FULL_SIMULATION)


def test_what_the_commands_run_is_everything() -> None:
    assert expression("test-full") == "full"
    assert expression("test") == "not full and not slow and not agents"
    assert set(re.findall(r"not (\w+)", expression("test"))) == set(tiers.REST)
    assert expression("chaos").startswith("slow or ")
    assert expression("check") == "not full and not slow and not long"
    for command in tiers.REST.values():
        assert f"\n{command.removeprefix('make ')}: " in (ROOT / "Makefile").read_text()


def test_tests_that_start_a_process_are_left_out_whatever_they_make_of_the_refusal(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        """\
import subprocess, threading, pytest

@pytest.fixture(scope="module")
def started(): return subprocess.run(["true"])
def test_pure(): pass
def test_wrong(): assert False
def test_plain(): subprocess.run(["true"])
def test_caught():
    try: subprocess.run(["true"])
    except BaseException: pass
    assert False
def test_thread():
    thread = threading.Thread(target=lambda: subprocess.run(["true"]))
    thread.start()
    thread.join()
def test_fixture(started): pass
def test_fixture_again(started): pass
"""
    )
    said = run_pytest(
        *("-p", "conftest", "--no-processes", "-q", "-W", "ignore", "test_some.py"),
        cwd=tmp_path,
        PYTHONPATH=str(ROOT / "tests"),
    )
    assert "1 failed, 1 passed, 5 skipped" in said, said
    assert said.splitlines()[-1].startswith("Not run: 5 that start a process (make test).")


def test_the_last_line_says_what_was_left_out_and_how_to_run_it() -> None:
    line = left_out.summary(Counter(full=3, slow=2, other=9), ["needs zsh", "Skipped: starts a process"])
    assert line.startswith(
        "Not run: 1 that start a process (make test), 3 full (make test-full), 2 slow (make chaos), 1 that"
    )
    assert left_out.summary(Counter(other=9), []) == ""


@pytest.mark.parametrize(("profile", "expected"), [("check", 6), ("ralph", 60), ("chaos", 300)])
def test_a_profile_says_how_many_examples_a_property_tries(profile: str, expected: int) -> None:
    tried = []

    @settings(max_examples=60, database=None)
    @given(st.integers())
    def prop(number: int) -> None:
        tried.append(number)

    examples.scale(prop, profile)
    prop()
    assert len(tried) == expected


def test_in_make_check_the_cases_of_a_property_share_the_examples() -> None:
    tried = []

    @settings(max_examples=60, database=None)
    @given(st.integers())
    def prop(number: int) -> None:
        tried.append(number)

    examples.scale(prop, "check", cases=100)
    prop()
    assert len(tried) == 2


def test_the_sample_of_chaos_has_every_kind_in_one_part_and_depends_on_the_seed_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seams = [
        Seam(f"{name}.{when}#{n}", False) for name in "abcdefgh" for when in ("x", "y") for n in range(1, 21)
    ]

    def taken(seams: list[Seam]) -> list[Seam]:
        return [seam for part in range(5) for seam in crash.sample(seams, part, 5)]

    monkeypatch.setattr(crash, "ALL", False)
    some = taken(seams)
    assert len(some) == len(set(some)) and len(seams) / 5 < len(some) < len(seams) / 2
    assert {seam.kind for seam in some} == {seam.kind for seam in seams}
    assert taken(seams) == some
    monkeypatch.setattr("seed.SEED", "another")
    assert taken(seams) != some
    monkeypatch.setattr(crash, "ALL", True)
    assert sorted(taken(seams)) == sorted(seams)
