"""The faults as OpenAI tells them, in both of its formats."""

from __future__ import annotations

from model.script import Fault
from model.wire import Ask, Failure, Json


def failure(ask: Ask, fault: Fault, limit: Json) -> Failure:
    """`limit` is the error of a used-up quota, the one thing on which the formats differ."""
    retry = {"retry-after": str(fault.retry_after)} if fault.retry_after >= 0 else {}
    match fault.name:
        case "429":
            text = "Rate limit reached for requests"
            return Failure(429, _error(text, "requests", "rate_limit_exceeded"), retry)
        case "usage-limit":
            return Failure(429, {"error": limit}, retry)
        case "500":
            text = "The server had an error while processing your request"
            return Failure(500, _error(text, "server_error", None), retry)
        case "529":
            return Failure(529, _error("Overloaded", "overloaded_error", None), retry)
        case "401":
            text = "Incorrect API key provided"
            return Failure(401, _error(text, "invalid_request_error", "invalid_api_key"))
        case "too-long":
            text = (
                "Your input exceeds the context window of this model. Please adjust your input and try again."
            )
            return Failure(400, _error(text, "invalid_request_error", "context_length_exceeded"))
        case "unknown-model":
            text = f"The model `{ask.model}` does not exist or you do not have access to it."
            return Failure(404, _error(text, "invalid_request_error", "model_not_found"))
    raise ValueError(fault.name)


def models(model: str) -> Json:
    return {
        "object": "list",
        "data": [{"id": model, "object": "model", "created": 0, "owned_by": "scripted"}],
    }


def _error(text: str, kind: str, code: str | None) -> Json:
    return {"error": {"message": text, "type": kind, "param": None, "code": code}}
