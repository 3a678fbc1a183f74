"""What roles add to a prompt."""

from __future__ import annotations

import pytest

from ralph.prompt.compose import named_files
from ralph.prompt.hats import role_text


@pytest.mark.parametrize(
    ("base", "role", "text"),
    [
        ("Work.\n", "# Role: x\n", "Work.\n\n---\n\n# Role: x"),
        ("Work.", "", "Work."),
        ("", "# Role: x", "# Role: x"),
        ("", " \n", ""),
    ],
)
def test_the_base_then_a_line_then_the_role(base: str, role: str, text: str) -> None:
    assert role_text(base, role) == text


def test_files_are_named_only_when_they_are_there() -> None:
    assert named_files(()) == ""
    assert "learnings.md" not in named_files(("idea.md",))
    both = named_files({"learnings.md", "idea.md", "other.md"})
    assert both.index("`idea.md`") < both.index("`learnings.md`")
    assert len(both) < 160
