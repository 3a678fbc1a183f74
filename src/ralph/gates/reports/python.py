"""pytest and unittest: a sitecustomize of ours on PYTHONPATH, loaded by each Python that the gate starts.

It survives make, tox, `python -m`, pytest-xdist, `-p no:...` and PYTEST_ADDOPTS, and needs no option that a runner could
refuse. Where a Makefile or script sets PYTHONPATH anew, pytest is asked for JUnit's XML instead; unittest reports nothing.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from .additions import Addition, GateCommand
from .records import hooks_folder
from .report import Builder, Outcome
from .sources import source_bytes

if TYPE_CHECKING:
    from xml.etree import ElementTree

USED = {"pytest": r"\bpytest\b|\bpy\.test\b", "unittest": r"\bunittest\b|\bmanage\.py\s+test\b"}
BROKE = r"sitecustomize|ralph_(?:pytest|unittest)_hook|ralph_gate_|unrecognized arguments: --junitxml"
_PASSED_ON = ("PYTHONPATH", "RALPH_GATE_REPORTS", "RALPH_GATE_RESTORE", "RALPH_GATE_KEEP_GOING")
_SETS_PATH = re.compile(r"(?<![\w$({])PYTHONPATH\s*[:?]?=(?!.*PYTHONPATH)")  # and does not keep what it was
MOST_XML = 64 << 20


def additions(gate: GateCommand) -> dict[str, Addition]:
    found = {
        "PYTHONPATH": (str(hooks_folder(gate.reports)), ":"),
        # tox passes on only what it is told to: tox 3 by this one, tox 4 by the next
        "TOX_TESTENV_PASSENV": (" ".join(_PASSED_ON), " "),
        "TOX_OVERRIDE": (f"testenv.pass_env+={','.join(_PASSED_ON)}", ";"),
    }
    if _SETS_PATH.search(gate.said.removeprefix(gate.command)):
        options = f"--junitxml={shlex.quote(str(_junit(gate.reports, gate.folder)))} -o junit_family=xunit1"
        found["PYTEST_ADDOPTS"] = (options, " ")
    return {name: Addition(*parts, gate.env.get(name, "")) for name, parts in found.items()}


def _junit(reports: Path, folder: str) -> Path:
    """Its name says where the gate ran: paths in it are relative to that folder or to one around it."""
    return reports / f"in {quote(folder, safe='')}.xml"


def read_junit(reports: Path, builder: Builder, root: Path) -> None:
    """pytest writes it when it ends: a run that ended early leaves none."""
    files = sorted(reports.glob("in *.xml"))
    if files:
        from xml.etree import ElementTree
    for path in files:
        builder.began("pytest")
        content = source_bytes(path, MOST_XML)
        try:
            if content is None or b"<!" in content.split(b"<testsuite", 1)[0]:
                raise ValueError("not what pytest writes")
            cases = list(ElementTree.fromstring(content).iter("testcase"))
        except (ElementTree.ParseError, ValueError):
            builder.never_ended()
            continue
        for case in cases:
            _read_case(case, root / unquote(path.stem[3:]), builder)


def _read_case(case: ElementTree.Element, folder: Path, builder: Builder) -> None:
    file, group, name = case.get("file", ""), case.get("classname", ""), case.get("name", "")
    path = next((str(place / file) for place in (folder, *folder.parents) if (place / file).is_file()), file)
    failure = next((part for part in case if part.tag in ("failure", "error")), None)
    detail = _message(failure) if failure is not None else ""
    if not group:  # a file that could not be loaded
        builder.trouble(path, detail)
        return
    skipped = any(part.tag == "skipped" for part in case)
    outcome: Outcome = "failed" if failure is not None else "skipped" if skipped else "passed"
    module = file.removesuffix(".py").replace("/", ".")
    classes = group.removeprefix(module).split(".")
    builder.test(path, "::".join(filter(None, (*classes, name))), outcome, detail)


def _message(failure: ElementTree.Element) -> str:
    errors = (line[1:].strip() for line in (failure.text or "").splitlines() if line.startswith("E "))
    said = next(errors, failure.get("message", ""))
    return f"AssertionError: {said}" if said.startswith("assert ") else said
