"""Reviewer gates as a user meets them: who is asked, what they see, what their word is worth, what they may not do."""

from __future__ import annotations

from pathlib import Path

from project import Project, contents, processes_with, until

BEGIN = "cli: {command: ./agent.sh}\nevent_loop: {max_iterations: 6, crash_wait: 0, stop_grace: 0}\n"
TESTS = "- {name: tests, run: sh test.sh}\n"
SPEC = "- {name: spec, review: spec, agent: {command: ./review.sh}}\n"
IN_FOLDER = TESTS + "- {name: spec, review: spec, hermetic: false, agent: {command: ./review.sh}}\n"


def reviewed(project: Project, review: str, gates: str = TESTS + SPEC, begin: str = BEGIN) -> None:
    """`review` is a shell script; its prompt is in the file $PROMPT, its turn (1, 2, ...) in $TURN."""
    seen = project.path.parent / "seen"
    seen.mkdir(exist_ok=True)
    head = f'#!/bin/sh\nTURN=$(($(ls "{seen}" | wc -l) + 1))\nPROMPT="{seen}/$(printf %03d $TURN)"\ncat > "$PROMPT"\n'
    project.write("review.sh", f"{head}{review}\n", executable=True)
    project.config(f"{begin}gates:\n{gates}")
    project.commit()


def prompts(project: Project) -> list[str]:
    return [path.read_text() for path in sorted((project.path.parent / "seen").iterdir())]


def judged(project: Project) -> list[tuple[str, bool, bool]]:
    return [
        (g["gate"], g["passed"], g.get("unclear", False))
        for g in project.facts("gate.ended")
        if g["purpose"] == "claim"
    ]


