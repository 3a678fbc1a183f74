"""Crash-exact with hats: whatever point of a board's work Ralph dies at, every item ends up in one place, whole, by the same
events, and every phase began afresh."""

from __future__ import annotations

import json
import re
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from crash import BROKEN, KILLED, RUN, Outcome, Seam, World, sample, template, turn_by_turn
from project import Project

from seed import drawn, times

CONFIG = """\
cli: {backend: custom, command: sh, args: [agent.sh], prompt_mode: stdin}
gates: [{name: tests, run: sh "$SEEN" tests sh test.sh}]
event_loop: {starting_event: board.scan, gate_on: [item.done], max_iterations: 30, crash_wait: 0, enforce_hat_scope: true}
hats:
  scanner:
    triggers: [board.scan, board.rescan, item.done, task.resume]
    scan: {folders: {work: work.propose, proposed: work.finish}}
  proposer: {triggers: [work.propose], publishes: [board.rescan], default_publishes: board.rescan}
  finisher: {triggers: [work.finish], publishes: [item.done]}
"""
# The item is known by the header that a fresh scratchpad begins with. An agent that is called again does again only what
# is not done yet; `bad` is never done, and `a` is done right only when a gate has said what is missing.
AGENT = """\
said=$(cat)
echo agent >> "$GATE_LOG"
item=$(sed -n '1s/^# Phase: [a-z]* — //p' "$RALPH_SCRATCHPAD")
test -n "$item" || { echo "TASK_STUCK: no item"; exit; }
case $RALPH_HAT in
proposer)
  case $item in bad*) exit ;; esac
  ralph tools task add "finish $item" > /dev/null
  mkdir -p proposed
  test -e "proposed/$item" || mv "work/$item" proposed/
  ralph emit board.rescan "$item is proposed" ;;
finisher)
  case $said in *"finish a.txt"*) echo "TASK_STUCK: a todo of another phase"; exit ;; esac
  ralph tools memory list | grep -q "sign $item" || ralph tools memory add "sign $item" > /dev/null
  mkdir -p done
  test -e "done/$item" || mv "proposed/$item" done/
  case $said in *"unsigned: done/$item"*) grep -q signed "done/$item" || echo signed >> "done/$item" ;; esac
  echo "noted" >> "$RALPH_SCRATCHPAD"
  echo '<event topic="item.done">'"$item"'</event>' ;;
esac
"""
GATE = """\
test -e done/a.txt || { echo "FAILED: nothing is done"; exit 1; }
for f in done/*; do grep -q signed "$f" || { echo "FAILED: unsigned: $f"; exit 1; }; done
"""
FILES = {
    "agent.sh": AGENT,
    "test.sh": GATE,
    ".gitignore": ".ralph/\n.ralph_state.md\n.ralph.lock\nralph.log\n.stop\npoll-log.txt\n",
    "work/a.txt": "to be done\n",
    "work/bad.txt": "nobody can do this\n",
    "proposed/c.txt": "half-way, and signed\n",
}
ITEMS = {
    "done/a.txt": "to be done\nsigned\n",
    "done/c.txt": "half-way, and signed\n",
    "failed/bad.txt": "nobody can do this\n",
}
LOOK = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) — board\.scan — START\n"
    r"\1 — board\.scan — (dispatching: [\w.]+ \S+|idle \([^)]+\)|giving up: \S+ \(.*\))\n"
    r"\1 — board\.scan — END\n"
)
SOME_FAILED = 1  # the exit code of a board with an item in failed/
Event = dict[str, Any]


