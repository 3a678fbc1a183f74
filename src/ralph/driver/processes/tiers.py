"""The ways to own a process tree, best first, and which of them work on this machine.

tier     after kill -9 of Ralph    a daemon that forks away    when guard and keeper are killed too
cgroup   nothing survives          found and killed            swept at resume
pidns    nothing survives          found and killed            killed by the kernel
reaper   nothing survives          found and killed            swept at resume, unless it cleared its environment
group    its process group dies    escapes                     survives

`group` is for systems other than Linux.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from ralph.driver.processes.owned import Ended
from ralph.driver.processes.ownership import Ownership
from ralph.errors import RalphError

TIERS = ("cgroup", "pidns", "reaper", "group")

_probed: dict[str, str] = {}


def available() -> dict[str, str]:
    """Each tier with "" if it works here, else why not. Found out by doing it, once."""
    return {tier: _why_not(tier) for tier in TIERS}


def choose(wanted: str = "") -> str:
    """The best tier that works here, or the wanted one if it does."""
    if wanted and wanted not in TIERS:
        raise RalphError(f"unknown tier {wanted!r}", todo=f"The tiers are {', '.join(TIERS)}.")
    if wanted and (reason := _why_not(wanted)):
        raise RalphError(
            f"the tier {wanted} does not work here: {reason}", todo="`ralph doctor` lists those that do."
        )
    for tier in (wanted,) if wanted else TIERS:
        if not _why_not(tier):
            return tier
    why = "; ".join(available().values())
    todo = "Run it where programs can be started; `ralph doctor` shows each way."
    raise RalphError(f"no program can be started here: {why}", todo=todo, code=70)


def _why_not(tier: str) -> str:
    if tier not in _probed:
        _probed[tier] = _probe(tier)
    return _probed[tier]


def _probe(tier: str) -> str:
    if sys.platform != "linux" and tier != "group":
        return "needs Linux"
    try:
        with tempfile.TemporaryDirectory(prefix="ralph-probe-") as folder:
            ended = _try(tier, Path(folder, "out"))
    except RalphError as e:
        return e.what.rpartition(": ")[2]
    except OSError as e:
        return e.strerror or str(e)
    return (
        ""
        if ended.code == 0 and not ended.trouble
        else f"a probe ended with {ended.code} {ended.trouble}".strip()
    )


def _try(tier: str, out: Path) -> Ended:
    ownership = Ownership(tier, f"probe-{os.getpid()}")
    try:
        owned = ownership.start("probe", ["/bin/sh", "-c", ":"], cwd=Path("/"), env={}, stdin=None, out=out)
        while not owned.exited():
            owned.wait()
            owned.pump()
        return owned.close()
    finally:
        ownership.close(spare_keeper=True)  # for the run that follows
