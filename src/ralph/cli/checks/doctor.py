"""The machine: Python, git, how processes are owned, sandboxes, agents, the terminal."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click

from ralph import __version__
from ralph.cli.checks import Finding, broken, fix, good, note
from ralph.cli.output import cut
from ralph.errors import RalphError
from ralph.terminal.words import one_line

OLDEST_GIT = (2, 30)
PATIENCE = 5.0  # seconds for a program to say its version


def machine() -> Iterator[Finding]:
    yield _python()
    yield _git()
    yield from _ownership()
    yield _sandbox()
    yield from _agents()
    yield _terminal()


def _python() -> Finding:
    return good("python", f"{platform.python_version()} ({sys.executable}), ralph {__version__}")


def _git() -> Finding:
    said = _ask(["git", "version"])
    if said is None:
        return fix("git", "not found", "Install git, or put it on the PATH.")
    version = re.search(r"(\d+)\.(\d+)[\w.]*", said)
    if version is None:
        return fix("git", f"does not work: {cut(said, 100)}", "Install git anew.")
    if (int(version[1]), int(version[2])) < OLDEST_GIT:
        return fix("git", version[0], "Ralph needs git 2.30 or newer.")
    return good("git", version[0])


# -- ownership of processes ----------------------------------------------------------------------------


def _ownership() -> Iterator[Finding]:
    from ralph.processes.ownership import available, choose

    try:
        best = choose(os.environ.get("RALPH_TIER", ""))
    except RalphError as error:
        yield broken("processes", error)
        return
    if best == "group":
        mend = "Processes that leave their group can outlive an iteration on this system; Linux has better."
        yield fix("processes", "owned by group", mend)
    else:
        yield good("processes", f"owned by {best}: none outlives its iteration or gate")
    for tier, why in available().items():
        if why and tier != "group":
            yield note("processes", f"{tier} is not usable: {why}", mend_tier(tier))


def mend_tier(tier: str, root: Path = Path("/")) -> str:
    """How a better tier could be had here. `root` is where /proc and /run are."""
    if sys.platform != "linux":
        return ""
    if tier == "cgroup":
        return _mend_cgroup(root)
    return _mend_pidns(root) if tier == "pidns" else ""


def _mend_cgroup(root: Path) -> str:
    if "0::" not in _text(root / "proc/self/cgroup"):
        return "There is no version 2 cgroup hierarchy; boot with systemd.unified_cgroup_hierarchy=1."
    if (root / "run/systemd/system").is_dir():
        return "Start it in a delegated scope: systemd-run --user --scope -p Delegate=yes ralph run"
    return "Whoever starts Ralph must delegate it a cgroup: a writable folder below /sys/fs/cgroup."


def _mend_pidns(root: Path) -> str:
    proc = root / "proc/sys"
    for name, barred, how in (
        (
            "kernel/unprivileged_userns_clone",
            "0",
            "Allow it: sudo sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "AppArmor forbids it; give Python a profile with `userns,`, or allow it for all:\n"
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("user/max_user_namespaces", "0", "Allow it: sudo sysctl -w user.max_user_namespaces=10000"),
    ):
        if _text(proc / name).strip() == barred:
            return how
    return "A container must allow it (seccomp, CAP_SYS_ADMIN); without it the next tier is used."


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


# -- sandboxes -----------------------------------------------------------------------------------------


def _sandbox() -> Finding:
    """Whether one could be had. What the configuration makes of it is told with the configuration."""
    from ralph.sandbox.bwrap import usable

    why, _, mend = usable().partition(". ")
    if why:
        return note("sandbox", f"`sandbox: bwrap` cannot work here: {why}", mend)
    if offline := usable(network=False):
        return note("sandbox", "bubblewrap works, but cannot shut off the network", offline)
    return good("sandbox", "bubblewrap works: `sandbox: bwrap` confines agents and gates")


# -- agents --------------------------------------------------------------------------------------------


def _agents() -> Iterator[Finding]:
    """All are asked at once: some take a second to say their version."""
    from ralph.agents import registry
    from ralph.setup.project import known, names

    for name in registry.names():
        try:
            registry.find(name)
        except RalphError as error:
            yield note("agents", error.what, error.todo)
    there = {agent.name: path for agent in known() if (path := shutil.which(agent.program))}
    if not there:
        mend = "Any program that reads a prompt can be one: cli.command in ralph.yml."
        yield note("agents", f"none of {names()} is on PATH", mend)
        return
    asked = {name: _start([path, "--version"]) for name, path in there.items()}
    deadline = time.monotonic() + PATIENCE
    for name, process in asked.items():
        said = _answer(process, deadline) if process else ""
        version = re.search(r"\d+\.\d+[\w.+-]*", said or "")
        if version:
            yield good("agents", f"{name} {version[0]}")
        elif said is None:
            how = f"Run `{name} --version` yourself to see why."
            yield note("agents", f"{name} does not say its version within {PATIENCE:.0f} s", how)
        else:
            how = f"Run `{name} --version` yourself to see why."
            yield note("agents", f"{name} does not say its version{': ' if said else ''}{cut(said, 80)}", how)


def _start(argv: list[str]) -> subprocess.Popen[bytes] | None:
    """Not in the project, whose files it need not read, and with nothing to wait for on standard input."""
    try:
        return subprocess.Popen(
            argv,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError:
        return None


def _answer(process: subprocess.Popen[bytes], deadline: float) -> str | None:
    """What it printed; None when it did not end in time. Nothing that it started stays."""
    try:
        out, _ = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
        return out[:2000].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
        process.communicate()


def _ask(argv: list[str]) -> str | None:
    process = _start(argv)
    return _answer(process, time.monotonic() + PATIENCE) if process else None


# -- the terminal --------------------------------------------------------------------------------------


def _terminal() -> Finding:
    encoding = (sys.stdout.encoding or "ascii").lower()
    columns, rows = shutil.get_terminal_size()
    place = (
        f"{os.environ.get('TERM', 'unknown')}, {columns}x{rows}" if sys.stdout.isatty() else "none (a pipe)"
    )
    if "utf" not in encoding:
        mend = "Other characters are shown as escapes; a UTF-8 locale shows them: export LANG=C.UTF-8"
        return note("terminal", f"{place}, {encoding}", mend)
    return good("terminal", f"{place}, {encoding}")


_MARKS = {"ok": ("ok  ", "green"), "note": ("note", "yellow"), "fix": ("FIX ", "red")}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def doctor(as_json: bool) -> int:
    """Check git, agents, ownership of processes, sandbox, disk, journal and configuration.

    Each finding says how to mend it. Exit code 2 when something must be mended, else 0.

    \b
    Examples:
      ralph doctor
      ralph doctor --json
    """
    from ralph.cli.checks.project import place

    found: list[Finding] = []
    for one in chain(machine(), place()):
        found.append(one)
        if not as_json:
            _show(one)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(found).decode())
    return 0 if all(one.ok for one in found) else 2


def _show(one: Finding) -> None:
    mark, colour = _MARKS[one.level]
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    click.echo(f"{click.style(mark, fg=colour) if coloured else mark} {one.what:<10} {one_line(one.text)}")
    for line in one.mend.splitlines():
        click.echo(f"{'':<16}{one_line(line)}")
