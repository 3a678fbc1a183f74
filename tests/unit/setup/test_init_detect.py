"""Which gates are proposed for which folder: sample projects on disk, PATHs with chosen programs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph.setup.detect import MOST_FOLDERS, Detected, detect
from ralph.setup.project import Machine, ProjectFolder

Lay = Callable[[dict[str, str]], Path]
Having = Callable[..., Machine]

UNITTEST = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n"
VENV = {".venv/bin/python*": "#!/bin/sh\nexit 0\n"}
EVERYTHING = (
    *("make", "just", "npm", "pnpm", "yarn", "bun", "tox", "nox", "cargo", "go", "gradle", "mvn", "dotnet"),
    *("rspec", "bundle", "uv", "poetry", "pdm", "pipenv", "python3:pytest"),
)


def runs(found: Detected) -> list[str]:
    return [gate.run for gate in found.gates]


def why(found: Detected, run: str) -> str:
    return next(left.why for left in found.left_out if left.run == run)


def script(text: str, **more: str) -> dict[str, str]:
    return {"package.json": json.dumps({"scripts": {"test": text}}), **more}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pytest.ini": ""}, "python3 -m pytest"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "python3 -m pytest"),
        ({"setup.cfg": "[tool:pytest]\n"}, "python3 -m pytest"),
        ({"conftest.py": ""}, "python3 -m pytest"),
        ({"tests/test_a.py": "def test_a(): pass\n"}, "python3 -m pytest"),
        ({"tests/test_a.py": UNITTEST, "requirements-dev.txt": "pytest\n"}, "python3 -m pytest"),
        ({"pytest.ini": "", **VENV}, ".venv/bin/python -m pytest"),
        ({"pytest.ini": "", "uv.lock": ""}, "uv run pytest"),
        ({"pytest.ini": "", "pyproject.toml": "[tool.poetry]\n"}, "poetry run pytest"),
        ({"pytest.ini": "", "pdm.lock": ""}, "pdm run pytest"),
        ({"pytest.ini": "", "Pipfile": ""}, "pipenv run pytest"),
        ({"test_a.py": UNITTEST}, "python3 -m unittest"),
        ({"tests/__init__.py": "", "tests/test_a.py": UNITTEST}, "python3 -m unittest"),
        ({"tests/test_a.py": UNITTEST}, "python3 -m unittest discover -s tests"),
        ({"tests/test_a.py": UNITTEST, **VENV}, ".venv/bin/python -m unittest discover -s tests"),
        ({"manage.py": "import django\n", "app/test_a.py": UNITTEST}, "python3 manage.py test"),
        ({"tox.ini": "[tox]\n"}, "tox"),
        ({"noxfile.py": "def tests(session): pass\n"}, "nox -s tests"),
        ({"noxfile.py": "def lint(session): pass\n"}, "nox"),
        (script("node --test"), "npm test"),
        (script("mocha", **{"pnpm-lock.yaml": ""}), "pnpm test"),
        (script("mocha", **{"yarn.lock": ""}), "yarn test"),
        (script("mocha", **{"bun.lock": ""}), "bun run test"),
        ({"package.json": '{"packageManager": "pnpm@9.1.0", "scripts": {"test": "x"}}'}, "pnpm test"),
        ({"package.json": '{"devDependencies": {"vitest": "1"}}'}, "npx --no vitest run"),
        ({"package.json": '{"devDependencies": {"jest": "1"}}', "yarn.lock": ""}, "yarn jest"),
        ({"Cargo.toml": '[package]\nname = "x"\n'}, "cargo test"),
        ({"Cargo.toml": "[workspace]\n"}, "cargo test"),
        ({"Cargo.toml": '[package]\nname = "x"\n[workspace]\n'}, "cargo test --workspace"),
        ({"go.mod": "module x\n"}, "go test ./..."),
        ({"go.work": "go 1.22\nuse (\n\t./a\n\t./b/c // here\n)\n"}, "go test ./a/... ./b/c/..."),
        ({"go.work": "go 1.22\nuse .\nuse ./b\n"}, "go test ./... ./b/..."),
        ({"Makefile": "test:\n\t./run\n"}, "make test"),
        ({"GNUmakefile": ".PHONY: check\ncheck: a b\n"}, "make check"),
        ({"justfile": "test *args:\n    ./run {{args}}\n"}, "just test"),
        ({"gradlew*": "", "build.gradle.kts": ""}, "./gradlew test"),
        ({"gradlew": "", "build.gradle": ""}, "sh ./gradlew test"),
        ({"build.gradle": ""}, "gradle test"),
        ({"pom.xml": "", "mvnw*": ""}, "./mvnw -q test"),
        ({"pom.xml": ""}, "mvn -q test"),
        ({"App.sln": ""}, "dotnet test"),
        ({"App.csproj": ""}, "dotnet test"),
        ({".rspec": ""}, "rspec"),
        ({"spec/a_spec.rb": "", "Gemfile": ""}, "bundle exec rspec"),
        ({"spec/a_spec.rb": "", "bin/rspec*": ""}, "bin/rspec"),
    ],
)
def test_each_runner_is_recognised(lay: Lay, having: Having, files: dict[str, str], expected: str) -> None:
    found = detect(lay(files), None, having(*EVERYTHING))
    assert runs(found) == [expected]
    assert [gate.name for gate in found.gates] == ["tests"]
    assert found.gates[0].why


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"README.md": "run pytest, npm test and make test"},
        {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
        {"package.json": '{"scripts": {"build": "tsc"}}'},
        {"package.json": "[1, 2]"},
        {"package.json": '{"scripts": "no"}'},
        {"package.json": '{"scripts": {"test": 5}}'},
        {"Makefile": "all:\n\tcc x.c\n"},
        {"Makefile": ".PHONY: test\nall:\n\ttrue\n"},
        {"Makefile": "test:\n"},
        {"Makefile": "test = yes\ntests:\n\ttrue\n"},
        {"Makefile": "# test:\n#\ttrue\n"},
        {"justfile": "build:\n    cc\ntest := 'x'\n"},
        {"node_modules/x/test_a.py": "def test_a(): pass\n"},
        {".hidden/test_a.py": "def test_a(): pass\n"},
        {"venv/lib/test_a.py": "def test_a(): pass\n"},
        {"examples/package.json": '{"scripts": {"test": "x"}}'},
    ],
)
def test_what_is_no_check_is_not_proposed(lay: Lay, having: Having, files: dict[str, str]) -> None:
    assert runs(detect(lay(files), None, having(*EVERYTHING))) == []


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("vitest", "CI=1 npm test"),
        ("vitest --coverage", "CI=1 npm test"),
        ("vitest run", "npm test"),
        ("vitest --run", "npm test"),
        ("vitest --watch", "npx --no vitest run"),
        ("vitest watch", "npx --no vitest run"),
        ("jest", "npm test"),
        ("jest -w 2", "npm test"),
        ("jest --watchAll", "npx --no jest"),
        ("jest --watchAll=false", "npm test"),
        ("react-scripts test", "CI=1 npm test"),
        ("ng test", "CI=1 npm test -- --watch=false"),
        ("npm run unit", "CI=1 npm test"),
    ],
)
def test_a_test_script_that_watches_is_run_to_its_end(
    lay: Lay, having: Having, test: str, expected: str
) -> None:
    folder = lay({"package.json": json.dumps({"scripts": {"test": test, "unit": "vitest"}})})
    assert runs(detect(folder, None, having("npm"))) == [expected]


def test_a_script_that_only_watches_is_left_out_and_named(lay: Lay, having: Having) -> None:
    found = detect(lay(script("node --test --watch")), None, having("npm"))
    assert runs(found) == []
    assert "watches" in why(found, "npm test")


@pytest.mark.parametrize(
    "makefile",
    [
        ".PHONY: test\ntest:\n\tpytest -q\n",
        ".PHONY: test\ntest: unit\nunit:\n\tpython -m pytest\n",
        "RUN = pytest\nFLAGS := -q\n.PHONY: test\ntest:\n\t$(RUN) $(FLAGS)\n",
        ".PHONY: test\ntest: ; pytest\n",
        ".PHONY: test\ntest:\n\t@echo; \\\n\tpytest\n",
        ".PHONY: test\r\ntest:\r\n\tpytest\r\n",
        ".PHONY: test\ntest:\n\tsh ci/run.sh\n",
        ".PHONY: test\ntest:\n\t./ci/run\n",
    ],
)
def test_a_wrapper_wins_over_what_it_runs(lay: Lay, having: Having, makefile: str) -> None:
    scripts = {"ci/run.sh": "pytest\n", "ci/run*": "#!/usr/bin/env bash\npytest\n"}
    folder = lay({"Makefile": makefile, "pytest.ini": "", "tests/test_a.py": "", **scripts})
    found = detect(folder, None, having(*EVERYTHING))
    assert runs(found) == ["make test"]
    assert found.gates[0].why == "Makefile has the target test, which runs pytest"
    assert why(found, "python3 -m pytest") == "`make test` runs it"


def test_wrappers_in_wrappers_give_the_outermost(lay: Lay, having: Having) -> None:
    files = {
        "package.json": '{"scripts": {"test": "make test"}}',
        "Makefile": ".PHONY: test\ntest:\n\ttox\n",
        "tox.ini": "[testenv]\ncommands = pytest\n[pytest]\n",
    }
    assert runs(detect(lay(files), None, having(*EVERYTHING))) == ["npm test"]


def test_two_wrappers_around_the_same_give_one(lay: Lay, having: Having) -> None:
    files = {
        "Makefile": "test:\n\tpytest\n",
        "justfile": "test:\n    pytest\n",
        "pytest.ini": "",
    }
    found = detect(lay(files), None, having(*EVERYTHING))
    assert runs(found) == ["make test"]
    assert why(found, "just test") == "`make test` runs the same"


def test_a_wrapper_that_runs_something_else_stands_beside(lay: Lay, having: Having) -> None:
    found = detect(lay({"Makefile": "test:\n\t./smoke\n", "go.mod": ""}), None, having(*EVERYTHING))
    assert [(gate.name, gate.run) for gate in found.gates] == [
        ("tests-make", "make test"),
        ("tests-go", "go test ./..."),
    ]


def test_a_comment_in_a_script_calls_nothing(lay: Lay, having: Having) -> None:
    files = {"Makefile": "test:\n\tsh run.sh\n", "run.sh": "# not pytest\n./smoke\n", "pytest.ini": ""}
    assert runs(detect(lay(files), None, having(*EVERYTHING))) == ["make test", "python3 -m pytest"]


def test_a_wrapper_whose_program_is_missing_gives_way(lay: Lay, having: Having) -> None:
    found = detect(lay({"Makefile": "test:\n\tpytest\n", "pytest.ini": ""}), None, having("python3:pytest"))
    assert runs(found) == ["python3 -m pytest"]
    assert why(found, "make test") == "Makefile has the target test, but make is not on PATH"


def test_a_make_target_that_a_folder_keeps_from_running_is_not_proposed(lay: Lay, having: Having) -> None:
    """make would call it up to date and exit with 0, whatever the tests say."""
    folder = lay({"Makefile": "test:\n\tfalse\n", "test/a": ""})
    real = subprocess.run(["make", "test"], cwd=folder, capture_output=True, text=True)
    assert real.returncode == 0 and "up to date" in real.stdout
    found = detect(folder, None, having("make"))
    assert runs(found) == []
    assert ".PHONY" in why(found, "make test")
    lay({"Makefile": ".PHONY: test\ntest:\n\tfalse\n"})
    assert runs(detect(folder, None, having("make"))) == ["make test"]


def test_a_recipe_that_needs_an_argument_is_not_proposed(lay: Lay, having: Having) -> None:
    found = detect(lay({"justfile": "test name:\n    ./run {{name}}\n"}), None, having("just"))
    assert runs(found) == []
    assert "argument" in why(found, "just test")


def test_programs_that_are_not_there_are_mentioned_and_not_proposed(lay: Lay, having: Having) -> None:
    found = detect(lay({"Cargo.toml": "", "pytest.ini": ""}), None, having("python3"))
    assert runs(found) == []
    assert why(found, "cargo test") == "Cargo.toml, but cargo is not on PATH"
    assert why(found, "pytest") == "pytest.ini configures pytest, but pytest is not installed"


def test_an_environment_without_pytest_is_not_used_for_it(lay: Lay, having: Having) -> None:
    folder = lay({"pytest.ini": "", ".venv/bin/python*": "#!/bin/sh\nexit 1\n"})
    assert runs(detect(folder, None, having("python3:pytest"))) == ["python3 -m pytest"]


def test_pytest_alone_on_path_is_used_as_it_is(lay: Lay, having: Having) -> None:
    assert runs(detect(lay({"pytest.ini": ""}), None, having("pytest"))) == ["pytest"]


def test_a_missing_node_modules_is_hinted_at(lay: Lay, having: Having) -> None:
    manifest = '{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1"}}'
    folder = lay({"package.json": manifest})
    assert "npm install" in detect(folder, None, having("npm")).gates[0].hint
    (folder / "node_modules").mkdir()
    assert detect(folder, None, having("npm")).gates[0].hint == ""


# -- several folders -----------------------------------------------------------------------------------


def test_several_languages_give_one_gate_each(lay: Lay, having: Having) -> None:
    found = detect(lay({"Cargo.toml": "", "go.mod": "", **script("x")}), None, having(*EVERYTHING))
    assert [gate.name for gate in found.gates] == ["tests-npm", "tests-cargo", "tests-go"]


def test_projects_in_folders_below_are_found(lay: Lay, having: Having) -> None:
    files = {
        "web app/package.json": '{"scripts": {"test": "x"}}',
        "api/pyproject.toml": "[tool.pytest.ini_options]\n",
        "api/tests/test_a.py": "def test_a(): pass\n",
        "docs/package.json": '{"scripts": {"test": "x"}}',
    }
    found = detect(lay(files), None, having(*EVERYTHING))
    assert [(gate.name, gate.run) for gate in found.gates] == [
        ("tests-api", "cd api && python3 -m pytest"),
        ("tests-web-app", "cd 'web app' && npm test"),
    ]


def test_folders_below_add_other_languages_only(lay: Lay, having: Having) -> None:
    files = {
        **script("x"),
        "packages/package.json": '{"scripts": {"test": "x"}}',
        "core/Cargo.toml": "",
    }
    assert runs(detect(lay(files), None, having(*EVERYTHING))) == ["npm test", "cd core && cargo test"]


def test_a_wrapper_at_the_top_speaks_for_the_folders_below(lay: Lay, having: Having) -> None:
    files = {"Makefile": "test:\n\t$(MAKE) -C core test\n", "core/Cargo.toml": ""}
    assert runs(detect(lay(files), None, having(*EVERYTHING))) == ["make test"]


def test_the_folder_itself_comes_before_the_repository(lay: Lay, having: Having) -> None:
    root = lay({"Makefile": "test:\n\ttrue\n", "api/go.mod": "", "notes/x.md": ""})
    assert runs(detect(root / "api", root, having(*EVERYTHING))) == ["go test ./..."]
    found = detect(root / "notes", root, having(*EVERYTHING))
    assert [(gate.name, gate.run) for gate in found.gates] == [("tests", "cd .. && make test")]


# -- hostile folders -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["{not json", "", "[" * 100_000, '{"scripts": {"test"', "\udcff\udcfe\udc80", "null"]
)
def test_a_broken_package_json_hides_nothing_else(lay: Lay, having: Having, text: str) -> None:
    found = detect(lay({"package.json": text, "go.mod": ""}), None, having(*EVERYTHING))
    assert runs(found) == ["go test ./..."]
    assert why(found, "npm test").endswith("package.json is not valid JSON")


def test_a_makefile_with_odd_bytes_is_read(lay: Lay, having: Having) -> None:
    odd = "\udcff\udcfe\x00\x1b[31m\n" + "X" * 5000 + "\ntest:\n\t\udcfftrue\n"
    assert runs(detect(lay({"Makefile": odd}), None, having("make"))) == ["make test"]


def test_a_makefile_that_refers_to_itself_ends(lay: Lay, having: Having) -> None:
    text = "A = $(B)$(B)\nB = $(A)$(A)\n.PHONY: test\ntest: test other\n\t$(A)\nother: test\n\t$(B)\n"
    assert runs(detect(lay({"Makefile": text}), None, having("make"))) == ["make test"]


def test_a_pipe_in_place_of_a_file_does_not_block(lay: Lay, having: Having) -> None:
    folder = lay({"go.mod": ""})
    for name in ("Makefile", "package.json", "pyproject.toml", "tests.sh"):
        os.mkfifo(folder / name)
    assert runs(detect(folder, None, having(*EVERYTHING))) == ["go test ./..."]


def test_links_that_lead_nowhere_or_in_circles_are_passed_over(lay: Lay, having: Having) -> None:
    folder = lay({"go.mod": ""})
    (folder / "package.json").symlink_to("nowhere")
    (folder / "Makefile").symlink_to("Makefile")
    (folder / "again").symlink_to(folder)
    assert runs(detect(folder, None, having(*EVERYTHING))) == ["go test ./..."]


def test_a_huge_folder_is_looked_at_within_bounds(
    lay: Lay, having: Having, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ralph.setup.project.MOST_ENTRIES", 50)
    folder = lay({"go.mod": "", **{f"{number}.txt": "" for number in range(60)}})
    assert len(ProjectFolder(folder).files) <= 50
    assert runs(detect(folder, None, having(*EVERYTHING))) == ["go test ./..."], "fixed names are found"


def test_many_folders_are_looked_at_within_bounds(lay: Lay, having: Having) -> None:
    files = {f"m{number:02}/x.txt": "" for number in range(MOST_FOLDERS)}
    folder = lay({**files, "a/go.mod": "", "z/Cargo.toml": ""})
    assert runs(detect(folder, None, having(*EVERYTHING))) == ["cd a && go test ./..."]


def test_a_folder_that_may_not_be_read_holds_nothing(lay: Lay, having: Having) -> None:
    folder = lay({"go.mod": "", "secret/package.json": '{"scripts": {"test": "x"}}'})
    (folder / "secret").chmod(0)
    try:
        assert "go test ./..." in runs(detect(folder, None, having(*EVERYTHING)))
    finally:
        (folder / "secret").chmod(0o755)
