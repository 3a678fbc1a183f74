"""Who takes an event, who may emit it, and why."""

from __future__ import annotations

import pytest
from core_world import hat, spike
from hypothesis import given
from hypothesis import strategies as st

from ralph.core.hats.model import Event, Hat, Team
from ralph.core.hats.routing import Route, matches, overlap, rank, refusal, route, valid

SEGMENTS = st.sampled_from(("a", "b", "ab", "done", "é"))
TOPICS = st.lists(SEGMENTS, min_size=1, max_size=4).map(".".join)
PATTERNS = st.lists(SEGMENTS | st.just("*"), min_size=1, max_size=4).map(".".join)


@pytest.mark.parametrize(
    ("pattern", "topic", "fits"),
    [
        ("build.done", "build.done", True),
        ("build.done", "build.done.now", False),
        ("build.*", "build.done", True),
        ("build.*", "build", False),
        ("build.*", "build.step.done", False),
        ("build.*", "rebuild.done", False),
        ("*.done", "build.done", True),
        ("*.done", "build.undone", False),
        ("a.*.c", "a.b.c", True),
        ("*.*", "a.b", True),
        ("*.*", "a", False),
        ("*", "a", True),
        ("*", "a.b.c", True),
        ("build*", "build.done", False),
        ("build*", "builder", False),
        ("bu.*", "bu.", True),
        ("Build.done", "build.done", False),
        ("a+b", "aab", False),
    ],
)
def test_patterns_match_whole_segments(pattern: str, topic: str, fits: bool) -> None:
    assert matches(pattern, topic) is fits


def takers(hats: tuple[Hat, ...], topic: str) -> list[str]:
    return [one.hat for one in route(hats, Event(topic)).hats]


def test_the_topic_itself_comes_before_a_pattern_and_a_pattern_before_a_star() -> None:
    hats = (hat("rest", "*"), hat("builds", "build.*"), hat("done", "x", "build.done"))
    assert takers(hats, "build.done") == ["done"]
    assert takers(hats, "build.failed") == ["builds"]
    assert takers(hats, "deploy") == ["rest"]
    assert takers(hats[1:], "deploy") == []


def test_hats_on_the_same_topic_come_in_declared_order() -> None:
    assert takers((hat("z", "go"), hat("a", "go"), hat("m", "stop")), "go") == ["z", "a"]


def test_a_hat_counts_by_its_most_specific_trigger() -> None:
    assert takers((hat("a", "*", "go"), hat("b", "go")), "go") == ["a", "b"]


def test_the_reason_names_the_hat_the_trigger_and_who_was_passed_over() -> None:
    hats = (hat("rest", "*"), hat("builds", "build.*"), hat("done", "build.done"))
    assert route(hats, Event("build.done")).why == "done names build.done (more specific than rest, builds)"
    assert route(hats, Event("build.x")).why == "builds takes build.* (more specific than rest)"
    assert route(hats, Event("x")).why == "rest takes what nobody else does"
    assert route((), Event("x")).why == "no hat takes x: the coordinator does"
    both = route((hat("a", "go"), hat("b", "go")), Event("go"))
    assert both.why == "a names go; then b names go"


def test_the_events_of_the_spike_go_where_its_picture_says() -> None:
    hats = spike().hats
    expected = {
        "board.scan": "board_scanner",
        "board.rescan": "board_scanner",
        "task.resume": "board_scanner",
        "work.propose": "proposal_writer",
        "work.finish": "finisher",
    }
    assert {topic: takers(hats, topic) for topic in expected} == {t: [h] for t, h in expected.items()}


def test_a_failed_gate_that_nobody_asks_for_is_the_producers_business() -> None:
    hats = (hat("a", "x"), hat("b", "y"))
    assert [one.hat for one in route(hats, Event("gate.failed"), producer="b").hats] == ["b"]
    assert route(hats, Event("gate.failed"), producer="gone").hats == ()
    assert route(hats, Event("other"), producer="b").hats == ()
    asked = (*hats, hat("c", "gate.*"))
    assert [one.hat for one in route(asked, Event("gate.failed"), producer="b").hats] == ["c"]


def test_a_hostile_topic_is_shown_harmlessly() -> None:
    why = route((), Event("\x1b[2J" + "x" * 500)).why
    assert "\x1b" not in why and len(why) < 200


@pytest.mark.parametrize("topic", ["a", "a.b", "LOOP_COMPLETE", "build-1.done_2", "été.fini", "x" * 200])
def test_topics(topic: str) -> None:
    assert valid(topic)


@pytest.mark.parametrize(
    "topic",
    ["", " ", "a b", "a..b", ".a", "a.", "a.*", "*", "a\nb", "<b>", "a\x00", "\u202ea", "x" * 201, "'a'"],
)
def test_no_topics(topic: str) -> None:
    assert not valid(topic)
    assert "is no topic" in refusal(Team(), None, topic)


def test_scope_goes_by_patterns_and_the_default_counts_as_declared() -> None:
    team = Team(enforce_scope=True)
    worn = hat("a", "x", publishes=("build.*",), default_publishes="board.rescan")
    assert refusal(team, worn, "build.done") == ""
    assert refusal(team, worn, "board.rescan") == ""
    assert refusal(team, worn, "deploy") == "a may not publish deploy; it may: build.*, board.rescan"
    assert refusal(team, hat("b", "x"), "deploy") == "b may not publish deploy; it may: nothing"
    assert refusal(team, None, "deploy") == ""


@given(st.lists(PATTERNS, max_size=6), TOPICS)
def test_routing_is_total_deterministic_and_takes_only_hats_that_match(
    patterns: list[str], topic: str
) -> None:
    hats = tuple(hat(f"h{n}", one) for n, one in enumerate(patterns))
    found = route(hats, Event(topic))
    assert isinstance(found, Route) and found == route(hats, Event(topic)) and found.why
    ranks = {rank(patterns[int(one.hat[1:])], topic) for one in found.hats}
    assert len(ranks) <= 1
    assert bool(found.hats) == any(matches(one, topic) for one in patterns)
    assert all(rank(one, topic) >= min(ranks) for one in patterns if ranks)


@given(PATTERNS, TOPICS)
def test_what_matches_overlaps(pattern: str, topic: str) -> None:
    if matches(pattern, topic):
        assert overlap(pattern, topic)
    assert matches("*", topic) and matches(topic, topic)


@given(PATTERNS, PATTERNS)
def test_overlap_has_no_direction_and_has_a_witness(one: str, other: str) -> None:
    assert overlap(one, other) == overlap(other, one)
    if overlap(one, other) and "*" not in (one, other):
        pairs = zip(one.split("."), other.split("."), strict=True)
        both = ".".join("w" if a == b == "*" else (b if a == "*" else a) for a, b in pairs)
        assert matches(one, both) and matches(other, both)
