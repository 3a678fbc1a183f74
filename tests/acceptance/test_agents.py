"""Agents: any command, spoken to in three ways and understood in two; and the scripted one, step by step."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from project import Project, processes_with, until

NASTY = "-dash first 'single' \"double\" $HOME `id` \\n ünïcode ✓ 😀\n\n  indented\n{braces} %s"
BIG = "x" * 200_000 + "\n" + NASTY

# An agent that writes down how it was called.
WITNESS = """\
#!/usr/bin/env python3
import json, os, sys
seen = {"argv": sys.argv[1:], "stdin": sys.stdin.read(), "env": dict(os.environ), "cwd": os.getcwd()}
if len(seen["argv"]) and os.path.isfile(seen["argv"][-1]):
    seen["file"] = open(seen["argv"][-1], encoding="utf-8").read()
with open(os.environ["HOME"] + "/seen.json", "w") as file:
    json.dump(seen, file)
with open("answer", "w") as file:
    file.write("42")
print("TASK_COMPLETE")
"""


def configure(project: Project, **cli: Any) -> None:
    config = {
        "cli": {"backend": "custom", "command": "./agent.sh", **cli},
        "gates": [{"name": "tests", "run": "sh test.sh"}],
        "event_loop": {"max_iterations": 2, "crash_wait": 0},
    }
    project.config(json.dumps(config))


def python(project: Project, body: str) -> None:
    project.write("agent.sh", f"#!/usr/bin/env python3\nimport os, sys, time\n{body}\n", executable=True)


def seen(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(project.env["HOME"]) / "seen.json").read_text())
    return found


COMPLETE = "open('answer', 'w').write('42'); print('TASK_COMPLETE', flush=True)"


# -- how it is spoken to -------------------------------------------------------------------------------


WAYS = [
    ("stdin", "", BIG),
    ("arg", "", NASTY),
    ("arg", "-p", NASTY),
    ("file", "", BIG),
    ("file", "--file", NASTY),
]


@pytest.mark.parametrize(
    "mode, flag, text", WAYS, ids=lambda value: value if len(value) < 10 else str(len(value))
)
def test_the_prompt_arrives_whole(project: Project, mode: str, flag: str, text: str) -> None:
    configure(project, prompt_mode=mode, **({"prompt_flag": flag} if flag else {}))
    project.write("agent.sh", WITNESS, executable=True)
    project.write("PROMPT.md", text)
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    found = seen(project)
    assert found["argv"][:-1] == ([flag] if flag else [])
    prompt = {"stdin": found["stdin"], "arg": (found["argv"] or [""])[-1], "file": found.get("file")}[mode]
    assert prompt == project.prompt()
    assert text in prompt
    assert len(found["argv"]) == (mode != "stdin") + bool(flag)
    assert found["stdin"] == (prompt if mode == "stdin" else "")


def test_a_prompt_too_long_for_an_argument_says_what_to_do(project: Project) -> None:
    configure(project, prompt_mode="arg")
    project.write("agent.sh", WITNESS, executable=True)
    project.write("PROMPT.md", BIG)
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 10, done.stdout
    assert "agent-unusable: the prompt is too long for an argument; set `prompt_mode: stdin`" in done.stdout
    assert len(project.facts("iteration.started")) == 1, "trying again would not help"


def test_a_command_after_the_dashes_keeps_its_words(project: Project) -> None:
    project.write("agent.sh", WITNESS, executable=True)
    project.commit()
    done = project.ralph("run", "--", "./agent.sh", "-x", "two words", "--resume", "$HOME", "")
    assert done.returncode == 0, done.stdout + done.stderr
    assert seen(project)["argv"] == ["-x", "two words", "--resume", "$HOME", ""]


def test_an_agent_knows_where_it_is(project: Project) -> None:
    configure(project, env={"FOO": "b\"a'r ✓\nline", "RALPH_ITERATION": "99"})
    project.write("agent.sh", WITNESS, executable=True)
    project.commit()
    assert project.ralph("run", "--task-id", "my-task").returncode == 0
    found = seen(project)
    started = project.facts("loop.started")[0]
    expected = {
        "FOO": "b\"a'r ✓\nline",
        "RALPH_ITERATION": "1",
        "RALPH_TASK": "my-task",
        "RALPH_LOOP": started["loop"],
        "RALPH_RUN": project.facts("run.started")[0]["run"],
        "RALPH_STATE": str(project.path / ".git/ralph"),
        "RALPH_SCRATCHPAD": str(project.path / ".ralph/agent/scratchpad.md"),
        "HOME": project.env["HOME"],
    }
    assert {name: found["env"][name] for name in expected} == expected
    assert "RALPH_FAULT" not in found["env"]
    assert found["cwd"] == str(project.path)


def test_a_task_in_a_subfolder_runs_there(project: Project) -> None:
    (project.path / "deep er").mkdir()
    for name in ("ralph.yml", "PROMPT.md", "test.sh", ".gitignore"):
        (project.path / name).rename(project.path / "deep er" / name)
    project.write("deep er/agent.sh", WITNESS, executable=True)
    project.commit()
    done = project.ralph("run", cwd=project.path / "deep er")
    assert done.returncode == 0, done.stdout + done.stderr
    assert seen(project)["cwd"] == str(project.path / "deep er")


# -- agents that behave oddly --------------------------------------------------------------------------

HABITS = {
    "never reads": COMPLETE,
    "closes its input": f"os.close(0)\n{COMPLETE}",
    "reads a little": f"os.read(0, 10)\n{COMPLETE}",
    "reads slowly": "n = 0\nwhile part := os.read(0, 4096):\n    n += len(part)\n    time.sleep(0.002)\n"
    f"assert n > 200_000\n{COMPLETE}",
    "closes its output": f"{COMPLETE}\nos.close(1)\nos.close(2)",
    "ends without a newline": "open('answer', 'w').write('42'); sys.stdout.write('TASK_COMPLETE')",
    "ends with Windows line ends": "open('answer', 'w').write('42'); sys.stdout.buffer.write(b'ok\\r\\nTASK_COMPLETE\\r\\n')",
    "colours its signal": "open('answer', 'w').write('42'); print('\\x1b[1;32mTASK_COMPLETE\\x1b[0m')",
    "prints no text": f"sys.stdout.buffer.write(b'\\xff\\xfe\\x00\\x80\\n' * 10); sys.stdout.flush()\n{COMPLETE}",
    "prints 50 MB": f"sys.stdout.write(('z' * 99 + '\\n') * 500_000)\n{COMPLETE}",
    "prints one line of 50 MB": f"sys.stdout.write('z' * 50_000_000 + '\\n')\n{COMPLETE}",
    "complains in 50 MB": f"sys.stderr.write(('z' * 99 + '\\n') * 500_000)\n{COMPLETE}",
    "leaves a writer behind": "import subprocess\nsubprocess.Popen(['sh', '-c', 'while :; do echo more; sleep 1; done'])\n"
    f"{COMPLETE}",
}


@pytest.mark.parametrize("body", HABITS.values(), ids=HABITS)
def test_an_odd_agent_is_heard_to_its_last_word(project: Project, body: str) -> None:
    configure(project)
    python(project, body)
    project.write("PROMPT.md", BIG)
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert processes_with(project.facts("run.started")[0]["run"]) == []


def test_the_last_words_are_never_lost_to_the_agents_exit(project: Project) -> None:
    """The exit of a fast agent is often noticed before its output is read: twenty times, the claim is heard."""
    configure(project)
    project.agent("echo $RALPH_ITERATION > answer; printf 'TASK_COMPLETE'")
    project.commit()
    done = project.ralph(
        "run", "--max-iterations", "20", "--max-attempts", "20", "--gate", "sh -c 'exit $(cat answer)'"
    )
    ended = project.facts("iteration.ended")
    assert {i["said"] for i in ended} == {"TASK_COMPLETE"}, done.stdout


def test_silence_and_success_is_an_iteration(project: Project) -> None:
    configure(project)
    python(project, "sys.exit(0)")
    project.commit()
    assert project.ralph("run").returncode == 8
    assert [(i["code"], i.get("said", "")) for i in project.facts("iteration.ended")] == [(0, "")] * 2


@pytest.mark.parametrize(
    "ending, code",
    [("sys.exit(1)", 1), ("sys.exit(255)", 255), ("os.kill(os.getpid(), 11)", -11), ("1/0", 1)],
)
def test_a_failing_exit_is_recorded_and_voids_the_claim(project: Project, ending: str, code: int) -> None:
    configure(project)
    python(project, f"{COMPLETE}\n{ending}")
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 8, done.stdout
    ended = project.facts("iteration.ended")[0]
    assert (ended["code"], ended["said"]) == (code, "TASK_COMPLETE")
    assert [g for g in project.facts("gate.ended") if g["purpose"] == "claim"] == []
    if ending == "1/0":
        assert "exit 1: ZeroDivisionError: division by zero" in done.stdout


def test_json_lines_are_understood_in_a_run(project: Project) -> None:
    configure(project, output="jsonl")
    lines = [
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "TASK_STUCK: not yet"}]}},
        {"type": "usage", "input_tokens": 5, "output_tokens": 7, "cost_usd": 0.25},
        {"type": "error", "kind": "overload", "text": "busy"},
        {"type": ["odd"]},
        {"type": "message", "role": "assistant", "text": "half \ud800 a character\n\nTASK_COMPLETE"},
    ]
    project.write("out.jsonl", "not json\n{\n" + "".join(json.dumps(line) + "\n" for line in lines))
    project.agent("echo 42 > answer; cat out.jsonl; printf '\\377{\\n'")
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    ended = project.facts("iteration.ended")[0]
    assert ended["usage"] == {"tokens": 12, "cost_usd": 0.25, "split": {"input": 5, "output": 7}}
    assert ended["structured"] is True and ended.get("fault", "") == ""
    assert "12 tokens, 0.25 USD" in done.stdout


# -- the scripted agent --------------------------------------------------------------------------------


def script(project: Project, text: str, gate: str = "sh test.sh") -> None:
    project.config(
        f"cli: {{backend: scripted, script: s.yml}}\ngates: [{{name: tests, run: {json.dumps(gate)}}}]\n"
        "event_loop: {max_iterations: 2, crash_wait: 0}\n"
    )
    project.write("s.yml", text)
    project.write("old", "to be deleted\n")
    project.commit()


def test_every_step_of_the_scripted_agent_does_what_it_says(project: Project) -> None:
    script(
        project,
        """\
