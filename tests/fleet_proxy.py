"""An unreliable network between workers and a server: an HTTP proxy that cuts, delays and doubles requests while it has dice."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

Fate = Literal["forwarded", "lost", "unanswered", "delayed", "doubled"]
FATES: tuple[Fate, ...] = ("lost", "unanswered", "delayed", "doubled")
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date"}
LONGEST_DELAY = 3.0  # seconds
PATIENCE = 60.0


class FleetProxy(ThreadingHTTPServer):
    """Listens on a port of its own, which stays while the server behind it dies and comes back. `dice` decide for each request;
    None: all are forwarded. `share` of them have another fate."""

    daemon_threads = True

    def __init__(self, port: int, dice: random.Random | None = None, share: float = 0.2) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behind = port
        self.dice = dice
        self.share = share
        self.fates: Counter[Fate] = Counter()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self._drawing = threading.Lock()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def draw(self) -> tuple[Fate, float]:
        """What becomes of the next request, and how long that takes."""
        with self._drawing:
            fate: Fate = "forwarded"
            seconds = 0.0
            if self.dice is not None and self.dice.random() < self.share:
                fate, seconds = self.dice.choice(FATES), self.dice.uniform(0, LONGEST_DELAY)
            self.fates[fate] += 1
            return fate, seconds

    def handle_error(self, request: object, client_address: object) -> None:
        """Someone was killed in the middle of a request."""

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FleetProxy

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        fate, seconds = self.server.draw()
        if fate == "lost":
            self._cut()
            return
        if fate == "delayed":
            time.sleep(seconds)
        if fate == "doubled":
            threading.Thread(target=self._again, args=(body, seconds), daemon=True).start()
        try:
            status, headers, content = self._ask(body)
        except (OSError, http.client.HTTPException):
            self._cut()
            return
        if fate == "unanswered":
            self._cut()
            return
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = _pass

    def _ask(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=PATIENCE)
        try:
            connection.request(self.command, self.path, body or None, dict(self.headers))
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def _again(self, body: bytes, seconds: float) -> None:
        """The same request once more, late: no one hears its answer."""
        time.sleep(seconds)
        with suppress(OSError, http.client.HTTPException):
            self._ask(body)

    def _cut(self) -> None:
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass
