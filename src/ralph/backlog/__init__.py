"""Where tasks come from: what a source of them has to be able to do (source.py), and tasks.jsonl, the usual one."""

from __future__ import annotations

from ralph.backlog.changes import (
    Added,
    Applied,
    Blocked,
    Cancelled,
    Change,
    Claimed,
    Completed,
    Conflict,
    Edited,
    Failed,
    Reopened,
    Split,
)
from ralph.backlog.jsonl import NAME, JsonlBacklog, done_name
from ralph.backlog.proposals import Proposals, proposals
from ralph.backlog.source import Backlog, Watch

__all__ = [
    "NAME",
    "Added",
    "Applied",
    "Backlog",
    "Blocked",
    "Cancelled",
    "Change",
    "Claimed",
    "Completed",
    "Conflict",
    "Edited",
    "Failed",
    "JsonlBacklog",
    "Proposals",
    "Reopened",
    "Split",
    "Watch",
    "done_name",
    "proposals",
]