def test_a_reviewer_sees_criteria_change_and_gate_output_and_passes(project: Project) -> None:
    project.write("test.sh", 'echo "looked at the answer"; test "$(cat answer)" = 42\n')
    reviewed(project, "echo 'Nothing to say.'; echo PASS")
    done = project.ralph("run", "--criteria", "the answer is 42", "--criteria", "nothing else changes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["proof"] == {"tests": "red→green", "spec": "PASS"}
    (prompt,) = prompts(project)
    assert "Write 42 into the file `answer`." in prompt
    assert "- [ ] C1: the answer is 42\n- [ ] C2: nothing else changes" in prompt
    assert "naming file and line, and the criterion by its id" in prompt
    assert "+42" in prompt and "- answer\n" in prompt
    assert "looked at the answer" in prompt and "`sh test.sh` passed (exit 0)" in prompt
    started = [g for g in project.facts("gate.started") if g["gate"] == "spec"]
    assert (project.path / ".git/ralph/blobs" / started[0]["prompt"]).read_text() == prompt
    assert "reviewer spec: PASS" in done.stdout


def test_the_implementer_s_prompt_has_the_criteria_as_a_checklist_and_names_the_reviewer(
    project: Project,
) -> None:
    reviewed(project, "echo PASS")
    assert project.ralph("run", "--criteria", "the answer is 42").returncode == 0
    assert "- [ ] C1: the answer is 42" in project.prompt()
    assert "spec: a reviewer reads the change" in project.prompt()


def test_findings_of_a_fail_reach_the_next_iteration_and_the_state_file(project: Project) -> None:
    project.agent("echo 42 > answer; test $RALPH_ITERATION = 2 && echo x > extra; echo TASK_COMPLETE")
    reviewed(project, "test $TURN = 1 && { echo '- the file extra is missing'; echo FAIL; exit; }; echo PASS")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert judged(project) == [
        *[("tests", True, False), ("spec", False, False), ("tests", True, False), ("spec", True, False)]
    ]
    assert "the file extra is missing" in project.prompt(1)
    assert "the file extra is missing" in done.stdout
    assert "+x" in prompts(project)[1]


def test_a_failed_review_is_an_attempt_and_attempts_run_out(project: Project) -> None:
    project.agent("echo 42 > answer; date +%N > extra; echo TASK_COMPLETE")
    reviewed(project, 'echo "- no, for the $TURN. time"; echo FAIL')
    done = project.ralph("run", "--max-attempts", "2")
    assert done.returncode == 3, done.stdout
    assert "no, for the 2. time" in (project.path / ".ralph_state.md").read_text()


def test_rephrased_rejections_are_the_same_error(project: Project) -> None:
    project.agent("echo 42 > answer; date +%N > extra; echo TASK_COMPLETE")
    words = "- answer.txt:$TURN: C2 is missing|- Nothing was done for C2 (answer.txt)|- C2: see ./answer.txt, line 3$TURN"
    reviewed(project, f"echo '{words}' | cut -d'|' -f$(($TURN % 3 + 1)); echo FAIL")
    done = project.ralph("run", "--criteria", "a", "--criteria", "b", "--max-attempts", "9")
    assert done.returncode == 4, done.stdout
    assert project.end()["reason"].startswith("the same error 5 times")


def test_the_same_tree_is_not_reviewed_twice(project: Project) -> None:
    reviewed(project, "echo '- no'; echo FAIL")
    done = project.ralph("run", "--max-attempts", "3")
    assert done.returncode == 3, done.stdout
    assert len(prompts(project)) == 1
    assert project.end()["reason"].startswith("3 attempts used up")


def test_an_answer_without_a_verdict_is_asked_for_once_more(project: Project) -> None:
    reviewed(project, "test $TURN = 1 && { echo 'Looks good to me!'; exit; }; echo PASS")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert judged(project) == [("tests", True, False), ("spec", False, True), ("spec", True, False)]
    first, second = [g["output"] for g in project.facts("gate.ended") if g["gate"] == "spec"]
    assert (project.path / ".git/ralph" / first).read_text() == "Looks good to me!\n"
    assert first != second


def test_two_answers_without_a_verdict_fail_the_claim(project: Project) -> None:
    reviewed(project, "echo 'PASS, I think'")
    done = project.ralph("run", "--max-attempts", "1")
    assert done.returncode == 3, done.stdout
    assert "the reviewer gave no verdict" in done.stdout
    assert len(prompts(project)) == 2


def test_a_pass_with_a_failing_exit_code_is_no_verdict(project: Project) -> None:
    reviewed(project, "echo PASS; exit 1")
    done = project.ralph("run")
    assert done.returncode == 10, done.stdout  # it fails to run, twice
    assert "reviewer spec failed to run" in project.end()["reason"]
    assert project.end()["tree"] == project.facts("iteration.ended")[-1]["tree"]


def test_a_reviewer_that_failed_to_run_is_asked_again_on_resume_without_a_new_iteration(
    project: Project,
) -> None:
    reviewed(
        project,
        f"test -e {project.path.parent}/mended && {{ echo PASS; exit; }}; echo 'no such model' >&2; exit 1",
    )
    assert project.ralph("run").returncode == 10
    assert "no such model" in project.end()["reason"]
    (project.path.parent / "mended").touch()
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert len(project.facts("iteration.started")) == 1


def test_a_reviewer_that_does_not_exist_is_told_before_anything_runs(project: Project) -> None:
    project.config(BEGIN + "gates: [{name: spec, review: spec, agent: {command: ./nobody.sh}}]\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 10
    assert "nobody.sh" in done.stderr and "spec" in done.stderr
    assert project.journaled("loop.started") == 0


def test_a_reviewer_s_edits_are_discarded_and_reported(project: Project) -> None:
    project.agent(
        "echo 42 > answer; mkdir -p .ralph/agent; echo mine > .ralph/agent/scratchpad.md; echo TASK_COMPLETE"
    )
    reviewed(
        project,
        "echo 43 > answer; echo more > new; rm test.sh; echo yours > .ralph/agent/scratchpad.md\n"
        "test $TURN = 1 && { echo '- no'; echo FAIL; exit; }; echo PASS",
        IN_FOLDER,
    )
    before = contents(project.path)
    done = project.ralph("run", "--max-attempts", "1")
    assert done.returncode == 3, done.stdout
    after = contents(project.path)
    assert (project.path / "answer").read_text() == "42\n"
    for name in ("test.sh", "review.sh"):
        assert after[name] == before[name], name
    assert "new" not in after
    assert (project.path / ".ralph/agent/scratchpad.md").read_text() == "mine\n"
    (said,) = [g for g in project.facts("gate.ended") if g["gate"] == "spec"]
    assert sorted(said["wrote"]) == [".ralph/agent/scratchpad.md", "answer", "new", "test.sh"]
    assert "files changed while reviewer spec ran; undone" in done.stdout


def test_refs_that_a_reviewer_moves_are_reported(project: Project) -> None:
    reviewed(project, "git branch -q mine; echo PASS", IN_FOLDER)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert "refs moved while reviewer spec ran" in done.stdout and "mine" in done.stdout


def test_a_reviewer_in_a_clean_checkout_cannot_touch_the_workspace(project: Project) -> None:
    reviewed(project, "cat answer; echo 43 > answer; echo PASS")
    assert project.ralph("run").returncode == 0
    (said,) = [g for g in project.facts("gate.ended") if g["gate"] == "spec"]
    assert said["hermetic"] and not said.get("wrote")
    assert (project.path / "answer").read_text() == "42\n"


def test_quality_findings_are_warnings_and_never_block(project: Project) -> None:
    gates = TESTS + "- {name: quality, review: quality, hard: false, agent: {command: ./review.sh}}\n"
    reviewed(project, "echo '- long names'; echo '- no docs'; echo FAIL", gates)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.end()["proof"] == {"tests": "red→green", "quality": "FAIL (soft)"}
    assert project.facts("gate.ended")[-1]["findings"] == ["long names", "no docs"]
    assert "long names" in done.stdout and "no docs" in done.stdout
    assert "Whether it is what was asked for is not yours to judge" in prompts(project)[0]


def test_a_soft_reviewer_that_crashes_never_blocks(project: Project) -> None:
    gates = TESTS + "- {name: quality, review: quality, hard: false, agent: {command: ./review.sh}}\n"
    reviewed(project, "exit 3", gates)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.end()["proof"]["quality"] == "no verdict (soft)"


def test_instructions_of_one_s_own(project: Project) -> None:
    gates = (
        "- {name: licence, review: Every new file begins with the licence., agent: {command: ./review.sh}}\n"
    )
    reviewed(project, "echo PASS", gates)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert "Every new file begins with the licence." in prompts(project)[0]
    assert "No command was run before you." in prompts(project)[0]


def test_the_loop_s_own_agent_reviews_when_no_other_is_named(project: Project) -> None:
    project.agent('test -n "$RALPH_GATE" && { echo PASS; exit; }; echo 42 > answer; echo TASK_COMPLETE')
    project.config(BEGIN + "gates:\n" + TESTS + "- {review: spec}\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.end()["proof"] == {"tests": "red→green", "spec": "PASS"}


def test_another_model_for_the_reviewer_by_arguments(project: Project) -> None:
    project.write(
        "agent.sh",
        '#!/bin/sh\ncat > /dev/null\necho "$@" >> $HOME/arguments\n'
        'test "$2" = small && { echo PASS; exit; }; echo 42 > answer; echo TASK_COMPLETE\n',
        executable=True,
    )
    begin = BEGIN.replace("./agent.sh", "./agent.sh, args: [--model, large]")
    project.config(begin + "gates: [{review: spec, agent: {args: [--model, small]}}]\n")
    project.commit()
    assert project.ralph("run").returncode == 0
    assert (Path(project.env["HOME"]) / "arguments").read_text() == "--model large\n--model small\n"


def test_what_a_reviewer_spends_counts_and_is_seen(project: Project) -> None:
    gates = TESTS + "- {name: spec, review: spec, agent: {command: ./review.sh, output: jsonl}}\n"
    usage = '{"type":"usage","input_tokens":700,"output_tokens":70,"cost_usd":0.25}'
    message = '{"type":"message","role":"assistant","text":"Fine.\\\\nPASS"}'
    reviewed(project, f"echo '{usage}'; printf '%b\\n' '{message}'", gates)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.facts("gate.ended")[-1]["usage"] == {
        "tokens": 770,
        "cost_usd": 0.25,
        "split": {"input": 700, "output": 70},
    }
    assert "770 tokens, 0.25 USD" in done.stdout


def test_a_reviewer_out_of_quota_is_waited_for_and_the_work_is_not_done_again(project: Project) -> None:
    gates = TESTS + "- {name: spec, review: spec, agent: {command: ./review.sh, output: jsonl}}\n"
    fault = '{"type":"error","kind":"quota","text":"limit reached","retry_after":0.2}'
    message = '{"type":"message","role":"assistant","text":"PASS"}'
    reviewed(project, f"test $TURN = 1 && {{ echo '{fault}'; exit 1; }}; echo '{message}'", gates)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert len(project.facts("iteration.started")) == 1
    (wait,) = project.facts("wait.started")
    assert wait["what"] == "quota" and "reviewer spec: limit reached" in wait["why"]


def test_nothing_of_a_reviewer_outlives_it(project: Project) -> None:
    mark = f"review-mark-{project.path.parent.name}"
    reviewed(project, f"setsid sh -c 'exec -a {mark} sleep 60' & (setsid sleep 61 {mark} &) ; echo PASS")
    assert project.ralph("run").returncode == 0
    assert processes_with(mark) == []


def test_a_change_that_hides_itself_from_diff_is_shown_to_the_reviewer(project: Project) -> None:
    project.agent(
        "echo 42 > answer; echo secret=1 > evil.py; echo '*.py -diff binary' > .gitattributes; echo TASK_COMPLETE"
    )
    reviewed(project, "echo PASS")
    assert project.ralph("run").returncode == 0
    assert "+secret=1" in prompts(project)[0]


def test_a_huge_change_is_cut_and_said_to_be(project: Project) -> None:
    project.agent("echo 42 > answer; seq 1 100000 > numbers; echo TASK_COMPLETE")
    reviewed(project, "echo PASS")
    assert project.ralph("run").returncode == 0
    (prompt,) = prompts(project)
    assert len(prompt) < 70_000
    assert "longer than shown" in prompt and "- numbers\n" in prompt


def test_an_interrupted_review_is_done_again_and_its_edits_are_undone(project: Project) -> None:
    reviewed(
        project, "test $TURN = 1 && { echo 43 > answer; touch ../reviewing; sleep 60; }; echo PASS", IN_FOLDER
    )
    run = project.start("run")
    until(lambda: (project.path.parent / "reviewing").exists(), "the reviewer has begun")
    until(lambda: (project.path / "answer").read_text() == "43\n", "it has edited")
    run.kill()
    run.wait()
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert (project.path / "answer").read_text() == "42\n"
    assert len(project.facts("iteration.started")) == 1
    assert project.end()["proof"]["spec"] == "PASS"


def test_a_reviewer_that_hangs_runs_out_of_time(project: Project, tmp_path: Path) -> None:
    gates = TESTS + "- {name: spec, review: spec, hard_timeout: 0.5, agent: {command: ./review.sh}}\n"
    reviewed(project, "echo PASS; sleep 60", gates)
    done = project.ralph("run", "--max-attempts", "1")
    assert done.returncode == 3, done.stdout
    assert "reviewer spec ran out of time" in done.stdout
