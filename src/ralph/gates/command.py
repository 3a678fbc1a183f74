"""A command gate: what it is run as, and what its run amounts to. It never looks at what the agent says."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ralph.core.errorhash import error_hash, headline
from ralph.core.excerpt import excerpt
from ralph.core.globs import matches
from ralph.core.policy import GatePolicy


class Finding(msgspec.Struct, frozen=True):
    passed: bool
    excerpt: str
    error_hash: str = ""
    headline: str = ""


def command_line(gate: GatePolicy) -> str:
    """Setup belongs to the command: a result is known again only for the same both."""
    if gate.hermetic and gate.setup:
        return f"{{ {gate.setup}\n}} && {{ {gate.run}\n}}"
    return gate.run


def undeclared(gate: GatePolicy, written: Iterable[str]) -> tuple[str, ...]:
    """The paths that the gate changed and may not."""
    return tuple(path for path in written if not matches(path, gate.may_write))


def find(gate: GatePolicy, *, code: int, output: str, timed_out: str, wrote: tuple[str, ...]) -> Finding:
    """A gate passes by exit code 0, in time, without writing where it may not."""
    shown = excerpt(output)
    if code == 0 and timed_out != "hard" and not wrote:
        return Finding(passed=True, excerpt=shown)
    if timed_out == "hard":
        # What it printed before time ran out differs by chance; that it hangs is the error.
        why = f"{gate.name} ran out of time after {gate.hard_timeout:.0f} s"
        return Finding(False, f"{shown}\n{why}".strip(), error_hash("", -1, f"{gate.name} time"), why)
    if wrote:
        names = ", ".join(wrote[:10]) + (f" and {len(wrote) - 10} more" if len(wrote) > 10 else "")
        why = f"{gate.name} changed files that it may not change: {names}"
        return Finding(False, f"{shown}\n{why}".strip(), error_hash(why, code, gate.name), why)
    return Finding(False, shown, error_hash(output, code, gate.name), headline(output) or f"exit code {code}")
