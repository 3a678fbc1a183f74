"""`ralph mcp`: an MCP server on standard input and output. `Session` is a function of lines, a JSON-RPC message in and its
answer out, without I/O; `McpLoop` reads and writes them.

Two eras: up to 2025-11-25 a client opens with `initialize`; from 2026-07-28 on every request says its version in `_meta`
and there is no session. A request is served by the rules it uses; which tools exist never depends on either.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator

from ralph import __version__
from ralph.agent_tools.commands import Given, agent_command
from ralph.agent_tools.mcp_tools import McpTools, UnknownTool
from ralph.agent_tools.requests import Caller

HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # newest first
MODERN = ("2026-07-28",)
_BATCHES = ("2025-03-26",)  # the one revision that has them
LINE_LIMIT = 4 << 20  # bytes
KEPT = 4096  # bytes of each end of a line that is longer
_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_SERVER = {"name": "ralph", "version": __version__}
_CACHED = {
    "ttlMs": 3_600_000,
    "cacheScope": "private",
}  # what is offered is fixed for the life of this process

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED_VERSION = -32022

Message = dict[str, object]
Method = Callable[["Session", Message], Message]

# A request that is too long still waits for its answer. Its id is looked for where nothing is nested: before any object
# begins, or as the last member. Neither can be inside a text, where quotation marks are escaped.
_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,200}")'
_ID_FIRST = re.compile(rb'\s*\{\s*(?:"\w+"\s*:\s*"[^"\\]*"\s*,\s*)*' + _ID)
_ID_LAST = re.compile(_ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2.0"\s*)?\}\s*$')


class RpcError(Exception):
    def __init__(self, code: int, message: str, data: Message | None = None) -> None:
        self.error: Message = {"code": code, "message": message} | ({"data": data} if data else {})


class Session:
    def __init__(self, tools: McpTools, complain: Callable[[str], None]) -> None:
        self.tools = tools
        self.version = ""  # what the handshake agreed on, if there was one
        self._complain = complain

    def answer(self, line: bytes, cut: bool = False) -> bytes | None:
        """The answer's line without its end, or None where none is due."""
        if not line.strip():
            return None
        answer = self._too_long(line) if cut else self._message(line)
        return None if answer is None else json.dumps(answer, separators=(",", ":")).encode()

    def _message(self, line: bytes) -> Message | list[Message] | None:
        try:
            message = json.loads(line.decode())
        except (ValueError, RecursionError):
            return _error(None, RpcError(PARSE_ERROR, "Parse error: one JSON message a line, in UTF-8"))
        if not isinstance(message, list):
            return self._one(message)
        if self.version not in _BATCHES or not message:
            return _error(
                None, RpcError(INVALID_REQUEST, "Invalid request: a batch; send one message a line")
            )
        return [answer for one in message if (answer := self._one(one, batched=True))] or None

    def _too_long(self, line: bytes) -> Message:
        found = _ID_FIRST.match(line[:KEPT]) or _ID_LAST.search(line[-KEPT:])
        what = f"Invalid request: a line of more than {LINE_LIMIT} bytes; send less"
        return _error(json.loads(found[1]) if found else None, RpcError(INVALID_REQUEST, what))

    def _one(self, message: object, *, batched: bool = False) -> Message | None:
        if not isinstance(message, dict):
            return _error(None, RpcError(INVALID_REQUEST, "Invalid request: not an object"))
        method, id, params = message.get("method"), message.get("id"), message.get("params", {})
        if "method" not in message and ("result" in message or "error" in message):
            return None  # an answer, though nothing was asked
        if "id" not in message and isinstance(method, str):
            return None  # initialized, cancelled (whatever was asked is done by now) and all others
        if not isinstance(id, int | str) or isinstance(id, bool):
            return _error(
                None, RpcError(INVALID_REQUEST, "Invalid request: the id must be a string or an integer")
            )
        try:
            if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
                raise RpcError(INVALID_REQUEST, 'Invalid request: it needs "jsonrpc": "2.0" and a method')
            if not isinstance(params, dict):
                raise RpcError(INVALID_PARAMS, "Invalid params: not an object")
            if batched and method == "initialize":
                raise RpcError(INVALID_REQUEST, "Invalid request: initialize in a batch")
            return {"jsonrpc": "2.0", "id": id, "result": self._result(method, params)}
        except RpcError as fault:
            return _error(id, fault)
        except Exception as error:  # the server survives its own faults
            self._complain(f"internal error in {method}: {type(error).__name__}: {error}")
            return _error(id, RpcError(INTERNAL, f"Internal error: {type(error).__name__}"))

    def _result(self, method: str, params: Message) -> Message:
        meta = params.get("_meta")
        speaks = isinstance(meta, dict) and _VERSION in meta
        if method == "initialize" or not (speaks or method == "server/discover"):
            return _method(_LEGACY, method)(self, params)
        _check_meta(meta if isinstance(meta, dict) else {})
        result = _method(_MODERN, method)(self, params)
        return {"resultType": "complete", **result, "_meta": {"io.modelcontextprotocol/serverInfo": _SERVER}}

    # -- methods -----------------------------------------------------------------------------------

    def initialize(self, params: Message) -> Message:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise RpcError(
                INVALID_PARAMS, "Invalid params: no protocolVersion", {"supported": list(HANDSHAKE)}
            )
        self.version = wanted if wanted in HANDSHAKE else HANDSHAKE[0]
        return {"protocolVersion": self.version, "serverInfo": _SERVER, **self._offer()}

    def discover(self, params: Message) -> Message:
        return {"supportedVersions": [*MODERN, *HANDSHAKE], **self._offer(), **_CACHED}

    def ping(self, params: Message) -> Message:
        return {}

    def list_tools(self, params: Message) -> Message:
        if params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "Invalid params: there is no such cursor; the list has one page")
        return {"tools": self.tools.listed()}

    def list_tools_cached(self, params: Message) -> Message:
        return {**self.list_tools(params), **_CACHED}

    def call_tool(self, params: Message) -> Message:
        name, arguments = params.get("name"), params.get("arguments")
        if arguments is None:
            arguments = {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, "Invalid params: a call needs a name, and arguments as an object")
        try:
            text, wrong = self.tools.call(name, arguments)
        except UnknownTool:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name[:100]}") from None
        return {"content": [{"type": "text", "text": text}], "isError": wrong}

    def _offer(self) -> Message:
        caller = self.tools.caller
        about = (
            f"Tools of the loop that runs you. Where a tool wants a taskId, it is {caller.task}."
            if caller.inside
            else "No iteration of Ralph runs here, so the tools that write are refused."
        )
        return {"capabilities": {"tools": {}}, "instructions": about}


