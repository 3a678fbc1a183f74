"""A board that Ralph scans itself, worked through by hats: what it costs when idle, items that fail, deaths half-way."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
import yaml
from project import Project, until

CONFIG: dict[str, Any] = {
    "cli": {"backend": "scripted", "script": "../script.yml"},
    "gates": "none",
    "event_loop": {"starting_event": "board.scan", "persistent": True, "enforce_hat_scope": True},
    "hats": {
        "scanner": {
            "triggers": ["board.scan", "board.rescan", "item.done", "task.resume"],
            "scan": {"folders": {"work": "work.propose", "proposed": "work.finish"}},
        },
        "proposer": {
            "triggers": ["work.propose"],
            "publishes": ["board.rescan"],
            "default_publishes": "board.rescan",
        },
        "finisher": {
            "triggers": ["work.finish"],
            "publishes": ["item.done", "board.rescan"],
            "default_publishes": "item.done",
        },
    },
}
# An item called bad stays where it is, whatever is tried.
PROPOSE = 'case "$(ls work | head -n 1)" in bad*) ;; *) mkdir -p proposed; mv "work/$(ls work | head -n 1)" proposed/ ;; esac'
FINISH = 'mkdir -p done; mv "proposed/$(ls proposed | head -n 1)" done/'
SCRIPT: dict[str, Any] = {"proposer": [{"run": PROPOSE}], "finisher": [{"run": FINISH}]}
LOOK = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) — board\.scan — START\n"
    r"\1 — board\.scan — (dispatching: [\w.]+ \S+|idle \([^)]+\)|giving up: \S+ \(.*\))\n"
    r"\1 — board\.scan — END\n"
)


class Board:
    def __init__(self, project: Project) -> None:
        self.project = project
        for name in ("PROMPT.md", "agent.sh"):
            (project.path / name).unlink()
        project.write(".gitignore", ".ralph/\n.ralph_state.md\n.ralph.lock\nralph.log\n")
        self.set_up()

    def set_up(
        self, hats: dict[str, Any] | None = None, script: dict[str, Any] | None = None, **loop: Any
    ) -> None:
        config = json.loads(json.dumps(CONFIG))
        gates = loop.pop("gates", "none")
        config |= {"gates": gates, "hats": hats or config["hats"]}
        config["event_loop"] |= {"prompt": "Work through the board.", **loop}
        self.project.config(yaml.safe_dump(config, sort_keys=False))
        self.project.write("../script.yml", yaml.safe_dump({"hats": script or SCRIPT}))
        self.project.commit("set up")

    def put(self, *names: str) -> None:
        for name in names:
            self.project.write(f"work/{name}", f"do {name}\n")

    def run(self, *more: str, fault: str = "") -> int:
        env = {"RALPH_FAULT": fault} if fault else None
        done = self.project.ralph("run", "--no-tui", "--in-place", *more, env=env)
        self.said = done.stdout + done.stderr
        return done.returncode

    def names(self, folder: str) -> list[str]:
        path = self.project.path / folder
        return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []

    def worn(self) -> list[str]:
        return [fact.get("hat", "") for fact in self.project.facts("iteration.started")]

    def log(self) -> str:
        path = self.project.path / "poll-log.txt"
        return path.read_text() if path.exists() else ""

    def looks(self) -> list[str]:
        """What each look found; every byte of the log belongs to one."""
        found = [match[2] for match in LOOK.finditer(self.log())]
        assert LOOK.sub("", self.log()) == ""
        return found

    def items(self) -> dict[str, dict[str, Any]]:
        status = json.loads(self.project.ralph("status", "--json").stdout)
        return {item["name"]: item for item in status["hats"]["items"]}


@pytest.fixture
def board(project: Project) -> Board:
    return Board(project)


def children(pid: int) -> tuple[int, list[str]]:
    """Page faults of children that have ended, which grow with every one; and those that are there now."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    now = [word for path in Path(f"/proc/{pid}/task").glob("*/children") for word in path.read_text().split()]
    return int(stat[8]), now


