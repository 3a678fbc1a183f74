"""Settings and overrides to the policy: defaults, precedence, and rules that concern more than one key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ralph.config.kinds import is_unicode
from ralph.config.overrides import Overrides
from ralph.config.problems import closest, quoted, quoted_path
from ralph.config.read import NO_GATES, Given, Settings, Values, fields
from ralph.config.schema import GATE, NOTIFY, REVIEWER
from ralph.config.textfile import located, read_text
from ralph.core.policy import (
    REVIEWS,
    AgentPolicy,
    GatePolicy,
    LimitPolicy,
    NotifyPolicy,
    Policy,
    SandboxPolicy,
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
        notify=_notify(settings),
        sandbox=_sandbox(settings, overrides),
        **_own_fields(settings, overrides),
    )
    _warn_of_untold_figures(found, settings)
    if found.require_verified and not gates:
        settings.warn("require_verified", "no gate is set, so no end can be verified")
    return found


def _warn_of_untold_figures(found: Policy, settings: Settings) -> None:
    """A cap on figures that the agent never tells would never act."""
    from ralph.agents.known import tells_usage

    if not tells_usage(found.agent):
        for name in ("max_cost_usd", "max_tokens"):
            what = f"cannot act: {found.agent.backend} does not tell what it uses"
            _warn_unused(settings, f"event_loop.{name}", what)


def _notify(settings: Settings) -> tuple[NotifyPolicy, ...]:
    targets: tuple[Values, ...] = settings.get("notify") or ()
    for index, values in enumerate(targets):
        url = values.get(f"{NOTIFY}.url")
        if url and _holds_secret(url.value):
            what = "a password or token seems to stand in it, and the journal keeps it; put it into the environment"
            settings.problems.warn(url.line, f"notify[{index}].url", f"{what} and write ${{NAME}}")
    return tuple(NotifyPolicy(**fields(values, "notify")) for values in targets)


def _holds_secret(url: str) -> bool:
    """`user:password@`, or a long word of letters and digits that no variable stands for."""
    rest = re.sub(r"\$\w+|\$\{[^}]*\}", "", url.partition("://")[2] or url)
    if re.match(r"[^/?#]*:[^/?#@]+@", rest):
        return True
    words = re.split(r"[/?&=@:#,]", rest)
    return any(
        re.fullmatch(r"[\w+%-]{16,}", w) and re.search(r"\d", w) and re.search("[A-Za-z]", w) for w in words
    )


def _sandbox(settings: Settings, overrides: Overrides) -> SandboxPolicy:
    own = fields(settings.values, "sandbox")
    usual = SandboxPolicy()
    more = [name for name, value in own.items() if name != "kind" and value != getattr(usual, name)]
    if (
        more
        and "kind" not in own
        and overrides.sandbox is None
        and not settings.problems.concern("sandbox.kind")
    ):
        settings.wrong(f"sandbox.{more[0]}", "needs `kind: bwrap` beside it; without, nothing is sandboxed")
    if own.get("kind") == "none" and overrides.sandbox is None:
        for name in more:
            settings.warn(f"sandbox.{name}", "is used only with kind: bwrap")
    for name in ("readable", "writable"):
        if name in own:
            own[name] = tuple(
                _absolute(f"sandbox.{name}", path, settings.folder, settings) for path in own[name]
            )
    if "credentials" in own:  # where the home is, the agent's own environment says
        own["credentials"] = tuple(path.removeprefix("~/") for path in own["credentials"])
    if overrides.sandbox is not None:
        own["kind"] = overrides.sandbox
    return SandboxPolicy(**own)


def _own_fields(settings: Settings, overrides: Overrides) -> dict[str, Any]:
    own = fields(settings.values, "policy")
    if overrides.require_verified:
        own["require_verified"] = True
    own["fallback"] = tuple(_other(text, settings) for text in own.get("fallback", ()))
    own["allow"] = (*own.get("allow", ()), *(pattern.removeprefix("./") for pattern in overrides.allow))
    if own.get("completion_promise") in OTHER_SIGNALS:
        settings.wrong("event_loop.completion_promise", "is a signal that says the opposite of done")
    return own


def _agent(settings: Settings, overrides: Overrides, cwd: Path) -> AgentPolicy:
    own = fields(settings.values, "agent")
    if overrides.command:
        command = _resolved(overrides.command, cwd, settings)
        return AgentPolicy(**_custom(own | {"command": command}, settings, said=False))
    args = settings.get("cli.args") or ()
    if "command" in own:
        own["command"] = _resolved(own["command"], settings.folder, settings)
    elif "backend" not in own and (found := _first_on_path(own, settings)):
        own["backend"] = found
    match own.get("backend", "custom"):
        case "custom":
            if "command" in own:
                own["command"] += args
            return AgentPolicy(**_custom(own, settings))
        case "scripted":
            return AgentPolicy(**_scripted(own, settings))
    return AgentPolicy(**_named(own, args, settings))


def _other(text: str, settings: Settings) -> AgentPolicy:
    """An agent in one text: a known name, or a command."""
    import shlex  # most files name none
    import shutil

    from ralph.agents import known

    if known.is_known(text.strip()):
        return AgentPolicy(backend=text.strip())
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        settings.wrong("fallback", f"{quoted(text)} cannot be split into words: {str(error).lower()}")
        return AgentPolicy()
    if len(words) == 1 and "/" not in words[0] and not shutil.which(words[0]):
        settings.wrong(
            "fallback",
            f"unknown agent {quoted(text)}, known: {', '.join(known.names())}; a file needs a slash",
        )
    return AgentPolicy(command=_resolved(words, settings.folder, settings))


def _custom(own: dict[str, Any], settings: Settings, *, said: bool = True) -> dict[str, Any]:
    """`said`: by the file, whose other keys are then looked at as well."""
    if said:
        _warn_unused(settings, "cli.script", "is used only with backend: scripted")
        _warn_unused(settings, "cli.model", "is used only with an agent known by name; put it into args")
    if own.get("prompt_mode", "stdin") == "stdin":
        _warn_unused(settings, "cli.prompt_flag", "is used only with prompt_mode: arg or file")
    return _without(own, "script", "model") | {"backend": "custom"}


def _scripted(own: dict[str, Any], settings: Settings) -> dict[str, Any]:
    for name in ("command", "args", "prompt_mode", "prompt_flag"):
        _warn_unused(settings, f"cli.{name}", "is used only with backend: custom")
    _warn_unused(settings, "cli.model", "is used only with an agent known by name")
    return _without(own, "command", "model") | {"script": _script(settings)}


def _named(own: dict[str, Any], args: tuple[str, ...], settings: Settings) -> dict[str, Any]:
    _warn_unused(settings, "cli.script", "is used only with backend: scripted")
    for name in ("prompt_mode", "prompt_flag", "output"):
        _warn_unused(settings, f"cli.{name}", "is used only with backend: custom")
    return _without(own, "script", "prompt_mode", "prompt_flag", "output") | {"args": args}


def _without(own: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in own.items() if name not in names}


def _first_on_path(own: dict[str, Any], settings: Settings) -> str:
    from ralph.agents.known import on_path

    found = next(iter(on_path(own.get("env", {}).get("PATH"))), "")
    if found and settings.agent_at == "cli":
        settings.problems.warn_outside(
            f"no agent is named: {found} is taken, the first on PATH; cli.backend names one"
        )
    return found


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
    word = gate.review.strip()
    if word and word not in REVIEWS and not re.search(r"\s", word) and closest(word, REVIEWS):
        line = values[f"{GATE}.review"].line
        what = f"{quoted(word)} is taken as your own instructions"
        settings.problems.warn(line, f"{path}.review", what, word, REVIEWS)
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
