"""What the tests of owned processes share. The search for survivors knows nothing of how they are owned."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from ralph.processes import ownership as processes
from ralph.processes.capture import Line
from ralph.processes.owned_process import Ended, OwnedProcess
from ralph.processes.ownership import Ownership

PATH = os.environ.get("PATH", os.defpath)
DEADLINE = 30.0

_SLEEPERS = """sleepers() {
  n=0
  for p in /proc/[0-9]*; do
    read -r name <$p/comm && [ "$name" = sleep ] && tr '\\0' ' ' <$p/cmdline | grep -q '^sleep TOKEN' && n=$((n + 1))
  done 2>/dev/null
  echo $n
}
"""

_usable = processes.available_tiers()


def tiers(*names: str) -> list[object]:
    """Test parameters: each tier, skipped with the machine's own reason where it does not work."""
    reasons = {name: _usable[name] for name in names}
    return [
        pytest.param(n, marks=pytest.mark.skipif(bool(r), reason=f"{n}: {r}")) for n, r in reasons.items()
    ]


def until(true: Callable[[], object], what: str = "") -> None:
    end = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < end, f"waited in vain {what}"
        time.sleep(0.005)


class Token:
    """Something unique that a process shows in its arguments (as a number of seconds) or in its environment."""

    def __init__(self) -> None:
        self.seconds = f"98765.{secrets.randbelow(10**12):012d}"
        self.env = {"PROCESS_TEST": self.seconds}

    def survivors(self) -> list[str]:
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                state = (entry / "stat").read_text().rpartition(") ")[2][0]
                seen = (entry / "cmdline").read_bytes() + b"\0" + _environ(entry)
            except (OSError, IndexError):
                continue
            if self.seconds.encode() in seen and state not in "ZX":
                found.append(f"{entry.name} {seen[:80]!r}")
        return found


def _environ(entry: Path) -> bytes:
    try:
        return (entry / "environ").read_bytes()
    except OSError:
        return b""


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry.name))
    return found


def open_fds(pid: int | str) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])


class World:
    """An Ownership with the arguments filled in that a test does not care about."""

    def __init__(self, tier: str, folder: Path) -> None:
        self.token = Token()
        self.folder = folder
        self.ownership = Ownership(tier, f"t-{secrets.token_hex(6)}")
        self.out = folder / "out"

    def start(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        cap: int = 1 << 20,
        merge: bool = False,
    ) -> OwnedProcess:
        given = {"PATH": PATH, **self.token.env} if env is None else env
        return self.ownership.start(
            "k",
            argv,
            cwd=cwd or self.folder,
            env=given,
            stdin=stdin,
            out=self.out,
            cap_bytes=cap,
            merge=merge,
        )

    def sh(self, script: str, **how: object) -> OwnedProcess:
        """TOKEN in the script is what survivors would show; `sleepers` counts those that run `sleep TOKEN`."""
        script = (_SLEEPERS + script if "sleepers" in script else script).replace("TOKEN", self.token.seconds)
        return self.start(["sh", "-c", script], **how)  # type: ignore[arg-type]

    def said(self) -> str:
        return self.out.read_text()

    def run(self, script: str, **how: object) -> tuple[Ended, list[Line]]:
        return finish(self.sh(script, **how))


def wait_for_line(owned: OwnedProcess, text: str) -> list[Line]:
    end = time.monotonic() + DEADLINE
    seen = owned.pump()
    while not any(line.text == text for line in seen):
        assert time.monotonic() < end, f"no line {text!r} in {seen}"
        owned.wait(1.0)
        seen += owned.pump()
    return seen


def wait_exited(owned: OwnedProcess) -> list[Line]:
    seen: list[Line] = []
    end = time.monotonic() + DEADLINE
    while not owned.exited():
        assert time.monotonic() < end, "it does not end"
        owned.wait(1.0)
        seen += owned.pump()
    return seen


def finish(owned: OwnedProcess) -> tuple[Ended, list[Line]]:
    lines = wait_exited(owned)
    ended = owned.close()
    return ended, [*lines, *ended.rest]
