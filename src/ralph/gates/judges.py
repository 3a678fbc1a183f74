"""The files that judge the work: those named in a gate's command, runner configuration, existing tests.

Pure functions over lists of paths; nothing here reads a file.
"""

from __future__ import annotations

import glob
import hashlib
import os
import posixpath
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from stat import S_ISDIR, S_ISREG

import msgspec

from ralph.core.globs import matches
from ralph.files import Stamp, stamp
from ralph.git.private_index import is_cache
from ralph.git.repo import printable

# Files that decide which checks run and how. An added one counts too: its original is "absent".
RUNNER_CONFIGURATION = (
    # Python
    *(
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "conftest.py",
        "noxfile.py",
    ),
    *(".coveragerc", "mypy.ini", ".mypy.ini", "ruff.toml", ".ruff.toml", ".flake8", ".pylintrc", "pylintrc"),
    *("pyrightconfig.json", "sitecustomize.py", "usercustomize.py"),
    # JavaScript, TypeScript
    *("package.json", "tsconfig*.json", "jsconfig.json", "jest.config.*", "jest.setup.*", "vitest.config.*"),
    *("vitest.workspace.*", "vitest.setup.*", "vite.config.*", "playwright.config.*", "cypress.config.*"),
    *("karma.conf.*", "wdio.conf.*", ".mocharc*", "ava.config.*", "babel.config.*", ".babelrc*", ".swcrc"),
    *(".eslintrc*", "eslint.config.*", ".nycrc*", "bunfig.toml", "deno.json", "deno.jsonc", "biome.json*"),
    *("turbo.json", "nx.json", "project.json", "lerna.json", ".npmrc", ".yarnrc*", ".pnpmfile.cjs"),
    # Rust, Go, C and C++
    *("Cargo.toml", "**/.cargo/config.toml", "**/.cargo/config", "**/.config/nextest.toml"),
    *("rust-toolchain", "rust-toolchain.toml", "clippy.toml", ".clippy.toml"),
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
        "__fixtures__",
        "__mocks__",
    ),
    # files
    *(
        "test.py",
        "tests.py",
        "test.js",
        "test.mjs",
        "test.cjs",
        "test.ts",
        "*.snap",
        "*.golden",
        "*.approved.*",
    ),
    *("test_*.py", "*_test.py", "test*.sh", "*_test.sh", "*.bats"),
    # settings that only tests run with
    *("**/config/test.*", "**/settings/test.*", "**/settings/testing.*", ".env.test", "application-test.*"),
    *("*.test.*", "*.spec.*", "*.cy.*", "*.e2e.*"),
    *(
        "test-*.js",
        "test-*.mjs",
        "test-*.cjs",
        "test-*.ts",
        "*-test.js",
        "*-test.mjs",
        "*-test.cjs",
        "*-test.ts",
    ),
    *("*_test.js", "*_test.mjs", "*_test.cjs", "*_test.ts"),
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
    *(
        "test_*.cpp",
        "*_unittest.cc",
        "*_tests.rs",
        "*_test.rs",
        "tests.rs",
        "test.rs",
        "*_SUITE.erl",
        "*.feature",
        "*.t",
    ),
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


_CHECK_WORDS = frozenset(
    {
        "test",
        "tests",
        "testing",
        "check",
        "checks",
        "checker",
        "lint",
        "linter",
        "verify",
        "verifier",
        "spec",
        "specs",
    }
    | {
        "ci",
        "gate",
        "gates",
        "assert",
        "asserts",
        "assertions",
        "audit",
        "qa",
        "smoke",
        "e2e",
        "acceptance",
        "judge",
    }
    | {"grade", "grader", "coverage", "cover", "conformance", "selftest", "runtests", "validator"}
)
_TOOL_FOLDERS = FOLDERS_OF_CHECKS | {"tools", "tool", "hack", ".github", ".gitlab", ".circleci", "devtools"}
_SHELL_SUFFIXES = frozenset({"sh", "bash", "zsh", "ksh", "bats", "fish", "ps1", "bat", "cmd", "mk"})
_SHELL_LINE = re.compile(rb"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?\S*?\b(?:ba|da|z|k|a)?sh\b")


