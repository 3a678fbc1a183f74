"""Endpoints for admins: repositories, tokens, the audit log."""

from __future__ import annotations

import re
import uuid
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from ralph.core.fleet.access import END, NAME, digest, is_live
from ralph.core.fleet.model import AuditRecord, Repository, Role, Token
from ralph.core.fleet.store import FleetTransaction
from ralph.server.http.endpoint import Call, Endpoint
from ralph.server.http.problems import HttpProblem
from ralph.server.http.tasks import Names, noted
from ralph.server.service import new_secret
from ralph.server.task_view import iso

# No transport that runs a program, no option, no path that depends on where someone stands.
_HOST = r"[A-Za-z0-9\[][^\s\x00-\x1f]*"
URL = (
    rf"^(?:(https?|ssh|git)://([A-Za-z0-9_.:%+-]+@)?{_HOST}"
    r"|(file://)?/[^\s\x00-\x1f]*"
    r"|[A-Za-z0-9_.-]+@[A-Za-z0-9][A-Za-z0-9.-]*:(?!-)[^\s\x00-\x1f:]+)" + END
)
BRANCH = r"^(?:(?![-/.])(?!.*(\.\.|//|@\{|\.lock$|[/.]$))[^\s~^:?*\[\\\x00-\x1f\x7f]+)?" + END


class RepositoryBody(msgspec.Struct, forbid_unknown_fields=True):
    url: Annotated[str, Meta(pattern=URL, max_length=1000)]
    target: Annotated[
        str, Meta(pattern=BRANCH, max_length=200, description="Where work lands; empty: nowhere")
    ] = ""


class Repositories(msgspec.Struct, frozen=True):
    repositories: tuple[Repository, ...]


class NewToken(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(pattern=NAME)]
    role: Literal["admin", "worker", "lander", "read"]
    days: Annotated[float, Meta(ge=0, le=3650, description="0: it does not expire")] = 90.0
    labels: Names | None = None
    repositories: Names | None = None


class TokenView(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    id: str
    name: str
    role: Role
    live: bool
    labels: tuple[str, ...] | None
    repositories: tuple[str, ...] | None
    created_at: str
    expires_at: str | None
    revoked_at: str | None


class MadeToken(msgspec.Struct, frozen=True):
    """The secret is shown here, and never again."""

    secret: str
    token: TokenView


class TokenList(msgspec.Struct, frozen=True):
    tokens: tuple[TokenView, ...]


class AuditQuery(msgspec.Struct, forbid_unknown_fields=True):
    before: Annotated[int, Meta(ge=0, le=2**53)] = 0
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class AuditPage(msgspec.Struct, frozen=True):
    records: tuple[AuditRecord, ...]


def new_token(
    tx: FleetTransaction,
    name: str,
    role: Role,
    *,
    days: float = 0.0,
    labels: tuple[str, ...] | None = None,
    repositories: tuple[str, ...] | None = None,
) -> tuple[str, Token]:
    secret = new_secret(role)
    token = Token(
        id=str(uuid.uuid4()),
        name=name,
        role=role,
        hash=digest(secret),
        created_at=tx.now(),
        expires_at=tx.now() + int(days * 86_400_000) if days else 0,
        labels=labels,
        repositories=repositories,
    )
    tx.save_token(token)
    return secret, token


def shown(token: Token, now: int) -> TokenView:
    return TokenView(
        id=token.id,
        name=token.name,
        role=token.role,
        live=is_live(token, now),
        labels=token.labels,
        repositories=token.repositories,
        created_at=iso(token.created_at),
        expires_at=iso(token.expires_at) if token.expires_at else None,
        revoked_at=iso(token.revoked_at) if token.revoked_at else None,
    )


async def make_token(call: Call) -> MadeToken:
    wish: NewToken = call.body

    def rule(tx: FleetTransaction) -> MadeToken:
        fields = msgspec.structs.asdict(wish)
        secret, token = new_token(tx, fields.pop("name"), fields.pop("role"), **fields)
        noted(tx, call, "token", token.id, f"{token.role} {token.name}")
        return MadeToken(secret, shown(token, tx.now()))

    return await call.service.write(rule)


async def list_tokens(call: Call) -> TokenList:
    def rule(tx: FleetTransaction) -> TokenList:
        people = [token for token in tx.tokens() if token.role != "run"]
        return TokenList(tuple(shown(token, tx.now()) for token in people))

    return await call.service.read(rule)


async def revoke(call: Call) -> TokenView:
    def rule(tx: FleetTransaction) -> TokenView:
        token = next((one for one in tx.tokens() if one.id == call.path["id"]), None)
        if token is None:
            raise HttpProblem(404, "there is no such token")
        token = token if token.revoked_at else replace(token, revoked_at=tx.now())
        tx.save_token(token)
        noted(tx, call, "revoke", token.id, f"{token.role} {token.name}")
        return shown(token, tx.now())

    answer = await call.service.write(rule)
    call.service.forget_tokens()
    return answer


async def put_repository(call: Call) -> Repository:
    name = call.path["name"]
    if not re.match(NAME, name):
        raise HttpProblem(422, "letters, digits, dots, dashes and underscores", field="name")

    def rule(tx: FleetTransaction) -> Repository:
        repository = Repository(name, call.body.url, call.body.target)
        tx.add_repository(repository)
        noted(tx, call, "repository", name, f"{repository.url} {repository.target}")
        return repository

    return await call.service.write(rule)


async def list_repositories(call: Call) -> Repositories:
    allowed = call.token.repositories

    def rule(tx: FleetTransaction) -> Repositories:
        return Repositories(tuple(one for one in tx.repositories() if allowed is None or one.name in allowed))

    return await call.service.read(rule)


async def show_repository(call: Call) -> Repository:
    name, allowed = call.path["name"], call.token.repositories
    found = await call.service.read(lambda tx: tx.repository(name))
    if found is None or (allowed is not None and name not in allowed):
        raise HttpProblem(404, f"there is no repository {name}; `ralph server register` makes one known")
    return found


async def audit(call: Call) -> AuditPage:
    asked: AuditQuery = call.query
    return AuditPage(await call.service.read(lambda tx: tx.audit(asked.before, asked.limit)))


def endpoint(**row: Any) -> Endpoint:
    return Endpoint(group="manage", **row)


MANAGE = (
    endpoint(
        method="GET",
        path="/api/repositories",
        does=list_repositories,
        summary="List repositories",
        action="read",
        answer=Repositories,
    ),
    endpoint(
        method="GET",
        path="/api/repositories/{name}",
        does=show_repository,
        summary="Show a repository",
        action="read",
        answer=Repository,
        errors=(404,),
    ),
    endpoint(
        method="PUT",
        path="/api/repositories/{name}",
        does=put_repository,
        summary="Register a repository",
        action="manage",
        body=RepositoryBody,
        answer=Repository,
    ),
    endpoint(
        method="POST",
        path="/api/tokens",
        does=make_token,
        summary="Make a token",
        action="manage",
        body=NewToken,
        answer=MadeToken,
        status=201,
    ),
    endpoint(
        method="GET",
        path="/api/tokens",
        does=list_tokens,
        summary="List tokens",
        action="manage",
        answer=TokenList,
    ),
    endpoint(
        method="DELETE",
        path="/api/tokens/{id}",
        does=revoke,
        summary="Revoke a token",
        action="manage",
        answer=TokenView,
        errors=(404,),
    ),
    endpoint(
        method="GET",
        path="/api/audit",
        does=audit,
        summary="Who changed what, the newest first",
        action="manage",
        query=AuditQuery,
        answer=AuditPage,
    ),
)
