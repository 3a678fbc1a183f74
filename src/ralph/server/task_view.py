"""A task as people see it: seed 001's names, flat. And what is asked for when tasks are listed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import msgspec

from ralph.core.exits import End
from ralph.core.fleet.model import FOREVER, FleetTask, Phase
from ralph.core.policy import LandHow
from ralph.core.tasks.task import Status

LARGEST_PAGE = 500


class TaskResult(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What came of it: the end of its loop, what its agent said, as what it landed."""

    end: End | Literal[""] = ""
    reason: str = ""
    summary: str = ""
    promise_evidence: str = ""
    artifact_paths: tuple[str, ...] = ()
    landed: LandHow | Literal[""] = ""
    commit: str = ""
    merged: bool = False


class TaskView(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    id: str
    title: str
    task: str
    task_type: str
    status: Status
    phase: Phase
    reason: str  # why it failed, is blocked, waits
    ralph_promise: str | None
    ralph_iterations: int
    ralph_max_iterations: int
    ralph_last_checkpoint: str | None
    ralph_plan_path: str | None
    criteria: tuple[str, ...]
    priority: float
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    dependencies: tuple[str, ...]
    parent: str | None
    repository: str | None
    target: str | None
    agent: str | None
    assign_to: str | None
    proposed_by: str | None
    worker: str | None  # that holds it
    epoch: int
    attempts: int  # rejected claims, and landings that were sent back
    deaths: int
    cost_usd: float
    tokens: int
    facts: int
    not_before: str | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    result: TaskResult


def view(task: FleetTask) -> TaskView:
    spec, p = task.spec, task.progress
    result = TaskResult(
        p.end, p.reason, p.summary, p.promise_evidence, p.artifact_paths, p.landed, p.commit, task.merged
    )
    return TaskView(
        id=task.id,
        title=spec.heading,
        task=spec.task,
        task_type=spec.task_type,
        status=task.status,
        phase=task.phase,
        reason=task.reason,
        ralph_promise=spec.ralph_promise or None,
        ralph_iterations=p.ralph_iterations,
        ralph_max_iterations=spec.ralph_max_iterations,
        ralph_last_checkpoint=p.ralph_last_checkpoint or None,
        ralph_plan_path=spec.ralph_plan_path or None,
        criteria=spec.criteria,
        priority=spec.priority,
        tags=spec.tags,
        labels=spec.labels,
        dependencies=spec.dependencies,
        parent=spec.parent or None,
        repository=spec.repository or None,
        target=task.lane.partition(" ")[2] or None,
        agent=spec.agent or None,
        assign_to=spec.assign_to or None,
        proposed_by=task.proposed_by or None,
        worker=task.holder or None,
        epoch=task.epoch,
        attempts=p.rejected + p.attempts,
        deaths=task.deaths,
        cost_usd=p.cost_usd,
        tokens=p.tokens,
        facts=task.facts,
        not_before=iso(task.not_before) if 0 < task.not_before < FOREVER else None,
        created_at=iso(task.born),
        started_at=p.started_at or None,
        ended_at=p.ended_at or None,
        result=result,
    )


def iso(ms: int) -> str:
    """Milliseconds of the server's clock as a time."""
    seconds, rest = divmod(ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"
