"""The judges that a change touched: for each gate, what of it is not as it was at the start, and the claim's file with the
judges of the start in it.

A name decides first, then the gate's command, then what the start's judges use. What nothing decides is work.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from ralph.agents.registry import instructions
from ralph.core.globs import matches
from ralph.core.policy import GatePolicy
from ralph.gates.integrity.added_files import Places
from ralph.gates.integrity.command_roles import Role, read_command
from ralph.gates.integrity.inline_tests import original_blocks
from ralph.gates.integrity.makefiles import NAMES as MAKEFILES
from ralph.gates.integrity.makefiles import reached, targets_of
from ralph.gates.integrity.references import (
    References,
    Side,
    is_golden,
    is_production,
    is_source,
    side_of,
    suffix_of,
)
from ralph.gates.integrity.sections import is_mixed, original_sections, sections_differ, without_judges
from ralph.gates.judges import (
    checks_by_name,
    configures_runner,
    is_shell,
    is_test,
    named_in,
    parents,
    place_of,
)
from ralph.git.repo import printable
from ralph.git.trees import Change, Trees

SYMLINK = "120000"
How = Literal["whole", "section", "block", "added"]


class Touched(msgspec.Struct, frozen=True, order=True):
    """A judge that is not as it was at the start. In the run with the originals, the file is the start's, or only its
    judging sections or its test blocks are, or it is left out, with all or with its judging sections."""

    path: str
    how: How


def touched_by_gate(
    gates: Sequence[GatePolicy],
    start: Side,
    claim: Side,
    changes: Sequence[Change],
    *,
    folder: str,
    root: str,
) -> dict[str, tuple[Touched, ...]]:
    """gate -> its judges that are not as they were at the start. New tests are no reason for doubt."""
    touched = {}
    for gate in gates:
        if gate.kind.runs_agent:
            paths = _reviewers_own(start.paths, changes, gate.run, folder=folder, root=root)
            found = [Touched(path, "whole") for path in paths]
        else:
            judges = Judges(gate, start, folder=folder, root=root)
            found = list(judges.touched(claim, changes))
        if found:
            touched[gate.name] = tuple(Touched(printable(one.path), one.how) for one in sorted(found))
    return touched


def paths_of(touched: Mapping[str, Sequence[Touched]]) -> dict[str, tuple[str, ...]]:
    """gate -> paths."""
    return {gate: tuple(one.path for one in found) for gate, found in touched.items()}


def _reviewers_own(
    known: Collection[str], changes: Sequence[Change], command: str, *, folder: str, root: str
) -> list[str]:
    """What was changed by which someone could tell a reviewer what to say: its program, and what agents read as
    instructions. Tests are no such thing: it is shown the change."""
    paths = [change.path for change in changes]
    named = named_in(command, (*known, *paths), folder=folder, root=root)
    patterns = (*named.patterns, *instructions())
    return sorted(path for path in paths if path in named.paths or matches(path, patterns))


class Judges:
    """Which files judge the work by one gate."""

    def __init__(self, gate: GatePolicy, start: Side, *, folder: str = "", root: str = "") -> None:
        self._command = gate.run
        self._judges = tuple(one for one in gate.judges if not one.startswith("!"))
        self._work = tuple(one[1:] for one in gate.judges if one.startswith("!"))
        self._start = start
        self._folder = folder
        self._root = root

    def touched(self, claim: Side, changes: Sequence[Change]) -> Iterator[Touched]:
        """The judges that the change modified or deleted, and what it added that could act on them."""
        undecided = []
        roles = self._roles(change.path for change in changes)
        patterns = self._patterns(change.path for change in changes)
        added = any(change.status == "A" for change in changes)
        places = Places(self._start.paths if added else (), self._folder)
        for change in changes:
            path = change.path
            if matches(path, self._work):
                continue
            if change.status == "A":
                content = claim.read(path)
                command = self._by_command(path, roles.get(path, set()), content, added=True)
                pattern = matches(path, self._judges) or (matches(path, patterns) and not is_test(path))
                if pattern or command or places.acts_on_runner(path, content, claim.paths):
                    # a file that a new ignore rule hides is in the folder and in no tree: it has no content here
                    if content is None or pattern or without_judges(path, content) != content:
                        yield Touched(path, "added")
                    continue
            elif how := self._how(change, claim, roles.get(path, set()), patterns):
                if how != "work":
                    yield Touched(path, how)
                continue
            undecided.append(change)
        yield from self._used_by_judges(undecided, claim, roles)

    def undecided(self) -> list[str]:
        """What the command runs without a name, or a content, that says whether it is work or a judge. It counts as work."""
        found = self._roles(())
        return sorted(
            path
            for path, roles in found.items()
            if path in self._start.paths
            and "runs" in roles
            and not matches(path, (*self._judges, *self._work))
            and not is_test(path)
            and self._by_command(path, roles, self._start.read(path)) is None
        )

    # -- by names, then by the command

    def _how(
        self, change: Change, claim: Side, roles: Collection[Role], patterns: Sequence[str]
    ) -> How | Literal["work"] | None:
        """Of a file that was there at the start; None: its name and the command do not say."""
        path = change.path
        if matches(path, self._judges) or is_test(path):
            return "whole"
        before = self._start.read(path)
        after = None if change.status == "D" else claim.read(path)
        if before is not None and after is not None and change.status == "M":
            if posixpath.basename(path) in MAKEFILES and self._reach_same(before, after):
                return "work"
            if is_mixed(path):
                return "section" if sections_differ(path, before, after, claim.paths.__contains__) else "work"
        if configures_runner(path) or matches(path, patterns) or self._by_command(path, roles, before):
            return "whole"
        return None

    def _reach_same(self, before: bytes, after: bytes) -> bool:
        targets = targets_of(self._command)
        if targets is None:
            return False
        return reached(before.decode(errors="replace"), targets) == reached(
            after.decode(errors="replace"), targets
        )

    def _roles(self, paths: Iterable[str]) -> dict[str, set[Role]]:
        """What the command does with the places that it names."""
        known = (*self._start.paths, *paths)
        folders = {parent for path in known for parent in parents(path)}
        command = read_command(self._command)
        words = [
            (part, role)
            for word, role in command.roles
            for part in {word, *re.split(r"[=:@,]", word)}
            if part
        ]
        places = {place_of(word, self._folder, self._root) for word, _ in words}
        bases = {self._folder, *(place for place in places if place in folders)}
        found: dict[str, set[Role]] = {}
        for word, role in words:
            for base in bases:
                place = place_of(word, base or "", self._root)
                if place and place not in folders and place not in command.written:
                    found.setdefault(place, set()).add(role)
        return found

    def _patterns(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Folders of checks and globs that the command names."""
        known = (*self._start.paths, *paths)
        return named_in(self._command, known, folder=self._folder, root=self._root).patterns

    def _by_command(
        self, path: str, roles: Collection[Role], content: bytes | None, *, added: bool = False
    ) -> bool | None:
        """Whether a file that the command names judges; None: the command does not say."""
        if "sources" in roles or ("compared" in roles and is_golden(path)):
            return True
        if ("runs" in roles or "data" in roles) and (is_shell(path, content) or checks_by_name(path)):
            return True
        if added:
            return None
        if "runs" in roles:
            return True if _asserts(content) else None
        if "doctests" in roles and not is_source(path):
            return True
        return True if "data" in roles and not is_source(path) else None

    # -- by what the judges of the start use

    def _used_by_judges(
        self, changes: Sequence[Change], claim: Side, roles: Mapping[str, Collection[Role]]
    ) -> Iterator[Touched]:
        known = [path for path, some in roles.items() if self._by_command(path, some, self._start.read(path))]
        references = References(self._start, known, [change.path for change in changes])
        for change in changes:
            path = change.path
            if change.status == "A":
                if references.sourced(path):
                    yield Touched(path, "added")
            elif "tests" in roles.get(path, ()) and not references.is_used(path):
                yield Touched(path, "whole")
            elif self._blocks_differ(change, claim):
                yield Touched(path, "block")
            elif not roles.get(path) and references.judge(path):
                yield Touched(path, "whole")

    def _blocks_differ(self, change: Change, claim: Side) -> bool:
        before, after = self._start.read(change.path), claim.read(change.path)
        if before is None or after is None or change.status != "M":
            return False
        if (
            suffix_of(change.path) == "py"
            and not _TESTS_INSIDE.search(before)
            and not self._runs_examples(before)
        ):
            return False
        return original_blocks(change.path, before, after) not in (None, after)

    def _runs_examples(self, content: bytes) -> bool:
        """Whether some judge of the start looks for examples in docstrings."""
        if b">>>" not in content:
            return False
        return "doctest" in self._command or any(
            not is_production(hit) for hit in self._start.grep(["doctest"])
        )