@lru_cache(maxsize=100_000)
def checks_by_name(path: str) -> bool:
    """Whether the file calls itself a test, a check, a linter or a tool, by its name or by its folder."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0] or name
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", stem)
    return any(word.lower() in _CHECK_WORDS for word in words) or any(
        part in _TOOL_FOLDERS for part in folders
    )


def is_shell(path: str, content: bytes | None) -> bool:
    """Whether it is a shell script or a makefile, by its name or by its first line."""
    name = posixpath.basename(path)
    suffix = name.rpartition(".")[2] if "." in name else ""
    if suffix.lower() in _SHELL_SUFFIXES or name in ("Makefile", "makefile", "GNUmakefile", "justfile"):
        return True
    return not suffix and _SHELL_LINE.match(content or b"") is not None


@lru_cache(maxsize=100_000)
def is_test(path: str) -> bool:
    return matches(path, TESTS)


@lru_cache(maxsize=100_000)
def configures_runner(path: str) -> bool:
    return matches(path, RUNNER_CONFIGURATION)


def named_in(command: str, known: Iterable[str], *, folder: str = "", root: str = "") -> Named:
    """What the command's words can mean as paths. Words count from `folder` and from any folder among `known` that the
    command names itself, as in `cd web && sh check.sh`."""
    folders = {parent for path in known for parent in parents(path)}
    words = words_of(command)
    first = {place for word in words if (place := place_of(word, folder, root)) is not None}
    bases = {folder, *(place for place in first if place in folders)}
    places = {place for word in words for base in bases if (place := place_of(word, base, root)) is not None}
    patterns = [place for place in places if GLOB.search(place)]
    patterns += [place for place in places & folders if posixpath.basename(place) in FOLDERS_OF_CHECKS]
    # A slash makes a pattern count from the root, which is what a place is.
    rooted = tuple(sorted(place if "/" in place else f"/{place}" for place in patterns))
    return Named(frozenset(places - folders), rooted)


def parents(path: str) -> Iterable[str]:
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


def place_of(word: str, base: str, root: str) -> str | None:
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


MOST_FILES = 200  # in one folder or one pattern; a larger folder is no set of checks written by hand
READ_WHOLE = 16 * 1024 * 1024  # bytes; larger files are known by size and time

# What is installed here is the user's machine, not the user's gate.
_SYSTEM = (
    *("/bin", "/sbin", "/usr", "/lib", "/lib32", "/lib64", "/opt", "/nix", "/etc", "/dev", "/proc", "/sys"),
    *("/snap", "/System", "/Library", "/Applications"),
    *{os.path.realpath(prefix) for prefix in (sys.prefix, sys.base_prefix)},
)
# Compiled programs are built anew from sources that are judged themselves: ELF, Mach-O, PE, WebAssembly.
_PROGRAM = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ", b"\0asm")
_BUILT = "a compiled program"
_DEPENDENCIES = frozenset({"node_modules", ".venv", "venv", "vendor", ".tox", ".nox"})


def named_files(
    command: str,
    patterns: Sequence[str] = (),
    *,
    root: str,
    folder: str,
    leads_out: bool = False,
    folders: bool = True,
) -> dict[str, Path]:
    """Name and place of every file on disk that the command or the `patterns` (from the root) name.

    A name is relative to the root; a file outside is called as the command calls it. `leads_out`: the command runs in a
    checkout elsewhere, so that only its absolute paths lead to files of this machine. `folders`: with the files of
    small folders of checks that are named.
    """
    top = Path(root)
    here = _normal(top / folder)
    words = sorted(_expanded(word) for word in words_of(command) if not word.startswith("-"))
    bases = dict.fromkeys((here, *(place for word in words if _is(S_ISDIR, place := _normal(here / word)))))
    asked = [(base, word) for base in bases for word in words]
    asked += [(top, pattern.strip("/")) for pattern in patterns]
    found: dict[str, Path] = {}
    for base, word in asked:
        absolute = word.startswith("/")
        if leads_out and not absolute:
            continue
        for path in _files(base, word, folders=folders):
            inside = path.is_relative_to(top)
            if inside or not _is_system(path):
                full = absolute and (leads_out or not inside)
                found[printable(str(path) if full else os.path.relpath(path, top))] = path
    return found


def content_hashes(files: Iterable[tuple[str, Path]]) -> dict[str, str]:
    """What each of these files (name, place) holds now, in short; without those that are gone."""
    return {name: content for name, path in files if (content := _content(path))}


def made_by_tools(name: str, content: str) -> bool:
    """Whether a file that was not there at the start is a build's or an installer's rather than a check."""
    return content == _BUILT or any(part in _DEPENDENCIES for part in name.split("/"))


def stamps(files: Mapping[str, Path]) -> dict[str, Stamp]:
    """The inode of each file (by name), to see later whether it was written."""
    return {name: seen for name, path in files.items() if (seen := stamp(path))}


def _expanded(word: str) -> str:
    """As the shell would, so far as it only takes the environment."""
    return os.path.expandvars(os.environ.get("HOME", "~") + word[1:] if word.startswith("~/") else word)


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path))


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):  # not there, or a word that can be no path
        return False


def is_file(path: Path) -> bool:
    """Also of a word that can be no path."""
    return _is(S_ISREG, path)


def _files(base: Path, word: str, *, folders: bool) -> Iterator[Path]:
    if GLOB.search(word):  # Path.glob would refuse what is absolute or leads upwards
        names = list(islice(glob.iglob(word, root_dir=base), MOST_FILES))  # noqa: PTH207
    else:
        names = [word]
    for place in (_normal(base / name) for name in names):
        if _is(S_ISREG, place):
            yield place
        elif folders and place.name in FOLDERS_OF_CHECKS and _is(S_ISDIR, place):
            yield from _small_folder(place)


def _small_folder(folder: Path) -> list[Path]:
    """Its files, caches left out; none when there are too many."""
    found: list[Path] = []
    for parent, names, files in os.walk(folder):
        names[:] = [name for name in names if not is_cache(name)]
        found += [path for name in files if _is(S_ISREG, path := Path(parent, name))]
        if len(found) > MOST_FILES:
            return []
    return found


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(prefix) for prefix in _SYSTEM)


def _content(path: Path) -> str:
    try:
        # Without blocking: what was a file may be a pipe by now.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            st = os.fstat(file.fileno())
            if not S_ISREG(st.st_mode):
                return ""
            head = file.read(4)
            if head.startswith(_PROGRAM):
                return _BUILT
            mode = "executable " if st.st_mode & 0o111 else ""
            if st.st_size > READ_WHOLE:
                return f"{mode}{st.st_size} bytes of {st.st_mtime_ns}"
            return f"{mode}sha256 {hashlib.sha256(head + file.read()).hexdigest()}"
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return f"unreadable: {error.strerror}"
