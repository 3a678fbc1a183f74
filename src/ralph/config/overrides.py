"""What the command line says over the file, and the checks of its values."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.config.field_types import (
    MAX_INTEGER,
    YEAR,
    glob_problem,
    identifier_problem,
    number_problem,
    text_problem,
)
from ralph.config.problems import Problems
from ralph.core.policy import SandboxKind


class Overrides(msgspec.Struct, frozen=True):
    """None and empty mean: not given."""

    prompt: str | None = None
    prompt_file: Path | None = None  # relative to the folder Ralph was started in
    criteria: tuple[str, ...] = ()  # in place of the file's
    task_id: str | None = None
    max_iterations: int | None = None
    max_attempts: int | None = None
    max_cost_usd: float | None = None
    max_tokens: int | None = None
    max_runtime_seconds: float | None = None
    timeout_multiplier: float = 1.0  # of the time limits of agent, gates and loop; not of waits
    command: tuple[str, ...] = ()  # the agent's argv, in place of cli.backend, command and args
    gates: tuple[str, ...] = ()  # commands, in place of the file's gates
    no_gates: bool = False
    allow: tuple[str, ...] = ()  # patterns, besides the file's
    require_verified: bool = False
    sandbox: SandboxKind | None = None  # in place of sandbox.kind
    backlog: str = ""  # the flag that asks for the tasks of the backlog
    in_place: bool = False  # work in the user's folder, whatever `workspace` says


# field, least, most, whether the least itself is refused
_RANGES = (
    ("max_iterations", 1, MAX_INTEGER, False),
    ("max_attempts", 1, MAX_INTEGER, False),
    ("max_cost_usd", 0, MAX_INTEGER, False),
    ("max_tokens", 0, MAX_INTEGER, False),
    ("max_runtime_seconds", 0, YEAR, True),
    ("timeout_multiplier", 0.001, 1000, False),
)


def check(overrides: Overrides, problems: Problems) -> None:
    for name, least, most, above in _RANGES:
        value = getattr(overrides, name)
        problem = "" if value is None else number_problem(value, least, most, above=above)
        if problem:
            problems.add_outside(flag(name), problem)
    if overrides.prompt is not None and overrides.prompt_file is not None:
        problems.add_outside("-p", "give the prompt as text or as a file (-P), not both")
    if overrides.backlog and (overrides.prompt is not None or overrides.prompt_file is not None):
        given = "-p" if overrides.prompt is not None else "-P"
        problems.add_outside(
            overrides.backlog, f"is for a backlog, and {given} gives a prompt; leave one out"
        )
    if overrides.gates and overrides.no_gates:
        problems.add_outside("--no-gates", "contradicts --gate")
    if overrides.task_id is not None and (problem := identifier_problem(overrides.task_id)):
        problems.add_outside("--task-id", problem)
    _check_texts("-p", () if overrides.prompt is None else (overrides.prompt,), problems)
    _check_texts("--criteria", overrides.criteria, problems)
    _check_texts("--gate", overrides.gates, problems)
    for pattern in overrides.allow:
        if problem := glob_problem(pattern):
            problems.add_outside("--allow", problem)
    _check_texts("--", overrides.command[:1], problems)
    _check_texts("--", tuple(word for word in overrides.command[1:] if word), problems)


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _check_texts(name: str, texts: tuple[str, ...], problems: Problems) -> None:
    for text in texts:
        if problem := text_problem(text):
            problems.add_outside(name, problem)
