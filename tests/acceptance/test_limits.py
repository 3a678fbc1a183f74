"""Limits and waits with real clocks and real processes: what is cut off, what is only warned about, what is waited for."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from project import Project, processes_with, until

AGENT = "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}\n"
JSONL = "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin, output: jsonl}\n"
GATE = "gates: [{name: tests, run: sh test.sh}]\n"
CLAIM = "echo 42 > answer; echo TASK_COMPLETE"
SAY_DONE = """echo 42 > answer; echo '{"type":"message","role":"assistant","text":"TASK_COMPLETE"}'"""
SPEND = """echo '{"type":"usage","input_tokens":900,"output_tokens":600,"cost_usd":2.5}'"""
QUOTA = """echo '{"type":"error","kind":"quota","text":"come back later","retry_after":%s}'; exit 1"""


def first_then(first: str, then: str) -> str:
    return f"if [ $RALPH_ITERATION = 1 ]; then\n{first}\nelse\n{then}\nfi"


def await_in_journal(word: str) -> str:
    """The agent goes on when the journal holds this word."""
    return f"until grep -q '{word}' .git/ralph/journal.jsonl; do sleep 0.05; done"


SPENT = {"tokens": 1500, "cost_usd": 2.5, "split": {"input": 900, "output": 600}}

# -- the loop's limits ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "unit", "reason"),
    [("max_cost_usd: 2", "cost", "2.50 of 2.00 USD"), ("max_tokens: 1000", "tokens", "1500 of 1000 tokens")],
)
def test_an_agent_that_spends_too_much_is_cut_off_in_the_middle_and_its_work_is_kept(
    project: Project, limit: str, unit: str, reason: str
) -> None:
    project.config(JSONL + GATE + f"event_loop: {{{limit}}}\n")
    project.agent(first_then(f"echo begun > work; {SPEND}; sleep 600; echo never > never", SAY_DONE))
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 8, done.stdout
    assert f"limit ({unit}): {reason}" in done.stdout
    cut = project.facts("iteration.ended")[-1]
    assert (cut["how"], cut["cause"], cut["usage"]) == ("cut", unit, SPENT)
    assert (project.path / "work").read_text() == "begun\n"
    assert not (project.path / "never").exists()
    assert processes_with(str(project.path)) == []

    still = project.ralph("resume")
    assert still.returncode == 2, "the limit is as low as before"
    assert "it would end again at once" in still.stderr
    assert len(project.facts("iteration.started")) == 1

    raised = project.ralph("resume", f"--max-{unit}", "5000")
    assert raised.returncode == 0, raised.stdout
    assert project.facts("iteration.started")[-1]["n"] == 2
    assert (project.path / "work").read_text() == "begun\n"


def test_active_time_ends_the_loop_and_more_of_it_goes_on(project: Project) -> None:
    project.config(AGENT + GATE + "event_loop: {max_runtime_seconds: 5}\n")
    project.agent(first_then("echo begun > work; sleep 600; echo never > never", CLAIM))
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 8, done.stdout
    end = project.end()
    assert (end["end"], end["limit"]) == ("limit", "time")
    assert project.facts("iteration.ended")[-1]["cause"] == "time"
    assert (project.path / "work").exists() and not (project.path / "never").exists()
    raised = project.ralph("resume", "--max-runtime", "600")
    assert raised.returncode == 0, raised.stdout
    assert "iteration 2/" in raised.stdout


def test_the_soft_limits_let_the_agent_work_and_tell_the_next_one(project: Project) -> None:
    project.config(
        AGENT
        + GATE
        + "event_loop: {soft_runtime_seconds: 0.3, iteration_soft_timeout: 0.3, max_iterations: 9}\n"
    )
    noticed = f"{await_in_journal('iteration-soft')}; {await_in_journal('soft-time')}; echo 1 > answer"
    project.agent(first_then(noticed, CLAIM))
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.facts("iteration.ended")[0]["how"] == "exited"
    assert sorted(c["what"] for c in project.facts("checkpoint") if c.get("serial", 1) == 1) == [
        "iteration-soft",
        "soft-time",
    ]
    note = project.prompt(1)
    assert "Most of the loop's time is used." in note
    assert "The iteration before took too long." in note
    assert "Most of the loop's time" not in project.prompt(0)
    assert "warning: the loop's soft time limit was passed" in done.stdout


# -- one iteration -------------------------------------------------------------------------------------


def test_an_iteration_over_its_hard_limit_is_killed_and_is_an_attempt(project: Project) -> None:
    project.config(AGENT + GATE + "event_loop: {iteration_timeout: 4, stop_grace: 0.2, max_attempts: 2}\n")
    project.agent("trap '' TERM INT; echo $RALPH_ITERATION >> work; while :; do sleep 600; done")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 3, done.stdout
    assert [(i["how"], i["cause"]) for i in project.facts("iteration.ended")] == [
        ("cut", "iteration-time")
    ] * 2
    assert "2 attempts used up" in project.end()["reason"]
    assert "hit its hard time limit" in project.end()["reason"]
    assert "hit its time limit and was stopped" in project.prompt(1)
    assert (project.path / "work").read_text() == "1\n2\n"
    assert processes_with(str(project.path)) == []


def test_a_silent_sleeping_agent_is_cut_off(project: Project) -> None:
    project.config(AGENT + GATE + "event_loop: {idle_timeout: 3}\n")
    project.agent(first_then("echo 1 > answer; sleep 600", CLAIM))
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    first = project.facts("iteration.ended")[0]
    assert (first["how"], first["cause"]) == ("cut", "idle")
    assert "nothing happened for too long" in project.prompt(1)
    assert "1 attempt rejected" in done.stdout
    assert processes_with(str(project.path)) == []


def test_a_silent_agent_that_computes_or_writes_files_is_not_idle(project: Project) -> None:
    project.config(AGENT + GATE + "event_loop: {idle_timeout: 4}\n")
    project.write(
        "computes.py", "import time\nend = time.monotonic() + 6\nwhile time.monotonic() < end:\n    pass\n"
    )
    project.write(
        "writes.py",
        "import time\nfor n in range(7):\n    open('work', 'w').write(str(n))\n    time.sleep(0.9)\n",
    )
    project.agent(f"{sys.executable} computes.py; {sys.executable} writes.py; {CLAIM}")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert [i["how"] for i in project.facts("iteration.ended")] == ["exited"]


# -- gates ---------------------------------------------------------------------------------------------


def test_a_hard_gate_that_hangs_is_an_attempt_and_a_soft_one_a_warning(project: Project) -> None:
    hangs = 'case "$(cat answer 2>/dev/null)" in 42) exit 0;; "") exit 1;; *) echo half; sleep 600;; esac'
    project.write("test.sh", hangs)
    project.config(
        AGENT
        + "gates:\n"
        + "- {name: tests, run: sh test.sh, hard_timeout: 6}\n"
        + "- {name: slow, run: '[ ! -e answer ] || sleep 600', hard: false, hard_timeout: 1}\n"
        + "event_loop: {stop_grace: 0.2}\n"
    )
    project.agent(first_then("echo 1 > answer; echo TASK_COMPLETE", CLAIM))
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    tests = [g for g in project.facts("gate.ended") if g["gate"] == "tests" and g["purpose"] == "claim"]
    assert [(g["passed"], g.get("timed_out", "")) for g in tests] == [(False, "hard"), (True, "")]
    assert "1 attempt rejected" in done.stdout
    assert "tests ran out of time after 6 s" in project.prompt(1)
    assert "half" in project.prompt(1)
    assert "warning: gate slow ran out of time" in done.stdout
    assert project.end()["proof"] == {"tests": "red→green", "slow": "green→red (soft)"}
    assert processes_with(str(project.path)) == []


def test_a_gate_over_its_soft_limit_passes_with_a_warning(project: Project) -> None:
    project.write("test.sh", 'test "$(cat answer)" = 42 && sleep 0.3')
    project.config(AGENT + "gates: [{name: tests, run: sh test.sh, soft_timeout: 0.1, hard_timeout: 60}]\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.facts("gate.ended")[-1]["timed_out"] == "soft"
    assert "warning: gate tests took" in done.stdout


def test_the_multiplier_stretches_every_time_limit_and_no_wait(project: Project) -> None:
    project.config(
        AGENT
        + "gates: [{name: tests, run: sh test.sh, soft_timeout: 200, hard_timeout: 300}]\n"
        + "event_loop: {max_runtime_seconds: 1000, soft_runtime_seconds: 800, iteration_timeout: 100,\n"
        + "  iteration_soft_timeout: 90, idle_timeout: 500, crash_wait: 7, max_wait: 70}\n"
    )
    project.agent(first_then("sleep 600", CLAIM))
    project.commit()
    done = project.ralph("run", "--timeout-multiplier", "0.01")
    assert done.returncode == 0, done.stdout
    assert project.facts("iteration.ended")[0]["cause"] == "iteration-time", "100 s became 1 s"
    policy = project.facts("loop.started")[0]["policy"]
    expected = {
        "hard_seconds": 10,
        "soft_seconds": 8,
        "iteration_hard_seconds": 1,
        "iteration_soft_seconds": 0.9,
        "idle_seconds": 5,
        "crash_wait_seconds": 7,
        "max_wait_seconds": 70,
    }
    assert {key: policy["limits"][key] for key in expected} == pytest.approx(expected)
    assert (policy["gates"][0]["soft_timeout"], policy["gates"][0]["hard_timeout"]) == pytest.approx((2, 3))


# -- waits ---------------------------------------------------------------------------------------------


def test_a_short_quota_is_waited_for_and_is_not_the_agents_fault(project: Project) -> None:
    project.config(JSONL + GATE + "event_loop: {max_iterations: 1}\n")
    project.agent(f"[ -e $HOME/asked ] || {{ touch $HOME/asked; {QUOTA % 0.2}; }}\n{SAY_DONE}")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert [(i["serial"], i["n"]) for i in project.facts("iteration.started")] == [(1, 1), (2, 1)]
    assert [w["elapsed"] for w in project.facts("wait.ended")] == [True]
    assert "1 iteration" in done.stdout.splitlines()[-2]


def test_a_wait_can_be_interrupted_and_survives_kill_and_resume(project: Project) -> None:
    project.config(JSONL + GATE + "event_loop: {max_wait: 2h}\n")
    project.agent(QUOTA % 3600)
    project.commit()
    run = project.start("run")
    until(lambda: project.journaled("wait.started") == 1, "the wait begins")
    status = project.ralph("status").stdout
    assert "waiting     quota until" in status and "come back later" in status
    os.kill(run.pid, signal.SIGKILL)
    run.wait()

    again = project.start("resume")
    until(lambda: project.journaled("wait.started") == 2, "the wait goes on")
    first, second = (w["until"] for w in project.facts("wait.started"))
    assert first == second, "a restart makes no wait longer"
    os.killpg(again.pid, signal.SIGINT)
    assert again.wait(60) == 130

    third = project.start("resume")
    until(lambda: project.journaled("wait.started") == 3, "the wait goes on")
    assert "stops after its iteration" in project.ralph("stop").stdout
    assert third.wait(60) == 12
    assert {w["until"] for w in project.facts("wait.started")} == {first}
    assert len(project.facts("iteration.started")) == 1
    assert [w["elapsed"] for w in project.facts("wait.ended")] == [False] * 3


def test_after_a_quota_end_a_resume_tries_at_once(project: Project) -> None:
    project.config(JSONL + GATE + "event_loop: {max_wait: 60}\n")
    project.agent(f"[ -e $HOME/asked ] || {{ touch $HOME/asked; {QUOTA % 3600}; }}\n{SAY_DONE}")
    project.commit()
    assert project.ralph("run").returncode == 9
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert project.facts("wait.started") == []
