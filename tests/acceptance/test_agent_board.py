"""A persistent board with an agent as its scanner: an item that nobody gets done is set aside, and the others are done."""

from __future__ import annotations

from subprocess import Popen

import pytest
from project import Project, until

CONFIG = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: none
event_loop:
  {prompt: Work through the board., starting_event: board.scan, persistent: true, cooldown_delay_seconds: 1}
hats:
  scanner:
    triggers: [board.scan, board.rescan, task.resume]
    publishes: [work.do, LOOP_COMPLETE]
    default_publishes: LOOP_COMPLETE
  doer:
    triggers: [work.do]
    publishes: [board.rescan]
    default_publishes: board.rescan
"""
# Both hats. The scanner takes the first item that its prompt does not name as set aside, as an agent would.
AGENT = r"""#!/bin/sh
cat > "$HOME/prompt"
case $RALPH_HAT in
scanner)
  for item in $(ls work 2>/dev/null); do
    [ -e ../stubborn ] || ! grep -q "^- Set aside.*\`$item\`" "$HOME/prompt" || continue
    ralph emit work.do "$item"; exit
  done
  [ -e ../stubborn ] || ralph emit LOOP_COMPLETE ;;
doer)
  item=$(sed -n 's/^- `work.do`: //p' "$HOME/prompt")
  mkdir -p done; echo "begun" > "done/$item"
  if grep -q impossible "work/$item"; then DOES
  else mv "work/$item" "done/$item"; fi ;;
esac
"""


class AgentBoard:
    def __init__(self, project: Project) -> None:
        self.project = project

    def begin(self, does: str, **items: str) -> Popen[str]:
        project = self.project
        project.config(CONFIG)
        project.write("agent.sh", AGENT.replace("DOES", does), executable=True)
        for name, text in items.items():
            project.write(f"work/{name}", f"{text}\n")
        project.commit("set up")
        return project.start("run", "--no-tui")

    def names(self, folder: str) -> list[str]:
        path = self.project.path / folder
        return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []

    def done_by(self, hat: str) -> int:
        return sum(fact.get("hat") == hat for fact in self.project.facts("iteration.started"))


@pytest.fixture
def board(project: Project) -> AgentBoard:
    return AgentBoard(project)


def test_an_item_whose_hat_is_stuck_is_set_aside_and_tried_again_when_it_has_changed(
    board: AgentBoard,
) -> None:
    project = board.project
    running = board.begin("echo 'TASK_STUCK: nobody knows how'", bad="impossible", good="easy")
    try:
        until(lambda: project.journaled("wait.started") >= 1, "the board rests")
        assert board.names("done") == ["good"], "what was begun of the other is undone"
        assert board.names("work") == ["bad"] and board.done_by("doer") == 2
        (given_up,) = project.facts("item.failed")
        assert (given_up["item"], given_up["reason"]) == ("bad", "nobody knows how") and given_up["stays"]
        assert "done/bad" in project.git("ls-tree", "-r", "--name-only", given_up["saved"])
        assert "LOOP_COMPLETE" not in published(project), "the board is not empty"
        assert "given up" in project.ralph("status").stdout
        project.write("work/bad", "easy by now\n")
        until(lambda: board.names("work") == [], "the item that has changed is taken")
        until(lambda: "LOOP_COMPLETE" in published(project), "an empty board")
        project.ralph("stop")
        assert running.wait(60) == 12
    finally:
        running.kill()
    assert board.names("done") == ["bad", "good"]
    assert project.ralph("replay").returncode == 0


def test_an_item_that_stays_three_times_is_set_aside_and_a_stubborn_scanner_rests(board: AgentBoard) -> None:
    project = board.project
    project.write("../stubborn", "")
    running = board.begin("true", bad="impossible")
    try:
        until(lambda: project.journaled("wait.started") >= 2, "the board rests")
        project.ralph("stop")
        assert running.wait(60) == 12
    finally:
        running.kill()
    assert board.done_by("doer") == 3, "as often as an item that Ralph itself finds"
    (given_up,) = project.facts("item.failed")
    assert given_up["reason"] == "work.do failed 3 times: it was still in work afterwards"
    assert "LOOP_COMPLETE" not in published(project)
    assert board.names("work") == ["bad"]
    assert project.ralph("replay").returncode == 0


def published(project: Project) -> list[str]:
    (file,) = (project.path / ".ralph").glob("events-*.jsonl")
    return [line.partition('"topic":"')[2].partition('"')[0] for line in file.read_text().splitlines()]
