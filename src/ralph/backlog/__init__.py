"""Where tasks come from: what a source of them has to be able to do (source.py), and tasks.jsonl, the usual one."""

from pathlib import Path

BACKLOG_NAME = "tasks.jsonl"


def done_name(path: str) -> str:
    """The archive beside a backlog's file."""
    found = Path(path)
    return str(found.with_name(f"{found.stem}-done{found.suffix}"))
