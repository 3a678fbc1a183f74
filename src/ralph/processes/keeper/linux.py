"""The system calls that Python 3.11 has no function for: prctl, unshare, mount, clone3 (Linux only)."""

from __future__ import annotations

import ctypes
import os
import struct

_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWPID = 0x20000, 0x10000000, 0x20000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_SLAVE = 2, 4, 8, 16384, 1 << 19

_CLONE_INTO_CGROUP = 0x200000000
_NR_CLONE3 = 435  # on every architecture but alpha
_SIGCHLD = 17

_libc = ctypes.PyDLL(None, use_errno=True)  # as CDLL, without giving up the GIL: clone3 returns twice


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def become_subreaper() -> None:
    _check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl(PR_SET_CHILD_SUBREAPER)")


def unshare_pids() -> None:
    """From here on this process' first child is pid 1 of a new namespace. The uid stays what it is."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        _check(_libc.unshare(_CLONE_NEWPID | _CLONE_NEWNS), "unshare")
        return
    _check(_libc.unshare(_CLONE_NEWUSER | _CLONE_NEWPID | _CLONE_NEWNS), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as f:
            f.write(text)


def mount_proc() -> None:
    """A /proc that shows the new namespace; mounts made outside still appear, those made inside stay inside."""
    _check(_libc.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None), "mount(MS_SLAVE)")
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _check(_libc.mount(b"proc", b"/proc", b"proc", flags, None), "mount(/proc)")


def fork_into(place: str) -> int:
    """os.fork() whose child is born in the cgroup. OSError where the kernel (< 5.7) or a seccomp filter refuses."""
    fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        arguments = struct.pack("11Q", _CLONE_INTO_CGROUP, 0, 0, 0, _SIGCHLD, 0, 0, 0, 0, 0, fd)
        pid: int = _libc.syscall(_NR_CLONE3, arguments, len(arguments))
        if pid < 0:
            _check(-1, "clone3")
        return pid
    finally:
        os.close(fd)
