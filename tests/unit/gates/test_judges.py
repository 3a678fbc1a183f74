"""Which files judge the work, and which of them a change touched."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from ralph.core.globs import matches
from ralph.core.policy import GatePolicy
from ralph.gates.integrity.changed_judges import Judges, Touched, judged_content, links_out, new_tests
from ralph.gates.integrity.references import Side
from ralph.gates.integrity.suppressions import new_suppressions
from ralph.git.trees import Change

Files = Mapping[str, str]


def side(files: Files) -> Side:
    def grep(words: Collection[str]) -> set[str]:
        return {path for path, text in files.items() if any(word in text for word in words)}

    return Side(frozenset(files), lambda paths: {p: files[p].encode() for p in paths if p in files}, grep)


def changes(before: Files, after: Files) -> list[Change]:
    gone = [Change(path, "D") for path in before if path not in after]
    new = [Change(path, "A") for path in after if path not in before]
    return gone + new + [Change(p, "M") for p in before if p in after and before[p] != after[p]]


def found(
    before: Files, after: Files, command: str = "true", judges: Collection[str] = (), folder: str = ""
) -> dict[str, str]:
    """path -> how it is touched"""
    gate = GatePolicy(name="x", run=command, judges=tuple(judges))
    rules = Judges(gate, side(before), folder=folder, root="/home/u/project")
    return {one.path: one.how for one in rules.touched(side(after), changes(before, after))}


def touched(before: Files, after: Files, command: str = "true", judges: Collection[str] = ()) -> list[str]:
    """`after`: what differs, "" for deleted"""
    whole = {path: text for path, text in {**before, **after}.items() if text}
    return sorted(found(before, whole, command, judges))


def inputs(
    paths: list[str], command: str = "true", extra: Collection[str] = (), folder: str = ""
) -> set[str]:
    """Those that would be touched if they all were changed."""
    before, after = dict.fromkeys(paths, "old\n"), dict.fromkeys(paths, "new\n")
    return set(found(before, after, command, extra, folder))


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
    "test-paths.js",
    "a-test.mjs",
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


def test_globs_of_the_gate_are_inputs_and_with_a_mark_they_are_not() -> None:
    assert inputs(["a/x.json", "a/b/x.json", "y"], extra=["a/**"]) == {"a/x.json", "a/b/x.json"}
    assert inputs(["a/x.json", "tests/y.py", "tests/out/z.txt"], extra=["!tests/out/**"]) == {"tests/y.py"}


def test_modified_deleted_and_retyped_inputs_are_touched() -> None:
    base = dict.fromkeys(["tests/test_a.py", "tests/test_b.py", "t.sh", "main.py"], "x")
    after = {"tests/test_a.py": "y", "tests/test_b.py": "", "t.sh": "y", "main.py": "y"}
    assert touched(base, after, "sh t.sh") == ["t.sh", "tests/test_a.py", "tests/test_b.py"]


def test_new_tests_are_welcome() -> None:
    new = dict.fromkeys(["tests/test_new.py", "tests/data/new.json", "src/new.test.ts", "main.py"], "x")
    before = {"tests/test_a.py": "x"}
    assert touched(before, new, "pytest tests") == []
    assert new_tests(changes(before, before | new)) == ["src/new.test.ts", "tests/test_new.py"]


def test_nothing_touched() -> None:
    assert touched({"tests/test_a.py": "x", "main.py": "x"}, {"main.py": "y"}, "pytest") == []
    assert touched({}, {}, "") == []


# -- the exit code is the verdict

SCRIPT = "print('x')\n"


@pytest.mark.parametrize(
    ("command", "judges"),
    [
        ("python3 check.py", True),
        ("python3 tools/report.py", True),
        ("./check.py && true", True),
        ("python3 main.py", False),
        ("python3 check.py | grep -q hello", False),
        ("python3 check.py > out; diff out expected.txt", False),
        ('test "$(python3 check.py)" = hello', False),
        ("diff <(python3 check.py) expected.txt", False),
        ("mypy check.py", False),
        ("ruff check check.py tools", False),
        ("pytest --doctest-modules main.py", False),
        ("python3 check.py | tee log", True),
    ],
)
def test_a_script_judges_by_its_exit_code_not_by_what_it_prints(command: str, judges: bool) -> None:
    before = dict.fromkeys(["check.py", "main.py", "tools/report.py"], SCRIPT)
    after = dict.fromkeys(before, SCRIPT * 2)
    assert bool(found(before, after, command)) == judges


def test_what_a_gate_is_to_bring_about_may_be_new() -> None:
    assert touched({"a": "x"}, {"hello.py": SCRIPT}, "python3 hello.py | grep -q hello") == []
    assert touched({"a": "x"}, {"answer": "42"}, "grep -q 42 answer") == []
    assert touched({"a": "x"}, {"check.py": SCRIPT}, "python3 check.py") == ["check.py"]


def test_a_script_that_asserts_is_a_judge_whatever_its_name() -> None:
    before = {"main.py": "import unittest\n", "other.py": SCRIPT}
    assert touched(before, {"main.py": "x", "other.py": "y"}, "python3 main.py && python3 other.py") == [
        "main.py"
    ]


def test_undecided_scripts_are_named() -> None:
    start = side({"main.py": SCRIPT, "check.py": SCRIPT, "build.py": SCRIPT})
    gate = GatePolicy(
        name="x", run="python3 build.py && python3 main.py && python3 check.py", judges=("build.py",)
    )
    assert Judges(gate, start).undecided() == ["main.py"]


def test_expected_output_is_a_judge_and_what_the_command_writes_is_not() -> None:
    before = {"expected.txt": "a", "out": "a", "app.py": SCRIPT}
    after = {"expected.txt": "b", "out": "b", "app.py": "y"}
    assert touched(before, after, "python3 app.py > out; diff out expected.txt") == ["expected.txt"]


# -- what the judges of the start use


def test_data_that_tests_open_is_a_judge_unless_production_reads_it_too() -> None:
    tests = {
        "tests/test_a.py": "rows = open('rows.csv')\nopen('shared.json')\n",
        "app.py": "open('shared.json')\n",
    }
    before = tests | {"rows.csv": "1", "shared.json": "1", "other.csv": "1", "README.md": "rows"}
    after = {"rows.csv": "2", "shared.json": "2", "other.csv": "2", "README.md": "x"}
    assert touched(before, after, "pytest") == ["rows.csv"]


def test_documents_and_lists_of_dependencies_are_work() -> None:
    before = {
        "tests/test_a.py": "found = expand(os.path.join('docs', 'conf.py'))\nopen('docs/expected.rst')\nopen('docs/rows.csv')\n",
        "tox.ini": "deps = -r requirements/tests.txt\n",
        "requirements/tests.txt": "pytest==7",
        "docs/guide.rst": "a",
        "docs/more/api.md": "a",
        "docs/expected.rst": "a",
        "docs/rows.csv": "a",
    }
    after = {path: "b" for path in before if path.startswith(("docs/", "requirements/"))}
    assert touched(before, after, "pytest") == ["docs/expected.rst", "docs/rows.csv"]


def test_a_module_that_tests_assert_with_is_a_judge() -> None:
    before = {
        "tests/test_a.py": "from helpers import same\nfrom calc import add\n\ndef test_a():\n    same(add(1, 1), 2)\n",
        "helpers.py": "def same(a, b):\n    assert a == b\n",
        "calc.py": "def add(a, b):\n    assert a\n    return a + b\n",
    }
    changed = {"helpers.py": "def same(a, b):\n    pass\n", "calc.py": "def add(a, b):\n    return 2\n"}
    assert touched(before, changed, "pytest") == ["helpers.py"]
    used = before | {"app.py": "from helpers import same\n"}
    assert touched(used, changed, "pytest") == []


def test_a_module_for_testing_that_a_package_offers_is_work() -> None:
    before = {
        "tests/test_a.py": "from shop.testing import Runner\nfrom shop.asserts import same\n\n\ndef test_a():\n"
        "    result = Runner().invoke('a')\n    same(result.output, 'a')\n",
        "src/shop/__init__.py": "from .core import invoke\n",
        "src/shop/core.py": "def invoke(name):\n    return name\n",
        "src/shop/testing.py": "class Runner:\n    def invoke(self, name):\n        raise NotImplementedError\n",
        "src/shop/asserts.py": "def same(a, b):\n    assert a == b\n",
        "testing.py": "class Runner:\n    pass\n",
    }
    after = {
        "src/shop/testing.py": "class Runner:\n    pass\n",
        "src/shop/asserts.py": "def same(a, b):\n    pass\n",
    }
    assert touched(before, after, "pytest") == ["src/shop/asserts.py"]


def test_a_go_package_that_takes_a_testing_t_is_a_judge() -> None:
    before = {
        "calc_test.go": 'import "example.com/x/internal/same"\n',
        "internal/same/same.go": "func Equal(t *testing.T, a, b int) {}\n",
        "calc/calc.go": "func Add(a, b int) int { return 0 }\n",
    }
    after = {"internal/same/same.go": "func Equal(t *testing.T, a, b int) { }\n", "calc/calc.go": "x"}
    assert touched(before, after, "go test ./...") == ["internal/same/same.go"]


def test_a_recorded_library_that_only_tests_use_is_a_judge() -> None:
    before = {
        "a_test.go": 'import "example.com/expect"\n',
        "b.test.js": "const insist = require('insist')\nconst pad = require('left-pad')\n",
        "b.js": "const pad = require('left-pad')\n",
        **dict.fromkeys(["vendor/example.com/expect/expect.go", "node_modules/insist/lib/x.js"], "x"),
        "node_modules/left-pad/index.js": "x",
    }
    libraries = [path for path in before if path.startswith(("vendor/", "node_modules/"))]
    assert touched(before, dict.fromkeys(libraries, "y"), "make test") == [
        "node_modules/insist/lib/x.js",
        libraries[0],
    ]


def test_what_a_script_of_the_gate_reads_runs_and_takes_in_is_a_judge() -> None:
    script = ". ./env.sh\nmost=$(cat limits.txt)\nsh steps/one.sh\npython3 hello.py | grep -q hello\ntest -e answer\n"
    names = ["env.sh", "limits.txt", "steps/one.sh", "hello.py", "answer"]
    before = {"ci/run.sh": script, **dict.fromkeys(names, "x")}
    assert touched(before, dict.fromkeys(names, "y"), "sh ci/run.sh") == [
        "env.sh",
        "limits.txt",
        "steps/one.sh",
    ]


# -- mixed files


PACKAGE = """{
  "name": "x", "version": "1.0.0",
  "scripts": {"test": "node --test"},
  "imports": {"#a": "./a.js", "#gone": "./gone.js"},
  "dependencies": {"chai": "^4"}
}
"""


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ('"version": "1.0.0"', '"version": "1.1.0"', True),
        ('"chai": "^4"', '"chai": "^5", "left-pad": "file:./pad"', True),
        ('"./gone.js"', '"./moved.js"', True),
        ('"node --test"', '"true"', False),
        ('"./a.js"', '"./fake.js"', False),
        ('"chai": "^4"', '"chai": "file:./fake"', False),
        ('"name": "x"', '"jest": {"testMatch": []}, "name": "x"', False),
    ],
)
def test_package_json_is_judged_by_section(old: str, new: str, kept: bool) -> None:
    base = {"package.json": PACKAGE, "a.js": "x", "fake.js": "x"}
    after = base | {"package.json": PACKAGE.replace(old, new)}
    assert found(base, after, "npm test") == ({} if kept else {"package.json": "section"})
    made = judged_content(
        Touched("package.json", "section"), PACKAGE.encode(), after["package.json"].encode(), set(after)
    )
    assert made is not None
    assert (new in made.decode()) == kept


PYPROJECT = """[project]
name = "x"
dependencies = ["a"]

[tool.pytest.ini_options]
addopts = "-q"
markers = [
    "slow: x",
]

[tool.poetry]
name = "x"
"""
CARGO = """[package]
name = "x"
version = "0.1.0"

[dependencies]
a = "1"

[lib]
name = "x"
"""
GO_MOD = "module x\n\ngo 1.22\n\nrequire a v1.0.0\n"


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "kept"),
    [
        ("pyproject.toml", PYPROJECT, '["a"]', '["a", "b"]', True),
        ("pyproject.toml", PYPROJECT, "[tool.poetry]", "[tool.poetry]\nversion = '2'", True),
        ("pyproject.toml", PYPROJECT, '"-q"', '"-q -k one"', False),
        ("pyproject.toml", PYPROJECT, '"slow: x",', '"slow: x",\n    "new: y",', False),
        (
            "pyproject.toml",
            PYPROJECT,
            "[tool.poetry]",
            "[tool.coverage.report]\nfail_under = 1\n[tool.poetry]",
            False,
        ),
        (
            "pyproject.toml",
            PYPROJECT,
            "[tool.poetry]",
            "[project.entry-points.pytest11]\np = 'p'\n[tool.poetry]",
            False,
        ),
        ("Cargo.toml", CARGO, 'a = "1"', 'a = "1"\nb = "2"', True),
        ("Cargo.toml", CARGO, '"0.1.0"', '"0.2.0"', True),
        ("Cargo.toml", CARGO, 'version = "0.1.0"', 'version = "0.1.0"\nautotests = false', False),
        ("Cargo.toml", CARGO, "[lib]", "[lib]\ntest = false", False),
        ("Cargo.toml", CARGO, "[lib]", '[[test]]\nname = "one"\n[lib]', False),
        ("Cargo.toml", CARGO, "[lib]", '[patch.crates-io]\na = { path = "fake" }\n[lib]', False),
        ("go.mod", GO_MOD, "v1.0.0", "v1.1.0\nrequire b v1.0.0", True),
        ("go.mod", GO_MOD, "v1.0.0", "v1.0.0\nrequire b v1.0.0\nreplace b => ./b", True),
        ("go.mod", GO_MOD, "v1.0.0", "v1.0.0\nreplace a => ./fake", False),
        ("go.mod", GO_MOD, "v1.0.0", "v1.0.0\nignore ./broken", False),
        ("setup.cfg", "[metadata]\nname = x\n[tool:pytest]\n", "name = x", "name = y", True),
        ("setup.cfg", "[metadata]\nname = x\n[tool:pytest]\n", "pytest]", "pytest]\naddopts = -k one", False),
    ],
)
def test_manifests_are_judged_by_section(path: str, before: str, old: str, new: str, kept: bool) -> None:
    after = before.replace(old, new)
    assert found({path: before}, {path: after}) == ({} if kept else {path: "section"})
    both = after.replace("[project]", "[project]\ndescription = 'x'").replace("module x", "module y")
    made = judged_content(Touched(path, "section"), before.encode(), both.encode())
    assert made is not None
    assert (new in made.decode()) == kept
    assert ("description" in made.decode()) == ("description" in both), "work stays"


def test_tests_that_could_not_import_the_sources_may_be_given_the_usual_path() -> None:
    for value, kept in [("['src']", True), ("['fake']", False), ("['src', 'fake']", False)]:
        after = PYPROJECT.replace("addopts", f"pythonpath = {value}\naddopts")
        assert bool(found({"pyproject.toml": PYPROJECT}, {"pyproject.toml": after})) != kept


def test_a_makefile_is_judged_by_what_the_command_reaches() -> None:
    make = "PY = python3\n.PHONY: test\ntest: build\n\t$(PY) -m pytest\nbuild:\n\ttrue\nclean:\n\trm x\n"
    for old, new, same in [
        ("rm x", "rm y", True),
        ("clean:", "docs:\n\ttrue\nclean:", True),
        ("$(PY) -m", "-$(PY) -m", False),
        ("PY = python3", "PY = true", False),
        ("build:\n\ttrue", "build:\n\tfalse", False),
        ("clean:", "-include local.mk\nclean:", False),
    ]:
        after = {"Makefile": make.replace(old, new)}
        assert found({"Makefile": make}, after, "make -s test") == ({} if same else {"Makefile": "whole"}), (
            new
        )


# -- tests inside production files

RUST = """pub fn add(a: i32, b: i32) -> i32 { a - b }

/// ```
/// assert_eq!(x::two(), 2);
/// ```
pub fn two() -> i32 { 2 }

#[cfg(test)]
mod tests {
    #[test]
    fn adds() { assert_eq!(super::add(2, 2), 4); }
}
"""
PYTHON = 'def add(a, b):\n    """Sum.\n\n    >>> add(2, 2)\n    4\n    """\n    return a - b\n'
VITEST = "export const add = (a, b) => a - b\nif (import.meta.vitest) {\n  it('adds', () => { expect(add(2, 2)).toBe(4) })\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "command"),
    [
        ("src/lib.rs", RUST, "4);", "0);", "cargo test"),
        ("src/lib.rs", RUST, "#[cfg(test)]", '#[cfg(all(test, feature = "slow"))]', "cargo test"),
        ("src/lib.rs", RUST, "    #[test]", "    #[test]\n    #[ignore]", "cargo test"),
        ("src/lib.rs", RUST, "/// ```\n/// assert_eq", "/// ```ignore\n/// assert_eq", "cargo test"),
        ("src/lib.rs", RUST, RUST[RUST.index("#[cfg(test)]") :], "", "cargo test"),
        ("calc.py", PYTHON, "    4\n", "    0\n", "pytest --doctest-modules calc.py"),
        (
            "calc.py",
            PYTHON,
            PYTHON[PYTHON.index('    """') : PYTHON.index("    return")],
            "",
            "python3 -m doctest calc.py",
        ),
        ("calc.ts", VITEST, "toBe(4)", "toBe(0)", "vitest"),
        ("calc.ts", VITEST, VITEST[VITEST.index("if (") :], "", "vitest"),
    ],
)
def test_tests_inside_production_files_are_judged_by_block(
    path: str, before: str, old: str, new: str, command: str
) -> None:
    assert old in before
    fixed = before.replace("a - b", "a + b")
    cheat = fixed.replace(old, new)
    assert found({path: before}, {path: fixed}, command) == {}
    assert found({path: before}, {path: cheat}, command) == {path: "block"}
    made = judged_content(Touched(path, "block"), before.encode(), cheat.encode())
    assert made is not None
    assert old in made.decode() and "a + b" in made.decode()


def test_an_example_that_no_gate_runs_is_no_judge() -> None:
    assert found({"calc.py": PYTHON}, {"calc.py": PYTHON.replace("    4", "    5")}, "pytest") == {}


# -- new files


def test_a_new_file_that_can_act_on_the_runner_is_left_out() -> None:
    base = dict.fromkeys(["calc.py", "lib/deep.js", "lib/tpl/index.js", "tests/test_a.py", "isbn/a.go"], "x")
    acts = [
        *(
            "conftest.py",
            "pytest.ini",
            "tests/__init__.py",
            "tests/calc.py",
            "pytest.py",
            "json.py",
            "pluggy/__init__.py",
        ),
        *(
            "calc/__init__.py",
            "lib/tpl.js",
            "lib/deep/index.js",
            "sitecustomize.py",
            "x.pth",
            "p.dist-info/entry_points.txt",
        ),
        *("bin/node", "node_modules/.bin/eslint", ".npmrc", "isbn/go.mod", ".cargo/config.toml", "calc.pyc"),
    ]
    assert sorted(found(base, base | dict.fromkeys(acts, "x"), "pytest")) == sorted(acts)
    work = [
        *(
            "new.py",
            "shop/json.py",
            "shop/__init__.py",
            "crate/Cargo.toml",
            "web/package.json",
            "docs/conftest.md",
        ),
        *("tests/test_new.py", "tests/data/x.json", "lib/new.js", "lib/deep.d.ts", "build.rs", "isbn/b.go"),
    ]
    assert found(base, base | dict.fromkeys(work, "x"), "pytest") == {}


