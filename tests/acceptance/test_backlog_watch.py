"""An idle `ralph run --watch` sees what people do to the list by looking, and rests in between."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from project import Project, until

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: "true"}]
event_loop: {max_iterations: 3, crash_wait: 0}
"""
OFTEN = "poll_interval_seconds: 0.1\n"


def line(id: str) -> str:
    return json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n"


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG + OFTEN)
    project.agent('echo good > "part-$RALPH_TASK"; echo TASK_COMPLETE')
    project.write("tasks.jsonl", line("A"))
    project.commit()
    return project


@contextmanager
def idle(project: Project, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A run that has done what there was and waits."""
    run = project.start("run", "--watch", env=env)
    try:
        until(lambda: landed(project) == 1 and told(project), "A is done, and the list says so")
        looks(run)
        yield run
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()


def landed(project: Project) -> int:
    return project.journaled("landed")


def told(project: Project) -> bool:
    """The list has been told of the end of the last loop: also of one that has only landed as yet."""
    journal = (project.path / ".git/ralph/journal.jsonl").read_text()
    landed, ended = (journal.count(f'"kind":"{kind}"') for kind in ("landed", "loop.ended"))
    last = {kind: journal.rfind(f'"kind":"{kind}"') for kind in ("loop.ended", "backlog.written")}
    return ended >= landed and last["backlog.written"] > last["loop.ended"]


def archived(project: Project) -> list[str]:
    lines = (project.path / "tasks-done.jsonl").read_text().splitlines()
    return sorted(json.loads(text)["id"] for text in lines)


def written(project: Project) -> int:
    return project.journaled("backlog.written")


def looks(run: subprocess.Popen[str], count: int = 10) -> None:
    """It has woken up this many times more: whatever was there before has been seen."""
    before = wakes(run)
    until(lambda: wakes(run) >= before + count, "it looks again")


def wakes(run: subprocess.Popen[str]) -> int:
    """How often it has gone to sleep so far."""
    status = Path(f"/proc/{run.pid}/status").read_text()
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


def appended(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def renamed_over(path: Path, text: str) -> None:
    new = path.with_name("tasks.new")
    new.write_text(path.read_text() + text)
    new.replace(path)


@pytest.mark.parametrize("change", [appended, renamed_over])
def test_a_task_that_a_person_adds_is_begun(backlog: Project, change: Callable[[Path, str], None]) -> None:
    with idle(backlog) as run:
        for count, id in enumerate(("B", "C"), 2):
            change(backlog.path / "tasks.jsonl", line(id))
            until(lambda count=count: landed(backlog) == count, id)
        assert backlog.ralph("stop").returncode == 0
        assert run.wait(60) == 12


def test_what_a_writer_appends_to_the_list_that_was_replaced_is_begun(backlog: Project) -> None:
    """It opened the list before Ralph wrote it: an editor, or a program whose output goes to the list."""
    with (backlog.path / "tasks.jsonl").open("a") as writer, idle(backlog):
        for count, id in enumerate(("B", "C"), 2):
            writer.write(line(id))
            writer.flush()
            until(lambda count=count: landed(backlog) == count, id)
        until(lambda: told(backlog), "it has written them")
        assert archived(backlog) == ["A", "B", "C"]


def test_behind_a_link_the_list_is_seen_as_well(backlog: Project) -> None:
    there = backlog.path.parent / "lists"
    there.mkdir()
    (backlog.path / "tasks.jsonl").rename(there / "real.jsonl")
    (backlog.path / "tasks.jsonl").symlink_to("../lists/real.jsonl")
    backlog.commit()
    with idle(backlog):
        appended(there / "real.jsonl", line("B"))
        until(lambda: landed(backlog) == 2, "B")
        renamed_over(there / "real.jsonl", line("C"))
        until(lambda: landed(backlog) == 3, "C")


def test_a_task_that_is_added_by_command_is_begun(backlog: Project) -> None:
    with idle(backlog):
        assert backlog.ralph("task", "add", "Part B", "--id", "B").returncode == 0
        until(lambda: landed(backlog) == 2, "B")


def test_without_a_list_it_waits_until_there_is_one(backlog: Project) -> None:
    (backlog.path / "tasks.jsonl").unlink()
    backlog.commit("no list")
    refused = backlog.ralph("run", "--max-items", "1")
    assert refused.returncode == 2 and "there is no tasks.jsonl" in refused.stderr
    run = backlog.start("run", "--watch")
    until(lambda: backlog.journaled("run.started") == 1, "it has begun")
    looks(run)
    assert backlog.ralph("task", "add", "Part Z").returncode == 0
    until(lambda: landed(backlog) == 1, "it is begun and lands")
    backlog.ralph("stop")
    assert run.wait(60) == 12, backlog.shown()


def test_a_stop_file_ends_an_idle_run(backlog: Project) -> None:
    with idle(backlog) as run:
        (backlog.path / ".stop").touch()
        assert run.wait(60) == 12
        assert not (backlog.path / ".stop").exists()


def test_a_look_at_what_has_not_changed_writes_nothing_and_starts_no_git(backlog: Project) -> None:
    """Nor where a task is done and not on the target, so that the others wait for git to say that it is."""
    backlog.write("tasks.jsonl", line("A") + line("B").replace("}", ', "depends_on": ["A"]}'))
    backlog.write("part-A", "begin\n")
    backlog.commit()
    backlog.write("part-A", "my own edit\n")  # so that A goes to a branch, and B waits for it
    bin = backlog.path.parent / "counting"
    bin.mkdir()
    git, calls = shutil.which("git"), bin / "calls"
    (bin / "git").write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexec {git} "$@"\n')
    (bin / "git").chmod(0o755)
    with idle(backlog, PATH=f"{bin}:{backlog.env['PATH']}") as run:
        writes = written(backlog)
        os.utime(backlog.path / "tasks.jsonl")
        looks(run)
        before = calls.read_text()
        backlog.write("notes.txt", "a file beside it\n")
        looks(run)
        assert calls.read_text() == before != ""
        assert written(backlog) == writes and backlog.journaled("loop.ended") == 1


def test_it_wakes_up_for_its_looks_only(backlog: Project) -> None:
    backlog.config(CONFIG + "poll_interval_seconds: 3600\n")
    run = backlog.start("run", "--watch")
    try:
        until(lambda: landed(backlog) == 1 and told(backlog), "A is done, and the list says so")
        until(lambda: sleeps(run), "an hour is too long for this test: it is not woken at all")
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()


def sleeps(run: subprocess.Popen[str]) -> bool:
    """It has not been given the processor for a while."""
    before = wakes(run)
    try:
        until(lambda: wakes(run) != before, "it works", seconds=0.5)
    except AssertionError:
        return True
    return False


def test_a_bad_line_is_no_end_and_the_next_good_one_is_begun(backlog: Project) -> None:
    with idle(backlog) as run:
        appended(backlog.path / "tasks.jsonl", "{not json\n")
        (backlog.path / "tasks.jsonl").rename(backlog.path / "away")
        looks(run)
        (backlog.path / "away").rename(backlog.path / "tasks.jsonl")
        appended(backlog.path / "tasks.jsonl", line("B"))
        until(lambda: landed(backlog) == 2, "B")
