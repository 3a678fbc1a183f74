"""The files that judge the work: those named in a gate's command, runner configuration, existing tests.

Pure functions over lists of paths; nothing here reads a file.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ralph.core.globs import matches
from ralph.workspace.trees import Change

# Files that decide which checks run and how. An added one counts too: its original is "absent".
RUNNER_CONFIGURATION = (
    # Python
    *("pytest.ini", ".pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "conftest.py", "noxfile.py"),
    *(".coveragerc", "mypy.ini", ".mypy.ini", "ruff.toml", ".ruff.toml", ".flake8", ".pylintrc", "pylintrc"),
    *("pyrightconfig.json", "sitecustomize.py", "usercustomize.py"),
    # JavaScript, TypeScript
    *("package.json", "tsconfig*.json", "jsconfig.json", "jest.config.*", "jest.setup.*", "vitest.config.*"),
    *("vitest.workspace.*", "vitest.setup.*", "vite.config.*", "playwright.config.*", "cypress.config.*"),
    *("karma.conf.*", "wdio.conf.*", ".mocharc*", "ava.config.*", "babel.config.*", ".babelrc*", ".swcrc"),
    *(".eslintrc*", "eslint.config.*", ".nycrc*", "bunfig.toml", "deno.json", "deno.jsonc", "biome.json*"),
    *("turbo.json", "nx.json", "project.json", "lerna.json", ".npmrc"),
    # Rust, Go, C and C++
    *("Cargo.toml", "**/.cargo/config.toml", "**/.cargo/config", "**/.config/nextest.toml", "build.rs"),
    *(
        "go.mod",
        "go.work",
        ".golangci.*",
        "CMakeLists.txt",
        "CMakePresets.json",
        "CTestTestfile.cmake",
        "*.cmake",
    ),
    *("meson.build", "configure.ac", "BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel", ".bazelrc"),
    # JVM, .NET
    *(
        "build.gradle*",
        "settings.gradle*",
        "gradle.properties",
        "pom.xml",
        "build.sbt",
        "build.xml",
        "testng.xml",
    ),
    *("junit-platform.properties", "*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx", "*.runsettings"),
    *("Directory.Build.props", "Directory.Build.targets", "global.json"),
    # Ruby, PHP, Elixir, Swift, Dart, others
    *(
        ".rspec",
        "Rakefile",
        "Gemfile",
        "phpunit.xml*",
        "composer.json",
        "mix.exs",
        "Package.swift",
        "pubspec.yaml",
    ),
    *("dart_test.yaml", "analysis_options.yaml", "rebar.config", "stack.yaml", "*.cabal", "dune-project"),
    # Runners of any language
    *("Makefile", "makefile", "GNUmakefile", "*.mk", "justfile", "Justfile", ".justfile", "Taskfile.y*ml"),
    *("Earthfile", ".pre-commit-config.yaml", "lefthook.y*ml"),
)

TESTS = (
    # folders, with all that is in them
    *(
        "tests",
        "test",
        "spec",
        "specs",
        "__tests__",
        "__snapshots__",
        "testdata",
        "e2e",
        "cypress",
        "androidTest",
    ),
    # files
    *("test_*.py", "*_test.py", "test*.sh", "*_test.sh", "*.bats"),
    *("*.test.*", "*.spec.*", "*.cy.*", "*.e2e.*"),
    *("*_test.go", "*_spec.rb", "*_test.rb", "test_*.rb", "*_test.exs", "*_test.dart", "*_test.clj"),
    *("*Test.java", "*Tests.java", "*TestCase.java", "*IT.java", "*Test.kt", "*Tests.kt", "*Spec.kt"),
    *("*Spec.groovy", "*Test.groovy", "*Spec.scala", "*Test.scala", "*Suite.scala", "*Test.cs", "*Tests.cs"),
    *(
        "*Test.php",
        "*Tests.swift",
        "*Test.swift",
        "*Spec.hs",
        "*_test.c",
        "*_test.cc",
        "*_test.cpp",
        "test_*.c",
    ),
    *("test_*.cpp", "*_unittest.cc", "*_tests.rs", "*_test.rs", "*_SUITE.erl", "*.feature", "*.t"),
)

# A folder named in a command brings in its files only when its name says that they check: `ruff check src` must not
# make all of src a judge, or no change could ever be accepted.
FOLDERS_OF_CHECKS = frozenset(
    {"acceptance", "benchmarks", "check", "checks", "ci", ".ci", "e2e", "features", "gates", "integration"}
    | {"qa", "scripts", "smoke", "spec", "specs", "test", "tests", "verify"}
)

GLOB = re.compile(r"[*?\[]")


class Named(msgspec.Struct, frozen=True):
    """The places that a command names, relative to the root. Which of them exist is for the tree to say."""

    paths: frozenset[str]
    patterns: tuple[str, ...]


def gate_inputs(
    files: Iterable[tuple[str, str, str]],
    command: str,
    extra: Sequence[str] = (),
    *,
    folder: str = "",
    root: str = "",
) -> dict[str, str]:
    """Path and "mode object" of every input of the gate among the `files` (mode, object, path) of its base tree.

    `folder` is where the command runs, relative to the root; `root` is the root itself, for absolute paths.
    """
    listed = list(files)
    named = named_in(command, (path for _, _, path in listed), folder=folder, root=root)
    return {
        path: f"{mode} {oid}"
        for mode, oid, path in listed
        if _judges(path, named, extra) or matches(path, TESTS)
    }


def touched_inputs(
    base_inputs: Mapping[str, str],
    changes: Sequence[Change],
    command: str,
    extra: Sequence[str] = (),
    *,
    folder: str = "",
    root: str = "",
) -> list[str]:
    """The inputs that a change modified or deleted, and what it added that judges the work. New tests are welcome."""
    named = named_in(command, (*base_inputs, *(change.path for change in changes)), folder=folder, root=root)
    return sorted(
        change.path
        for change in changes
        if change.path in base_inputs
        or (change.status == "A" and _judges_when_added(change.path, named, extra))
    )


def judging_files(
    base_inputs: Mapping[str, str],
    paths: Sequence[str],
    command: str,
    extra: Sequence[str] = (),
    *,
    folder: str = "",
    root: str = "",
) -> list[str]:
    """Those of `paths` that judge the work: inputs of the base, or what would count if a change added it."""
    added = [Change(path, "A") for path in paths]
    return touched_inputs(base_inputs, added, command, extra, folder=folder, root=root)


def _judges(path: str, named: Named, extra: Sequence[str]) -> bool:
    return (
        path in named.paths
        or matches(path, named.patterns)
        or matches(path, RUNNER_CONFIGURATION)
        or matches(path, extra)
    )


def _judges_when_added(path: str, named: Named, extra: Sequence[str]) -> bool:
    if path in named.paths or matches(path, RUNNER_CONFIGURATION) or matches(path, extra):
        return True
    return matches(path, named.patterns) and not matches(path, TESTS)


def named_in(command: str, known: Iterable[str], *, folder: str = "", root: str = "") -> Named:
    """What the command's words can mean as paths. Words count from `folder` and from any folder among `known` that the
    command names itself, as in `cd web && sh check.sh`."""
    folders = {parent for path in known for parent in _parents(path)}
    words = words_of(command)
    first = {place for word in words if (place := _place(word, folder, root)) is not None}
    bases = {folder, *(place for place in first if place in folders)}
    places = {place for word in words for base in bases if (place := _place(word, base, root)) is not None}
    patterns = [place for place in places if GLOB.search(place)]
    patterns += [place for place in places & folders if posixpath.basename(place) in FOLDERS_OF_CHECKS]
    # A slash makes a pattern count from the root, which is what a place is.
    rooted = tuple(sorted(place if "/" in place else f"/{place}" for place in patterns))
    return Named(frozenset(places - folders), rooted)


def _parents(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def words_of(command: str) -> set[str]:
    """Every part of the command that could be a path: words, words inside quotes, values after `=`, `:`, `@`, and the
    files of Python modules that it runs."""
    found = {file for module in _modules(command) for file in _module_files(module)}
    queue = [command]
    while queue:
        text = queue.pop()
        for word in _split(text):
            parts = {word, *re.split(r"[=:@,]", word), *re.split(r"[\s;&|<>(){}$`'\"]+", word)} - {"", word}
            fresh = parts - found
            found |= fresh | {word}
            queue.extend(part for part in fresh if part != text)
    return found


def _split(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:  # an open quote
        return text.split()


def _place(word: str, base: str, root: str) -> str | None:
    """The word as a path relative to the root; None when it points outside or is an option."""
    if word.startswith("-"):
        return None
    if word.startswith("/"):
        if not root or not word.startswith(f"{root.rstrip('/')}/"):
            return None
        base, word = "", word.removeprefix(f"{root.rstrip('/')}/")
    place = posixpath.normpath(posixpath.join(base, word))
    return None if place in (".", "..") or place.startswith("../") else place


def _modules(command: str) -> list[str]:
    """The Python modules that the command runs with -m."""
    return re.findall(r"\bpython[\d.]*\s+(?:-\w+\s+)*-m\s+([\w.]+)", command)


def _module_files(module: str) -> list[str]:
    path = module.replace(".", "/")
    return [f"{path}.py", f"{path}/__main__.py"]