def test_an_idle_board_starts_no_process_and_takes_what_is_dropped_in(board: Board) -> None:
    running = board.project.start("run", "--no-tui", "--cooldown", "0")
    try:
        until(lambda: board.log().count("idle (no work)") >= 1, "the first idle look")
        until(lambda: board.project.journaled("wait.started") >= 1, "the rest after it")
        before = children(running.pid)
        until(lambda: board.log().count("idle (no work)") >= 3, "two more looks")
        assert children(running.pid) == before
        assert board.project.journaled("iteration.started") == 0
        board.put("a.txt")
        until(lambda: board.names("done") == ["a.txt"], "the item is done")
        looks = board.log().count("idle (no work)")
        until(lambda: board.log().count("idle (no work)") >= looks + 2, "idle again")
        assert board.project.journaled("iteration.started") == 2
        board.project.ralph("stop")
        assert running.wait(60) == 12
    finally:
        running.kill()
    assert board.worn() == ["proposer", "finisher"]


def test_the_log_has_the_form_of_the_seed(board: Board) -> None:
    board.put("a.txt")
    assert board.run("--max-items", "1") == 0, board.said
    assert board.looks() == [
        "dispatching: work.propose a.txt",
        "dispatching: work.finish a.txt",
        "idle (1 of 1 items: 1 done)",
    ]


def failed_once(board: Board) -> None:
    assert board.names("failed") == ["bad.txt", "bad.txt.reason.txt"]
    reason = (board.project.path / "failed/bad.txt.reason.txt").read_text()
    assert reason.startswith("bad.txt: work.propose failed 3 times: ") and reason.endswith("\n")
    assert (board.names("done"), board.names("work"), board.names("proposed")) == (["a.txt", "c.txt"], [], [])
    (fact,) = board.project.facts("item.failed")
    assert (fact["item"], fact["folder"], fact["to"]) == ("bad.txt", "work", "failed")


def test_an_item_that_fails_three_times_is_set_aside_with_its_reason_and_the_rest_goes_on(
    board: Board,
) -> None:
    board.put("a.txt", "bad.txt", "c.txt")
    assert board.run("--max-items", "3") == 1, board.said
    assert "Failed: bad.txt" in board.said
    failed_once(board)
    assert board.worn() == ["proposer"] * 5 + ["finisher"] * 2
    assert [look for look in board.looks() if "bad" in look][-1].startswith(
        "giving up: bad.txt (work.propose failed 3 times"
    )
    items = board.items()
    assert (items["bad.txt"]["state"], items["bad.txt"]["dispatches"]) == ("given up", 3)
    assert (items["a.txt"]["state"], items["a.txt"]["dispatches"]) == ("through", 2)
    assert all(item["seconds"] > 0 for item in items.values())
    assert "bad.txt is in failed/ now" in board.said


@pytest.mark.parametrize("seam", ["move.before", "move.after"])
def test_a_death_while_an_item_is_set_aside_loses_and_repeats_nothing(board: Board, seam: str) -> None:
    board.put("a.txt", "bad.txt", "c.txt")
    assert board.run("--max-items", "3", fault=f"kill@{seam}#1") == -signal.SIGKILL
    moved = (board.project.path / "failed/bad.txt").exists()
    assert moved == (seam == "move.after") and (board.project.path / "failed/bad.txt.reason.txt").exists()
    assert board.project.journaled("item.failed") == 0
    done = board.project.ralph("resume", "--no-tui")
    assert done.returncode == 1, done.stdout + done.stderr
    failed_once(board)
    assert board.project.ralph("replay").returncode == 0


def test_a_gate_on_a_transition_turns_it_down_until_it_passes(board: Board) -> None:
    finish = f"{FINISH} 2>/dev/null; test -e tried && echo 42 > answer; touch tried"
    script = SCRIPT | {"finisher": [{"run": finish}]}
    board.set_up(script=script, gates=[{"name": "tests", "run": "sh test.sh"}], gate_on=["item.done"])
    board.put("a.txt")
    assert board.run("--max-items", "1") == 0, board.said
    assert board.worn() == ["proposer", "finisher", "finisher"]  # gate.failed goes to who made the tree
    assert "gate.failed" in board.project.prompt(2) and "the answer is not 42" in board.project.prompt(2)
    claims = [g["passed"] for g in board.project.facts("gate.ended") if g["purpose"] == "claim"]
    assert claims[:2] == [False, True]
    (passed,) = board.project.facts("transition.passed")
    last = max(fact["seq"] for fact in board.project.facts("iteration.ended"))
    looked = [look["seq"] for look in board.project.facts("board.looked") if look["seq"] > last]
    assert last < passed["seq"] < min(looked)
    assert board.project.end()["end"] == "completed-verified"


