"""The last line of a test run: what it left out, and which command runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

from seed import SEED
from tiers import REST

COMMANDS = {"long": "make test"} | REST
STARTS_A_PROCESS = "starts a process"


class LeftOut:
    """In a worker: counts what was deselected. In the one process that reports: prints the line."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.deselected: Counter[str] = Counter()

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        for item in items:
            self.deselected.update(
                [next((name for name in COMMANDS if item.get_closest_marker(name)), "other")]
            )

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.deselected = Counter(getattr(node, "workeroutput", {}).get("deselected", self.deselected))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, None, None]:
        output = getattr(self.config, "workeroutput", None)
        if output is not None:  # a worker: sent within the yield
            output["deselected"] = dict(self.deselected)
        yield
        if (
            output is None
            and (reporter := self.config.pluginmanager.get_plugin("terminalreporter")) is not None
        ):
            reasons = [_reason(report) for report in reporter.stats.get("skipped", ())]
            if line := summary(self.deselected, reasons):
                reporter.write_line(line)


def summary(deselected: Counter[str], reasons: list[str]) -> str:
    """One line, or nothing where nothing was left out."""
    processes = sum(STARTS_A_PROCESS in reason for reason in reasons)
    parts = [f"{processes} that start a process (make test)"] if processes else []
    parts += [
        f"{deselected[name]} {name} ({command})" for name, command in COMMANDS.items() if deselected[name]
    ]
    if lacking := len(reasons) - processes:
        parts.append(
            f"{lacking} that this machine cannot run (pytest -rs says why; .ci/run as root installs what it can)"
        )
    return f"Not run: {', '.join(parts)}. Seed {SEED}." if parts else ""


def _reason(report: pytest.TestReport) -> str:
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
