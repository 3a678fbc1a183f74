"""The comparison itself: what it lets pass, and that what is dropped, wrong or out of order does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from golden_compare import Facts, differences, markdown_differences, page_differences, text_differences
from golden_files import names_in, saved, saved_views
from golden_world import a_world

NAME = "prompt-turned-down"


@pytest.fixture(scope="module")
def facts() -> Facts:
    return Facts(names_in(saved(NAME).facts))


@pytest.fixture(scope="module")
def views() -> dict[str, str]:
    return saved_views(NAME)


def status(views: dict[str, str]) -> Any:
    return json.loads(views["status --json"].partition("\n")[2])


def without(text: str, start: str, end: str) -> str:
    head, _, rest = text.partition(start)
    assert rest, start
    return head + rest[rest.index(end) :] if end in rest else head


def swapped(text: str, one: str, other: str) -> str:
    lines = text.splitlines()
    a, b = (next(n for n, line in enumerate(lines) if part in line) for part in (one, other))
    lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def test_what_is_recorded_equals_itself(facts: Facts, views: dict[str, str]) -> None:
    assert differences(status(views), status(views), facts) == []
    assert text_differences(views["status"], views["status"], facts) == []
    assert markdown_differences(views["report"], views["report"], facts) == []
    page = views["report --html -o -"]
    assert page_differences(page, page, facts) == []


def test_keys_may_be_added_and_sentences_said_in_other_words(facts: Facts, views: dict[str, str]) -> None:
    now = status(views) | {"new": 1, "next": "See `git diff`; commit what you like."}
    assert differences(status(views), now, facts) == []
    said = (
        views["report"]
        .replace("turned down", "rejected")
        .replace("Looked at", "Seen")
        .replace("in all", "total")
    )
    assert said != views["report"] and markdown_differences(views["report"], said, facts) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.pop("attempts"),
        lambda x: x.update(attempts=2),
        lambda x: x.update(end="completed-unverified"),
        lambda x: x.update(reason=""),
        lambda x: x.update(reason="gate-answer green→green"),
        lambda x: x["gates"].clear(),
        lambda x: x["gates"][0].update(verdict="red"),
        lambda x: x.update(tokens=0.0),
        lambda x: x.update(said=None),
    ],
)
def test_a_changed_key_is_found(facts: Facts, views: dict[str, str], change: Callable[[Any], Any]) -> None:
    now = status(views)
    change(now)
    assert differences(status(views), now, facts)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.replace("1 of 5", "2 of 5"),
        lambda x: x.replace("red→green", "green→green"),
        lambda x: x.replace("completed-verified", "completed-unverified"),
        lambda x: x.replace("gate-answer", "another"),
        lambda x: without(x, "attempts", "active"),
        lambda x: swapped(x, "iterations", "gates"),
    ],
)
def test_a_changed_line_is_found(facts: Facts, views: dict[str, str], change: Callable[[str], str]) -> None:
    now = change(views["status"])
    assert now != views["status"] and text_differences(views["status"], now, facts)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: without(x, "#### Evidence", "#### Iterations"),
        lambda x: x.replace("#### Evidence", "### Evidence"),
        lambda x: x.replace("exit code 0", "exit code 3"),
        lambda x: swapped(x, "| red | 1 |", "| green | 0 |"),
        lambda x: x.replace("- Proof: gate-answer red→green\n", ""),
        lambda x: x + "\n#### Evidence\n",
    ],
)
def test_a_changed_summary_is_found(
    facts: Facts, views: dict[str, str], change: Callable[[str], str]
) -> None:
    now = change(views["report"])
    assert now != views["report"] and markdown_differences(views["report"], now, facts)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: without(x, "<table", "</table>"),
        lambda x: x.replace("completed-verified", "failed"),
        lambda x: x.replace("1,541", "1,542").replace("1,535", "1,536"),
        lambda x: x.replace("<h2", "<h3").replace("</h2", "</h3"),
        lambda x: x.replace("green", "red", 40),
    ],
)
def test_a_changed_page_is_found(facts: Facts, views: dict[str, str], change: Callable[[str], str]) -> None:
    page = views["report --html -o -"]
    now = change(page)
    assert now != page and page_differences(page, now, facts)


def test_a_fact_that_is_lost_moved_or_changed_is_found() -> None:
    golden = saved(NAME).facts
    assert differences(golden, golden) == []
    assert differences(golden, golden[:-1])
    assert differences(golden, [*golden[:3], golden[4], golden[3], *golden[5:]])
    for n, fact in enumerate(golden):
        for key, value in fact["data"].items():
            other = fact | {"data": fact["data"] | {key: [value]}}
            assert differences(golden, [*golden[:n], other, *golden[n + 1 :]]), key
            shorter = fact | {"data": {name: x for name, x in fact["data"].items() if name != key}}
            assert differences(golden, [*golden[:n], shorter, *golden[n + 1 :]]), key
        assert not differences(
            golden, [*golden[:n], fact | {"data": fact["data"] | {"new": 1}}, *golden[n + 1 :]]
        )


def test_a_world_is_as_long_everywhere_and_goes_away() -> None:
    with a_world() as one, a_world() as other:
        assert len(str(one.root)) == len(str(other.root)) and one.root != other.root
    assert not one.root.exists() and not other.root.parent.exists()
