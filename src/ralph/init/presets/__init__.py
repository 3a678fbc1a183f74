"""Presets: whole configurations, each a file beside this one. The first line says what it is for."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.errors import RalphError

DEFAULT = "plain"
_ORDER = (DEFAULT, "gated", "micro")


class Preset(msgspec.Struct, frozen=True):
    name: str
    about: str
    text: str


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
