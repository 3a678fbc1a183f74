"""Who looks at a long journal again reads only what is new, and sees what they would see without the cache."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from history_world import POLICY, JournalFile, gate, iteration

from ralph.cli.show import loop_status
from ralph.cli.show.loop_status import status_json
from ralph.core import facts as f
from ralph.core.loop.fold import fold_all
from ralph.core.policy import Task
from ralph.history import saved
from ralph.history.history import build
from ralph.history.saved import NAME, CurrentHistory, save
from ralph.runner.backlog_tasks import changes


@pytest.fixture(autouse=True)
def worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "SAVE_EVERY", 1)


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
    assert CurrentHistory(journal.state_dir).read == 7
    assert CurrentHistory(journal.state_dir).read == 0
    journal.write(*iteration(2))
    found = CurrentHistory(journal.state_dir)
    assert (found.read, found.survey.cursor) == (2, 9)


def test_every_loop_is_held_and_states_are_those_of_the_fold(journal: JournalFile) -> None:
    journal.begin().write(*iteration(1), *gate(1))
    task = Task(id="u", title="U")
    journal.write(f.LoopStarted(loop="m", task=task, policy=POLICY, root="/r"), *iteration(1), loop="m")
    save(journal.state_dir)
    journal.write(*iteration(2))
    found = CurrentHistory(journal.state_dir).loops(["l", "m"])
    for id, loop in found.items():
        assert loop.state == fold_all(f.decode(r.data) for r in journal.records if r.loop == id)


def test_of_a_task_that_is_over_what_the_backlog_asks_for_is_kept(journal: JournalFile) -> None:
    begun = f.LoopStarted(loop="l", task=Task(id="t", title="T"), policy=POLICY, root="/w", home="/r")
    proposed = f.TaskProposed(how="add", tasks=(Task(id="t.1", title="More"),), name="p", serial=1)
    ended = f.LoopEnded(end="failed", reason="too hard", code=3)
    journal.write(f.RunStarted(run="r1", pid=1, version="0", tier="group", backlog="/r"), loop="")
    journal.write(begun, f.WorkspacePrepared(tree="t"), *iteration(1), *gate(1), proposed, ended)
    journal.write(f.BacklogWritten(seq=5), loop="")
    save(journal.state_dir)
    found = CurrentHistory(journal.state_dir)
    assert found.read == 0 and found.survey.written == 5
    assert found.survey.of_backlog(Path("/r")) == ["l"]
    loop, full = found.loops(["l"])["l"], build(journal.records, ["l"])["l"]
    assert loop.for_backlog == full.for_backlog == [(8, proposed), (9, ended)]
    assert list(changes(loop.state)) == list(changes(full.state))
    assert loop.state.progress.tokens == full.state.progress.tokens


def cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def one_bit_differs(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(b"\x00garbage"),
    "torn": cut_in_half,
    "flipped": one_bit_differs,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_one_is_ignored_and_made_anew(journal: JournalFile, damage: str) -> None:
    journal.begin().write(*iteration(1), *gate(1))
    save(journal.state_dir)
    DAMAGES[damage](journal.state_dir / NAME)
    assert CurrentHistory(journal.state_dir).read == len(journal.records)
    assert CurrentHistory(journal.state_dir).read == 0
    assert looked_at(journal) == read_anew(journal)


def test_one_that_other_rules_made_is_ignored(journal: JournalFile, monkeypatch: pytest.MonkeyPatch) -> None:
    journal.begin().write(*iteration(1), *gate(1))
    save(journal.state_dir)
    monkeypatch.setattr(saved, "_rules", lambda: "those of tomorrow")
    assert CurrentHistory(journal.state_dir).read == len(journal.records)
    assert looked_at(journal) == read_anew(journal)


def test_one_of_another_journal_is_ignored(journal: JournalFile) -> None:
    journal.begin().write(*iteration(1), *gate(1))
    save(journal.state_dir)
    journal.close()
    other = JournalFile(journal.state_dir)
    other.begin().write(*iteration(1, "TASK_STUCK: no"), *gate(2), *iteration(2))
    assert CurrentHistory(journal.state_dir).read == len(other.records)
    assert looked_at(other) == read_anew(other)


def test_one_that_is_ahead_of_the_journal_is_ignored(journal: JournalFile) -> None:
    """A power cut takes the journal's last records, which nobody had depended on, and leaves the cache."""
    journal.begin().write(*iteration(1))
    size = (journal.state_dir / "journal.jsonl").stat().st_size
    journal.write(*gate(1))
    save(journal.state_dir)
    os.truncate(journal.state_dir / "journal.jsonl", size)
    assert CurrentHistory(journal.state_dir).read == 5
    assert CurrentHistory(journal.state_dir).survey.cursor == 5


def test_without_a_journal_there_is_no_history(journal: JournalFile) -> None:
    journal.begin()
    save(journal.state_dir)
    (journal.state_dir / "journal.jsonl").unlink()
    assert CurrentHistory(journal.state_dir).survey.starts == {}


def test_nobody_else_may_read_it(journal: JournalFile) -> None:
    """The policy of a loop may hold what is secret."""
    journal.begin()
    save(journal.state_dir)
    assert (journal.state_dir / NAME).stat().st_mode & 0o777 == 0o600


def test_a_short_journal_is_not_worth_it(journal: JournalFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "SAVE_EVERY", 100)
    journal.begin().write(*iteration(1))
    save(journal.state_dir)
    assert not (journal.state_dir / NAME).exists()


def test_a_folder_that_cannot_be_written_is_no_trouble(journal: JournalFile) -> None:
    journal.begin().write(*iteration(1), *gate(1))
    (journal.state_dir / NAME).mkdir()
    assert looked_at(journal) == read_anew(journal)
    assert list(journal.state_dir.glob(f"{NAME}.*")) == []
