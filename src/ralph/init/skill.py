"""The skill file by which a coding agent learns to hand a task to Ralph. The exit codes in it come from the ends."""

from __future__ import annotations

from pathlib import Path

from ralph.agents.registry import skill_folders
from ralph.core.ends import CODES, NEXT, SOME_TASKS_FAILED, End


def places() -> tuple[str, ...]:
    """Where agents look for it, relative to the repository."""
    return tuple(f"{folder}/ralph-loop/SKILL.md" for folder in skill_folders())


_OTHERS = {
    SOME_TASKS_FAILED: ("some tasks failed", "Of several tasks; `ralph report` names them."),
    2: ("usage or configuration error", "Nothing was started; correct what the message names."),
}


def skill() -> str:
    template = (Path(__file__).parent / "skill.md").read_text(encoding="utf-8")
    return template.replace("{exit_codes}", exit_codes())


def exit_codes() -> str:
    rows = {code: (end, _next(end)) for end, code in CODES.items()} | _OTHERS
    lines = [f"| {code} | {end} | {what} |" for code, (end, what) in sorted(rows.items())]
    return "\n".join(["| code | end | next |", "|---|---|---|", *lines])


def _next(end: End) -> str:
    return NEXT[end].replace("|", "\\|")
