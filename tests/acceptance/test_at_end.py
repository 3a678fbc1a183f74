"""`at_end:` over a real run: reviewers look once at all that landed, are heard, and change nothing about the end."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from project import Project, processes_with, until

CONFIG: dict[str, Any] = {
    "cli": {"command": "./agent.sh"},
    "gates": [{"name": "tests", "run": "! grep -rqs bad parts"}],
    "event_loop": {"max_iterations": 4, "crash_wait": 0, "max_attempts": 1, "stop_grace": 1},
}
WORK = (
    'mkdir -p parts; w=good; [ "$RALPH_TASK" = BAD ] && w=bad; '
    'echo "$w $RALPH_TASK" > "parts/$RALPH_TASK"; echo TASK_COMPLETE'
)


def scripted(*steps: dict[str, Any]) -> str:
    return json.dumps({"iterations": [list(steps)]})


def reviewer(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "review": "spec", "agent": {"backend": "scripted", "script": f"{name}.yml"}, **more}


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.agent(WORK)
    tell(project, "spec", {"run": "echo spec >> $HOME/asked"}, {"say": "PASS"})
    tell(project, "fit", {"run": "echo fit >> $HOME/asked"}, {"say": "PASS"})
    begin(project, [reviewer("spec"), reviewer("fit")], "A", "B")
    return project


def tell(project: Project, name: str, *steps: dict[str, Any]) -> None:
    """What a reviewer does and says."""
    project.write(f"{name}.yml", scripted(*steps))


def begin(project: Project, at_end: list[dict[str, Any]], *tasks: str, **more: Any) -> None:
    lines = [
        json.dumps({"id": id, "title": f"Part {id}", "leaf": True, "criteria": ["it is there"]})
        for id in tasks
    ]
    project.write("tasks.jsonl", "".join(f"{line}\n" for line in lines))
    project.config(json.dumps({**CONFIG, "at_end": at_end, **more}))
    project.commit()


def asked(project: Project) -> list[str]:
    path = Path(project.env["HOME"]) / "asked"
    return path.read_text().split() if path.exists() else []


def workspaces(project: Project) -> list[Path]:
    folder = Path(project.env["HOME"]) / ".local/state/ralph/workspaces"
    return [path for path in folder.glob("*/*.json") if json.loads(path.read_text())["state"] != "released"]


def test_all_pass_once_and_that_is_consensus(backlog: Project) -> None:
    before = backlog.git("rev-parse", "main")
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert asked(backlog) == ["spec", "fit"]
    assert "Reviewers of the whole run, consensus: spec, fit say PASS" in done.stdout
    facts = backlog.facts("run.*")
    assert [fact["kind"] for fact in facts] == [
        *(
            "run.started",
            "run.review.started",
            "run.reviewed",
            "run.review.started",
            "run.reviewed",
            "run.ended",
        )
    ]
    tip = backlog.git("rev-parse", "main")
    assert {(fact["base"], fact["tip"]) for fact in facts[1:5]} == {(before, tip)}
    prompt = (backlog.path / ".git/ralph/blobs" / facts[1]["prompt"]).read_text()
    assert "- A: Part A" in prompt and "- [ ] it is there" in prompt and "+good B" in prompt
    assert workspaces(backlog) == []
    again = backlog.ralph("run")
    assert again.returncode == 0 and asked(backlog) == ["spec", "fit"], "nothing has landed since"


def test_what_they_were_told_and_said_is_in_the_logs(backlog: Project) -> None:
    nobody = backlog.ralph("logs", "--at-end")
    assert nobody.returncode == 2 and "no reviewer has looked at a whole run here" in nobody.stderr
    tell(backlog, "fit", {"say": "It hangs together well."}, {"say": "PASS"})
    backlog.commit()
    assert backlog.ralph("run").returncode == 0
    listed = backlog.ralph("logs", "--at-end").stdout.splitlines()
    assert [line.split()[1:3] for line in listed[2:]] == [["gate", "spec"], ["gate", "fit"]]
    assert "PASS" in listed[2] and "runs/" in listed[2]
    assert "It hangs together well." in backlog.ralph("logs", "--at-end", "--gate", "fit").stdout
    assert "Part A" in backlog.ralph("logs", "--at-end", "--gate", "fit", "--prompt").stdout
    told = json.loads(backlog.ralph("logs", "--at-end", "--json").stdout)
    assert [(x["gate"], x["verdict"], x["purpose"]) for x in told] == [
        ("spec", "PASS", "at-end"),
        ("fit", "PASS", "at-end"),
    ]
    for wrong in (["--gate", "no"], ["1"], ["--task", "A"], ["--diff"]):
        assert backlog.ralph("logs", "--at-end", *wrong).returncode == 2, wrong


def test_a_fail_is_told_everywhere_and_changes_no_exit_code(backlog: Project) -> None:
    evil = "- parts/A:1 <script>alert(1)</script> \x1b[31mred\nFAIL"
    tell(
        backlog,
        "spec",
        {"write": {"path": "parts/A", "text": "mine"}},
        {"run": "git commit -qam x"},
        {"say": evil},
    )
    tell(backlog, "fit", {"say": "I would rather not."})
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no consensus: spec: FAIL; fit: no verdict" in done.stdout
    assert "\x1b" not in done.stdout
    assert backlog.git("show", "main:parts/A") == "good A", "what a reviewer edits or commits goes nowhere"
    assert backlog.facts("run.reviewed")[0]["wrote"] == ["parts/A"]

    report = backlog.ralph("report").stdout
    assert "## At the end" in report and "- spec: FAIL, 1 finding" in report
    assert "parts/A:1 &lt;script&gt;" in report and "\x1b" not in report
    page = backlog.ralph("report", "--html", "-o", "-").stdout
    assert "<h2>At the end</h2>" in page and "parts/A:1 &lt;script&gt;" in page and "<script" not in page
    run = json.loads(backlog.ralph("report", "--json").stdout)["run"]
    assert [(x["gate"], x["passed"], x.get("unclear", False)) for x in run["reviews"]] == [
        *(("spec", False, False), ("fit", False, True))
    ]
    status = backlog.ralph("status").stdout
    assert "at end      no consensus: spec: FAIL; fit: no verdict" in status and "\x1b" not in status
    told = json.loads(backlog.ralph("status", "--json").stdout)["backlog"]
    assert told["consensus"].startswith("no consensus") and len(told["reviews"]) == 2


def test_what_failed_is_shown_to_them_and_the_exit_code_is_that_of_the_tasks(backlog: Project) -> None:
    begin(backlog, [reviewer("spec")], "A", "BAD")
    done = backlog.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    prompt = backlog.facts("run.review.started")[0]["prompt"]
    assert (
        "# What was not done\n- BAD: Part BAD: failed"
        in (backlog.path / ".git/ralph/blobs" / prompt).read_text()
    )


@pytest.mark.parametrize(("tasks", "land"), [(("BAD",), "merge"), (("A",), "branch")])
def test_nobody_is_asked_when_nothing_landed(backlog: Project, tasks: tuple[str, ...], land: str) -> None:
    begin(backlog, [reviewer("spec")], *tasks, land=land)
    backlog.ralph("run")
    assert asked(backlog) == []


def test_what_they_use_counts_into_the_run(backlog: Project) -> None:
    usage = '{"type":"usage","input_tokens":900,"output_tokens":600,"cost_usd":2.5}'
    says = '{"type":"message","role":"assistant","text":"PASS"}'
    backlog.write("paid.sh", f"#!/bin/sh\ncat > /dev/null\necho '{usage}'\necho '{says}'\n", executable=True)
    begin(backlog, [{"review": "quality", "agent": {"command": "./paid.sh", "output": "jsonl"}}], "A")
    done = backlog.ralph("run")
    assert "1 done, 0 not done" in done.stdout and "2.50 USD" in done.stdout
    run = json.loads(backlog.ralph("report", "--json").stdout)["run"]
    assert (run["tokens"], run["cost_usd"]) == (1500, 2.5)
    assert json.loads(backlog.ralph("status", "--json").stdout)["backlog"]["cost_usd"] == 2.5


def test_a_reviewer_is_ended_at_its_time_limit_with_all_it_started(backlog: Project) -> None:
    token = f"at-end-{os.getpid()}"
    tell(backlog, "spec", {"background": f"sleep 61 {token}"}, {"sleep": 60}, {"say": "PASS"})
    begin(backlog, [reviewer("spec", hard_timeout=0.5)], "A")
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    found = backlog.facts("run.reviewed")[0]
    assert (found["timed_out"], found["passed"], found["unclear"]) == ("hard", False, True)
    assert processes_with(token) == []


def test_a_reviewer_whose_program_is_missing_is_an_error_before_anything_runs(backlog: Project) -> None:
    begin(backlog, [{"review": "spec", "agent": {"command": "./nobody.sh"}}], "A")
    done = backlog.ralph("run")
    assert done.returncode != 0 and "gate spec: " in done.stderr and "nobody.sh" in done.stderr
    assert not (backlog.path / ".git/ralph/journal.jsonl").exists()
    told = backlog.ralph("validate")
    assert "warning: at_end[0].agent.command: " in told.stdout


# -- cut short ---------------------------------------------------------------------------------------------


def test_killed_between_the_review_and_the_end_nobody_is_asked_twice(backlog: Project) -> None:
    for turn, so_far in (("1", ["spec"]), ("1", ["spec", "fit"])):
        done = backlog.ralph("run", env={"RALPH_FAULT": f"kill@review.recorded#{turn}"})
        assert done.returncode == -signal.SIGKILL
        assert asked(backlog) == so_far
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert asked(backlog) == ["spec", "fit"]
    assert "consensus: spec, fit say PASS" in done.stdout, "said by the lives before"
    assert "no consensus" not in done.stdout
    assert len(backlog.facts("landed")) == 2
    assert workspaces(backlog) == []
    report = backlog.ralph("report").stdout
    assert "Completed: 2/2 tasks" in report and "consensus: spec, fit say PASS" in report


def test_killed_while_a_reviewer_looks_it_is_asked_again_about_both_runs(backlog: Project) -> None:
    tell(backlog, "spec", {"run": "echo spec >> $HOME/asked; [ -e $HOME/go ] || sleep 60"}, {"say": "PASS"})
    begin(backlog, [reviewer("spec")], "A")
    before = backlog.git("rev-parse", "main")
    run = backlog.start("run")
    until(lambda: asked(backlog) == ["spec"], "the reviewer is asked")
    status = backlog.ralph("status")
    assert "at end      reviewer spec looks at the whole run" in status.stdout
    os.kill(run.pid, signal.SIGKILL)
    run.wait(60)
    (Path(backlog.env["HOME"]) / "go").touch()
    with open(backlog.path / "tasks.jsonl", "a") as file:
        file.write(json.dumps({"id": "B", "title": "Part B", "leaf": True}) + "\n")
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert asked(backlog) == ["spec", "spec"]
    found = backlog.facts("run.reviewed")
    assert [(x["base"], x["tip"]) for x in found] == [(before, backlog.git("rev-parse", "main"))]
    prompt = (
        backlog.path / ".git/ralph/blobs" / backlog.facts("run.review.started")[-1]["prompt"]
    ).read_text()
    assert "- A: Part A" in prompt and "- B: Part B" in prompt
    assert workspaces(backlog) == []


def test_a_stop_at_once_cuts_the_review_short_and_the_next_run_asks_again(backlog: Project) -> None:
    tell(backlog, "spec", {"run": "echo spec >> $HOME/asked; [ -e $HOME/go ] || sleep 60"}, {"say": "PASS"})
    begin(backlog, [reviewer("spec"), reviewer("fit")], "A")
    run = backlog.start("run")
    until(lambda: asked(backlog) == ["spec"], "the reviewer is asked")
    assert backlog.ralph("stop", "--now").returncode == 0
    assert run.wait(60) == 12, backlog.shown()
    assert backlog.facts("run.reviewed")[0]["how"] == "interrupted"
    assert workspaces(backlog) == []
    (Path(backlog.env["HOME"]) / "go").touch()
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert asked(backlog) == ["spec", "spec", "fit"]
    assert "consensus: spec, fit say PASS" in backlog.ralph("report").stdout


def test_nobody_is_asked_after_a_stop_before_the_last_task(backlog: Project) -> None:
    backlog.agent(f'[ "$RALPH_TASK" = B ] && touch {backlog.path}/.stop; {WORK}')
    begin(backlog, [reviewer("spec")], "A", "B", "C")
    run = backlog.start("run")
    run.wait(60)
    assert run.returncode == 12, backlog.shown()
    assert asked(backlog) == []
