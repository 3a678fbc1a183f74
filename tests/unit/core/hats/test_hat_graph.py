"""What is said about hats before they are worn, and how they are drawn."""

from __future__ import annotations

from core_world import hat, spike
from hypothesis import given
from msgspec.structs import replace
from test_turns import TEAMS

from ralph.core.hats.graph import Edge, check, edges, mermaid, plain
from ralph.core.hats.model import Scan, ScanFolder, Team


def told(team: Team) -> list[tuple[str, str, str]]:
    return [(finding.level, finding.hat, finding.what) for finding in check(team)]


def test_the_spike_has_nothing_wrong_with_it() -> None:
    assert told(spike()) == []
    assert told(replace(spike(), persistent=False)) == []


def test_a_hat_that_nobody_calls_is_unreachable() -> None:
    team = spike()
    team = replace(team, hats=(*team.hats, hat("reviewer", "work.review", publishes=("board.rescan",))))
    assert told(team) == [("warning", "reviewer", "unreachable: no hat publishes work.review")]


def test_hats_that_only_call_each_other_are_unreachable() -> None:
    team = spike()
    lost = (hat("a", "x", publishes=("y",)), hat("b", "y", publishes=("x", "LOOP_COMPLETE")))
    found = told(replace(team, hats=(*team.hats, *lost)))
    assert [one[1] for one in found if "unreachable" in one[2]] == ["a", "b"]


def test_what_ralph_publishes_itself_reaches_a_hat() -> None:
    team = spike()
    more = (
        hat("fixer", "gate.failed", publishes=("board.rescan",)),
        hat("helper", "finisher.exhausted", publishes=("board.rescan",)),
        hat("role", "never", publishes=("board.rescan",), when="iterations > 3"),
    )
    hats = (*team.hats[:2], replace(team.hats[2], max_activations=3), *more)
    assert told(replace(team, hats=hats)) == []


def test_the_coordinator_reaches_every_hat_when_the_start_is_its() -> None:
    team = Team(hats=(hat("builder", "build.task", publishes=("LOOP_COMPLETE",)),))
    assert told(team) == []


def test_a_persistent_team_that_no_hat_wakes_is_told_so() -> None:
    scanner = replace(spike().hats[0], triggers=("board.scan", "board.rescan"))
    team = replace(spike(), hats=(scanner, *spike().hats[1:]))
    assert told(team) == [
        ("warning", "", "persistent, but no hat takes task.resume: after each rest the coordinator is called")
    ]
    assert told(replace(team, persistent=False)) == []


def test_a_hat_with_the_coordinators_name_is_told_so() -> None:
    team = Team(hats=(hat("lead", "task.start", publishes=("LOOP_COMPLETE",), name="Coordinator"),))
    assert [(one[1], "wears no hat" in one[2]) for one in told(team)] == [("lead", True)]
    assert [one[1] for one in told(Team(hats=(replace(team.hats[0], id="coordinator", name=""),)))] == [
        "coordinator"
    ]


def test_an_event_that_nobody_takes_is_named() -> None:
    team = Team(hats=(hat("a", "task.start", publishes=("b.done", "LOOP_COMPLETE", "human.interact")),))
    assert told(team) == [("warning", "a", "no hat takes b.done: it goes to the coordinator")]


def test_a_chain_that_cannot_complete_is_an_error() -> None:
    team = Team(
        hats=(
            hat(
                "worker",
                "factory.implement",
                publishes=("factory.implement",),
                default_publishes="factory.implement",
            ),
        ),
        starting_event="factory.implement",
    )
    assert told(team) == [
        ("error", "worker", "the chain cannot complete: from worker no event leads to LOOP_COMPLETE")
    ]
    assert check(team)[0].todo == "Add LOOP_COMPLETE to the `publishes` of the hat that ends the work."
    assert told(replace(team, persistent=True)) == [
        ("warning", "worker", "the chain is never idle: from worker no event leads to LOOP_COMPLETE")
    ]


def test_a_silent_hat_can_complete_by_the_coordinator() -> None:
    assert told(Team(hats=(hat("a", "task.start", publishes=("again",)), hat("b", "again")))) == []


def test_a_required_event_that_nobody_publishes_is_an_error() -> None:
    team = replace(spike(), required_events=("review.done", "board.rescan"))
    assert told(team) == [("error", "", "completion needs review.done, which no hat publishes")]


