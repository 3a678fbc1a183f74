"""What an endpoint is: one row of a table. Routing, who may call, reading the request, OpenAPI: all of it comes from here."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ralph.core.fleet.access import END, Action
from ralph.core.fleet.model import KeptAnswer, Token
from ralph.core.fleet.store import FleetTransaction
from ralph.server.http.problems import HttpProblem
from ralph.server.service import FleetService

MB = 1_000_000
KEY = r"^[!-~]{1,200}" + END  # of idempotency
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


class Call(msgspec.Struct):
    """A request whose form is right, from someone who may make it."""

    service: FleetService
    request: Request
    token: Token
    path: dict[str, str]
    query: Any = None  # of the endpoint's type
    body: Any = None  # of the endpoint's type, or bytes
    key: str = ""  # of idempotency

    @property
    def author(self) -> str:
        return self.token.name


class Endpoint(msgspec.Struct, kw_only=True):
    method: Method
    path: str
    does: Callable[[Call], Awaitable[Any]]
    summary: str
    group: str
    action: Action | None = None  # None: anyone may, without a token
    query: type[msgspec.Struct] | None = None
    body: Any = None  # a type; bytes: as it comes
    of_task: bool = False  # the body is a request of the protocol, whose `task` is in the path
    answer: Any = None  # a type; None: `media` as it comes
    media: str = "application/json"
    status: int = 200
    errors: tuple[int, ...] = ()  # besides those that follow from the rest
    repeatable: bool = False  # takes an idempotency key
    largest: int = MB  # bytes of the body
    streams: bool = False


class RawResponse(Exception):
    """An endpoint that answers in its own way."""

    def __init__(self, response: Response) -> None:
        self.response = response


async def once(call: Call, rule: Callable[[FleetTransaction], Any], type: Any) -> Any:
    """The rule, or what it was answered under the same idempotency key: in one transaction."""
    if not call.key:
        return await call.service.write(rule)
    body = msgspec.json.encode([call.request.method, call.request.url.path, call.body])
    digest = hashlib.sha256(body).hexdigest()

    def keyed(tx: FleetTransaction) -> Any:
        kept = tx.kept_answer(call.token.id, call.key)
        if kept is not None:
            if kept.digest != digest:
                raise HttpProblem(
                    409, "another request was sent under this key", field="Idempotency-Key", kind="used"
                )
            return msgspec.json.decode(kept.answer, type=type)
        answer = rule(tx)
        tx.keep_answer(call.token.id, call.key, KeptAnswer(digest, msgspec.json.encode(answer)))
        return answer

    return await call.service.write(keyed)
