"""Settings and overrides to the policy: defaults, precedence, and rules that concern more than one key."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ralph.config.agents import absolute, adapter_of, agent_of, other_agent, own_agent
from ralph.config.problems import closest, quoted
from ralph.config.schema import CONFIGURED, EITHER, GATE, field_default
from ralph.config.settings import (
    ADAPTER,
    NO_GATES,
    GivenValue,
    Overrides,
    Section,
    Settings,
    fields,
    warn_without_hats,
)
from ralph.core.agent_policy import AgentPolicy
from ralph.core.gate_names import gate_name, with_number
from ralph.core.hats.model import Team
from ralph.core.policy import (
    REVIEWS,
    GateKind,
    GatePolicy,
    LimitPolicy,
    MemoryPolicy,
    NotifyPolicy,
    Policy,
    SandboxPolicy,
    StuckPolicy,
)

SOFT_SHARE = 0.75  # of the loop's time
ITERATION_SOFT_SHARE = 2 / 3  # of one iteration's
OLDER_LIMITS = {"max_iterations": 100, "hard_seconds": 14400.0}  # in files of the older family
OTHER_SIGNALS = ("ITERATION_DONE", "TASK_STUCK")  # these never claim that it is done


def policy(settings: Settings, overrides: Overrides, cwd: Path) -> Policy:
    gates = _gates(settings, overrides, cwd)
    agent = agent_of(settings, overrides, cwd)
    found = Policy(
        agent=agent,
        gates=gates,
        gates_declined=not overrides.gates and (overrides.no_gates or settings.get("gates") == NO_GATES),
        limits=_limits(settings, overrides, agent),
        memories=_memories(settings),
        stuck=_stuck(settings),
        notify=_notify(settings),
        sandbox=_sandbox(settings, overrides),
        unverified_ok=settings.older and not gates,
        share=settings.get("share") or (),
        **_own_fields(settings, overrides),
    )
    _warn_of_untold_figures(found, settings)
    if found.require_verified and not gates:
        settings.warn("require_verified", "no gate is set, so no end can be verified")
    if not settings.get("hats"):
        warn_without_hats(settings)
        cooldown = settings.get("event_loop.cooldown_delay_seconds") or 0.0
        return replace(found, team=Team(cooldown=cooldown)) if cooldown else found
    from ralph.config.hats import team  # most files have no hats

    return replace(found, team=team(settings, overrides, cwd, found))


def _warn_of_untold_figures(found: Policy, settings: Settings) -> None:
    """A cap on figures that the agent never reports would never act."""
    caps = [name for name in ("max_cost_usd", "max_tokens") if settings.get(f"event_loop.{name}")]
    if caps and not adapter_of(found.agent.backend).reports_usage:
        for name in caps:
            what = f"cannot act: {found.agent.backend} does not report what it uses"
            settings.warn(f"event_loop.{name}", what)


def _notify(settings: Settings) -> tuple[NotifyPolicy, ...]:
    targets: tuple[Section, ...] = settings.get("notify") or ()
    for target in targets:
        if _holds_secret(target.get("url") or ""):
            what = "a password or token seems to stand in it, and the journal keeps it; put it into the environment"
            target.warn("url", f"{what} and write ${{NAME}}")
    return tuple(NotifyPolicy(**fields(target.values, "notify")) for target in targets)


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
                absolute(f"sandbox.{name}", path, settings.folder, settings) for path in own[name]
            )
    if "credentials" in own:  # where the home is, the agent's own environment says
        own["credentials"] = tuple(path.removeprefix("~/") for path in own["credentials"])
    if overrides.sandbox is not None:
        own["kind"] = overrides.sandbox
    return SandboxPolicy(**own)


_JUDGING = {
    into.removeprefix("policy."): value for into, value in CONFIGURED.items() if into.startswith("policy.")
}


def _own_fields(settings: Settings, overrides: Overrides) -> dict[str, Any]:
    own = {**_JUDGING, **fields(settings.values, "policy")}
    if overrides.require_verified:
        own["require_verified"] = True
    own["fallback"] = tuple(other_agent(text, settings) for text in own.get("fallback", ()))
    own["allow"] = (*own.get("allow", ()), *(pattern.removeprefix("./") for pattern in overrides.allow))
    if own.get("completion_promise") in OTHER_SIGNALS:
        settings.wrong("event_loop.completion_promise", "is a signal that says the opposite of done")
    return own


def _memories(settings: Settings) -> MemoryPolicy:
    usual = {"budget": 0} if settings.older else {}
    return MemoryPolicy(**usual | fields(settings.values, "memories"))


def _limits(settings: Settings, overrides: Overrides, agent: AgentPolicy) -> LimitPolicy:
    own = fields(settings.values, "limits")
    if settings.older:
        own = OLDER_LIMITS | own
    if "idle_seconds" not in own and agent.backend in (settings.get(ADAPTER) or {}):
        own["idle_seconds"] = settings.get(ADAPTER)[agent.backend]
    for name in ("max_iterations", "max_attempts", "max_cost_usd", "max_tokens", "max_runtime_seconds"):
        if (value := getattr(overrides, name)) is not None:
            own["hard_seconds" if name == "max_runtime_seconds" else name] = value
    if overrides.idle_timeout is not None:
        own["idle_seconds"] = overrides.idle_timeout
    limits = LimitPolicy(**own)
    hard, iteration_hard = limits.hard_seconds, limits.iteration_hard_seconds
    soft = own.get("soft_seconds", hard * SOFT_SHARE)
    if soft > hard and overrides.max_runtime_seconds is not None:
        soft = hard * SOFT_SHARE  # the file's soft limit belongs to the file's own hard limit
    if soft > hard:
        settings.wrong("event_loop.soft_runtime_seconds", _too_soft("max_runtime_seconds", hard))
    iteration_soft = own.get("iteration_soft_seconds", iteration_hard * ITERATION_SOFT_SHARE)
    if iteration_soft > iteration_hard:
        settings.wrong("event_loop.iteration_soft_timeout", _too_soft("iteration_timeout", iteration_hard))
    times = overrides.timeout_multiplier
    return replace(
        limits,
        soft_seconds=soft * times,
        hard_seconds=hard * times,
        iteration_soft_seconds=iteration_soft * times,
        iteration_hard_seconds=iteration_hard * times,
        idle_seconds=limits.idle_seconds * times,
    )


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
    given: tuple[Section, ...] = ()
    if overrides.gates:
        given = tuple(
            Section(GATE, f"gates[{n}]", 0, {f"{GATE}.run": GivenValue(command, 0)}, settings.problems)
            for n, command in enumerate(overrides.gates)
        )
    elif isinstance(in_file := settings.get("gates"), tuple):
        given = in_file
    return gates_of(given, settings, overrides, cwd)


def gates_of(
    given: tuple[Section, ...], settings: Settings, overrides: Overrides, cwd: Path
) -> tuple[GatePolicy, ...]:
    whole = [gate for gate in given if any(gate.given(name) for name in EITHER[GATE])]
    found = []
    for section, name in zip(whole, _names(whole), strict=True):
        gate = _gate(section, name, overrides.timeout_multiplier)
        if gate.hidden:
            gate = replace(
                gate, hidden=absolute(f"{section.at}.hidden", gate.hidden, settings.folder, settings)
            )
        found.append(replace(gate, agent=_reviewer(gate.kind, section, settings, overrides, cwd)))
    return tuple(found)


def _reviewer(
    kind: GateKind, section: Section, settings: Settings, overrides: Overrides, cwd: Path
) -> AgentPolicy | None:
    """The gate's own agent, if it has one."""
    own = section.below("agent")
    if not own:
        return None
    at = f"{section.at}.agent"
    if not kind.runs_agent:
        settings.problems.warn(next(iter(own.values())).line, at, "is used only with `review`")
        return None
    agent = own_agent(own, at, settings, overrides, cwd, older=False)
    if overrides.command and "args" in own and not own.keys() & {"backend", "command"}:
        return replace(agent, command=agent.command + own["args"].value)
    return agent


