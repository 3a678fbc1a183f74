"""Clearing between phases: header in, todos out, memories kept, the old text in the store; again after a kill at any point."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from ralph.core.hats.board import phase_header
from ralph.core.hats.model import Event
from ralph.core.loop.state import NOT_STARTED, LoopState
from ralph.core.policy import SandboxPolicy
from ralph.journal.store import Store
from ralph.runner.hat_notes import TODO_FILE, clear

HEADER = phase_header(Event("work.finish", "item-1.txt"))
PAD = Path(".ralph/agent/scratchpad.md")
OLD = b"# Phase: propose\nold \xff words\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "workspace"
    (place / PAD).parent.mkdir(parents=True)
    (place / PAD).write_bytes(OLD)
    (place / TODO_FILE).write_text('{"id":"task-1-00aa"}\nbroken')
    (place / PAD).with_name("memories.md").write_text("# Memories\n")
    return place


def store_of(folder: Path) -> Store:
    return Store(folder.parent / "state", "run-1")


def state(folder: Path, sandbox: str = "none") -> LoopState:
    confined = replace(NOT_STARTED.policy, sandbox=SandboxPolicy(kind=sandbox))  # type: ignore[arg-type]
    return LoopState(replace(NOT_STARTED, root=str(folder), policy=confined))


def run(folder: Path, pad: str = str(PAD), sandbox: str = "none") -> list[bytes]:
    """What was kept of what was there."""
    store = store_of(folder)
    clear(folder, state(folder, sandbox), store, pad, HEADER)
    return [path.read_bytes() for path in store.blobs.iterdir()]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / PAD).parent.iterdir())


def test_the_header_is_the_one_of_the_phase() -> None:
    assert HEADER == "# Phase: finish — item-1.txt\nStarting fresh.\n"


def test_scratchpad_and_todos_are_cleared_and_memories_stay(folder: Path) -> None:
    kept = run(folder)
    assert (folder / PAD).read_text() == HEADER
    assert names(folder) == ["memories.md", "scratchpad.md"]
    assert sorted(kept) == [OLD, b'{"id":"task-1-00aa"}\nbroken']


def test_once_more_changes_nothing(folder: Path) -> None:
    kept = run(folder)
    before = (folder / PAD).stat()
    assert sorted(run(folder)) == sorted(kept)
    assert (folder / PAD).stat().st_mtime_ns == before.st_mtime_ns


def test_where_nothing_was_there_is_a_header_then(tmp_path: Path) -> None:
    place = tmp_path / "empty"
    place.mkdir()
    assert run(place) == []
    assert (place / PAD).read_text() == HEADER


def test_a_hat_without_a_scratchpad_has_its_todos_cleared(folder: Path) -> None:
    assert run(folder, "") == [b'{"id":"task-1-00aa"}\nbroken']
    assert (folder / PAD).read_bytes() == OLD
    assert not (folder / TODO_FILE).exists()


def test_a_scratchpad_elsewhere_is_the_one_that_is_cleared(folder: Path) -> None:
    run(folder, "notes/pad.md")
    assert (folder / "notes/pad.md").read_text() == HEADER
    assert (folder / PAD).read_bytes() == OLD
    assert not (folder / TODO_FILE).exists()


def test_killed_at_any_point_it_can_be_done_again(folder: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from test_hat_notes import run\n"
        "run(Path(sys.argv[2]))\n"
    )
    arguments = [sys.executable, "-c", script, str(Path(__file__).parent), str(folder)]
    log = folder.parent / "seams"
    subprocess.run(arguments, env={**os.environ, "RALPH_FAULT": f"count:{log}"}, check=True)
    seams = len(log.read_text().splitlines())
    assert seams >= 6, "the todos' removal, the blobs and the scratchpad"
    for n in range(1, seams + 1):
        state_dir = folder.parent / "state"
        subprocess.run(["rm", "-rf", str(state_dir)], check=True)
        (folder / PAD).write_bytes(OLD)
        (folder / TODO_FILE).write_text("todos")
        done = subprocess.run(arguments, env={**os.environ, "RALPH_FAULT": f"kill@{n}"})
        assert done.returncode == -signal.SIGKILL, n
        run(folder)
        assert (folder / PAD).read_text() == HEADER
        assert names(folder) == ["memories.md", "scratchpad.md"], n
        kept = [path.read_bytes() for path in store_of(folder).blobs.iterdir()]
        assert OLD in kept, n
        assert b"todos" in kept, n


@pytest.mark.parametrize("sandbox", ["none", "bwrap"])
def test_what_is_no_file_is_left_alone(folder: Path, sandbox: str) -> None:
    (folder / PAD).unlink()
    (folder / PAD).mkdir()
    (folder / TODO_FILE).unlink()
    os.mkfifo(folder / TODO_FILE)
    assert run(folder, sandbox=sandbox) == []
    assert (folder / PAD).is_dir()
    assert (folder / TODO_FILE).is_fifo()


def test_from_a_sandbox_nothing_leads_elsewhere(folder: Path) -> None:
    """Whatever Ralph does there, it does with the user's rights."""
    outside = folder.parent / "outside"
    (folder / PAD).parent.rename(outside)
    (folder / PAD).parent.symlink_to(outside)
    assert run(folder, sandbox="bwrap") == []
    assert (outside / "scratchpad.md").read_bytes() == OLD
    assert (outside / "tasks.jsonl").exists()


def test_a_link_is_replaced_and_what_it_leads_to_stays(folder: Path) -> None:
    target = folder.parent / "target.md"
    target.write_text("theirs")
    (folder / PAD).unlink()
    (folder / PAD).symlink_to(target)
    kept = run(folder)
    assert (folder / PAD).read_text() == HEADER
    assert not (folder / PAD).is_symlink()
    assert target.read_text() == "theirs"
    assert b"theirs" in kept


def test_of_a_huge_scratchpad_the_beginning_is_kept(folder: Path) -> None:
    with open(folder / PAD, "wb") as file:
        file.truncate(3 << 30)
    kept = run(folder)
    assert (folder / PAD).read_text() == HEADER
    assert 1 << 20 in map(len, kept)
