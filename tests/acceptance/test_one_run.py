"""A prompt is a list of one task: its workspace, what is kept of a failure, and how both kinds of work go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import Project, until
from test_backlog_run import add, statuses, subjects, workspaces

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0, max_attempts: 2}
"""
GATE = "grep -qs good made\n"
GOOD = "echo good > made; echo Did it.; echo TASK_COMPLETE"
BAD = "echo bad >> made; echo note >> .ralph/agent/scratchpad.md; echo TASK_COMPLETE"


@pytest.fixture
def prompt(project: Project) -> Project:
    project.config(CONFIG)
    project.write("test.sh", GATE)
    project.agent(GOOD)
    project.commit()
    return project


@pytest.fixture
def backlog(prompt: Project) -> Project:
    (prompt.path / "PROMPT.md").unlink()
    add(prompt, "A")
    prompt.commit()
    return prompt


def failure_branches(project: Project) -> list[str]:
    return project.git("for-each-ref", "--format=%(refname:short)", "refs/heads/wip").split()


# -- a workspace of its own ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["clone", "worktree"])
def test_a_prompt_in_a_workspace_lands_as_a_task_does(prompt: Project, kind: str) -> None:
    prompt.write("mine.txt", "not committed\n")
    done = prompt.ralph("run", "-p", "Make it good", "--workspace", kind)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "uncommitted changes here are not in the workspace: mine.txt" in done.stderr
    assert subjects(prompt)[-1].endswith("Make it good")
    assert (prompt.path / "made").read_text() == "good\n", "the checkout is on main, so it followed"
    assert (prompt.path / "mine.txt").read_text() == "not committed\n"
    assert workspaces(prompt) == []
    (started,) = prompt.facts("loop.started")
    assert started["source"] == "prompt" and started["home"] == str(prompt.path)
    status = json.loads(prompt.ralph("status", "--json").stdout)
    assert status["end"] == "completed-verified"


def test_a_prompt_that_fails_in_a_workspace_leaves_the_checkout_and_goes_on_with_resume(
    prompt: Project,
) -> None:
    prompt.agent(BAD)
    prompt.commit()
    failed = prompt.ralph("run", "-p", "Make it good", "--workspace", "clone")
    assert failed.returncode == 3, failed.stdout + failed.stderr
    (branch,) = failure_branches(prompt)
    assert branch in failed.stdout and prompt.git("show", f"{branch}:made").startswith("bad")
    assert not (prompt.path / "made").exists() and workspaces(prompt) == []
    prompt.agent(GOOD)
    prompt.commit()
    gone_on = prompt.ralph("resume", "--max-attempts", "4")
    assert gone_on.returncode == 0, gone_on.stdout + gone_on.stderr
    assert (prompt.path / "made").read_text() == "good\n" and workspaces(prompt) == []
    assert prompt.facts("loop.resumed")[-1]["root"], "its workspace was made anew"


# -- failures ------------------------------------------------------------------------------------------


def test_a_prompt_that_fails_in_place_is_kept_on_a_branch_and_the_checkout_stays_as_it_is(
    prompt: Project,
) -> None:
    prompt.agent(BAD)
    prompt.commit()
    before = prompt.git("rev-parse", "HEAD")
    failed = prompt.ralph("run", "-p", "Make it good")
    assert failed.returncode == 3, failed.stdout + failed.stderr
    (branch,) = failure_branches(prompt)
    assert f"kept on {branch}" in failed.stdout
    assert prompt.git("rev-parse", f"{branch}^") == before
    assert prompt.git("show", f"{branch}:made").startswith("bad")
    assert "Ralph Loop failed" in prompt.git("log", "-1", "--format=%s", branch)
    assert prompt.git("rev-parse", "HEAD") == before and (prompt.path / "made").read_text() == "bad\nbad\n"
    replayed = prompt.ralph("replay", "--json")
    assert replayed.returncode == 0, replayed.stdout
    again = prompt.ralph("run", "-p", "Make it good", "--fresh", "--in-place")
    assert again.returncode == 3, again.stdout + again.stderr
    assert len(failure_branches(prompt)) == 1, "that of the first attempt is in the archive"
    assert prompt.git("for-each-ref", "--format=%(refname)", "refs/ralph/archive").count(branch) == 1