def _gate(section: Section, name: str, multiplier: float) -> GatePolicy:
    own = {"hermetic": field_default("gate.hermetic")} | fields(section.values, "gate") | {"name": name}
    gate = GatePolicy(**own, other_kind=_kind(section))
    soft = own.get("soft_timeout", min(gate.soft_timeout, gate.hard_timeout))
    if soft > gate.hard_timeout:
        section.wrong("soft_timeout", _too_soft("hard_timeout", gate.hard_timeout))
    word = (section.get("review") or "").strip()
    if word not in REVIEWS and not re.search(r"\s", word) and closest(word, REVIEWS):
        section.warn("review", f"{quoted(word)} is taken as your own instructions", word, REVIEWS)
    only_run = ("may_write", "setup", "hidden", "judges") if gate.kind.runs_agent else ("setup",)
    for name in () if gate.run else only_run:
        if section.given(name):
            section.warn(name, "is used only with `run`")
    if gate.setup and gate.run and not gate.hermetic:
        section.warn("setup", "is used only in a clean checkout; `hermetic: false` judges the folder")
    if gate.hidden and not gate.hermetic:
        section.wrong("hidden", "needs a clean checkout; remove `hermetic: false`")
    brought = posixpath.basename(gate.hidden.rstrip("/"))
    if (
        brought
        and gate.run
        and not re.search(rf"(?<![\w.-]){re.escape(brought)}(?![\w-])|{_FINDS_ITSELF}", gate.run)
    ):
        section.warn("hidden", f"is brought into the checkout as `{brought}`, and `run` does not name that")
    return replace(gate, soft_timeout=soft * multiplier, hard_timeout=gate.hard_timeout * multiplier)


