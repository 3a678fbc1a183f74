"""Gemini: `POST .../models/<model>:generateContent` and `:streamGenerateContent?alt=sse`."""

from __future__ import annotations

import re

from model.script import Fault, Usage
from model.wire import Ask, Failure, Json, Reply, Tool, event, halves

_TYPES = "type.googleapis.com/google.rpc."


class Gemini:
    def read(self, body: Json, path: str) -> Ask:
        contents: list[Json] = body.get("contents", [])
        model, action = re.findall(r"models/([^:/]+):(\w+)", path)[0]
        functions = [f for tool in body.get("tools", []) for f in tool.get("functionDeclarations", [])]
        return Ask(
            model=model,
            stream=action.startswith("stream"),
            tools=tuple(Tool(f["name"], "function", tuple(_properties(f))) for f in functions),
            results=sum("functionResponse" in part for content in contents for part in content["parts"]),
            said=tuple(_text(content) for content in contents if _final(content)),
            system=_text(body.get("systemInstruction") or {"parts": []}),
            prompt="\n".join(_text(content) for content in contents if content.get("role") == "user"),
        )

    def whole(self, ask: Ask, reply: Reply) -> Json:
        parts = [{"text": reply.words}] if reply.words or not reply.call else []
        return _answer(ask, reply, parts + _call(reply), last=True)

    def events(self, ask: Ask, reply: Reply) -> list[bytes]:
        pieces = [{"text": piece} for piece in halves(reply.words)]
        chunks = [event(_answer(ask, reply, [piece], last=False)) for piece in pieces]
        if len(chunks) + len(_call(reply)) < 2:
            chunks.insert(0, event(_answer(ask, reply, [{"text": ""}], last=False)))
        return [*chunks, event(_answer(ask, reply, _call(reply) or [{"text": ""}], last=True))]

    def failure(self, ask: Ask, fault: Fault, now: int) -> Failure:
        match fault.name:
            case "429":
                text = "Resource has been exhausted (e.g. check quota)."
                return _failure(429, "RESOURCE_EXHAUSTED", text, _retry_info(fault.retry_after))
            case "usage-limit":
                text = f"You exceeded your current quota. Please retry in {fault.resets_in}s."
                quota = {
                    "@type": _TYPES + "QuotaFailure",
                    "violations": [
                        {
                            "quotaMetric": "generate_requests_per_model_per_day",
                            "quotaId": "GenerateRequestsPerDayPerProjectPerModel",
                        }
                    ],
                }
                return _failure(429, "RESOURCE_EXHAUSTED", text, [quota, *_retry_info(fault.resets_in)])
            case "500":
                return _failure(500, "INTERNAL", "An internal error has occurred.")
            case "529":
                return _failure(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
            case "401":
                return _failure(401, "UNAUTHENTICATED", "API key not valid. Please pass a valid API key.")
            case "too-long":
                text = (
                    "The input token count (1205000) exceeds the maximum number of tokens allowed (1048576)."
                )
                return _failure(400, "INVALID_ARGUMENT", text)
            case "unknown-model":
                text = f"models/{ask.model} is not found for API version v1beta."
                return _failure(404, "NOT_FOUND", text)
        raise ValueError(fault.name)


def count_tokens(body: Json) -> Json:
    return {"totalTokens": max(1, len(str(body)) // 4)}


def models(model: str) -> Json:
    return {"models": [{"name": f"models/{model}", "supportedGenerationMethods": ["generateContent"]}]}


def _properties(function: Json) -> Json:
    schema = function.get("parametersJsonSchema") or function.get("parameters") or {}
    return schema.get("properties") or {}


def _text(content: Json) -> str:
    return "\n".join(part["text"] for part in content.get("parts", []) if "text" in part)


def _final(content: Json) -> bool:
    return content.get("role") == "model" and all("functionCall" not in part for part in content["parts"])


def _call(reply: Reply) -> list[Json]:
    if not reply.call:
        return []
    return [{"functionCall": {"name": reply.call.tool.name, "args": reply.call.arguments}}]


def _answer(ask: Ask, reply: Reply, parts: list[Json], last: bool) -> Json:
    candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
    answer: Json = {"candidates": [candidate], "modelVersion": ask.model, "responseId": f"resp_{reply.id}"}
    if last:
        candidate["finishReason"] = "STOP"
        answer["usageMetadata"] = _usage(reply.usage)
    return answer


def _usage(usage: Usage) -> Json:
    return {
        "promptTokenCount": usage.prompt,
        "candidatesTokenCount": usage.output,
        "cachedContentTokenCount": usage.cache_read,
        "totalTokenCount": usage.prompt + usage.output,
    }


def _retry_info(seconds: int) -> list[Json]:
    return [{"@type": _TYPES + "RetryInfo", "retryDelay": f"{seconds}s"}] if seconds >= 0 else []


def _failure(status: int, kind: str, text: str, details: list[Json] | None = None) -> Failure:
    error: Json = {"code": status, "message": text, "status": kind}
    return Failure(status, {"error": error | ({"details": details} if details else {})})
