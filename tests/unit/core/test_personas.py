"""Personas without events: hats that only conditions put on leave a loop as it is without hats, but for their text. Only
`triggers` or `scan` make it route events; there, a role is the coordinator's iteration with its text added."""

from __future__ import annotations

import pytest
from core_world import World, hat, policy
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.graph import check
from ralph.core.hats.model import Hat, Scan, ScanFolder, Team, role_hats, with_roles
from ralph.core.loop import decide as d
from ralph.core.loop.state import LoopState
from ralph.core.policy import LimitPolicy
from ralph.prompt.compose import Context, compose
from ralph.runner.hat_notes import told_of_hat
from ralph.runner.loop_context import told_to_hooks

ROLES = Team(
    hats=role_hats(
        [("first_iteration", "critic"), ("iterations >= 2", "tester"), ("attempts >= 1", "critic")],
        {"critic": "Find fault.", "tester": "Test it."},
    ),
    base="Work well.",
)
# The same, as `hats:` of ralph.yml could have it.
WITHOUT_EVENTS = Team(
    hats=(
        hat("critic", instructions="Find fault.", when="first_iteration"),
        hat("tester", instructions="Test it.", when="iterations >= 2"),
    ),
    base="Work well.",
)
EVENTS = Team(
    hats=(
        hat("builder", "task.start", publishes=("build.done",), instructions="Build."),
        hat("checker", "build.done", publishes=("LOOP_COMPLETE",), instructions="Check."),
    )
)
BOTH = with_roles(EVENTS, ROLES)
LIMITS = LimitPolicy(max_iterations=20)


def loop(team: Team | None, **more: object) -> World:
    return World(policy(**{"team": team, "gates": (), "limits": LIMITS} | more))


def prompt(s: LoopState, **context: object) -> str:
    (op,) = d.decide(s)
    assert isinstance(op, d.RunAgent)
    return compose(s.under_hat(op.hat), op, Context(**context)).text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hats", "routes"),
    [
        ((), False),
        ((Hat("a"),), False),
        ((Hat("a", when="first_iteration", publishes=("x",), default_publishes="x"),), False),
        (ROLES.hats, False),
        ((Hat("a", triggers=("x",)),), True),
        ((Hat("a", scan=Scan(folders=(ScanFolder("work", "x"),))),), True),
        (BOTH.hats, True),
    ],
)
def test_only_triggers_or_a_scan_make_a_team_route_events(hats: tuple[Hat, ...], routes: bool) -> None:
    team = Team(hats=hats)
    assert team.routes == routes
    assert (policy(team=team).routing is not None) == routes


def test_events_know_the_hats_without_the_roles() -> None:
    assert policy(team=EVENTS).routing is EVENTS
    routing = policy(team=BOTH).routing
    assert routing is not None and routing.hats == EVENTS.hats
    assert policy().routing is None and policy().conditional == ()


@pytest.mark.parametrize("team", [ROLES, WITHOUT_EVENTS])
def test_silent_iterations_end_no_loop_that_routes_no_events(team: Team) -> None:
    world = loop(team)
    for n in range(1, 6):
        world.iterate(f"t{n}", "nothing to tell")
    assert isinstance(world.wants(), d.RunAgent)
    assert world.state.hats.turns.count == 0 and world.state.progress.silent
    silent = loop(EVENTS)
    for n in range(1, 5):
        silent.iterate(f"t{n}", "nothing to tell")
    assert silent.finish().end == "no-route"


@pytest.mark.parametrize("team", [ROLES, WITHOUT_EVENTS])
def test_a_persona_may_claim_by_a_signal_and_by_an_event(team: Team) -> None:
    signalled = loop(team).iterate("t1", "TASK_COMPLETE")
    assert signalled.state.hats.wearing.last == "critic"
    assert signalled.finish().end == "completed-unverified"
    emitted = loop(team)
    op = emitted.wants()
    assert isinstance(op, d.RunAgent) and op.hat == "critic"
    emitted.tell(
        f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="base", hat="critic"),
        f.EventReceived(name="1", topic="LOOP_COMPLETE", payload="all of it", serial=1),
        f.IterationEnded(serial=1, n=1, how="exited", code=0, seconds=1.0, tree="t1", said="done"),
    )
    assert emitted.state.judgement.claim is not None and emitted.state.judgement.claim.summary == "all of it"


