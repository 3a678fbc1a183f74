"""Projects that an earlier version recorded: they show, replay and resume as they did then."""

from __future__ import annotations

import json

import pytest
from golden_compare import Facts, differences, markdown_differences, page_differences, text_differences
from golden_files import RECORDED, names_in, placeless, read, saved, saved_views
from golden_fixture import unpack
from golden_scenarios import SCENARIOS
from golden_world import a_world


def compared(command: str, golden: str, found: str, facts: Facts) -> list[str]:
    code, _, before = golden.partition("\n")
    now_code, _, now = found.partition("\n")
    if code != now_code:
        return [f"{code} was recorded, {now_code} is found: {now}"]
    if command.startswith("replay"):
        return differences(json.loads(before), json.loads(now))
    if "--json" in command:
        return differences(json.loads(before), json.loads(now), facts)
    if "--html" in command:
        return page_differences(before, now, facts)
    if command.startswith("report"):
        return markdown_differences(before, now, facts)
    return text_differences(before, now, facts)


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_every_view_of_the_recorded_project_is_as_it_was(name: str) -> None:
    with a_world() as world:
        unpack(RECORDED / name / "project.tar.xz", world)
        found = read(world)
        records = json.loads(placeless(json.dumps(world.records()), world))
    facts = Facts(names_in(records))
    code, *events = found.pop("events --json").splitlines()
    assert code == "exit 0"
    for record in records:
        del record["crc"]
    wrong = differences(records, [json.loads(line) for line in events], at="events --json")
    golden = saved_views(name)
    assert golden.keys() == found.keys()
    for command in golden:
        wrong += [f"{command}: {line}" for line in compared(command, golden[command], found[command], facts)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if scenario.resume])
def test_the_recorded_project_goes_on(name: str) -> None:
    scenario = SCENARIOS[name]
    with a_world() as world:
        unpack(RECORDED / name / "project.tar.xz", world)
        before = world.records()
        ran = world.play(scenario.resume)
        assert ran[-1].code == scenario.resumes, ran[-1].shown
        after = world.records()
        assert after[: len(before)] == before, "what was recorded stays"
        assert len(after) > len(before)
        for loop in {record["loop"] for record in after if record["loop"]}:
            again = world.ralph("replay", "--json", loop)
            assert again.code == 0, again.shown


def test_the_golden_files_are_those_of_the_scenarios_and_small() -> None:
    files = [path for path in RECORDED.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files} == set(SCENARIOS) and len(SCENARIOS) >= 40
    assert sum(path.stat().st_size for path in files) < 10_000_000
    assert all(saved(name).facts for name in SCENARIOS)
