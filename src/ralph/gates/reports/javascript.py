"""node --test, jest and vitest: options in NODE_OPTIONS, seen by each Node that the gate starts.

A reporter for node:test can be given there; jest and vitest get theirs from a file that Node loads first. A command that sets
NODE_OPTIONS itself gets ours in front; a script that does so reports nothing. Needs Node 18.15 or newer.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from ralph.errors import RalphError
from ralph.files import read_text

from .additions import Addition, GateCommand
from .records import hooks_folder

USED = {
    "node": r"\bnode\b[^|;&\n]*\s--test\b",
    "jest": r"\bjest\b|\breact-scripts test\b",
    "vitest": r"\bvitest\b",
}
BROKE = r"is not allowed in NODE_OPTIONS|'--test-reporter-destination'|ralph_(?:node|jest|vitest)_"
_PROGRAM = re.compile(r"[\w./-]+\.[cm]?[jt]s\b")
_REPORTER = re.compile(r"--test-reporter(?=[=\s])")
_DESTINATION = re.compile(r"--test-reporter-destination\b")


def additions(gate: GateCommand) -> dict[str, Addition]:
    users = gate.env.get("NODE_OPTIONS", "")
    hooks = hooks_folder(gate.reports)
    load = str(hooks / "ralph_node_require.cjs").replace("\\", "\\\\").replace('"', '\\"')
    ours = " ".join((f'--require="{load}"', *_reporter(hooks, f"{_said(gate)}\n{users}")))
    return {"NODE_OPTIONS": Addition(ours, " ", users)}


def _said(gate: GateCommand) -> str:
    """With the programs that it names: they may start Node with a reporter."""
    said = [gate.said]
    for name in sorted(set(_PROGRAM.findall(gate.said))):
        with suppress(RalphError):
            said.append(read_text(gate.checkout / gate.folder / name))
    return "\n".join(said)


def _reporter(hooks: Path, said: str) -> tuple[str, ...]:
    """`said`: where the user may have chosen reporters. Node wants a destination for each as soon as there are two."""
    url = f"file://{quote(str(hooks / 'ralph_node_reporter.mjs'))}"
    if not _REPORTER.search(said):
        return (f"--test-reporter={url}",)  # in place of the default one, and prints the same
    silent = (f"--test-reporter={url}?silent", "--test-reporter-destination=/dev/null")
    return silent if _DESTINATION.search(said) else (*silent, "--test-reporter-destination=stdout")
