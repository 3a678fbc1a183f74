"""A change with the tree around it, as the rules see it that need more than one file. Everything is read once, and bounded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from ralph.git.trees import Change

MOST_FILES = 1_000
MOST_TESTS = 400
LARGEST = 400_000  # bytes of a file that is read

CODE = re.compile(r"\.(?:py|[cm]?[jt]sx?|go|rs)\Z")
_STYLES = {"py": "python", "go": "go", "rs": "rust"}


def style_of(path: str) -> str:
    """How comments and strings are written in a file of code."""
    return _STYLES.get(path.rpartition(".")[2], "js")


class ChangeView:
    """`before` and `after` read files of the start and of the claim; `paths` are all of the claim's tree."""

    def __init__(
        self,
        before: Callable[[str], bytes | None],
        after: Callable[[str], bytes | None],
        changes: Sequence[Change],
        tests: Callable[[str], bool],
        paths: Sequence[str],
        calls: Callable[[str], bool],
    ) -> None:
        self.before, self.after, self.is_test, self.calls = before, after, tests, calls
        self.all_changes = changes
        self.changes = [change for change in changes if not tests(change.path)]
        self.paths = paths or [change.path for change in changes if change.status != "D"]
        self._seen: dict[tuple[str, bool], str] = {}
        self._counted: dict[tuple[str, str], int] = {}

    def old(self, path: str) -> str:
        return self._text(path, now=False)

    def new(self, path: str) -> str:
        return self._text(path, now=True)

    def _text(self, path: str, *, now: bool) -> str:
        if (path, now) not in self._seen:
            data = (self.after if now else self.before)(path)
            readable = data is not None and len(data) <= LARGEST
            self._seen[path, now] = data.decode("utf-8", "replace") if data is not None and readable else ""
        return self._seen[path, now]

    @cached_property
    def code_changes(self) -> list[Change]:
        """Of code that is there at the claim, and no test."""
        found = (change for change in self.changes if change.status != "D" and CODE.search(change.path))
        return list(found)[:MOST_FILES]

    @cached_property
    def work(self) -> dict[str, str]:
        """The code of the claim that is no test, by path."""
        paths = [path for path in self.paths if CODE.search(path) and not self.is_test(path)]
        return {path: self.new(path) for path in paths[:MOST_FILES]}

    @cached_property
    def work_before(self) -> dict[str, str]:
        """The same at the start."""
        changed = {change.path for change in self.all_changes}
        found = {path: text for path, text in self.work.items() if path not in changed}
        return found | {
            change.path: self.old(change.path)
            for change in self.changes[:MOST_FILES]
            if change.status != "A" and CODE.search(change.path)
        }

    @cached_property
    def tests_before(self) -> dict[str, str]:
        """The tests of the start that are code, by path."""
        added = {change.path for change in self.all_changes if change.status == "A"}
        gone = [change.path for change in self.all_changes if change.status == "D"]
        changed = {change.path for change in self.all_changes}
        paths = [
            path
            for path in (*self.paths, *gone)
            if CODE.search(path) and self.is_test(path) and path not in added
        ]
        return {path: self.old(path) if path in changed else self.new(path) for path in paths[:MOST_TESTS]}

    def mentions(self, pattern: str, suffix: str) -> int:
        """How often the work has it."""
        if (pattern, suffix) not in self._counted:
            found = re.compile(pattern)
            texts = (text for path, text in self.work.items() if path.endswith(suffix))
            self._counted[pattern, suffix] = sum(len(found.findall(text)) for text in texts)
        return self._counted[pattern, suffix]
