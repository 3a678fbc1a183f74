"""`ralph mcp`: lines in, lines out, until the client is gone. Nothing but the protocol reaches standard output."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

from ralph.mcp.caller import Caller
from ralph.mcp.protocol import KEPT, LINE_LIMIT, Session
from ralph.mcp.tools import Tools

HELP = """Usage: ralph mcp

Serve Ralph's tools to an agent: an MCP server on standard input and output, started by agent CLIs inside an iteration.
Outside one the tools are listed, and those that write are refused. RALPH_TOOLS, names with commas, narrows what is offered.

Example:
  ralph mcp
"""


def serve(arguments: list[str]) -> int:
    if "--help" in arguments or "-h" in arguments:
        print(HELP, end="")
        return 0
    if arguments:
        _complain(f"unknown argument {arguments[0]!r}; see `ralph mcp --help`")
        return 2
    if os.isatty(0):
        _complain("speaks MCP, one JSON message a line; agents start it. Ctrl-D ends it.")
    tools = Tools(Caller(os.environ, os.getcwd()), os.environ)
    for name in tools.strange:
        _complain(f"RALPH_TOOLS names {name!r}, which is no tool")
    out = os.dup(1)
    os.dup2(2, 1)  # what anything else prints must not reach the client
    try:
        return Loop(out, Session(tools, _complain)).run()
    except OSError as error:
        _complain(f"the answer cannot be written: {error.strerror}")
        return 70


class Loop:
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
        except (ConnectionError, _Asked):  # nobody listens any more
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
