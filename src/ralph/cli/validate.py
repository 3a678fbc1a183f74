"""`ralph validate`: is this file valid, and what does it mean.

It changes nothing. What only this machine lacks, such as the agent's program, is a warning.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec.structs import replace

from ralph.cli.context import config_options
from ralph.config.hats import BASE, FOLDER, examine_roles, role_names
from ralph.config.load import FILE_NAMES, roles_file
from ralph.config.problems import ConfigFinding, Unreadable, findings
from ralph.config.settings import NAMED_BY, Overrides
from ralph.core.secrets import masked
from ralph.errors import RalphError
from ralph.terminal.words import one_line
from ralph.text import count

if TYPE_CHECKING:
    from ralph.config.load import Examined
    from ralph.core.agent_policy import AgentPolicy
    from ralph.core.hats.graph import Level
    from ralph.core.hats.model import Hat, Team
    from ralph.core.policy import GatePolicy, LandPolicy, LimitPolicy, Policy, SandboxPolicy, Task
    from ralph.setup.plan import Assumed


class ValidationResult(msgspec.Struct, frozen=True):
    """What is found in a file."""

    file: str
    valid: bool
    errors: tuple[ConfigFinding, ...] = ()
    warnings: tuple[ConfigFinding, ...] = ()


class HatFinding(ConfigFinding, frozen=True):
    todo: str = ""

    @property
    def text(self) -> str:
        return f"{self.what}. {self.todo}" if self.todo else self.what


class Role(msgspec.Struct, frozen=True):
    role: str
    file: str
    condition: str  # empty: no trigger names it, so it is never worn


class RolesVerdict(ValidationResult, frozen=True):
    base: str = ""  # the file whose text comes before the role's
    roles: tuple[Role, ...] = ()  # in the order in which their conditions are looked at


class ValidationReport(ValidationResult, frozen=True):
    """What `--json` prints. `valid` is said of all files together."""

    roles: RolesVerdict | None = None  # None: there are none here


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@config_options
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def validate(file: Path | None, config: Path | None, layers: dict[str, Any], as_json: bool) -> int:
    """Check a configuration, ralph.yml if none is named, and say what it means.

    Every error and warning is shown with its line; those of the roles in this folder too. The exit code is 0 when all
    is valid, else 2. It needs no prompt, and an agent that is not installed here is a warning.

    \b
    Examples:
      ralph validate
      ralph validate presets/night.yml --json
      ralph validate -H builtin:tdd -c cli.backend=codex
    """
    if file and config:
        raise click.UsageError(f"{file} and -c {config} name two files: name one.")
    return report(Path.cwd(), file or config, Overrides(**layers), as_json=as_json)


def report(
    folder: Path,
    file: Path | None,
    overrides: Overrides,
    *,
    assumed: Assumed | None = None,
    as_json: bool = False,
) -> int:
    """Say whether it is valid and what it means; the exit code."""
    found, meaning = _examined(folder, file, overrides, assumed)
    roles = roles_here(folder)
    valid = found.valid and (roles is None or roles.valid)
    if as_json:
        whole = ValidationReport(found.file, valid, found.errors, found.warnings, roles)
        click.echo(json.dumps(msgspec.to_builtins(whole), ensure_ascii=False))
        return 0 if valid else 2
    if roles is not None:
        meaning += _rows("roles", [*roles_meaning(roles)])
    for one in (found, *([roles] if roles else [])):
        for line in finding_lines(one):
            click.echo(one_line(line))
        click.echo(one_line(f"{one.file} is {'valid' if one.valid else 'not valid'}{counted(one)}"))
    for line in meaning if valid else ():
        click.echo(one_line(line))
    return 0 if valid else 2


def _examined(
    folder: Path, file: Path | None, overrides: Overrides, assumed: Assumed | None
) -> tuple[ValidationResult, list[str]]:
    """The verdict, and when it is good the lines that say what the file means."""
    shown = "what is assumed without ralph.yml" if assumed else shown_name(folder, file)
    try:
        found = examined(folder, file, overrides, assumed.text if assumed else "")
    except Unreadable as error:
        return ValidationResult(shown, False, (ConfigFinding(error.line, "", error.what),)), []
    if found is None:
        return ValidationResult(shown, False, (ConfigFinding(0, "", _nothing_here(folder)),)), []
    problems = found.settings.problems
    errors = findings(problems.found)
    here = () if errors else (*hat_findings(found, folder), *_unusable(found, folder))
    verdict = ValidationResult(shown, not errors, errors, findings(problems.noted) + here)
    return verdict, [] if errors else list(_meaning(found))


def shown_name(folder: Path, file: Path | None) -> str:
    """Of the configuration that is meant, there or not."""
    named = str(file) if file else os.environ.get(NAMED_BY, "")
    return named or next((n for n in FILE_NAMES if os.path.lexists(folder / n)), FILE_NAMES[0])


def examined(
    folder: Path, file: Path | None, overrides: Overrides | None = None, assumed: str = ""
) -> Examined | None:
    """None: no file is named and there is none, so that nothing is configured."""
    from ralph.cli.context import here, usual
    from ralph.config.load import examine

    said = (overrides is not None and overrides != Overrides()) or bool(os.environ.get(NAMED_BY))
    if file is None and not assumed and not said and not os.path.lexists(folder / shown_name(folder, file)):
        return None
    return examine(folder, file, overrides, assumed=assumed, backlog=usual(here().root), prompt_to_come=True)


def _nothing_here(folder: Path) -> str:
    from ralph.cli.context import here
    from ralph.config.load import found_above

    above = found_above(folder, here().root)
    if above is None:
        return "does not exist; `ralph run` would go by the defaults"
    file = os.path.relpath(above, folder)
    return f"does not exist here, but {file} does; `ralph validate {file}` checks it"


def _unusable(found: Examined, folder: Path) -> Iterator[ConfigFinding]:
    """Agents that could not be started here and now. The file may be right all the same."""
    from ralph.config.agents import check_agent

    if not found.has_agent:
        what = "no agent is set; put its command after -- on the command line, or set cli.command"
        yield ConfigFinding(0, "cli.command", what)
    settings = found.settings
    lines = {key.removeprefix("cli."): given.line for key, given in settings.values.items()}
    agents = [("cli", found.policy.agent, lines)] if found.has_agent else []
    mine = program_of(found.policy.agent)
    for name, gates in (("gates", found.policy.gates), ("at_end", found.work.at_end)):
        for gate, section in zip(gates, settings.get(name) or (), strict=False):
            if gate.agent is not None and program_of(gate.agent) not in ("", mine):
                own = {key: given.line for key, given in section.below("agent").items()}
                agents.append((f"{section.at}.agent", gate.agent, own))
    for at, agent, own in agents:
        try:
            check_agent(replace(found.policy, agent=agent), folder)
        except RalphError as error:
            name = "script" if agent.script else "command" if agent.command else "backend"
            todo = error.todo.replace("cli.", f"{at}.")
            yield ConfigFinding(own.get(name, 0), f"{at}.{name}", f"{error.what}. {todo}".rstrip())


def program_of(agent: AgentPolicy) -> str:
    """Whom it would start; empty where no one can say."""
    from ralph.agents.registry import program

    try:
        return agent.script or program(agent)
    except RalphError:  # found when the agent is checked
        return ""


def finding_lines(found: ValidationResult) -> Iterator[str]:
    """In the form that editors and CI systems know: FILE:LINE: error: ..."""
    for kind, ones in (("error", found.errors), ("warning", found.warnings)):
        for one in ones:
            where = f"{found.file}:{one.line}" if one.line else found.file
            yield f"{where}: {kind}: " + (f"{one.key}: " if one.key else "") + one.text


def counted(found: ValidationResult) -> str:
    kinds = (("error", found.errors), ("warning", found.warnings))
    counts = [count(len(of), name) for name, of in kinds if of]
    return f": {', '.join(counts)}" if counts else ""


# What the file means


def _meaning(found: Examined) -> Iterator[str]:
    policy = found.policy
    rows = [
        ("agent", [_agent(policy.agent) if found.has_agent else "none: put its command after --"]),
        ("task", list(_tasks(found)) if found.backlog else [_task(found.task)]),
        ("gates", [_gate(gate) for gate in policy.gates] or [_no_gates(policy)]),
        ("done", [_claim(policy)]),
        ("limits", list(_limits(policy.limits))),
    ]
    if policy.team is not None:
        rows.append(("hats", hat_lines(policy.team)))
    if found.backlog:
        rows.append(("lands", [_landing(policy.land)]))
    if policy.sandbox.kind != "none":
        rows.append(("sandbox", [_sandbox(policy.sandbox)]))
    if policy.env_allow:
        rows.append(("env", [f"agents and gates also get {', '.join(policy.env_allow)}"]))
    if policy.notify:
        rows.append(
            ("notify", [f"{n.run or masked.address(n.url)} ({', '.join(n.when)})" for n in policy.notify])
        )
    if found.work.at_end:
        rows.append(("at end", [_at_end(gate) for gate in found.work.at_end]))
    for name, lines in rows:
        yield from _rows(name, lines)


def _rows(name: str, lines: list[str]) -> list[str]:
    return [f"  {name if index == 0 else '':<8}{line}" for index, line in enumerate(lines)]


def _agent(agent: AgentPolicy) -> str:
    if agent.script:
        return f"{agent.backend}: {agent.script}"
    import shlex

    if agent.backend != "custom":
        return agent_text(agent)
    flag = f" after {agent.prompt_flag}" if agent.prompt_flag else ""
    way = {
        "stdin": "prompt on standard input",
        "arg": f"prompt as last argument{flag}",
        "file": f"prompt as a file, its path the last argument{flag}",
    }[agent.prompt_mode]
    says = {"text": "prints text", "jsonl": "prints JSON lines"}[agent.output]
    return f"{shlex.join(agent.command)} ({way}; {says})"


def agent_text(agent: AgentPolicy) -> str:
    import shlex

    program = shlex.join(agent.command) if agent.command else agent.script
    model = f", model {agent.model}" if agent.model else ""
    arguments = f", with {shlex.join(agent.args)}" if agent.args else ""
    return f"{agent.backend}{f' as {program}' if program else ''}{model}{arguments}"


def _task(task: Task | None) -> str:
    if task is None:
        return "no prompt here: give one with -p, -P or PROMPT.md, or tasks: `ralph task add`"
    criteria = f", {len(task.criteria)} criteria" if task.criteria else ""
    return f"{task.title} ({task.id}{criteria})"


def _tasks(found: Examined) -> Iterator[str]:
    from ralph.config.field_types import duration_text

    work = found.work
    yield f"those of {found.backlog}, {work.parallel} at once; a look every {duration_text(work.poll_seconds)}"
    shared = f", with a copy of {', '.join(work.share)}" if work.share else ""
    yield f"each in a {found.policy.workspace} of its own{shared}; gates: {work.gates_at_once} at once"


def _landing(land: LandPolicy) -> str:
    target = land.target or "the branch that is checked out"
    how = {
        "merge": f"merged into {target}; after {land.merges} merges with what others landed, on a branch",
        "branch": f"on a branch task/... from {target}",
        "pr": f"in a pull request for {target}",
        "none": f"nowhere: kept as a recovery ref, from {target}",
    }[land.how]
    return f"{how}; branches are pushed" if land.push else how


def _gate(gate: GatePolicy) -> str:
    from ralph.config.field_types import duration_text

    when = {"claim": "on a claim", "iteration": "after each iteration"}[gate.every]
    where = "" if gate.hermetic else ", in the folder"
    times = f"warned after {duration_text(gate.soft_timeout)}, ended after {duration_text(gate.hard_timeout)}"
    return f"{gate.name}: {'hard' if gate.hard else 'soft'}, {when}{where}, {times}: {gate.question}"


def _at_end(gate: GatePolicy) -> str:
    from ralph.config.field_types import duration_text

    ended = f"ended after {duration_text(gate.hard_timeout)}"
    return f"{gate.name}: looks at the whole run over a backlog, {ended}: {gate.question}"


def _sandbox(sandbox: SandboxPolicy) -> str:
    network = "your network" if sandbox.network == "host" else "no network"
    files = "its usual ones" if sandbox.credentials is None else ", ".join(sandbox.credentials) or "none"
    more = [
        f"{name} {', '.join(paths)}"
        for name, paths in (("readable", sandbox.readable), ("writable", sandbox.writable))
        if paths
    ]
    return "; ".join([f"{sandbox.kind}: {network}", f"credentials of the agent: {files}", *more])


def _no_gates(policy: Policy) -> str:
    if policy.routing is not None and policy.routing.persistent:
        return "none: nothing checks what hats hand over"
    if policy.unverified_ok and not policy.require_verified:
        return "none: the end will be unverified; for this file that is a success"
    return "none: no proof is wanted" if policy.gates_declined else "none: the end will be unverified"


def _claim(policy: Policy) -> str:
    if policy.routing is not None and policy.routing.persistent:
        return _never_done(policy.routing)
    how = {
        "signal": f"claimed by TASK_COMPLETE or {policy.completion_promise}",
        "exit-zero": "claimed by exit code 0",
        "every-iteration": "claimed by the end of each iteration",
    }[policy.claim]
    hard = [gate.name for gate in policy.gates if gate.hard]
    return f"{how}; proven by {', '.join(hard)}" if hard else f"{how}; proven by nothing"


def _never_done(team: Team) -> str:
    from ralph.config.field_types import duration_text
    from ralph.core.hats.turns import LEAST_REST

    rest = duration_text(max(team.cooldown, LEAST_REST))
    return f"never: {team.promise} means idle, and it looks again after {rest}; `ralph stop` ends it"


def _limits(limits: LimitPolicy) -> Iterator[str]:
    from ralph.config.field_types import duration_text as t

    yield (
        f"{limits.max_iterations} iterations, {limits.max_attempts} attempts, "
        f"{t(limits.hard_seconds)} in all (told to finish after {t(limits.soft_seconds)})"
    )
    yield (
        f"an iteration: {t(limits.iteration_hard_seconds)} (warned after "
        f"{t(limits.iteration_soft_seconds)}), {t(limits.idle_seconds)} idle"
    )
    cost = f"{limits.max_cost_usd:g} USD" if limits.max_cost_usd else "any cost"
    tokens = f"{limits.max_tokens} tokens" if limits.max_tokens else "any number of tokens"
    yield f"{cost}, {tokens}, a wait of up to {t(limits.max_wait_seconds)} for a quota"


# -- hats and roles ------------------------------------------------------------------------------

_FEW = 3  # warnings that a run tells one by one


def hat_findings(found: Examined, folder: Path) -> Iterator[ConfigFinding]:
    """All of them warnings here: a loop can run with it. `ralph hats validate` tells errors from them."""
    for _, one in graph_findings(found):
        yield ConfigFinding(one.line, one.key, one.text)
    if found.policy.team is not None:
        yield from _unusable_hats(found, found.policy.team, folder)


def graph_findings(found: Examined) -> Iterator[tuple[Level, HatFinding]]:
    """How the hats hang together: what is wrong with it, and how wrong."""
    from ralph.core.hats import graph

    lines = _hat_lines(found)
    for one in graph.check(found.policy.team) if found.policy.team else ():
        key = f"hats.{one.hat}" if one.hat else "hats"
        yield one.level, HatFinding(lines.get(one.hat, 0), key, one.what, one.todo)


def _hat_lines(found: Examined) -> dict[str, int]:
    return {called.name: called.line for called in found.settings.get("hats") or ()}


def warned(team: Team) -> Iterator[str]:
    """What a run says of its hats before it begins: all that cannot work, and what else is to look at if that is little."""
    from ralph.core.hats import graph

    found = graph.check(team)
    errors = [one for one in found if one.level == "error"]
    others = [one for one in found if one.level != "error"]
    shown = [*errors, *(others if len(others) <= _FEW else ())]
    for one in shown:
        yield f"hats{f'.{one.hat}' if one.hat else ''}: {one.what}. {one.todo}"
    if more := len(found) - len(shown):
        yield f"hats: {more} more things to look at: `ralph hats validate`"


def _unusable_hats(found: Examined, team: Team, folder: Path) -> Iterator[ConfigFinding]:
    from ralph.config.agents import check_agent

    checked = {program_of(found.policy.agent)}
    for hat in team.hats:
        agent = hat.agent
        if agent is None or (it := program_of(agent)) in checked:
            continue
        checked.add(it)
        try:
            check_agent(replace(found.policy, agent=agent), folder)
        except RalphError as error:
            what = f"{error.what}. Correct the hat's `backend`."
            yield ConfigFinding(_hat_lines(found)[hat.id], f"hats.{hat.id}.backend", what)


def hat_lines(team: Team) -> list[str]:
    from ralph.core.hats.model import RESUME

    if not team.routes:
        return [_hat(hat) for hat in team.hats]
    starts = f"starts with {team.starting_event}"
    goes_on = f", and looks again by {RESUME} when idle" if team.persistent else ""
    return [*(_hat(hat) for hat in team.hats), starts + goes_on]


def _hat(hat: Hat) -> str:
    by = [*hat.triggers, *([f"when {hat.when}"] if hat.when else [])]
    if hat.scan:
        doing = "looks for work without an agent"
    else:
        doing = f"by {hat.agent.backend}" if hat.agent else "by the agent"
    says = f" → {', '.join(hat.declared)}" if hat.declared else ""
    return f"{hat.id}: {', '.join(by) or 'nothing puts it on'}{says} ({doing})"


def roles_here(folder: Path) -> RolesVerdict | None:
    """None when there are none."""
    file = roles_file(folder) or ""
    try:
        roles, problems = examine_roles(folder)
    except Unreadable as error:
        return RolesVerdict(file, False, (ConfigFinding(error.line, "", error.what),))
    if roles is None or problems is None:
        return None
    errors = findings(problems.found)
    return RolesVerdict(
        file=file,
        valid=not errors,
        errors=errors,
        warnings=findings(problems.noted),
        base=BASE if roles.base else "",
        roles=tuple(_listed(roles, folder)),
    )


def roles_meaning(x: RolesVerdict) -> Iterator[str]:
    base = f"; {x.base} comes before each" if x.base else ""
    by = f"by {x.file}" if x.file else "by their names, as there is no roles.yaml"
    if x.roles or x.file:
        yield f"{by}, the first whose condition has become true{base}"
    else:
        yield f"none; {x.base} is in every prompt"
    for one in x.roles:
        yield f"{one.role} ({one.file}): {one.condition or 'no trigger names it, so it is never worn'}"


def _listed(roles: Team, folder: Path) -> Iterator[Role]:
    for hat in roles.conditional:
        yield Role(hat.id, f"{FOLDER}/{hat.id}.md", hat.when)
    for name in role_names(folder):
        if roles.hat(name) is None:
            yield Role(name, f"{FOLDER}/{name}.md", "")