# Commands that go through what they find, or that another file spells out.
_FINDS_ITSELF = (
    r"\b(?:pytest|unittest|nox|tox|go test|cargo|jest|vitest|mocha|--test|make|just|npm|npx|pnpm|yarn|find)\b"
)


def _kind(section: Section) -> GateKind | None:
    """The kind that `kind:` names, with the traits by which the core judges it."""
    name, options = section.get("kind"), section.given("options")
    if name is None:
        if options is not None:
            section.warn("options", "is used only with `kind`")
        return None
    from ralph.gates import kinds  # most files name none

    if key := kinds.SAID_WITH.get(name):
        section.wrong("kind", f"{quoted(name)} is said by `{key}` alone")
        return None
    found = kinds.find_kind(name)
    if found is None:
        known = kinds.kind_names()
        which = f"known: {', '.join(known)}" if known else "no installed package brings any"
        section.wrong("kind", f"unknown kind {quoted(name)}; {which}", name, known)
        return None
    for wrong in found.check(options.value if options is not None else {}):
        section.wrong("options", wrong)
    return found.about


def _names(gates: list[Section]) -> list[str]:
    """The names as given, which must differ; the others from the command, made to differ."""
    taken: set[str] = set()
    for section in gates:
        if (name := section.get("name")) in taken:
            section.wrong("name", f"{quoted(name)} is the name of another gate; names must be unique")
        taken.add(name or "")
    names: list[str] = []
    for section in gates:
        name = section.get("name")
        if name is None:
            name = _named_after(section, taken)
            taken.add(name)
        names.append(name)
    return names


def _named_after(section: Section, taken: set[str]) -> str:
    if command := section.get("run") or section.get("kind"):
        return gate_name(command, taken)
    return with_number(section.get("review") if section.get("review") in REVIEWS else "review", taken)
