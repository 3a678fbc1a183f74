"""What the site needs that the pages as GitHub and `ralph help` show them do not. mkdocs calls it; nothing else does."""

from __future__ import annotations

import re
from typing import Any


def on_page_markdown(markdown: str, **_: Any) -> str:
    """GitHub wants a `|` in the code of a table escaped; mkdocs would show the backslash."""
    return re.sub(r"`[^`\n]*`", lambda code: code[0].replace("\\|", "|"), markdown)
