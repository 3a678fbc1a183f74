"""What runs in the keeper, a small process beside Ralph that starts agents and gates and sees them dead.

Loaded with `python -I -S`, so: standard library only, no import of the rest of Ralph, as few imports as
possible (its start-up is part of every run's). Ralph itself also uses `process_table` and `cgroup`.

This file is the protocol between Ralph and the guards. A request is one marshalled tuple with four file descriptors;
everything else is a line of words on the process' own control socket.

Ralph says:  ask | kill            closing the socket (also by dying) means kill
Guards say:  main PID, running GUARD PLACE | error STEP ERRNO WHAT; straggler PID COMM ..., exit CODE, gone
"""

from __future__ import annotations

import marshal
import os

# working directory, program file, arguments, environment
Request = tuple[bytes, bytes, list[bytes], dict[bytes, bytes]]

FDS = 4  # control, stdin, stdout, stderr
HEADER = 4  # bytes that hold the request's length


def pack(request: Request) -> bytes:
    body = marshal.dumps(request)
    return len(body).to_bytes(HEADER, "big") + body


def unpack(body: bytes) -> Request:
    cwd, program, argv, env = marshal.loads(body)
    return cwd, program, argv, env


def say(control: int, line: str) -> None:
    """A reader that has gone is no reason to stop what we do."""
    try:
        os.write(control, line.encode("utf-8", "replace") + b"\n")
    except OSError:
        pass


def signal_all(pids: list[int], number: int) -> None:
    """Those that have gone by now need none."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass
