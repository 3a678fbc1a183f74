"""The gates that fit a folder, each with the reason; what is passed over is named with its reason too. Nothing is run."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.git import program
from ralph.git.repo import printable
from ralph.git.workspaces.shared_folders import DEPENDENCIES
from ralph.setup.project import Machine, ProjectFolder
from ralph.setup.test_runners import ANY, RUNNERS, Candidate

MOST_FOLDERS = 30  # directly below that are looked into
MOST_GATES = 4  # beyond these, no further folder below is looked into
# Folders that show, measure or describe the project rather than being it.
_ASIDE = frozenset(
    (
        *("docs", "doc", "website", "site", "examples", "example", "samples", "sample", "demo", "demos"),
        *("benchmarks", "benchmark", "e2e", "scripts", "tools", "contrib"),
    )
)


MOST_SHARED = 20


class Proposal(msgspec.Struct, frozen=True):
    """A gate that fits."""

    name: str
    run: str
    why: str
    hint: str = ""


class LeftOut(msgspec.Struct, frozen=True):
    """A check that is here and is not proposed."""

    run: str
    why: str


class Detected(msgspec.Struct, frozen=True):
    gates: tuple[Proposal, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def detect(folder: Path, root: Path | None = None, machine: Machine | None = None) -> Detected:
    """Looks in `folder`, and in the folders below for further languages; if there is nothing, in `root`, the top of the
    repository. The commands are to be run in `folder`.
    """
    machine = machine or Machine()
    found, left_out = _here_and_below(folder, machine)
    if not found and root is not None and root.resolve() != folder.resolve():
        around, passed = _choose(ProjectFolder(root), machine, frozenset())
        found = [(os.path.relpath(root.resolve(), folder.resolve()), one) for one in around]
        left_out += passed
    return Detected(_named(found), tuple(left_out))


def dependency_folders(root: Path) -> tuple[str, ...]:
    """Installed dependencies that git ignores, relative to the top of the repository: a clean checkout has none of them."""
    query = ("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z")
    try:
        listed = os.fsdecode(program.run(query, cwd=root)).split("\0")
    except RalphError:  # no repository
        return ()
    found = [path.rstrip("/") for path in listed if path.endswith("/") and printable(path) == path]
    return tuple(path for path in found if path.rpartition("/")[2] in DEPENDENCIES)[:MOST_SHARED]


def _here_and_below(folder: Path, machine: Machine) -> tuple[list[tuple[str, Candidate]], list[LeftOut]]:
    here = ProjectFolder(folder)
    chosen, left_out = _choose(here, machine, frozenset())
    found = [(".", one) for one in chosen]
    if any(one.language == ANY for one in chosen):  # the project's own command for everything
        return found, left_out
    known = frozenset(one.language for one in chosen)
    for name in here.folders[:MOST_FOLDERS]:
        if name.lower() in _ASIDE or len(found) >= MOST_GATES:
            continue
        below, passed = _choose(ProjectFolder(folder / name), machine, known | {ANY} if known else known)
        found += [(name, one) for one in below]
        left_out += [LeftOut(f"cd {shlex.quote(name)} && {one.run}", one.why) for one in passed]
    return found, left_out


def _choose(
    place: ProjectFolder, machine: Machine, without: frozenset[str]
) -> tuple[list[Candidate], list[LeftOut]]:
    usable: list[Candidate] = []
    left_out: list[LeftOut] = []
    for language, runner in RUNNERS:
        candidate = runner(place, machine) if language not in without else None
        if candidate is None:
            continue
        trouble = candidate.trouble
        if candidate.needs and not machine.has(candidate.needs):
            trouble = trouble or f"{candidate.needs} is not on PATH"
        if trouble:
            left_out.append(LeftOut(candidate.run, f"{candidate.why}, but {trouble}"))
        else:
            usable.append(msgspec.structs.replace(candidate, language=language))
    by = _callers(usable)
    left_out += [LeftOut(one.run, _passed_over(one, by[one.label])) for one in usable if one.label in by]
    return [_with_reason(one, usable, by) for one in usable if one.label not in by], left_out


def _callers(usable: list[Candidate]) -> dict[str, Candidate]:
    """Label of a candidate that another one runs, and that other one. Of two wrappers around the same, the first stays."""
    by: dict[str, Candidate] = {}
    for caller in usable:
        called = [other for other in usable if other is not caller and _calls(caller, other)]
        if called and all(other.label in by for other in called) and caller.label not in by:
            by[caller.label] = by[called[0].label]
            continue
        for other in called:
            if other.label not in by and by.get(caller.label) is not other:
                by[other.label] = caller
    return by


def _calls(caller: Candidate, other: Candidate) -> bool:
    return bool(re.search(other.called, caller.text))


def _passed_over(candidate: Candidate, caller: Candidate) -> str:
    return f"`{caller.run}` runs {'it' if _calls(caller, candidate) else 'the same'}"


def _with_reason(candidate: Candidate, usable: list[Candidate], by: dict[str, Candidate]) -> Candidate:
    """A wrapper's reason names what it runs."""
    inner = [other.label for other in usable if by.get(other.label) is candidate and _calls(candidate, other)]
    if not inner:
        return candidate
    return msgspec.structs.replace(candidate, why=f"{candidate.why}, which runs {', '.join(inner)}")


def _named(found: list[tuple[str, Candidate]]) -> tuple[Proposal, ...]:
    """One gate is called `tests`; several are distinguished by folder or runner."""
    gates = []
    taken: set[str] = set()
    for where, candidate in found:
        elsewhere = where if not where.startswith(".") else ""
        name = "tests"
        if len(found) > 1:
            name = "-".join(filter(None, ("tests", _simple(elsewhere), candidate.label)))
            if elsewhere and sum(place == where for place, _ in found) == 1:
                name = f"tests-{_simple(elsewhere)}"
        while name in taken:
            name += "-2"
        taken.add(name)
        run = candidate.run if where == "." else f"cd {shlex.quote(where)} && {candidate.run}"
        why = f"{where}: {candidate.why}" if where != "." else candidate.why
        gates.append(Proposal(name, run, why, candidate.hint))
    return tuple(gates)


def _simple(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-")
