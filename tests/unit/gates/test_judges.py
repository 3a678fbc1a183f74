"""Which files judge the work, and which of them a change touched."""

from __future__ import annotations

import pytest

from ralph.core.globs import matches
from ralph.gates.judges import gate_inputs, touched_inputs
from ralph.git.trees import Change


def inputs(
    paths: list[str], command: str = "true", extra: list[str] | None = None, folder: str = ""
) -> set[str]:
    return gate_inputs(paths, command, extra or (), folder=folder, root="/home/u/project")


def touched(
    base: list[str], changes: dict[str, str], command: str = "true", extra: list[str] | None = None
) -> list[str]:
    listed = [Change(path, status) for path, status in changes.items()]  # type: ignore[arg-type]
    return touched_inputs(base, listed, command, extra or ())


@pytest.mark.parametrize(
    "command",
    [
        "sh check.sh",
        "./check.sh",
        "bash -c 'set -e; sh ./check.sh --fast'",
        'sh "check.sh"',
        "FLAGS=-x sh ./check.sh && echo done",
        "sh < check.sh",
        "cat check.sh|sh",
        "(sh check.sh)",
        "run --script=check.sh",
        "run --script=./dir/../check.sh",
        'sh -c "$(cat check.sh)"',
        "timeout 5 /home/u/project/check.sh",
        "sh check.s?",
        "sh *.sh",
        "docker run -v ./check.sh:/check x",
        "sh check.sh 'open quote",
    ],
)
def test_file_named_in_the_command_is_an_input(command: str) -> None:
    assert inputs(["check.sh", "main.c", "lib/check.sh.bak"], command) == {"check.sh"}


def test_names_count_from_the_folder_of_the_run_and_from_folders_the_command_enters() -> None:
    paths = ["check.sh", "web/check.sh", "web/sub/check.sh"]
    assert inputs(paths, "sh check.sh") == {"check.sh"}
    assert inputs(paths, "sh check.sh", folder="web") == {"web/check.sh"}
    assert inputs(paths, "sh ../check.sh", folder="web") == {"check.sh"}
    assert "web/check.sh" in inputs(paths, "cd web && sh check.sh")
    assert inputs(paths, "sh ../../check.sh", folder="web") == set()


def test_file_name_with_spaces() -> None:
    assert inputs(["my check.sh", "my", "x"], "sh 'my check.sh'") >= {"my check.sh"}


def test_node_id_names_its_file() -> None:
    assert "qa/run.py" in inputs(["qa/run.py"], "pytest qa/run.py::TestX::test_y")


def test_python_module_names_its_file() -> None:
    paths = ["verify/run.py", "verify/__main__.py", "verify/other.py"]
    assert inputs(paths, "python -m verify.run") == {"verify/run.py"}
    assert inputs(paths, "python3.12 -W error -m verify") >= {"verify/__main__.py"}


def test_folder_of_checks_brings_its_files_and_a_folder_of_sources_does_not() -> None:
    paths = ["checks/a", "checks/deep/b", "src/main.py", "src/deep/x.py"]
    assert inputs(paths, "bats checks/") == {"checks/a", "checks/deep/b"}
    assert inputs(paths, "ruff check src && mypy src/") == set()


CONFIGURATION = [
    "pytest.ini",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "conftest.py",
    "noxfile.py",
    "package.json",
    "jest.config.mjs",
    "vitest.config.ts",
    ".mocharc.yml",
    "karma.conf.js",
    "playwright.config.ts",
    "tsconfig.json",
    "tsconfig.build.json",
    "babel.config.js",
    ".babelrc",
    "Cargo.toml",
    ".cargo/config.toml",
    "go.mod",
    "Makefile",
    "GNUmakefile",
    "rules.mk",
    "justfile",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "pom.xml",
    "App.csproj",
    ".rspec",
    "Rakefile",
    "phpunit.xml",
    "phpunit.xml.dist",
    "CMakeLists.txt",
]
TESTS = [
    "test_a.py",
    "a_test.py",
    "tests/data.json",
    "test/x.c",
    "spec/x.rb",
    "__tests__/x.js",
    "a.test.ts",
    "a.spec.jsx",
    "a_test.go",
    "a_spec.rb",
    "ATest.java",
    "ATests.cs",
    "a_test.exs",
    "tests/conftest.txt",
    "__snapshots__/a.snap",
]
NEITHER = [
    "main.py",
    "src/app.ts",
    "latest.py",
    "contest.py",
    "testament.md",
    "README.md",
    "attest/x.py",
    "mypackage.json",
    "go.sum",
    "src/testing.py",
    "Makefile.txt",
]


