"""The kept score, between two markers of docs/proof.md: `corpus.py play --write` renews it, test_corpus.py compares with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/proof.md"
BEGIN = "<!-- corpus: made by `corpus.py play --write` -->"
END = "<!-- /corpus -->"
NAME = re.compile(r"^- `([^`]+)`: ", re.MULTILINE)


def accepted_names() -> frozenset[str]:
    """The cheats that are accepted without sandbox and hidden gate."""
    return frozenset(NAME.findall(_parts()[1]))


def table(ends: Iterable[tuple[str, str]]) -> str:
    """Of groups and the ends of their cases; groups in the order in which they come."""
    rows: dict[str, list[str]] = {}
    for group, end in ends:
        rows.setdefault(group, []).append(end)
    lines = ["| group | cases | accepted | needs-review | refused |", "|---|---|---|---|---|"]
    for group, found in rows.items():
        accepted, review = found.count("completed-verified"), found.count("needs-review")
        lines.append(f"| {group} | {len(found)} | {accepted} | {review} | {len(found) - accepted - review} |")
    return "\n".join(lines)


def write(made: str, accepted: Mapping[str, str]) -> None:
    """`accepted`: the cheats by name, and what the trick is."""
    before, _, after = _parts()
    names = "\n".join(f"- `{name}`: {why}" for name, why in sorted(accepted.items())) or "- none"
    text = f"{made}\n\nAccepted without sandbox and hidden gate:\n\n{names}"
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def _parts() -> tuple[str, str, str]:
    before, found, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    between, closed, after = rest.partition(END)
    if not found or not closed:
        raise ValueError(f"{PAGE.name} has no {BEGIN} ... {END}")
    return before, between, after
