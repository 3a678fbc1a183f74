"""The state file `.ralph_state.md`: what stands in it, when it is there, and that nobody ever sees half of it."""

from __future__ import annotations

import re
import threading
from typing import Any

import yaml
from project import Project

AGENT = "cli: {command: ./agent.sh}\n"


def read(project: Project) -> tuple[dict[str, Any], str]:
    """Header and body, or a failure when it is not whole."""
    return parts((project.path / ".ralph_state.md").read_text())


def parts(text: str) -> tuple[dict[str, Any], str]:
    assert text.startswith("---\n")
    header, body = text[4:].split("\n---\n", 1)
    return yaml.safe_load(header), body


def test_the_header_has_the_keys_and_values_of_the_seed(project: Project) -> None:
    """The third iteration claims nothing: attempts and agent runs differ."""
    project.agent(
        "echo $RALPH_ITERATION > answer; mkdir -p src; touch src/new.py; rm -f PROMPT.md\n"
        "[ $RALPH_ITERATION = 3 ] || echo TASK_COMPLETE"
    )
    project.config(
        AGENT + "gates: [{name: tests, run: sh test.sh}]\nevent_loop: {max_iterations: 4, max_attempts: 7}\n"
    )
    project.commit()
    done = project.ralph("run", "--task-id", "auth-feature")
    assert done.returncode == 8, done.stdout
    header, body = read(project)
    stamp = header.pop("timestamp")
    assert stamp.tzinfo is not None
    assert re.fullmatch("[0-9a-f]{8}", str(header.pop("error_hash")))
    assert header == {
        "task_id": "auth-feature",
        "iteration": 4,
        "max_iterations": 4,
        "attempts": 3,
        "max_attempts": 7,
        "agent_runs": 4,
        "last_gate": "tests",
        "exit_code": 1,
        "stuck_count": 3,
        "strategy_shifts": 0,
        "files_modified": ["PROMPT.md", "answer", "src/new.py"],
    }
    assert list(yaml.safe_load((project.path / ".ralph_state.md").read_text()[4:].split("\n---\n")[0]))[
        :3
    ] == [*("task_id", "iteration", "max_iterations")]
    assert "| # | Gate | Error Hash | Strategy Shift |" in body
    assert "limit: 4 of 4 iterations" in body


