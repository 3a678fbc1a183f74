"""Crash-exact: whatever point of a run Ralph dies at, taking it up again gives the same end, proven anew, with nothing lost."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from crash import BROKEN, KILLED, RUN, Outcome, Seam, World, template, turn_by_turn
from project import Project

SMALL = """\
cli: {backend: scripted, script: agent.yml}
gates: [{name: tests, run: sh "$SEEN" tests sh test.sh}]
event_loop: {max_iterations: 8, crash_wait: 0}
"""
# Something written and said, a claim that fails, and one that also changes what judges it: the gate runs with both.
SMALL_SCRIPT = """\
iterations:
  - - write: {path: src/part, text: "4"}
    - emit: {topic: part.written, payload: one}
    - run: &note echo agent >> "$GATE_LOG"
    - say: ITERATION_DONE
  - - write: {path: answer, text: "41"}
    - run: *note
    - say: TASK_COMPLETE
  - - write: {path: answer, text: "42"}
    - write: {path: test.sh, text: "# as the agent likes it\\ntest \\"$(cat answer)\\" = 42\\n"}
    - run: *note
    - say: TASK_COMPLETE
"""
# Besides: an agent that crashes, a scratchpad, one gate that writes where it may, one in a clean checkout.
LARGE = """\
cli: {backend: scripted, script: agent.yml}
gates:
  - {name: tests, run: sh "$SEEN" tests sh test.sh, may_write: [junk]}
  - {name: clean, run: sh "$SEEN" clean sh clean.sh, hermetic: true}
  - {name: quick, run: sh "$SEEN" quick sh clean.sh, every: iteration, hard: false}
event_loop: {max_iterations: 8, crash_wait: 0}
"""
LARGE_SCRIPT = """\
iterations:
  - - write: {path: src/part, text: "4"}
    - run: &note echo agent >> "$GATE_LOG"
    - exit: 3
  - - delete: old
    - scratchpad: {done: a part, testStatus: red, nextStep: the rest, blockers: none}
    - run: *note
    - say: ITERATION_DONE
  - - write: {path: answer, text: "42"}
    - run: *note
    - say: TASK_COMPLETE
  - - write: {path: clean, text: "yes"}
    - write: {path: test.sh, text: "echo $$ > junk; test \\"$(cat answer)\\" = 42\\n"}
    - run: *note
    - say: TASK_COMPLETE
"""
FILES = {
    "test.sh": 'echo $$ > junk; test "$(cat answer 2>/dev/null)" = 42 || { echo "FAILED: the answer is wrong"; exit 1; }\n',
    "clean.sh": "test -e clean && ! test -e old\n",
    "old": "to be deleted\n",
}
SMALL_FILES = {"test.sh": FILES["test.sh"].removeprefix("echo $$ > junk; ")}


class Story(NamedTuple):
    """A project, and what a run in it comes to when nothing goes wrong."""

    template: Project
    seams: list[Seam]
    outcome: Outcome

    def world(self, folder: Path) -> World:
        return World(self.template, folder)


def _story(folder: Path, config: str, script: str, files: dict[str, str]) -> Story:
    project = template(folder / "template", config, script, files)
    world = World(project, folder / "reference")
    seams = world.seams()
    outcome = world.outcome(0)
    world.check(0, outcome)
    assert (outcome.end, outcome.proof["tests"]) == ("completed-verified", "red→green")
    assert {("tests", "as-is"), ("tests", "original")} <= outcome.judged
    return Story(project, seams, outcome)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return _story(tmp_path_factory.mktemp("small"), SMALL, SMALL_SCRIPT, SMALL_FILES)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return _story(tmp_path_factory.mktemp("large"), LARGE, LARGE_SCRIPT, FILES)


def play(story: Story, folder: Path, *faults: str) -> None:
    """A run with the first fault, then taking it up with each of the others, then without any, until it has ended."""
    world = story.world(folder)
    done = world.go(*RUN, fault=faults[0])
    said = [done.stdout + done.stderr]
    for fault in (*faults[1:], ""):
        if done.returncode == 0:
            break  # the fault was never met
        assert done.returncode in (KILLED, BROKEN), said[-1]
        if done.returncode == BROKEN:
            assert (
                "\nWhat was recorded is kept; when the cause is gone, `ralph resume` goes on.\n"
                in done.stderr
            )
        done = world.take_up(fault)
        said.append(done.stdout + done.stderr)
    try:
        world.check(done.returncode, story.outcome)
    except AssertionError as error:
        raise AssertionError(f"after {faults} in {folder}: {error}\n" + "\n-----\n".join(said)) from error


def chosen(seams: list[Seam], part: int, parts: int) -> list[Seam]:
    return seams[part::parts]


# -- death at every point ------------------------------------------------------------------------------

# Always looked at: half a swap, half a restoration, a file before its rename, an end that was not yet told.
TURNING_POINTS = (
    "restore.before#1",
    "restore.between#1",
    "restore.between#2",
    "git.read-tree.after#2",
    "git.read-tree.after#3",
    "rename.before#4",
    "inbox.done.before#1",
    "remove.before#2",
)


@pytest.mark.parametrize("part", range(6))
def test_a_death_at_any_seam_changes_nothing(small: Story, tmp_path: Path, part: int) -> None:
    """Every third seam, others each day, and the turning points; `make chaos` takes them all."""
    always = [seam for seam in small.seams if seam.at in TURNING_POINTS]
    assert len(always) == len(TURNING_POINTS)
    others = [seam for seam in small.seams if seam.matters and seam not in always]
    for seam in chosen(always + turn_by_turn(others, 3), part, 6):
        play(small, tmp_path / seam.at, f"kill@{seam.at}")
