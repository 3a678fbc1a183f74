"""How each real CLI is started offline against the scripted model: command line, environment, files of its HOME.

Nothing of the machine gets in: an environment of its own, a fresh HOME, keys that are obviously fake.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from install import Installed

FAKE_KEY = "fake-key-for-the-scripted-model"
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
PROVIDER = "scripted"
_POLL = 0.02
_TOKEN = "MCP_TOKEN"  # where Codex finds that of a web server


@dataclass(frozen=True)
class Server:
    """An MCP server that the CLI starts, over stdin and stdout."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class WebServer:
    """An MCP server at an address. Of Claude Code and Codex only."""

    url: str
    token: str


@dataclass(frozen=True)
class Wanted:
    """What a test wants of one run. `base` is `Model.base(...)`; `subscription`: Claude's OAuth token, no key."""

    base: str
    home: Path
    prompt: str = "Do the work."
    model: str = ""
    mcp: Mapping[str, Server] = field(default_factory=dict)
    web: Mapping[str, WebServer] = field(default_factory=dict)
    retries: int = 1
    reply_seconds: int = 20
    subscription: bool = False
    extra: tuple[str, ...] = ()


@dataclass(frozen=True)
class Start:
    """One CLI process to start. `files` are relative to HOME.

    The prompt goes in by stdin: as an argument it ends at 128 kB, and opencode puts quotes around it.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    stdin: str
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """What a run came to. `code` is None when it was stopped."""

    code: int | None
    stdout: str
    stderr: str

    @property
    def stream(self) -> list[dict[str, Any]]:
        found = []
        for line in self.stdout.splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return [item for item in found if isinstance(item, dict)]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [item for item in self.stream if item.get("type") == kind]


def claude(cli: Installed, wanted: Wanted) -> Start:
    servers = {name: {"type": "stdio", **_plain(server)} for name, server in wanted.mcp.items()}
    for name, web in wanted.web.items():
        headers = {"Authorization": f"Bearer {web.token}"}
        servers[name] = {"type": "http", "url": web.url, "headers": headers}
    model = ("--model", wanted.model) if wanted.model else ()
    flags = ("--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions")
    tools = ("--strict-mcp-config", "--mcp-config", json.dumps({"mcpServers": servers}))
    key = {"CLAUDE_CODE_OAUTH_TOKEN": FAKE_KEY} if wanted.subscription else {"ANTHROPIC_API_KEY": FAKE_KEY}
    env = _env(cli, wanted) | key
    env |= {
        "ANTHROPIC_BASE_URL": wanted.base,
        "CLAUDE_CODE_MAX_RETRIES": str(wanted.retries),
        "API_TIMEOUT_MS": str(wanted.reply_seconds * 1000),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",  # else MCP tools hide behind a search tool
        "IS_SANDBOX": "1",  # else root may not skip permissions
    }
    return Start((str(cli.command), "-p", *flags, *tools, *model, *wanted.extra), env, wanted.prompt)


def codex(cli: Installed, wanted: Wanted) -> Start:
    top = {
        "model": wanted.model or "gpt-5.5",
        "model_provider": PROVIDER,
        "check_for_update_on_startup": False,
    }
    tables: dict[str, dict[str, Any]] = {
        "features": {"plugins": False},
        "analytics": {"enabled": False},
        f"model_providers.{PROVIDER}": {
            "name": PROVIDER,
            "base_url": f"{wanted.base}/v1",
            "env_key": "OPENAI_API_KEY",
            "wire_api": "responses",
            "request_max_retries": wanted.retries,
            "stream_max_retries": wanted.retries,
            "stream_idle_timeout_ms": wanted.reply_seconds * 1000,
        },
    }
    for name, server in wanted.mcp.items():
        tables[f"mcp_servers.{name}"] = {**_plain(server), "required": True}
    for name, web in wanted.web.items():
        tables[f"mcp_servers.{name}"] = {"url": web.url, "bearer_token_env_var": _TOKEN, "required": True}
    argv = ("exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
    env = _env(cli, wanted) | {"OPENAI_API_KEY": FAKE_KEY}
    for web in wanted.web.values():
        env[_TOKEN] = web.token
    return Start(
        (str(cli.command), *argv, *wanted.extra, "-"),
        env,
        wanted.prompt,
        {".codex/config.toml": _toml(top, tables)},
    )


def gemini(cli: Installed, wanted: Wanted) -> Start:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "maxAttempts": wanted.retries + 1,
        },
        "telemetry": {"enabled": False},
        "mcpServers": {name: {**_plain(server), "trust": True} for name, server in wanted.mcp.items()},
    }
    env = _env(cli, wanted) | {
        "GEMINI_API_KEY": FAKE_KEY,
        "GOOGLE_GEMINI_BASE_URL": wanted.base,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }
    flags = ("--yolo", "-o", "stream-json", "-m", wanted.model or "gemini-2.5-flash")
    argv = (str(cli.command), *flags, *wanted.extra)
    return Start(argv, env, wanted.prompt, {".gemini/settings.json": json.dumps(settings)})


def opencode(cli: Installed, wanted: Wanted) -> Start:
    model = wanted.model or "scripted-model"
    config = {
        "model": f"{PROVIDER}/{model}",
        "autoupdate": False,
        "share": "disabled",
        "permission": {"*": "allow"},
        "provider": {
            PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "name": PROVIDER,
                "options": {
                    "baseURL": f"{wanted.base}/v1",
                    "apiKey": FAKE_KEY,
                    "timeout": wanted.reply_seconds * 1000,
                },
                "models": {model: {"name": model, "limit": {"context": 200000, "output": 8000}}},
            }
        },
        "mcp": {
            name: {
                "type": "local",
                "command": [server.command, *server.args],
                "enabled": True,
                "environment": dict(server.env),
            }
            for name, server in wanted.mcp.items()
        },
    }
    env = _env(cli, wanted) | {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "npm_config_offline": "true",
    }
    argv = (str(cli.command), "run", "--format", "json", *wanted.extra)
    return Start(argv, env, wanted.prompt, {".config/opencode/opencode.json": json.dumps(config)})


STARTS: dict[str, Callable[[Installed, Wanted], Start]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
}


def run(start: Start, folder: Path, seconds: float, enough: Callable[[], bool] = lambda: False) -> Done:
    """Runs it in `folder`. It and its process group are killed at the limit, or at `enough()`."""
    prepare(start)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(start.stdin.encode())
        given.seek(0)
        process = subprocess.Popen(
            start.argv,
            cwd=folder,
            env=dict(start.env),
            stdin=given,  # a file ends; an open pipe costs Claude 3 s and hangs Codex
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        until = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < until and not enough():
            time.sleep(_POLL)
        code = process.poll()
        _kill(process)
        out.seek(0)
        err.seek(0)
        return Done(code, out.read().decode("utf-8", "replace"), err.read().decode("utf-8", "replace"))


def prepare(start: Start) -> None:
    for name, text in start.files.items():
        file = Path(start.env["HOME"]) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The group too: a launcher may be gone while what it launched is not."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        until = time.monotonic() + 2
        while time.monotonic() < until and process.poll() is None:
            time.sleep(_POLL)


def _env(cli: Installed, wanted: Wanted) -> dict[str, str]:
    temporary = wanted.home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(wanted.home),
        "TMPDIR": str(temporary),  # Gemini leaves error reports there, Claude sockets
        "PATH": f"{cli.node}{os.pathsep}{SYSTEM_PATH}",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "TZ": "UTC",
    }


def _plain(server: Server) -> dict[str, Any]:
    return {"command": server.command, "args": list(server.args), "env": dict(server.env)}


def _toml(top: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [f"{key} = {_value(value)}" for key, value in top.items()]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """JSON is TOML for texts, numbers, booleans and lists; a mapping is written inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_value(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)
