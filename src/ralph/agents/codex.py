"""Codex: `codex exec --json`. The user's login and settings apply; of MCP servers only Ralph's, which is added on the command
line.

Its stream reports tokens only at the end and never the model; the session file, which it writes as it works, has both.
"""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

from ralph.agents.adapter import OPENAI, Adapter, AgentTools, Launch, Needs, Reader, Words, environment, hooks
from ralph.agents.stream import StreamReader, count, parse, part, text
from ralph.core.agent_policy import AgentPolicy
from ralph.core.facts import Tokens
from ralph.files import open_plain

MODE = ("exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
QUIET = ("check_for_update_on_startup=false", "analytics.enabled=false")
_STILL_TRYING = re.compile(r"(?s)Reconnecting\.\.\. (?P<n>\d{1,4})/(?P<of>\d{1,4})(?: \((?P<why>.*)\))?")


class CodexAdapter(Adapter):
    program = "codex"
    login_hint = "`codex login`"
    has_tools = True
    needs = Needs(
        variables=("CODEX_*", *OPENAI),
        folder=".codex",
        folder_variable="CODEX_HOME",
        logins=("auth.json",),
        settings=("config.toml",),
    )
    instructions = ("AGENTS.override.md", "**/.codex/**")

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: AgentTools) -> Launch:
        settings = [*QUIET, *(f"mcp_servers.{name}.enabled=false" for name in _servers(policy))]
        if tools.mcp:
            command, *args = tools.mcp
            server = {"command": command, "args": args, "env_vars": sorted(tools.mcp_env), "required": True}
            settings += [f"mcp_servers.ralph.{key}={json.dumps(value)}" for key, value in server.items()]
        trust: tuple[str, ...] = ()
        if tools.hook:
            settings += [f"hooks.{name}={_toml(value)}" for name, value in hooks(tools.hook).items()]
            trust = (
                "--dangerously-bypass-hook-trust",
            )  # else it passes over hooks that no one has confirmed
        options = [word for setting in settings for word in ("-c", setting)]
        model = ("-m", policy.model) if policy.model else ()
        argv = (*(policy.command or (self.program,)), *MODE, *trust, *options, *model, *policy.args, "-")
        # The server takes its variables from these: a command line is for all to see.
        return Launch(argv, prompt.encode(), {**environment({}, policy), **tools.mcp_env})

    def reader(self, policy: AgentPolicy) -> Reader:
        return CodexReader(policy)

    def opens(self, item: dict[str, Any]) -> bool:
        return item.get("type") == "thread.started" and "thread_id" in item


class CodexReader(StreamReader):
    def __init__(self, policy: AgentPolicy) -> None:
        super().__init__()
        self._model = policy.model
        self._home = _home(policy)
        self._log: SessionLog | None = None
        self._tokens = Tokens()

    def item(self, item: dict[str, Any]) -> None:
        match item.get("type"):
            case "thread.started":
                self._words.session = text(item, "thread_id")
                self._log = SessionLog(self._home, self._words.session)
            case "item.completed" | "item.started":
                self._item(part(item, "item"))
            case "error" if found := _STILL_TRYING.match(text(item, "message")):
                self.retrying(int(found["n"]), int(found["of"]), why=found["why"] or "")
            case "error":
                self.complained(text(item, "message"))
            case "turn.failed":
                self.complained(text(part(item, "error"), "message"))
            case "turn.completed":
                self._spent(_tokens(part(item, "usage")))

    def _item(self, item: dict[str, Any]) -> None:
        """Notices come as items of the kind `error`: it continues after them."""
        if item.get("type") == "agent_message":
            self.say(item.get("text"))
        elif item.get("type") != "error":
            self.did()

    def words(self) -> Words:
        if self._log and self._log.read():
            self._model = self._log.model or self._model
            self._spent(self._log.tokens)
        return super().words()

    def _spent(self, tokens: Tokens) -> None:
        """Both sources report totals; the greater one is the newer."""
        self.uses(self._model)
        self._tokens = max(self._tokens, tokens, key=lambda figures: figures.all)
        self.spent({self._model: self._tokens})

    def ended(self, code: int) -> None:
        if self._log:
            self._log.patience = 0.0
        self.words()
        super().ended(code)


class SessionLog:
    """The session's own file, read as it grows. Where there is none, nothing is known."""

    def __init__(self, home: Path, session: str) -> None:
        self._home = home
        self._session = session if re.fullmatch(r"[\w-]+", session) else ""
        self._path: Path | None = None
        self._at = 0
        self._rest = b""
        self._looked = 0.0
        self.patience = 0.5  # seconds between two looks: it is asked for many times a second
        self.model = ""
        self.tokens = Tokens()

    def read(self) -> bool:
        """Whether there was anything new."""
        now = time.monotonic()
        if not self._session or now - self._looked < self.patience:
            return False
        self._looked = now
        try:
            self._path = self._path or self._find()
            if not self._path:
                return False
            with open(open_plain(self._path), "rb") as file:
                file.seek(self._at)
                data = file.read()
        except OSError:
            return False
        self._at += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._line(line)
        return bool(lines)

    def _find(self) -> Path | None:
        """It lies in the folder of the day on which the session began."""
        for days in (0, 1):
            day = time.strftime("%Y/%m/%d", time.localtime(time.time() - days * 86400))
            found = next((self._home / "sessions" / day).glob(f"*-{self._session}.jsonl"), None)
            if found:
                return found
        return None

    def _line(self, line: bytes) -> None:
        if (
            b'"token_count"' not in line and b'"turn_context"' not in line
        ):  # most lines are long and not for us
            return
        item = parse(line.decode("utf-8", "replace")) or {}
        payload = part(item, "payload")
        if item.get("type") == "turn_context":
            self.model = text(payload, "model")
        elif payload.get("type") == "token_count":
            usage = part(payload, "info", "total_token_usage")
            if usage:
                self.tokens = _tokens(usage)


def _tokens(usage: dict[str, Any]) -> Tokens:
    """Its input contains what was read from the cache and written to it."""
    read, write = count(usage, "cached_input_tokens"), count(usage, "cache_write_input_tokens")
    return Tokens(
        max(0, count(usage, "input_tokens") - read - write), count(usage, "output_tokens"), read, write
    )


def _toml(value: Any) -> str:
    """An inline value. JSON's strings, numbers and lists are TOML's as well; tables are not."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def _servers(policy: AgentPolicy) -> list[str]:
    """The names of the user's own MCP servers; a name with a dot cannot be said on a command line."""
    import tomllib

    try:
        settings = tomllib.loads((_home(policy) / "config.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return []
    return [name for name in part(settings, "mcp_servers") if re.fullmatch(r"[\w-]+", name)]


def _home(policy: AgentPolicy) -> Path:
    named = policy.env.get("CODEX_HOME") or os.environ.get("CODEX_HOME")
    return Path(named) if named else Path(policy.env.get("HOME") or Path.home(), ".codex")
