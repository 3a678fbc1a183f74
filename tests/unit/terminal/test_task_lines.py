"""How a task and the role of an iteration are named in a line."""

from __future__ import annotations

import pytest

from loop_states import loop_state
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy, Task
from ralph.terminal.lines import lines, own_name


@pytest.mark.parametrize(
    ("id", "title", "name"),
    [
        ("C", "changes test.sh", "C"),
        ("A", "A new parser", "A"),
        ("make-the-tests-pass", "Make the tests pass", ""),
        ("make-the-tests-pass-and-then-clean-up-the", "Make the tests pass, and then clean up the rest", ""),
        ("make-the-tests-pass-and-then-clean-up-th", "Make the tests pass, and then clean up the rest", ""),
        ("auth", "Authors have a page", "auth"),
    ],
)
def test_an_id_is_left_out_only_when_it_repeats_words_of_the_title(id: str, title: str, name: str) -> None:
    assert own_name(Task(id, title)) == name


def test_a_task_of_a_backlog_is_always_named() -> None:
    task = Task("changes", "Changes of the API")
    started = f.LoopStarted(loop="l", task=task, policy=Policy(AgentPolicy()), root="/w", home="/home")
    assert lines(started, fold(LoopState(), started))[0] == "task changes: Changes of the API"


def test_the_role_of_an_iteration_is_named_once_with_its_reason() -> None:
    started = f.IterationStarted(
        serial=1,
        n=1,
        prompt="",
        prompt_chars=10,
        tree="t",
        hat="architect",
        hat_why="architect: iterations >= 3 (iterations is 3)",
    )
    shown = lines(started, loop_state(policy=Policy(AgentPolicy())))
    assert shown[1:] == ["  architect: iterations >= 3 (iterations is 3)"]