def test_cooldown_always_is_kept_before_each_hat_that_another_called(board: Board) -> None:
    board.set_up(cooldown="always", cooldown_delay_seconds=0.2)
    board.put("a.txt")
    assert board.run("--max-items", "1") == 0, board.said
    waits = [fact for fact in board.project.facts("wait.started") if fact["what"] == "cooldown"]
    assert waits and all(wait["seconds"] == 0.2 for wait in waits)
    seqs = [fact["seq"] for fact in board.project.facts("iteration.started")]
    assert any(seqs[0] < wait["seq"] < seqs[1] for wait in waits)


def chain(first: dict[str, Any], **more: dict[str, Any]) -> dict[str, Any]:
    return {"first": {"triggers": ["board.scan", "task.resume"], **first}, **more}


def test_the_cancellation_promise_ends_the_loop_at_once(board: Board) -> None:
    hats = chain(
        {"publishes": ["all.off", "next.go"]}, second={"triggers": ["next.go"], "publishes": ["all.off"]}
    )
    script = {
        "first": [{"emit": {"topic": "next.go"}}],
        "second": [{"emit": {"topic": "all.off"}}, {"sleep": 600}],
    }
    board.set_up(hats, script, cancellation_promise="all.off")
    assert board.run() == 13, board.said
    end = board.project.end()
    assert (end["end"], end["reason"]) == ("cancelled", "all.off from second")
    assert board.worn() == ["first", "second"]


def test_a_completion_waits_for_the_required_events(board: Board) -> None:
    hats = chain(
        {"publishes": ["docs.done", "LOOP_COMPLETE"]},
        filer={"triggers": ["docs.done"], "publishes": ["LOOP_COMPLETE"]},
    )
    once = "echo x > made; if [ -e told ]; then ralph emit docs.done; else touch told; ralph emit LOOP_COMPLETE; fi"
    script = {"first": [{"run": once}], "filer": [{"emit": {"topic": "LOOP_COMPLETE"}}]}
    board.set_up(hats, script, required_events=["docs.done"], persistent=False)
    assert board.run() == 0, board.said
    assert board.worn() == ["first", "first", "filer"]
    assert "docs.done has not been seen" in board.project.prompt(1)


def test_an_event_that_nobody_takes_ends_without_a_route(board: Board) -> None:
    hats = chain({"publishes": ["lost.word"]})
    script = {"first": [{"write": {"path": "made", "text": "x"}}, {"emit": {"topic": "lost.word"}}]}
    board.set_up(hats, script)
    board.project.write(
        "../script.yml", yaml.safe_dump({"hats": script, "iterations": [[{"say": "I do not know."}]]})
    )
    assert board.run() == 11, board.said
    assert board.project.end()["end"] == "no-route" and "lost.word" in board.project.end()["reason"]
    assert board.worn() == ["first", "", "", ""]


def test_a_hat_has_a_scratchpad_of_its_own_or_none(board: Board) -> None:
    hats = chain(
        {"publishes": ["next.go"], "scratchpad": "notes/first.md"},
        second={"triggers": ["next.go"], "publishes": ["third.go"], "scratchpad": {"enabled": False}},
        third={"triggers": ["third.go"], "publishes": ["first.go", "LOOP_COMPLETE"]},
    )
    hats["first"]["triggers"].append("first.go")
    note = 'mkdir -p "$(dirname "$RALPH_SCRATCHPAD")"; echo "by $RALPH_HAT" >> "$RALPH_SCRATCHPAD"; echo x >> made'
    script = {
        "first": [{"run": note}, {"emit": {"topic": "next.go"}}],
        "second": [{"emit": {"topic": "third.go"}}],
        "third": [
            {
                "run": f"{note}; if [ -e again ]; then ralph emit LOOP_COMPLETE; else touch again; ralph emit first.go; fi"
            }
        ],
    }
    board.set_up(hats, script, persistent=False)
    assert board.run() == 0, board.said
    assert board.worn() == ["first", "second", "third"] * 2
    own = [
        prompt.partition("## Scratchpad (as it was left)\n")[2]
        for prompt in map(board.project.prompt, range(6))
    ]
    assert "by first" in own[3] and "by third" not in own[3]
    assert "by " not in own[1] and "by " not in own[4]
    assert "by third" in own[5] and "by first" not in own[5]
    assert (board.project.path / "notes/first.md").read_text() == "by first\n" * 2
    assert board.project.ralph("replay").returncode == 0


