"""What the file says of a backlog: where it is, how it is gone through, and where its work goes."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from ralph.config.overrides import Overrides
from ralph.config.policy import gates_of
from ralph.config.problems import Problems, quoted
from ralph.config.read import Settings, Values, fields, read
from ralph.config.schema import AT_END, BY_PATH, GATE, field_default
from ralph.config.textfile import located, read_text
from ralph.core.policy import GatePolicy, LandPolicy, Policy
from ralph.core.schedule import Work

_OF_TASKS = (
    "parallel",
    "poll_interval_seconds",
    "gate_concurrency",
    "share",
    "at_end",
    "land.target",
    "land.merges",
)
_NOT_HERE = "is not for a backlog yet: each task needs a workspace of its own; use clone or worktree"


def asked_for(settings: Settings, overrides: Overrides) -> bool:
    """Whether PROMPT.md is not the task, because the backlog is named. A prompt on the command line wins over the file."""
    prompt = overrides.prompt is not None or overrides.prompt_file is not None
    return bool(overrides.backlog) or ("backlog" in settings.values and not prompt)


def file(settings: Settings, usual: Path | None) -> Path | None:
    """The named one, or the one that is in its usual place."""
    named = settings.get("backlog")
    return located(named, settings.folder) if named else usual


def named_in(config: Path) -> Path | None:
    """The backlog that a configuration names, whatever else may be wrong with it."""
    problems = Problems(config.name)
    settings = Settings(config.parent, read(read_text(config), problems), problems)
    if problems.concern("backlog"):
        problems.raise_if_any()
    return file(settings, None)


def work(settings: Settings, overrides: Overrides, cwd: Path) -> Work:
    return Work(**fields(settings.values, "work"), at_end=_at_end(settings, overrides, cwd))


def _at_end(settings: Settings, overrides: Overrides, cwd: Path) -> tuple[GatePolicy, ...]:
    """Reviewers like those of `gates`, but always soft."""
    given: tuple[Values, ...] = settings.get("at_end") or ()
    as_gates = tuple(
        {key.replace(AT_END, GATE, 1): value for key, value in values.items()} for values in given
    )
    found = gates_of(as_gates, "at_end", settings, overrides, cwd)
    if found and settings.get("land.how") not in (None, "merge"):
        settings.warn(
            "at_end", "nobody is asked: they look at what lands on the target, and here nothing does"
        )
    return tuple(replace(gate, hard=False) for gate in found)


def policy_for_tasks(policy: Policy, settings: Settings, overrides: Overrides) -> Policy:
    kind = settings.get("workspace")
    if overrides.in_place:
        settings.problems.add_outside("--in-place", _NOT_HERE)
    elif kind == "in-place":
        settings.wrong("workspace", f"in-place {_NOT_HERE}")
    for flag, given in (("--criteria", overrides.criteria), ("--task-id", overrides.task_id)):
        if given:
            settings.problems.add_outside(flag, "is for a prompt; tasks of a backlog have their own")
    for path in settings.values:
        if path.startswith("task."):
            settings.warn(path, "is used only with a prompt; tasks of a backlog have their own")
    land = LandPolicy(how=settings.get("land.how") or "merge", **fields(settings.values, "land"))
    return replace(policy, workspace=kind or "clone", land=land)


def only_for_tasks(settings: Settings, overrides: Overrides) -> None:
    """A prompt is worked on in place, and stays there: who asks for anything else must know."""
    kind = settings.get("workspace")
    if kind not in (None, "in-place") and not overrides.in_place:
        what = f"{quoted(kind)} is only for a backlog; a prompt is worked on in place"
        settings.wrong(
            "workspace", f"{what}: remove the key, say --in-place, or make it a task: `ralph task add`"
        )
    if overrides.prompt is not None or overrides.prompt_file is not None:
        return  # the file is for other runs than this one
    for path in (*_OF_TASKS, "push"):
        if settings.get(path) not in (None, field_default(BY_PATH[path].into)):
            settings.warn(path, "is used only for a backlog")
    if settings.get("land.how") not in (None, "none"):
        settings.warn("land.how", "is used only for a backlog")
