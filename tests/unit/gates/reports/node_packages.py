"""jest and vitest in pinned versions, installed once into a cache outside the repository."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from pathlib import Path

import pytest

PINNED = {"jest": "29.7.0", "vitest": "3.2.4"}
INSTALL_SECONDS = 280


def node_modules() -> Path:
    """The folder with both; skips the test that asks where they cannot be had."""
    cache = Path(os.environ.get("RALPH_TEST_RUNNERS") or Path.home() / ".cache" / "ralph-test-runners")
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not all(_version(cache, name) == version for name, version in PINNED.items()):
            _install(cache)
    return cache / "node_modules"


def _version(cache: Path, name: str) -> str:
    try:
        return str(json.loads((cache / "node_modules" / name / "package.json").read_text())["version"])
    except (OSError, ValueError):
        return ""


def _install(cache: Path) -> None:
    (cache / "package.json").write_text('{"private": true}')
    packages = [f"{name}@{version}" for name, version in PINNED.items()]
    try:
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", *packages],
            cwd=cache,
            capture_output=True,
            text=True,
            check=False,
            timeout=INSTALL_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm cannot install {' and '.join(packages)}: {type(error).__name__}")
    if done.returncode:
        pytest.skip(f"npm cannot install {' and '.join(packages)}: {done.stderr.strip().splitlines()[-1]}")
