"""What `ralph validate` says of hats: how they hang together, who wears them, and whether that agent is here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ralph.config.load import found_roles
from ralph.config.problems import ConfigFinding, Unreadable, findings
from ralph.config.roles import BASE, FOLDER, examine_roles, role_names
from ralph.errors import RalphError

if TYPE_CHECKING:
    from ralph.config.load import Examined
    from ralph.config.problems import ConfigFinding
    from ralph.core.hats.model import Hat, Team


_FEW = 3  # warnings that a run tells one by one


def hat_findings(found: Examined, folder: Path) -> Iterator[ConfigFinding]:
    """All of them warnings here: a loop can run with it. `ralph hats validate` tells errors from them."""
    from ralph.config.problems import ConfigFinding
    from ralph.core.hats import graph

    team = found.policy.team
    if team is None:
        return
    lines = {called.name: called.line for called in found.settings.get("hats") or ()}
    for finding in graph.check(team):
        key = f"hats.{finding.hat}" if finding.hat else "hats"
        yield ConfigFinding(lines.get(finding.hat, 0), key, f"{finding.what}. {finding.todo}")
    yield from _unusable(found, team, folder, lines)


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


def _unusable(found: Examined, team: Team, folder: Path, lines: dict[str, int]) -> Iterator[ConfigFinding]:
    from ralph.cli.checks.validate import program_of
    from ralph.config.agents import check_agent
    from ralph.config.problems import ConfigFinding

    checked = {program_of(found.policy.agent)}
    for hat in team.hats:
        agent = hat.agent
        if agent is None or (it := program_of(agent)) in checked:
            continue
        checked.add(it)
        try:
            check_agent(replace(found.policy, agent=agent), folder)
        except RalphError as error:
            yield ConfigFinding(
                lines[hat.id], f"hats.{hat.id}.backend", f"{error.what}. Correct the hat's `backend`."
            )


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


class Role(msgspec.Struct, frozen=True):
    role: str
    file: str
    condition: str  # empty: no trigger names it, so nobody wears it


class RolesVerdict(msgspec.Struct, frozen=True):
    file: str
    valid: bool
    errors: tuple[ConfigFinding, ...] = ()
    warnings: tuple[ConfigFinding, ...] = ()
    base: str = ""  # the file whose text comes before the role's
    roles: tuple[Role, ...] = ()  # in the order in which their conditions are looked at


def roles_here(folder: Path) -> RolesVerdict | None:
    """None when there are none."""
    file = found_roles(folder) or ""
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


def meaning(x: RolesVerdict) -> Iterator[str]:
    base = f"; {x.base} comes before each" if x.base else ""
    yield f"by {x.file}, the first whose condition has become true{base}"
    for one in x.roles:
        yield f"{one.role} ({one.file}): {one.condition or 'no trigger names it, so nobody wears it'}"


def _listed(roles: Team, folder: Path) -> Iterator[Role]:
    for hat in roles.conditional:
        yield Role(hat.id, f"{FOLDER}/{hat.id}.md", hat.when)
    for name in role_names(folder):
        if roles.hat(name) is None:
            yield Role(name, f"{FOLDER}/{name}.md", "")
