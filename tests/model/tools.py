"""From an abstract step to a call of a tool that this request offers. One script serves every CLI."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from model.script import Step
from model.wire import Ask, Call, Json, Tool

# The first tool on offer wins. Parameters are the CLI's own names.
WRITE: dict[str, Callable[[str, str], Json | str]] = {
    "Write": lambda path, text: {"file_path": path, "content": text},  # Claude Code
    "write_file": lambda path, text: {"file_path": path, "content": text},  # Gemini CLI
    "write": lambda path, text: {"filePath": path, "content": text},  # opencode
    "apply_patch": lambda path, text: _patch(path, text),  # Codex
}
BASH: dict[str, Callable[[str], Json]] = {
    "Bash": lambda command: {"command": command, "description": "Scripted command"},  # Claude Code
    "run_shell_command": lambda command: {"command": command},  # Gemini CLI
    "bash": lambda command: {"command": command, "description": "Scripted command"},  # opencode
    "exec_command": lambda command: {"cmd": command},  # Codex
    "shell_command": lambda command: {"command": command},  # Codex
    "shell": lambda command: {"command": ["bash", "-c", command]},  # Codex
}


class NoTool(Exception):
    """The CLI offers nothing for this step; the text names what it does offer."""


def call(ask: Ask, step: Step, id: str) -> Call:
    match step.tool:
        case "write":
            return _write(ask, step.arguments["path"], step.arguments["text"], id)
        case "bash":
            return _bash(ask, step.arguments["command"], id)
    return _mcp(ask, step.arguments, id)


def _write(ask: Ask, path: str, text: str, id: str) -> Call:
    for name, arguments in WRITE.items():
        for tool in ask.tools:
            if tool.name == name and (
                name != "apply_patch" or text.endswith("\n")
            ):  # a patch has whole lines
                given = arguments(path, text)
                # Codex takes a patch as free text, opencode as its only argument.
                only = isinstance(given, str) and tool.kind == "function"
                return Call(tool, {tool.parameters[0]: given} if only else given, id)
    return _bash(ask, f"printf %s {shlex.quote(text)} > {shlex.quote(path)}", id)


def _bash(ask: Ask, command: str, id: str) -> Call:
    for name, arguments in BASH.items():
        for tool in ask.tools:
            if tool.name == name:
                return Call(tool, arguments(command), id)
    raise NoTool(f"no shell among the tools: {_names(ask)}")


def _mcp(ask: Ask, wanted: dict[str, Any], id: str) -> Call:
    for tool in ask.tools:
        if _is_mcp(tool, wanted["server"], wanted["tool"]):
            return Call(tool, wanted["arguments"], id)
    for tool in ask.tools:  # Codex hides MCP tools until they are searched for; one search a turn
        if tool.kind == "tool_search" and ask.searches <= ask.results:
            return Call(tool, {"query": wanted["tool"], "limit": 50}, f"{id}_search")
    raise NoTool(f"no MCP tool {wanted['tool']!r} among the tools: {_names(ask)}")


def _is_mcp(tool: Tool, server: str, name: str) -> bool:
    """mcp__server__tool (Claude, Codex), mcp_server_tool (Gemini), server_tool (opencode)."""
    full = f"{tool.namespace}__{tool.name}" if tool.namespace else tool.name
    full, name = full.replace("-", "_"), name.replace("-", "_")
    if server:
        server = server.replace("-", "_")
        ends = (f"mcp__{server}__{name}", f"mcp_{server}_{name}", f"{server}_{name}", f"{server}__{name}")
        return full in ends
    return full.endswith((f"__{name}", f"_{name}")) and full != name


def _patch(path: str, text: str) -> str:
    lines = text.removesuffix("\n").split("\n")
    body = "".join(f"+{line}\n" for line in lines)
    return f"*** Begin Patch\n*** Add File: {path}\n{body}*** End Patch\n"


def _names(ask: Ask) -> str:
    return ", ".join(f"{tool.namespace}__{tool.name}" if tool.namespace else tool.name for tool in ask.tools)
