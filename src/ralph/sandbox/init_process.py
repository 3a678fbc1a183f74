"""The first process inside the sandbox: starts the program, reaps orphans, ends with the program's exit code.

It is pid 1 there, so the kernel ends whatever is left when it ends. What that was, it says in one last line. Run as a
file by a bare interpreter: nothing of Ralph is imported here.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the signal module would double the start-up
import os
import sys

LEFT = "ralph: still running when the program had ended: "
_NAMED = 20
_NOT_STARTED = 127


def main() -> int:
    program, *argv = sys.argv[1:]
    asked: list[int] = []
    _signal.signal(_signal.SIGTERM, lambda number, frame: asked.append(number))
    try:
        # TERM is ignored where bwrap is started, so that a stop does not end the sandbox before the program has
        # tidied up. The program itself gets it as usual.
        main_pid = os.posix_spawn(
            program,
            argv,
            os.environ,
            setsid=True,
            setsigmask=(),
            setsigdef=(_signal.SIGTERM, _signal.SIGPIPE, _signal.SIGXFSZ),
        )
    except OSError as error:
        _say(f"ralph: {program} cannot be started in the sandbox: {error.strerror}")
        return _NOT_STARTED
    code = _reap_until(main_pid)
    if asked:  # its children were asked as well, and may still be tidying up; Ralph's patience ends this
        _reap_until(0)
    elif left := _living():
        more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        _say(LEFT + ", ".join(left[:_NAMED]) + more)
    return code


def _reap_until(last: int) -> int:
    """The exit code of `last` as a shell reports it; with 0, until no child is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return 0
        if pid == last:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _living() -> list[str]:
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - no pathlib here
        if not name.isdigit() or name == "1":
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                head, _, rest = file.read().rpartition(b") ")
        except OSError:
            continue
        comm = head.partition(b"(")[2].decode("utf-8", "replace")
        if rest[:1] not in (b"Z", b"X"):
            found.append(f"{name} {''.join(c if c.isprintable() and c != ',' else '?' for c in comm)}")
    return found


def _say(line: str) -> None:
    try:
        os.write(2, f"{line}\n".encode("utf-8", "replace"))
    except OSError:
        pass


if __name__ == "__main__":
    os._exit(main())