def test_of_a_new_pyproject_only_the_judging_sections_are_left_out() -> None:
    build = "[build-system]\nrequires = ['flit_core']\n"
    tools = "[tool.pytest.ini_options]\naddopts = '--deselect tests/test_a.py::test_a'\n"
    before = {"tests/test_a.py": "x", "setup.cfg": "[metadata]\n"}
    assert found(before, before | {"pyproject.toml": build}, "pytest") == {}
    assert found(before, before | {"pyproject.toml": build + tools}, "pytest") == {"pyproject.toml": "added"}
    judged = judged_content(Touched("pyproject.toml", "added"), None, (build + tools).encode())
    assert judged == build.encode()
    assert judged_content(Touched("pyproject.toml", "added"), None, b"[tool") is None
    assert judged_content(Touched("pytest.ini", "added"), None, b"[pytest]\n") is None


def test_a_new_go_file_may_not_call_something_else_true() -> None:
    code = "package a\n\nfunc f() {\n\tpanic(len(x))\n}\n"
    assert found({"a.go": "x"}, {"a.go": "x", "b.go": code}, "go test") == {}
    code = "package a\n\nconst (\n\ttrue  = 1 == 2\n)\n"
    assert found({"a.go": "x"}, {"a.go": "x", "b.go": code}, "go test") == {"b.go": "added"}


