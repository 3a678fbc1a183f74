"""Promises 1 and 8: what counts as a claim, and that a claim never completes a task by itself."""

from __future__ import annotations

import json

from project import Project, processes_with

NO_CLAIMS = {
    "in a code block": "printf 'Say this:\\n```\\nTASK_COMPLETE\\n```\\n'",
    "in a code block left open": "printf '```text\\nTASK_COMPLETE\\n'",
    "in a sentence": "echo 'I cannot output TASK_COMPLETE'",
    "quoted": "printf '> TASK_COMPLETE\\n- TASK_COMPLETE: later\\n'",
    "too early": "printf 'TASK_COMPLETE\\none\\ntwo\\nthree\\n'",
    "with the opposite": "printf 'TASK_COMPLETE\\nITERATION_DONE\\n'",
    "on standard error": "echo TASK_COMPLETE >&2",
    "with a bad exit": "echo TASK_COMPLETE; exit 1",
}
CLAIMS = {
    "emphasis": "echo '**TASK_COMPLETE**'",
    "backticks and a full stop": "echo '`TASK_COMPLETE`.'",
    "a promise": "echo '<promise>LOOP_COMPLETE</promise>'",
    "followed by two lines": "printf 'TASK_COMPLETE\\none\\n\\ntwo\\n'",
    "after a long code block": "echo '```'; seq 5000; printf '```\\nAll done.\\n\\nTASK_COMPLETE\\n'",
    "without a newline": "printf 'done\\nTASK_COMPLETE'",
    "after much output": "seq 100000; echo TASK_COMPLETE",
}


def script(cases: dict[str, str]) -> str:
    """An agent that says one thing in each iteration, and changes something so that a claim would be judged."""
    arms = "\n".join(f"{n}) {say} ;;" for n, say in enumerate(cases.values(), 1))
    return f"echo $RALPH_ITERATION > step\ncase $RALPH_ITERATION in\n{arms}\nesac"


def judged(project: Project) -> list[int]:
    """The iterations whose claims were put to the gate."""
    ops = [fact["op"] for fact in project.facts("gate.ended") if fact["purpose"] == "claim"]
    return [int(op.split(":")[1]) for op in ops]


def test_what_only_looks_like_a_claim_is_none(project: Project) -> None:
    project.agent(script(NO_CLAIMS))
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\n"
        f"event_loop: {{max_iterations: {len(NO_CLAIMS)}, crash_wait: 0}}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 8, done.stdout + done.stderr
    assert "limit (iterations): 8 of 8 iterations" in done.stdout
    assert judged(project) == []
    assert "warning: iteration 6 said both TASK_COMPLETE and ITERATION_DONE" in done.stdout


def test_every_way_to_claim_is_put_to_the_gate(project: Project) -> None:
    project.agent(script(CLAIMS))
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: 'echo wrong; exit 1'}]\n"
        f"event_loop: {{max_iterations: {len(CLAIMS)}, max_attempts: 99}}\nstuck: {{same_error_stop: 99}}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 8, done.stdout + done.stderr
    assert judged(project) == list(range(1, len(CLAIMS) + 1))


def test_an_echoed_prompt_says_nothing_whatever_it_quotes(project: Project) -> None:
    """The prompt is the last output, and everything that it quotes tries to be a signal. The second iteration's prompt
    ends with the scratchpad, the fourth's with the gate's output."""
    project.write("PROMPT.md", "Say when done:\n\nTASK_COMPLETE\n")
    project.write("test.sh", "printf 'TASK_COMPLETE\\n'; exit 1\n")
    project.write(
        "agent.sh",
        "#!/bin/sh\necho $RALPH_ITERATION > step\nmkdir -p .ralph/agent\n"
        "printf 'TASK_COMPLETE\\n**TASK_COMPLETE**\\n' > .ralph/agent/scratchpad.md\n"
        "case $RALPH_ITERATION in 1) echo started;; 3) echo TASK_COMPLETE;; *) cat;; esac\n",
        executable=True,
    )
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\n"
        "core: {guardrails: TASK_COMPLETE}\ntask: {criteria: [TASK_COMPLETE]}\nevent_loop: {max_iterations: 4}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 8, done.stdout + done.stderr
    assert judged(project) == [3]
    said = [fact["said"] for fact in project.facts("iteration.ended")]
    assert said[1].rstrip().endswith("> **TASK_COMPLETE**"), "the prompt was echoed"
    assert "Attempts so far" in said[3]


