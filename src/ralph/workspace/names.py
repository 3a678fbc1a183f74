"""Names made from tasks: whatever an id or a title holds, the name is safe as ref, path and argument."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_SLUG = 40
_ID = 60


def branch_name(task_id: str, title: str) -> str:
    """`task/<id>-<slug>`. Different ids give different names."""
    return f"task/{safe_id(task_id)}-{slug(title)}"


def failure_name(task_id: str, stamp: str) -> str:
    """`wip/ralph-fail-<id>-<%Y%m%d-%H%M%S>`."""
    return f"wip/ralph-fail-{safe_id(task_id)}-{stamp}"


def slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title[:2000]).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    return "-".join(words)[:_SLUG].strip("-") or "untitled"


def safe_id(task_id: str) -> str:
    """The id itself where git and shells take it as it is; otherwise what can be kept of it, and a hash."""
    if re.fullmatch(r"[A-Za-z0-9_]+([.-][A-Za-z0-9_]+)*", task_id) and len(task_id) <= _ID:
        return task_id
    kept = ".".join(re.findall(r"[A-Za-z0-9_]+", task_id[:2000]))[:_ID].strip(".") or "task"
    return f"{kept}-{hashlib.sha256(task_id.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
