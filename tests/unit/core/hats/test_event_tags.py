"""Events in what an agent finally says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.core.hats.routing import MOST_EVENTS, MOST_PAYLOAD, read, valid


def found(text: str) -> list[tuple[str, str]]:
    return [(event.topic, event.payload) for event in read(text)]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ('<event topic="build.done">all green</event>', [("build.done", "all green")]),
        ("<event topic='build.done'>x</event>", [("build.done", "x")]),
        ('<event topic="a"></event>', [("a", "")]),
        ('<event topic="a"/>', [("a", "")]),
        ('<event  id="7"\n topic = "a" >x</event >', [("a", "x")]),
        ('Done.\n<event topic="a">\n  two\n  lines\n</event>\nBye.', [("a", "two\n  lines")]),
        ('<event topic="a">1</event><event topic="b">2</event>', [("a", "1"), ("b", "2")]),
        ('<event topic="a">if x &lt; 3 &amp;&amp; y &gt; "2"</event>', [("a", 'if x < 3 && y > "2"')]),
        ('<event topic="a">x < 3 && y</event>', [("a", "x < 3 && y")]),
        ('<event topic="a">&amp;lt;</event>', [("a", "&lt;")]),
        # nested: part of the payload
        (
            '<event topic="a">see <event topic="b">x</event> there</event>',
            [("a", 'see <event topic="b">x</event> there')],
        ),
        # not events
        ('&lt;event topic="a"&gt;x&lt;/event&gt;', []),
        ("<event>x</event>", []),
        ('<event topic="">x</event>', []),
        ('<event topic="no topic">x</event>', []),
        ('<event topic="a*">x</event>', []),
        ('<events topic="a">x</events>', []),
        ('<event topic="a">never closed', []),
        ("</event>", []),
        ('```\n<event topic="a">x</event>\n```', []),
        ('~~~xml\n<event topic="a">x</event>\n~~~', []),
        ('```\nopen to the end\n<event topic="a">x</event>', []),
        ('I would emit `<event topic="a">x</event>` then', []),
        # and what stands around them
        ('<event topic="a">lost <event topic="b">x</event>', [("b", "x")]),
        ('```\n<event topic="a">\n```\n<event topic="b">x</event>', [("b", "x")]),
        ('```\n<event topic="a">\n```\n<event topic="b">x</event>\n```\n</event>\n```', [("b", "x")]),
        ('`code` <event topic="a">x</event>', [("a", "x")]),
        (
            '<event topic="a">```py\ncode</event>\n<event topic="b">x</event>',
            [("a", "```py\ncode"), ("b", "x")],
        ),
        ('<event topic="a">`</event> <event topic="b">x</event>', [("a", "`"), ("b", "x")]),
        ('<event topic="a">x</event> ```\n<event topic="b">y</event>', [("a", "x"), ("b", "y")]),
        ('```\ncode\n```\r\n<event topic="a">x</event>', [("a", "x")]),
    ],
)
def test_events_in_last_words(text: str, events: list[tuple[str, str]]) -> None:
    assert found(text) == events


def test_how_much_is_read_is_bounded() -> None:
    assert len(read('<event topic="a">x</event>' * 500)) == MOST_EVENTS
    assert len(read(f'<event topic="a">{"x" * 10**6}</event>')[0].payload) == MOST_PAYLOAD


@pytest.mark.parametrize(
    "piece",
    ['<event topic="a">', '`<event topic="a"/>', "</event>", "<event ", '<event topic="', "```\n", "&lt;"],
)
def test_a_hostile_text_is_read_in_one_go(piece: str) -> None:
    """Quadratic work on these would outlast the test's time limit."""
    read(piece * 100_000)


PIECES = st.sampled_from(
    (
        '<event topic="a.b">',
        "<event topic='c'/>",
        "</event>",
        "```\n",
        "`",
        "\n",
        "text",
        "&lt;",
        "<",
        '"',
        "<event>",
    )
)


@given(st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    events = read(text)
    assert all(valid(event.topic) and event.iteration == 0 for event in events)
    assert read(text) == events
    assert len(events) <= text.count("<event")
