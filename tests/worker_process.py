"""`python worker_process.py SOCKET FOLDER NAME PHASE`: a worker in a process of its own, against a FleetServer in another."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from fleet import SocketTransport
from ralph.core.fleet.model import Phase
from ralph.core.fleet.requests import Offer
from ralph.core.fleet.worker import WorkerTiming
from ralph.worker.claim_runner import WorkerSettings
from ralph.worker.driver import Worker

TIMING = WorkerTiming(heartbeat=0.25, cut=30.0, idle=0.1, backoff=0.05, longest_backoff=0.5)


def main(socket: str, folder: str, name: str, phase: Phase) -> None:
    settings = WorkerSettings(
        Path(folder), (Offer(name, phase),), timing=TIMING, sandbox=bool(os.environ.get("RALPH_SANDBOX"))
    )
    worker = Worker(SocketTransport(socket), settings, lambda text: print(text, file=sys.stderr, flush=True))
    signal.signal(signal.SIGTERM, lambda *_: worker.drain(0))
    worker.run()


if __name__ == "__main__":
    main(*sys.argv[1:])  # type: ignore[arg-type]
