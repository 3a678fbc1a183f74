"""May this worker have this task now? Stores put the same conditions into their query; these functions say what it means."""

from __future__ import annotations

from ralph.core.fleet.model import FOREVER, FleetTask, Queue
from ralph.core.fleet.requests import Offer
from ralph.text import few

CLAIMABLE = ("pending", "in_progress")


def is_ready(task: FleetTask) -> bool:
    """No one holds it, and nothing holds it back. `not_before` is set to 0 by the server's tick when its time has come."""
    return not task.holder and task.waits == 0 and task.not_before == 0 and task.status in CLAIMABLE


def serves(offer: Offer, queue: Queue) -> bool:
    """Whether the worker may have tasks of this queue."""
    if queue.assigned and queue.assigned != offer.worker:
        return False
    if not set(queue.labels) <= set(offer.labels):
        return False
    if queue.agent in offer.closed_agents or queue.repository in offer.closed_repositories:
        return False
    return not queue.repository or offer.repositories is None or queue.repository in offer.repositories


def knows(offer: Offer, task: FleetTask) -> bool:
    """Whether the worker understands the task's facts, and does what its phase needs."""
    return task.protocol <= offer.protocol and task.phase == offer.phase


def urgency(task: FleetTask) -> tuple[int, float, int, str]:
    """The order of claims: a change that was sent back from landing twice goes first, then priority, then age."""
    is_late = task.phase == "land" and task.progress.attempts >= 2
    return 0 if is_late else 1, task.spec.priority, task.born, task.id


def why_not_running(task: FleetTask, *, lane_held: bool = False) -> str:
    """In a line: what a task waits for. Empty: a worker may have it now."""
    if task.holder:
        return f"held by {task.holder}"
    if task.status not in CLAIMABLE:
        return f"{task.status}: {task.reason}" if task.reason else task.status
    if task.waits:
        return f"waits for {task.waits} of: {few(list(task.spec.dependencies))}"
    if task.not_before >= FOREVER:
        return task.reason or "parked until someone says something"
    if task.not_before:
        return f"parked: {task.reason}" if task.reason else "parked"
    if task.phase == "land" and lane_held:
        return f"another task is landing on {task.lane}"
    return ""
