"""Errors as problem details (RFC 9457): what is wrong, where, and what the rules have to say about it."""

from __future__ import annotations

import re
from http import HTTPStatus

import msgspec
from starlette.responses import Response

from ralph.core.fleet.requests import Refusal

MEDIA = "application/problem+json"
RETRY_SECONDS = 2


class ProblemDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    status: int
    title: str
    detail: str = ""
    type: str = "about:blank"
    kind: str = ""  # of a refusal: stale, forked, expected, missing, landing, held, move, used, unknown, invalid, too-large
    field: str = ""  # that is wrong
    accepted: int = 0
    chain: str = ""
    missing: tuple[str, ...] = ()


class HttpProblem(Exception):
    """Raised anywhere in an endpoint; answered as problem details."""

    def __init__(self, status: int, detail: str, *, field: str = "", kind: str = "") -> None:
        super().__init__(detail)
        self.details = ProblemDetails(
            status, HTTPStatus(status).phrase, detail, field=field, kind=kind or _KINDS.get(status, "")
        )

    @classmethod
    def of(cls, refusal: Refusal) -> HttpProblem:
        problem = cls(refusal.code, refusal.text, field=refusal.field, kind=refusal.kind)
        problem.details = msgspec.structs.replace(
            problem.details, accepted=refusal.accepted, chain=refusal.chain, missing=refusal.missing
        )
        return problem

    @property
    def response(self) -> Response:
        headers = {}
        if self.details.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if self.details.status == 503:
            headers["Retry-After"] = str(RETRY_SECONDS)
        body = msgspec.json.encode(self.details)
        return Response(body, self.details.status, headers, MEDIA)


_KINDS = {404: "unknown", 413: "too-large", 422: "invalid"}


def of_validation(error: msgspec.ValidationError) -> HttpProblem:
    """msgspec says `... - at `$.priority``: the path becomes the field."""
    text, _, place = str(error).partition(" - at `")
    path = place.rstrip("`").removeprefix("$").lstrip(".")
    named = re.search(r"`(\w+)`", text)
    if "matching regex" in text:
        text = f"{path or 'it'} does not have the right form; /api/openapi.json has its pattern"
    field = path or (named[1] if named and ("missing" in text or "unknown field" in text) else "")
    return HttpProblem(422, text, field=field)
