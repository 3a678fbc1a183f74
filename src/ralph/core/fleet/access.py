"""Who may do what: one table of roles and actions, and what a token's limits mean for a request. Pure.

A token's name is a worker's surname: the token `build` speaks for the workers `build` and `build.anything`. So a worker with a
token of its own cannot speak for another's, whatever epoch it guesses.
"""

from __future__ import annotations

import hashlib
import re
from typing import Literal

from msgspec.structs import replace

from ralph.core.fleet.model import FleetTask, Role, Token
from ralph.core.fleet.requests import Offer

Action = Literal["read", "write", "work", "land", "complete", "manage"]
# read: look at tasks and workers. write: what people do with tasks. work: claim, send facts. land: the same in phase land.
# complete: what the agent inside a claim may say. manage: tokens, repositories, orders to workers, the audit log.
MAY: dict[Role, frozenset[Action]] = {
    "admin": frozenset({"read", "write", "work", "land", "complete", "manage"}),
    "worker": frozenset({"read", "work"}),
    "lander": frozenset({"read", "work", "land"}),
    "run": frozenset({"read", "complete"}),
    "read": frozenset({"read"}),
}
ANYONE = Token(id="", name="anyone", role="admin")  # under --no-auth
END = r"$(?!\n)"  # of a pattern: `$` alone also matches before a last line feed
TASK_ID = r"^(?!batch$)[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*" + END  # is part of paths
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}" + END


def digest(secret: str) -> str:
    """As a token is stored. 256 random bits need no salt."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def may(token: Token, action: Action) -> bool:
    return action in MAY[token.role]


def is_live(token: Token, now: int) -> bool:
    return not token.revoked_at and (not token.expires_at or now < token.expires_at)


def is_over(token: Token, task: FleetTask | None) -> bool:
    """A run's token dies with the claim it was made for."""
    return token.role == "run" and (task is None or not task.holder or task.epoch != token.epoch)


def speaks_for(token: Token, worker: str) -> bool:
    if not re.match(NAME, worker):
        return False
    return token.role == "admin" or worker == token.name or worker.startswith(f"{token.name}.")


def sees(token: Token, task: FleetTask) -> bool:
    """Whether the task exists for who holds this token."""
    if token.role == "run":
        return task.id == token.task
    repositories = token.repositories
    return repositories is None or not task.spec.repository or task.spec.repository in repositories


def limited(token: Token, offer: Offer) -> Offer | str:
    """The offer within the token's limits, or why it is refused."""
    if not speaks_for(token, offer.worker):
        return f"this token speaks for {token.name} and {token.name}.*, not for {offer.worker or 'no one'}"
    if offer.phase == "land" and not may(token, "land"):
        return "this token may not land"
    if token.labels is not None and (beyond := sorted(set(offer.labels) - set(token.labels))):
        return f"this token has no label {beyond[0]}"
    if token.repositories is None:
        return offer
    wanted = token.repositories if offer.repositories is None else offer.repositories
    return replace(offer, repositories=tuple(name for name in wanted if name in token.repositories))
