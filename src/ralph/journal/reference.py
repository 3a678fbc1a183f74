"""The table of facts in docs/journal.md, made from the code. `python -m ralph.journal.reference docs/journal.md` renews it."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from ralph.core.facts import BY_KIND
from ralph.journal.record import ROTATED, Rotation

KINDS: dict[str, type[msgspec.Struct]] = {**BY_KIND, ROTATED: Rotation}
BEGIN, END = "<!-- facts: made by ralph.journal.reference -->", "<!-- end of facts -->"


def reference() -> str:
    rows = ["| kind | what it says | fields |", "|---|---|---|"]
    for kind, fact in KINDS.items():
        says = " ".join((fact.__doc__ or "").split())
        names = ", ".join(f"`{field.encode_name}`" for field in msgspec.structs.fields(fact))
        rows.append(f"| `{kind}` | {says} | {names} |")
    return "\n".join(rows)


def renewed(document: str) -> str:
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{reference()}\n{END}{after}"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
