"""Named points at which a test can kill Ralph or make the disk fail. Without RALPH_FAULT they do nothing.

RALPH_FAULT=kill@N       SIGKILL at the N-th fault point passed
RALPH_FAULT=kill@NAME#N  at the N-th fault point of this name
RALPH_FAULT=ENOSPC@N     OSError(ENOSPC) at the N-th fault point that writes (also EIO, also by name)
RALPH_FAULT=count:FILE   append each fault point's name to FILE, so that a harness knows how many there are
"""

from __future__ import annotations

import errno
import os
import signal

_spec = os.environ.get("RALPH_FAULT", "")
_passed = 0


def fault_point(name: str, *, writes: bool = False) -> None:
    if _spec:
        _act(name, writes)


def _act(name: str, writes: bool) -> None:
    global _passed
    if _spec.startswith("count:"):
        with open(_spec[6:], "a") as f:
            f.write(f"{name}{' w' if writes else ''}\n")
        return
    what, _, at = _spec.partition("@")
    if what != "kill" and not writes:
        return
    wanted, _, turn = at.rpartition("#")
    if wanted not in ("", name):
        return
    _passed += 1
    if _passed != int(turn):
        return
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    raise OSError(getattr(errno, what), os.strerror(getattr(errno, what)), name)
