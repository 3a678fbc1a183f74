"""Gemini CLI: `gemini --yolo -o stream-json`, the prompt by standard input. The user's login and settings apply; of MCP
servers only Ralph's.

It reads settings from its home only (a file for the whole machine must belong to root). So it gets a home in which everything
is a link to the user's, except for a copy of the settings with one more server.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from ralph.agents.adapter import GOOGLE, Adapter, AgentTools, Launch, Needs, Reader, environment, private_file
from ralph.agents.stream import (
    StreamReader,
    count,
    fault_of_status,
    parse_settings,
    part,
    seconds_until,
    text,
)
from ralph.core.agent_policy import AgentPolicy
from ralph.core.facts import Tokens

MODE = ("--yolo", "-o", "stream-json")
HOME = "GEMINI_CLI_HOME"
QUIET = {
    # Otherwise it refuses a folder that it was not told to trust, and ignores being asked to end.
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GEMINI_CLI_NO_RELAUNCH": "true",
}
_NO_LOGIN = 41
_STILL_TRYING = re.compile(r"Attempt (?P<n>\d{1,4}) failed(?: with status \d+)?[:.] ?(?P<why>.*)")
_FIRST_STATUS = 400 - 256  # it exits with the HTTP status, of which a byte is left


class GeminiAdapter(Adapter):
    program = "gemini"
    login_hint = "`gemini`, which asks how (or set GEMINI_API_KEY)"
    has_tools = True
    needs = Needs(
        variables=(*GOOGLE, "CLOUDSDK_*"),
        folder=".gemini",
        logins=("oauth_creds.json",),
        settings=("google_accounts.json", "settings.json"),
        folders=("tmp", "history"),
        writes_private=True,
    )
    instructions = ("GEMINI.md", "**/.gemini/**")

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: AgentTools) -> Launch:
        # None is allowed but this one: whatever servers the user has are not started.
        allowed = ("--allowed-mcp-server-names", "ralph")
        model = ("-m", policy.model) if policy.model else ()
        argv = (*(policy.command or (self.program,)), *MODE, *allowed, *model, *policy.args)
        env = environment(QUIET, policy)
        if tools.mcp:
            command, *args = tools.mcp
            server = {"command": command, "args": args, "env": tools.mcp_env, "trust": True}
            home = _home_with(server, policy, tools.private / "home")
            env |= {HOME: str(home)} if home else {}
        return Launch(argv, prompt.encode(), env)

    def reader(self, policy: AgentPolicy) -> Reader:
        return GeminiReader()

    def opens(self, item: dict[str, Any]) -> bool:
        return item.get("type") == "init" and "session_id" in item


def _home_with(server: dict[str, Any], policy: AgentPolicy, private: Path) -> Path | None:
    """None where the user's settings cannot be read: they count for more than tools."""
    named = policy.env.get(HOME) or os.environ.get(HOME) or policy.env.get("HOME")
    theirs = Path(named or Path.home()) / ".gemini"
    theirs.mkdir(
        mode=0o700, parents=True, exist_ok=True
    )  # it would make it, too; sessions and logins go there
    (theirs / "tmp").mkdir(mode=0o700, exist_ok=True)
    ours = private / ".gemini"
    try:
        settings = parse_settings((theirs / "settings.json").read_text("utf-8"))
    except FileNotFoundError:
        settings = {}
    except (OSError, ValueError):
        return None
    if settings is None:
        return None
    settings["mcpServers"] = {**part(settings, "mcpServers"), "ralph": server}
    private_file(ours, "settings.json", json.dumps(settings))
    for entry in theirs.iterdir():
        if entry.name != "settings.json":
            link = ours / entry.name
            link.unlink(missing_ok=True)
            link.symlink_to(entry)
    return private


class GeminiReader(StreamReader):
    """Words come in pieces; a tool's use ends a message. Tokens are reported at the end only."""

    def __init__(self) -> None:
        super().__init__()
        self._message = ""
        self._error = ""

    def item(self, item: dict[str, Any]) -> None:
        match item.get("type"):
            case "init":
                self._words.session = text(item, "session_id")
                self.uses(text(item, "model"))
            case "message" if item.get("role") == "assistant":
                self._message = (self._message if item.get("delta") else "") + text(item, "content")
                self.say(self._message)
            case "tool_use" | "tool_result":
                self._message = ""
                self.did()
            case "error" if item.get("severity") != "warning":
                self._failed(text(item, "message"))
            case "result":
                self._result(item)

    def feed_error(self, line: str) -> None:
        """There it says that it tries again."""
        if found := _STILL_TRYING.match(line):
            self.retrying(int(found["n"]), why=found["why"])

    def _result(self, item: dict[str, Any]) -> None:
        if item.get("status") == "error":
            self._failed(text(part(item, "error"), "message"))
        stats = part(item, "stats")
        models = part(stats, "models")
        used = {name: _tokens(figures) for name, figures in models.items() if isinstance(figures, dict)}
        if used:  # where it chooses by itself, only these are the models' names
            self.uses(max(used, key=lambda name: used[name].all))
        self.spent(used or {"": _tokens(stats)})

    def _failed(self, message: str) -> None:
        self._error = message
        self.complained(message)

    def ended(self, code: int) -> None:
        super().ended(code)
        if code == _NO_LOGIN:
            self.failed("credentials", self._words.fault_text)
        elif code >= _FIRST_STATUS and self._error and not self._words.fault:
            self.failed(fault_of_status(code + 256, self._error), self._error, seconds_until(self._error))


def _tokens(figures: dict[str, Any]) -> Tokens:
    """Its input contains what was read from the cache."""
    read = count(figures, "cached")
    return Tokens(max(0, count(figures, "input_tokens") - read), count(figures, "output_tokens"), read)