@pytest.mark.parametrize("path", [*CONFIGURATION, *TESTS])
def test_runner_configuration_and_tests_are_inputs_at_any_depth(path: str) -> None:
    assert inputs([path, f"packages/web/{path}"]) == {path, f"packages/web/{path}"}


@pytest.mark.parametrize("path", NEITHER)
def test_other_files_are_not_inputs(path: str) -> None:
    assert inputs([path, f"packages/web/{path}"]) == set()


def test_extra_globs_are_inputs() -> None:
    assert inputs(["a/x.json", "a/b/x.json", "y"], extra=["a/**"]) == {"a/x.json", "a/b/x.json"}


def test_modified_deleted_and_retyped_inputs_are_touched() -> None:
    base = ["tests/test_a.py", "tests/test_b.py", "t.sh", "main.py"]
    changes = {"tests/test_a.py": "M", "tests/test_b.py": "D", "t.sh": "T", "main.py": "M"}
    assert touched(base, changes, "sh t.sh") == ["t.sh", "tests/test_a.py", "tests/test_b.py"]


def test_new_tests_are_welcome() -> None:
    changes = {"tests/test_new.py": "A", "tests/data/new.json": "A", "src/new.test.ts": "A", "main.py": "A"}
    assert touched(["tests/test_a.py"], changes, "pytest tests") == []


def test_added_runner_configuration_is_touched() -> None:
    changes = {"conftest.py": "A", "src/pytest.ini": "A", "new.py": "A"}
    assert touched(["main.py"], changes) == ["conftest.py", "src/pytest.ini"]


def test_added_file_that_the_gate_runs_is_touched() -> None:
    assert touched(["main.py"], {"t.sh": "A"}, "sh t.sh") == ["t.sh"]
    assert touched(["main.py"], {"pytest.py": "A"}, "python -m pytest") == ["pytest.py"]  # hides the real one
    assert touched(["main.py"], {"checks/new": "A"}, "sh all.sh", ["checks/**"]) == ["checks/new"]
    assert touched(["checks/old"], {"checks/new": "A"}, "run-parts checks") == ["checks/new"]


def test_renamed_test_is_touched() -> None:
    assert touched(["tests/test_a.py"], {"tests/test_a.py": "D", "tests/test_b.py": "A"}) == [
        "tests/test_a.py"
    ]


def test_nothing_touched() -> None:
    assert touched(["tests/test_a.py", "main.py"], {"main.py": "M"}, "pytest") == []
    assert touched([], {}, "") == []


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "py"]),
        ("docs", ["docs", "docs/a", "x/docs/a"], ["docs2", "mydocs"]),
        ("docs/", ["docs/a/b"], ["adocs/a"]),
        ("/docs", ["docs/a"], ["x/docs/a"]),
        ("./docs", ["docs/a"], ["x/docs"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "y/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py"]),
        ("**", ["a", "a/b", "a\nb"], []),
        ("**/x", ["x", "a/b/x", "x/y"], ["ax"]),
        ("a?c", ["abc"], ["ac", "a/c"]),
        ("[ab].txt", ["a.txt", "b.txt"], ["c.txt", "[ab].txt"]),
        ("[!ab].txt", ["c.txt"], ["a.txt"]),
        ("[a-c^]x", ["bx", "^x"], ["dx"]),
        ("a[", ["a["], ["a"]),
        ("a.b+(c)", ["a.b+(c)"], ["aXb+(c)"]),
    ],
)
def test_patterns(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not matches(path, [pattern])] == []
    assert [path for path in no if matches(path, [pattern])] == []
    assert not matches("a", [])
