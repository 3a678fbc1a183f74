"""A command gate: what it is run as, and what its run amounts to. It never looks at what the agent says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ralph.core.digest import digest
from ralph.core.emptyrun import ran_nothing
from ralph.core.excerpt import excerpt, excerpt_windows, windows_text
from ralph.core.gate_kinds import COMMAND
from ralph.core.globs import matches
from ralph.core.policy import GatePolicy
from ralph.core.state import LoopState
from ralph.core.text import few
from ralph.gates.collected import counts
from ralph.gates.kinds import Asked, Finding, Program, Ran

CACHES = (
    "**/__pycache__/**",
    "**/.pytest_cache/**",
    "**/.mypy_cache/**",
    "**/.ruff_cache/**",
    "**/.hypothesis/**",
)


class Command:
    about = COMMAND

    def check(self, options: dict[str, Any]) -> tuple[str, ...]:
        return ()

    def program(self, gate: GatePolicy, asked: Asked) -> Program:
        return shell(command_line(gate))

    def find(self, gate: GatePolicy, ran: Ran) -> Finding:
        return find(gate, code=ran.code, output=ran.output(), timed_out=ran.timed_out, wrote=ran.wrote)

    def command(self, gate: GatePolicy, s: LoopState) -> str:
        return gate.run

    def evidence(self, gate: GatePolicy, s: LoopState) -> str:
        return command_line(gate)


def shell(command: str) -> Program:
    return Program(("/bin/sh", "-c", command))


def command_line(gate: GatePolicy) -> str:
    """Setup belongs to the command: a result is known again only for the same both."""
    if gate.hermetic and gate.setup:
        return f"{{ {gate.setup}\n}} && {{ {gate.run}\n}}"
    return gate.run


def undeclared(gate: GatePolicy, written: Iterable[str]) -> tuple[str, ...]:
    """The paths that the gate changed and may not. Caches that somebody committed are the tools' own."""
    return tuple(path for path in written if not matches(path, (*gate.may_write, *CACHES)))


def find(
    gate: GatePolicy, *, code: int, output: tuple[bytes, bytes, int], timed_out: str, wrote: tuple[str, ...]
) -> Finding:
    """A gate passes by exit code 0, in time, without writing where it may not. `output` is its first and last bytes
    and the number of its lines; without last bytes, the first are all."""
    text, shown = _seen(*output)
    tests = counts(text, whole=not output[1])
    if code == 0 and timed_out != "hard" and not wrote:
        return Finding(passed=True, excerpt=shown, empty=ran_nothing(text), tests=tests)
    if timed_out == "hard":
        # What it printed before time ran out differs by chance; that it hangs is the error.
        why = f"{gate.name} ran out of time after {gate.hard_timeout:g} s"
        return Finding(False, f"{shown}\n{why}".strip(), digest(gate.name, "out of time"), why)
    if wrote:
        why = f"{gate.name} changed files that it may not change: {few(wrote, 10)} (undone; `may_write` lets it)"
        return Finding(False, f"{shown}\n{why}".strip(), digest(gate.name, "wrote", *wrote), why)
    from ralph.core.errorhash import error_hash, headline  # tables of patterns, needed only after a failure

    told = headline(text) or f"exit code {code}"
    return Finding(False, shown, error_hash(text, code, gate.name), told, tests=tests)


def _seen(first: bytes, last: bytes, lines: int) -> tuple[str, str]:
    """What is known of the output, to be searched; and what of it is shown."""
    if last:
        return windows_text(first, last), excerpt_windows(first, last, lines)
    text = first.decode("utf-8", "replace")
    return text, excerpt(text)
