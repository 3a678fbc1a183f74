"""Stands for Ralph in tests that kill it: orchestrator.py TIER FOLDER MODE SCRIPT

MODE hold: starts the script once, says its residue when the script has said "up", and waits to be killed.
MODE again: starts the script over and over.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ralph.processes.ownership import Ownership


def main(tier: str, folder: str, mode: str, script: str) -> None:
    ownership = Ownership(tier, f"orchestrator-{os.getpid()}")
    print(ownership.residue(), flush=True)
    while True:
        owned = ownership.start(
            "k",
            ["sh", "-c", script],
            cwd=Path(folder),
            env=dict(os.environ),
            stdin=b"p",
            out=Path(folder, "out"),
        )
        while not owned.exited():
            owned.wait()
            for line in owned.pump():
                if mode == "hold":
                    print(line.text, flush=True)
        owned.close()


main(*sys.argv[1:])
