"""The original tests of a claim that renamed or moved what they use: put in under the new names, so that they can still judge."""

from __future__ import annotations

import posixpath
from collections.abc import Collection

from msgspec.structs import replace

from ralph.gates.integrity.references import side_of
from ralph.gates.integrity.renames import Renames, rename_map
from ralph.gates.integrity.rewritten_tests import new_place, rewrite
from ralph.gates.judges import is_test
from ralph.gates.reports.report import TestReport
from ralph.git.trees import Trees


def renames_between(trees: Trees, base: str, tree: str) -> Renames:
    changed = [change.path for change in trees.diff(base, tree)]
    start, claim = (side_of(trees, one, changed) for one in (base, tree))
    return rename_map(start.read, claim.read, changed)


def follow_renames(trees: Trees, base: str, tree: str, originals: str, paths: Collection[str]) -> str:
    """The tree `originals`, which has the judges of `base` at these paths, with its tests under the names of the claim `tree`."""
    tests = [path for path in paths if is_test(path)]
    if not tests:
        return originals
    renames = renames_between(trees, base, tree)
    if not (renames.names or renames.methods or renames.modules or renames.moved):
        return originals
    start, made = side_of(trees, base, tests), {}
    for path in tests:
        content = start.read(path)
        if content is None:
            continue
        text = content.decode("utf-8", "surrogateescape")
        now, place = rewrite(text, renames, path=path), new_place(path, renames)
        if now != text or place != path:
            made[place] = now.encode("utf-8", "surrogateescape")
    moved = [path for path in tests if new_place(path, renames) != path]
    originals = trees.overlay(originals, tree, moved) if moved else originals
    return trees.rewritten(originals, made) if made else originals


def removed_names(renames: Renames) -> frozenset[str]:
    """What is gone for good, in every form in which a runner may name it."""
    found = set[str]()
    for name in renames.removed:
        stem = posixpath.splitext(name)[0] if "/" in name or "." in posixpath.basename(name) else name
        found |= {name, stem, stem.replace("/", "."), *stem.replace("/", ".").split(".")}
    return frozenset(found)


def under_new_places(report: TestReport, renames: Renames) -> TestReport:
    """The tests of a report under the ids that they have where `follow_renames` has put them."""

    def moved(id_: str) -> str:
        path, found, name = id_.partition("::")
        return f"{new_place(path, renames)}{found}{name}"

    tests = {moved(id_): outcome for id_, outcome in report.tests.items()}
    return replace(report, tests=tests, details={moved(id_): text for id_, text in report.details.items()})
