"""Command gates as a user meets them: when they run, what they may do, and what their word is worth."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from project import CONFIG, Project, until

AGENT = "cli: {command: ./agent.sh}\nevent_loop: {max_iterations: 4, crash_wait: 0, stop_grace: 0}\n"


def claims(project: Project) -> list[tuple[str, bool]]:
    """Which gates judged claims, in order, and what they said."""
    return [(g["gate"], g["passed"]) for g in project.facts("gate.ended") if g["purpose"] == "claim"]


def test_gates_run_in_their_order_and_the_first_hard_failure_ends_the_judging(project: Project) -> None:
    project.config(
        AGENT
        + "gates:\n- {name: first, run: 'true'}\n- {name: style, run: 'echo untidy; exit 1', hard: false}\n"
        + "- {name: second, run: sh test.sh}\n- {name: third, run: 'true'}\n"
    )
    project.agent("echo 4$RALPH_ITERATION > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert claims(project) == [
        *[("first", True), ("style", False), ("second", False)],
        *[("first", True), ("style", False), ("second", True), ("third", True)],
    ]
    assert project.end()["proof"] == {
        "first": "green→green",
        "style": "red→red (soft)",
        "second": "red→green",
        "third": "green→green",
    }
    assert "warning: gate style (soft) failed: untidy" in done.stdout


def test_soft_gates_alone_prove_nothing(project: Project) -> None:
    project.config(AGENT + "gates: [{name: style, run: 'true', hard: false}]\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 6, done.stdout
    assert "completed-unverified" in done.stdout


def known(project: Project, done: subprocess.CompletedProcess[str]) -> list[str]:
    """The gates whose word on the starting tree was taken over from an earlier loop."""
    assert "task: " in done.stdout, done.stderr
    return [k["gate"] for k in project.facts("workspace.prepared")[-1].get("known", [])]


def with_a_configuration_outside_the_tree(project: Project) -> None:
    project.git("rm", "-q", "--cached", "ralph.yml")
    project.write(".gitignore", ".ralph/\n.ralph_state.md\n.ralph.lock\nralph.log\nralph.yml\nlocal/\n")
    project.agent("echo 42 > answer; echo TASK_COMPLETE")
    project.write("sub/test.sh", "exit 1\n")
    project.commit()


def test_a_pass_on_the_starting_tree_is_known_from_an_earlier_loop(project: Project) -> None:
    with_a_configuration_outside_the_tree(project)
    assert project.ralph("run").returncode == 0
    project.commit()
    again = project.ralph("run", "--fresh", "--max-iterations", "1")
    assert known(project, again) == ["tests"]
    assert "gate tests on the starting tree: green (known: journal seq" in again.stdout
    assert len([g for g in project.facts("gate.ended") if g["op"] == "base:tests"]) == 1


OTHER_QUESTIONS = {
    "another command": "{name: tests, run: sh ./test.sh}",
    "another time limit": "{name: tests, run: sh test.sh, hard_timeout: 7}",
    "other permissions": "{name: tests, run: sh test.sh, may_write: [x]}",
    "other inputs": "{name: tests, run: sh test.sh, judges: [x]}",
    "the folder": "{name: tests, run: sh test.sh, hermetic: false}",
    "another name": "{name: check, run: sh test.sh}",
}


@pytest.mark.parametrize("change", OTHER_QUESTIONS)
def test_another_question_is_not_answered_by_an_earlier_loop(project: Project, change: str) -> None:
    with_a_configuration_outside_the_tree(project)
    assert project.ralph("run").returncode == 0
    project.commit()
    project.config(AGENT + f"gates: [{OTHER_QUESTIONS[change]}]\n")
    assert known(project, project.ralph("run", "--max-iterations", "1")) == []


def test_another_folder_is_another_question(project: Project) -> None:
    with_a_configuration_outside_the_tree(project)
    assert project.ralph("run").returncode == 0
    project.commit()
    for name in ("ralph.yml", "PROMPT.md", "agent.sh"):
        shutil.copy(project.path / name, project.path / "sub" / name)
    project.git("add", "-A")
    project.git("commit", "-qm", "sub")
    assert project.ralph("run", "--max-iterations", "1").returncode != 2, "the tree of both folders' loops"
    done = project.ralph("run", "--fresh", "--max-iterations", "1", cwd=project.path / "sub")
    assert known(project, done) == []
    assert "gate tests on the starting tree: red, exit 1" in done.stdout


def test_a_changed_script_that_git_does_not_record_is_another_question(project: Project) -> None:
    with_a_configuration_outside_the_tree(project)
    project.config(AGENT + "gates: [{name: tests, run: sh local/check.sh}]\nshare: [local]\n")
    project.write("local/check.sh", "test -e answer\n")
    assert project.ralph("run").returncode == 0
    project.commit()
    assert known(project, project.ralph("run", "--max-iterations", "1")) == ["tests"]
    project.write("local/check.sh", "test -e more\n")
    done = project.ralph("run", "--fresh", "--max-iterations", "1")
    assert known(project, done) == []
    assert "gate tests on the starting tree: red" in done.stdout


def test_a_failure_on_the_starting_tree_is_seen_again_by_every_loop(project: Project) -> None:
    """What failed for a reason that is gone by now would make a false red→green."""
    project.write("test.sh", "test -e $HOME/service\n")
    project.agent("echo x > step; test -e $HOME/service && echo TASK_COMPLETE || echo TASK_STUCK: down")
    project.commit()
    assert project.ralph("run").returncode == 4
    (project.path / "step").unlink()
    (Path(project.env["HOME"]) / "service").touch()
    done = project.ralph("run", "--fresh")
    assert known(project, done) == []
    assert project.end()["proof"] == {"tests": "green→green"}


def test_an_iteration_gate_looks_at_every_tree_and_its_word_serves_the_claim(project: Project) -> None:
    project.config(AGENT + "gates: [{name: tests, run: sh test.sh, every: iteration}]\n")
    project.agent(
        "case $RALPH_ITERATION in 1) echo 1 > answer;; 2) : ;; 3) echo 42 > answer; echo TASK_COMPLETE;; esac"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    gates = project.facts("gate.ended")
    assert [(g["op"], g["passed"]) for g in gates] == [
        ("base:tests", False),
        ("iteration:1:tests", False),
        ("iteration:3:tests", True),
    ]
    assert "0 attempts rejected" in done.stdout


def test_an_undeclared_write_is_undone_and_fails_the_gate(project: Project) -> None:
    project.write("kept", "kept\n")
    project.write("gone", "gone\n")
    project.config(
        AGENT
        + "gates: [{name: tests, run: 'echo x > made; echo y > kept; rm gone; mkdir -p d; touch d/e'}]\n"
    )
    project.agent("echo $RALPH_ITERATION > step; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 8, done.stdout
    # what is new is gone with the checkout
    assert "tests changed files that it may not change: gone, kept" in done.stdout
    ended = project.facts("gate.ended")[-1]
    assert (ended["passed"], ended["code"], sorted(ended["wrote"])) == (False, 0, ["gone", "kept"])
    assert (project.path / "kept").read_text() == "kept\n"
    assert project.git("status", "--porcelain") == "?? step"
    assert not (project.path / "d").exists()


def test_a_gate_may_write_what_it_declares_and_the_tree_stays_the_judged_one(project: Project) -> None:
    project.config(
        AGENT
        + "gates:\n- {name: all, run: 'date > made; date > report.xml', may_write: true}\n"
        + "- {name: some, run: 'mkdir -p out; date > out/report.xml', may_write: [out/]}\n"
        + "- {name: tests, run: sh test.sh}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.git("status", "--porcelain") == "?? answer"
    assert {g["tree"] for g in project.facts("gate.ended") if g["purpose"] == "claim"} == {
        project.end()["tree"]
    }


def test_writing_beyond_what_is_declared_still_fails(project: Project) -> None:
    project.config(
        AGENT + "gates: [{name: tests, run: 'date > a.xml; date > b.txt', may_write: ['*.xml']}]\n"
    )
    project.write("a.xml", "")
    project.write("b.txt", "")
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert "tests changed files that it may not change: b.txt" in done.stdout
    assert project.facts("gate.ended")[-1]["wrote"] == ["b.txt"]


def test_a_gate_that_contradicts_itself_is_asked_again_and_called_flaky(
    project: Project, tmp_path: Path
) -> None:
    """The start is red; on the claimed tree: red, then green, and green when asked once more."""
    count = tmp_path / "count"
    project.write("test.sh", f"echo x >> {count}; test $(wc -l < {count}) -gt 2\n")
    project.agent("echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert claims(project) == [("tests", False), ("tests", True), ("tests", True)]
    assert project.end()["proof"] == {"tests": "red→green (flaky)"}
    assert project.facts("gate.ended")[-1]["op"].endswith(":again")


def test_a_start_that_is_red_by_chance_is_flaky_and_proves_nothing(project: Project, tmp_path: Path) -> None:
    count = tmp_path / "count"
    project.write("test.sh", f"echo x >> {count}; test $(wc -l < {count}) -gt 1\n")
    project.config(CONFIG.replace("flaky_passes: 1", "flaky_passes: 2"))
    project.agent("echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert "completed-verified: no regression: tests flaky→green" in done.stdout
    assert "gate tests on the starting tree, asked again: green" in done.stdout


def test_a_flaky_failure_costs_no_attempt(project: Project, tmp_path: Path) -> None:
    """The start is red; then red, green, red on one tree: nobody knows, so the agent is not blamed."""
    count = tmp_path / "count"
    project.write("test.sh", f"echo x >> {count}; test $(wc -l < {count}) = 3\n")
    project.agent("echo 42 > answer; [ $RALPH_ITERATION -le 2 ] && echo TASK_COMPLETE || echo ITERATION_DONE")
    project.commit()
    done = project.ralph("run", "--max-iterations", "3")
    assert done.returncode == 8, done.stdout
    assert claims(project) == [("tests", False), ("tests", True), ("tests", False)]
    assert json.loads(project.ralph("status", "--json").stdout)["attempts"] == 1
    assert "warning: gate tests is flaky" in done.stdout


def test_a_hermetic_gate_sees_only_the_tree(project: Project, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    project.write(".gitignore", "ignored\n.ralph/\n.ralph_state.md\n.ralph.lock\nralph.log\n")
    project.write("ignored", "from the workspace\n")
    project.config(
        AGENT
        + "gates:\n- name: tests\n  hermetic: true\n  setup: echo 42 > dependency\n"
        + f"  run: |\n    pwd >> {seen}\n    test ! -e ignored -a -e dependency || exit 1\n"
        + "    touch written\n    sh test.sh\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    gates = project.facts("gate.ended")
    assert [(g["purpose"], g["passed"], g["hermetic"]) for g in gates] == [
        ("base", False, True),
        ("claim", True, True),
    ]
    folders = [Path(line) for line in seen.read_text().splitlines()]
    assert len(folders) == 2 and project.path not in folders, "in one checkout, moved"
    assert not [folder for folder in folders if folder.exists()]
    assert project.git("status", "--porcelain") == "?? answer"


def test_a_failing_setup_fails_the_gate_whatever_its_command_says(project: Project) -> None:
    project.config(
        AGENT
        + "gates: [{name: tests, hermetic: true, setup: 'echo no network; (exit 9)', run: \"true\\ntrue\"}]\n"
    )
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 8, done.stdout
    assert project.facts("gate.ended")[-1]["code"] == 9
    assert "no network" in done.stdout


def test_a_hermetic_gate_runs_with_the_originals_too(project: Project) -> None:
    project.config(AGENT + "gates: [{name: tests, hermetic: true, run: sh test.sh}]\n")
    project.agent("echo true > test.sh; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout
    assert project.end()["paths"] == ["test.sh"]
    assert (project.path / "test.sh").read_text() == "true\n"


def test_a_gate_that_hangs_is_ended_and_is_a_failed_attempt(project: Project) -> None:
    project.config(
        AGENT
        + "gates:\n- {name: tests, run: 'echo started; test ! -e answer || sleep 600', hard_timeout: 6}\n"
        + "- {name: slow, run: 'sleep 600', hard: false, hard_timeout: 0.2}\n"
    )
    project.agent(
        "[ $RALPH_ITERATION = 1 ] && touch answer || { rm -f answer; touch work; }; echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert claims(project) == [("tests", False), ("tests", True), ("slow", False)]
    ended = [g for g in project.facts("gate.ended") if g["purpose"] == "claim"]
    assert [g.get("timed_out", "") for g in ended] == ["hard", "", "hard"]
    assert "tests ran out of time after 6 s" in done.stdout
    assert "warning: gate slow ran out of time" in done.stdout
    assert "1 attempt rejected" in done.stdout


def test_a_slow_gate_is_a_warning(project: Project) -> None:
    project.config(AGENT + "gates: [{name: tests, run: 'sleep 0.3; sh test.sh', soft_timeout: 0.1}]\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert "warning: gate tests took" in done.stdout
    assert "longer than its soft limit" in done.stdout


def test_a_gate_command_that_does_not_exist_says_so(project: Project) -> None:
    project.config(AGENT + "gates: [{name: tests, run: no-such-runner --all}]\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 5, done.stdout  # a person has to correct it
    assert "gate tests on the starting tree: red, exit 127" in done.stdout
    assert "there is no program `no-such-runner` on PATH" in done.stdout
    assert project.facts("iteration.started") == []


def test_output_of_any_size_and_kind_stays_out_of_prompt_and_state_file(project: Project) -> None:
    """Noise, a line of 9 MB, terminal commands, and at the end what failed."""
    project.write(
        "test.sh",
        "head -c 4000000 /dev/urandom; head -c 9000000 /dev/zero | tr '\\0' x; echo\n"
        "printf '\\033[2J\\033]0;owned\\007\\r\\n'; seq 100000; echo FAILED: the answer is not 42; exit 1\n",
    )
    project.write(
        "agent.sh",
        "#!/bin/sh\ncat > .ralph/prompt-$RALPH_ITERATION\necho $RALPH_ITERATION > step\necho TASK_COMPLETE\n",
    )
    project.config(AGENT + "gates: [{name: tests, run: sh test.sh}]\n")
    project.write(".ralph/x", "")
    project.commit()
    done = project.ralph("run", "--max-iterations", "2")
    assert done.returncode == 8, done.stdout[:2000]
    prompt = (project.path / ".ralph/prompt-2").read_bytes()
    state = (project.path / ".ralph_state.md").read_bytes()
    assert len(prompt) < 60_000 and len(state) < 100_000
    for text in (prompt, state, done.stdout.encode()):
        assert b"FAILED: the answer is not 42" in text
        assert b"\x1b" not in text and b"\0" not in text
    assert len(done.stdout) < 10_000


def test_a_gate_gets_no_input_and_leaves_nothing_running(project: Project) -> None:
    project.write("test.sh", "read line && exit 1\nsleep 600 &\ntest -e answer\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert all(g["stragglers"] for g in project.facts("gate.ended"))


def test_the_evidence_is_in_the_journal(project: Project) -> None:
    project.ralph("run")
    base, claim = project.facts("gate.ended")
    assert (base["command"], base["code"], base["purpose"]) == ("sh test.sh", 1, "base")
    assert "FAILED: the answer is not 42" in base["excerpt"]
    assert "FAILED" in (project.path / ".git/ralph" / base["output"]).read_text()
    assert (claim["code"], claim["passed"], claim["hermetic"]) == (0, True, True)
    assert claim["seconds"] >= 0
    assert project.git("cat-file", "-t", claim["tree"]) == "tree"
    assert project.git("cat-file", "blob", f"{claim['tree']}:answer") == "42"


def test_a_gate_that_a_death_interrupted_is_recorded_with_the_command_that_ran(project: Project) -> None:
    """In a clean checkout that is the setup as well."""
    project.config(AGENT + "gates: [{name: tests, run: sh test.sh, hermetic: true, setup: 'true'}]\n")
    mark = f"{project.env['HOME']}/second"  # the gate has a HOME of its own
    project.write("test.sh", f"test -e {mark} || {{ touch {mark}; sleep 1000; }}; test -e answer\n")
    project.commit()
    run = project.start("run")
    try:
        until(lambda: project.mark("second"), "the gate runs")
    finally:
        run.kill()
        run.wait()
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    ended = project.facts("gate.ended")
    assert ended[0]["how"] == "interrupted"
    assert len({gate["command"] for gate in ended}) == 1
