"""The kinds of gates: how each is run, and what its run amounts to. A kind is one object in one file.

Other packages bring kinds through the entry point group `ralph.gates`; installed packages are only looked through for a
name that is not Ralph's own. A kind never decides what a verdict does to a claim: that is the core's, by its traits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from msgspec.structs import replace

from ralph.agents.adapter import AgentTools, Reader, Words
from ralph.core.failures.test_counts import Counts
from ralph.core.loop.state import LoopState
from ralph.core.policy import COMMAND, REVIEWER, GateKind, GatePolicy
from ralph.errors import RalphError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "ralph.gates"
# the keys by which Ralph's own kinds are configured
SAID_WITH = {COMMAND.name: "run", REVIEWER.name: "review"}


class Asked(msgspec.Struct, frozen=True):
    """What a kind can know when its gate is about to run."""

    state: LoopState
    tree: str  # that it is asked about
    compose: Callable[[], str]  # the prompt of a reviewer of this claim
    put: Callable[[str], tuple[str, Path]]  # keep a text with the run's record: its name, and its file
    tools: Callable[[], AgentTools]  # for an agent


class Program(msgspec.Struct, frozen=True):
    """What a gate is run as. `reader` and `prompt` are those of an agent."""

    argv: tuple[str, ...]
    stdin: bytes | None = None
    env: dict[str, str] = {}
    reader: Reader | None = None
    prompt: str = ""


class Surroundings(msgspec.Struct, frozen=True):
    """Where a gate ran."""

    folder: Path
    root: Path  # of the project: what is below it, the task may bring
    path: str  # the variable PATH


class Ran(msgspec.Struct, frozen=True):
    """How the program ended. `output`: the first and last bytes of what it printed, and the number of its lines; without
    last bytes, the first are all."""

    code: int
    timed_out: str  # "", soft or hard
    wrote: tuple[str, ...]  # paths that it changed and may not change
    output: Callable[[], tuple[bytes, bytes, int]]
    words: Words  # of an agent
    trouble: str  # its last words in case that it failed to work
    where: Surroundings | None = None  # at the start, where it is to be said why it cannot be run


class GateFinding(msgspec.Struct, frozen=True):
    passed: bool
    excerpt: str
    error_hash: str = ""
    headline: str = ""
    unclear: bool = False  # a reviewer gave no verdict
    findings: tuple[str, ...] = ()
    empty: bool = False  # there was no test to run
    tests: Counts | None = None  # how many there were
    cannot_run: str = ""  # what its command lacks and no work on the task could bring


class Kind(Protocol):
    @property
    def about(self) -> GateKind:
        """Its name and traits."""

    def check(self, options: dict[str, Any]) -> Iterable[str]:
        """What is wrong with the options in the configuration."""

    def program(self, gate: GatePolicy, asked: Asked) -> Program:
        """What to run, in the folder of the workspace or of a clean checkout."""

    def find(self, gate: GatePolicy, ran: Ran) -> GateFinding:
        """What the run amounts to."""

    def command(self, gate: GatePolicy, s: LoopState) -> str:
        """The command as a shell would take it: files that it names judge the work, and are compared with the start. It
        names no file that is the work."""

    def evidence(self, gate: GatePolicy, s: LoopState) -> str:
        """What was run, for the journal and the report."""


def kind_of(gate: GatePolicy) -> Kind:
    """RalphError when there is no such kind here: what a journal names is shown, and not run."""
    if gate.other_kind is not None:
        found = find_kind(gate.other_kind.name)
        if found is None:
            raise RalphError(
                f"gate {gate.name} is of the kind {gate.other_kind.name!r}, which is not known here: it cannot be run",
                todo="Install the package that brings it; or start over with other gates.",
            )
        return found
    if gate.kind == REVIEWER:
        from ralph.gates.reviewer import Reviewer

        return Reviewer()
    from ralph.gates.command import Command

    return Command()


def find_kind(name: str) -> Kind | None:
    """A kind of another package, by the name in a configuration."""
    entry = _brought().get(name)
    return _loaded(entry) if entry else None


def kind_names() -> tuple[str, ...]:
    """Those of other packages."""
    return tuple(_brought())


def require_kinds(gates: Iterable[GatePolicy]) -> None:
    """RalphError when one of them cannot be run here. Asked before anything is recorded."""
    for gate in gates:
        kind_of(gate)


def missing_kinds(gates: Iterable[GatePolicy]) -> str:
    """Why they cannot be run here; "" when they can."""
    try:
        require_kinds(gates)
    except RalphError as error:
        return error.what
    return ""


def evidence_of(gate: GatePolicy, s: LoopState) -> str:
    """Also for a gate that was interrupted and whose kind is not known any more."""
    return gate.question if missing_kinds((gate,)) else kind_of(gate).evidence(gate, s)


def as_run(s: LoopState) -> tuple[GatePolicy, ...]:
    """The gates of a loop, each with the command that is run for it."""
    return tuple(replace(gate, run=kind_of(gate).command(gate, s)) for gate in s.gates)


def _brought() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {
        entry.name: entry
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
        if entry.name not in SAID_WITH
    }


def _loaded(entry: EntryPoint) -> Kind:
    package = entry.dist.name if entry.dist else entry.value
    try:
        kind: Kind = entry.load()()
        called = kind.about.name
    except Exception as error:  # whatever another's code does on import
        what = f"the gate kind {entry.name!r} cannot be loaded: {type(error).__name__}: {error}"
        raise RalphError(what, todo=f"Fix or remove the package {package}.") from error
    if called != entry.name:
        what = f"the gate kind {entry.name!r} calls itself {called!r}"
        raise RalphError(what, todo=f"Fix or remove the package {package}.")
    return kind
