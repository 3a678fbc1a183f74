"""Who looks at a long journal again reads only what is new, and sees what they would see without the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from history_world import POLICY, JournalFile, gate, iteration

from ralph.cli.show import loop_status
from ralph.cli.show.loop_status import status_json
from ralph.core import facts as f
from ralph.core.policy import Task
from ralph.history import saved
from ralph.history.history import build
from ralph.history.saved import NAME, CurrentHistory


@pytest.fixture(autouse=True)
def worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "WORTH_SAVING", 1)


@pytest.fixture(autouse=True)
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_status, "seconds_since", lambda at: 0.0)


def looked_at(journal: JournalFile, loop: str = "l") -> dict[str, Any]:
    found = CurrentHistory(journal.state_dir).loops([loop])[loop]
    return status_json(found.stand(live=True), journal.state_dir)


def read_anew(journal: JournalFile, loop: str = "l") -> dict[str, Any]:
    return status_json(build(journal.records, [loop])[loop].stand(live=True), journal.state_dir)


def test_after_every_fact_it_shows_what_it_would_show_without_it(journal: JournalFile) -> None:
    facts: list[f.AnyFact] = [
        *iteration(1, "TASK_COMPLETE"),
        *gate(1),
        f.Said(name="a", text="mind the gap", by="me"),
        *iteration(2, "ITERATION_DONE"),
        f.WaitStarted("wait:2", "crash", 9.0, until="2026-01-02T04:00:00Z"),
        f.WaitEnded("wait:2", elapsed=True),
        *iteration(3, ""),
        f.IterationStarted(serial=4, n=4, prompt="", prompt_chars=0, tree="t", heard=("a",)),
        f.LoopEnded(end="stopped", reason="x", code=12),
        f.LoopResumed(run="r2"),
        *iteration(5, "TASK_COMPLETE"),
        *gate(5, passed=True),
        *iteration(6, ""),
        *gate(6),
    ]
    journal.begin()
    for fact in facts:
        journal.write(fact)
        assert looked_at(journal) == read_anew(journal), fact
    assert (journal.state_dir / NAME).is_file()


def test_only_what_is_new_is_read(journal: JournalFile) -> None:
    journal.begin().write(*iteration(1), *gate(1))
    looked_at(journal)
    assert len(CurrentHistory(journal.state_dir)._new.records) == 0
    journal.write(*iteration(2))
    assert [record.seq for record in CurrentHistory(journal.state_dir)._new.records] == [8, 9]
    assert CurrentHistory(journal.state_dir).survey.cursor == 9
    assert len(CurrentHistory(journal.state_dir).records()) == 9, "who wants all gets all"


def test_a_loop_that_it_does_not_hold_is_found_all_the_same(journal: JournalFile) -> None:
    journal.begin().write(*iteration(1), *gate(1))
    task = Task(id="u", title="U")
    journal.write(f.LoopStarted(loop="m", task=task, policy=POLICY, root="/r"), *iteration(1), loop="m")
    looked_at(journal, "m")
    journal.write(*iteration(2))
    assert looked_at(journal) == read_anew(journal)


@pytest.mark.parametrize("damage", ["other journal", "no journal", "garbage", "other rules", "empty"])
def test_what_does_not_fit_is_not_used(journal: JournalFile, damage: str, monkeypatch: Any) -> None:
    journal.begin().write(*iteration(1), *gate(1))
    looked_at(journal)
    cache: Path = journal.state_dir / NAME
    match damage:
        case "other journal":
            journal.close()
            journal = JournalFile(journal.state_dir)
            journal.begin().write(*iteration(1, "TASK_STUCK: no"), *gate(2), *iteration(2))
        case "no journal":
            (journal.state_dir / "journal.jsonl").unlink()
            assert CurrentHistory(journal.state_dir).survey.starts == {}
            return
        case "garbage":
            cache.write_bytes(b"\x00garbage")
        case "other rules":
            monkeypatch.setattr(saved, "_rules", lambda: "those of tomorrow")
        case "empty":
            cache.write_bytes(b"")
    assert len(CurrentHistory(journal.state_dir)._new.records) == len(journal.records)
    assert looked_at(journal) == read_anew(journal)


def test_a_folder_that_cannot_be_written_is_no_trouble(journal: JournalFile) -> None:
    journal.begin().write(*iteration(1), *gate(1))
    (journal.state_dir / NAME).mkdir()
    assert looked_at(journal) == read_anew(journal)
    assert list(journal.state_dir.glob(f"{NAME}.*")) == []
