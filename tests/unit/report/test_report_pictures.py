"""The pictures: what stands where, whatever the times are."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from report_world import World, long_night, proven

from ralph.history.moments import TimeSpan
from ralph.report import charts
from ralph.report.charts import LONGEST_IDLE, Axis


def test_without_waits_time_is_to_scale() -> None:
    axis = Axis(TimeSpan(100, 200), [], 0, 1000)
    assert [axis.x(t) for t in (100, 125, 200)] == [0, 250, 1000]
    assert not axis.shortened


def test_a_short_wait_is_to_scale() -> None:
    axis = Axis(TimeSpan(0, 100), [TimeSpan(50, 52)], 0, 1000)
    assert axis.x(50) == pytest.approx(500) and axis.x(52) == pytest.approx(520)
    assert not axis.shortened


def test_a_night_of_waiting_does_not_push_the_work_aside() -> None:
    night = TimeSpan(50, 36_050)
    axis = Axis(TimeSpan(0, 36_100), [night], 0, 1000)
    waited = axis.x(36_050) - axis.x(50)
    assert waited == pytest.approx(1000 * LONGEST_IDLE / (1 + LONGEST_IDLE))
    assert axis.x(50) == pytest.approx(1000 - axis.x(36_050)), (
        "both halves of the work are as long as each other"
    )
    assert axis.shortened == [night]


def test_many_waits_together_leave_half_the_room_to_the_work() -> None:
    waits = [TimeSpan(n * 100 + 1, n * 100 + 100) for n in range(100)]
    axis = Axis(TimeSpan(0, 10_000), waits, 0, 1000)
    worked = sum(axis.x(n * 100 + 1) - axis.x(n * 100) for n in range(100))
    assert worked >= 499


@pytest.mark.parametrize(
    "idle",
    [
        [],
        [TimeSpan(0, 100)],
        [TimeSpan(-50, 500)],
        [TimeSpan(10, 60), TimeSpan(20, 30), TimeSpan(50, 90)],
        [TimeSpan(5, 5)],
    ],
)
def test_time_never_runs_backwards_nor_out_of_the_picture(idle: list[TimeSpan]) -> None:
    axis = Axis(TimeSpan(0, 100), idle, 10, 90)
    places = [axis.x(t) for t in range(-10, 120)]
    assert places == sorted(places)
    assert places[0] == 10 and places[-1] == 90


def test_a_loop_without_any_length_has_a_picture() -> None:
    axis = Axis(TimeSpan(7, 7), [], 0, 1000)
    assert axis.x(7) == 0
    assert [t.seconds for t in axis.ticks()] == [0]


@pytest.mark.parametrize("length", [0.3, 5, 61, 3000, 40_000, 900_000, 40_000_000])
def test_ticks_are_few_round_and_apart(length: float) -> None:
    found = Axis(TimeSpan(0, length), [], 0, 1000).ticks()
    assert 2 <= len(found) <= 12
    assert found[0].seconds == 0
    assert all(b.x - a.x >= 60 for a, b in pairwise(found))


def test_no_tick_stands_where_time_is_not_to_scale() -> None:
    found = Axis(TimeSpan(0, 36_100), [TimeSpan(50, 36_050)], 0, 1000).ticks()
    assert all(t.seconds <= 50 or t.seconds >= 36_050 for t in found)


def picture(world: World, name: str) -> ET.Element:
    """As it is on the page."""
    page = world.page()
    start = page.rindex("<svg", 0, page.index(f'<title id="{name}-t">'))
    return ET.fromstring(page[start : page.index("</svg>", start) + len("</svg>")])


def test_two_hundred_iterations_stay_inside_the_picture_and_can_be_seen(world: World) -> None:
    long_night(world, 200)
    story = world.story()
    root = picture(world, "timeline")
    assert len(root.findall("a")) == len(story.iterations) == 200
    for rect in root.iter("rect"):
        x, wide = float(rect.attrib["x"]), float(rect.attrib["width"])
        assert wide >= 1.5 and x >= 0 and x + wide <= charts.WIDTH
    for rect in picture(world, "bars").iter("rect"):
        assert float(rect.attrib["y"]) >= 0 and float(rect.attrib["height"]) >= 0
        assert float(rect.attrib["x"]) + float(rect.attrib["width"]) <= charts.WIDTH


def test_results_can_be_told_apart_without_colour(world: World) -> None:
    proven(world)
    rects = list(picture(world, "timeline").iter("rect"))
    tall = {r.attrib["class"]: float(r.attrib["height"]) for r in rects if "gate" in r.attrib["class"]}
    assert tall["gate red"] > tall["gate green"]


def test_every_mark_has_words(world: World) -> None:
    long_night(world, 36)
    root = picture(world, "timeline")
    assert root.find("title") is not None and root.find("desc") is not None
    texts = {title.text for title in root.iter("title")}
    assert "iteration 12: claim rejected: spec: no Retry-After header, 4 min 24 s" in texts
    assert "strategy shift 1 before iteration 12" in texts
    assert "nothing ran for 9 h 00 min" in texts
    assert any(str(t).startswith("overload: the service is overloaded, 5 min") for t in texts)


def test_hostile_names_are_text_in_a_picture(world: World) -> None:
    from ralph.core.policy import GatePolicy

    name = '"><script>alert(1)</script>\x1b[31m'
    world.start(gates=(GatePolicy(name=name, run="true"),))
    world.gate(False, name, purpose="base")
    drawn = picture(world, "timeline")
    tips = [title.text for title in drawn.iter("title")]
    assert '"><script>alert(1)</script> on the start: red, 10.0 s' in tips
    assert not list(drawn.iter("script"))


@pytest.mark.parametrize(
    ("spent", "heading"),
    [
        ({"usd": 0.25, "tokens": 5}, "Cost by iteration"),
        ({"tokens": 5000}, "Tokens by iteration"),
        ({}, "Time by iteration"),
    ],
)
def test_the_bars_show_what_is_known(world: World, spent: dict[str, float], heading: str) -> None:
    world.start()
    world.iteration("ITERATION_DONE", **spent)  # type: ignore[arg-type]
    title = picture(world, "bars").find("title")
    assert title is not None and title.text == heading


def test_without_iterations_there_are_no_bars(world: World) -> None:
    world.start()
    assert " by iteration" not in world.page()


def test_a_bar_whose_number_was_used_again_has_a_label_too(world: World) -> None:
    world.start()
    world.iteration("ITERATION_DONE", usd=0.025)
    world.iteration("", how="interrupted", usd=0.05)
    world.iteration("ITERATION_DONE", usd=0.03)
    root = picture(world, "bars")
    labels = [text.text for text in root.findall("text") if text.attrib["text-anchor"] == "middle"]
    assert labels == ["1", "2*", "2"]
    tips = [title.text for group in root.findall("g") for title in group.findall("title")]
    assert tips == [
        "iteration 1: 0.03 USD",
        "iteration 2 (interrupted): 0.05 USD",
        "iteration 2: 0.03 USD",
    ]
    scale = [text.text for text in root.findall("text") if text.attrib["text-anchor"] == "end"]
    assert scale == ["0 USD", "0.025 USD", "0.05 USD"]
    assert "* did not count" in world.page()
