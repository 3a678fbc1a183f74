"""`ralph doctor`: the workspace, Ralph's state, journal and configuration; Python, git, ownership of processes, sandbox, agents.

Every check only reads; what it starts (git, an agent's --version) changes nothing.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

import click
import msgspec

from ralph import __version__
from ralph.cli.output import cut
from ralph.core.policy import Policy
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.terminal.words import one_line
from ralph.text import few, size


class Finding(msgspec.Struct, frozen=True):
    """`fix`: Ralph cannot do its work, or not safely. `note`: worth knowing; nothing must be done."""

    what: str
    ok: bool
    text: str
    mend: str = ""
    level: Literal["ok", "note", "fix"] = "ok"


def good(what: str, text: str) -> Finding:
    return Finding(what, True, text)


def note(what: str, text: str, mend: str = "") -> Finding:
    return Finding(what, True, text, mend, "note")


def fix(what: str, text: str, mend: str) -> Finding:
    return Finding(what, False, text, mend, "fix")


def broken(what: str, error: RalphError) -> Finding:
    where = f"{error.where}: " if error.where else ""
    return fix(what, where + error.what.replace("\n", "; "), error.todo)


# -- the project ---------------------------------------------------------------------------------

LITTLE_SPACE = 500 * 1024 * 1024


def place() -> Iterator[Finding]:
    from ralph.cli.context import here

    try:
        repo = here()
    except RalphError as error:
        yield broken("workspace", error)
        repo = None
    if repo:
        yield from _workspace(repo)
        yield from _disk(repo)
        yield from _journal(repo)
        yield from _lock(Path.cwd())
    yield from _configuration(Path.cwd(), repo.root if repo else Path.cwd())


def _workspace(repo: Repo) -> Iterator[Finding]:
    if repo.versioned:
        yield good("workspace", f"git repository {repo.root}")
    else:
        yield good("workspace", "no git repository: state and snapshots are kept in .ralph/")
    barred = [
        folder
        for folder in (_existing(repo.state_dir), Path.cwd())
        if not os.access(folder, os.W_OK | os.X_OK)
    ]
    if barred:
        yield fix("state", str(repo.state_dir), "\n".join(f"Make {folder} writable." for folder in barred))
    else:
        yield good("state", str(repo.state_dir))


def _existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path


def _disk(repo: Repo) -> Iterator[Finding]:
    """Transcripts go to the state folder; clean checkouts for gates to the temporary one."""
    yield _room(_existing(repo.state_dir), "transcripts")
    try:
        temporary = tempfile.gettempdir()
    except FileNotFoundError:
        yield fix("disk", "no temporary folder is writable", "Set TMPDIR to a folder that is.")
        return
    wanted = os.environ.get("TMPDIR", "")
    if wanted and os.path.realpath(wanted) != os.path.realpath(temporary):
        mend = f"Make it a folder that you may write; {temporary} is used instead."
        yield note("disk", f"TMPDIR={wanted} cannot be used", mend)
    yield _room(Path(temporary), "clean checkouts")


def _room(folder: Path, used_for: str) -> Finding:
    free = shutil.disk_usage(folder).free
    text = f"{free // 2**20} MiB free in {folder}"
    return (
        good("disk", text)
        if free >= LITTLE_SPACE
        else fix("disk", text, f"Make room: {used_for} need space.")
    )


# -- what was before -----------------------------------------------------------------------------------


def _journal(repo: Repo) -> Iterator[Finding]:
    from ralph.history.loop_records import dead_runs
    from ralph.journal.lock import holder
    from ralph.journal.read import NAME, history, segments
    from ralph.journal.read import scan as scan_file

    files = [path for path in (*segments(repo.state_dir), repo.state_dir / NAME) if path.exists()]
    if not files:
        yield good("journal", "none yet")
        return
    live = holder(repo.state_dir)
    try:
        count = sum(1 for _ in history(repo.state_dir))
        current = scan_file(repo.state_dir / NAME)
    except RalphError as error:
        yield broken("journal", error)
        return
    text = f"{count} records, {size(sum(path.stat().st_size for path in files))}"
    if current.torn and live is None:
        yield note(
            "journal", f"{text}; its last line is torn", "The next run puts it aside; nothing is lost."
        )
    else:
        yield good("journal", text)
    if live:
        yield note("run", f"one is under way (pid {live.get('pid')})", "`ralph status` says how it stands.")
    for dead in dead_runs(current.records):
        if live is None or dead.run != live.get("run"):
            yield _dead(dead.run, dead.residue)


def _dead(run: str, residue: str) -> Finding:
    if left := left_by(run, residue):
        text = f"run {run} died and left processes: {few(left)}"
        return fix(
            "run",
            text,
            "`ralph resume` ends them and continues; `ralph run --fresh` ends them and starts over.",
        )
    return note(
        "run", f"run {run} died", "Continue with `ralph resume`, or start over with `ralph run --fresh`."
    )


def left_by(run: str, residue: str) -> list[str]:
    """The processes of a dead run that are still there. They are only looked at."""
    from ralph.processes import marks
    from ralph.processes.keeper import cgroup

    prefix = residue.split(" ", 3)[3] if residue.count(" ") >= 3 else ""
    found = marks.marked_processes(marks.RUN, run) + [
        p for x in cgroup.places(prefix) for p in marks.members_of_cgroup(x)
    ]
    return list(dict.fromkeys(str(process) for process in found))


def _lock(folder: Path) -> Iterator[Finding]:
    """`.ralph.lock` names one process; what else may be there would stop a run."""
    path = folder / ".ralph.lock"
    try:
        text = path.read_text(errors="replace")[:100].strip() if path.is_file() else ""
    except OSError as error:
        yield fix("lock", f"{path} cannot be read: {error.strerror}", "Make it readable, or remove it.")
        return
    if os.path.lexists(path) and not text.isdigit():
        yield fix(
            "lock", f"{path} holds no process id", "Remove or rename it: a run takes it for another tool's."
        )
    elif text and not Path(f"/proc/{text}").exists() and Path("/proc/self").exists():
        yield note("lock", f"{path} names {text}, which is dead", "The next run takes it over.")


# -- the configuration ---------------------------------------------------------------------------------


def _configuration(folder: Path, root: Path) -> Iterator[Finding]:
    from ralph.cli.context import usual
    from ralph.config.agents import check_agent
    from ralph.config.load import FILE_NAMES, NoPrompt, found_above, load
    from ralph.config.settings import Overrides

    if not any(os.path.lexists(folder / name) for name in FILE_NAMES):
        if above := found_above(folder, root):
            file = os.path.relpath(above, folder)
            mend = f"Go to its folder, or use it from here: `ralph run -c {file}`."
            yield note("config", f"there is no {FILE_NAMES[0]} here, but there is {file}", mend)
            return
        mend = '`ralph init` writes one; or say it all: ralph run -p "..." --gate "..." -- AGENT'
        yield note("config", f"there is no {FILE_NAMES[0]} here", mend)
        return
    prompt = ""
    try:
        try:
            resolved = load(folder, backlog=usual(root))
        except NoPrompt:  # it is usually given to `ralph run`; all else can be checked without it
            prompt = "; no prompt yet: give one with -p, -P or PROMPT.md"
            resolved = load(folder, None, Overrides(prompt="any", in_place=True))
        check_agent(resolved.policy, folder)
    except RalphError as error:
        yield broken("config", error)
        return
    gates = ", ".join(g.name for g in resolved.policy.gates) or "no gates: nothing will be proven"
    yield good("config", f"{resolved.source}: {resolved.policy.agent.backend}, gates: {gates}{prompt}")
    yield _confinement(resolved.policy, folder)
    yield from _environment(resolved.policy)
    for warning in resolved.warnings:
        yield note("config", warning, "Correct it, or leave it: it changes nothing that runs.")


def _confinement(policy: Policy, folder: Path) -> Finding:
    """What the configured sandbox gives, as it would be made now."""
    from ralph.cli.context import here
    from ralph.runner import sandboxing

    sandbox = policy.sandbox
    if sandbox.kind == "none":
        mend = "`sandbox: bwrap` in ralph.yml confines them to the workspace."
        return note("sandbox", "not configured: agents and gates have your rights", mend)
    try:
        sandboxing.check(policy, here(), folder)
    except RalphError as error:
        return broken("sandbox", error)
    return good("sandbox", sandboxing.described(policy))


def _environment(policy: Policy) -> Iterator[Finding]:
    """The names of what is not handed on: when a gate or an agent misses something, here it is."""
    from ralph.core.secrets.environment import held_back_names
    from ralph.runner.loop_context import variables_for

    mend = 'What they need is named in `env_allow`; `env_allow: ["*"]` hands on everything.'
    for who, agent in ((f"the agent {policy.agent.backend}", policy.agent), ("gates", None)):
        if names := held_back_names(os.environ, variables_for(policy, agent)):
            yield note("variables", f"not for {who}: {', '.join(names)}", mend)
        else:
            yield good("variables", f"all of yours reach {who}")


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
        return fix("git", f"does not work: {cut(said, 100)}", "Reinstall git.")
    if (int(version[1]), int(version[2])) < OLDEST_GIT:
        return fix("git", version[0], "Ralph needs git 2.30 or newer.")
    return good("git", version[0])


# -- ownership of processes ----------------------------------------------------------------------------


def _ownership() -> Iterator[Finding]:
    from ralph.processes.ownership import available_tiers, choose_tier

    try:
        best = choose_tier(os.environ.get("RALPH_TIER", ""))
    except RalphError as error:
        yield broken("processes", error)
        return
    if best == "group":
        mend = "Processes that leave their group can outlive an iteration on this system; Linux has better."
        yield fix("processes", "owned by group", mend)
    else:
        yield good("processes", f"owned by {best}: none outlives its iteration or gate")
    for tier, why in available_tiers().items():
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
    return "What starts Ralph must delegate a cgroup to it: a writable folder below /sys/fs/cgroup."


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
    from ralph.setup.project import agent_names, known_agents

    for name in registry.names():
        try:
            registry.find(name)
        except RalphError as error:
            yield note("agents", error.what, error.todo)
    there = {agent.name: path for agent in known_agents() if (path := shutil.which(agent.program))}
    if not there:
        mend = "Any program that reads a prompt can be one: cli.command in ralph.yml."
        yield note("agents", f"none of {agent_names()} is on PATH", mend)
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
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> int:
    """Check git, agents, ownership of processes, sandbox, disk, journal and configuration.

    Each finding says how to fix it. Exit code 2 when something must be fixed, else 0.

    \b
    Examples:
      ralph doctor
      ralph doctor --json
    """
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
