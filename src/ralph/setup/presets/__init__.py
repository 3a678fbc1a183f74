"""Presets: whole configurations, each a file beside this one. The first line says what it is for."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.errors import RalphError

DEFAULT = "plain"
_ORDER = (
    *(DEFAULT, "gated", "micro", "task", "backlog"),
    *("plan-build-review", "tdd", "debug", "research", "board"),
)


class Preset(msgspec.Struct, frozen=True):
    name: str
    about: str
    text: str

    @property
    def tests(self) -> bool:
        """Whether it has a place for the project's own tests."""
        return "\n    run: " in self.text

    @property
    def first(self) -> tuple[str, ...]:
        """The commands that begin the work."""
        if "\nbacklog:" in self.text:
            return ('ralph task add "What to do"', "ralph run")
        if "\n  prompt:" in self.text:
            return ("put a file into work/ that says what to do", "ralph run --in-place")
        return ('ralph run -p "What to do"',)


def presets() -> tuple[Preset, ...]:
    names = {file.stem for file in Path(__file__).parent.glob("*.yml")}
    return tuple(_read(name) for name in (*_ORDER, *sorted(names.difference(_ORDER))))


def preset(name: str) -> Preset:
    found = {one.name: one for one in presets()}
    if name in found:
        return found[name]
    import difflib

    near = difflib.get_close_matches(name, found, 1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise RalphError(
        f"there is no preset {name!r}", todo=f"{hint}`ralph presets` lists them: {', '.join(found)}."
    )


def _read(name: str) -> Preset:
    text = (Path(__file__).parent / f"{name}.yml").read_text(encoding="utf-8")
    return Preset(name, text.partition("\n")[0].removeprefix("# "), text)
