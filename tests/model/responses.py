"""OpenAI Responses: `POST .../v1/responses`; what Codex speaks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from model import openai_errors
from model.script import Fault, Usage
from model.wire import Ask, Failure, Json, Reply, Tool, event, halves, texts

_RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


class Responses:
    def read(self, body: Json, path: str) -> Ask:
        given: Any = body.get("input", [])
        items: list[Json] = given if isinstance(given, list) else [{"role": "user", "content": given}]
        found = [item for item in items if item.get("type") == "tool_search_output"]
        return Ask(
            model=str(body.get("model", "")),
            stream=bool(body.get("stream")),
            tools=tuple(
                _tools([*body.get("tools", []), *(tool for item in found for tool in item["tools"])])
            ),
            searches=len(found),
            results=sum(item.get("type") in _RESULTS for item in items),
            said=tuple(texts(item.get("content")) for item in items if item.get("role") == "assistant"),
            system=str(body.get("instructions", "")),
            prompt="\n".join(texts(item.get("content")) for item in items if item.get("role") == "user"),
        )

    def whole(self, ask: Ask, reply: Reply) -> Json:
        return _response(ask, reply, "completed") | {"output": _items(reply), "usage": _usage(reply.usage)}

    def events(self, ask: Ask, reply: Reply) -> list[bytes]:
        out = [_event("response.created", response=_response(ask, reply, "in_progress"))]
        for index, item in enumerate(_items(reply)):
            begun = item | {"status": "in_progress"} | ({"content": []} if "content" in item else {})
            out.append(_event("response.output_item.added", output_index=index, item=begun))
            if item["type"] == "message":
                out += [
                    _event(
                        "response.output_text.delta",
                        item_id=item["id"],
                        output_index=index,
                        content_index=0,
                        delta=piece,
                    )
                    for piece in halves(reply.words)
                ]
            out.append(_event("response.output_item.done", output_index=index, item=item))
        return [*out, _event("response.completed", response=self.whole(ask, reply))]

    def failure(self, ask: Ask, fault: Fault, now: int) -> Failure:
        limit = {
            "type": "usage_limit_reached",
            "message": "The usage limit has been reached",
            "plan_type": "plus",
            "resets_at": now + fault.resets_in,
            "resets_in_seconds": fault.resets_in,
        }
        failure = openai_errors.failure(ask, fault, limit)
        if fault.name != "too-long" or not ask.stream:
            return failure
        error = {key: failure.body["error"][key] for key in ("code", "message")}
        begun = _response(ask, Reply(""), "in_progress")
        failed = begun | {"status": "failed", "error": error}
        events = (_event("response.created", response=begun), _event("response.failed", response=failed))
        return replace(failure, events=events)


def _tools(offered: Iterable[Json], namespace: str = "") -> Iterator[Tool]:
    for tool in offered:
        kind = str(tool.get("type", "function"))
        if kind == "namespace":  # how Codex offers the tools of one MCP server
            yield from _tools(tool.get("tools", []), tool["name"])
        else:
            properties = (tool.get("parameters") or {}).get("properties") or {}
            yield Tool(str(tool.get("name", kind)), kind, tuple(properties), namespace)


def _items(reply: Reply) -> list[Json]:
    items: list[Json] = []
    if reply.thought:
        summary = [{"type": "summary_text", "text": reply.thought}]
        items.append({"type": "reasoning", "id": f"rs_{reply.id}", "summary": summary})
    if reply.words or not reply.call:
        content = [{"type": "output_text", "text": reply.words, "annotations": []}]
        items.append({"type": "message", "id": f"msg_{reply.id}", "role": "assistant", "content": content})
    if reply.call:
        items.append(_call(reply))
    return [item | {"status": "completed"} for item in items]


def _call(reply: Reply) -> Json:
    call = reply.call
    assert call
    item: Json = {"id": f"fc_{call.id}", "call_id": f"call_{call.id}", "name": call.tool.name}
    if call.tool.namespace:
        item["namespace"] = call.tool.namespace
    if call.tool.kind == "tool_search":
        return item | {"type": "tool_search_call", "execution": "client", "arguments": call.arguments}
    if isinstance(call.arguments, str):
        return item | {"type": "custom_tool_call", "input": call.arguments}
    return item | {"type": "function_call", "arguments": json.dumps(call.arguments)}


def _response(ask: Ask, reply: Reply, status: str) -> Json:
    return {
        "id": f"resp_{reply.id}",
        "object": "response",
        "created_at": 0,
        "model": ask.model,
        "status": status,
        "output": [],
    }


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
        },
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.prompt + usage.output,
    }


def _event(kind: str, **more: Any) -> bytes:
    return event({"type": kind, **more}, kind)