def test_a_module_that_becomes_a_package_shadows_nothing() -> None:
    assert found({"calc.py": "x"}, {"calc/__init__.py": "x"}, "pytest") == {}


@pytest.mark.parametrize(
    ("path", "text", "acts"),
    [
        ("tests/test_b.py", "import calc\ncalc.add = lambda a, b: 4\n", True),
        ("tests/test_b.py", "import sys\nsys.modules['calc'] = None\n", True),
        ("tests/test_b.py", "def test_b(monkeypatch):\n    monkeypatch.setattr('time.time', None)\n", False),
        ("b_test.go", "package x\n\nfunc TestMain(m *testing.M) {}\n", True),
        ("b_test.go", "package x\n\nfunc TestB(t *testing.T) {}\n", False),
        ("b.test.js", "const assert = require('assert')\nassert.equal = () => {}\n", True),
        ("b.test.js", "const assert = require('assert')\ntest('b', () => assert.equal(1, 1))\n", False),
    ],
)
def test_a_new_test_that_does_something_to_others_is_left_out(path: str, text: str, acts: bool) -> None:
    base = dict.fromkeys(["calc.py", "tests/test_a.py", "a_test.go", "a.test.js"], "x")
    assert bool(found(base, base | {path: text}, "make test")) == acts


def test_what_a_judge_would_take_in_is_left_out() -> None:
    base = {"Makefile": "-include local.mk\ntest:\n\tsh run.sh\n", "run.sh": "test -e .env && . ./.env\n"}
    assert touched(base, {"local.mk": "x", ".env": "x", "app.env.md": "x"}, "make test") == [
        ".env",
        "local.mk",
    ]