def test_what_the_user_had_not_committed_is_a_commit_below_and_is_never_pushed(
    prompt: Project, tmp_path: Path
) -> None:
    remote = tmp_path / "remote.git"
    prompt.git("init", "--bare", "-q", str(remote))
    prompt.git("remote", "add", "origin", str(remote))
    prompt.config(CONFIG + "push: true\n")
    prompt.agent(BAD)
    prompt.commit()
    prompt.write("mine.txt", "a secret of mine\n")
    failed = prompt.ralph("run", "-p", "Make it good", "--in-place")
    assert failed.returncode == 3, failed.stdout + failed.stderr
    (branch,) = failure_branches(prompt)
    assert prompt.git("show", f"{branch}^:mine.txt") == "a secret of mine"
    assert prompt.git("rev-parse", f"{branch}^^") == prompt.git("rev-parse", "HEAD")
    assert prompt.git("diff", "--name-only", f"{branch}^", branch).split() == [".ralph_state.md", "made"]
    assert prompt.git("ls-remote", str(remote)) == ""


def test_the_end_names_the_commits_that_the_agent_made_on_the_users_branch(prompt: Project) -> None:
    prompt.agent("echo good > made; git add made; git commit -qm 'My own commit'; echo TASK_COMPLETE")
    prompt.commit()
    done = prompt.ralph("run", "-p", "Make it good")
    assert done.returncode == 0, done.stdout + done.stderr
    made = prompt.git("rev-parse", "HEAD")[:12]
    assert f"The agent committed to main: {made}" in done.stdout


# -- going on ------------------------------------------------------------------------------------------


def test_a_task_that_failed_goes_on_in_a_workspace_made_anew(backlog: Project) -> None:
    backlog.agent(
        "cat made .ralph/agent/scratchpad.md > $HOME/found 2>/dev/null\n"
        f"if [ -e $HOME/better ]; then {GOOD}; else {BAD}; fi"
    )
    backlog.commit()
    failed = backlog.ralph("run")
    assert failed.returncode == 1 and statuses(backlog) == {"A": "failed"}
    assert workspaces(backlog) == []
    home = Path(backlog.env["HOME"])
    (home / "better").touch()
    at_limit = backlog.ralph("resume", "--task", "A")
    assert at_limit.returncode == 2 and "--max-attempts" in at_limit.stderr
    done = backlog.ralph("resume", "--task", "A", "--max-attempts", "5")
    assert done.returncode == 0, done.stdout + done.stderr
    assert statuses(backlog) == {"A": "complete"} and subjects(backlog)[-1] == "[A] Part A"
    assert (home / "found").read_text().startswith("bad\nbad\nnote\n"), (
        "tree and scratchpad are those of the end"
    )
    assert "| 2 |" in backlog.prompt(), "the earlier attempts are shown"
    assert workspaces(backlog) == []


def test_the_same_prompt_again_asks_and_another_one_says_how_to_go_on(prompt: Project) -> None:
    prompt.agent(BAD)
    prompt.commit()
    assert prompt.ralph("run", "-p", "Make it good", "--task-id", "first").returncode == 3
    again = prompt.ralph("run", "-p", "Make it good", "--task-id", "first", "--in-place")
    assert again.returncode == 2 and "--resume" in again.stderr and "--fresh" in again.stderr
    prompt.agent(GOOD)
    other = prompt.ralph("run", "-p", "Make it better", "--in-place")
    assert other.returncode == 0, other.stdout + other.stderr
    assert "`ralph resume --task first` continues it" in other.stderr
    old = prompt.ralph("resume", "--task", "first", "--max-attempts", "4")
    assert old.returncode == 0, old.stdout + old.stderr


def test_a_prompt_whose_run_died_can_go_on_after_another_prompt(prompt: Project) -> None:
    prompt.agent(f"if [ ! -e $HOME/began ]; then touch $HOME/began; sleep 1000; fi; {GOOD}")
    prompt.commit()
    first = prompt.start("run", "-p", "First", "--task-id", "first")
    until(lambda: (Path(prompt.env["HOME"]) / "began").exists(), "the agent works")
    first.kill()
    first.wait()
    other = prompt.ralph("run", "-p", "Second", "--in-place")
    assert other.returncode == 0, other.stdout + other.stderr
    assert "`ralph resume --task first`" in other.stderr
    old = prompt.ralph("resume", "--task", "first")
    assert old.returncode == 0, old.stdout + old.stderr


