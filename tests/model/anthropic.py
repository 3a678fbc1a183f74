"""Anthropic Messages: `POST .../v1/messages` and `.../count_tokens`; what Claude Code speaks."""

from __future__ import annotations

import json
from typing import Any

from model.script import Fault, Usage
from model.wire import Ask, Failure, Json, Reply, Tool, event, halves, texts

_WORDS_ONLY = (
    "Respond with TEXT ONLY. Do NOT call any tools."  # how Claude Code asks for a summary, tools on offer
)
_SIGNATURE = "c2NyaXB0ZWQ="


class Anthropic:
    def read(self, body: Json, path: str) -> Ask:
        messages: list[Json] = body.get("messages", [])
        parts = [part for message in messages for part in _parts(message)]
        return Ask(
            model=str(body.get("model", "")),
            stream=bool(body.get("stream")),
            tools=tuple(
                Tool(tool["name"], tool.get("type", "function"), tuple(_properties(tool)))
                for tool in body.get("tools", [])
            ),
            results=sum(part.get("type") == "tool_result" for part in parts),
            said=tuple(texts(_parts(message), "text") for message in messages if _final(message)),
            system=texts(body.get("system"), "text"),
            prompt="\n".join(texts(_parts(m), "text") for m in messages if m.get("role") == "user"),
            wants_words=bool(messages) and _WORDS_ONLY in texts(_parts(messages[-1]), "text"),
        )

    def whole(self, ask: Ask, reply: Reply) -> Json:
        content: list[Json] = []
        if reply.thought:
            content.append({"type": "thinking", "thinking": reply.thought, "signature": _SIGNATURE})
        if reply.words or not reply.call:
            content.append({"type": "text", "text": reply.words})
        if reply.call:
            content.append(_tool_use(reply) | {"input": reply.call.arguments})
        return _message(ask, reply) | {
            "content": content,
            "stop_reason": "tool_use" if reply.call else "end_turn",
            "usage": _usage(reply.usage),
        }

    def events(self, ask: Ask, reply: Reply) -> list[bytes]:
        start = _message(ask, reply) | {"content": [], "usage": _usage(reply.usage) | {"output_tokens": 1}}
        out = [event({"type": "message_start", "message": start}, "message_start")]
        index = 0
        if reply.thought:
            pieces = [{"type": "thinking_delta", "thinking": piece} for piece in halves(reply.thought)]
            pieces.append({"type": "signature_delta", "signature": _SIGNATURE})
            out += _block(index, {"type": "thinking", "thinking": "", "signature": ""}, pieces)
            index += 1
        if reply.words or not reply.call:
            pieces = [{"type": "text_delta", "text": piece} for piece in halves(reply.words)]
            out += _block(index, {"type": "text", "text": ""}, pieces)
            index += 1
        if reply.call:
            arguments = json.dumps(reply.call.arguments)
            pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in halves(arguments)]
            out += _block(index, _tool_use(reply) | {"input": {}}, pieces)
        end = {"stop_reason": "tool_use" if reply.call else "end_turn", "stop_sequence": None}
        out.append(
            event(
                {"type": "message_delta", "delta": end, "usage": _usage(reply.usage)},
                "message_delta",
            )
        )
        return [*out, event({"type": "message_stop"}, "message_stop")]

    def failure(self, ask: Ask, fault: Fault, now: int) -> Failure:
        retry = {"retry-after": str(fault.retry_after)} if fault.retry_after >= 0 else {}
        match fault.name:
            case "429":
                return _failure(
                    429, "rate_limit_error", "Number of request tokens has exceeded your limit", retry
                )
            case "usage-limit":
                return _failure(429, "rate_limit_error", "Usage limit reached", _unified(now, fault))
            case "500":
                return _failure(500, "api_error", "Internal server error", retry)
            case "529":
                return _failure(529, "overloaded_error", "Overloaded", retry)
            case "401":
                return _failure(401, "authentication_error", "invalid x-api-key")
            case "too-long":
                text = "prompt is too long: 205000 tokens > 200000 maximum"
                return _failure(400, "invalid_request_error", text)
            case "unknown-model":
                return _failure(404, "not_found_error", f"model: {ask.model}")
        raise ValueError(fault.name)


def count_tokens(body: Json) -> Json:
    return {"input_tokens": max(1, len(json.dumps(body)) // 4)}


def models(model: str) -> Json:
    entry = {"type": "model", "id": model, "display_name": model, "created_at": "2025-01-01T00:00:00Z"}
    return {"data": [entry], "has_more": False, "first_id": model, "last_id": model}


def _parts(message: Json) -> list[Json]:
    content: Any = message.get("content", [])
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _final(message: Json) -> bool:
    return message.get("role") == "assistant" and all(p.get("type") != "tool_use" for p in _parts(message))


def _properties(tool: Json) -> Json:
    found: Json = tool.get("input_schema", {}).get("properties", {})
    return found


def _message(ask: Ask, reply: Reply) -> Json:
    return {
        "id": f"msg_scripted_{reply.id}",
        "type": "message",
        "role": "assistant",
        "model": ask.model,
        "stop_reason": None,
        "stop_sequence": None,
    }


def _tool_use(reply: Reply) -> Json:
    assert reply.call
    return {"type": "tool_use", "id": f"toolu_{reply.call.id}", "name": reply.call.tool.name}


def _block(index: int, block: Json, deltas: list[dict[str, str]]) -> list[bytes]:
    def of(kind: str, more: Json) -> bytes:
        return event({"type": kind, "index": index} | more, kind)

    pieces = [of("content_block_delta", {"delta": delta}) for delta in deltas]
    return [of("content_block_start", {"content_block": block}), *pieces, of("content_block_stop", {})]


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
    }


def _unified(now: int, fault: Fault) -> dict[str, str]:
    """What a subscription's limit looks like; Claude Code reads it only with an OAuth token."""
    prefix, reset = "anthropic-ratelimit-unified", now + fault.resets_in
    return {
        f"{prefix}-status": "rejected",
        f"{prefix}-reset": str(reset),
        f"{prefix}-representative-claim": "five_hour",
        f"{prefix}-5h-status": "rejected",
        f"{prefix}-5h-reset": str(reset),
        f"{prefix}-5h-utilization": "1.0",
        "retry-after": str(fault.resets_in),
    }


def _failure(status: int, kind: str, text: str, headers: dict[str, str] | None = None) -> Failure:
    body = {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_scripted"}
    return Failure(status, body, headers or {})
