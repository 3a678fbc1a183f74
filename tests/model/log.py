"""The record of every request: one JSON line each, whole bodies, no secrets."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SECRET_HEADERS = ("authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie", "proxy-authorization")


@dataclass(frozen=True)
class Logged:
    """One request. `side`: a title or summary, no turn of the work. `fault`: the answer, where not the script's."""

    method: str
    path: str
    scenario: str = ""
    run: str = ""
    wire: str = ""
    model: str = ""
    turn: int = -1
    side: bool = False
    fault: str = ""
    problem: str = ""
    tools: list[str] = field(default_factory=list)
    prompt: str = ""
    system: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    sha256: str = ""
    text: str = ""

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found


class Log:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        path.touch()

    def append(self, entry: Logged) -> None:
        line = json.dumps(asdict(entry)) + "\n"
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(line)


def read(path: Path) -> list[Logged]:
    lines = path.read_text("utf-8").splitlines(keepends=True)
    return [Logged(**json.loads(line)) for line in lines if line.endswith("\n")]


def masked(headers: Mapping[str, str]) -> dict[str, str]:
    """Secrets become a hash: a test can tell which key was sent, and the log gives none away."""
    return {
        name.lower(): digest(value.encode()) if name.lower() in SECRET_HEADERS else value
        for name, value in headers.items()
    }


def digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()