# -- the rest ------------------------------------------------------------------------------------------


def test_a_stop_file_at_the_start_begins_nothing(backlog: Project) -> None:
    for words in ((), ("-p", "Make it good")):
        (backlog.path / ".stop").touch()
        done = backlog.ralph("run", *words)
        assert done.returncode == 12, done.stdout + done.stderr
        assert "stopping: .stop" in done.stdout and ("nothing was begun" in done.stdout) is bool(words)
        assert backlog.facts("loop.started") == [] and not (backlog.path / ".stop").exists()


def test_secrets_of_a_policy_that_is_no_longer_the_files_are_masked(backlog: Project) -> None:
    asking = (
        "echo $KEPT_TOKEN; if [ -e $HOME/answered ]; then " + GOOD + "; else echo 'TASK_STUCK: which?'; fi"
    )
    backlog.config(CONFIG.replace("cli: {", "cli: {env: {KEPT_TOKEN: tok-0123456789abcdef}, "))
    backlog.agent(asking)
    backlog.commit()
    backlog.ralph("run")
    backlog.config(CONFIG)
    backlog.commit()
    (Path(backlog.env["HOME"]) / "answered").touch()
    backlog.ralph("answer", "this one", "--task", "A")
    said = [fact["said"] for fact in backlog.facts("iteration.ended")]
    assert len(said) > 1 and not any("tok-0123456789abcdef" in text for text in said)


# -- limits of the run, and tasks that agents propose ---------------------------------------------------


def test_a_run_ends_at_its_cost_and_the_next_one_goes_on(backlog: Project) -> None:
    add(backlog, "B", "C")
    spend = 'echo \'{"type":"usage","input_tokens":10,"output_tokens":5,"cost_usd":1.5}\''
    say = 'echo \'{"type":"message","role":"assistant","text":"TASK_COMPLETE"}\''
    backlog.config(
        CONFIG.replace("cli: {", "cli: {output: jsonl, ").replace(
            "event_loop: {", "event_loop: {max_run_cost_usd: 2, "
        )
    )
    backlog.agent(f"{spend}; echo good > made; echo $RALPH_TASK >> made; {say}")
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 8, done.stdout + done.stderr
    assert backlog.facts("run.ended")[-1]["reason"] == "limit: max_run_cost_usd"
    began = len(backlog.facts("loop.started"))
    assert began == 2, "the second loop was under way when the limit was reached, and the third is not begun"
    backlog.ralph("run")
    assert len(backlog.facts("loop.resumed")) == 1 and "complete" in statuses(backlog).values()


def test_agents_that_keep_proposing_come_to_an_end(backlog: Project) -> None:
    backlog.agent(
        'ralph task add "More because of $RALPH_TASK" > /dev/null; '
        + GOOD.replace("good", "good $RALPH_TASK")
    )
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(backlog.ralph("task", "list", "--all", "--json").stdout)["tasks"]
    (first,) = (task for task in found if task["title"] == "More because of A")
    (second,) = (task for task in found if task["title"] == f"More because of {first['id']}")
    assert (first["status"], second["status"]) == ("complete", "blocked")
    assert f"`ralph task accept {second['id']}` lets it begin" in done.stdout
    refused = backlog.ralph("task", "accept", first["id"])
    assert refused.returncode == 2 and second["id"] in refused.stderr
    assert backlog.ralph("task", "accept", second["id"]).returncode == 0
    assert statuses(backlog)[second["id"]] == "pending"


def test_what_a_prompt_s_agent_proposes_waits_in_the_backlog(prompt: Project) -> None:
    prompt.agent('ralph task add "Later" > /dev/null; ' + GOOD)
    prompt.commit()
    done = prompt.ralph("run", "-p", "Make it good")
    assert done.returncode == 0, done.stdout + done.stderr
    (task,) = (json.loads(line) for line in (prompt.path / "tasks.jsonl").read_text().splitlines())
    assert (task["title"], task["status"]) == ("Later", "blocked")
    assert prompt.ralph("task", "accept", "--all").returncode == 0
    assert statuses(prompt) == {task["id"]: "pending"}
