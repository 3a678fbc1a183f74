"""The OpenAPI document, from the table of endpoints and the types they name. Nothing of it is written by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from ralph import __version__
from ralph.core.fleet.access import MAY
from ralph.server.http import problems
from ralph.server.http.endpoint import KEY, Endpoint

REF = "#/components/schemas/{name}"
PATH_PATTERNS = {
    ("tasks", "id"): {"type": "string", "maxLength": 120},
    ("tokens", "id"): {"type": "string", "maxLength": 120},
    ("blobs", "hash"): {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    ("workers", "name"): {"type": "string", "maxLength": 100},
    ("repositories", "name"): {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"},
}
JSON = "application/json"
BASE64 = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


def describe(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    types = [part for row in endpoints for part in (row.query, row.body, row.answer) if _is_type(part)]
    types.append(problems.ProblemDetails)
    schemas, components = msgspec.json.schema_components(types, ref_template=REF)
    by_type = dict(zip(map(repr, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for row in endpoints:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, by_type, components)
    _refine(components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ralph",
            "version": __version__,
            "description": "Tasks, workers and what happened.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _is_type(part: Any) -> bool:
    return part is not None and part is not bytes


def _operation(row: Endpoint, by_type: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": row.summary,
        "operationId": f"{row.does.__module__.rpartition('.')[2]}.{row.does.__name__}.{row.path.rpartition('/')[2]}",
        "tags": [row.group],
        "responses": _responses(row, by_type),
    }
    if parameters := [*_in_path(row), *_in_query(row, components), *_in_headers(row)]:
        operation["parameters"] = parameters
    if row.body is bytes:
        content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        operation["requestBody"] = {"required": True, "content": content}
    elif row.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {JSON: {"schema": _body(row, by_type, components)}},
        }
    if row.action is not None:
        roles = sorted(role for role, actions in MAY.items() if row.action in actions)
        operation["security"] = [{"token": []}]
        operation["description"] = f"For tokens of: {', '.join(roles)}."
    return operation


def _responses(row: Endpoint, by_type: dict[str, Any]) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "Done."}
    if row.answer is not None:
        success["content"] = {JSON: {"schema": by_type[repr(row.answer)]}}
    else:
        success["content"] = {row.media.partition(";")[0]: {"schema": {"type": "string"}}}
    errors = set(row.errors)
    if row.query is not None or row.body is not None or row.repeatable or "{" in row.path:
        errors |= {422}
    if row.body is not None:
        errors |= {400, 413, *(() if row.body is bytes else (415,))}
    if row.action is not None:
        errors |= {401, 403}
    errors |= {503}
    problem = {"$ref": REF.format(name="ProblemDetails")}
    failed = {
        str(code): {
            "description": HTTPStatus(code).phrase,
            "content": {problems.MEDIA: {"schema": problem}},
        }
        for code in sorted(errors)
    }
    return {str(row.status): success, **failed}


def _in_path(row: Endpoint) -> list[dict[str, Any]]:
    found = []
    for before, name in re.findall(r"(\w+)/\{(\w+)\}", row.path):
        schema = PATH_PATTERNS[before, name]
        found.append({"name": name, "in": "path", "required": True, "schema": schema})
    return found


def _in_query(row: Endpoint, components: dict[str, Any]) -> list[dict[str, Any]]:
    if row.query is None:
        return []
    schema = components[row.query.__name__]
    required = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _without_null(field)}
        for name, field in schema["properties"].items()
    ]


def _without_null(field: dict[str, Any]) -> dict[str, Any]:
    """A parameter that is not given is not null: it is not there."""
    field = {key: value for key, value in field.items() if key != "default" or value is not None}
    kinds = [kind for kind in field.get("anyOf", ()) if kind.get("type") != "null"]
    if not kinds:
        if isinstance(field.get("enum"), list):
            field["enum"] = [value for value in field["enum"] if value is not None]
        return field
    rest = {key: value for key, value in field.items() if key != "anyOf"}
    return {**kinds[0], **rest} if len(kinds) == 1 else {"anyOf": kinds, **rest}


def _in_headers(row: Endpoint) -> list[dict[str, Any]]:
    if not row.repeatable:
        return []
    about = "The same request under the same key is done once, and answered alike for a day."
    schema = {"type": "string", "pattern": KEY}
    return [
        {"name": "Idempotency-Key", "in": "header", "required": False, "schema": schema, "description": about}
    ]


def _body(row: Endpoint, by_type: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    if not row.of_task:
        return dict(by_type[repr(row.body)])
    whole = components[row.body.__name__]
    properties = {name: field for name, field in whole["properties"].items() if name != "task"}
    required = [name for name in whole.get("required", ()) if name != "task"]
    return {**whole, "properties": properties, "required": required}


def _refine(components: dict[str, Any]) -> None:
    """What the types cannot say: a ralph task needs its promise, and only a repository has a target."""
    other_type = {"required": ["taskType"], "properties": {"taskType": {"not": {"const": "ralph"}}}}
    promise = {"required": ["ralphPromise"], "properties": {"ralphPromise": {"pattern": r"\S"}}}
    no_target = {"properties": {"target": {"maxLength": 0}}}
    repository = {"required": ["repository"], "properties": {"repository": {"minLength": 1}}}
    components["NewTask"]["allOf"] = [{"anyOf": [other_type, promise]}, {"anyOf": [no_target, repository]}]
    example = {"task": "Make the tests pass", "ralphPromise": "all tests pass"}
    components["NewTask"]["examples"] = [example]
    components["NewTasks"]["examples"] = [{"tasks": [example]}]
    for component in components.values():
        for field in component.get("properties", {}).values():
            if field.get("contentEncoding") == "base64":
                field["pattern"] = BASE64
    for query in [name for name in components if name.endswith("Query")]:
        del components[query]
