"""The ASGI application: every row of the table as a route. Who calls, whether they may, what they send, what they get."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from ralph.core.fleet.access import ANYONE, may
from ralph.core.fleet.model import Token
from ralph.errors import RalphError
from ralph.server.http.endpoint import KEY, Call, Endpoint, RawResponse
from ralph.server.http.openapi import describe
from ralph.server.http.problems import HttpProblem, of_validation
from ralph.server.http.routes import ENDPOINTS
from ralph.server.service import FleetService

JSON = "application/json"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def create_app(door: Door, mcp: ASGIApp) -> Starlette:
    """`mcp` answers at /mcp."""
    document = msgspec.json.encode(describe(ENDPOINTS))

    async def openapi(request: Request) -> Response:
        return Response(document, media_type=JSON)

    by_path: dict[str, list[Endpoint]] = {}
    for endpoint in ENDPOINTS:
        by_path.setdefault(endpoint.path, []).append(endpoint)
    routes: list[BaseRoute] = [
        Route(path, door.route(rows), methods=[row.method for row in rows]) for path, rows in by_path.items()
    ]
    routes += [Route("/api/openapi.json", openapi, methods=["GET"]), Route("/mcp", mcp)]

    return Starlette(
        routes=routes,
        exception_handlers={HTTPException: _not_found, Exception: _internal},
    )


async def _not_found(request: Request, error: Exception) -> Response:
    """Of Starlette itself: no such path, or no such method there."""
    assert isinstance(error, HTTPException)
    response = HttpProblem(error.status_code, f"there is no {request.method} {request.url.path}").response
    response.headers.update(error.headers or {})
    return response


async def _internal(request: Request, error: Exception) -> Response:
    return HttpProblem(500, "an error of the server; its log says more").response


class Door:
    """`no_auth`: everyone may do everything; only for a server on loopback, and pages of other origins are kept out."""

    def __init__(self, service: FleetService, *, no_auth: bool) -> None:
        self._service = service
        self._no_auth = no_auth

    def route(self, endpoints: Sequence[Endpoint]) -> Callable[[Request], Awaitable[Response]]:
        by_method = {endpoint.method: endpoint for endpoint in endpoints}

        async def answer(request: Request) -> Response:
            method = "GET" if request.method == "HEAD" else request.method
            try:
                return await self._answer(by_method[method], request)  # type: ignore[index]
            except HttpProblem as problem:
                return problem.response
            except RawResponse as raw:
                return raw.response
            except ClientDisconnect:
                return Response(status_code=499)
            except RalphError as error:
                return HttpProblem(503, error.what).response

        return answer

    async def _answer(self, endpoint: Endpoint, request: Request) -> Response:
        path = {name: str(value) for name, value in request.path_params.items()}
        call = Call(self._service, request, ANYONE, path)
        if endpoint.action is not None:
            call.token = await self.who(request)
            if not may(call.token, endpoint.action):
                raise HttpProblem(403, f"a {call.token.role} token may not do this")
        if endpoint.query is not None:
            call.query = _query(endpoint.query, request)
        if endpoint.body is not None:
            call.body = await self._body(endpoint, request)
        if endpoint.repeatable:
            call.key = _key(request)
        result = await endpoint.does(call)
        if endpoint.answer is None:
            return Response(result, endpoint.status, media_type=endpoint.media)
        headers = (
            {"Location": f"/api/tasks/{result.id}"}
            if endpoint.status == 201 and hasattr(result, "id")
            else {}
        )
        return Response(msgspec.json.encode(result), endpoint.status, headers, JSON)

    async def who(self, request: Request) -> Token:
        if self._no_auth:
            _check_local(request)
            return ANYONE
        kind, _, secret = request.headers.get("authorization", "").partition(" ")
        token = await self._service.token(secret.strip()) if kind.lower() == "bearer" else None
        if token is None:
            raise HttpProblem(401, "a valid token is needed: Authorization: Bearer ...")
        return token

    async def _body(self, endpoint: Endpoint, request: Request) -> Any:
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if endpoint.body is not bytes and media != JSON:
            raise HttpProblem(415, f"the body must be {JSON}, not {media or 'of no type'}")
        body = await _read(request, endpoint.largest)
        if endpoint.body is bytes:
            return body
        try:
            fields = _whole_numbers(msgspec.json.decode(body or b"{}"))
            if endpoint.of_task and isinstance(fields, dict):
                fields["task"] = request.path_params["id"]
            return msgspec.convert(fields, endpoint.body)
        except msgspec.ValidationError as error:
            raise of_validation(error)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise HttpProblem(400, f"this is not JSON: {error}")
        except RecursionError:
            raise HttpProblem(400, "this JSON is nested too deeply")


def _whole_numbers(value: Any) -> Any:
    """JSON does not tell 5.0 from 5; our types do."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole_numbers(one) for name, one in value.items()}
    return [_whole_numbers(one) for one in value] if isinstance(value, list) else value


async def _read(request: Request, largest: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > largest:
            raise HttpProblem(413, f"at most {largest} bytes")
        parts.append(part)
    return b"".join(parts)


def _query(type: type[msgspec.Struct], request: Request) -> Any:
    """Parameters may be repeated where the field is a list."""
    lists = {f.encode_name for f in msgspec.structs.fields(type) if "tuple" in str(f.type)}
    given: dict[str, Any] = {}
    for name, value in request.query_params.multi_items():
        if name in lists:
            given.setdefault(name, []).append(value)
        elif name in given:
            raise HttpProblem(422, "it is given twice", field=name)
        else:
            given[name] = value
    try:
        return msgspec.convert(given, type, strict=False)
    except msgspec.ValidationError as error:
        raise of_validation(error)


def _key(request: Request) -> str:
    key = request.headers.get("idempotency-key")
    if key is not None and not re.match(KEY, key):
        raise HttpProblem(422, "1 to 200 visible ASCII characters", field="Idempotency-Key")
    return key or ""


def _check_local(request: Request) -> None:
    """Without tokens, a page in a browser could otherwise start an agent."""
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname
    if host not in LOOPBACK:
        raise HttpProblem(403, "without tokens, this server answers to localhost only")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).hostname not in LOOPBACK:
        raise HttpProblem(403, "without tokens, pages of other origins may not ask")