_TESTS_INSIDE = re.compile(rb"(?m)^(?:def test_|class \w*Test\w*[(:]|class \w+\([^)\n]*TestCase)")
_ASSERTS = re.compile(
    rb"(?m)^[ \t]*(?:import|from)\s+(?:unittest|pytest|doctest)\b|[\"'](?:node:)?(?:assert(?:/strict)?|test)[\"']|^[ \t]*assert\s"
)


def _asserts(content: bytes | None) -> bool:
    """Whether a script that is run checks something itself."""
    return _ASSERTS.search(content or b"") is not None


def judged_content(
    touched: Touched, before: bytes | None, after: bytes | None, exists: Collection[str] | None = None
) -> bytes | None:
    """What the file holds in the run with the originals; None: it is not there. `exists`: the paths of the claim's tree."""
    if before is None or touched.how == "added":
        return None if after is None else without_judges(touched.path, after)
    if after is None or touched.how == "whole":
        return before
    if touched.how == "block":
        made = original_blocks(touched.path, before, after)
    else:
        there = (lambda path: True) if exists is None else exists.__contains__
        made = original_sections(touched.path, before, after, there)
    return before if made is None else made


def originals_tree(
    trees: Trees, base: str, tree: str, gate: GatePolicy, paths: Collection[str], *, folder: str, root: str
) -> str:
    """The claim's tree with the judges of the start at these paths: what the gate runs on for its second verdict."""
    changes = [change for change in trees.diff(base, tree) if change.path in paths]
    start, claim = (side_of(trees, one, paths) for one in (base, tree))
    how = {one.path: one for one in Judges(gate, start, folder=folder, root=root).touched(claim, changes)}
    made = {}
    for path, one in how.items():
        before, after = start.read(path), claim.read(path)
        judged = judged_content(one, before, after, claim.paths)
        if one.how != "whole" and after is not None and judged is not None:
            made[path] = judged
    whole = trees.overlay(tree, base, [path for path in paths if path not in made])
    return trees.rewritten(whole, made) if made else whole


def new_tests(changes: Iterable[Change]) -> list[str]:
    """The files of tests that were not there at the start."""
    return sorted(
        change.path
        for change in changes
        if change.status == "A" and is_test(change.path) and is_source(change.path)
    )


def links_out(changes: Iterable[Change], read: Callable[[str], bytes | None]) -> list[str]:
    """New or changed symbolic links that lead out of the tree: what they lead to is in no snapshot."""
    found = []
    for change in changes:
        if change.status == "D" or change.new_mode != SYMLINK:
            continue
        target = (read(change.path) or b"").decode(errors="surrogateescape")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(change.path), target))
        if target.startswith("/") or place == ".." or place.startswith("../"):
            found.append(change.path)
    return sorted(found)


def undecided_by_gate(
    gates: Sequence[GatePolicy], start: Side, *, folder: str, root: str
) -> dict[str, tuple[str, ...]]:
    """gate -> what it runs and nothing decides about."""
    asked = [
        (gate, Judges(gate, start, folder=folder, root=root)) for gate in gates if not gate.kind.runs_agent
    ]
    return {
        gate.name: tuple(map(printable, found)) for gate, judges in asked if (found := judges.undecided())
    }
