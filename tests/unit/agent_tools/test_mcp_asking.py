"""A question by the tool, with what holds when nobody answers in time."""

from __future__ import annotations

import json

import pytest
from mcp_world import World

from ralph.core.loop.steering import Question, question


def asked(world: World) -> Question:
    (message,) = world.messages()
    assert message["topic"] == "human.interact"
    return question(str(message["payload"]))


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, Question("Which one?")),
        ({"default": "a"}, Question("Which one?", "a")),
        ({"deadlineSeconds": 60}, Question("Which one?", None, 60.0)),
        ({"default": "ä", "deadlineSeconds": 60}, Question("Which one?", "ä", 60.0)),
    ],
)
def test_what_the_tool_is_given_reaches_the_loop(
    world: World, more: dict[str, object], found: Question
) -> None:
    said = world.call("ask_human", question="Which one?", **more)
    assert asked(world) == found
    assert ("your default" in said) == (len(more) == 2)


@pytest.mark.parametrize("wrong", [{"deadlineSeconds": 0}, {"deadlineSeconds": 86401}, {"default": " "}])
def test_a_deadline_out_of_bounds_and_an_empty_default_are_refused(
    world: World, wrong: dict[str, object]
) -> None:
    world.refused("ask_human", question="Which one?", **wrong)
    assert not world.state.exists()


def test_a_question_that_looks_like_an_object_is_still_the_question(world: World) -> None:
    world.call("ask_human", question='{"question": "x"}', default="d", deadlineSeconds=5)
    assert asked(world).text == '{"question": "x"}'
    assert json.loads(str(world.messages()[0]["payload"]))["default"] == "d"
