"""Runs inside the sandbox and tries to get out. Prints, as JSON, each attempt that had an effect."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path


def reads(path: str) -> object:
    return Path(path).read_bytes()[:20].decode()


def writes(path: str) -> object:
    """Opening is enough, and harms nothing should it succeed."""
    with open(path, "a"):
        return path


def runs(*command: str) -> object:
    subprocess.run(command, check=True, capture_output=True)
    return command


def connects(family: int, address: object) -> object:
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(5)
        s.connect(address)
    return address


def calls(name: str, *arguments: object) -> object:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
    return name


def sees_outside() -> object:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"OUTSIDE_PROCESS=" in (process / "environ").read_bytes():
                return process
        except OSError:
            continue
    raise ProcessLookupError


def inherited() -> object:
    for fd in range(3, 256):
        try:
            os.fstat(fd)
        except OSError:
            continue
        return fd
    raise FileNotFoundError


def replaces(path: str) -> object:
    Path(path).rename("old")
    Path(path).mkdir()
    return path


def links(path: str) -> object:
    Path("link").symlink_to(path)
    return reads("link")


def main() -> None:
    told = json.loads(sys.argv[1])
    home, state, outside = told["home"], told["state"], int(told["pid"])
    ptrace_attach, new_user, new_mounts = 16, 0x10000000, 0x20000
    attempts = {
        "read the journal": lambda: reads(f"{state}/journal"),
        "write the journal": lambda: writes(f"{state}/journal"),
        "add to Ralph's folder": lambda: writes(f"{state}/new"),
        "see the journal at its other name": lambda: reads(f"/proc/1/root{state}/journal"),
        "move a ref by git": lambda: runs("git", "update-ref", "refs/heads/main", told["commit"]),
        "make a branch": lambda: runs("git", "branch", "mine"),
        "move a ref by hand": lambda: writes(".git/refs/heads/main"),
        "move HEAD": lambda: writes(".git/HEAD"),
        "stash": lambda: runs("git", "stash"),
        "write a hook": lambda: writes(".git/hooks/post-checkout"),
        "write the configuration": lambda: writes(".git/config"),
        "write an attribute": lambda: writes(".git/info/attributes"),
        "replace .git": lambda: replaces(".git"),
        "remove .git": lambda: shutil.rmtree(".git"),
        "link to a protected file": lambda: os.link(".git/HEAD", "head"),
        "write another project": lambda: writes(f"{home}/code/other/main.py"),
        "read another project": lambda: reads(f"{home}/code/other/main.py"),
        "read the ssh key": lambda: reads(f"{home}/.ssh/id_ed25519"),
        "read other settings": lambda: reads(f"{home}/.config/other.json"),
        "read beside the credential": lambda: reads(f"{home}/.agent/history"),
        "write the credential": lambda: writes(f"{home}/.agent/auth.json"),
        "replace the credential": lambda: replaces(f"{home}/.agent/auth.json"),
        "write at the root": lambda: writes("/new"),
        "write to /etc": lambda: writes("/etc/new"),
        "write to /usr": lambda: writes("/usr/new"),
        "write the interpreter": lambda: writes(os.path.realpath(sys.executable)),
        "write Ralph": lambda: writes(told["ralph"]),
        "read the machine's /tmp": lambda: reads(told["tmp"]),
        "read the passwords": lambda: reads("/etc/shadow"),
        "read through a link": lambda: links(f"{home}/.ssh/id_ed25519"),
        "kill a process": lambda: os.kill(outside, 9),
        "see a process": sees_outside,
        "trace a process": lambda: calls("ptrace", ptrace_attach, outside, 0, 0),
        "set the core pattern": lambda: writes("/proc/sys/kernel/core_pattern"),
        "set the host's name": lambda: writes("/proc/sys/kernel/hostname"),
        "press sysrq": lambda: writes("/proc/sysrq-trigger"),
        "mount": lambda: calls("mount", b"none", b"/tmp", b"tmpfs", 0, None),
        "unmount": lambda: calls("umount2", state.encode(), 2),
        "become root elsewhere": lambda: calls("unshare", new_user),
        "make mounts of its own": lambda: calls("unshare", new_mounts),
        "change root": lambda: os.chroot("/tmp"),
        "use an inherited descriptor": inherited,
        "reach a server by TCP": lambda: connects(socket.AF_INET, ("127.0.0.1", told["port"])),
        "reach a named socket": lambda: connects(socket.AF_UNIX, told["socket"]),
        "reach an abstract socket": lambda: connects(socket.AF_UNIX, "\0" + told["abstract"]),
    }
    succeeded = {}
    for name in told.get("only", attempts):
        try:
            succeeded[name] = repr(attempts[name]())
        except (OSError, subprocess.CalledProcessError):
            pass
    print(json.dumps({"tried": len(attempts), "succeeded": succeeded}))


main()
