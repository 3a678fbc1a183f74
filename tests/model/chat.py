"""OpenAI chat-completions: `POST .../v1/chat/completions`; what opencode and many others speak."""

from __future__ import annotations

import json
from typing import Any

from model import openai_errors
from model.script import Fault, Usage
from model.wire import Ask, Failure, Json, Reply, Tool, event, halves, texts


class Chat:
    def read(self, body: Json, path: str) -> Ask:
        messages: list[Json] = body.get("messages", [])

        def of(*roles: str) -> list[Json]:
            return [message for message in messages if message.get("role") in roles]

        return Ask(
            model=str(body.get("model", "")),
            stream=bool(body.get("stream")),
            tools=tuple(_tool(tool["function"]) for tool in body.get("tools", []) if "function" in tool),
            results=len(of("tool")),
            said=tuple(texts(m.get("content")) for m in of("assistant") if not m.get("tool_calls")),
            system="\n".join(texts(message.get("content")) for message in of("system", "developer")),
            prompt="\n".join(texts(message.get("content")) for message in of("user")),
        )

    def whole(self, ask: Ask, reply: Reply) -> Json:
        message: Json = {"role": "assistant", "content": reply.words or None}
        if reply.call:
            message["tool_calls"] = [_call(reply)]
        choice = {"index": 0, "message": message, "finish_reason": _reason(reply)}
        return _head(ask, reply) | {
            "object": "chat.completion",
            "choices": [choice],
            "usage": _usage(reply.usage),
        }

    def events(self, ask: Ask, reply: Reply) -> list[bytes]:
        def chunk(delta: Json, reason: str | None = None, **more: Any) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            return event(_head(ask, reply) | {"object": "chat.completion.chunk", "choices": [choice]} | more)

        out = [chunk({"role": "assistant", "content": ""})]
        out += [chunk({"content": piece}) for piece in halves(reply.words)]
        if reply.call:
            call = _call(reply) | {"index": 0}
            whole = call["function"]["arguments"]
            out.append(chunk({"tool_calls": [call | {"function": call["function"] | {"arguments": ""}}]}))
            out += [
                chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
                for piece in halves(whole)
            ]
        out.append(chunk({}, _reason(reply)))
        out.append(chunk({}, None, choices=[], usage=_usage(reply.usage)))
        return [*out, b"data: [DONE]\n\n"]

    def failure(self, ask: Ask, fault: Fault, now: int) -> Failure:
        limit = {
            "message": "You exceeded your current quota, please check your plan and billing details.",
            "type": "insufficient_quota",
            "param": None,
            "code": "insufficient_quota",
        }
        return openai_errors.failure(ask, fault, limit)


def _tool(function: Json) -> Tool:
    return Tool(
        function["name"], "function", tuple((function.get("parameters") or {}).get("properties") or {})
    )


def _call(reply: Reply) -> Json:
    assert reply.call
    function = {"name": reply.call.tool.name, "arguments": json.dumps(reply.call.arguments)}
    return {"id": f"call_{reply.call.id}", "type": "function", "function": function}


def _reason(reply: Reply) -> str:
    return "tool_calls" if reply.call else "stop"


def _head(ask: Ask, reply: Reply) -> Json:
    return {"id": f"chatcmpl-{reply.id}", "created": 0, "model": ask.model}


def _usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    }
