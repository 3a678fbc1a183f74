"""cargo test: its output is read, which names each test unless `-q` is given. Nothing is added to the run. What does not
compile is of a test run only if it was compiled for tests: `cargo build` and `cargo run` run none.

A binary is announced by its source file, on stderr; doc tests by their crate. `running N tests` without a result means that
the binary ended early.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

from .report import Builder, Outcome
from .sources import source_text, walk

USED = {"cargo": r"\bcargo\s+(?:\+\S+\s+)?(?:test|t)\b"}
_OUTCOMES: dict[str, Outcome] = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
_BINARY = re.compile(r"\s+Running (?:unittests )?(\S+\.rs)? ?\(?\S*?/deps/([\w-]+?)-[0-9a-f]{8,}")
_DOCS = re.compile(r"\s+Doc-tests (\S+)")
_RUNNING = re.compile(r"running (\d+) tests?$")
_TEST = re.compile(r"test (.+?)(?: - should panic)? \.\.\. (?:(ok|FAILED|ignored)\b(?:, .*)?$)?")
_RESULT = re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;")
_DOC_NAME = re.compile(r"(\S+\.rs) - (.*?) ?\(line \d+\)")
_PANICKED = re.compile(r"thread '([^']+)'(?: \(\d+\))? panicked at (?:'(.*)', )?")
_ERROR = re.compile(r"error(?:\[E\d+\])?: (.+)")
# The target is not named by versions before 1.68.
_NOT_COMPILED = re.compile(r"error: could not compile `[^`]+`(?: \((?:test \"|[^)]*\btest\))|(?! \())")
_SUMMARY = re.compile(r"could not compile|aborting due to|test failed|\d+ targets? failed|build failed")


class _Output:
    """Reads one line after the other."""

    def __init__(self, builder: Builder, root: Path) -> None:
        self.builder = builder
        self.crates = _Crates(root)
        self.path = ""
        self.documented = False
        self.pending = ""  # printed its name, and not yet its result
        self.running = False
        self.named = self.counted = 0
        self.doc_names: Counter[str] = Counter()
        self.panics: dict[str, str] = {}
        self.panicked = ""
        self.errors: list[str] = []
        self.failed: list[tuple[str, str]] = []

    def line(self, text: str) -> None:
        if found := _BINARY.match(text):
            self.path, self.documented = self.crates.file(found[1] or "", found[2]), False
        elif found := _DOCS.match(text):
            self.path, self.documented = self.crates.folder(found[1]), True
            self.doc_names.clear()
        elif found := _RUNNING.match(text):
            self._end(running=True)
        elif found := _RESULT.match(text):
            self.counted += sum(int(number) for number in found.groups())
            self._end(running=False)
        elif self.running and (found := _TEST.match(text)):
            self.pending = found[1]
            if found[2]:
                self._test(found[2])
        elif self.pending and text in _OUTCOMES:  # after what the test itself printed
            self._test(text)
        else:
            self._other(text)

    def _other(self, text: str) -> None:
        if found := _PANICKED.match(text):
            self.panicked = found[1]
            self.panics.setdefault(found[1], found[2] or "")
        elif self.panicked and not re.match(r"stack backtrace|note:|$", text):
            self.panics[self.panicked] = f"{self.panics[self.panicked]} {text.strip()}".strip()
        else:
            self.panicked = ""
        if (found := _ERROR.match(text)) and not _SUMMARY.search(text):
            self.errors.append(found[1])
        if _NOT_COMPILED.match(text):
            self.builder.began("cargo")
            said = "; ".join(dict.fromkeys(self.errors)) or text
            self.builder.trouble("", f"does not compile: {said}")  # then no binary is run

    def _test(self, word: str) -> None:
        name, self.pending = self.pending, ""
        self.named += 1
        path = self.path
        if self.documented and (found := _DOC_NAME.match(name)):
            path = self.crates.source(found[1], self.path)
            name = f"doc {found[2]}".strip()  # the line changes with every edit above
            self.doc_names[f"{path} {name}"] += 1
            if (number := self.doc_names[f"{path} {name}"]) > 1:
                name = f"{name} #{number}"
        if word == "FAILED":
            self.failed.append((path, name))
        self.builder.test(path, name, _OUTCOMES[word])

    def _end(self, *, running: bool) -> None:
        if self.running and running:
            self._ended_early()
        for path, name in self.failed:
            if said := self.panics.get(name):
                self.builder.test(path, name, "failed", f"panicked: {said}")
        self.failed, self.panics, self.pending, self.panicked = [], {}, "", ""
        self.running = running

    def _ended_early(self) -> None:
        self.builder.began("cargo")
        self.builder.never_ended()

    def finish(self) -> None:
        if self.running:
            self._ended_early()
        if self.named:
            self.builder.began("cargo")
            if self.named < self.counted:
                self.builder.note(f"cargo test named {self.named} of {self.counted} tests")
        elif self.counted:
            self.builder.ran_unnamed()


def read_output(output: str, builder: Builder, root: Path) -> None:
    if "running " not in output and "could not compile" not in output:
        return
    read = _Output(builder, root)
    for line in output.splitlines():
        read.line(line)
    read.finish()


class _Crates:
    """The crates of the checkout by name, and their source files. Looks only when asked."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: dict[str, str] | None = None
        self._last = ""

    def _known(self) -> dict[str, str]:
        if self._folders is None:
            self._folders = {}
            for path in walk(self._root, "Cargo.toml"):
                folder = path.parent.relative_to(self._root).as_posix()
                self._folders[_package(source_text(path)) or f"({folder})"] = folder
        return self._folders

    def folder(self, crate: str) -> str:
        return self._known().get(crate.replace("-", "_"), crate)

    def file(self, source: str, binary: str) -> str:
        """Of a binary: a crate has its name, or else it is an integration test of some crate."""
        known = self._known().get(binary.replace("-", "_"))
        if known is not None and not source.startswith("tests/"):
            self._last = known
        return self.source(source, self._last) if source else self.folder(binary)

    def source(self, path: str, first: str) -> str:
        for folder in dict.fromkeys((first, *sorted(self._known().values()))):
            if (self._root / folder / path).is_file():
                return os.path.normpath(f"{folder}/{path}")
        return path


def _package(text: str) -> str:
    import tomllib  # only needed where there are crates

    try:
        return str(tomllib.loads(text).get("package", {}).get("name", "")).replace("-", "_")
    except (tomllib.TOMLDecodeError, AttributeError, RecursionError):
        return ""
