"""What the conformance suite found, case by case and CLI by CLI, and the table that docs/agents.md makes of it.

`make test-agents` writes `results.json` when every case of every CLI passed, and never otherwise.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import install
import pytest

Test = TypeVar("Test", bound=Callable[..., None])
FILE = Path(__file__).with_name("results.json")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.md"
BEGIN, END = "<!-- made from tests/agents/results.json -->\n", "<!-- end -->\n"
SEEN = "seen:"
TITLES = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "opencode"}
# What each case is called in the table; its order is the table's. A case is a test, with its parameters other than the CLI.
ROWS = {
    "work": "writes a file, runs a command, and its claim is proven",
    "words": "its last words are heard",
    "tokens": "its tokens are counted",
    "cost": "cost",
    "continued": "figures of a session that `args` continue",
    "session": "its session id is recorded",
    "arguments": "`model` and `args` are passed",
    "large": "a prompt of 200 kB, with quotes, newlines and unicode",
    "dash": "a prompt that begins with a dash",
    "tools": "Ralph's tools called",
    "servers": "your own MCP servers",
    "asked": "your own MCP servers, asked for",
    "passing": "gets over a rate limit that passes",
    "fault:429": "429",
    "fault:429-wait": "429, retry in an hour",
    "fault:500": "500",
    "fault:529": "overloaded (529, 503)",
    "fault:cut": "every answer breaks off",
    "fault:hang": "no answer at all",
    "fault:usage-limit": "usage limit",
    "fault:401": "bad key",
    "fault:unknown-model": "unknown model",
    "fault:too-long": "prompt too long from the start",
    "full": "context full on the way",
    "left:stop": "left running after a stop, with a tool busy",
    "left:time-out": "left running after a time-out, with a tool busy",
}


# What no single run shows; each is kept by a test of the readers on recorded streams.
NOTES = {
    "tokens while it works": ("yes", "yes, from its session file", "at the end only", "after each step"),
}


def shows(*names: str) -> Callable[[Test], Test]:
    """Marks a conformance test with its cases. A parameter other than the CLI is part of the case's name."""

    def mark(test: Test) -> Test:
        test.cases = names  # type: ignore[attr-defined]
        return test

    return mark


def cases(node: pytest.Item) -> tuple[str, list[str]]:
    """The CLI and the cases of a conformance test; empty for any other test."""
    if not isinstance(node, pytest.Function) or not hasattr(node, "callspec"):
        return "", []
    parameters = dict(node.callspec.params)
    cli = str(parameters.pop("cli", ""))
    more = [str(value) for value in parameters.values()]
    return cli, [":".join([name, *more]) for name in getattr(node.function, "cases", ())]


class Writer:
    """Gathers what is seen in one session of pytest."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        report = yield
        cli, names = cases(item)
        said = {str(key): str(value) for key, value in report.user_properties}
        for name in names if report.when == "call" and report.passed else ():
            self._found.setdefault(name, {})[cli] = said.get(f"{SEEN}{name}", "yes")
        return report

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        missing = [f"{name} {cli}" for name in ROWS for cli in TITLES if cli not in self._found.get(name, {})]
        if exitstatus or missing:
            print(
                f"\nThe results were not written: {', '.join(missing) or 'there were failures'}",
                file=sys.stderr,
            )
            session.exitstatus = exitstatus or 1
            return
        versions = {cli: install.PACKAGES[cli].version for cli in TITLES}
        found = {name: {cli: self._found[name][cli] for cli in TITLES} for name in ROWS}
        FILE.write_text(json.dumps({"versions": versions, "cases": found}, indent=2) + "\n", "utf-8")
        PAGE.write_text(renewed(PAGE.read_text("utf-8"), load()), "utf-8")


def load() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return found


def table(found: dict[str, dict[str, Any]]) -> str:
    rows = [("", *TITLES.values()), ("---",) * 5, ("version", *(found["versions"][cli] for cli in TITLES))]
    rows += [(words, *cells) for words, cells in NOTES.items()]
    rows += [(words, *(found["cases"][name][cli] for cli in TITLES)) for name, words in ROWS.items()]
    return "".join(f"| {' | '.join(row)} |\n".replace("|  |", "| |") for row in rows)


def renewed(page: str, found: dict[str, dict[str, Any]]) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(found)}\n{END}{after}"
