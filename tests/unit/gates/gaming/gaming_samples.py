"""A change of a few files, put to the rules."""

from __future__ import annotations

from collections.abc import Mapping

from ralph.core.globs import matches
from ralph.gates.gaming.inspection import Inspection, inspect_change
from ralph.gates.judges import TESTS
from ralph.git.trees import Change

ROOT, HOME = "/srv/agent/project", "/home/agent"


def inspected(
    before: Mapping[str, str | bytes], after: Mapping[str, str | bytes], rest: Mapping[str, str] | None = None
) -> Inspection:
    """`rest` are files that the change does not touch."""
    old, new = ({**(rest or {}), **files} for files in (before, after))
    changes = [
        Change(path, "A" if path not in old else "D" if path not in new else "M")
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]
    return inspect_change(
        lambda path: _bytes(old.get(path)),
        lambda path: _bytes(new.get(path)),
        changes,
        tests=lambda path: matches(path, TESTS),
        root=ROOT,
        home=HOME,
        paths=list(new),
    )


def _bytes(text: str | bytes | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text


def rules(
    path: str, text: str, *, before: str | None = None, test: Mapping[str, str] | None = None
) -> list[str]:
    """The rules that find something in this file, new or changed."""
    was = {} if before is None else {path: before}
    found = inspected(was, {path: text}, test)
    assert not found.skipped
    return [finding.rule for finding in found.findings]
