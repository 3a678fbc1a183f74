"""Settings and overrides to the policy: defaults, precedence, and rules that concern more than one key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ralph.config.kinds import is_unicode
from ralph.config.overrides import Overrides
from ralph.config.problems import quoted, quoted_path
from ralph.config.read import NO_GATES, Given, Settings, Values, fields
from ralph.config.schema import GATE, REVIEWER
from ralph.config.textfile import located, read_text
from ralph.core.policy import (
    REVIEWS,
    AgentPolicy,
    GatePolicy,
    LimitPolicy,
    NotifyPolicy,
    Policy,
    StuckPolicy,
)
from ralph.errors import RalphError

SOFT_SHARE = 0.75  # of the loop's time
ITERATION_SOFT_SHARE = 2 / 3  # of one iteration's
OTHER_SIGNALS = ("ITERATION_DONE", "TASK_STUCK")  # these never claim that it is done


def policy(settings: Settings, overrides: Overrides, cwd: Path) -> Policy:
    gates = _gates(settings, overrides, cwd)
    found = Policy(
        agent=_agent(settings, overrides, cwd),
        gates=gates,
        gates_declined=not overrides.gates and (overrides.no_gates or settings.get("gates") == NO_GATES),
        limits=_limits(settings, overrides),
        stuck=_stuck(settings),
        notify=tuple(NotifyPolicy(**fields(target, "notify")) for target in settings.get("notify") or ()),
        **_own_fields(settings, overrides),
    )
    if found.require_verified and not gates:
        settings.warn("require_verified", "no gate is set, so no end can be verified")
    return found


def _own_fields(settings: Settings, overrides: Overrides) -> dict[str, Any]:
    own = fields(settings.values, "policy")
    if overrides.require_verified:
        own["require_verified"] = True
    own["allow"] = (*own.get("allow", ()), *(pattern.removeprefix("./") for pattern in overrides.allow))
    if own.get("completion_promise") in OTHER_SIGNALS:
        settings.wrong("event_loop.completion_promise", "is a signal that says the opposite of done")
    return own


def _agent(settings: Settings, overrides: Overrides, cwd: Path) -> AgentPolicy:
    own = fields(settings.values, "agent")
    if overrides.command:
        own |= {"backend": "custom", "command": _resolved(overrides.command, cwd, settings)}
    elif "command" in own:
        own["command"] = _resolved(
            own["command"] + (settings.get("cli.args") or ()), settings.folder, settings
        )
    if own.get("backend", "custom") == "custom":
        own.pop("script", None)
        if not overrides.command:
            _warn_unused(settings, "cli.script", "is used only with backend: scripted")
    else:
        own["script"] = _script(settings)
        own.pop("command", None)
        for path in ("cli.command", "cli.args", "cli.prompt_mode", "cli.prompt_flag"):
            _warn_unused(settings, path, "is used only with backend: custom")
        return AgentPolicy(**own)
    if own.get("prompt_mode", "stdin") == "stdin":
        _warn_unused(settings, "cli.prompt_flag", "is used only with prompt_mode: arg or file")
    return AgentPolicy(**own)


def _resolved(argv: tuple[str, ...], folder: Path, settings: Settings) -> tuple[str, ...]:
    """A program with a slash is a file, wherever the agent will be started; without one PATH finds it."""
    return (_absolute("cli.command", argv[0], folder, settings), *argv[1:]) if "/" in argv[0] else argv


def _absolute(key: str, text: str, folder: Path, settings: Settings) -> str:
    path = str(located(text, folder))
    if not is_unicode(path):  # the journal could not hold it
        settings.wrong(key, f"{quoted_path(path)} is in a folder whose name is not valid Unicode text")
    return path


def _script(settings: Settings) -> str:
    named = settings.get("cli.script")
    if named is None:
        if not settings.problems.concern("cli.script"):
            settings.wrong("cli.backend", "scripted needs cli.script: the file with its steps")
        return ""
    path = _absolute("cli.script", named, settings.folder, settings)
    try:
        read_text(Path(path))
    except RalphError as error:
        settings.wrong("cli.script", f"{quoted_path(path)} {error.what}")
    return path


def _warn_unused(settings: Settings, path: str, what: str) -> None:
    if settings.get(path):
        settings.warn(path, what)


def _limits(settings: Settings, overrides: Overrides) -> LimitPolicy:
    own = fields(settings.values, "limits")
    for name, field in (
        ("max_iterations", "max_iterations"),
        ("max_attempts", "max_attempts"),
        ("max_cost_usd", "max_cost_usd"),
        ("max_tokens", "max_tokens"),
        ("max_runtime_seconds", "hard_seconds"),
    ):
        if (value := getattr(overrides, name)) is not None:
            own[field] = value
    limits = LimitPolicy(**own)
    soft = own.get("soft_seconds")
    if soft is not None and soft > limits.hard_seconds:
        if overrides.max_runtime_seconds is not None:
            soft = None  # the file's soft limit belongs to the file's own hard limit
        else:
            settings.wrong(
                "event_loop.soft_runtime_seconds", _too_soft("max_runtime_seconds", limits.hard_seconds)
            )
    iteration_soft, iteration_hard = own.get("iteration_soft_seconds"), limits.iteration_hard_seconds
    if iteration_soft is not None and iteration_soft > iteration_hard:
        settings.wrong("event_loop.iteration_soft_timeout", _too_soft("iteration_timeout", iteration_hard))
    times = {
        "soft_seconds": limits.hard_seconds * SOFT_SHARE if soft is None else soft,
        "hard_seconds": limits.hard_seconds,
        "iteration_soft_seconds": iteration_hard * ITERATION_SOFT_SHARE
        if iteration_soft is None
        else iteration_soft,
        "iteration_hard_seconds": iteration_hard,
        "idle_seconds": limits.idle_seconds,
    }
    stretched = {name: seconds * overrides.timeout_multiplier for name, seconds in times.items()}
    return replace(limits, **stretched)


def _too_soft(hard_name: str, hard: float) -> str:
    return f"must not be more than {hard_name}, which is {hard:g} seconds"


def _stuck(settings: Settings) -> StuckPolicy:
    stuck = StuckPolicy(**fields(settings.values, "stuck"))
    if stuck.same_error_stop < stuck.same_error_shift:
        settings.wrong(
            "stuck.same_error_stop", f"must be at least same_error_shift, which is {stuck.same_error_shift}"
        )
    if stuck.no_progress_stop and stuck.no_progress_stop < stuck.no_progress_nudge:
        settings.wrong(
            "stuck.no_progress_stop",
            f"must be 0 or at least no_progress_nudge, which is {stuck.no_progress_nudge}",
        )
    return stuck


def _gates(settings: Settings, overrides: Overrides, cwd: Path) -> tuple[GatePolicy, ...]:
    if overrides.no_gates:
        return ()
    given: tuple[Values, ...] = ()
    if overrides.gates:
        given = tuple({f"{GATE}.run": Given(command, 0)} for command in overrides.gates)
    elif isinstance(in_file := settings.get("gates"), tuple):
        given = tuple(in_file)
    whole = [
        (i, values) for i, values in enumerate(given) if values.keys() & {f"{GATE}.run", f"{GATE}.review"}
    ]
    names = _names(whole, settings)
    return tuple(
        replace(
            _gate(values, names[index], f"gates[{index}]", settings, overrides.timeout_multiplier),
            agent=_reviewer(values, f"gates[{index}]", settings, overrides, cwd),
        )
        for index, values in whole
    )


def _reviewer(
    values: Values, path: str, settings: Settings, overrides: Overrides, cwd: Path
) -> AgentPolicy | None:
    """The gate's own agent: the loop's, with what is said here; or one that is said from the ground up."""
    own = {"cli" + key.removeprefix(REVIEWER): v for key, v in values.items() if key.startswith(REVIEWER)}
    if not own:
        return None
    at = f"{path}.agent"
    if f"{GATE}.review" not in values:
        settings.problems.warn(next(iter(own.values())).line, at, "is used only with `review`")
        return None
    anew = bool(own.keys() & {"cli.backend", "cli.command"})
    theirs = {} if anew else {key: v for key, v in settings.values.items() if key.startswith("cli.")}
    inherited = frozenset(theirs.keys() - own.keys())
    agent = _agent(
        Settings(settings.folder, theirs | own, settings.problems, at, inherited),
        Overrides() if anew else overrides,
        cwd,
    )
    if overrides.command and not anew and "cli.args" in own:
        return replace(agent, command=agent.command + own["cli.args"].value)
    return agent


def _gate(values: Values, name: str, path: str, settings: Settings, multiplier: float) -> GatePolicy:
    own = fields(values, "gate") | {"name": name}
    gate = GatePolicy(**own)
    soft = own.get("soft_timeout", min(gate.soft_timeout, gate.hard_timeout))
    if soft > gate.hard_timeout:
        line = values[f"{GATE}.soft_timeout"].line
        settings.problems.add(line, f"{path}.soft_timeout", _too_soft("hard_timeout", gate.hard_timeout))
    for name in ("may_write", "setup", "inputs") if gate.review else ():
        if f"{GATE}.{name}" in values:
            line = values[f"{GATE}.{name}"].line
            settings.problems.warn(line, f"{path}.{name}", "is used only with `run`")
    if gate.setup and gate.run and not gate.hermetic:
        line = values[f"{GATE}.setup"].line
        settings.problems.warn(line, f"{path}.setup", "is used only with hermetic: true")
    return replace(gate, soft_timeout=soft * multiplier, hard_timeout=gate.hard_timeout * multiplier)


def _names(gates: list[tuple[int, Values]], settings: Settings) -> dict[int, str]:
    """The names as given, which must differ; the others from the command, made to differ."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for index, values in gates:
        given = values.get(f"{GATE}.name")
        if given is None:
            continue
        if given.value in taken:
            what = f"{quoted(given.value)} is the name of another gate; names must be unique"
            settings.problems.add(given.line, f"gates[{index}].name", what)
        names[index] = given.value
        taken.add(given.value)
    count: dict[str, int] = {}
    for index, values in gates:
        if index in names:
            continue
        word = name = _named_after(values)
        while name in taken:
            count[word] = count.get(word, 1) + 1
            name = f"{word}-{count[word]}"
        names[index] = name
        taken.add(name)
    return names


def _named_after(values: Values) -> str:
    if f"{GATE}.run" in values:
        return _first_word(values[f"{GATE}.run"].value)
    review: str = values[f"{GATE}.review"].value
    return review if review in REVIEWS else "review"


def _first_word(command: str) -> str:
    """`CI=1 ./bin/check --all` is the gate `check`."""
    words = [word for word in command.split() if not re.match(r"[A-Za-z_][A-Za-z0-9_]*=", word)]
    file = words[0].rstrip("/").rpartition("/")[2] if words else ""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", file).strip("-")[:40] or "gate"
