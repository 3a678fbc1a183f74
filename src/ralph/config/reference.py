"""The reference of all keys, made from the table. `python -m ralph.config.reference docs/config.md` renews it."""

from __future__ import annotations

from ralph.config.page import between, main
from ralph.config.schema import KEYS

BEGIN = "<!-- keys: made by `python -m ralph.config.reference docs/config.md` -->"
END = "<!-- /keys -->"


def reference() -> str:
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    rows += [f"| `{key.path}` | {key.type} | {_cell(key.default)} | {key.doc} |" for key in KEYS]
    return "\n".join(rows) + "\n"


def renewed(page: str) -> str:
    """The page with the table between its markers replaced."""
    return between(page, BEGIN, END, reference())


def _cell(default: str) -> str:
    return f"`{default}`" if default and " " not in default else default


if __name__ == "__main__":
    main(renewed)
