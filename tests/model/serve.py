"""The server: `python tests/model/serve.py --port 0 --ready FILE --log FILE`, or `Model` in a test's own process.

`/s/<scenario>/<run>/...` is a provider's base URL; `PUT /scenarios/<name>` registers a scenario.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import select
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar
from urllib.parse import urlsplit

if __name__ == "__main__":  # started as a file: the package is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from model import anthropic, gemini, openai_errors, tools
from model.anthropic import Anthropic
from model.chat import Chat
from model.gemini import Gemini
from model.log import Log, Logged, digest, masked, read
from model.responses import Responses
from model.script import BadScenario, Fault, Scenario, scenario, side_words
from model.wire import Ask, Json, Reply, Wire

LISTED_MODEL = "scripted-model"
_WIRES: tuple[tuple[str, str, Wire], ...] = (
    (r"/messages$", "anthropic", Anthropic()),
    (r"/responses$", "responses", Responses()),
    (r"/chat/completions$", "chat", Chat()),
    (r"/models/[^/]+:(stream)?[gG]enerateContent$", "gemini", Gemini()),
)
_RUN = re.compile(r"/s/(?P<scenario>[\w.-]+)/(?P<run>[\w.-]+)(?P<rest>/.*)?$")
_HANG_POLL = 0.2


class Model:
    """The scripted model on a port of 127.0.0.1, in threads of this process."""

    def __init__(self, log: Path, port: int = 0) -> None:
        self.log = Log(log)
        self.stopped = threading.Event()
        self._scenarios: dict[str, Scenario] = {}
        self._failed: Counter[tuple[str, str, int]] = Counter()
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = _Server(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def add(self, name: str, steps: Iterable[Json] = (), faults: Iterable[Json] = ()) -> None:
        """Registers a scenario; see `model.script.scenario` for its form."""
        self._scenarios[name] = scenario({"steps": list(steps), "faults": list(faults)})

    def base(self, name: str, run: str = "0") -> str:
        """The base URL to give to a CLI. `run` keeps apart what shares a scenario."""
        return f"{self.url}/s/{name}/{run}"

    def requests(self, name: str = "", run: str = "", side: bool = False) -> list[Logged]:
        """Model requests so far, in order; side calls only when asked for."""
        return [
            entry
            for entry in read(self.log.path)
            if entry.wire and entry.side <= side and name in ("", entry.scenario) and run in ("", entry.run)
        ]

    def scenario(self, name: str) -> Scenario | None:
        return self._scenarios.get(name)

    def fault(self, name: str, run: str, turn: int, side: bool = False) -> Fault | None:
        """The fault that is due, counted as given."""
        found = self._scenarios[name]
        with self._lock:
            for number, fault in enumerate(found.faults):
                key = (name, run, number)
                due = fault.turn in (-1, turn) and side <= fault.side
                if due and self._failed[key] < fault.times:
                    self._failed[key] += 1
                    return fault
        return None

    def close(self) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A CLI that was stopped drops its connection: that is no error of ours."""
        if not isinstance(
            sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1], ConnectionError
        ):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    model: ClassVar[Model]
    protocol_version = "HTTP/1.1"
    server_version = "scripted"
    sys_version = ""
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._note()
        rest = urlsplit(self.path).path
        if rest == "/":
            return self._json(200, {"scripted": True})
        if rest.endswith("/models"):
            if "/v1beta" in rest:
                return self._json(200, gemini.models(LISTED_MODEL))
            listed = anthropic if "anthropic-version" in self.headers else openai_errors
            return self._json(200, listed.models(LISTED_MODEL))
        return self._json(404, {"error": {"message": f"nothing at {rest}"}})

    def do_HEAD(self) -> None:
        self._note()
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_PUT(self) -> None:
        name = urlsplit(self.path).path.removeprefix("/scenarios/")
        try:
            data = json.loads(self._body())
            if not re.fullmatch(r"[\w.-]+", name) or not isinstance(data, dict):
                raise BadScenario("PUT /scenarios/<name> with a mapping")
            self.model.add(name, **data)
        except (ValueError, TypeError) as problem:
            return self._json(400, {"error": {"message": str(problem)}})
        return self._json(200, {"scenario": name})

    def do_POST(self) -> None:
        raw = self._body()
        path = urlsplit(self.path).path
        place = _RUN.match(path)
        known = place and self.model.scenario(place["scenario"])
        body = _parsed(raw)
        if not place or not known or body is None:
            why = (
                "no scenario of this name" if place and not known else "not /s/<scenario>/<run>/... with JSON"
            )
            self._note(raw, problem=why)
            return self._json(404, {"error": {"message": f"{path}: {why}"}})
        counted = {"/count_tokens": anthropic.count_tokens, ":countTokens": gemini.count_tokens}
        for ending, count in counted.items():
            if path.endswith(ending):
                self._note(raw)
                return self._json(200, count(body))
        for pattern, name, wire in _WIRES:
            if re.search(pattern, path):
                return self._answer(raw, name, wire, wire.read(body, path), known, place)
        self._note(raw, problem="nothing is served here")
        return self._json(404, {"error": {"message": f"nothing at {path}"}})

    def _answer(
        self, raw: bytes, name: str, wire: Wire, ask: Ask, known: Scenario, place: re.Match[str]
    ) -> None:
        turn = known.turn(ask.results, ask.said, ask.prompt)
        fault = self.model.fault(place["scenario"], place["run"], turn, ask.side)
        reply, problem = _reply(ask, known, turn, f"{place['scenario']}_{place['run']}_{turn}")
        self._note(
            raw,
            wire=name,
            model=ask.model,
            turn=turn,
            side=ask.side,
            fault=fault.name if fault else "",
            problem=problem,
            tools=[f"{t.namespace}__{t.name}" if t.namespace else t.name for t in ask.tools],
            prompt=ask.prompt,
            system=ask.system,
        )
        if fault and fault.name == "hang":
            return self._hang()
        if fault and fault.name != "cut":
            failure = wire.failure(ask, fault, int(time.time()))
            if failure.events:
                return self._stream(failure.events)
            return self._json(failure.status, failure.body, failure.headers)
        if problem:
            return self._json(400, {"error": {"message": problem, "type": "invalid_request_error"}})
        if ask.stream:
            return self._stream(wire.events(ask, reply), cut=fault is not None)
        return self._json(200, wire.whole(ask, reply), cut=fault is not None)

    def _stream(self, events: Sequence[bytes], cut: bool = False) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events[:1] if cut else events:
            self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        if cut:
            self._drop()
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _json(
        self, status: int, data: Json, headers: dict[str, str] | None = None, cut: bool = False
    ) -> None:
        content = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        if cut:
            self._drop()

    def _hang(self) -> None:
        """Says nothing until the client goes or the server ends."""
        while not self.model.stopped.is_set():
            ready, _, _ = select.select([self.connection], [], [], _HANG_POLL)
            if ready and not self.connection.recv(1, socket.MSG_PEEK):
                break
        self._drop()

    def _drop(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _note(self, raw: bytes = b"", **more: Any) -> None:
        path = re.sub(r"([?&]key=)[^&]+", r"\1***", self.path)
        place = _RUN.match(urlsplit(self.path).path)
        if place:
            more |= {"scenario": place["scenario"], "run": place["run"]}
        text = raw.decode("utf-8", "replace")
        headers = masked(dict(self.headers.items()))
        self.model.log.append(
            Logged(self.command, path, headers=headers, sha256=digest(raw), text=text, **more)
        )

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are in our own log."""


def _parsed(raw: bytes) -> Json | None:
    try:
        data = json.loads(raw)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _reply(ask: Ask, known: Scenario, turn: int, id: str) -> tuple[Reply, str]:
    if ask.side:
        return Reply(side_words(turn, ask.wants_words), id=id), ""
    step = known.step(turn)
    if not step.tool:
        return Reply(step.words, usage=step.usage, id=id, thought=step.thought), ""
    try:
        return Reply(step.words, tools.call(ask, step, id), step.usage, id, step.thought), ""
    except tools.NoTool as problem:
        return Reply("", id=id), str(problem)


def main() -> None:
    parser = argparse.ArgumentParser(prog="serve.py", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free port (default)")
    parser.add_argument("--ready", type=Path, required=True, help="gets the URL once the server answers")
    parser.add_argument("--log", type=Path, required=True, help="one JSON line a request")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Model(options.log, options.port) as model:
        part = options.ready.with_name(options.ready.name + ".part")
        part.write_text(model.url + "\n", "utf-8")
        part.rename(options.ready)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
