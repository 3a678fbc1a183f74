"""The sandbox, by bubblewrap: a command line that runs a program with only the workspace writable and only the named
credentials readable. It never falls back to running without: what cannot be sandboxed is an error.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.sandbox import init_process
from ralph.sandbox.mounts import (
    Programs,
    SandboxPlan,
    exists,
    find_program,
    git_places,
    unreadable_by_others,
    without_credentials,
)

_TIMEOUT = 30.0
_ISOLATED = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-drop", "ALL", "--as-pid-1", "--die-with-parent"),
)
# The owner of these files is root, and bwrap leaves them writable for an agent that runs as root.
_KERNEL = ("sys", "sysrq-trigger", "fs", "acpi", "scsi", "driver", "mtrr", "dynamic_debug")
_SIGHTS = ("keys", "key-users", "kcore", "timer_list", "latency_stats", "sched_debug")
# A stop goes to every process of the tree at once. bwrap would end at it, and with it the sandbox, before the program
# has tidied up: so it ignores it.
_PATIENTLY = ("/bin/sh", "-c", "trap '' TERM; exec \"$@\"", "ralph-sandbox")
# What leads to services of the user's session, which are not there.
_LEFT_OUT = (
    *("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO"),
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "TMUX", "TMP", "TEMP"),
)
_TMP = "/tmp"  # the sandbox's own, never the machine's
_SAID_BY_BWRAP = "bwrap: "

# part of what bwrap says -> what to do about it
_REMEDIES = (
    ("loopback", "The network cannot be shut off here; `sandbox.network: host` does without."),
    ("proc", "A container hides parts of /proc; start it with `--security-opt systempaths=unconfined`."),
    (
        "",
        "User namespaces are blocked. On the machine: sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu "
        "kernel.apparmor_restrict_unprivileged_userns=0. In Docker: --security-opt seccomp=unconfined.",
    ),
)


class Sandboxed(msgspec.Struct, frozen=True):
    """What to start instead: with exactly this environment, from any folder."""

    argv: tuple[str, ...]
    env: dict[str, str]


def require(network: bool = True) -> None:
    if reason := usable(network):
        raise RalphError(
            f"`sandbox: bwrap` cannot work here: {reason}",
            todo="Nothing was run; `sandbox: none` runs without.",
        )


def wrap(
    argv: Sequence[str],
    *,
    cwd: Path,
    workspace: Path,
    state_dir: Path,
    home: Path,
    credentials: Sequence[Path] = (),
    network: bool = True,
    writable: Sequence[Path] = (),
    readable: Sequence[Path] = (),
    private: Sequence[Path] = (),
    handed: Path | None = None,
    hidden: Sequence[Path] = (),
    env: Mapping[str, str],
    inbox: Path | None = None,
) -> Sandboxed:
    """Run argv so that it can write the workspace, `writable` and its inbox, read the system, its tool chains,
    `readable` and `credentials`, and reach nothing else.

    `home` is the user's; inside, an empty one with the credentials is in its place, and so with the folders `private`.
    `handed` is a folder in Ralph's own that becomes writable. `hidden` is nowhere to be seen. `inbox` is the folder that is seen
    as Ralph's inbox (default: the real one). `readable` inside the workspace means: not writable. FileNotFoundError
    when there is no such program, RalphError for what a person must change.
    """
    bwrap = _installed()
    workspace, state_dir = workspace.resolve(), state_dir.resolve()
    lives = (
        home.resolve() if home.is_absolute() and home.is_dir() and home != Path("/") else Path(_TMP, "home")
    )
    _check_workspace(workspace, lives)
    program = find_program(argv[0], cwd, env)

    plan = SandboxPlan()
    programs = Programs(plan, lives, workspace, env)
    programs.add_system()
    if os.geteuid() == 0:
        for path in unreadable_by_others(Path("/etc")):
            plan.hide(path)
    if network and Path("/etc/resolv.conf").exists():  # often a link to somewhere below /run
        plan.show(Path("/etc/resolv.conf"))
    for folder in (_TMP, "/var/tmp", str(lives)):
        plan.private(Path(folder))
    for path in private:
        _add_private(plan, path, (workspace, lives))
    plan.visit(home)
    programs.add_tools()
    programs.add(program)
    plan.write(workspace)
    programs.add_ralph()
    for path in credentials:
        _add_credential(plan, path, home, lives)
    # Named by Ralph itself: a prompt, a view.
    ours = [path for path in readable if state_dir in path.resolve().parents]
    for path in readable:
        if path not in ours:
            _add_readable(plan, _there(path, "sandbox.readable"), workspace)
    places = git_places(workspace)
    for place in places:
        plan.show(place)
    _mask_git_config(plan, places, state_dir)
    for path in writable:
        _add_writable(plan, _there(path, "sandbox.writable"), (workspace, state_dir, *places))
    _add_state(plan, workspace, state_dir, inbox or state_dir / "inbox")
    for path in ours:
        plan.show(path)
    if handed is not None and state_dir in handed.resolve().parents:
        plan.write(handed)
    for path in hidden:
        plan.hide(path)

    return Sandboxed(
        argv=(
            *_PATIENTLY,
            bwrap,
            *_isolated(bwrap, network),
            *plan.arguments(),
            *_kernel(),
            *("--remount-ro", "/", "--chdir", str(plan.visit(cwd)), "--"),
            *(sys.executable, "-I", "-S", init_process.__file__, str(program), *argv),
        ),
        env=_environment(env, home if lives == home.resolve() else lives),
    )


def sandbox_error(code: int, errors: str) -> str:
    """Why the program was never started, by the exit code and the end of standard error; empty when it was."""
    last = errors.rstrip().rpartition("\n")[2]
    if code == 1 and last.startswith(_SAID_BY_BWRAP):
        return f"the sandbox cannot be made: {last.removeprefix(_SAID_BY_BWRAP)}"
    return ""


def left_running(errors: str) -> tuple[str, ...]:
    """The stragglers, as the last line of standard error names them: "pid comm", pids as seen inside."""
    last = errors.rstrip().rpartition("\n")[2]
    return (
        tuple(last.removeprefix(init_process.LEFT).split(", ")) if last.startswith(init_process.LEFT) else ()
    )


# -- the pieces of the plan


def _check_workspace(workspace: Path, home: Path) -> None:
    if workspace in (home, *home.parents):
        raise RalphError(
            "the workspace contains the home folder, so a sandbox would protect nothing",
            where=str(workspace),
            todo="Run Ralph in a project's folder, or use `sandbox: none`.",
        )
    if os.geteuid() == 0 and (owner := workspace.stat().st_uid) != 0:
        raise RalphError(
            f"the workspace belongs to user {owner}; root in a sandbox has no power over files of others",
            where=str(workspace),
            todo="Run Ralph as that user, or use `sandbox: none`.",
        )


def _there(path: Path, key: str) -> Path:
    if not path.is_absolute() or not exists(path):
        raise RalphError(
            f"{key}: there is no {path}", todo="Name a file or folder that exists, by its whole path."
        )
    return path


def _add_credential(plan: SandboxPlan, path: Path, home: Path, lives: Path) -> None:
    _there(path, "sandbox.credentials")
    within = next((path.relative_to(h) for h in (home, lives) if h in path.parents), None)
    if path in (home, lives, *lives.parents):
        raise RalphError(
            f"sandbox.credentials: {path} contains the home folder",
            todo="Name the files that the agent needs.",
        )
    plan.show(lives / within if within else path, source=path.resolve())


def _add_private(plan: SandboxPlan, path: Path, around: Sequence[Path]) -> None:
    real = path.resolve()
    if path.is_absolute() and not any(real in (place, *place.parents) for place in around):
        plan.private(path)


def _add_readable(plan: SandboxPlan, path: Path, workspace: Path) -> None:
    real = path.resolve()
    if workspace in real.parents:
        plan.visit(path)
        plan.protect(real, workspace)
    elif real not in (workspace, *workspace.parents):
        plan.show(path)
    else:
        raise RalphError(
            f"sandbox.readable: {path} contains the workspace", todo="Name the folders beside it instead."
        )


def _add_writable(plan: SandboxPlan, path: Path, guarded: Sequence[Path]) -> None:
    """What contains something guarded could be renamed with it, and another be put in its place."""
    real = path.resolve()
    state_dir = guarded[1]
    around = next((place for place in guarded if real in place.parents), None)
    if around is not None:
        raise RalphError(
            f"sandbox.writable: {path} contains {around}", todo="Name the folders beside it instead."
        )
    if state_dir in (real, *real.parents):
        raise RalphError(f"sandbox.writable: {path} is Ralph's own", todo="Leave it out.")
    plan.write(path)


def _add_state(plan: SandboxPlan, workspace: Path, state_dir: Path, inbox: Path) -> None:
    """Of Ralph's own folder only the inbox is seen and, without git, the agent's files beside it."""
    seen_as = state_dir / "inbox"
    for folder in (inbox, seen_as):
        folder.mkdir(parents=True, exist_ok=True)
    plan.hide(state_dir)
    plan.write(seen_as, source=inbox.resolve())
    if workspace in state_dir.parents and state_dir.name == ".ralph":
        (state_dir / "agent").mkdir(exist_ok=True)
        plan.write(state_dir / "agent")


def _mask_git_config(plan: SandboxPlan, places: Sequence[Path], state_dir: Path) -> None:
    """Remotes and headers often hold a token; git needs the rest of the file."""
    for config in (place / "config" for place in places if (place / "config").is_file()):
        if text := without_credentials(config):
            data = os.fsencode(text)
            copy = state_dir / "sandbox" / hashlib.sha256(data).hexdigest()
            if not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                part = copy.with_name(f"{copy.name}.{os.getpid()}")
                part.write_bytes(data)
                part.replace(copy)
            plan.show(config, source=copy)


def _kernel() -> list[str]:
    words = ["--proc", "/proc", "--dev", "/dev"]
    for name in _KERNEL:
        words += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for name in _SIGHTS:
        if Path("/proc", name).exists():
            words += ["--ro-bind-try", "/dev/null", f"/proc/{name}"]
    return words


def _environment(env: Mapping[str, str], home: Path) -> dict[str, str]:
    kept = {name: value for name, value in env.items() if name not in _LEFT_OUT}
    return {**kept, "HOME": str(home), "TMPDIR": _TMP, "GIT_OPTIONAL_LOCKS": "0", "RALPH_SANDBOX": "bwrap"}


# -- bwrap itself


def _installed() -> str:
    if sys.platform != "linux":
        raise RalphError("`sandbox: bwrap` needs Linux", todo="Use `sandbox: none` here.")
    if path := shutil.which("bwrap"):
        return path
    raise RalphError(
        "bubblewrap is not installed",
        todo="apt-get install bubblewrap (the package has this name elsewhere too).",
    )


def _isolated(bwrap: str, network: bool) -> tuple[str, ...]:
    return (*_ISOLATED, *_no_namespaces_within(bwrap), *(() if network else ("--unshare-net",)))


@lru_cache(maxsize=1)
def _no_namespaces_within(bwrap: str) -> tuple[str, ...]:
    """A program inside needs no new namespaces, and each is a way to the kernel. bwrap < 0.8 cannot forbid it."""
    forbidden = ("--disable-userns",)
    return forbidden if _try(bwrap, (*_ISOLATED, *forbidden)).returncode == 0 else ()


@lru_cache(maxsize=2)
def usable(network: bool = True) -> str:
    """Empty when a sandbox works here, else why not and what to do. Found out by making one, once."""
    try:
        bwrap = _installed()
        done = _try(bwrap, _isolated(bwrap, network))
    except RalphError as error:
        return f"{error.what}. {error.todo}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().rpartition("\n")[2].removeprefix(_SAID_BY_BWRAP) or f"exit {done.returncode}"
    return f"bwrap says: {said}. {next(remedy for part, remedy in _REMEDIES if part in said)}"


def _try(bwrap: str, isolated: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [bwrap, *isolated, "--ro-bind", "/", "/", *_kernel(), "--", "/bin/sh", "-c", ":"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_TIMEOUT,
    )