def test_outputs_are_verbatim_with_the_middle_left_out_for_the_last_three_attempts(project: Project) -> None:
    """Five attempts with different errors; each prints 350 lines."""
    project.write(
        "test.sh",
        'test -e step || exit 1\nn=$(cat step)\nfor i in $(seq 349); do echo "  run $n line $i  "; done\n'
        "printf 'FAILED: `` ``` case %s\\n' $n; exit $n\n",
    )
    project.agent("echo $RALPH_ITERATION > step; echo TASK_COMPLETE")
    project.config(AGENT + "gates: [{name: tests, run: sh test.sh}]\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 3, done.stdout
    header, body = read(project)
    assert (header["exit_code"], header["iteration"], header["max_iterations"]) == (5, 5, 50)
    assert (header["attempts"], header["max_attempts"]) == (5, 5)
    rows = re.findall(r"^\| (\d) \| tests \| [0-9a-f]{8} \| (no|yes) \|$", body, re.MULTILINE)
    assert rows == [(str(n), "no") for n in range(1, 6)], "the whole history"
    assert re.findall(r"^## Attempt (\d): tests output \(verbatim\)$", body, re.MULTILINE) == ["3", "4", "5"]
    assert body.count("[... 250 lines truncated ...]") == 3
    shown = [f"  run 5 line {n}  " for n in (*range(1, 31), *range(281, 350))]
    assert [line for line in body.splitlines() if line.startswith("  run 5 ")] == shown
    assert "FAILED: `` ``` case 5" in body
    assert body.count("\n````\n") == 6, "a fence that the output cannot close"


def test_many_lines_are_counted_rightly(project: Project) -> None:
    project.write("test.sh", "seq -f 'line %.0f of a long output' 300000; exit 1\n")
    project.agent("echo $RALPH_ITERATION > step; echo TASK_COMPLETE")
    project.commit()
    project.ralph("run", "--max-iterations", "1")
    _, body = read(project)
    assert (
        "line 30 of a long output\n[... 299900 lines truncated ...]\nline 299931 of a long output\n" in body
    )


def test_the_header_is_yaml_whatever_files_and_gates_are_called(project: Project) -> None:
    names = [
        "a: b",
        "- c",
        "yes",
        "1.5",
        "0x1F",
        "#d",
        "'e'",
        '"f',
        "[g]",
        "h\n---\ni",
        "ö",
        " j ",
        "k\t",
        "null",
        "~",
    ]
    project.write(
        "make.py",
        f"import os\nfor name in {names!r}:\n    open(name, 'w').close()\nopen(os.fsdecode(b'\\xff\\xfe'), 'w').close()\n",
    )
    project.agent("python3 make.py; echo TASK_COMPLETE")
    project.config(
        AGENT + "gates: [{name: 'unit: a | b', run: sh test.sh}]\nevent_loop: {max_iterations: 1}\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 8, done.stdout + done.stderr
    header, body = read(project)
    assert sorted(header["files_modified"]) == sorted([*names, "\ufffd\ufffd"])
    assert header["last_gate"] == "unit: a | b"
    (row,) = [line for line in body.splitlines() if line.startswith("| 1 |")]
    assert len(re.split(r"(?<!\\)\|", row)) == 6, "the gate's name does not break the table"


def test_it_is_deleted_on_success_and_the_agent_cannot_keep_it(project: Project) -> None:
    project.agent(
        "echo 4$RALPH_ITERATION > answer; [ $RALPH_ITERATION = 2 ] && test -e .ralph_state.md && "
        "echo forged > .ralph_state.md; echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert not (project.path / ".ralph_state.md").exists()


def test_that_of_an_earlier_task_does_not_speak_for_a_new_one(project: Project) -> None:
    project.agent("echo $RALPH_ITERATION > step; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run", "--task-id", "old", "--max-attempts", "2").returncode == 3
    assert read(project)[0]["task_id"] == "old"
    project.agent(
        "test -e .ralph_state.md && echo TASK_STUCK: an old state file; echo 42 > answer; echo TASK_COMPLETE"
    )
    done = project.ralph("run", "--in-place", "--task-id", "new")
    assert done.returncode == 0, done.stdout


def test_a_folder_in_its_place_does_not_end_the_run(project: Project) -> None:
    project.agent(
        "mkdir -p .ralph_state.md; touch .ralph_state.md/x; echo 4$RALPH_ITERATION > answer; echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr


def test_nobody_ever_reads_half_of_it(project: Project) -> None:
    """A reader as fast as it can be, while 12 attempts with a large output rewrite it."""
    project.write(
        "test.sh", 'n=$(cat step 2>/dev/null); for i in $(seq 100); do printf "%0200d\\n" $n; done; exit 1\n'
    )
    project.agent("echo $RALPH_ITERATION > step; echo TASK_COMPLETE")
    project.config(
        AGENT + "gates: [{name: tests, run: sh test.sh}]\n"
        "event_loop: {max_iterations: 12, max_attempts: 99}\nstuck: {same_error_stop: 99}\n"
    )
    project.commit()
    path, over, seen, wrong = project.path / ".ralph_state.md", threading.Event(), set[int](), list[str]()

    def reader() -> None:
        while not over.is_set():
            try:
                text = path.read_text()
            except FileNotFoundError:
                continue
            if not text.startswith("---\ntask_id: ") or "## Attempt History" not in text:
                wrong.append(text)
            else:
                seen.add(int(re.search("^iteration: (.*)$", text, re.MULTILINE)[1]))  # type: ignore[index]

    thread = threading.Thread(target=reader)
    thread.start()
    try:
        done = project.ralph("run")
    finally:
        over.set()
        thread.join()
    assert done.returncode == 8, done.stdout
    assert wrong == []
    assert len(seen) > 3, "the reader saw it change"
    left = [p.name for p in project.path.iterdir() if p.name.startswith(".ralph_state.md")]
    assert left == [".ralph_state.md"]
