"""Promise: `git gc --prune=now` by the user never costs work and never wedges a run, whatever moment it comes at.

Ralph is killed at a fault point of a landing, everything that no ref holds is pruned, and the run is taken up again.
"""

from __future__ import annotations

import json
import subprocess
import threading
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from project import Project, until

from seed import ALL, drawn

Story = Callable[[Path, str], Project]
KINDS = ("clone", "worktree")
KILLED = -9


def _backlog(path: Path, kind: str, agent: str, ids: str = "A", config: str = "") -> Project:
    path.mkdir(parents=True, exist_ok=True)
    project = Project(path / "project", path / "home")
    (project.path / "PROMPT.md").unlink()
    project.config(
        "cli: {command: ./agent.sh}\nevent_loop: {max_iterations: 6, crash_wait: 0, max_attempts: 2}\n"
        f"workspace: {kind}\n{config or 'gates: [{name: tests, run: sh test.sh}]'}\n"
    )
    project.write("old/gone", "goes\n")
    project.write("shared", "start\n")
    project.write("test.sh", "! grep -q '<<<<' shared && ! test -e bad\n")
    project.agent(agent.replace("PROJECT", str(project.path)))
    lines = [json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n" for id in ids]
    project.write("tasks.jsonl", "".join(lines))
    project.commit()
    return project


def lands(path: Path, kind: str) -> Project:
    """A task that adds, changes and deletes files, and lands on a branch that is checked out."""
    work = "mkdir -p new/deep; echo A > new/deep/a; echo A >> shared; rm -rf old; echo TASK_COMPLETE"
    return _backlog(path, kind, work)


def merges(path: Path, kind: str) -> Project:
    """While the task is at work someone commits to the target: its change is merged, then judged again, then lands."""
    return _backlog(
        path,
        kind,
        'echo A > a; [ -e "$HOME/moved" ] || { (cd PROJECT && sed -i 1iuser shared && git commit -qam user)'
        '; touch "$HOME/moved"; }; echo TASK_COMPLETE',
    )


def conflicts(path: Path, kind: str) -> Project:
    """The same, with a conflict that the next iteration resolves."""
    return _backlog(
        path,
        kind,
        """if grep -q '<<<<' shared; then printf 'user\\nA\\n' > shared
        elif [ ! -e "$HOME/moved" ]; then
          echo A > shared; (cd PROJECT && echo user > shared && git commit -qam user); touch "$HOME/moved"
        fi; echo A > a; echo TASK_COMPLETE""",
    )


def fails(path: Path, kind: str) -> Project:
    """A task that is not proven: its work is kept on a failure branch."""
    return _backlog(path, kind, "echo half > bad; mkdir -p new; echo A > new/a; echo TASK_COMPLETE")


def onto_a_branch(path: Path, kind: str) -> Project:
    """`land: branch`: the proven commit gets a branch of its own."""
    config = "gates: [{name: tests, run: sh test.sh}]\nland: branch"
    return _backlog(path, kind, "echo A > a; echo TASK_COMPLETE", config=config)


STORIES: tuple[Story, ...] = (lands, merges, conflicts, fails, onto_a_branch)


def collect(project: Project) -> None:
    project.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    project.git("gc", "-q", "--prune=now")


def take_up(project: Project, story: Story) -> None:
    """The run goes on and comes to the end that it would have had."""
    done = project.ralph("run")
    said = done.stdout + done.stderr
    over = "0 done, 0 not done" in said  # its loop had ended before the run was killed
    assert done.returncode == (1 if story is fails and not over else 0), said
    assert project.end()["end"] == ("failed" if story is fails else "completed-verified")
    assert project.git("fsck", "--connectivity-only", "--no-dangling", "--no-progress") == ""
    assert project.git("for-each-ref", "refs/ralph/base") == ""
    assert list((project.path / ".git/objects/pack").glob("*.keep")) == []
    changed = [line.split()[-1] for line in project.git("status", "--porcelain").splitlines()]
    assert set(changed) <= {"tasks.jsonl", "tasks-done.jsonl"}, "nothing is half landed"
    if story is fails:
        (branch,) = project.git("for-each-ref", "--format=%(refname)", "refs/heads/wip").splitlines()
        assert project.git("show", f"{branch}:new/a") == "A"
    elif story is onto_a_branch:
        assert project.git("show", "task/A-part-a:a") == "A"
    else:
        subjects = project.git("log", "--format=%s", "main").splitlines()
        assert subjects.count("[A] Part A") == 1
        landed = "new/deep/a" if story is lands else "a"
        assert project.git("show", f"main:{landed}") == "A"
        assert (project.path / landed).read_text() == "A\n"


def killed_then_collected(path: Path, story: Story, kind: str, at: str) -> bool:
    """False: the fault point was not met. (Which git commands a snapshot needs depends on the clock's grain.)"""
    project = story(path, kind)
    died = project.ralph("run", env={"RALPH_FAULT": f"kill@{at}"})
    if died.returncode != KILLED:
        return False
    collect(project)
    take_up(project, story)
    return True


def landing_seams(path: Path, story: Story, kind: str) -> list[str]:
    """Every fault point that a whole run passes after its first claim was judged."""
    project, file = story(path / "counted", kind), path / "seams"
    project.ralph("run", env={"RALPH_FAULT": f"count:{file}"})
    turns: Counter[str] = Counter()
    found = []
    for line in file.read_text().splitlines():
        name = line.split()[0]
        turns[name] += 1
        found.append(f"{name}#{turns[name]}")
    first = next(n for n, seam in enumerate(found) if seam.startswith("process.exit#3"))
    assert any(seam.startswith("landing.ref.after") for seam in found[first:])
    return [seam for seam in found[first:] if not seam.startswith("journal.sync")]


@pytest.mark.parametrize("kind", KINDS)
def test_killed_after_the_intent_to_land_was_recorded_then_collected_it_lands(
    tmp_path: Path, kind: str
) -> None:
    assert killed_then_collected(tmp_path, lands, kind, "landing.prepare.after#4")


@pytest.mark.parametrize("at", ["landing.follow.after#1", "landing.index.after#1", "landing.squash.after#1"])
@pytest.mark.parametrize("kind", KINDS)
def test_killed_while_the_checkout_follows_then_collected_nothing_stays_half_landed(
    tmp_path: Path, kind: str, at: str
) -> None:
    assert killed_then_collected(tmp_path, lands, kind, at)


@pytest.mark.parametrize("at", ["restore.before#1", "restore.between#1", "workspace.rebased.after#1"])
@pytest.mark.parametrize("kind", KINDS)
def test_killed_in_a_merge_then_collected_the_merge_is_completed(tmp_path: Path, kind: str, at: str) -> None:
    assert killed_then_collected(tmp_path, conflicts, kind, at)


PARTS = 4


def sample(seams: list[str]) -> list[str]:
    """The first of each kind, and a third of the others; all of them with ALL=1."""
    first = {seam.partition("#")[0]: seam for seam in reversed(seams)}
    return [s for s in seams if ALL or s in first.values() or drawn(s).random() < 1 / 3]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("story", STORIES)
def test_killed_at_every_seam_of_a_landing_then_collected_it_comes_to_the_same_end(
    tmp_path: Path, story: Story, kind: str, part: int
) -> None:
    seams = sample(landing_seams(tmp_path, story, kind))
    for seam in [seam for seam in seams if zlib.crc32(seam.encode()) % PARTS == part]:
        try:
            killed_then_collected(tmp_path / seam, story, kind, seam)
        except AssertionError as error:
            raise AssertionError(f"{story.__name__}, {kind}, killed at {seam}: {error}") from error


# -- gc beside a living run --------------------------------------------------------------------------------


def collecting(project: Project, stop: threading.Event, turns: list[int]) -> None:
    """What a user's cron job would do, without a pause. It fails now and then: git's own locks."""
    while not stop.is_set():
        command = ["git", "gc", "-q", "--prune=now"]
        subprocess.run(command, cwd=project.path, env=project.env, capture_output=True, check=False)
        turns.append(1)


@pytest.mark.parametrize("kind", KINDS)
def test_gc_in_a_loop_beside_landings_costs_nothing(tmp_path: Path, kind: str) -> None:
    """Tasks side by side, of which all but the first are merged with what has landed meanwhile."""
    work = 'mkdir -p "d/$RALPH_TASK"; echo A > "d/$RALPH_TASK/a"; echo TASK_COMPLETE'
    project = _backlog(tmp_path, kind, work, ids="ABCDEF")
    stop, turns = threading.Event(), list[int]()
    collector = threading.Thread(target=collecting, args=(project, stop, turns))
    collector.start()
    try:
        done = project.ralph("run", "--parallel", "3", timeout=280)
    finally:
        stop.set()
        collector.join()
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(turns) > 1, "gc ran beside it"
    collect(project)
    assert project.git("fsck", "--connectivity-only", "--no-dangling", "--no-progress") == ""
    landed = [line for line in project.git("log", "--format=%s", "main").splitlines() if line[0] == "["]
    assert sorted(landed) == [f"[{id}] Part {id}" for id in "ABCDEF"]
    assert all((project.path / f"d/{id}/a").read_text() == "A\n" for id in "ABCDEF")


# -- in place ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("busy", ["agent", "gate"])
def test_killed_in_place_then_collected_the_loop_goes_on(project: Project, busy: str) -> None:
    """What the second iteration found was in no ref: how the files differ from it is not known any more, and no matter."""
    wait = 'test -e "$HOME/busy" || { echo 41 > other; touch "$HOME/busy"; sleep 1000; }'
    project.agent(
        'test "$RALPH_ITERATION" = 1 && { echo 1 > first; echo ITERATION_DONE; exit; }\n'
        f"{wait if busy == 'agent' else ':'}; echo 42 > answer; echo TASK_COMPLETE"
    )
    if busy == "gate":
        project.write("test.sh", f"test -e answer || exit 1; {wait}\n")
        text = (project.path / "ralph.yml").read_text()
        project.config(text.replace("run: sh test.sh", "run: sh test.sh, hermetic: false"))
    project.commit()
    run = project.start("run")
    try:
        until(lambda: project.mark("busy"), "the second iteration, or the gate of its claim, is at work")
    finally:
        run.kill()
        run.wait()
    (project.path / "other").unlink()
    project.write("first", "by hand\n")
    collect(project)
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["end"] == "completed-verified"
    assert (project.path / "first").read_text() == "by hand\n"
