"""What an agent asks of the backlog. It changes nothing itself: a completion is a claim, a new task a proposal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ralph.backlog import JsonlBacklog
from ralph.core.tasks import next_child, next_top
from ralph.errors import RalphError
from ralph.mcp.caller import Caller, digest

_INSIDE = ("RALPH_TOKEN", "RALPH_GATE", "RALPH_LOOP")


def caller() -> Caller | None:
    """The iteration that calls; None for a person. Gates and reviewers are refused."""
    if not any(os.environ.get(name) for name in _INSIDE):
        return None
    found = Caller(os.environ, str(Path.cwd()))
    if not found.inside:
        raise RalphError(
            "only people and agents inside an iteration change the backlog; a gate or a reviewer does not",
            todo="Leave it; say what should be done in your output.",
        )
    return found


def refuse(what: str, todo: str) -> None:
    """For what is a person's to decide."""
    if caller() is not None:
        raise RalphError(f"an agent cannot {what}: that is for a person to decide", todo=todo)


def claim(agent: Caller, id: str, summary: str) -> str:
    from ralph.mcp.work import complete

    text = summary or "said with `ralph task complete`"
    return complete(agent, {"taskId": id, "summary": text, "promiseEvidence": text})


def propose(
    agent: Caller, backlog: JsonlBacklog, how: str, parent: str, tasks: Sequence[dict[str, object]]
) -> list[str]:
    """Put them to the run; their ids, which it may still change."""
    if how == "split" and parent != agent.task:
        raise RalphError(
            f"{parent!r} is not the task of this loop", todo=f"Split {agent.task!r}, or add a task instead."
        )
    ids = [task.id for task in backlog.all()]
    proposed = []
    for task in tasks:
        id = str(task.get("id") or (next_child(parent, ids) if parent else next_top(ids)))
        ids.append(id)
        proposed.append({**task, "id": id})
    message: dict[str, object] = {"kind": "task", "how": how, "parent": parent, "tasks": proposed}
    agent.tell(message, f"{how}-{digest(proposed)}")
    return [str(task["id"]) for task in proposed]
