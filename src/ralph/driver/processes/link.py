"""Ralph's end of the keeper: start it, hand it requests, end it. Nothing else in Ralph starts agents or gates."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ralph.driver.processes.keeper import cgroup, wire

_HOME = Path(__file__).parent
_BOOT = "import sys; sys.path.append(sys.argv[1]); from keeper.serve import main; main()"
_PATIENCE = 30.0

_spares: dict[str, Keeper] = {}


class Keeper:
    """One small process beside Ralph. It ends when the socket does, so also when Ralph is killed."""

    def __init__(self, tier: str, places: str = "") -> None:
        if tier == "cgroup" and not places:
            places = f"{cgroup.own_place()}/ralph-{os.urandom(6).hex()}."
        self.places = places  # how the paths of its cgroups begin; never used twice
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._socket.settimeout(_PATIENCE)
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, os.fspath(_HOME), tier, places],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # Ctrl-C is for Ralph
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, request: wire.Request, fds: Sequence[int]) -> None:
        data = memoryview(wire.pack(request))
        sent = socket.send_fds(self._socket, [data], fds)
        self._socket.sendall(data[sent:])

    def close(self) -> None:
        self._socket.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def take(tier: str) -> Keeper:
    """A keeper for this tier: the spare one, whose start-up has been paid for, or a new one."""
    return _spares.pop(tier, None) or Keeper(tier)


def spare(tier: str, keeper: Keeper) -> None:
    """Keeps it for who takes the next one; it ends with Ralph in any case."""
    if tier in _spares or not keeper.alive():
        keeper.close()
    else:
        _spares[tier] = keeper


@atexit.register
def _close_spares() -> None:
    while _spares:
        _spares.popitem()[1].close()
