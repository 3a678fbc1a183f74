"""The history is the same however it is built, holds the core's own fold, and costs the same for each fact."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from core_world import POLICIES, TASK, answer, close
from history_world import BEGIN, POLICY, JournalFile, gate, iteration, tree
from hypothesis import given
from hypothesis import strategies as st

from ralph.core import facts as f
from ralph.core.loop.decide import decide
from ralph.core.loop.fold import fold, fold_all
from ralph.core.loop.state import LoopState
from ralph.core.policy import Task
from ralph.history.history import History, LiveHistory, build, history_of, survey
from ralph.history.loops import Loop
from ralph.history.moments import At
from ralph.history.serialise import loop_json
from ralph.history.texts import JournalTexts, TextRef
from ralph.journal.read import read_record
from ralph.journal.record import Record

NOWHERE = JournalTexts(Path("/nonexistent"))


def shown(loop: Loop) -> Any:
    return msgspec.to_builtins(loop_json(loop.snapshot(0.0, live=True), NOWHERE))


def recorded(facts: Iterable[f.AnyFact]) -> list[Record]:
    return [
        Record(
            seq=n,
            at=(BEGIN + timedelta(seconds=n)).isoformat(),
            run="r1",
            loop="l",
            kind=f.kind_of(fact),
            data=msgspec.Raw(f.encode(fact)),
        )
        for n, fact in enumerate(facts, 1)
    ]


@st.composite
def lives(draw: Any) -> list[f.AnyFact]:
    """What may become of a loop, cut short anywhere."""
    found: list[f.AnyFact] = [f.LoopStarted(loop="l", task=TASK, policy=draw(POLICIES), root="/r")]
    s = fold_all(found)
    for _ in range(draw(st.integers(0, 40))):
        if s.judgement.ended is not None:
            break
        for op in decide(s):
            for fact in answer(op, s, draw):
                s = fold(s, fact)
                if not isinstance(fact, f.Tick | f.Metered):
                    found.append(fact)
            if draw(st.integers(0, 9)) == 9 and s.progress.open:
                for fact in close(next(iter(s.progress.open)), s, draw, "stop"):
                    s = fold(s, fact)
                    found.append(fact)  # type: ignore[arg-type]
    return found


@given(lives(), st.data())
def test_record_by_record_it_is_as_in_bulk(facts: list[f.AnyFact], data: st.DataObject) -> None:
    records = recorded(facts)
    step = History()
    cut = data.draw(st.integers(0, len(records)))
    for record in records[:cut]:
        step.take(record)
        shown(step.loops["l"])  # looking at it changes nothing
    for record in records[cut:]:
        step.take(record)
    bulk = history_of(records)
    assert step.cursor == bulk.cursor == len(records)
    assert shown(step.loops["l"]) == shown(bulk.loops["l"]) == shown(build(records, ["l"])["l"])


@given(lives())
def test_its_state_is_the_cores_fold_and_its_figures_are_those_of_the_state(facts: list[f.AnyFact]) -> None:
    loop = history_of(recorded(facts)).loops["l"]
    assert loop.state == fold_all(facts)
    assert len(loop.turned_down) == loop.state.judgement.attempts
    assert len(loop.iterations) == sum(isinstance(fact, f.IterationStarted) for fact in facts)
    assert {one.op for one in loop.under_way()} == {
        op for op, r in loop.state.progress.open.items() if r.what != "wait"
    }
    ended = [run for run in loop.gates if run.origin == "ran" and run.ended]
    assert len(ended) == sum(isinstance(fact, f.GateEnded) for fact in facts)


@given(lives())
def test_whoever_has_folded_already_need_not_do_it_again(facts: list[f.AnyFact]) -> None:
    mine, state = Loop(), LoopState()
    for record, fact in zip(recorded(facts), facts, strict=True):
        state = fold(state, fact)
        mine.note(fact, At(record.seq, record.at, record.run, record.seq), state)
    theirs = Loop()
    for record, fact in zip(recorded(facts), facts, strict=True):
        theirs.note(fact, At(record.seq, record.at, record.run, record.seq))
    assert shown(mine) == shown(theirs)


def test_long_texts_are_read_from_the_journal_when_somebody_asks(journal: JournalFile) -> None:
    said, excerpt = "word " * 500 + "\nTASK_COMPLETE", "line\n" * 300
    journal.begin().write(*iteration(1, said), *gate(1, excerpt=excerpt, findings=("one", "two")))
    loop = history_of(journal.records).loops["l"]
    (it,), (run,) = loop.iterations.values(), loop.gates
    assert it.said == TextRef(5, "said", len(said)) and it.ended is not None and it.ended.said == ""
    assert run.excerpt == TextRef(7, "excerpt", len(excerpt)) and run.result.excerpt == ""
    texts = JournalTexts(journal.state_dir)
    assert texts.text(it.said) == said and texts.text(run.excerpt) == excerpt
    assert texts.texts(run.findings) == ("one", "two")
    assert texts.text(TextRef(99, "said", 3)) == "" == texts.text(None), "gone is no error"


@pytest.mark.parametrize("count", [1, 2, 3, 50])
def test_every_record_is_found_by_its_number(journal: JournalFile, count: int) -> None:
    for n in range(1, count + 1):
        journal.write(*iteration(n, "x" * (n * 37 % 400)))
    for record in journal.records:
        found = read_record(journal.state_dir, record.seq)
        assert found and (found.seq, bytes(found.data)) == (record.seq, bytes(record.data))
    assert read_record(journal.state_dir, 0) is None
    assert read_record(journal.state_dir, len(journal.records) + 1) is None


def test_of_loops_that_nobody_wants_only_the_start_is_known(journal: JournalFile) -> None:
    journal.begin().write(*iteration(1))
    journal.write(
        f.LoopStarted(loop="m", task=Task(id="u", title="U"), policy=POLICY, root="/w", home="/r"), loop="m"
    )
    known = survey(journal.records)
    assert list(known.starts) == ["l", "m"]
    assert known.newest == {"l": 5, "m": 6}
    assert [one.id for one in known.here(Path("/r"))] == ["l", "m"]
    assert list(build(journal.records, ["m"])) == ["m"]


def test_another_process_follows_it_as_it_grows(journal: JournalFile) -> None:
    journal.begin().write(*iteration(1))
    live = LiveHistory(journal.state_dir)
    try:
        assert live.poll() == 5 and live.history.cursor == 5
        assert live.poll() == 0
        for n in range(2, 6):
            journal.write(*iteration(n))
            assert live.poll() == 2
            assert live.history.loops["l"].iterations[n].fate == "worked"
    finally:
        live.close()
    assert shown(live.history.loops["l"]) == shown(history_of(journal.records).loops["l"])


# -- what it costs -------------------------------------------------------------------------------------


class Calls:
    """Counts function calls, those of the interpreter's own functions too: work, whatever the load of the machine."""

    def __enter__(self) -> Calls:
        self.count = 0
        sys.setprofile(self._seen)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _seen(self, frame: Any, event: str, argument: Any) -> None:
        self.count += event in ("call", "c_call")


