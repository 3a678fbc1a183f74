"""Which form a text has."""

from __future__ import annotations

import json
import re

from ralph.backlog.formats import beads, prd

FORMATS = ("jsonl", "prd", "markdown", "github", "beads")
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[[ xX]\][ \t]")


def detect(text: str) -> str:
    """Empty when it looks like none of them."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, list):
        return _of_list(whole)
    if isinstance(whole, dict) and any(isinstance(whole.get(key), list) for key in prd.CONTAINERS):
        return "prd"
    for line in text.splitlines():
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(one, dict) and "id" in one and "title" in one:
            alike = one.get("status") in ("open", "closed", "tombstone", "deferred", "hooked", "pinned")
            return "beads" if alike or any(mark in one for mark in beads.MARKS) else "jsonl"
    return "markdown" if _ITEM.search(text) else ""


def _of_list(whole: list[object]) -> str:
    records = [one for one in whole if isinstance(one, dict)]
    if any("passes" in one or "acceptanceCriteria" in one for one in records):
        return "prd"
    if any(key in one for one in records for key in ("number", "body", "state")):
        return "github"
    return "prd" if any("title" in one for one in records) else ""
