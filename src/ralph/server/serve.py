"""`ralph serve` from its options to a listening process: the store, the first token, uvicorn."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import msgspec
import uvicorn

from ralph.core.fleet.model import FleetSettings, Role
from ralph.core.fleet.store import FleetStore, FleetTransaction
from ralph.errors import RalphError
from ralph.server.http.app import Door, create_app
from ralph.server.http.manage import new_token
from ralph.server.http.mcp_tools import McpDoor
from ralph.server.service import FleetService
from ralph.server.stores import default_db, open_store
from ralph.text import is_loopback

PORT = 3013
LOCAL, LANDER = "local", "local-lander"  # the children of --worker
GRACE = 10  # seconds for requests that are under way when the server is told to end


class ServeOptions(msgspec.Struct, frozen=True, kw_only=True):
    host: str = "127.0.0.1"
    port: int = PORT
    db: str = ""
    no_auth: bool = False
    tls_cert: str = ""
    tls_key: str = ""
    lease_seconds: float = 120.0
    worker: bool = False


def check(options: ServeOptions) -> None:
    if options.no_auth and not is_loopback(options.host):
        raise RalphError(
            f"--no-auth on {options.host}: anyone who reaches it could run agents here",
            todo="Leave out --no-auth, or listen on 127.0.0.1.",
        )
    if bool(options.tls_cert) != bool(options.tls_key):
        raise RalphError("TLS needs both --tls-cert and --tls-key")
    for name in filter(None, (options.tls_cert, options.tls_key)):
        if not Path(name).is_file():
            raise RalphError("there is no such file", where=name)


def serve(options: ServeOptions, say: Callable[[str], None]) -> int:
    """Until SIGTERM or Ctrl-C. `say` prints a line for the person who started it."""
    check(options)
    db = options.db or str(default_db())
    if not options.db:
        Path(db).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    listening = _listen(options)
    try:
        store = open_store(db)
        try:
            service = FleetService(store, FleetSettings(lease_ms=int(options.lease_seconds * 1000)))
            children = _start_children(options, service, listening) if options.worker else ()
            introduce = partial(_introduce, options, listening, store, db, say)
            try:
                return asyncio.run(_run(options, service, listening, introduce, children))
            finally:
                for child in children:
                    if child.poll() is None:
                        child.kill()
                        child.wait()
        finally:
            store.close()
    finally:
        listening.close()


def _listen(options: ServeOptions) -> socket.socket:
    """Before anything is opened or said: a port that is taken is a plain error."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # With the protocol named, asyncio sends each part of an answer at once (TCP_NODELAY), not 40 ms later.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host, options.port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise RalphError(
            f"cannot listen on {options.host}:{options.port}: {error.strerror or error}",
            todo="Another server may be there: `ralph serve --port 3014`.",
        )
    return listening


def _introduce(
    options: ServeOptions, listening: socket.socket, store: FleetStore, db: str, say: Callable[[str], None]
) -> None:
    url = _url(options, listening)
    say(f"Ralph's server: {url}   database: {_shown(db)}")
    secret = "" if options.no_auth else _first_token(store)
    bearer = ' -H "Authorization: Bearer $RALPH_SERVER_TOKEN"'
    if secret:
        say(
            f"\nThe first token, for an admin. It is shown once; keep it:\n  export RALPH_SERVER_TOKEN={secret}"
        )
    elif options.no_auth:
        bearer = ""
        say("Everyone on this machine may use it (--no-auth).")
    if not is_loopback(options.host) and not options.tls_cert:
        say("warning: no TLS: tokens and work travel in the clear. Use --tls-cert and --tls-key, or a proxy.")
    if options.worker:
        say(f"\nThe worker `{LOCAL}` works here, in {Path.cwd()}, with the rights of `ralph run`.")
        say(f"`{LANDER}` puts what is proven onto the targets of repositories.")
    else:
        say(f"\nStart a worker:\n  ralph worker --server {url}")
    say("\nAdd a task:")
    say(f"  curl -X POST {url}/api/tasks{bearer} \\")
    say('    -H "Content-Type: application/json" \\')
    say("""    -d '{"task": "Make the tests pass", "ralphPromise": "all tests pass"}'""")


def _url(options: ServeOptions, listening: socket.socket) -> str:
    scheme = "https" if options.tls_cert else "http"
    host = f"[{options.host}]" if ":" in options.host else options.host
    return f"{scheme}://{host}:{listening.getsockname()[1]}"


def _shown(db: str) -> str:
    """Without a password."""
    if "://" not in db:
        return db
    scheme, _, rest = db.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _first_token(store: FleetStore) -> str:
    def has_admin(tx: FleetTransaction) -> bool:
        return any(token.role == "admin" for token in tx.tokens())

    def rule(tx: FleetTransaction) -> str:
        tx.lock_needs()  # two processes that start at once make one token
        return "" if has_admin(tx) else new_token(tx, "admin", "admin")[0]

    return "" if store.read(has_admin) else store.run(rule)


Children = tuple[subprocess.Popen[bytes], ...]


def _start_children(options: ServeOptions, service: FleetService, listening: socket.socket) -> Children:
    """One that works, one that lands."""
    url = _url(options, listening)
    return (
        _start_child(options, service, LOCAL, "worker", ("--server", url, "--workdir", ".")),
        _start_child(options, service, LANDER, "lander", ("--server", url, "--land")),
    )


def _start_child(
    options: ServeOptions, service: FleetService, name: str, role: Role, how: tuple[str, ...]
) -> subprocess.Popen[bytes]:
    """In a session of its own: Ctrl-C is for the server, which lets it give its task back first. Its token lives as long as
    this process, and is in no database."""
    secret = "" if options.no_auth else service.lend_token(name, role)
    command = ["worker", "--name", name, *how]
    environment = {**os.environ, **({"RALPH_SERVER_TOKEN": secret} if secret else {})}
    return subprocess.Popen(
        [sys.executable, "-m", "ralph", *command],
        env=environment,
        start_new_session=True,
        preexec_fn=die_with_parent if sys.platform == "linux" else None,
    )


def die_with_parent() -> None:
    """For the child of a process that may be killed itself."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: without its server it can do nothing


class _Server(uvicorn.Server):
    """Answers long polls and listeners as soon as it is told to end; and goes on until its own children have given their
    tasks back."""

    def __init__(self, config: uvicorn.Config, service: FleetService, children: Children) -> None:
        super().__init__(config)
        self._service = service
        self._children = children
        self._signals = 0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A second signal ends what its children do at once, a third does not wait for anything."""
        self._signals += 1
        alive = [child for child in self._children if child.poll() is None]
        if alive and self._signals < 3:
            for child in alive:
                child.terminate()
        else:
            self._end()

    def _end(self) -> None:
        self._service.end_waits()
        self.force_exit = self.should_exit
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        over = all(child.poll() is not None for child in self._children)
        if self._signals and self._children and over and not self.should_exit:
            self._end()
        return await super().on_tick(counter)


async def _run(
    options: ServeOptions,
    service: FleetService,
    listening: socket.socket,
    introduce: Callable[[], None],
    children: Children,
) -> int:
    door = Door(service, no_auth=options.no_auth)
    mcp = McpDoor(service, door.who)
    config = uvicorn.Config(
        create_app(door, mcp),
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=options.tls_cert or None,
        ssl_keyfile=options.tls_key or None,
    )
    await service.start()
    try:
        introduce()
        server = _Server(config, service, children)
        async with mcp.manager.run():
            await server.serve(sockets=[listening])
    finally:
        await service.stop()
    return 0