class BoardWorld(World):
    def check_board(self, events: list[Event], looks: list[str]) -> None:
        """Against a run without fault; what is not compared is said by the board itself."""
        assert self.items() == ITEMS, "every item is in one place, whole"
        assert self.events() == events
        assert [look for look, _ in groupby(self.looks())] == looks, "looks may be repeated, and nothing else"
        (given_up,) = (r["data"] for r in self.records() if r["kind"] == "item.failed")
        assert (given_up["item"], given_up["to"]) == ("bad.txt", "failed")
        self._every_phase_began_afresh()
        memories = (self.path / ".ralph/agent/memories.md").read_text()
        assert [memories.count(f"sign {item}") for item in ("a.txt", "c.txt")] == [1, 1]
        assert not list((self.path / ".ralph").rglob("*.part"))
        replayed = self.ralph("replay")
        assert replayed.returncode == 0, replayed.stdout + replayed.stderr

    def items(self) -> dict[str, str]:
        found = [
            path for name in ("work", "proposed", "done", "failed") for path in self.path.glob(f"{name}/*")
        ]
        reason = self.path / "failed/bad.txt.reason.txt"
        assert reason.read_text() == "bad.txt: work.propose failed 3 times: it was still in work afterwards\n"
        return {str(path.relative_to(self.path)): path.read_text() for path in found if path != reason}

    def events(self) -> list[Event]:
        """The lines of the one file of events, without their moments."""
        (file,) = (self.path / ".ralph").glob("events-*.jsonl")
        assert (self.path / ".ralph/current-events").read_text() == f".ralph/{file.name}"
        lines: list[Event] = [json.loads(line) for line in file.read_text().splitlines()]
        return [{name: value for name, value in line.items() if name != "ts"} for line in lines]

    def looks(self) -> list[str]:
        """What each look found; every byte of the log belongs to one."""
        log = (self.path / "poll-log.txt").read_text()
        assert LOOK.sub("", log) == ""
        return [match[2] for match in LOOK.finditer(log)]

    def _every_phase_began_afresh(self) -> None:
        """An iteration that a scanner called finds the header of its phase and no todo; also when it is called again."""
        began = [r["data"] for r in self.records() if r["kind"] == "iteration.started"]
        afresh = [started for started in began if started.get("fresh")]
        assert len(began) - len(afresh) <= len(began) // 2, "only a failed gate calls a hat to go on"
        for started in afresh:
            prompt = (self.state / "blobs" / started["prompt"]).read_text()
            dispatch = re.search(r"work\.(propose|finish)\W+(\S+\.txt)", prompt)
            assert dispatch is not None, prompt
            scratchpad = (self.state / "blobs" / started["scratchpad"]).read_text()
            assert scratchpad == f"# Phase: {dispatch[1]} — {dispatch[2]}\nStarting fresh.\n"
            assert "<ready-tasks>" not in prompt


class Story(NamedTuple):
    template: Project
    seams: list[Seam]
    outcome: Outcome
    events: list[Event]
    looks: list[str]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("hats")
    project = template(folder / "template", CONFIG, "iterations: [[{say: unused}]]\n", FILES)
    world = BoardWorld(project, folder / "reference")
    seams, outcome = world.seams(SOME_FAILED), world.outcome(SOME_FAILED)
    assert (outcome.end, outcome.proof["tests"]) == ("completed-verified", "red→green")
    found = Story(project, seams, outcome, world.events(), [look for look, _ in groupby(world.looks())])
    topics = [event["topic"] for event in found.events]
    assert topics == [
        "board.scan",
        *("work.propose", "board.rescan") * 4,  # a once, bad three times
        *("work.finish", "gate.failed", "item.done"),  # a
        *("work.finish", "item.done"),  # c
        "LOOP_COMPLETE",
    ]
    world.check(SOME_FAILED, outcome)
    world.check_board(found.events, found.looks)
    return found


