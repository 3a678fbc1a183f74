"""`ralph replay` on what real runs recorded: the same decisions and prompts, also over a kill and a resume; and where not."""

from __future__ import annotations

import json
import os
import re
import signal
import zlib
from collections.abc import Callable
from typing import Any

from project import Project, until


def replayed(project: Project, *arguments: str) -> tuple[int, dict[str, Any]]:
    done = project.ralph("replay", "--json", *arguments)
    assert done.stderr == "", done.stderr
    found = json.loads(done.stdout)
    assert (done.returncode == 0) == found["same"]
    (loop,) = found["loops"]
    return done.returncode, loop


def rewrite(project: Project, change: Callable[[dict[str, Any]], None]) -> None:
    """Tamper with the journal so that its checksums hold."""
    path = project.path / ".git/ralph/journal.jsonl"
    lines, crc = [], 0
    for line in path.read_text().splitlines():
        record = json.loads(line)
        del record["crc"]
        change(record)
        body = json.dumps(record, separators=(",", ":"), ensure_ascii=False)[:-1].encode()
        crc = zlib.crc32(body, crc)
        lines.append(body + f',"crc":"{crc:08x}"}}\n'.encode())
    path.write_bytes(b"".join(lines))


def test_a_run_with_claims_turned_down_is_decided_again_as_it_was(project: Project) -> None:
    project.agent(
        'echo "by $RALPH_ITERATION" > "$RALPH_SCRATCHPAD"; echo $((40 + RALPH_ITERATION)) > answer; echo TASK_COMPLETE'
    )
    assert project.ralph("run", "--in-place").returncode == 0
    code, loop = replayed(project)
    assert code == 0 and loop["next"] is None
    steps = {step["what"]: step for step in loop["steps"]}
    assert {"prepare", "gate tests (base)", "iteration 1", "iteration 2", "end completed-verified"} <= set(
        steps
    )
    assert [steps[f"iteration {n}"]["note"] for n in (1, 2)] == ["prompt same"] * 2
    shown = project.ralph("replay").stdout.splitlines()
    assert re.fullmatch(r"#\d+ iteration 1: same; prompt same", next(x for x in shown if "iteration 1" in x))
    assert shown[-1] == f"{len(loop['steps'])} decisions, all the same."


def test_a_run_that_was_killed_and_resumed_is_decided_again_as_it_was(project: Project) -> None:
    project.agent(
        'touch "$HOME/at-$RALPH_ITERATION"; test -e "$HOME/go" || sleep 600; echo 42 > answer; echo TASK_COMPLETE'
    )
    running = project.start("run", "--no-tui", "--in-place")
    try:
        until(lambda: project.mark("at-1"), "the agent works")
        os.kill(running.pid, signal.SIGKILL)
        running.wait(60)
    finally:
        running.kill()
    _, loop = replayed(project)
    assert [step["same"] for step in loop["steps"]] == [True] * len(loop["steps"])
    (project.path.parent / "home/go").touch()
    assert project.ralph("resume").returncode == 0
    code, loop = replayed(project)
    assert code == 0
    assert [s["what"] for s in loop["steps"]].count(
        "iteration 1"
    ) == 2  # an interrupted one gives its number back
    assert all(s["note"].startswith("prompt same") for s in loop["steps"] if s["what"] == "iteration 1")


def test_memories_and_todos_are_not_kept_and_the_rest_of_the_prompt_is_compared(project: Project) -> None:
    project.agent(
        "ralph tools memory add 'answers are numbers'; ralph tools task add 'look again';"
        "echo $((40 + RALPH_ITERATION)) > answer; echo TASK_COMPLETE"
    )
    assert project.ralph("run", "--in-place").returncode == 0
    assert "answers are numbers" in project.prompt(1)
    code, loop = replayed(project)
    notes = [step["note"] for step in loop["steps"] if step["what"].startswith("iteration")]
    assert (code, notes) == (0, ["prompt same", "prompt same but for memories and todos"])


def test_a_tampered_fact_shows_where_and_what(project: Project) -> None:
    assert project.ralph("run", "--in-place").returncode == 0

    def red(record: dict[str, Any]) -> None:
        if record["kind"] == "gate.ended" and record["data"]["purpose"] == "claim":
            record["data"] |= {"passed": False, "code": 1, "error_hash": "aaaaaaaa", "headline": "no"}

    rewrite(project, red)
    code, loop = replayed(project)
    wrong = [step for step in loop["steps"] if not step["same"]]
    assert code == 1 and wrong
    after = [fact["seq"] for fact in project.facts("gate.ended")][-1]
    assert wrong[0]["seq"] > after and wrong[0]["expected"] and wrong[0]["expected"] != wrong[0]["found"]
    done = project.ralph("replay")
    assert done.returncode == 1 and f"#{wrong[0]['seq']} {wrong[0]['what']}: differs" in done.stdout
    assert "expected: " in done.stdout and "found:    " in done.stdout


def test_another_prompt_than_the_one_that_was_given_shows(project: Project) -> None:
    assert project.ralph("run", "--in-place").returncode == 0
    (started,) = project.facts("iteration.started")
    blob = project.path / ".git/ralph/blobs" / started["prompt"]
    blob.write_text(blob.read_text().replace("one iteration of a loop", "the only one"))
    rewrite(
        project, lambda r: r["data"].update(prompt="0" * 64) if r["kind"] == "iteration.started" else None
    )
    blob.rename(blob.with_name("0" * 64))
    code, loop = replayed(project)
    (wrong,) = [step for step in loop["steps"] if not step["same"]]
    assert code == 1 and wrong["what"] == "iteration 1" and wrong["expected"].startswith("the prompt ")


def test_a_loop_is_named_and_one_that_is_not_there_is_an_error(project: Project) -> None:
    assert "there is no loop here yet" in project.ralph("replay").stderr
    assert project.ralph("run", "--in-place").returncode == 0
    (started,) = project.facts("loop.started")
    assert replayed(project, started["loop"])[1]["loop"] == started["loop"]
    done = project.ralph("replay", "nothing-such")
    assert done.returncode == 2 and "Loops here" in done.stderr


def test_a_loop_that_a_fresh_start_set_aside_replays_too(project: Project) -> None:
    project.agent('touch "$HOME/on"; sleep 600')
    running = project.start("run", "--no-tui", "--in-place")
    try:
        until(lambda: project.mark("on"), "the agent works")
        os.kill(running.pid, signal.SIGKILL)
        running.wait(60)
    finally:
        running.kill()
    project.agent("echo 42 > answer; echo TASK_COMPLETE")
    assert project.ralph("run", "--fresh", "--in-place").returncode == 0
    first = project.facts("loop.started")[0]["loop"]
    code, loop = replayed(project, first)
    assert code == 0 and "did not continue" in loop["steps"][-1]["note"]
