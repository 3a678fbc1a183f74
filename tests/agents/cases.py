"""What the real CLIs are put through: one script of work, and every fault. Shared by tests and recordings."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clis import Server

# Prompt tokens of one answer: 120 + 30 + 11 = 161, of which 30 were read from the cache.
USAGE = {"input": 120, "output": 7, "cache_read": 30, "cache_write": 11}
WORK: tuple[dict[str, Any], ...] = (
    {"usage": USAGE},
    {"say": {"text": "I write a file."}, "write": {"path": "hello.txt", "text": "hello\n"}},
    {"bash": {"command": "echo ran >ran.txt; echo out; echo é >&2"}},
    {"say": {"text": "All done."}},
)


# All that a transcript can hold: words, thoughts, a tool that fails, one that says much, one that says nothing.
CONVERSATION: tuple[dict[str, Any], ...] = (
    {"think": {"text": "First the files.\nThen the tests."}, "say": {"text": "I look around."}, "bash": {"command": "seq 1 40"}},
    {"bash": {"command": "echo 'FAILED: no greeting'; exit 3"}},
    {"bash": {"command": "true"}},
    {"mcp": {"server": "notes", "tool": "note_down", "arguments": {"text": "greeting is missing"}}},
    {"write": {"path": "greeting.txt", "text": "hello\n"}},
    {"say": {"text": "The greeting is there.\n\nTASK_COMPLETE"}},
)  # fmt: skip
_NOTES = Server(sys.executable, (str(Path(__file__).with_name("echo_mcp.py")),), {"NOTES": "notes.txt"})


@dataclass(frozen=True)
class Case:
    """One situation. `wanted` goes into `clis.Wanted`."""

    faults: tuple[dict[str, Any], ...] = ()
    wanted: dict[str, Any] = field(default_factory=dict)
    steps: tuple[dict[str, Any], ...] = WORK


RECORDED = {
    "success": Case(),
    "conversation": Case(wanted={"mcp": {"notes": _NOTES}}, steps=CONVERSATION),
    "usage-limit": Case(({"name": "usage-limit"},)),
    "401": Case(({"name": "401"},)),
    "429": Case(({"name": "429"},)),
    "unknown-model": Case(({"name": "unknown-model"},)),
    "too-long": Case(({"name": "too-long"},)),
    "500": Case(({"name": "500"},)),
    "529": Case(({"name": "529"},)),
    "cut": Case(({"name": "cut"},)),
}
# Where one CLI needs other circumstances to come to an end, and soon.
_SPECIAL = {
    ("claude", "usage-limit"): Case(({"name": "usage-limit"},), {"subscription": True}),
    ("opencode", "usage-limit"): Case(({"name": "usage-limit", "retry_after": 1},)),
    ("opencode", "429"): Case(({"name": "429", "retry_after": 1},)),
    ("opencode", "500"): Case(({"name": "500", "retry_after": 1},)),
    ("opencode", "529"): Case(({"name": "529", "retry_after": 1},)),
    # Its own summary of such a prompt does not fit either; were it to, it would summarise for ever.
    ("opencode", "too-long"): Case(({"name": "too-long", "side": True},)),
}
ENDLESS = {("opencode", "cut")}  # tries again and again, with longer and longer pauses


def case(cli: str, name: str) -> Case:
    return _SPECIAL.get((cli, name), RECORDED[name])


def recorded(cli: str) -> list[str]:
    return [name for name in RECORDED if (cli, name) not in ENDLESS]