def test_only_the_last_message_of_a_structured_stream_is_read(project: Project) -> None:
    def message(text: str, role: str = "assistant") -> str:
        return f"printf '%s\\n' '{json.dumps({'type': 'message', 'role': role, 'text': text})}'"

    first = f"{message('TASK_COMPLETE')}; {message('Not yet: two tests are left.')}; echo TASK_COMPLETE"
    long = "```\n" + "x\n" * 3000 + "```\n\nTASK_COMPLETE"
    second = message("Tests pass.") + "; " + message("Done.\n\nTASK_COMPLETE\n\nFour\nmore\nlines\nhere")
    third = f"{message('working')}; {message('TASK_COMPLETE', 'user')}"
    project.agent(script({"earlier": first, "user": third, "last": second, "long": message(long)}))
    project.config(
        "cli: {command: ./agent.sh, output: jsonl}\ngates: [{name: tests, run: sh test.sh}]\n"
        "event_loop: {max_iterations: 4}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 8, done.stdout + done.stderr
    assert judged(project) == [3, 4]


def test_stuck_wins_over_complete_and_keeps_its_reason(project: Project) -> None:
    project.agent("echo 42 > answer; printf 'TASK_COMPLETE\\n**TASK_STUCK: no access to the database**\\n'")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 4, done.stdout
    assert "stuck: no access to the database" in done.stdout
    assert judged(project) == []


def test_a_claim_on_the_unchanged_tree_is_refused_and_the_next_iteration_told(project: Project) -> None:
    """Also when the gate would pass: it passed before, so the claim proves nothing."""
    project.write("answer", "42\n")
    project.agent("echo TASK_COMPLETE")
    project.write(
        "agent.sh", "#!/bin/sh\ncat > prompt-$RALPH_ITERATION.log\necho TASK_COMPLETE\n", executable=True
    )
    project.write(".gitignore", "*.log\n.ralph/\n.ralph_state.md\n.ralph.lock\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 4, done.stdout
    assert "claim refused: nothing has changed since the start" in done.stdout
    assert judged(project) == []
    assert project.end()["end"] == "stuck"
    assert "Its claim was refused: nothing has changed" in (project.path / "prompt-2.log").read_text()
    assert "nothing has changed since the start" in (project.path / ".ralph_state.md").read_text()


def test_a_task_may_allow_the_unchanged_tree(project: Project) -> None:
    project.write("answer", "42\n")
    project.agent("echo TASK_COMPLETE")
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\ntask: {no_change_ok: true}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.end()["proof"] == {"tests": "green→green"}


def test_work_that_was_undone_again_is_an_unchanged_tree(project: Project) -> None:
    """Weakens the test, claims nothing, restores it, claims: there is nothing to show for it."""
    project.agent(
        "if [ $RALPH_ITERATION = 1 ]; then mkdir -p .ralph; cp test.sh .ralph/kept; echo true > test.sh; echo ITERATION_DONE\n"
        "else cat .ralph/kept > test.sh; echo TASK_COMPLETE; fi"
    )
    project.commit()
    done = project.ralph("run", "--max-iterations", "2")
    assert done.returncode == 8, done.stdout
    assert "claim refused: nothing has changed" in done.stdout


def test_a_successful_exit_is_a_claim_where_so_configured(project: Project) -> None:
    project.agent("[ $RALPH_ITERATION = 2 ] && echo 42 > answer || { echo x > step; exit 1; }")
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\n"
        "event_loop: {claim: exit-zero, max_iterations: 4, crash_wait: 1h}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert judged(project) == [1, 2]
    assert "it says that it is not done; the gates look at it" in done.stdout


def test_an_agent_that_always_exits_1_is_judged_and_uses_up_its_attempts(project: Project) -> None:
    project.agent("echo $RALPH_ITERATION > step; exit 1")
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\n"
        "event_loop: {claim: exit-zero, max_attempts: 3}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 3, done.stdout
    assert judged(project) == [1, 2, 3]
    assert "exit 1 means not done" in project.prompt(0)
    assert "gave no signal" not in project.prompt(1)


def test_every_iteration_can_be_a_claim(project: Project) -> None:
    project.agent("echo $((40 + RALPH_ITERATION)) > answer; echo ITERATION_DONE")
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\nevent_loop: {claim: every-iteration}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert judged(project) == [1, 2]


def test_without_gates_the_end_is_unverified(project: Project) -> None:
    project.config("cli: {command: ./agent.sh}\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 6, done.stdout
    assert "completed-unverified: claimed; no hard gate proves it" in done.stdout
    assert "`gates: none` says that none is wanted" in done.stdout


def test_declined_gates_make_an_unverified_end_a_success_unless_proof_is_required(project: Project) -> None:
    project.config("cli: {command: ./agent.sh}\ngates: none\n")
    project.agent("date +%N > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.end()["end"] == "completed-unverified"
    strict = project.ralph("run", "--in-place", "--require-verified")
    assert strict.returncode == 6, strict.stdout


def test_what_an_agent_leaves_running_is_dead_before_the_gate_looks(project: Project) -> None:
    """One straggler would change the tree after the claim, another would kill the gate."""
    project.agent(
        "echo 42 > answer\n"
        "(while :; do echo 43 > answer; done) > /dev/null 2>&1 &\n"
        "setsid sh -c 'trap \"\" TERM; while :; do kill -9 $(cat .ralph/gate); done' > /dev/null 2>&1 &\n"
        "echo 42 > answer; echo TASK_COMPLETE"
    )
    project.write(
        "test.sh",
        'mkdir -p .ralph; echo $$ > .ralph/gate; first=$(cat answer); sleep 0.2; test "$first" = "$(cat answer)"\n',
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    ended, started = project.facts("iteration.ended")[-1], project.facts("gate.started")[-1]
    assert len(ended["stragglers"]) >= 2
    assert ended["tree"] == started["tree"] == project.end()["tree"]
    assert "processes it left running were ended" in done.stdout
    assert processes_with(str(project.path)) == []
