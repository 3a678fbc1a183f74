"""The gate kind of the documentation's example, as files laid out as pip would install them."""

from __future__ import annotations

from pathlib import Path

_HEADING = "# Adding a gate kind\n"
_PAGES = (Path(__file__).parents[1] / "docs").glob("extending*.md")
_TEXT = next(text for text in (page.read_text("utf-8") for page in _PAGES) if _HEADING in text).partition(
    _HEADING
)[2]
_ENTRY = _TEXT.partition('[project.entry-points."ralph.gates"]\n')[2].partition("```")[0].replace('"', "")
SITE = "site"
FILES = {
    f"{SITE}/ralph_lines.py": _TEXT.partition("```python\n")[2].partition("```")[0],
    f"{SITE}/ralph_lines-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: ralph-lines\nVersion: 1.0\n",
    f"{SITE}/ralph_lines-1.0.dist-info/entry_points.txt": (
        f"[ralph.gates]\n{_ENTRY}broken = no_such_module:Kind\nother = ralph_lines:Lines\n"
        "command = ralph_lines:Lines\n"
    ),
}
GATES = _TEXT.partition("```yaml\n")[2].partition("```")[0]


def install(folder: Path) -> Path:
    """The folder to put on the path of modules."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / SITE
