"""The golden files of one scenario: how they are made from a world, written and read again."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import golden_normal as normal
import msgspec
from golden_fixture import HERE, KEY
from golden_scenarios import Scenario, build
from golden_views import commands, views
from golden_world import Ran, World

RECORDED = Path(__file__).parent / "recorded"
_MARK = "\n=====< "


class Written(msgspec.Struct, frozen=True):
    """What a scenario writes when it is played."""

    facts: list[Any]
    texts: list[tuple[str, str]]  # prompts, scratchpads and what else is stored, in order
    state: list[tuple[str, str]]
    ran: list[tuple[str, int, str]]  # command, exit code, what it shows


def played(world: World, scenario: Scenario) -> Written:
    build(world, scenario)
    return written(world, world.play(scenario.steps), parallel=scenario.parallel)


def written(world: World, ran: Sequence[Ran], *, parallel: bool) -> Written:
    facts, texts = normal.journal(world, parallel=parallel)
    return Written(
        facts,
        texts,
        normal.state_files(world, parallel=parallel),
        [(" ".join(r.command), r.code, normal.shown(world, r.shown, parallel=parallel)) for r in ran],
    )


def read(world: World) -> dict[str, str]:
    """What every reader says, without the place of the world."""
    return {
        placeless(name, world): placeless(text, world) for name, text in views(world, commands(world)).items()
    }


def placeless(text: str, world: World) -> str:
    return text.replace(str(world.root), HERE).replace(world.key, KEY)


def names_in(facts: list[Any]) -> set[str]:
    """Of tasks, gates, hats and items: words that a view must not lose."""
    found = set()
    for fact in facts:
        data = fact["data"]
        found |= {data.get("gate", ""), data.get("hat", ""), data.get("item", ""), data.get("topic", "")}
        if fact["kind"] == "loop.started":
            found.add(data["task"]["id"])
    return found - {""}


# -- files


def save(name: str, found: Written, said: dict[str, str]) -> None:
    folder = RECORDED / name
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(fact, ensure_ascii=False, separators=(",", ":")) for fact in found.facts]
    (folder / "journal.jsonl").write_text("".join(f"{line}\n" for line in lines))
    _put(folder / "texts.txt", found.texts)
    _put(folder / "state.txt", found.state)
    _put(folder / "shown.txt", [(f"{code} {command}", text) for command, code, text in found.ran])
    page = {command: text for command, text in said.items() if "--html" in command}
    kept = {
        command: text for command, text in said.items() if command != "events --json" and command not in page
    }
    _put(folder / "views.txt", list(kept.items()))
    (folder / "page.html.xz").write_bytes(lzma.compress("".join(page.values()).encode(), preset=9))


def saved(name: str) -> Written:
    folder = RECORDED / name
    shown = [(title.partition(" "), text) for title, text in _get(folder / "shown.txt")]
    return Written(
        [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()],
        _get(folder / "texts.txt"),
        _get(folder / "state.txt"),
        [(command, int(code), text) for (code, _, command), text in shown],
    )


def saved_views(name: str) -> dict[str, str]:
    folder = RECORDED / name
    page = lzma.decompress((folder / "page.html.xz").read_bytes()).decode()
    return dict(_get(folder / "views.txt")) | {"report --html -o -": page}


def _put(path: Path, parts: list[tuple[str, str]]) -> None:
    path.write_text("".join(f"{_MARK}{title} >=====\n{text}" for title, text in parts))


def _get(path: Path) -> list[tuple[str, str]]:
    parts = re.split(rf"{_MARK}(.*) >=====\n", path.read_text())[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))
