"""opencode: `opencode run --format json`, the prompt by standard input. The user's login and settings apply; of MCP servers
only Ralph's, which is added through the environment.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ralph.agents.adapter import PROVIDERS, Adapter, AgentTools, Launch, Needs, Reader, environment
from ralph.agents.stream import (
    StreamReader,
    count,
    fault_in_text,
    fault_of_status,
    number,
    parse_settings,
    part,
    seconds_until,
    text,
)
from ralph.core.agent_policy import AgentPolicy
from ralph.core.facts import Fault, Tokens

MODE = ("run", "--format", "json", "--auto")  # --auto: what the user does not forbid is allowed
CONFIG = "OPENCODE_CONFIG_CONTENT"
FILES = ("config.json", "opencode.json", "opencode.jsonc")
QUIET = {"OPENCODE_DISABLE_AUTOUPDATE": "1"}
_FAULTS: dict[str, Fault] = {
    "ProviderAuthError": "credentials",
    "ProviderModelNotFoundError": "unusable",
    "ModelNotFoundError": "unusable",
}


class OpencodeAdapter(Adapter):
    program = "opencode"
    login_hint = "`opencode auth login`"
    has_tools = True
    needs = Needs(
        variables=("OPENCODE_*", *PROVIDERS),
        logins=(".local/share/opencode/auth.json",),
        settings=(".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
    )
    profile_flag = "--agent"
    instructions = ("opencode.json", "**/.opencode/**")

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: AgentTools) -> Launch:
        given = parse_settings(policy.env.get(CONFIG) or os.environ.get(CONFIG) or "") or {}
        off = {name: {"enabled": False} for name in _servers(policy)}
        if off:
            given["mcp"] = {**off, **part(given, "mcp")}
        if tools.mcp:
            server = {
                "type": "local",
                "command": [*tools.mcp],
                "enabled": True,
                "environment": tools.mcp_env,
            }
            given["mcp"] = {**part(given, "mcp"), "ralph": server}
        env = environment(QUIET, policy)
        if given:
            env[CONFIG] = json.dumps(given)
        model = ("-m", policy.model) if policy.model else ()
        return Launch(
            (*(policy.command or (self.program,)), *MODE, *model, *policy.args), prompt.encode(), env
        )

    def reader(self, policy: AgentPolicy) -> Reader:
        return OpencodeReader(policy)

    def opens(self, item: dict[str, Any]) -> bool:
        return item.get("type") in ("step_start", "error") and "sessionID" in item


def _servers(policy: AgentPolicy) -> list[str]:
    """The names of the user's own MCP servers."""
    named = policy.env.get("XDG_CONFIG_HOME") or os.environ.get("XDG_CONFIG_HOME")
    folder = Path(named) if named else Path(policy.env.get("HOME") or Path.home(), ".config")
    found: list[str] = []
    for name in FILES:
        try:
            settings = parse_settings((folder / "opencode" / name).read_text("utf-8"))
        except (OSError, ValueError):
            continue
        found += part(settings, "mcp")
    return found


class OpencodeReader(StreamReader):
    """Tokens and cost come with each step and are summed; the model is never reported, only the one asked for is known."""

    def __init__(self, policy: AgentPolicy) -> None:
        super().__init__()
        self._model = policy.model
        self.uses(policy.model)
        self._tokens = Tokens()
        self._cost = 0.0
        self._overflowed = False

    def item(self, item: dict[str, Any]) -> None:
        self._words.session = text(item, "sessionID") or self._words.session
        piece = part(item, "part")
        match item.get("type"):
            case "text" if not piece.get("synthetic"):
                self.say(piece.get("text"))
            case "tool_use":
                self.did()
            case "step_finish":
                self._tokens += _tokens(part(piece, "tokens"))
                self._cost += number(piece.get("cost"))
                self.spent({self._model: self._tokens}, self._cost)
            case "error":
                self._failed(part(item, "error"))

    def _failed(self, error: dict[str, Any]) -> None:
        data = part(error, "data")
        message = text(data, "message") or text(error, "name") or "it ended with an error"
        if error.get("name") == "ContextOverflowError":
            message = f"context overflow: {message}"
            self._overflowed = True
        status = int(number(data.get("statusCode")))
        fault = _FAULTS.get(text(error, "name")) or fault_of_status(status, message) or fault_in_text(message)
        self.failed(fault, message, _wait(part(data, "responseHeaders"), message))

    def ended(self, code: int) -> None:
        """It exits with 1 although it made room and continued."""
        super().ended(code)
        if code and self._overflowed and not self._words.fault:
            self._words.full = True


def _wait(headers: dict[str, Any], message: str) -> float:
    try:
        return max(0.0, float(text(headers, "retry-after")))
    except ValueError:
        return seconds_until(message)


def _tokens(figures: dict[str, Any]) -> Tokens:
    cache = part(figures, "cache")
    written = count(figures, "output") + count(figures, "reasoning")
    return Tokens(count(figures, "input"), written, count(cache, "read"), count(cache, "write"))
