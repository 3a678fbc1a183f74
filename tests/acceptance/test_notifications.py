"""`notify:` in a real run: who is told of what, once, and that telling changes nothing about the run."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from project import Project, Terminal, until

CONFIG = """\
cli: {{backend: custom, command: ./agent.sh, prompt_mode: stdin}}
gates: [{{name: tests, run: sh test.sh}}]
event_loop: {{max_iterations: 8, crash_wait: 0}}
notify:
{targets}
"""
KEEP = "cat >> $HOME/told; echo >> $HOME/told"
QUOTA = """echo '{"type":"error","kind":"quota","text":"come back later","retry_after":7200}'; exit 1"""


def notify(project: Project, *targets: str) -> None:
    """Each target is a command."""
    project.config(CONFIG.format(targets="\n".join(f"  - run: {json.dumps(t)}" for t in targets)))
    project.commit()


def messages(project: Project) -> list[dict[str, Any]]:
    path = Path(project.env["HOME"]) / "told"
    return [json.loads(line) for line in path.read_text().splitlines() if line] if path.exists() else []


def test_an_end_is_told_to_a_command(project: Project) -> None:
    notify(project, KEEP)
    done = project.ralph("run")
    assert done.returncode == 0, done.stderr
    (message,) = messages(project)
    assert (message["occasion"], message["end"], message["code"]) == ("end", "completed-verified", 0)
    assert message["proof"] == {"tests": "red→green"} and message["iterations"] == 1
    assert message["folder"] == str(project.path) and message["loop"] and message["run"]
    (fact,) = project.facts("notified")
    assert (fact["occasion"], fact["target"], fact["ok"]) == ("end", "1: cat", True)


def test_a_question_is_told_as_a_block_and_the_answered_loop_tells_its_end(project: Project) -> None:
    project.agent(
        "if test -e $HOME/asked; then echo 42 > answer; echo TASK_COMPLETE; else touch $HOME/asked\n"
        '  ralph emit human.interact "Which database?"; echo 1 > answer; echo ITERATION_DONE; fi'
    )
    notify(project, KEEP)
    assert project.ralph("run").returncode == 5
    assert project.ralph("resume", "--answer", "the old one").returncode == 0
    block, end = messages(project)
    assert (block["occasion"], block["question"]) == ("block", "Which database?")
    assert (end["occasion"], end["end"]) == ("end", "completed-verified")


def test_a_wait_for_a_quota_is_told_while_it_lasts_and_not_again_when_it_goes_on(project: Project) -> None:
    project.agent(QUOTA)
    notify(project, KEEP)
    project.config((project.path / "ralph.yml").read_text().replace("stdin}", "stdin, output: jsonl}"))
    run = project.start("run")
    until(lambda: project.journaled("notified"), "the wait is told")
    assert messages(project)[0]["wait"]["why"] == "come back later"
    run.kill()
    run.wait()
    run = project.start("resume")
    until(lambda: project.journaled("wait.started") == 2, "the wait goes on")
    run.send_signal(signal.SIGINT)
    assert run.wait(60) == 130
    assert [m["occasion"] for m in messages(project)] == ["wait", "end"]


def test_who_cannot_be_told_changes_nothing_about_the_run(project: Project) -> None:
    notify(project, "echo 'no network' >&2; exit 9", KEEP)
    done = project.ralph("run")
    assert done.returncode == 0, done.stderr
    bad, good = sorted(project.facts("notified"), key=lambda fact: fact["target"])
    assert not bad["ok"] and bad["text"] == "exit 9: no network"
    assert good["ok"] and len(messages(project)) == 1
    assert project.end()["end"] == "completed-verified"


def test_a_run_that_dies_before_it_has_told_its_end_is_made_up_for_by_the_next(project: Project) -> None:
    dies = 'if test -e $HOME/once; then exit 0; fi; touch $HOME/once; kill -9 "$(cat .ralph.lock)"; sleep 300'
    notify(project, dies, KEEP)
    assert project.ralph("run").returncode == -signal.SIGKILL
    assert all("cat" in fact["target"] for fact in project.facts("notified"))
    done = project.ralph("resume")
    assert done.returncode == 0, done.stderr
    assert sorted((fact["target"], fact["ok"]) for fact in project.facts("notified")) == [
        ("1: if", True),
        ("2: cat", True),
    ]
    assert {m["id"] for m in messages(project)} == {messages(project)[0]["id"]}, "the same news"
    assert len(project.facts("iteration.started")) == 1, "nothing is run again"


# -- secrets -------------------------------------------------------------------------------------------


def test_secrets_of_the_configuration_are_in_the_journal_and_in_nothing_that_is_printed(
    project: Project,
) -> None:
    agent = "{command: ./agent.sh, env: {API_KEY: s3cret-key}}"
    project.write("review.sh", "#!/bin/sh\ncat > /dev/null\necho PASS\n", executable=True)
    project.config(
        f"cli: {agent}\ngates:\n- {{name: spec, review: spec, agent: {agent.replace('agent.sh', 'review.sh')}}}\n"
        "notify: [{url: 'nosuch://s3cret-token-0123', when: [wait]}]\n"
    )
    project.commit()
    run = project.ralph("run", "--json")
    assert run.returncode == 0, run.stderr
    shown = [run.stdout, run.stderr]
    commands = (
        ("events", "--json"),
        ("events",),
        ("report",),
        ("report", "--json"),
        ("validate",),
        ("status", "--json"),
    )
    for arguments in commands:
        done = project.ralph(*arguments)
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout)
    shown.append(project.ralph("report", "--html", "-o", "page.html").stdout)
    shown.append((project.path / "page.html").read_text())
    assert [text for text in shown if "s3cret" in text] == []
    assert '"API_KEY":"***"' in run.stdout and "nosuch://***" in run.stdout
    assert "s3cret-key" in (project.path / ".git/ralph/journal.jsonl").read_text(), "a resume goes by it"


# -- whom nobody can reach ---------------------------------------------------------------------------

HANGS = "sleep 100"


def texts(project: Project) -> list[str]:
    return [fact["text"] for fact in project.facts("notified")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_end_is_shown_before_it_is_told_and_a_signal_then_changes_nothing(
    project: Project, number: signal.Signals
) -> None:
    notify(project, HANGS)
    run = project.start("run")
    until(lambda: "\nNext: " in project.shown(), "the summary is shown")
    assert "completed-verified: proven: tests red→green" in project.shown()
    run.send_signal(number)
    assert run.wait(60) == 0
    assert texts(project) == ["cut short"] and project.facts("run.ended")[-1]["code"] == 0
    assert "warning: could not notify 1: sleep: cut short" in project.shown()


def test_a_second_ctrl_c_cuts_the_telling_short_and_the_end_stays(project: Project) -> None:
    project.agent("touch $HOME/began; sleep 1000")
    notify(project, HANGS)
    run = project.start("run")
    until(lambda: project.mark("began"), "the agent works")
    run.send_signal(signal.SIGINT)
    until(lambda: "\nNext: " in project.shown(), "the summary is shown")
    run.send_signal(signal.SIGINT)
    assert run.wait(60) == 130
    assert texts(project) == ["cut short"] and project.facts("run.ended")[-1]["code"] == 130
    assert "Ended at once" not in project.shown()


def test_on_a_terminal_the_summary_stands_while_somebody_is_told(project: Project) -> None:
    notify(project, HANGS)
    terminal = Terminal(project, "run")
    terminal.await_text("still telling 1: sleep; Ctrl-C leaves it")
    assert "Next: " in terminal.shown and "completed-verified" in terminal.shown
    terminal.press("\x03")
    assert terminal.end() == 0
    assert texts(project) == ["cut short"]


def test_a_stop_does_not_wait_for_somebody_to_be_told_of_a_wait(project: Project) -> None:
    project.agent(QUOTA)
    notify(project, HANGS)
    project.config((project.path / "ralph.yml").read_text().replace("stdin}", "stdin, output: jsonl}"))
    run = project.start("run")
    until(lambda: project.journaled("wait.started"), "it waits")
    assert project.ralph("stop").returncode == 0
    until(lambda: "\nNext: " in project.shown(), "it has stopped")
    run.send_signal(signal.SIGINT)
    assert run.wait(60) == 12
    assert texts(project) == ["cut short: the loop has ended", "cut short"]


def test_a_backlogs_run_that_dies_before_it_has_told_of_a_task_is_made_up_for_once(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    dies = 'if test -e $HOME/once; then exit 0; fi; touch $HOME/once; kill -9 "$(cat .ralph.lock)"; sleep 300'
    notify(project, dies, KEEP)
    tasks = [json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) for id in ("A", "B")]
    project.write("tasks.jsonl", "\n".join(tasks) + "\n")
    project.agent("echo 42 > answer; echo $RALPH_TASK > part-$RALPH_TASK; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == -signal.SIGKILL
    assert project.journaled("loop.ended") == 1
    assert all("cat" in fact["target"] for fact in project.facts("notified"))
    assert project.ralph("run").returncode == 0
    assert project.ralph("run").returncode == 0
    told = sorted(fact["target"] for fact in project.facts("notified"))
    assert told == ["1: if", "1: if", "2: cat", "2: cat"], "of each task, everybody once"
    assert sorted({message["task"]["id"] for message in messages(project)}) == ["A", "B"]
