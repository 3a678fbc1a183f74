"""go test: `-v -count=1` in GOFLAGS, and its output is read. Not `-json` there: with it `go vet` always exits with 0.

Output comes package by package, and names a package only at its end. A test is found in its file by its name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from .additions import Addition, GateCommand
from .report import Builder, Outcome
from .sources import source_text, walk

USED = {"go": r"\bgo\s+test\b"}
BROKE = r"parsing \$?GOFLAGS|flag provided but not defined: -(?:v|count)\b"
ASKED = "-v -count=1"
_OUTCOMES: dict[str, Outcome] = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}
_RUN = re.compile(r"=== (?:RUN|CONT|NAME) +(\S+)$")
_RESULT = re.compile(r"--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)$")
_PACKAGE = re.compile(r"(ok  |FAIL|\?   )\t([^\s\[]+)(?:[\t ]+(.*))?$")
_LOGGED = re.compile(r"\s+\S+\.go:\d+: (.+)")
_BUILD = re.compile(r"# (\S+)")  # the errors of a package follow
_ERROR = re.compile(r"(?:vet: )?\S+\.go:\d+(?::\d+)?: (.+)")
_MARKS = ("=== ", "FAIL\t", '"Action":')  # without one of these nothing in an output is Go's
_TEST = re.compile(r"^func ((?:Test|Example|Fuzz|Benchmark)\w*)\(", re.MULTILINE)
_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)


def additions(gate: GateCommand) -> dict[str, Addition]:
    """Only where the tests of Go are seen to run, and no program reads what they print: `-v` makes it another text."""
    runs = [line for line in gate.said.splitlines() if re.search(USED["go"], line)]
    if not runs or any(re.search(r"[|`]|\$\(", line) for line in runs):
        return {}
    return {"GOFLAGS": Addition(ASKED, " ", gate.env.get("GOFLAGS") or _configured(gate.env))}


def _configured(env: Mapping[str, str]) -> str:
    """GOFLAGS of `go env -w`, which a variable would hide."""
    home = env.get("XDG_CONFIG_HOME") or os.path.join(env.get("HOME", ""), ".config")  # noqa: PTH118
    lines = source_text(Path(env.get("GOENV") or Path(home, "go", "env"))).splitlines()
    return next((line.partition("=")[2].strip() for line in lines if line.startswith("GOFLAGS=")), "")


class _Block:
    """What is known of the package whose lines are being read."""

    def __init__(self) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.details: dict[str, str] = {}
        self.begun: list[str] = []
        self.current = ""

    def line(self, text: str) -> None:
        if found := _RUN.search(text):
            self.current = found[1]
            self.begun.append(found[1])
        elif found := _RESULT.search(text):
            self.outcomes[found[2]] = _OUTCOMES[found[1]]
        elif self.current and (found := _LOGGED.match(text)):
            self.details.setdefault(self.current, found[1])
        elif self.current and text.startswith("panic: "):
            self.details.setdefault(self.current, text.removesuffix(" [recovered]"))

    def finish(self, builder: Builder, package: _Packages, name: str) -> None:
        for test in self.begun:  # one that panicked, or that ended the process, has no result
            self.outcomes.setdefault(test, "failed")
        for test, outcome in self.outcomes.items():
            builder.test(package.file(name, test), test, outcome, self.details.get(test, ""))


def read_output(output: str, builder: Builder, root: Path) -> None:
    if not any(mark in output for mark in _MARKS):
        return
    packages = _Packages(root)
    block, building = _Block(), ""
    errors: dict[str, list[str]] = {}
    for line in _lines(output):
        if found := _PACKAGE.match(line):
            _finish(block, builder, packages, found, errors)
            block, building = _Block(), ""
        elif not block.begun and (found := _BUILD.match(line)):
            building = found[1].removesuffix(".test").removesuffix("_test")
        elif building and (found := _ERROR.match(line)):
            errors.setdefault(building, []).append(found[1])
        else:
            block.line(line)
    if block.begun:  # its package never ended
        builder.began("go")
        builder.never_ended()


def _finish(
    block: _Block, builder: Builder, packages: _Packages, found: re.Match[str], errors: dict[str, list[str]]
) -> None:
    name, rest = found[2], found[3] or ""
    failed = found[1] == "FAIL" and rest.startswith(("[build failed]", "[setup failed]"))
    if failed and packages.has_tests(name):
        builder.began("go")
        said = "; ".join(dict.fromkeys(errors.get(name, ()))) or rest
        builder.trouble(packages.folder(name), f"does not compile: {said}")
    elif block.begun:
        builder.began("go")
        block.finish(builder, packages, name)


class _Event(msgspec.Struct, frozen=True, rename="pascal"):
    """Of `go test -json`."""

    action: str
    package: str = ""
    output: str = ""


def _lines(output: str) -> Iterator[str]:
    """The lines as `-v` prints them, also from the events of `-json`, whose packages are mixed."""
    events: dict[str, list[str]] = {}
    for line in output.splitlines():
        if line.startswith('{"') and '"Action":' in line:
            try:
                event = msgspec.json.decode(line, type=_Event)
            except msgspec.MsgspecError:
                continue
            events.setdefault(event.package, []).append(event.output)
        else:
            yield line
    for printed in events.values():
        yield from "".join(printed).splitlines()


class _Packages:
    """Where packages and their tests lie, by the modules of the checkout. Looks only when asked."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._modules: dict[str, str] | None = None
        self._tests: dict[str, dict[str, str]] = {}

    def folder(self, package: str) -> str:
        if self._modules is None:
            self._modules = {}
            for path in walk(self._root, "go.mod"):
                if found := _MODULE.search(source_text(path)):
                    self._modules[found[1]] = path.parent.relative_to(self._root).as_posix()
        for module in sorted(self._modules, key=len, reverse=True):
            if package == module or package.startswith(module + "/"):
                return os.path.normpath(f"{self._modules[module]}/{package[len(module) + 1 :]}")
        return package

    def has_tests(self, package: str) -> bool:
        return bool(self._named(self.folder(package)))

    def file(self, package: str, test: str) -> str:
        folder = self.folder(package)
        name = self._named(folder).get(test.partition("/")[0])
        return f"{folder}/{name}" if name else folder

    def _named(self, folder: str) -> dict[str, str]:
        """Test -> its file."""
        if folder not in self._tests:
            files = sorted((self._root / folder).glob("*_test.go"))
            self._tests[folder] = {
                name: path.name for path in files for name in _TEST.findall(source_text(path))
            }
        return self._tests[folder]
