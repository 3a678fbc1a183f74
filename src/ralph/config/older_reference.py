"""The table of the older family's keys in docs/hats.md, made from the rows.
`python -m ralph.config.older_reference docs/hats.md` renews it."""

from __future__ import annotations

from ralph.config.older_family import ROWS, Row
from ralph.config.page import between, main

BEGIN = "<!-- older keys: made by `python -m ralph.config.older_reference docs/hats.md` -->"
END = "<!-- /older keys -->"


def reference() -> str:
    rows = ["| key | what Ralph does with it |", "|---|---|"]
    rows += [f"| `{row.path}` | {_said(row)} |" for row in ROWS]
    return "\n".join(rows) + "\n"


def _said(row: Row) -> str:
    if not row.acts:
        unless = f" (silent when {' or '.join(f'`{value}`' for value in row.quiet)})" if row.quiet else ""
        return f"a warning: it has no effect. {row.instead}{unless}"
    return f"the same as `{row.into}`" if row.into else "acts"


def renewed(page: str) -> str:
    """The page with the table between its markers replaced."""
    return between(page, BEGIN, END, reference())


if __name__ == "__main__":
    main(renewed)