@pytest.mark.parametrize("team", [ROLES, WITHOUT_EVENTS])
def test_its_prompt_is_that_of_a_loop_without_hats_with_the_text_added(team: Team) -> None:
    plain = prompt(loop(None).state)
    worn = prompt(loop(team).state)
    head, _, rest = plain.partition("\n\n# Iteration 1 of 20\n")
    assert worn == f"{head}\n\nWork well.\n\n---\n\nFind fault.\n\n# Iteration 1 of 20\n{rest}"
    none = loop(team).iterate("t1", "ITERATION_DONE")
    assert "\n\nWork well.\n\n# Iteration 2 of 20\n" in prompt(none.state)


def test_a_persona_of_ralph_yml_is_told_its_tools_too_and_has_a_scratchpad() -> None:
    own = hat("a", description="Looks.", when="first_iteration", disallowed_tools=("Bash",), scratchpad=None)
    text = prompt(loop(Team(hats=(own,))).state)
    assert "\n\nLooks.\n\nDo not use these tools: Bash.\n\n# Iteration 1" in text
    assert "Write the scratchpad `.ralph/agent/scratchpad.md` anew" in text


@pytest.mark.parametrize(
    ("team", "hat_", "handed_over", "emits"),
    [
        (ROLES, "critic", True, False),
        (WITHOUT_EVENTS, "critic", True, False),
        (BOTH, "critic", True, False),
        (BOTH, "", True, False),
        (BOTH, "builder", False, True),
    ],
)
def test_a_persona_is_asked_to_hand_over_and_is_not_held_to_what_hats_publish(
    team: Team, hat_: str, handed_over: bool, emits: bool
) -> None:
    s = loop(team).state.under_hat(hat_)
    assert ("RALPH_HANDOVER" in told_to_hooks(s, "/nowhere")) == handed_over
    assert ("RALPH_HAT" in told_of_hat(s)) == emits


def test_beside_hats_a_role_is_the_coordinators_iteration_with_its_text() -> None:
    world = loop(BOTH)
    text = prompt(world.state)
    assert "\n\nWork well.\n\n---\n\nFind fault.\n\n" in text
    assert text.count("Find fault.") == 1 and "tester" not in text
    assert "builder" in text and "# Your hat" not in text
    world.iterate("t1", "TASK_COMPLETE")  # it may, but the builder's turn still waits
    assert world.state.judgement.claim is None and not world.state.hats.turns.refused
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.hat == "builder"
    assert "Work well." in prompt(world.state) and "# Your hat: builder" in prompt(world.state)


def test_a_failed_gate_is_no_roles_business_by_having_changed_the_tree() -> None:
    once = Team(hats=role_hats([("first_iteration", "critic")], {"critic": "Find fault."}))
    world = loop(with_roles(EVENTS, once), gates=policy().gates).base()
    world.iterate("t1", "ITERATION_DONE")  # the role
    assert world.state.hats.turns.producer == "critic"
    world.iterate("", '<event topic="build.done">x</event>').iterate("", "LOOP_COMPLETE", structured=True)
    world.gate(False)
    assert [turn.hat for turn in world.state.hats.turns.pending] == [""]


def test_a_role_that_is_called_as_a_hat_is_that_hat_with_one_more_condition() -> None:
    roles = Team(hats=role_hats([("first_iteration", "checker")], {"checker": "Another text."}), base="Base.")
    team = with_roles(EVENTS, roles)
    world = loop(team)
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.hat == "checker"
    text = prompt(world.state)
    assert "# Your hat: checker" in text and "Another text." not in text and "Base." in text
    world.iterate("t1", "ITERATION_DONE")
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.hat == "builder"


def test_conditions_of_roles_are_asked_before_those_of_hats() -> None:
    team = with_roles(replace(WITHOUT_EVENTS, base=""), ROLES)
    assert [(one.when, one.id, one.text_only) for one in team.conditional] == [
        ("first_iteration", "critic", True),
        ("iterations >= 2", "tester", True),
        ("attempts >= 1", "critic", True),
        ("first_iteration", "critic", False),
        ("iterations >= 2", "tester", False),
    ]
    assert team.base == "Work well."


def test_where_no_events_are_routed_only_what_puts_a_hat_on_is_checked() -> None:
    assert check(ROLES) == check(WITHOUT_EVENTS) == ()
    silent = hat("a", when="first_iteration", publishes=("nobody.takes",))
    assert check(Team(hats=(silent,), required_events=("x",))) == ()
    assert [finding.what for finding in check(Team(hats=(Hat("a"),)))] == ["nothing puts it on"]
