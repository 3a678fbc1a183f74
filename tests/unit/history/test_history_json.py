"""The JSON of the history is as docs/history.md says, masked, and new parts of it are found by a cursor."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
from history_world import JournalFile, gate, iteration

from ralph.core import facts as f
from ralph.history.history import LiveHistory, history_of
from ralph.history.runs import runs_in
from ralph.history.serialise import (
    SCHEMA,
    as_text,
    gate_json,
    iteration_json,
    loop_json,
    news_json,
    run_json,
)
from ralph.history.texts import JournalTexts

PAGE = (Path(__file__).parents[3] / "docs/history.md").read_text()


def documented(part: str) -> set[str]:
    table = PAGE.partition(f"<!-- {part} -->\n")[2].partition("\n\n")[0]
    keys = [line.split("|")[1] for line in table.splitlines()[2:]]
    return {key for cell in keys for key in re.findall(r"`(\w+)`", cell)}


def test_the_page_names_every_key_and_no_other(journal: JournalFile) -> None:
    journal.begin().write(*iteration(1, "TASK_COMPLETE"), *gate(1))
    texts = JournalTexts(journal.state_dir)
    loop = history_of(journal.records).loops["l"].snapshot(0.0, live=True)
    assert loop_json(loop, texts).keys() | {"changed"} == documented("loop")
    assert iteration_json(loop.iterations[1]).keys() == documented("iteration")
    assert gate_json(loop.gates[0], texts).keys() == documented("gate")
    (run,) = runs_in(journal.records).of("")
    assert run_json(run).keys() == documented("run")
    assert f"`schema` ({SCHEMA})" in PAGE


def test_secrets_are_masked(journal: JournalFile, monkeypatch: Any) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2-hunter2-hunter2")
    from ralph.history import serialise

    serialise._masker.cache_clear()
    journal.begin().write(f.StopRequested(how="now", by="hunter2-hunter2-hunter2"))
    shown = as_text(
        loop_json(
            history_of(journal.records).loops["l"].snapshot(0.0, live=True), JournalTexts(journal.state_dir)
        )
    )
    serialise._masker.cache_clear()
    assert "sk-secret" not in shown and "hunter2" not in shown
    assert '"API_KEY": "***"' in shown


def test_what_is_new_after_a_cursor_makes_the_old_whole(journal: JournalFile) -> None:
    """Whoever keeps what it was told, and replaces what it is told anew, has what `loop_json` says."""
    texts = JournalTexts(journal.state_dir)
    live = LiveHistory(journal.state_dir)
    kept: dict[str, dict[str, Any]] = {"iterations": {}, "evidence": {}, "waits": {}, "marks": {}}
    steps: list[list[f.AnyFact]] = [[*iteration(n, "TASK_COMPLETE"), *gate(n)] for n in range(1, 4)]
    steps.insert(2, [f.StopRequested(how="graceful", by="me"), f.WaitStarted("wait:1", "crash", 9.0)])
    steps.insert(3, [f.WaitEnded("wait:1", elapsed=True)])
    cursor, sizes = 0, []
    try:
        journal.begin()
        for step in steps:
            for fact in step:
                journal.write(fact)
                live.poll()
                news = msgspec.to_builtins(news_json(live.history, cursor, "r1", texts))
                (loop,) = news["loops"]
                kept["iterations"] |= {str(it["serial"]): it for it in loop["iterations"]}
                for name in ("evidence", "waits", "marks"):
                    kept[name] |= loop[name]
                cursor = news["cursor"]
                sizes.append(len(loop["iterations"]) + len(loop["evidence"]))
    finally:
        live.close()
    assert max(sizes) <= 3, "only what a fact changed"
    whole = msgspec.to_builtins(loop_json(live.history.loops["l"], texts))
    for name, found in kept.items():
        assert list(found.values()) == whole[name], name
    assert news_json(live.history, cursor, "r1", texts)["loops"] == []
