"""The worker's way to its server over HTTP. Standard library only: a worker needs no package that the core does not.

Connections are kept, one for each thread. Whatever goes wrong on the way is "unreachable": the protocol asks again.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

from ralph.core.fleet import requests as r
from ralph.core.fleet.model import Repository, WorkerRecord
from ralph.core.fleet.worker import CallFailure
from ralph.errors import RalphError
from ralph.worker.transport import Unreachable

WAIT = 28.0  # seconds that a claim may wait at the server
PATIENCE = 60.0  # seconds without a sign of the server
LARGEST = 512 << 20  # bytes of an answer
JSON, BYTES = "application/json", "application/octet-stream"
_REFUSALS = frozenset({404, 409, 413, 422})


class HttpClient:
    """`url` is that of the server, as people write it."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RalphError("this is no address of a server", where=url, todo="Like http://127.0.0.1:3013")
        self.url = url
        self._secure = ssl.create_default_context() if parts.scheme == "https" else None
        self._host, self._port = parts.hostname, parts.port or (443 if self._secure else 80)
        self._base = parts.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._own = threading.local()
        self._waiting: http.client.HTTPConnection | None = None  # for a task
        self._is_cut = False

    def ask(self, method: str, path: str, body: bytes | None = None, media: str = JSON) -> tuple[int, bytes]:
        """Once more on a new connection where a kept one turns out to be closed: nothing was answered on it."""
        kept = getattr(self._own, "connection", None)
        try:
            return self._try(kept or self._connect(), method, path, body, media)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
            if kept is None or self._is_cut:
                raise Unreachable(str(error))
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(str(error))
        try:
            return self._try(self._connect(), method, path, body, media)
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(str(error))

    def _connect(self) -> http.client.HTTPConnection:
        if self._secure is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=PATIENCE, context=self._secure)
        return http.client.HTTPConnection(self._host, self._port, timeout=PATIENCE)

    def _try(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, media: str
    ) -> tuple[int, bytes]:
        self._own.connection = None
        is_claim = path.startswith("/api/claims")
        headers = self._headers | ({} if body is None else {"Content-Type": media})
        try:
            connection.request(method, self._base + path, body, headers)
            if is_claim:
                self._waiting = connection
            answer = connection.getresponse()
            content = answer.read(LARGEST)
        except BaseException:
            connection.close()
            raise
        finally:
            if is_claim:
                self._waiting = None
        if answer.will_close or not answer.isclosed():
            connection.close()
        else:
            self._own.connection = connection
        return answer.status, content

    def cut(self) -> None:
        """A request that waits for a task fails now, and is not repeated here."""
        self._is_cut = True
        waiting = self._waiting
        if waiting is not None and waiting.sock is not None:
            with suppress(OSError):
                waiting.sock.shutdown(socket.SHUT_RDWR)