def test_hats_that_cannot_work_as_written_are_named() -> None:
    team = Team(
        hats=(
            hat("none", publishes=("LOOP_COMPLETE",)),
            hat(
                "odd",
                "task.start",
                "build*",
                "LOOP_COMPLETE",
                publishes=("LOOP_COMPLETE",),
                default_publishes="next",
            ),
            hat("next", "next", publishes=("LOOP_COMPLETE",)),
        )
    )
    assert told(team) == [
        ("error", "none", "nothing puts it on"),
        ("warning", "odd", "the trigger build* takes nothing: `*` stands for a whole segment"),
        ("warning", "odd", "LOOP_COMPLETE is never routed: it completes the loop"),
        ("warning", "odd", "default_publishes is next, which is not in its `publishes`"),
    ]


def test_patterns_in_publishes_lead_to_every_hat_that_may_take_them() -> None:
    team = Team(
        hats=(hat("a", "task.start", publishes=("r.*",)), hat("b", "r.yes"), hat("c", "r.no"), hat("d", "x"))
    )
    assert [edge.target for edge in edges(team) if edge.topic == "r.*"] == ["b", "c"]


def test_a_scanner_that_is_data_publishes_what_its_scan_says() -> None:
    scan = Scan(folders=(ScanFolder("work", "work.propose"), ScanFolder("proposed", "work.finish")))
    team = spike()
    team = replace(
        team, hats=(hat("scan", "board.scan", "board.rescan", "task.resume", scan=scan), *team.hats[1:])
    )
    assert told(team) == []
    assert Edge("scan", "work.finish", "finisher") in edges(team)


def test_the_terminal_shows_the_spike() -> None:
    assert plain(spike()) == (
        "start\n"
        "  board.scan → board_scanner\n"
        "board_scanner\n"
        "  work.propose  → proposal_writer\n"
        "  work.finish   → finisher\n"
        "  LOOP_COMPLETE → idle (by default)\n"
        "proposal_writer\n"
        "  board.rescan → board_scanner (by default)\n"
        "finisher\n"
        "  board.rescan → board_scanner (by default)\n"
        "idle\n"
        "  task.resume → board_scanner\n"
    )


def test_mermaid_draws_the_spike() -> None:
    assert mermaid(spike()) == (
        "graph LR\n"
        '    START["start"]\n'
        '    END_["idle"]\n'
        '    H1["Board Scanner"]\n'
        '    H2["Proposal Writer"]\n'
        '    H3["Finisher"]\n'
        '    START -->|"board.scan"| H1\n'
        '    H1 -->|"work.propose"| H2\n'
        '    H1 -->|"work.finish"| H3\n'
        '    H1 -.->|"LOOP_COMPLETE"| END_\n'
        '    H2 -.->|"board.rescan"| H1\n'
        '    H3 -.->|"board.rescan"| H1\n'
        '    END_ -->|"task.resume"| H1\n'
    )


def test_a_scanner_that_is_data_is_never_silent() -> None:
    scan = Scan(folders=(ScanFolder("work", "work.do"),))
    team = Team(
        hats=(hat("scanner", "task.start", scan=scan), hat("worker", "work.do", publishes=("LOOP_COMPLETE",)))
    )
    assert [edge.topic for edge in edges(team) if edge.source == "scanner"] == ["work.do", "LOOP_COMPLETE"]
    assert "coordinator" not in plain(team)


def test_nothing_in_a_name_is_read_by_mermaid_or_a_terminal() -> None:
    bad = 'x"] --> y["\n<b>\x1b[2J'
    team = Team(hats=(hat(bad, bad, publishes=(bad,), name=bad, description=bad),))
    drawn = mermaid(team)
    assert "<b>" not in drawn and "\x1b" not in drawn and '"]' not in drawn.replace('"]\n', "")
    assert "\x1b" not in plain(team)


@given(TEAMS)
def test_any_team_can_be_checked_and_drawn(team: Team) -> None:
    assert check(team) == check(team)
    assert mermaid(team).startswith("graph LR\n") and plain(team).startswith("start\n")
    ids = {hat_.id for hat_ in team.hats} | {""}
    assert {finding.hat for finding in check(team)} <= ids