_LEGACY: dict[str, Method] = {
    "initialize": Session.initialize,
    "ping": Session.ping,
    "tools/list": Session.list_tools,
    "tools/call": Session.call_tool,
}
_MODERN: dict[str, Method] = {
    "server/discover": Session.discover,
    "tools/list": Session.list_tools_cached,
    "tools/call": Session.call_tool,
}


def _method(table: dict[str, Method], name: str) -> Method:
    if name not in table:
        raise RpcError(NO_METHOD, f"Method not found: {name[:100]}")
    return table[name]


def _check_meta(meta: Message) -> None:
    wanted = meta.get(_VERSION)
    if not isinstance(wanted, str) or not isinstance(meta.get(_CAPABILITIES), dict):
        raise RpcError(INVALID_PARAMS, f"Invalid params: _meta needs {_VERSION} and {_CAPABILITIES}")
    if wanted not in MODERN:
        supported: Message = {"supported": [*MODERN, *HANDSHAKE], "requested": wanted[:100]}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)


def _error(id: object, fault: RpcError) -> Message:
    return {"jsonrpc": "2.0", "id": id, "error": fault.error}


@agent_command(
    "mcp",
    """Serve Ralph's tools to an agent: an MCP server on standard input and output, started by agent CLIs inside an iteration.
Outside one the tools are listed, and those that write are refused. RALPH_TOOLS, names with commas, narrows what is offered.""",
    "ralph mcp",
)
def _mcp(given: Given) -> int:
    if os.isatty(0):
        _complain("speaks MCP, one JSON message a line; agents start it. Ctrl-D ends it.")
    tools = McpTools(Caller(os.environ, os.getcwd()), os.environ)
    for name in tools.strange:
        _complain(f"RALPH_TOOLS names {name!r}, which is no tool")
    out = os.dup(1)
    os.dup2(2, 1)  # what anything else prints must not reach the client
    try:
        return McpLoop(out, Session(tools, _complain)).run()
    except OSError as error:
        _complain(f"the answer cannot be written: {error.strerror}")
        return 70


class McpLoop:
    """Asked to end (SIGTERM, SIGINT), it ends at once while it waits, else after the answer that is due."""

    def __init__(self, out: int, session: Session) -> None:
        self._out = out
        self._session = session
        self._busy = False
        self._asked = False

    def run(self) -> int:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        try:
            for line, cut in lines(0):
                self._busy = True
                answer = self._session.answer(line, cut)
                if answer is not None:
                    self._write(answer + b"\n")
                self._busy = False
                if self._asked:
                    break
        except (ConnectionError, _Asked):  # no one listens any more
            pass
        return 0

    def _on_signal(self, *_: object) -> None:
        asked, self._asked = self._asked, True
        if asked or not self._busy:  # asked twice: even if the client does not read its answer
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)  # a third must not hit the interpreter as it ends
            raise _Asked

    def _write(self, raw: bytes) -> None:
        while raw:
            raw = raw[os.write(self._out, raw) :]


class _Asked(BaseException):
    """To end."""


def lines(fd: int) -> Iterator[tuple[bytes, bool]]:
    """Each line without its end, and whether it was too long: then its middle is missing."""
    held, cut = bytearray(), False
    while chunk := _read(fd):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            held += chunk[start:end]
            yield _both_ends(held) if cut else bytes(held), cut
            held.clear()
            start, cut = end + 1, False
        held += chunk[start:]
        if len(held) > LINE_LIMIT:
            cut = True
            held[:] = _both_ends(held)
    if held:
        yield _both_ends(held) if cut else bytes(held), cut


def _both_ends(line: bytearray) -> bytes:
    return bytes(line[:KEPT] + line[-KEPT:])


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 1 << 16)
    except OSError:  # a terminal or socket that is gone says so in its own way
        return b""


def _complain(text: str) -> None:
    try:
        print(f"ralph mcp: {text}", file=sys.stderr, flush=True)
    except OSError:
        pass
