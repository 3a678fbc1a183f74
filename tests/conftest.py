"""For all tests: their tiers, what a run says it left out, and signals as a user's terminal has them."""

from __future__ import annotations

import gc
import signal
from collections import Counter

import pytest
from hypothesis import settings

import examples
import tiers
from left_out import LeftOut
from no_processes import NoProcesses

examples.register_profiles()

# A program leaves an ignored signal ignored, as it should; here that would only say how the tests were started.
for number, usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGTERM, signal.SIG_DFL),
):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, usual)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-processes", action="store_true", help="leave out tests that start a process")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(LeftOut(config))
    if config.getoption("--no-processes"):
        config.pluginmanager.register(NoProcesses())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tiers.mark(items)
    cases = Counter(item.function for item in items if isinstance(item, pytest.Function))
    for test, number in cases.items():
        examples.scale(test, settings.get_current_profile_name(), number)


def pytest_collection_finish() -> None:
    gc.freeze()  # thousands of tests stay until the end: the collector need not look at them again and again
