"""What hats that conditions put on add to a prompt: the user's base text, the hat's own, and two files worth reading."""

from __future__ import annotations

from collections.abc import Collection

from ralph.core.state import LoopState

SEPARATOR = "\n\n---\n\n"
# file -> what the prompt says of it when it is there
NAMED_FILES = {
    "idea.md": "`idea.md` says what the project is for.",
    "learnings.md": "`learnings.md` holds what was learnt; read it, and add what the next iterations should know.",
}


def role_text(base: str, role: str) -> str:
    """The base (working.md), a line, then the role's text; either may be missing."""
    return SEPARATOR.join(text.strip() for text in (base, role) if text.strip())


def nameable(s: LoopState) -> tuple[str, ...]:
    """The files that prompts of this loop name when they are there."""
    return tuple(NAMED_FILES) if s.policy.conditional else ()


def named_files(there: Collection[str]) -> str:
    return " ".join(sentence for file, sentence in NAMED_FILES.items() if file in there)
