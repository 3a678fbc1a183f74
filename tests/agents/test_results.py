"""The table in docs/agents.md is what the conformance suite last found, of every case with every CLI."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import clis
import install
import results
import test_adapter_faults
import test_adapters


def test_the_table_in_the_documentation_is_made_from_the_results() -> None:
    page = results.PAGE.read_text("utf-8")
    assert page.count(results.BEGIN) == page.count(results.END) == 1
    assert results.renewed(page, results.load()) == page, "run: make test-agents"


def test_every_case_was_seen_with_every_cli_in_its_pinned_version() -> None:
    found = results.load()
    assert found["versions"] == {cli: package.version for cli, package in install.PACKAGES.items()}
    assert list(found["cases"]) == list(results.ROWS)
    for name, cells in found["cases"].items():
        assert list(cells) == list(clis.STARTS) and all(cells.values()), name


def test_every_conformance_test_has_its_rows_and_every_row_its_test() -> None:
    assert sorted(conforming()) == sorted(results.ROWS)


def conforming() -> Iterator[str]:
    for module in (test_adapters, test_adapter_faults):
        for name, test in vars(module).items():
            if name.startswith("test_") and "cli" in (axes := parameters(test)):
                others = [values for axis, values in axes.items() if axis != "cli"]
                for case in test.cases:
                    yield from (":".join((case, *more)) for more in itertools.product(*others))


def parameters(test: Any) -> dict[str, list[str]]:
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    return {mark.args[0]: [str(value) for value in mark.args[1]] for mark in marks}
