"""What to do after a loop of a backlog has ended: nothing of it is in the user's folder, and a resume names the task."""

from __future__ import annotations

from typing import get_args

import pytest

from loop_states import loop_state
from ralph.core import facts as f
from ralph.core.exits import End
from ralph.core.loop.end_advice import what_next
from ralph.core.policy import Task

LOOP = loop_state(task=Task("A.1", "Title"), home="/home", source="backlog", root="/slot", prepared=True)


@pytest.mark.parametrize("end", get_args(End))
def test_nothing_is_said_that_works_only_in_place(end: End) -> None:
    said = what_next(end, LOOP)
    assert said and "git diff" not in said
    assert said.count("ralph resume") == said.count("ralph resume --task A.1")


def test_where_to_look() -> None:
    landed = f.Landed(op="land", how="merge", ref="refs/heads/main", commit="0123456789abcdef")
    done = loop_state(task=LOOP.identity.task, home="/home", source="backlog", landed=landed)
    assert what_next("completed-verified", done) == "Look at it with `git show 0123456789ab`."
    failed = loop_state(
        task=LOOP.identity.task, home="/home", source="backlog", end_branch="wip/ralph-fail-A.1-x"
    )
    assert "`git log -p wip/ralph-fail-A.1-x`" in what_next("failed", failed)
    assert "`ralph task reopen A.1`" in what_next("failed", failed)
    assert "/slot" in what_next("needs-review", LOOP)
