"""The smallest MCP server over stdin and stdout: one tool, `note_down`, that appends its text to $NOTES."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

TOOL = {
    "name": "note_down",
    "description": "Writes a line down.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def result(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1"},
            }
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            with Path(os.environ["NOTES"]).open("a", encoding="utf-8") as file:
                file.write(params["arguments"]["text"] + "\n")
            return {"content": [{"type": "text", "text": "noted"}]}
    return {}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        answer = {
            "jsonrpc": "2.0",
            "id": asked["id"],
            "result": result(asked["method"], asked.get("params", {})),
        }
        print(json.dumps(answer), flush=True)