def test_an_idle_board_that_is_killed_is_taken_up_where_it_was(board: Board) -> None:
    running = board.project.start("run", "--no-tui", "--cooldown", "600")
    try:
        until(lambda: board.project.journaled("wait.started") >= 1, "idle")
        os.kill(running.pid, signal.SIGKILL)
        running.wait(60)
    finally:
        running.kill()
    board.put("a.txt")
    again = board.project.start("resume", "--no-tui")
    try:
        until(lambda: board.project.journaled("loop.resumed") == 1, "it goes on")
        assert (
            board.project.ralph("emit", "board.scan").returncode == 0
        )  # nobody has to wait for the cool-down
        until(lambda: board.names("done") == ["a.txt"], "the item is done")
        board.project.ralph("stop")
        assert again.wait(60) == 12
    finally:
        again.kill()


def test_an_item_whose_hat_says_stuck_goes_to_failed_at_once_and_the_others_go_on(board: Board) -> None:
    stuck = [{"run": PROPOSE.replace("bad*) ;;", "bad*) echo TASK_STUCK: nobody knows how ;;")}]
    board.put("bad.txt", "good.txt")
    board.set_up(script={**SCRIPT, "proposer": stuck})
    assert board.run("--max-items", "2") == 1, board.said
    assert (board.names("done"), board.names("work")) == (["good.txt"], [])
    assert board.names("failed") == ["bad.txt", "bad.txt.reason.txt"]
    assert "nobody knows how" in (board.project.path / "failed/bad.txt.reason.txt").read_text()
    assert board.worn() == ["proposer", "proposer", "finisher"]
    assert board.project.ralph("replay").returncode == 0


def test_an_item_that_the_gates_turn_down_goes_to_failed_and_what_was_made_of_it_is_undone(
    board: Board,
) -> None:
    board.put("a.txt", "bad.txt", "c.txt")
    stays = PROPOSE.replace("bad*) ;; *)", "*)")
    finish = FINISH + '; echo "$(ls done)" > summary'
    board.set_up(
        script={"proposer": [{"run": stays}], "finisher": [{"run": finish}]},
        gates=[{"name": "good", "run": "! ls done/bad.txt"}],
        gate_on=["item.done"],
        max_attempts=2,
    )
    assert board.run("--max-items", "3") == 1, board.said
    assert (board.names("done"), board.names("proposed")) == (["a.txt", "c.txt"], []), board.said
    assert board.names("failed") == ["bad.txt", "bad.txt.reason.txt"]
    assert (board.project.path / "summary").read_text().split() == ["a.txt", "c.txt"]
    (given_up,) = board.project.facts("item.failed")
    assert "attempts used up" in given_up["reason"] and given_up["saved"]
    assert "bad.txt" in board.project.git("ls-tree", "-r", "--name-only", given_up["saved"])
    assert f"what was made of it is undone and saved: {given_up['saved']}" in board.said
    assert board.project.ralph("replay").returncode == 0


def test_an_item_whose_name_is_not_utf8_is_named_and_a_new_name_helps(board: Board) -> None:
    odd = os.fsdecode(b"caf\xe9.txt")
    board.set_up(persistent=False)
    board.project.write(f"work/{odd}", "do it\n")
    assert board.run() == 2, board.said
    assert "the item caf\ufffd.txt has a name that is not UTF-8" in board.said
    (board.project.path / "work" / odd).rename(board.project.path / "work/cafe.txt")
    assert board.project.ralph("resume").returncode == 0
    assert board.names("done") == ["cafe.txt"]