iterations:
  - - write: {path: deep/er/a.sh, text: "#!/bin/sh\\necho ü\\n", executable: true}
    - append: {path: deep/er/a.sh, text: "# more\\n"}
    - delete: old
    - delete: never-there
    - run: ./deep/er/a.sh; exit 3
    - emit: {topic: part.done, payload: "one ✓"}
    - scratchpad: {done: wrote it, testStatus: 1 fails, nextStep: "--go on", blockers: none}
    - sleep: 0.01
    - background: sleep 1234.5
    - say: "text\\nITERATION_DONE"
    - exit: 0
    - write: {path: never, text: reached}
  - - write: {path: answer, text: "42\\n"}
    - say: TASK_COMPLETE
""",
    )
    done = project.ralph("run", "-v")
    assert done.returncode == 0, done.stdout + done.stderr
    made = project.path / "deep/er/a.sh"
    assert made.read_text() == "#!/bin/sh\necho ü\n# more\n"
    assert made.stat().st_mode & 0o111
    assert not (project.path / "old").exists() and not (project.path / "never").exists()
    assert "agent| ü" in done.stdout and "$ ./deep/er/a.sh; exit 3: exit code 3" in done.stdout
    assert [(e["topic"], e["payload"]) for e in project.facts("event.received")] == [("part.done", "one ✓")]
    first = project.facts("iteration.ended")[0]
    assert any("sleep" in straggler for straggler in first["stragglers"])
    assert processes_with("1234.5") == []
    pad = project.prompt(1)
    assert "# Iteration 1 Scratchpad" in pad and "wrote it" in pad and "--go on" in pad


@pytest.mark.parametrize(
    "step, code",
    [("exit: 7", 7), ("crash: SIGKILL", -signal.SIGKILL), ("crash: SIGSEGV", -signal.SIGSEGV)],
    ids=["exit", "SIGKILL", "SIGSEGV"],
)
def test_the_scripted_agent_ends_as_told(project: Project, step: str, code: int) -> None:
    script(project, f"iterations:\n  - - say: first\n    - {step}\n    - say: TASK_COMPLETE\n")
    assert project.ralph("run", "--max-iterations", "1").returncode == 8
    ended = project.facts("iteration.ended")[0]
    assert (ended["code"], ended["said"]) == (code, "first")


def test_past_its_last_entry_the_scripted_agent_repeats_it(project: Project) -> None:
    script(
        project, 'iterations:\n  - - append: {path: log, text: "a"}\n  - - append: {path: log, text: "b"}\n'
    )
    assert project.ralph("run", "--max-iterations", "4").returncode == 8
    assert (project.path / "log").read_text() == "abbb"


def test_a_step_that_cannot_be_done_fails_the_iteration_in_one_line(project: Project) -> None:
    script(project, "iterations:\n  - - write: {path: old/impossible, text: x}\n")
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 8
    assert "exit 1: scripted agent: " in done.stdout and "old" in done.stdout


# -- what agents call ----------------------------------------------------------------------------------


def test_an_event_of_an_earlier_loop_does_not_speak_to_the_next(project: Project) -> None:
    """A message that a killed run did not read any more must not block a loop about something else."""
    waits = "touch $HOME/begun; until [ -e $HOME/go ]; do sleep 0.02; done"
    asks = f'{waits}; ralph emit human.interact "old?"; touch $HOME/asked; sleep 300'
    project.agent(f"[ -e $HOME/second ] || {{ {asks}; }}\necho 42 > answer; echo TASK_COMPLETE")
    project.commit()
    home = Path(project.env["HOME"])
    run = project.start("run")
    until(lambda: project.mark("begun"), "the agent works")
    run.send_signal(signal.SIGSTOP)  # so that the question is asked and not heard
    (home / "go").touch()
    until(lambda: project.mark("asked"), "the question is in the inbox")
    run.kill()
    run.wait()
    (home / "second").touch()
    done = project.ralph("run", "--fresh")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.facts("event.received") == []
    assert [refused["why"].split()[:3] for refused in project.facts("inbox.refused")] == [
        ["meant", "for", "loop"]
    ]
