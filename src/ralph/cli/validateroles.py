"""`ralph validate` over roles: which there are, when each is worn, and what is wrong with them, with the line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.config.problems import Finding, Unreadable, findings
from ralph.config.roles import BASE, FOLDER, examine_roles, found_in, role_names

if TYPE_CHECKING:
    from ralph.core.hats import Team


class Role(msgspec.Struct, frozen=True):
    role: str
    file: str
    condition: str  # empty: no trigger names it, so nobody wears it


class RolesVerdict(msgspec.Struct, frozen=True):
    file: str
    valid: bool
    errors: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    base: str = ""  # the file whose text comes before the role's
    roles: tuple[Role, ...] = ()  # in the order in which their conditions are looked at


def roles_here(folder: Path) -> RolesVerdict | None:
    """None when there are none."""
    file = found_in(folder) or ""
    try:
        roles, problems = examine_roles(folder)
    except Unreadable as error:
        return RolesVerdict(file, False, (Finding(error.line, "", error.what),))
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
