"""Every end of a loop that this far can be reached: its name, its exit code, what it says, and how to go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import Project

from ralph.core.exits import BY_NAME

AGENT = "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}\n"
JSONL = "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin, output: jsonl}\n"
GATE = "gates: [{name: tests, run: sh test.sh}]\n"
LOOP = "event_loop: {max_iterations: 8, crash_wait: 0}\n"

CLAIM = "echo 42 > answer; echo TASK_COMPLETE"
LIE = "echo $RALPH_ITERATION > answer; echo TASK_COMPLETE"
QUOTA = """echo '{"type":"error","kind":"quota","text":"the daily limit is reached","retry_after":7200}'; exit 1"""
KEY = """echo '{"type":"error","kind":"credentials","text":"401: the key is not valid"}'; exit 1"""

# (name, configuration, agent, end, code, words of the reason)
ENDS = (
    (
        "verified",
        AGENT + GATE + "require_verified: true\n",
        CLAIM,
        "completed-verified",
        0,
        "tests red→green",
    ),
    (
        "gates declined",
        AGENT + "gates: none\n" + LOOP,
        CLAIM,
        "completed-unverified",
        0,
        "no hard gate proves it",
    ),
    ("no gates", AGENT + LOOP, CLAIM, "completed-unverified", 6, "no hard gate proves it"),
    (
        "only soft gates",
        AGENT + "gates: [{run: sh test.sh, hard: false}]\n" + LOOP,
        CLAIM,
        "completed-unverified",
        6,
        "no hard gate proves it",
    ),
    (
        "attempts used up",
        AGENT + GATE + "event_loop: {max_attempts: 2}\n",
        LIE,
        "failed",
        3,
        "2 attempts used up, 2 times the same error; last: tests: FAILED: the answer is not 42",
    ),
    ("said stuck", AGENT + GATE + LOOP, "echo TASK_STUCK: no database here", "stuck", 4, "no database here"),
    (
        "same error",
        AGENT + GATE + "event_loop: {max_attempts: 9}\n",
        LIE,
        "stuck",
        4,
        "the same error 5 times, despite strategy shifts: tests: FAILED: the answer is not 42",
    ),
    (
        "no progress",
        AGENT + GATE + LOOP,
        "echo ITERATION_DONE",
        "stuck",
        4,
        "5 iterations in a row changed nothing",
    ),
    (
        "weakened gate",
        AGENT + GATE + LOOP,
        "echo exit 0 > test.sh; echo TASK_COMPLETE",
        "needs-review",
        7,
        "tests: green only with changed gate inputs: test.sh",
    ),
    (
        "iterations",
        AGENT + GATE + "event_loop: {max_iterations: 2}\n",
        "echo $RALPH_ITERATION > answer",
        "limit",
        8,
        "2 of 2 iterations",
    ),
    (
        "quota",
        JSONL + GATE + "event_loop: {max_wait: 1h}\n",
        QUOTA,
        "quota",
        9,
        "the daily limit is reached: a wait of 7200 s, 3600 s are allowed",
    ),
    (
        "crashes",
        AGENT + GATE + LOOP,
        "echo no such model >&2; exit 3",
        "agent-unusable",
        10,
        "the agent failed 5 times in a row (exit 3: no such model)",
    ),
    ("credentials", JSONL + GATE + LOOP, KEY, "agent-unusable", 10, "401: the key is not valid"),
    ("agent gone", AGENT + GATE + LOOP, "echo 1 > answer; rm agent.sh", "agent-unusable", 10, "agent.sh"),
)

FLAGS = {
    "iterations": "--max-iterations",
    "time": "--max-runtime",
    "cost": "--max-cost",
    "tokens": "--max-tokens",
}


@pytest.mark.parametrize(
    ("config", "agent", "end", "code", "reason"), [e[1:] for e in ENDS], ids=[e[0] for e in ENDS]
)
def test_every_end_has_its_code_its_reason_and_its_next_step(
    project: Project, config: str, agent: str, end: str, code: int, reason: str
) -> None:
    project.config(config)
    project.agent(agent)
    project.commit()
    before = project.user_state()
    done = project.ralph("run")
    assert done.returncode == code, done.stdout + done.stderr
    fact = project.end()
    assert (fact["end"], fact["code"]) == (end, code)
    assert reason in fact["reason"]
    assert [r["code"] for r in project.facts("run.ended")] == [code]
    last = done.stdout.splitlines()
    assert any(line.startswith(end) and reason in line for line in last), done.stdout
    declined = end == "completed-unverified" and code == 0
    said = {
        "needs-review": "If it is right: `ralph resume --accept`",
        "limit": f"`ralph resume {FLAGS.get(fact.get('limit', ''))} N`",
    }.get(end, "Look at the change yourself: no gate did." if declined else BY_NAME[fact["end"]].next)
    assert last[-1].startswith("Next: ") and said in last[-1]
    succeeded = end in ("completed-verified", "completed-unverified")
    assert (project.path / ".ralph_state.md").exists() is not succeeded
    assert not (project.path / ".ralph.lock").exists()
    assert project.user_state() == before


def test_requiring_proof_makes_declined_gates_no_success(project: Project) -> None:
    project.config(AGENT + "gates: none\n")
    project.commit()
    done = project.ralph("run", "--require-verified")
    assert done.returncode == 6, done.stdout
    assert "no end can be verified" in done.stderr


def test_a_crash_is_an_iteration_and_waits_and_five_in_a_row_end_the_loop(project: Project) -> None:
    project.config(AGENT + GATE + "event_loop: {crash_wait: 0.01, max_iterations: 20}\n")
    # Crash four times, do one good iteration, then crash on: only five in a row count.
    project.agent("echo $RALPH_ITERATION >> f; [ $RALPH_ITERATION = 5 ] || kill -9 $$")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 10, done.stdout
    assert [i["code"] for i in project.facts("iteration.ended")] == [-9] * 4 + [0] + [-9] * 5
    waits = project.facts("wait.started")
    assert {w["what"] for w in waits} == {"crash"} and len(
        waits
    ) == 8  # after each but the last, which ends the loop
    assert "exit -9" in project.prompt(1)
    status = project.ralph("status").stdout
    assert "iterations  10 of 20" in status
    assert "waiting" not in status
    project.agent(CLAIM)
    assert project.ralph("resume").returncode == 0, "the agent was mended"


# -- a person ----------------------------------------------------------------------------------------


def test_a_question_ends_the_loop_until_a_person_answers(project: Project) -> None:
    project.agent(
        "if [ $RALPH_ITERATION = 1 ]; then\n"
        '  ralph emit human.interact "Which database?"; echo 1 > answer; echo ITERATION_DONE\n'
        f"else {CLAIM}; fi"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 5, done.stdout
    assert "blocked-on-person: Which database?" in done.stdout
    assert 'ralph answer "..."' in done.stdout
    assert (project.path / "answer").read_text() == "1\n"

    again = project.ralph("resume")
    assert again.returncode == 5, "nobody has answered yet"
    assert "Which database?" in again.stdout
    assert len(project.facts("iteration.started")) == 1

    answered = project.ralph("resume", "--answer", "PostgreSQL 15")
    assert answered.returncode == 0, answered.stdout
    assert 'A person answered the question "Which database?": PostgreSQL 15' in project.prompt()
    assert "iteration 2/8" in answered.stdout
    assert "First iteration" in project.prompt(0)
    assert "First iteration" not in project.prompt(1)


def test_an_answer_that_nobody_asked_for_is_refused(project: Project) -> None:
    project.config(AGENT + GATE + "event_loop: {max_iterations: 1}\n")
    project.agent("echo 1 > answer")
    project.commit()
    assert project.ralph("run").returncode == 8
    done = project.ralph("resume", "--answer", "yes")
    assert done.returncode == 2
    assert "no question waits for an answer" in done.stderr
    assert len(project.facts("loop.resumed")) == 0


# -- usage and configuration -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "--max-iteration", "3"), "--max-iterations"),
        (("runn",), "Did you mean `ralph run`?"),
        (("run", "--max-iterations", "0"), "--max-iterations"),
        (("run", "--gate", "true", "--no-gates"), "--no-gates"),
        (("resume",), "there is nothing to resume here"),
        (("run", "--resume", "-p", "x"), "--prompt would change nothing"),
        (("run", "--resume", "--timeout-multiplier", "2"), "--timeout-multiplier would change nothing"),
        (("run", "--resume", "-c", "ralph.yml"), "--config would change nothing"),
        (("stop",), "nothing runs here"),
        (("cancel",), "nothing runs here"),
        (("resume", "--max-cost", "0"), "must be above 0"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_two_and_changes_nothing(
    project: Project, arguments: tuple[str, ...], words: str
) -> None:
    done = project.ralph(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert project.facts() == []
    assert project.git("status", "--porcelain") == ""


def test_a_wrong_configuration_is_two_with_line_and_nearest_name(project: Project) -> None:
    project.config(AGENT + "event_loop:\n  max_iteration: 3\n")
    done = project.ralph("run")
    assert done.returncode == 2
    assert "ralph.yml:3" in done.stderr and "max_iterations" in done.stderr
    assert project.facts() == []


def test_an_agent_that_does_not_exist_is_ten_and_changes_nothing(project: Project) -> None:
    (project.path / "agent.sh").unlink()
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 10
    assert "agent.sh' does not exist" in done.stderr or 'agent.sh" does not exist' in done.stderr, done.stderr
    assert project.facts() == []


# -- the journal and the disk ------------------------------------------------------------------------


def test_a_damaged_journal_is_seventy_and_stays_as_it_is(project: Project) -> None:
    project.config(AGENT + GATE + "event_loop: {max_iterations: 1}\n")
    project.agent("echo 1 > answer")
    project.commit()
    assert project.ralph("run").returncode == 8
    journal = project.path / ".git/ralph/journal.jsonl"
    damaged = journal.read_bytes().replace(b"sh test.sh", b"sh best.sh", 1)
    journal.write_bytes(damaged)
    for command in (("resume",), ("run", "--fresh", "--in-place"), ("status",), ("events",)):
        done = project.ralph(*command)
        assert done.returncode == 70, (command, done.stdout, done.stderr)
        assert "journal.jsonl" in done.stderr
        assert "Traceback" not in done.stderr
    assert journal.read_bytes() == damaged
    assert not (project.path / ".ralph.lock").exists()


@pytest.mark.parametrize(
    ("fault", "where", "words"),
    [
        ("ENOSPC", "journal.append.before", "No space left on device"),
        ("EIO", "journal.sync.before", "Input/output error"),
    ],
)
def test_a_full_or_failing_disk_is_seventy_and_a_resume_goes_on(
    project: Project, tmp_path: Path, fault: str, where: str, words: str
) -> None:
    (tmp_path / "rehearsal").mkdir()
    rehearsal = Project(tmp_path / "rehearsal/project", tmp_path / "rehearsal/home")
    assert rehearsal.ralph("run", env={"RALPH_FAULT": f"count:{tmp_path}/seams"}).returncode == 0
    writes = [s.removesuffix(" w") for s in (tmp_path / "seams").read_text().splitlines() if s.endswith(" w")]
    middle = [n for n, name in enumerate(writes, 1) if name == where]
    at = middle[len(middle) // 2]

    done = project.ralph("run", env={"RALPH_FAULT": f"{fault}@{at}"})
    assert done.returncode == 70, done.stdout + done.stderr
    assert words in done.stderr
    assert "resume` continues" in done.stderr
    assert "Traceback" not in done.stderr
    assert project.ralph("resume").returncode == 0
    assert project.end()["end"] == "completed-verified"


def test_a_reader_that_goes_away_does_not_end_the_run_or_change_its_code(project: Project) -> None:
    project.agent(
        "echo $RALPH_ITERATION > answer; [ $RALPH_ITERATION = 3 ] && echo 42 > answer && echo TASK_COMPLETE; :"
    )
    project.commit()
    done = project.shell("ralph run | head -n 1; echo ${PIPESTATUS[0]}")
    assert done.stdout.splitlines()[-1] == "0", done.stdout + done.stderr
    assert project.end()["end"] == "completed-verified"
