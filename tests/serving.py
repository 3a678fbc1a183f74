"""A real `ralph serve`, as a process of its own, and a plain client for it."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

RALPH = Path(sys.executable).with_name("ralph")
PATIENCE = 60.0


class Answered(msgspec.Struct):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class Served:
    def __init__(self, process: subprocess.Popen[str], said: str) -> None:
        self.process = process
        self.said = said
        host, port = re.search(r"server: https?://([\d.]+):(\d+)", said).groups()  # type: ignore[union-attr]
        self.host, self.port = host, int(port)
        self.url = f"http://{host}:{port}"
        found = re.search(r"RALPH_SERVER_TOKEN=(\S+)", said)
        self.token = found[1] if found else ""

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, **headers: str
    ) -> Answered:
        """`body`: JSON, or bytes as they are. `token`: "" sends none. Headers with _ for -."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        secret = self.token if token is None else token
        if secret:
            sent.setdefault("Authorization", f"Bearer {secret}")
        if body is not None and not isinstance(body, bytes):
            body = msgspec.json.encode(body)
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answered(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def stop(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)


def start(home: Path, *arguments: str, port: int = 0, cwd: Path | None = None) -> Served:
    home.mkdir(exist_ok=True)
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [RALPH, "serve", "--port", str(port), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        cwd=cwd or home,
    )
    said = ""
    assert process.stdout is not None
    for line in process.stdout:
        said += line
        if "-d '" in line:
            return Served(process, said)
    end(process)
    raise AssertionError(f"it did not start: {said}")


def end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
    process.communicate()


@contextmanager
def serving(home: Path, *arguments: str, cwd: Path | None = None) -> Iterator[Served]:
    served = start(home, *arguments, cwd=cwd)
    try:
        yield served
    finally:
        end(served.process)
