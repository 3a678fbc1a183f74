"""The table of exits is the only place that lists the ways to end."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

from parsed import nodes
from ralph.core.exits import CODES, EXITS, OTHER_CODES, STOPS_THE_RUN, End

DOCS = Path(__file__).parents[3] / "docs"
TESTS = Path(__file__).parents[2]
PACKAGE = Path(__file__).parents[3] / "src/ralph"
NAMES = set(get_args(End))


def test_every_end_has_one_row_and_a_code_of_its_own() -> None:
    assert [row.name for row in EXITS if row.name not in NAMES] == []
    assert sorted(row.name for row in EXITS) == sorted(NAMES)
    assert len({*CODES.values(), *OTHER_CODES}) == len(EXITS) + len(OTHER_CODES)
    assert all(row.meaning and row.next for row in EXITS)


def test_only_an_end_that_says_nothing_about_the_task_ends_the_run() -> None:
    assert {row.name for row in EXITS if row.task == "in_progress"} == STOPS_THE_RUN


def test_what_is_over_for_good_waits_for_no_one() -> None:
    for row in EXITS:
        assert row.resumable or not (row.needs_person or row.ends_run or row.raisable), row.name


# -- no other list ---------------------------------------------------------------------------------------


def _lists(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, list[str]]]:
    """What a module writes down as a collection: its texts, or the keys of a dict, or the choices of a `case`."""
    for node in nodes:
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                values = parts
            case ast.Dict(keys=keys):
                values = [key for key in keys if key is not None]
            case ast.MatchOr(patterns=patterns):
                values = [p.value for p in patterns if isinstance(p, ast.MatchValue)]
            case ast.Match(cases=cases):
                values = [c.pattern.value for c in cases if isinstance(c.pattern, ast.MatchValue)]
            case _:
                continue
        texts = [v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str)]
        if len(texts) == len(values):
            yield getattr(node, "lineno", 0), texts


def listed(nodes: Iterable[ast.AST]) -> list[int]:
    """The lines of collections that are made of two or more names of ends, and of nothing else."""
    return [line for line, texts in _lists(nodes) if len(set(texts)) > 1 and set(texts) <= NAMES]


def test_no_other_module_lists_ends() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in PACKAGE.rglob("*.py")
        if path != PACKAGE / "core/exits.py"
        for line in listed(nodes(path))
    ]
    assert not found


def test_a_list_of_ends_would_be_seen() -> None:
    for source in (
        "OVER = ('failed', 'stuck')",
        "x in {'quota', 'limit'}",
        "COLOURS = {'failed': 'red', 'stopped': 'yellow'}",
        "match end:\n    case 'failed' | 'stuck': pass",
        "match end:\n    case 'failed': pass\n    case 'stuck': pass",
    ):
        assert listed(ast.walk(ast.parse(source))), source


# -- one more row ----------------------------------------------------------------------------------------

ROW = """
    Exit(
        name="rained-off",
        code=77,
        tone="unsure",
        task="blocked",
        fleet="blocked",
        needs_person=True,
        meaning="Rained off",
        next="Wait for the sun, then `ralph resume`.",
    ),
)
BY_NAME"""
USES = """
from pathlib import Path
import json
from loop_states import changed, loop_state
from reference import exits as table_of_the_docs
from ralph.cli.show import status
from ralph.core import exits, facts as f
from ralph.core.loop.fold import fold
from ralph.core.loop.end_advice import what_next
from ralph.core.policy import Task
from ralph.core.run import RunState, fold_run
from ralph.runner.backlog_tasks import changes, needs_a_person
from ralph.notify.notification import NotificationContext, notification_of
from ralph.history.loop_records import is_over
from ralph.setup.plan import exit_codes
from ralph.report import words
from ralph.history.loops import Loop
from ralph.history.moments import At
from ralph.history.texts import JournalTexts
from ralph.report.stories import LoopReport

end = "rained-off"
fact = f.decode(f.encode(f.LoopEnded(end=end, reason="clouds", code=exits.exit_code(end))))
s = fold(loop_state(task=Task("A", "Title"), prepared=True), fact)
told = notification_of(fact, s, NotificationContext(run="r", folder="/", host="h", time="t"))
(change,) = changes(s)
loop = Loop()
loop.note(fact, At(run="r"), s)
story = LoopReport(loop.snapshot(0.0, live=False), JournalTexts(Path()))
print(json.dumps({
    "code": fact.code,
    "ended": s.judgement.ended,
    "next": what_next(end, s),
    "next of a task": what_next(end, changed(s, home="/home", source="backlog", root="/slot")),
    "resumable": not is_over(s),
    "change": type(change).__name__,
    "waits": needs_a_person(s),
    "stopping": fold_run(RunState(), fact, "A").stopping,
    "occasion": told.message["occasion"],
    "colour": status.COLOURS[exits.BY_NAME[end].tone],
    "meaning": words.meaning(story),
    "tone": words.tone(story),
    "skill": "| 77 | rained-off | Wait for the sun, then `ralph resume`. |" in exit_codes(),
    "docs": "| 77 | `rained-off` | Rained off |" in table_of_the_docs(),
}))
"""


def test_an_end_is_added_by_one_row(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ralph", ignore=shutil.ignore_patterns("__pycache__"))
    table = tmp_path / "ralph/core/exits.py"
    text = table.read_text().replace('    "interrupted",\n]', '    "interrupted",\n    "rained-off",\n]')
    table.write_text(text.replace("\n)\nBY_NAME", ROW, 1))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(DOCS), str(TESTS)))}
    done = subprocess.run(
        [sys.executable, "-c", USES], env=env, capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "code": 77,
        "ended": "rained-off",
        "next": "Wait for the sun, then `ralph resume`.",
        "next of a task": "Its work is in /slot. To start over: `ralph task reopen A`, then `ralph run`.",
        "resumable": True,
        "change": "Blocked",
        "waits": True,
        "stopping": False,
        "occasion": "block",
        "colour": "yellow",
        "meaning": "Rained off",
        "tone": "unsure",
        "skill": True,
        "docs": True,
    }
