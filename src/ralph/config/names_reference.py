"""The table of names in docs/roles.md, made from the code. `python -m ralph.config.names_reference docs/roles.md` renews it."""

from __future__ import annotations

from ralph.config.page import between, main
from ralph.core.vocabulary import NAMES, Kind, Sort

BEGIN = "<!-- names: made by `python -m ralph.config.names_reference docs/roles.md` -->"
END = "<!-- /names -->"
_TYPES: dict[Kind, str] = {"number": "number", "text": "text", "truth": "true or false"}
_ARGUMENT = {True: "('role')", False: ""}
_HEADS: dict[Sort, str] = {
    "counter": "Counters, from the start of the loop or since the role was last worn:",
    "moment": "The iteration before, unless it wore the role itself:",
    "standing": "The task:",
}


def reference() -> str:
    parts = []
    for sort, head in _HEADS.items():
        rows = [
            f"| `{name.name}{_ARGUMENT[name.takes_role]}` | {_TYPES[name.kind]} | {name.meaning} |"
            for name in NAMES.values()
            if name.sort == sort
        ]
        parts.append("\n".join([head, "", "| name | type | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def renewed(page: str) -> str:
    """The page with the tables between its markers replaced."""
    return between(page, BEGIN, END, reference())


if __name__ == "__main__":
    main(renewed)