def test_a_new_fact_costs_the_same_however_long_the_loop_is() -> None:
    """The core's fold is its own matter: it is done beforehand here."""

    def cost(before: int) -> list[int]:
        loop, state, seq = Loop(), LoopState(), 0

        def note(fact: f.AnyFact) -> int:
            nonlocal state, seq
            seq += 1
            state = fold(state, fact)
            with Calls() as calls:
                loop.note(fact, At(seq, "", "r1", float(seq)), state)
            return calls.count

        note(f.LoopStarted(loop="l", task=TASK, policy=POLICY, root="/r"))
        for n in range(1, before + 1):
            for fact in (*iteration(n, "TASK_COMPLETE"), *gate(n), *gate(n, name="style")):
                note(fact)
        n = before + 1
        return [note(fact) for fact in (*iteration(n, "TASK_COMPLETE"), *gate(n), *gate(n, name="style"))]

    cost(3)  # imports, caches
    assert cost(10) == cost(400)


def test_ten_thousand_iterations_fit_into_fifty_megabytes(tmp_path: Path) -> None:
    """A fifth of them in a fifth of that, with 10 MB of what agents and gates said beside it."""
    journal = JournalFile(tmp_path)
    journal.begin()
    for n in range(1, 2001):
        journal.write(*iteration(n, "word " * 700 + "\nITERATION_DONE"), *gate(n, excerpt="line\n" * 400))
        journal.records.clear()
    live = LiveHistory(tmp_path)
    tracemalloc.start()
    try:
        live.poll()
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        live.close()
        journal.close()
    assert len(live.history.loops["l"].iterations) == len(live.history.loops["l"].gates) == 2000
    assert used < 10_000_000, used
    assert live.history.loops["l"].iterations[2000].result.tree == tree(2000)


def test_who_shows_only_what_goes_on_forgets_the_past(journal: JournalFile) -> None:
    journal.begin()
    for n in range(1, 50):
        journal.write(*iteration(n, "TASK_COMPLETE"), *gate(n))
    loop = Loop()
    for record in journal.records:
        if record.loop:
            if record.kind == "iteration.started":
                loop.forget_past()
            loop.take(record)
    assert list(loop.iterations) == [48, 49] and len(loop.gates) == 1
    assert loop.results["tests"].serial == 49
