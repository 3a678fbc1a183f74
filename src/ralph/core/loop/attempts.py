"""The table of attempts, as prompts, reports and the state file show it."""

from __future__ import annotations

from collections.abc import Sequence

from ralph.core.loop.state import Attempt

TABLE_HEAD = "| # | Gate | Error Hash | Strategy Shift |\n|---|------|------------|----------------|\n"


def history_table(history: Sequence[Attempt]) -> str:
    return TABLE_HEAD + "".join(
        f"| {a.number} | {a.gate.replace('|', '/')} | {a.error_hash} | {'yes' if a.shift else 'no'} |\n"
        for a in history
    )
