"""Tiny projects whose gates are run as Ralph runs them: instrumented, by a shell, in a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ralph.gates.reports.report import TestReport
from ralph.gates.reports.runners import instrument, read

PYTHON = sys.executable


class GateRun(msgspec.Struct, frozen=True):
    code: int
    output: str
    report: TestReport | None

    @property
    def tests(self) -> dict[str, str]:
        assert self.report is not None, self.output
        return dict(self.report.tests)


def clean_environment() -> dict[str, str]:
    """Without what the pytest of these tests has set."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "RALPH_", "NODE_"))
    }
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1"}


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def run_gate(
    root: Path,
    command: str,
    *,
    folder: str = "",
    env: Mapping[str, str] | None = None,
    keep_going: bool = False,
) -> GateRun:
    reports = root.parent / f"reports of {root.name}"
    while reports.exists():
        reports = reports.with_name(reports.name + "+")
    reports.mkdir()
    base = {**clean_environment(), **(env or {})}
    asked = instrument(
        command, checkout=root, folder=folder, reports=reports, env=base, keep_going=keep_going
    )
    done = run(asked.command, root / folder, {**base, **asked.env})
    output = done.stdout
    return GateRun(done.returncode, output, read(reports, root=root, output=output))


def run(command: str, folder: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
