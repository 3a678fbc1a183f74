"""Journals that an earlier version wrote, in which roles were a part of the policy: they fold, and the same is decided and
composed again. tests/fixtures/journals holds what that version recorded, with the prompts that it gave."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from ralph.core import facts as f
from ralph.core.hats.model import Hat, Team
from ralph.core.loop.fold import fold_all
from ralph.core.replay import JournalEntry, replay
from ralph.runner.prompt_replay import Recomposer

JOURNALS = Path(__file__).parents[2] / "fixtures/journals"
ROLES = ["reviewer", "architect", "debugger", "documenter", "reviewer"]
# journal -> the hats of the team, those that conditions put on, and the hats that were worn
CASES = {
    "roles": (ROLES, ROLES, ["", "reviewer", "", "debugger", "", "reviewer"]),
    "roles-and-hats": (
        ["builder", "checker", "critic", *ROLES],
        [*ROLES, "critic"],
        ["builder", "checker", "builder", "", "debugger", "critic", "", "checker", "reviewer"],
    ),
    "hats": (
        ["builder", "checker", "critic"],
        ["critic"],
        ["builder", "checker", "builder", "", "critic", "", "checker"],
    ),
}


def entries(name: str) -> list[JournalEntry]:
    lines = (JOURNALS / name / "journal.jsonl").read_bytes().splitlines()
    records = [msgspec.json.decode(line, type=dict[str, msgspec.Raw]) for line in lines]
    return [
        JournalEntry(json.loads(bytes(r["seq"])), f.decode(r["data"]), json.loads(bytes(r["run"])))
        for r in records
        if json.loads(bytes(r["loop"]))
    ]


def recorded_policy(name: str) -> dict[str, object]:
    lines = (JOURNALS / name / "journal.jsonl").read_text().splitlines()
    (started,) = [r["data"] for line in lines if (r := json.loads(line))["kind"] == "loop.started"]
    policy: dict[str, object] = started["policy"]
    return policy


@pytest.mark.parametrize("name", CASES)
def test_roles_of_an_old_journal_are_hats_with_the_same_conditions_in_the_same_order(name: str) -> None:
    assert "roles" in recorded_policy(name), "it is not an old journal"
    (started,) = [entry.fact for entry in entries(name) if isinstance(entry.fact, f.LoopStarted)]
    hats, asked, _ = CASES[name]
    team = started.policy.team
    assert team is not None and [hat.id for hat in team.hats] == hats
    triggers = msgspec.convert(recorded_policy(name)["roles"], dict[str, object]).get("triggers")
    assert [{"condition": hat.when, "role": hat.id} for hat in team.conditional] == triggers
    assert [hat.id for hat in team.conditional] == asked
    assert team.routes == (name != "roles")
    assert f.decode(f.encode(started)) == started
    assert b'"roles"' not in f.encode(started)


@pytest.mark.parametrize("name", CASES)
def test_an_old_journal_folds_to_its_end_and_to_what_was_worn(name: str) -> None:
    facts = [entry.fact for entry in entries(name)]
    s = fold_all(facts)
    worn = CASES[name][2]
    assert s.judgement.ended == "completed-verified"
    assert [fact.hat for fact in facts if isinstance(fact, f.IterationStarted)] == worn
    assert set(s.hats.wearing.worn) == set(worn) - {""}
    assert s.hats.wearing.last == worn[-1]


@pytest.mark.parametrize("name", CASES)
def test_the_same_is_decided_again_and_every_prompt_has_the_same_data(name: str) -> None:
    found = replay(entries(name), Recomposer(JOURNALS / name))
    assert [step for step in found.steps if not step.same] == []
    notes = [step.note for step in found.steps if step.what.startswith("iteration")]
    assert len(notes) == len(CASES[name][2])
    assert set(notes) <= {"prompt same", "prompt same but for Ralph's own words and the scratchpad"}


def test_the_text_of_a_role_is_kept_once_and_the_base_with_the_team() -> None:
    (started,) = [entry.fact for entry in entries("roles") if isinstance(entry.fact, f.LoopStarted)]
    team = started.policy.team
    assert team is not None and team.base == "Work carefully."
    assert [hat.text for hat in team.hats if hat.id == "reviewer"] == [
        "# Role: reviewer\nBe the reviewer.",
        "",
    ]
    reviewer = team.hat("reviewer")
    assert reviewer is not None and reviewer.text


def test_a_record_without_roles_is_left_as_it_is() -> None:
    (started,) = [entry.fact for entry in entries("hats") if isinstance(entry.fact, f.LoopStarted)]
    team = Team(hats=(Hat("a", triggers=("task.start",), instructions='say "roles": nothing'),))
    now = msgspec.structs.replace(started, policy=msgspec.structs.replace(started.policy, team=team))
    assert f.decode(f.encode(now)) == now
