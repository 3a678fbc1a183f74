"""What a new file can do to the judges by its name or place. Everything else that is new is work, and new tests are welcome."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Collection

from ralph.core.globs import matches
from ralph.gates.integrity.references import is_source, suffix_of
from ralph.gates.judges import configures_runner, is_test

# Loaded or obeyed wherever they are.
_ANYWHERE = (
    *(
        "sitecustomize.py",
        "usercustomize.py",
        "*.pth",
        "*.dist-info",
        "*.egg-info",
        "node_modules/.bin",
        "**/node_modules/.bin",
    ),
    *("*.egg-link", "pyvenv.cfg", "LD_PRELOAD", "*.pyc", "**/.venv/**", "**/venv/**"),
)
# Found before the real one where its folder comes first in PATH.
_PROGRAMS = frozenset(
    {
        "node",
        "npm",
        "npx",
        "yarn",
        "pnpm",
        "bun",
        "deno",
        "go",
        "gofmt",
        "cargo",
        "rustc",
        "python",
        "python3",
        "pip",
    }
    | {
        "pytest",
        "mypy",
        "ruff",
        "flake8",
        "tox",
        "nox",
        "coverage",
        "uv",
        "poetry",
        "make",
        "gmake",
        "sh",
        "bash",
        "env",
    }
    | {
        "git",
        "diff",
        "cmp",
        "grep",
        "test",
        "true",
        "false",
        "timeout",
        "java",
        "mvn",
        "gradle",
        "ruby",
        "rspec",
        "jest",
    }
    | {
        "vitest",
        "mocha",
        "eslint",
        "tsc",
        "awk",
        "sed",
        "cat",
        "find",
        "xargs",
        "php",
        "phpunit",
        "dotnet",
        "cmake",
    }
)
_RUNNER_MODULES = frozenset(
    {
        "pytest",
        "_pytest",
        "pluggy",
        "iniconfig",
        "packaging",
        "exceptiongroup",
        "tomli",
        "pygments",
        "py",
        "attr",
        "attrs",
    }
    | {
        "coverage",
        "xdist",
        "execnet",
        "hypothesis",
        "mock",
        "nose",
        "nose2",
        "mypy",
        "ruff",
        "flake8",
        "pylint",
        "doctest",
    }
    | {
        "pytest_asyncio",
        "pytest_mock",
        "pytest_cov",
        "anyio",
        "colorama",
        "faker",
        "freezegun",
        "responses",
        "setuptools",
    }
    | {"pkg_resources", "numpy", "pandas", "behave", "tox", "nox", "typing_extensions", "sortedcontainers"}
)
_NODE_MODULES = frozenset(
    {"assert", "test", "node:test", "node:assert", "chai", "jest", "vitest", "mocha", "tap", "ava"}
)
_SCRIPTS = ("js", "jsx", "ts", "tsx", "mjs", "mts", "cjs", "cts", "json")
_COMPILED = ("so", "pyd", "pyc", "node", "dll", "dylib")
# What a test file can do to others when it is loaded, or before they run.
_ACTS_ON_OTHERS = re.compile(
    r"(?m)\bsys\.modules\b|^(?:import builtins|builtins\.)|^setattr\(|^[ \t]*(?:for|with|if|try)\b[^\n]*\n[ \t]+setattr\("
    r"|^[A-Za-z_]\w*(?:\.\w+)+\s*=(?!=)|^def pytest_\w+|^[ \t]*(?:unittest|pytest|_pytest)(?:\.\w+)+\s*=(?!=)"
    r"|\batexit\b|\bos\._exit\b"
    r"|^def load_tests\b|^def (?:setUpModule|setup_module)\b|autouse\s*=\s*True|^pytest_plugins\b|\.__code__\b|\bgc\.get_"
    r"|\brequire\.cache\b|\bModule\._(?:load|resolveFilename|extensions)|\bmock\.module\(|^[ \t]*assert(?:\.\w+)+\s*=(?!=)"
    r"|^[ \t]*(?:global|globalThis|process)(?:\.\w+)+\s*=(?!=)|\.prototype(?:\.\w+|\[[^\]]*\])\s*=(?!=)"
    r"|\bObject\.(?:assign|defineProperty)\(\s*(?:assert|require|global|process)"
    r"|^(?:test|it|beforeEach|before|afterEach|after)\.(?:skip|only)\s*=|^[ \t]*process\.on\(|\bprocess\.exit\b"
    r"|^func (?:init|TestMain)\(|\bunsafe\.|//go:linkname|\bsyscall\.(?:Mprotect|Exit)|^[ \t]+[a-z]\w*\s*=\s*(?:func\b|\w+\s*$)"
)

# Go lets a package call something else `true`.
_REDEFINES = re.compile(
    r"(?m)^(?:const|var|func|type)[ \t]+(?:true|false|nil|iota|len|cap|append|panic|recover|error|string|int|bool)\b"
    r"|^[ \t]+(?:true|false|nil)[ \t]*(?:\w+[ \t]*)?=(?!=)"
)


class Places:
    """The start's files by place: which folders hold something, which hold tests, which modules there are."""

    def __init__(self, paths: Collection[str], folder: str = "") -> None:
        self._paths = frozenset(paths)
        self._folders = frozenset(part for path in paths for part in _parents(path)) | {""}
        self._with_tests = frozenset(
            posixpath.dirname(path) for path in paths if is_test(path) and is_source(path)
        )
        self._roots = frozenset({"", folder, "src", "lib", posixpath.join(folder, "src")}) | self._with_tests
        self._modules = frozenset(
            _module(path) for path in paths if suffix_of(path) == "py" and not is_test(path)
        )

    def acts_on_runner(self, path: str, content: bytes | None, claim: Collection[str]) -> bool:
        """Whether a new file could change what the judges do. `claim`: the paths of the claim's tree."""
        name = posixpath.basename(path)
        if matches(path, _ANYWHERE) or name in _PROGRAMS:
            return True
        if configures_runner(path):
            return self._held_something(path)
        if name == "__init__.py" and posixpath.dirname(path) in self._with_tests:
            return True
        if suffix_of(path) == "go" and _REDEFINES.search((content or b"").decode(errors="replace")):
            return True
        if self._shadows_module(path, claim) or self._shadows_neighbour(path, claim):
            return True
        return is_test(path) and is_source(path) and acts_on_other_tests(content)

    def _held_something(self, path: str) -> bool:
        """A new configuration acts on its folder and those below: where nothing was, there is nothing to act on."""
        folder = posixpath.dirname(path)
        while posixpath.basename(folder).startswith("."):  # .cargo/config.toml
            folder = posixpath.dirname(folder)
        return folder in self._folders

    def _shadows_module(self, path: str, claim: Collection[str]) -> bool:
        """A Python module that would be found before the runner's, the standard library's or the project's own."""
        if suffix_of(path) != "py":
            return False
        folder, module = posixpath.dirname(path), _module(path)
        if posixpath.basename(path) == "__init__.py":
            folder = posixpath.dirname(folder)
        if folder not in self._roots or f"{folder}/__init__.py".lstrip("/") in self._paths:
            return False
        known = module in _RUNNER_MODULES or module in sys.stdlib_module_names
        if known or not folder or is_test(posixpath.basename(path)):
            return known
        beside = f"{module}.py" in claim or f"{module}/__init__.py" in claim  # calc.py beside src/calc.py
        return (folder in self._with_tests and module in self._modules) or (
            beside and (f"{module}.py" in self._paths or f"{module}/__init__.py" in self._paths)
        )

    def _shadows_neighbour(self, path: str, claim: Collection[str]) -> bool:
        """`calc/__init__.py` beside `calc.py`, `calc/index.js` beside `calc.js`, `calc.ts` beside `calc.js`, while the other
        is still there."""
        folder, name = posixpath.split(path)
        stem, suffix = name.partition(".")[0], suffix_of(path)
        if name.endswith(".d.ts"):
            return False
        if stem in ("__init__", "index"):
            others = [f"{folder}.{one}" for one in (*_SCRIPTS, "py")]
        elif suffix in _SCRIPTS:
            base = posixpath.join(folder, stem)
            others = [f"{base}.{one}" for one in _SCRIPTS if one != suffix and name == f"{stem}.{suffix}"]
            others += [f"{base}/index.{one}" for one in _SCRIPTS]
        elif suffix in _COMPILED or suffix == "py":
            base = posixpath.join(folder, stem)
            others = [f"{base}/__init__.py", *([f"{base}.py"] if suffix != "py" else [])]
        else:
            return False
        return any(other in self._paths and other in claim for other in others)


def acts_on_other_tests(content: bytes | None) -> bool:
    """Whether a test file does something to what others test or are tested with, as soon as it is loaded."""
    return _ACTS_ON_OTHERS.search((content or b"").decode(errors="replace")) is not None


def _module(path: str) -> str:
    folder, name = posixpath.split(path)
    return posixpath.basename(folder) if name == "__init__.py" else name.rpartition(".")[0]


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]
