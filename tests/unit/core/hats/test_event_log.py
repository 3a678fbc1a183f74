"""Events as people and programs read them."""

from __future__ import annotations

import msgspec
from core_world import Folders, HatWorld, spike

from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.event_log import event_record, why_routed
from ralph.core.hats.model import Aggregate, Event, Hat, Meaning, Scan, ScanFolder, Team
from ralph.core.hats.turns import Routed


def test_a_record_has_the_familys_fields() -> None:
    routed = Routed(Event("work.propose", "a", "board_scanner", 3, 7), ("proposal_writer",), "w")
    assert event_record(routed, "2026-02-17T10:00:05Z") == {
        "ts": "2026-02-17T10:00:05Z",
        "iteration": 3,
        "hat": "board_scanner",
        "topic": "work.propose",
        "triggered": "proposal_writer",
        "payload": "a",
    }
    nobody = event_record(Routed(Event("x"), (), ""), "t")
    assert (nobody["hat"], nobody["triggered"], nobody["payload"]) == (None, None, None)
    assert event_record(Routed(Event("x"), ("b", "a"), ""), "t")["triggered"] == "b, a"


def test_why_a_hat_was_chosen() -> None:
    world, folders = HatWorld(spike()), Folders("item-1.txt")
    for _ in range(3):
        world.work(*folders.act(world.turn))
    assert why_routed(world.log, 1) == "#1 board.scan, from Ralph or a person: board_scanner names board.scan"
    assert why_routed(world.log, 2) == (
        "#2 work.propose (item-1.txt), from board_scanner in iteration 1: proposal_writer names work.propose"
    )
    assert why_routed(world.log, 99) == ""


def test_what_became_of_a_stale_event_is_told() -> None:
    world = HatWorld(spike()).work("work.propose a").emit("board.rescan", serial=0).work("board.rescan")
    world.began()
    assert why_routed(world.log, 4) == (
        "#4 board.rescan, from proposal_writer in iteration 2: board_scanner names board.rescan;"
        " later stale: board_scanner looks at everything at once"
    )


def test_a_hostile_payload_is_shown_harmlessly() -> None:
    said = why_routed([Routed(Event("x", "\x1b[2J\nroot# " + "y" * 500, "h", 1, 1), (), "w")], 1)
    assert "\x1b" not in said and "\n" not in said and len(said) < 200


def test_a_team_survives_the_journal() -> None:
    team = Team(
        hats=(
            Hat(
                "a",
                triggers=("x",),
                agent=AgentPolicy(command=("c",), args=("-v",)),
                aggregate=Aggregate(),
                scratchpad=None,
                fresh=False,
                when="iterations > 3",
                scan=Scan(folders=(ScanFolder("work", "work.propose"),)),
            ),
            Hat("b", instructions="one\n", extra_instructions=("two", "three")),
        ),
        required_events=("x",),
        meanings={"x": Meaning("d", "t", "p")},
    )
    assert msgspec.json.decode(msgspec.json.encode(team), type=Team) == team
    assert team.hats[1].text == "one\ntwo\nthree"
    assert [(hat.when, hat.id) for hat in team.conditional] == [("iterations > 3", "a")]
