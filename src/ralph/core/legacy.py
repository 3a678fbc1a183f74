"""What journals of earlier versions hold in another shape. Nothing is written in these shapes any more."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from ralph.core.hats.model import Team, role_hats, with_roles
from ralph.core.policy import Policy

_KEY = b'"roles":'


class _Trigger(msgspec.Struct, frozen=True):
    condition: str
    role: str


class _Roles(msgspec.Struct, frozen=True):
    """The triggers of roles.yaml, then those of hats with a condition, which the team holds as well."""

    texts: dict[str, str] = {}
    triggers: tuple[_Trigger, ...] = ()
    base: str = ""


class _Policy(msgspec.Struct, frozen=True):
    roles: _Roles | None = None


class _Started(msgspec.Struct, frozen=True):
    policy: _Policy


_decoder = msgspec.json.Decoder(_Started)


def with_recorded_roles(policy: Policy, started: bytes | msgspec.Raw) -> Policy:
    """The policy of an encoded `loop.started`. Roles were a part of their own there: they become hats."""
    if _KEY not in bytes(started) or (roles := _decoder.decode(started).policy.roles) is None:
        return policy
    own = roles.triggers[: len(roles.triggers) - len(policy.conditional)]
    hats = role_hats(((trigger.condition, trigger.role) for trigger in own), roles.texts)
    return replace(policy, team=with_roles(policy.team, Team(hats=hats, base=roles.base)))
