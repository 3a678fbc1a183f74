"""Records the golden files: `python tests/golden/record.py [NAME...]`, without names all of them.

Each scenario is played twice, and what was recorded is read twice, at two places and two moments; what is not the same both
times is not recorded, and says so.
"""

from __future__ import annotations

import difflib
import shutil
import sys
import time

from golden_files import RECORDED, Written, played, read, save
from golden_fixture import pack, unpack
from golden_scenarios import SCENARIOS
from golden_world import a_world


def record(name: str) -> list[str]:
    """What differs, or nothing: then it is recorded."""
    scenario = SCENARIOS[name]
    folder = RECORDED / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    fixture = folder / "project.tar.xz"
    with a_world() as world:
        first = played(world, scenario)
        pack(world, fixture)
    with a_world() as world:
        second = played(world, scenario)
    said = []
    for _ in range(2):
        with a_world() as world:
            unpack(fixture, world)
            said.append(read(world))
        time.sleep(0.6)
    wrong = _differ(*(_lines(one, ordered=scenario.ordered) for one in (first, second)))
    for command, text in said[0].items():
        if "--html" not in command and command != "events --json":  # when it was made; the journal itself
            wrong += [f"{command}: {line}" for line in _differ([text], [said[1].get(command, "")])]
    if wrong:
        shutil.rmtree(folder)
        return wrong
    save(name, first, said[0])
    return []


def _lines(found: Written, *, ordered: bool) -> list[str]:
    parts = [*map(str, found.facts), *map(str, found.texts), *map(str, found.state)]
    shown = [(command, code, text.splitlines()) for command, code, text in found.ran]
    return parts + [
        f"{code} {command} {lines if ordered else sorted(lines)}" for command, code, lines in shown
    ]


def _differ(one: list[str], other: list[str]) -> list[str]:
    a, b = ("\n".join(lines).splitlines() for lines in (one, other))
    return list(difflib.unified_diff(a, b, "first", "second", lineterm="", n=0))


if __name__ == "__main__":
    refused = 0
    for chosen in sys.argv[1:] or SCENARIOS:
        found = record(chosen)
        refused += bool(found)
        print(chosen, "DIFFERS: not recorded" if found else "recorded", flush=True)
        for line in found[:12]:
            print("   ", line[:400])
    sys.exit(bool(refused))