def play(story: Story, folder: Path, *faults: str) -> bool:
    """A run with the first fault, taken up with each of the others, then without any. False: the first was not met."""
    world = BoardWorld(story.template, folder)
    done = world.go(*RUN, fault=faults[0])
    said = [done.stdout + done.stderr]
    met = done.returncode != SOME_FAILED
    for fault in (*faults[1:], ""):
        if done.returncode == SOME_FAILED:
            break
        assert done.returncode in (KILLED, BROKEN), said[-1]
        done = world.take_up(fault)
        said.append(done.stdout + done.stderr)
    try:
        world.check(done.returncode, story.outcome)
        world.check_board(story.events, story.looks)
    except (AssertionError, ValueError) as error:
        raise AssertionError(f"after {faults} in {folder}: {error}\n" + "\n-----\n".join(said)) from error
    return met


# Always looked at: half a move, half a clearing, an event whose file is not yet away, a turn that has just been taken.
TURNING_POINTS = ("move.before#1", "move.after#1", "remove.after#1", "inbox.done.before#1")


def test_a_death_at_the_turning_points_of_a_board_changes_nothing(story: Story, tmp_path: Path) -> None:
    met = {seam.at for seam in story.seams}
    assert set(TURNING_POINTS) <= met, met
    for at in TURNING_POINTS:
        assert play(story, tmp_path / at, f"kill@{at}"), f"{at} was not met again"


def test_a_death_at_any_seam_of_a_board_changes_nothing(story: Story, tmp_path: Path) -> None:
    """A few of them, drawn by the seed."""
    some = [seam for seam in story.seams if seam.matters and seam.at not in TURNING_POINTS]
    for seam in turn_by_turn(some, len(some) // 6):
        play(story, tmp_path / seam.at, f"kill@{seam.at}")


def test_a_disk_that_fails_on_a_board_loses_nothing(story: Story, tmp_path: Path) -> None:
    writing = [seam for seam in story.seams if seam.writes]
    always = [seam for seam in writing if seam.at == "move.before#1"]
    for seam in always + turn_by_turn(writing, len(writing)):
        play(story, tmp_path / seam.at, f"ENOSPC@{seam.at}")


def test_items_that_failed_long_ago_are_kept_and_say_nothing_about_new_ones_of_their_name(
    story: Story, tmp_path: Path
) -> None:
    world = BoardWorld(story.template, tmp_path / "world")
    for name in ("a.txt", "bad.txt"):
        world.write(f"failed/{name}", f"{name} of long ago\n")
        world.write(f"failed/{name}.reason.txt", f"{name}: long ago\n")
    assert world.go(*RUN).returncode == SOME_FAILED
    (given_up,) = (r["data"] for r in world.records() if r["kind"] == "item.failed")
    assert given_up["item"] == "bad.txt"
    assert {path.name: path.read_text() for path in (world.path / "failed").iterdir()} == {
        "a.txt": "a.txt of long ago\n",
        "a.txt.reason.txt": "a.txt: long ago\n",
        "bad.txt": ITEMS["failed/bad.txt"],
        "bad.txt.reason.txt": "bad.txt: work.propose failed 3 times: it was still in work afterwards\n",
        "bad.txt.1": "bad.txt of long ago\n",
        "bad.txt.1.reason.txt": "bad.txt: long ago\n",
    }


# -- `make chaos`: a sample by its seed, or all of it ---------------------------------------------------------------------------

PARTS = 24


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_kind_of_seam_of_a_board(story: Story, tmp_path: Path, part: int) -> None:
    for seam in sample(story.seams, part, PARTS):
        play(story, tmp_path / seam.at, f"kill@{seam.at}")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
def test_every_write_of_a_board_that_fails(story: Story, tmp_path: Path, part: int, error: str) -> None:
    for seam in sample([seam for seam in story.seams if seam.writes], part, PARTS):
        play(story, tmp_path / seam.at, f"{error}@{seam.at}")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_pairs_of_deaths_of_a_board(story: Story, tmp_path: Path, part: int) -> None:
    draw = drawn("pairs of a board", part)
    for number in range(times(8)):
        first, second = draw.choice(story.seams).at, draw.randint(1, 300)
        play(story, tmp_path / str(number), f"kill@{first}", f"kill@{second}")
