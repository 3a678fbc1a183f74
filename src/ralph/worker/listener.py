"""What the driver tells an engine, on its way into the run's inbox."""

from __future__ import annotations

import os
import signal
import threading

import msgspec

from ralph.core.fleet.model import CompletedTask, PersonMessage
from ralph.journal import inbox
from ralph.runner.requests import WAKE
from ralph.worker import links

PATIENCE = 5.0  # seconds that the end of an iteration waits for what people may have said


class Listener(threading.Thread):
    """Puts what the driver says into the run's inbox. Ends the process when the driver is gone."""

    def __init__(self, fd: int, run: str) -> None:
        super().__init__(daemon=True)
        self._fd = fd
        self._run_id = run
        self._inbox = ""
        self._early: list[tuple[dict[str, object], str]] = []
        self._lock = threading.Lock()
        self._heard = threading.Event()
        self._claims: set[str] = set()  # names of messages

    def ask(self, writer: links.LineWriter) -> None:
        """Returns when the inbox has what people have said until now, or when the server takes too long."""
        self._heard.clear()
        writer.send(links.AsksPeople())
        self._heard.wait(PATIENCE)

    def attend(self, inbox_dir: str) -> None:
        """From now on there is a run that reads it."""
        with self._lock:
            self._inbox = inbox_dir
            for message, name in self._early:
                inbox.put(inbox_dir, message, name)
            self._early = []

    def run(self) -> None:
        with open(self._fd, "rb") as lines:
            for line in lines:
                self._take(links.decode_to_engine(line))
        os.kill(os.getpid(), signal.SIGKILL)

    def _take(self, told: links.ToEngine) -> None:
        match told:
            case links.PeopleSaid():
                for message in told.messages:
                    self.put(self.request_of(message), message.name)
            case links.PeopleHeard():
                self._heard.set()
            case links.EndLoop():
                self.put({"kind": "stop", "how": told.how, "by": "the worker drains"})
            case links.HoldAgent():
                self.put(self._hold(told.hold))

    def _hold(self, hold: bool) -> dict[str, object]:
        kind = "pause" if hold else "continue"
        return {"kind": kind, "run": self._run_id, "now": True, "by": links.OUT_OF_REACH}

    def request_of(self, message: PersonMessage) -> dict[str, object]:
        if message.kind == "complete":
            self._claims.add(message.name)
        return as_request(message, self._run_id)

    def vouches(self, name: str) -> bool:
        """The server has checked who claims. Another that puts such a message into the inbox is not heard."""
        return name in self._claims

    def put(self, message: dict[str, object], name: str = "") -> None:
        with self._lock:
            if not self._inbox:
                self._early.append((message, name))
                return
            inbox.put(self._inbox, message, name)
        os.kill(os.getpid(), WAKE)


def as_request(message: PersonMessage, run: str) -> dict[str, object]:
    """As the commands put it: `ralph say`, `stop`, `answer`, `pause`, `continue`; a claim as the tool `ralph-complete` does."""
    said: dict[str, object] = {"kind": message.kind, "by": message.author}
    match message.kind:
        case "say" | "answer":
            return {**said, "text": message.body}
        case "accept":
            return {**said, "kind": "answer", "text": message.body or "accepted"}
        case "stop":
            return {**said, "how": "graceful", "by": message.author or "a person"}
        case "cancel":
            return {**said, "kind": "stop", "how": "cancel", "by": message.author or "a person"}
        case "pause" | "continue":
            return {**said, "run": run}
        case "complete":
            try:
                done = msgspec.json.decode(message.body, type=CompletedTask)
            except msgspec.DecodeError:  # of another version: the run refuses what it does not know
                return said
            claim = {"summary": done.summary, "evidence": done.promise_evidence}
            return {**said, "kind": "claim", **claim, "artifacts": list(done.artifact_paths)}
    return said
