"""The test runners that Ralph asks for a report by test: how each is asked, and how its report is read.

`instrument` before a gate runs, `read` after it. A runner that is not in the table reports nothing, and what it ran is not
checked by test. Nothing here decides anything: `gates/accounts.py` compares reports.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.files import read_text

from . import cargo, go, javascript, python
from .additions import Addition, GateCommand, extend, reference
from .records import put_hooks, read_records, records_folder
from .report import Builder, TestReport


class Family(msgspec.Struct, frozen=True):
    """Runners that are asked in one way."""

    used: Mapping[str, str]  # runner -> the pattern by which a command or script names it
    additions: Callable[[GateCommand], dict[str, Addition]] = lambda _: {}
    broke: str = (
        ""  # a pattern of what is printed when what was added, and not a test, is the reason of a failure
    )


FAMILIES = {
    "python": Family(python.USED, python.additions, python.BROKE),
    "javascript": Family(javascript.USED, javascript.additions, javascript.BROKE),
    "go": Family(go.USED, go.additions, go.BROKE),
    "rust": Family(cargo.USED),
}
_SCRIPT = re.compile(r"\b(?:npm|pnpm|yarn|bun)\b(?:\s+-\S+)*\s+(?:run(?:-script)?\s+)?(?:-\S+\s+)*([\w:.-]+)")
_SHELL = re.compile(r"[\w./-]+\.(?:sh|bash)\b")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")


class Instrumented(msgspec.Struct, frozen=True):
    command: str
    env: dict[str, str]  # to be added to the gate's own
    runners: tuple[str, ...] = ()  # that the command seems to use, as far as it says
    note: str = ""  # what could not be asked, and why


def instrument(
    command: str,
    *,
    checkout: Path,
    folder: str,
    reports: Path,
    env: Mapping[str, str],
    keep_going: bool = False,
    without: Collection[str] = (),
) -> Instrumented:
    """The command and variables by which the runners report into `reports`, an empty folder that the gate may write to.

    `keep_going`: run all tests, although the user's options would stop at the first failure or at a file that cannot be
    loaded. It is for runs of which only the report counts. `without`: families that are not asked, as `broken` named them.
    """
    put_hooks(reports)
    gate = GateCommand(command, scripts(command, checkout / folder), checkout, folder, reports, env)
    additions: dict[str, Addition] = {}
    for name, family in FAMILIES.items():
        additions |= {} if name in without else family.additions(gate)
    return Instrumented(
        extend(command, additions),
        _variables(additions, reports, env, keep_going),
        tuple(runner for family in FAMILIES.values() for runner in _named(family, gate.said)),
        f"not asked for test reports, because that broke the run: {', '.join(sorted(without))}"
        if without
        else "",
    )


def _named(family: Family, said: str) -> list[str]:
    return [runner for runner, pattern in family.used.items() if re.search(pattern, said)]


def _variables(
    additions: Mapping[str, Addition], reports: Path, env: Mapping[str, str], keep_going: bool
) -> dict[str, str]:
    """The hooks take out what is ours before the first test: null is removed; else our part, what follows it, and what the
    variable was."""
    values = {name: addition.value for name, addition in additions.items()}
    own = {reference(name): addition.ours for name, addition in additions.items()}
    own["RALPH_GATE_REPORTS"] = str(records_folder(reports))
    if keep_going:
        own["RALPH_GATE_KEEP_GOING"] = "1"
    restore = dict.fromkeys((*own, "RALPH_GATE_RESTORE")) | {
        name: (addition.ours, addition.separator, env.get(name)) for name, addition in additions.items()
    }
    return {**values, **own, "RALPH_GATE_RESTORE": json.dumps(restore)}


def read(reports: Path, *, root: Path, output: str) -> TestReport | None:
    """What the run reported; None when no runner that we know did: not checked. `root`: the checkout that it ran in;
    `output`: all that it printed."""
    builder = Builder(root)
    read_records(reports, builder)
    python.read_junit(reports, builder, root)
    go.read_output(output, builder, root)
    cargo.read_output(output, builder, root)
    return builder.report()


def broken(output: str) -> tuple[str, ...]:
    """The families whose additions seem to be why a run failed: it is worth running again `without` them."""
    return tuple(
        name for name, family in FAMILIES.items() if family.broke and re.search(family.broke, output)
    )


def broke(output: str) -> bool:
    return bool(broken(output))


def scripts(command: str, folder: Path) -> str:
    """The command, and what it names in package.json and Makefile: where a runner and its options are written."""
    said = [command, *(text for word in _SHELL.findall(command) if (text := _text(folder / word)))]
    if re.search(r"\bmake\b", command):
        said += [text for name in _MAKEFILES if (text := _text(folder / name))][:1]
    try:
        named = msgspec.json.decode(_text(folder / "package.json") or "{}", type=_Package).scripts
    except msgspec.MsgspecError:
        named = {}
    for text in said:  # grows meanwhile: a script may name others
        for name in (match[1] for match in _SCRIPT.finditer(text)):
            name = "test" if name == "t" else name
            said += [part for key in (f"pre{name}", name, f"post{name}") if (part := named.pop(key, ""))]
    return "\n".join(said)


class _Package(msgspec.Struct, frozen=True):
    scripts: dict[str, str] = {}


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except RalphError:
        return ""
