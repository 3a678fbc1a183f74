"""A board of folders and its hats, as people and programs see them: files, events, status, report, `ralph hats`."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from project import Project, until

BOARD = """\
cli: {{backend: custom, command: ./agent.sh, prompt_mode: stdin}}
gates: none
event_loop: {{starting_event: board.scan, persistent: {persistent}, cooldown_delay_seconds: 1, enforce_hat_scope: true}}
hats:
  board_scanner:
    name: Board Scanner
    triggers: [board.scan, board.rescan, task.resume]
    scan: {{folders: {{work: work.propose, proposed: work.finish}}}}
  proposal_writer:
    name: Proposal Writer
    description: Writes a proposal.
    triggers: [work.propose]
    publishes: [board.rescan]
    default_publishes: board.rescan
  finisher:
    name: Finisher
    triggers: [work.finish]
    publishes: [board.rescan]
    instructions: |
      Finish it.
"""
AGENT = """\
for f in work/* proposed/*; do
  [ -f "$f" ] || continue
  case $f in work/*) to=proposed ;; *) to=done ;; esac
  mkdir -p $to; mv "$f" $to/
  ralph emit board.rescan "$(basename "$f") is in $to"
  exit
done
"""


@pytest.fixture
def board(project: Project) -> Project:
    project.config(BOARD.format(persistent="false"))
    project.agent(AGENT)
    project.write("work/item-1.txt", "one\n")
    project.write("work/item-2.txt", "two\n")
    project.write(".gitignore", "poll-log.txt\n")
    project.commit()
    return project


def events_file(project: Project) -> Path:
    (found,) = (project.path / ".ralph").glob("events-*.jsonl")
    return found


def routed(project: Project, *more: str) -> list[dict[str, Any]]:
    done = project.ralph("events", "--routed", "--json", *more)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_board_is_told_of_in_every_view(board: Project) -> None:
    done = board.ralph("run", "--no-tui")
    assert "starts as Proposal Writer: work.propose item-1.txt" in done.stdout, done.stdout + done.stderr
    assert "no signal" not in done.stdout

    file = events_file(board)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines == routed(board)
    assert (board.path / ".ralph/current-events").read_text() == f".ralph/{file.name}"
    started = board.ralph("events", "--json", "--kind", "loop.started").stdout
    at = json.loads(started)["at"]
    assert file.name == f"events-{at[:10].replace('-', '')}-{at[11:19].replace(':', '')}.jsonl"
    assert [(line["topic"], line["triggered"], line["payload"]) for line in lines[:4]] == [
        ("board.scan", "board_scanner", None),
        ("work.propose", "proposal_writer", "item-1.txt"),
        ("board.rescan", "board_scanner", "item-1.txt is in proposed"),
        ("work.propose", "proposal_writer", "item-2.txt"),
    ]
    assert lines[2]["hat"] == "proposal_writer" and lines[2]["iteration"] == 1

    tree = board.facts("iteration.ended")[-1]["tree"]
    assert ".ralph" not in board.git("ls-tree", "-r", "--name-only", tree)

    shown = board.ralph("events", "--facts").stdout.splitlines()
    place = next(n for n, line in enumerate(shown) if "board.looked" in line)
    assert shown[place + 1].strip() == "#2 work.propose (item-1.txt) → proposal_writer"
    table = board.ralph("events", "--routed").stdout.splitlines()
    assert board.ralph("events").stdout.splitlines() == table, (
        "with hats, their events are what one wants to see"
    )
    assert table[0].split()[:3] == ["#", "time", "iteration"] and len(table) == len(lines) + 1
    assert table[2].split()[2:] == ["board_scanner", "work.propose", "proposal_writer", "item-1.txt"]
    assert routed(board, "--last", "2") == lines[-2:]

    status = json.loads(board.ralph("status", "--json").stdout)["hats"]
    assert [(item["name"], item["state"], item["dispatches"]) for item in status["items"]] == [
        ("item-1.txt", "through", 2),
        ("item-2.txt", "through", 2),
    ]
    assert "item-2.txt  through" in board.ralph("status").stdout
    report = board.ralph("report").stdout
    assert "| 1 | Proposal Writer | work.propose item-1.txt |" in report and "#### Board" in report


def test_why_says_why_and_refuses_what_it_cannot_explain(board: Project) -> None:
    board.ralph("run", "--no-tui")
    told = board.ralph("events", "--why", "3")
    assert told.stdout == (
        "#3 board.rescan (item-1.txt is in proposed), from proposal_writer in iteration 1:"
        " board_scanner names board.rescan\n"
    )
    loop = json.loads(board.ralph("status", "--json").stdout)["loop"]
    assert board.ralph("events", "--why", "3", "--loop", loop[:-2]).stdout == told.stdout
    missing = board.ralph("events", "--why", "99")
    assert missing.returncode == 2 and "has no event 99" in missing.stderr
    for wrong in (("--why", "1", "--json"), ("--routed", "--kind", "said")):
        assert board.ralph("events", *wrong).returncode == 2


def test_a_torn_file_of_a_dead_run_is_whole_when_the_loop_goes_on(board: Project) -> None:
    board.agent(AGENT.replace("exit\n", '[ -e "$HOME/go" ] || { touch "$HOME/here"; sleep 600; }\n  exit\n'))
    board.commit()
    run = board.start("run", "--no-tui")
    until(lambda: board.mark("here") and board.journaled("event.received") > 0, "the agent has spoken")
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    file = events_file(board)
    before = file.read_bytes()
    file.write_bytes(before[:-10])
    (Path(board.env["HOME"]) / "go").touch()
    done = board.ralph("resume", "--no-tui")
    assert board.end()["end"] == "completed-unverified", done.stdout + done.stderr
    assert events_file(board).read_bytes().startswith(before)
    assert [json.loads(line) for line in file.read_text().splitlines()] == routed(board)


def test_while_it_is_idle_status_says_since_when(board: Project) -> None:
    board.config(BOARD.format(persistent="true"))
    board.commit()
    run = board.start("run", "--no-tui")
    try:
        until(lambda: board.journaled("wait.started") >= 2, "it has been idle twice")
        status = json.loads(board.ralph("status", "--json").stdout)
        text = board.ralph("status").stdout
    finally:
        board.ralph("stop")
        run.wait(60)
    idle = [fact for fact in board.facts("wait.started") if fact["what"] == "idle"]
    assert len(idle) >= 2
    first = board.ralph("events", "--json", "--kind", "wait.started").stdout.splitlines()[0]
    assert status["state"] == "idle" and status["hats"]["idle_since"] == json.loads(first)["at"]
    assert "\nidle        since " in text
    assert board.shown().count("board: no work") == 1, "an idle board is told of once"
    assert "LOOP_COMPLETE" in [line["topic"] for line in routed(board)]


def test_what_a_hostile_agent_emits_is_shown_as_text(board: Project) -> None:
    board.agent("rm -rf work; printf '<event topic=\"board.rescan\">\\033[2J\\007x\\ny</event>\\n'")
    board.commit()
    board.ralph("run", "--no-tui")
    for command in (("events",), ("events", "--routed"), ("events", "--why", "3"), ("status",), ("report",)):
        shown = board.ralph(*command).stdout
        assert "\x1b" not in shown and "\x07" not in shown, command
    assert "\x07x\ny" in [line["payload"] for line in routed(board)]


def test_events_of_a_loop_without_hats_are_in_the_file_too(project: Project) -> None:
    project.agent("ralph emit build.done 'it works'; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    (line,) = routed(project)
    assert [json.loads(one) for one in events_file(project).read_text().splitlines()] == [line]
    assert (line["topic"], line["triggered"], line["iteration"]) == ("build.done", None, 1)
    assert "has no hats" in project.ralph("events", "--why", "1").stdout


# -- ralph hats ------------------------------------------------------------------------------------


def test_hats_are_listed_shown_and_drawn(board: Project) -> None:
    listed = board.ralph("hats")
    assert listed.returncode == 0 and listed.stdout == board.ralph("hats", "list").stdout
    assert "proposal_writer  work.propose → board.rescan" in listed.stdout
    ids = [hat["id"] for hat in json.loads(board.ralph("hats", "list", "--json").stdout)]
    assert ids == ["board_scanner", "proposal_writer", "finisher"]
    by_id, by_name = (board.ralph("hats", "show", name).stdout for name in ("finisher", "Finisher"))
    assert by_id == by_name and "triggers        work.finish" in by_id and by_id.endswith("Finish it.\n")
    assert json.loads(board.ralph("hats", "show", "finisher", "--json").stdout)["name"] == "Finisher"
    missing = board.ralph("hats", "show", "nobody")
    assert missing.returncode == 2 and "board_scanner, proposal_writer, finisher" in missing.stderr
    assert "  work.finish   → finisher" in board.ralph("hats", "graph").stdout
    assert board.ralph("hats", "graph", "--mermaid").stdout.startswith("graph LR\n")


def test_hats_that_cannot_complete_are_an_error_and_others_a_warning(board: Project) -> None:
    fine = board.ralph("hats", "validate")
    assert fine.returncode == 0, fine.stdout
    assert "no hat" not in fine.stdout and "the hats of ralph.yml can work" in fine.stdout
    board.write(
        "other.yml",
        "cli: {backend: custom, command: ./agent.sh}\n"
        "hats:\n"
        "  a: {triggers: [task.start], publishes: [b.x], default_publishes: b.x}\n"
        "  b: {triggers: [b.x], publishes: [a.x], default_publishes: a.x}\n"
        "  c: {triggers: [a.x], publishes: [b.x], default_publishes: b.x}\n"
        "  lost: {triggers: [never.said], publishes: [LOOP_COMPLETE]}\n",
    )
    wrong = board.ralph("hats", "validate", "-c", "other.yml")
    assert wrong.returncode == 2
    assert "error: hats: the chain cannot complete: from a, b, c" in wrong.stdout
    assert "other.yml:6: warning: hats.lost: unreachable" in wrong.stdout
    found = json.loads(board.ralph("hats", "validate", "-c", "other.yml", "--json").stdout)
    assert (found["valid"], found["hats"], len(found["errors"])) == (False, 4, 1)
    assert found["warnings"][0]["key"] == "hats.lost" and found["warnings"][0]["todo"]


def test_a_file_that_is_wrong_or_missing_is_told_as_validate_tells_it(project: Project) -> None:
    assert "There are no hats" in project.ralph("hats").stdout
    assert project.ralph("hats", "validate").returncode == 0
    graph = project.ralph("hats", "graph")
    assert graph.returncode == 2 and "has no hats" in graph.stderr
    project.config("hats:\n  a: {trigers: [x]}\n")
    wrong = project.ralph("hats", "validate")
    assert wrong.returncode == 2 and "ralph.yml:2: error: hats.a.trigers" in wrong.stdout
    assert project.ralph("hats", "list").returncode == 2
    project.config("hats: [\n")
    torn = project.ralph("hats", "validate", "--json")
    assert torn.returncode == 2 and json.loads(torn.stdout)["errors"][0]["line"] > 0