class HttpTransport:
    def __init__(self, client: HttpClient) -> None:
        self._client = client
        self._wait = WAIT

    # -- the protocol

    def send(self, request: r.WorkerRequest) -> r.WorkerAnswer | CallFailure:
        method, path, body, answer = _as_http(request, self._wait)
        try:
            media = BYTES if isinstance(request, r.BlobUpload) else JSON
            status, content = self._client.ask(method, path, body, media)
        except Unreachable:
            return CallFailure("unreachable")
        if status in (401, 403):
            return CallFailure("unauthorised")
        try:
            if status == 200:
                return msgspec.json.decode(content, type=answer)  # type: ignore[no-any-return]
            if status in _REFUSALS:
                return _refusal(content)
        except msgspec.DecodeError:
            pass  # of a proxy, perhaps
        return CallFailure("unreachable")

    def blob(self, hash: str) -> bytes | None:
        return self._read(f"/api/blobs/{quote(hash)}")

    def repository(self, name: str) -> Repository | None:
        content = self._read(f"/api/repositories/{quote(name, safe='')}")
        return None if content is None else msgspec.json.decode(content, type=Repository)

    def unmerged(self) -> Sequence[r.UnmergedTask]:
        content = self._read("/api/pull-requests")
        return msgspec.json.decode(content, type=r.UnmergedTasks).tasks if content is not None else ()

    def report_merged(self, task: r.UnmergedTask) -> None:
        body = msgspec.json.encode({"commit": task.commit})
        status, content = self._client.ask("POST", f"/api/tasks/{quote(task.task, safe='')}/merged", body)
        if status != 200:
            raise Unreachable(f"{status}: {detail_of(content)}")

    def register(self, record: WorkerRecord) -> float:
        """Says what this worker can do; the seconds of a lease. RalphError: the server is not there, or does not want it."""
        fields = ("name", "version", "phases", "labels", "repositories", "concurrency", "note")
        body = msgspec.json.encode({name: getattr(record, name) for name in fields})
        try:
            status, content = self._client.ask("POST", "/api/workers", body)
        except Unreachable as error:
            raise RalphError(f"the server does not answer: {error}", where=self._client.url, code=70)
        if status != 200:
            raise RalphError(
                f"the server refuses this worker: {detail_of(content) or status}",
                where=self._client.url,
                todo="Is RALPH_SERVER_TOKEN right? `ralph token add NAME --role worker` makes one.",
            )
        return float(msgspec.json.decode(content)["leaseSeconds"])

    def hurry(self) -> None:
        """Whether the claim was granted meanwhile is found out by its repetition, which does not wait."""
        self._wait = 0.0
        self._client.cut()

    def _read(self, path: str) -> bytes | None:
        status, content = self._client.ask("GET", path)
        if status == 404:
            return None
        if status != 200:
            raise Unreachable(f"{status}: {detail_of(content)}")
        return content


def _as_http(request: r.WorkerRequest, wait: float) -> tuple[str, str, bytes | None, Any]:
    """Method, path, body, and what is answered."""
    if isinstance(request, r.ClaimRequest):
        return "POST", f"/api/claims?wait={wait}", msgspec.json.encode(request), r.ClaimGrant
    task = f"/api/tasks/{quote(request.task, safe='')}"
    match request:
        case r.FactsRequest():
            return "GET", f"{task}/facts?after={request.after}", None, r.FactsPage
        case r.BlobUpload():
            fence = f"epoch={request.epoch}&worker={quote(request.worker, safe='')}"
            return "PUT", f"{task}/blobs/{request.hash}?{fence}", request.body, r.Accepted
        case r.Heartbeat():
            return "POST", f"{task}/heartbeat", _body(request), r.Accepted
        case r.FactBatch():
            return "POST", f"{task}/facts", _body(request), r.Accepted
        case r.Release():
            return "POST", f"{task}/release", _body(request), r.Accepted


def _body(request: msgspec.Struct) -> bytes:
    """Without the task, which is in the path."""
    fields = msgspec.to_builtins(request)
    del fields["task"]
    return msgspec.json.encode(fields)


class _Details(msgspec.Struct):
    detail: str = ""
    kind: r.RefusalKind | str = ""
    field: str = ""
    accepted: int = 0
    chain: str = ""
    missing: tuple[str, ...] = ()


def _refusal(content: bytes) -> r.Refusal | CallFailure:
    """A problem without a kind is not of the rules: a path that this server does not know, say."""
    said = msgspec.json.decode(content, type=_Details)
    if not said.kind:
        return CallFailure("unreachable")
    kind: Any = said.kind
    return r.Refusal(kind, said.detail, said.field, said.accepted, said.chain, said.missing)


def detail_of(content: bytes) -> str:
    """What is wrong, with the field where the words do not name it."""
    try:
        said = msgspec.json.decode(content, type=_Details)
    except msgspec.DecodeError:
        return ""
    return said.detail if not said.field or said.field in said.detail else f"{said.field}: {said.detail}"
