"""The tables of exits in README.md and docs/exits.md, made from `core/exits.py`.

`python -m ralph.cli.exits_reference README.md docs/exits.md` renews them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ralph.core.exits import EXITS, OTHER_CODES, Exit

SHORT, LONG = "exit codes", "exits"


def short(table: Sequence[Exit] = EXITS) -> str:
    """Code, end and meaning: what someone looks up who has seen a number."""
    rows = [(row.code, f"`{row.name}`", row.meaning) for row in table]
    rows += [(code, "", f"{name[:1].upper()}{name[1:]}") for code, (name, _) in OTHER_CODES.items()]
    return _table(("code", "end", "meaning"), sorted(rows))


def long(table: Sequence[Exit] = EXITS) -> str:
    """Every column that a person has a use for."""
    rows = [
        (
            row.code,
            f"`{row.name}`",
            row.meaning,
            _yes(row.resumable),
            _yes(row.ends_run),
            _yes(row.needs_person),
            row.task.replace("_", " "),
            row.next,
        )
        for row in table
    ]
    rows += [(code, "", name, "", "", "", "", todo) for code, (name, todo) in OTHER_CODES.items()]
    head = (
        "code",
        "end",
        "meaning",
        "resumable",
        "ends the run",
        "needs a person",
        "its task is",
        "next step",
    )
    return _table(head, sorted(rows))


def renewed(document: str) -> str:
    for name, made in ((SHORT, short), (LONG, long)):
        begin, end = f"<!-- {name}: made by ralph.cli.exits_reference -->", f"<!-- end of {name} -->"
        before, found, rest = document.partition(begin)
        if found:
            document = f"{before}{begin}\n{made()}\n{end}{rest.partition(end)[2]}"
    return document


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *([str(cell).replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(
        f"| {' | '.join(line)} |" if line[0] != "---" else "|---" * len(line) + "|" for line in lines
    )


def _yes(value: bool) -> str:
    return "yes" if value else ""


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
