from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import install
import results

from model.serve import Model

WRITE = "--write-results"


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Model]:
    with Model(tmp_path / "requests.jsonl") as served:
        yield served


@pytest.fixture
def program() -> Callable[[str], install.Installed]:
    """A CLI of the cache; the test is skipped, saying why, when it is not there."""

    def find(cli: str) -> install.Installed:
        try:
            return install.installed(cli)
        except install.NotInstalled as why:
            pytest.skip(str(why))

    return find


@pytest.fixture
def seen(record_property: Callable[[str, object], None]) -> Callable[[str, str], None]:
    """How a conformance test says what it saw: the words for the cell of a case in docs/agents.md."""
    return lambda case, words: record_property(f"{results.SEEN}{case}", words)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(WRITE, action="store_true", help="when all passed, renew the table in docs/agents.md")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(WRITE, default=False):
        config.pluginmanager.register(results.Writer())
