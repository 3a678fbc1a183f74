"""A person's way to a server: which one, with which token, and its errors as plain lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import msgspec

from ralph.errors import RalphError
from ralph.journal.store import write_atomically
from ralph.worker.http import HttpClient, detail_of
from ralph.worker.transport import Unreachable

server_option = click.option(
    "--server", default="", envvar="RALPH_SERVER", help="The server. Default: the last one you logged in to."
)


class Logins(msgspec.Struct):
    """~/.config/ralph/servers.json, which only its owner can read."""

    last: str = ""
    tokens: dict[str, str] = {}


def logins_file() -> Path:
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(config) / "ralph" / "servers.json"


def read_logins() -> Logins:
    try:
        return msgspec.json.decode(logins_file().read_bytes(), type=Logins)
    except FileNotFoundError:
        return Logins()
    except (OSError, msgspec.DecodeError) as error:
        raise RalphError(
            f"cannot be read: {error}", where=str(logins_file()), todo="`ralph login URL` rewrites it."
        )


def write_logins(logins: Logins) -> None:
    file = logins_file()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    before = os.umask(0o077)
    try:
        write_atomically(file, msgspec.json.encode(logins))
    finally:
        os.umask(before)


class PeopleClient:
    def __init__(self, server: str) -> None:
        logins = read_logins()
        self.url = (server or logins.last).rstrip("/")
        if not self.url:
            raise RalphError("which server?", todo="`ralph login URL`, or --server URL, or RALPH_SERVER.")
        token = os.environ.get("RALPH_SERVER_TOKEN") or logins.tokens.get(self.url, "")
        self._http = HttpClient(self.url, token)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What is answered, decoded. RalphError: what the server has against it."""
        status, content = self._send(method, path, None if body is None else msgspec.json.encode(body))
        if status == 401:
            raise RalphError(detail_of(content), where=self.url, todo="`ralph login URL` stores a token.")
        if status >= 300:
            raise RalphError(
                detail_of(content) or f"status {status}",
                where=self.url,
                todo=_todo(method, status),
                code=2 if status < 500 else 70,
            )
        return msgspec.json.decode(content)

    def blob(self, hash: str) -> bytes | None:
        """Stored content; None: the server does not have it."""
        status, content = self._send("GET", f"/api/blobs/{hash}")
        return content if status == 200 else None

    def _send(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        try:
            return self._http.ask(method, path, body)
        except Unreachable as error:
            raise RalphError(
                f"the server does not answer: {error}",
                where=self.url,
                todo="`ralph serve` starts one.",
                code=70,
            )


def _todo(method: str, status: int) -> str:
    if status >= 500:
        return "Try again; the server's log says more."
    return "`ralph task list --server URL` lists its tasks." if method == "GET" else "Nothing was changed."
