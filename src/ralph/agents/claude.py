"""Claude Code: `claude -p` with a JSON stream. The user's login and settings apply; of MCP servers only Ralph's."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ralph.agents.adapter import Adapter, AgentTools, Launch, Needs, Reader, environment, hooks, private_file
from ralph.agents.stream import (
    StreamReader,
    count,
    fault_in_text,
    fault_of_status,
    number,
    part,
    seconds_until,
    text,
    tokens,
)
from ralph.core.agent_policy import AgentPolicy
from ralph.core.facts import Fault, Tokens

MODE = ("-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions")
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "ENABLE_TOOL_SEARCH": "false",  # else Ralph's tools hide behind a search tool
}
# fmt: off
_VARIABLES = (
    "ANTHROPIC_*", "CLAUDE_*", "DISABLE_*", "ENABLE_*", "MAX_THINKING_TOKENS", "MAX_MCP_OUTPUT_TOKENS", "MCP_TIMEOUT",
    "MCP_TOOL_TIMEOUT", "API_TIMEOUT_MS", "BASH_*_TIMEOUT_MS", "BASH_MAX_OUTPUT_LENGTH", "USE_BUILTIN_RIPGREP",
    "IS_SANDBOX", "OTEL_*",
)
# fmt: on
_CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": ("AWS_*",),
    "CLAUDE_CODE_USE_VERTEX": ("GOOGLE_*", "GCLOUD_PROJECT", "CLOUD_ML_REGION", "VERTEX_*", "CLOUDSDK_*"),
}
# What it calls the errors of its provider.
_FAULTS: dict[str, Fault] = {
    "authentication_failed": "credentials",
    "oauth_org_not_allowed": "credentials",
    "billing_error": "quota",
    "rate_limit": "rate-limit",
    "overloaded": "overload",
    "server_error": "overload",
    "model_not_found": "unusable",
}
_CHARS_PER_TOKEN = 4


class ClaudeAdapter(Adapter):
    program = "claude"
    login_hint = "`claude auth login` (or set ANTHROPIC_API_KEY)"
    has_tools = True
    needs = Needs(
        variables=_VARIABLES,
        with_variable=_CLOUDS,
        folder=".claude",
        folder_variable="CLAUDE_CONFIG_DIR",
        logins=(".credentials.json",),
        settings=("settings.json",),
    )
    instructions = ("CLAUDE.md", "CLAUDE.local.md", ".mcp.json", "**/.claude/**")
    skills = ".claude/skills"

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: AgentTools) -> Launch:
        servers = {}
        if tools.mcp:
            command, *args = tools.mcp
            servers["ralph"] = {"type": "stdio", "command": command, "args": args, "env": tools.mcp_env}
        # A file: a command line is for all to see. The option takes all words up to the next one.
        config = private_file(tools.private, "mcp.json", json.dumps({"mcpServers": servers}))
        settings: tuple[str, ...] = ()
        if tools.hook:
            file = private_file(tools.private, "settings.json", json.dumps({"hooks": hooks(tools.hook)}))
            settings = ("--settings", str(file))
        model = ("--model", policy.model) if policy.model else ()
        program = policy.command or (self.program,)
        ours = (*MODE, "--mcp-config", str(config), "--strict-mcp-config", *settings)
        argv = (*program, *ours, *model, *policy.args)
        # As root it refuses to skip permissions unless told that this is a sandbox.
        root = {"IS_SANDBOX": "1"} if os.geteuid() == 0 else {}
        return Launch(argv, prompt.encode(), {**root, **environment(QUIET, policy)})

    def reader(self, policy: AgentPolicy) -> Reader:
        return ClaudeReader()

    def opens(self, item: dict[str, Any]) -> bool:
        return item.get("type") == "system" and item.get("subtype") == "init"

    def tool_args(self, denied: tuple[str, ...], allowed: tuple[str, ...]) -> tuple[str, ...]:
        """Each option takes all words up to the next one."""
        only = ("--tools", *allowed) if allowed else ()
        without = ("--disallowedTools", *denied) if denied else ()
        return (*only, *without)


class ClaudeReader(StreamReader):
    """Figures of single messages are counted while it works, by the message's id: each of its parts comes as a line and
    repeats them. What it says at the end counts instead."""

    def __init__(self) -> None:
        super().__init__()
        self._model = ""
        self._counted: dict[str, tuple[str, Tokens]] = {}  # message -> model and tokens
        self._written: dict[
            str, int
        ] = {}  # characters of a message so far; its own output figure is that of its start
        self._resets_at = 0.0

    def item(self, item: dict[str, Any]) -> None:
        match item.get("type"):
            case "system" if item.get("subtype") == "init":
                self._words.session = text(item, "session_id")
                self._model = text(item, "model")
                self.uses(self._model)
            case "system" if item.get("subtype") == "api_retry":
                status, why = count(item, "error_status"), text(item, "error").replace("_", " ")
                self.retrying(count(item, "attempt"), count(item, "max_retries"), status, why)
            case "assistant":
                self._assistant(item)
            case "rate_limit_event":
                info = part(item, "rate_limit_info")
                if info.get("status") == "rejected":
                    self._resets_at = number(info.get("resetsAt"))
            case "result":
                self._result(item)

    def _assistant(self, item: dict[str, Any]) -> None:
        message = part(item, "message")
        content = message.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        texts = [text(block, "text") for block in blocks if block.get("type") == "text"]
        said = content if isinstance(content, str) else "\n".join(filter(None, texts))
        if item.get("is_api_error_message") or "error" in item:
            self._fault(item, said)
            return
        self._count(message, blocks)
        if item.get("parent_tool_use_id"):  # a helper of its own speaks
            return
        self.uses(text(message, "model"))
        if said.strip():
            self.say(said)
        else:
            self.did()

    def _count(self, message: dict[str, Any], blocks: list[dict[str, Any]]) -> None:
        usage = part(message, "usage")
        if not usage:
            return
        name = text(message, "id") or f"#{len(self._counted)}"
        self._written[name] = self._written.get(name, 0) + sum(map(_length, blocks))
        told = _tokens(usage)
        counted = replace(told, output=max(told.output, self._written[name] // _CHARS_PER_TOKEN))
        self._counted[name] = (text(message, "model") or self._model, counted)
        self.spent(_by_model(self._counted.values()))

    def _fault(self, item: dict[str, Any], said: str) -> None:
        named, kind = text(item, "error"), text(item, "api_error")
        status = int(number(item.get("api_error_status")))
        fault = _FAULTS.get(named) or fault_of_status(status, said) or fault_in_text(said)
        wait = -1.0
        if kind == "usage_limit_reached" or (self._resets_at and fault == "rate-limit"):
            fault = "quota"
            wait = max(0.0, self._resets_at - time.time()) if self._resets_at else seconds_until(said)
        self.failed(fault, said or named, wait)

    def _result(self, item: dict[str, Any]) -> None:
        if not item.get("is_error"):
            self.say(item.get("result"))
        elif not self._words.fault_text:
            said = text(item, "result") or text(item, "subtype") or "it ended with an error"
            status = int(number(item.get("api_error_status")))
            self.failed(fault_of_status(status, said) if status else "", said)
        models = part(item, "modelUsage")
        used = {str(name): _of_model(entry) for name, entry in models.items()}
        used = used or {self._model: _tokens(part(item, "usage"))}
        if any(share.all for share in used.values()):
            self.spent(used, number(item.get("total_cost_usd")))


def _by_model(counted: Iterable[tuple[str, Tokens]]) -> dict[str, Tokens]:
    used: dict[str, Tokens] = {}
    for model, share in counted:
        used[model] = used.get(model, Tokens()) + share
    return used


def _length(block: dict[str, Any]) -> int:
    """Of what the model wrote: words, or a tool's name and arguments."""
    try:
        return len(text(block, "text")) or len(json.dumps(block.get("input") or ""))
    except RecursionError:
        return 0


def _tokens(usage: dict[str, Any]) -> Tokens:
    cache = ("cache_read_input_tokens", "cache_creation_input_tokens")
    return tokens(usage, "input_tokens", "output_tokens", *cache)


def _of_model(entry: Any) -> Tokens:
    """One model's share; with those of its helpers, which the plain figure leaves out."""
    cache = ("cacheReadInputTokens", "cacheCreationInputTokens")
    return tokens(part(entry), "inputTokens", "outputTokens", *cache)
