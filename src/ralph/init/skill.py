"""The skill file by which a coding agent learns to hand a task to Ralph. The exit codes in it come from the ends."""

from __future__ import annotations

from pathlib import Path

from ralph.agents.registry import skill_folders
from ralph.core.exits import EXITS, OTHER_CODES


def places() -> tuple[str, ...]:
    """Where agents look for it, relative to the repository."""
    return tuple(f"{folder}/ralph-loop/SKILL.md" for folder in skill_folders())


def skill() -> str:
    template = (Path(__file__).parent / "skill.md").read_text(encoding="utf-8")
    return template.replace("{exit_codes}", exit_codes())


def exit_codes() -> str:
    rows = {row.code: (row.name, row.next.replace("|", "\\|")) for row in EXITS} | OTHER_CODES
    lines = [f"| {code} | {end} | {what} |" for code, (end, what) in sorted(rows.items())]
    return "\n".join(["| code | end | next |", "|---|---|---|", *lines])
