"""An idle `ralph run --watch` sees what people do to the list at once, and rests in between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from project import RALPH, Project, until

# An hour between two looks: whatever is seen in a test was told by the system, or looked for because it cannot tell.
CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: "true"}]
event_loop: {max_iterations: 3, crash_wait: 0}
poll_interval_seconds: 3600
"""


def line(id: str) -> str:
    return json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n"


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.agent('echo good > "part-$RALPH_TASK"; echo TASK_COMPLETE')
    project.write("tasks.jsonl", line("A"))
    project.commit()
    return project


@contextmanager
def idle(project: Project, *before: str) -> Iterator[subprocess.Popen[str]]:
    """A run that has done what there was and waits. `before`: what runs it."""
    run = project.start("run", "--watch") if not before else _through(project, *before)
    try:
        until(lambda: landed(project) == 1 and told(project), "A is done, and the list says so")
        until(lambda: at_rest(run), "the run is idle")
        yield run
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()


def _through(project: Project, *before: str) -> subprocess.Popen[str]:
    with open(project.path.parent / "run.out", "a") as out:
        return subprocess.Popen(
            [*before, RALPH, "run", "--watch"],
            cwd=project.path,
            env=project.env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


def landed(project: Project) -> int:
    return project.journaled("landed")


def told(project: Project) -> bool:
    """The list has been told of the end of the last loop."""
    journal = (project.path / ".git/ralph/journal.jsonl").read_text()
    return journal.rfind('"kind":"backlog.written"') > journal.rfind('"kind":"loop.ended"')


def archived(project: Project) -> list[str]:
    lines = (project.path / "tasks-done.jsonl").read_text().splitlines()
    return sorted(json.loads(text)["id"] for text in lines)


def written(project: Project) -> int:
    return project.journaled("backlog.written")


def at_rest(run: subprocess.Popen[str]) -> bool:
    """Its process sleeps, and has not been given the processor for a while."""
    before = spent(run)
    try:
        until(lambda: spent(run) != before, "it works", seconds=0.5)
    except AssertionError:
        return True
    return False


def spent(run: subprocess.Popen[str]) -> tuple[str, ...]:
    """How often the kernel has switched to it: a process that waits is not switched to."""
    status = Path(f"/proc/{run.pid}/status").read_text().splitlines()
    return tuple(text for text in status if "ctxt_switches" in text)


def appended(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def renamed_over(path: Path, text: str) -> None:
    new = path.with_name("tasks.new")
    new.write_text(path.read_text() + text)
    new.replace(path)


@pytest.mark.parametrize("change", [appended, renamed_over])
def test_a_task_that_a_person_adds_is_begun_at_once(
    backlog: Project, change: Callable[[Path, str], None]
) -> None:
    with idle(backlog) as run:
        for count, id in enumerate(("B", "C"), 2):
            change(backlog.path / "tasks.jsonl", line(id))
            until(lambda count=count: landed(backlog) == count, id)
        until(lambda: at_rest(run), "it rests again")
        assert backlog.ralph("stop").returncode == 0
        assert run.wait(60) == 12


def test_what_a_writer_appends_to_the_list_that_was_replaced_is_begun_at_once(backlog: Project) -> None:
    """It opened the list before Ralph wrote it: an editor, or a program whose output goes to the list."""
    with (backlog.path / "tasks.jsonl").open("a") as writer, idle(backlog) as run:
        for count, id in enumerate(("B", "C"), 2):
            writer.write(line(id))
            writer.flush()
            until(lambda count=count: landed(backlog) == count, id)
        until(lambda: told(backlog) and at_rest(run), "it has written them and rests")
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


def test_a_task_that_is_added_by_command_is_begun_at_once(backlog: Project) -> None:
    with idle(backlog):
        assert backlog.ralph("task", "add", "Part B", "--id", "B").returncode == 0
        until(lambda: landed(backlog) == 2, "B")


def test_without_a_list_it_waits_until_there_is_one(backlog: Project) -> None:
    (backlog.path / "tasks.jsonl").unlink()
    backlog.commit("no list")
    refused = backlog.ralph("run", "--max-items", "1")
    assert refused.returncode == 2 and "there is no tasks.jsonl" in refused.stderr
    run = backlog.start("run", "--watch")
    until(lambda: backlog.journaled("run.started") == 1 and at_rest(run), "the run is idle")
    assert backlog.ralph("task", "add", "Part Z").returncode == 0
    until(lambda: landed(backlog) == 1, "it is begun and lands")
    backlog.ralph("stop")
    assert run.wait(60) == 12, backlog.shown()


def test_a_stop_file_ends_an_idle_run_at_once(backlog: Project) -> None:
    with idle(backlog) as run:
        (backlog.path / ".stop").touch()
        assert run.wait(60) == 12
        assert not (backlog.path / ".stop").exists()


def test_what_ralph_writes_itself_does_not_keep_it_awake(backlog: Project) -> None:
    """`idle` has seen it rest after it wrote; nor does it write again, or look again, for what is no change."""
    with idle(backlog) as run:
        before = written(backlog)
        backlog.write("notes.txt", "a file beside it\n")
        os.utime(backlog.path / "tasks.jsonl")
        until(lambda: at_rest(run), "it rests again")
        assert written(backlog) == before
        assert landed(backlog) == 1


def test_a_bad_line_is_no_end_and_the_next_good_one_is_begun(backlog: Project) -> None:
    with idle(backlog) as run:
        appended(backlog.path / "tasks.jsonl", "{not json\n")
        (backlog.path / "tasks.jsonl").rename(backlog.path / "away")
        until(lambda: at_rest(run), "it has seen both")
        (backlog.path / "away").rename(backlog.path / "tasks.jsonl")
        appended(backlog.path / "tasks.jsonl", line("B"))
        until(lambda: landed(backlog) == 2, "B")


def test_where_the_system_has_no_room_for_a_watch_it_looks_by_itself(backlog: Project) -> None:
    line_ = 'echo 0 > /proc/sys/user/max_inotify_watches && exec "$@"'
    without = ("unshare", "-Ur", "sh", "-c", line_, "sh")
    if subprocess.run([*without, "true"], capture_output=True).returncode:
        pytest.skip("no user namespace with limits of its own can be made here")
    run = _through(backlog, *without)
    try:
        until(lambda: landed(backlog) == 1, "A")
        until(lambda: '"A"' not in (backlog.path / "tasks.jsonl").read_text(), "the list is written")
        appended(backlog.path / "tasks.jsonl", line("B"))
        until(lambda: landed(backlog) == 2, "B")
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