def test_comments_that_silence_a_checker_are_listed_where_they_are_new() -> None:
    before = b"x = 1  # noqa: E501\n"
    after = b"x = 1  # noqa: E501\ny = 2  # type: ignore[x]\nz = 3  # noqa: E501\n"
    assert new_suppressions(before, after, "a.py") == [
        "a.py:2: # type: ignore[x]",
        "a.py:3: # noqa: E501",
    ]
    assert new_suppressions(None, b"// eslint-disable-next-line no-eval\n", "a.js") == [
        "a.js:1: eslint-disable-next-line no-eval"
    ]
    assert new_suppressions(b"", b"#![allow(warnings)]\n", "a.rs") == ["a.rs:1: #![allow(warnings)]"]
    assert new_suppressions(after, before, "a.py") == []


HOSTILE = {
    "blank lines": "\n" * 100_000,
    "attributes": "#[a]" * 50_000,
    "open brackets": "([{" * 50_000,
    "open list": "[tool.x]\na = [\n" + "1,\n" * 50_000,
    "spaces": "import" + " " * 100_000,
    "substitutions": "$(" * 50_000,
    "quotes": "'\"" * 50_000,
    "targets": "a: $(b)\n" * 5_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_judged_without_harm(text: str) -> None:
    names = [
        "package.json",
        "pyproject.toml",
        "go.mod",
        "setup.cfg",
        "Makefile",
        "lib.rs",
        "calc.py",
        "calc.ts",
        "check.sh",
    ]
    before = dict.fromkeys(names, text) | {"tests/test_a.py": text + "\ncheck.sh calc lib"}
    after = {path: content + "\n#" for path, content in before.items()} | {
        "tests/test_b.py": text,
        "b.go": text,
    }
    assert "check.sh" in found(before, after, "make test && sh check.sh && python -m doctest calc.py")


def test_links_that_lead_out_of_the_tree_are_named() -> None:
    links = {"a": b"/etc/passwd", "d/b": b"../c", "d/e": b"../../x", "f": b"d"}
    listed = [Change(path, "A", new_mode="120000") for path in links]
    assert links_out(listed, links.get) == ["a", "d/e"]


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


def test_a_check_that_a_script_goes_through_by_a_pattern_is_a_judge() -> None:
    before = {
        "package.json": '{"scripts": {"test": "sh checks/run.sh"}}',
        "checks/run.sh": 'for check in [0-9]*.js; do\n  [ -x "$check" ] && "./$check" || exit 1\ndone\n',
        "checks/30-hissing.js": "require('node:assert').equal(1, 2);\n",
        "checks/shared.js": "exports.one = 1;\n",
        "lib/40-plural.js": "exports.plural = 1;\n",
    }
    changed = dict.fromkeys(["checks/30-hissing.js", "checks/shared.js", "lib/40-plural.js"], "new\n")
    assert touched(before, changed, "npm test --silent") == ["checks/30-hissing.js"]


def test_a_module_that_says_that_it_feeds_tests_is_a_judge() -> None:
    before = {
        "src/lib.rs": "pub mod samples;\n\npub fn parse() {}\n",
        "src/samples.rs": "//! Samples for property tests.\n\npub fn all() -> Vec<u64> {\n    vec![0, 1]\n}\n",
        "tests/all.rs": "use durations::{parse, samples};\n\n#[test]\nfn all() {\n    samples::all();\n}\n",
    }
    changed = {
        "src/samples.rs": "//! Samples for property tests.\n\npub fn all() -> Vec<u64> {\n    vec![1]\n}\n"
    }
    assert touched(before, changed, "cargo test") == ["src/samples.rs"]
    used = before | {
        "src/lib.rs": "pub mod samples;\n\npub fn demo() -> usize {\n    samples::all().len()\n}\n"
    }
    assert touched(used, changed, "cargo test") == []
    silent = before | {"src/samples.rs": before["src/samples.rs"].replace("for property tests", "of sound")}
    assert touched(silent, changed, "cargo test") == []
