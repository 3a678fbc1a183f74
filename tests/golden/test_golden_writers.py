"""The scenarios played anew: the same facts, prompts, ends and exit codes as when they were recorded."""

from __future__ import annotations

import difflib

import pytest
from golden_compare import Facts, differences, text_differences
from golden_files import names_in, played, saved
from golden_scenarios import SCENARIOS
from golden_world import a_world


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_the_scenario_writes_what_it_wrote(name: str) -> None:
    scenario, golden = SCENARIOS[name], saved(name)
    with a_world() as world:
        found = played(world, scenario)
    assert [ran[:2] for ran in found.ran] == [ran[:2] for ran in golden.ran], found.ran
    assert [fact["kind"] for fact in found.facts] == [fact["kind"] for fact in golden.facts]
    wrong = differences(golden.facts, found.facts, at="journal")
    assert [title for title, _ in found.texts] == [title for title, _ in golden.texts]
    for (title, before), (_, now) in zip(golden.texts, found.texts, strict=True):
        wrong += _unequal(title, before, now)
    facts = Facts(names_in(golden.facts))
    assert [place for place, _ in found.state] == [place for place, _ in golden.state]
    for (place, before), (_, now) in zip(golden.state, found.state, strict=True):
        # Why it ended is a sentence; all before it is what gates and agents said.
        (before, _, end), (now, _, new_end) = (text.partition("\n## End\n") for text in (before, now))
        wrong += _unequal(f"state file of {place}", before, now) + text_differences(end, new_end, facts)
    for (command, _, before), (_, _, now) in zip(golden.ran, found.ran, strict=True):
        wrong += [
            f"{command} shows: {line}"
            for line in text_differences(before, now, facts, ordered=scenario.ordered)
        ]
    assert not wrong, "\n".join(wrong)


def _unequal(title: str, before: str, now: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), now.splitlines(), "recorded", "found", lineterm="", n=1)
    return [f"{title}: {line}" for line in lines]
