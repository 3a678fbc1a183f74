"""`ralph logs`: every prompt, output, change and scratchpad can be looked at, safely, whole, and while it grows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from project import RALPH, Project, contents, until

HOLD = "until [ -e $HOME/go ]; do sleep 0.02; done"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Two iterations: a claim rejected, then a verified end. Tests only read it."""
    place = tmp_path_factory.mktemp("finished")
    project = Project(place / "project", place / "home")
    project.agent(
        r"""printf 'says \033[31mred\033[0m\007 in %s\n' $RALPH_ITERATION; echo "grumbles" >&2
ralph scratchpad --done "part $RALPH_ITERATION" --test-status x --next-step y --blockers none
expr 40 + $RALPH_ITERATION > answer; echo TASK_COMPLETE"""
    )
    project.commit()
    assert project.ralph("run").returncode == 0
    return project


def known(project: Project, *arguments: str) -> list[dict[str, Any]]:
    done = project.ralph("logs", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def shown(project: Project, *arguments: str) -> str:
    done = project.ralph("logs", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(project: Project, *arguments: str) -> str:
    done = project.ralph("logs", *arguments)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    assert len(done.stderr.splitlines()) >= 2, "what is wrong, and what to do"
    return done.stderr


def interrupted(project: Project) -> int:
    """A first iteration that is killed together with its run; the pid of the run."""
    project.agent(
        f'echo "try $(date +%s%N)"; [ -e $HOME/go ] || {{ touch $HOME/begun; {HOLD}; }}; echo 42 > answer; echo TASK_COMPLETE'
    )
    project.commit()
    run = project.start("run")
    until(lambda: project.mark("begun"), "the agent works")
    return run.pid


# -- the list ------------------------------------------------------------------------------------------


def test_the_list_names_every_iteration_and_gate_run(finished: Project) -> None:
    lines = shown(finished).splitlines()
    assert lines[0].startswith("loop ") and "Write 42" in lines[0]
    assert lines[1].split() == ["n", "serial", "what", "when", "took", "ended", "signal", "size", "output"]
    cells = [line.split("  ") for line in lines[2:]]
    assert [next(c for c in row[1:] if c.strip(" 0123456789")) for row in cells] == [
        "gate tests",
        "agent",
        "gate tests",
        "agent",
        "gate tests",
    ]
    assert ["red, exit 1" in line for line in lines[2:]] == [True, False, True, False, False]
    assert lines[3].count("TASK_COMPLETE") == 1
    for line in lines[2:]:
        assert (finished.path / line.split()[-1]).is_file(), "the path leads to the output"


def test_the_list_as_json_has_everything_and_the_paths(finished: Project) -> None:
    found = known(finished)
    assert [(x["what"], x["n"], x["serial"]) for x in found] == [
        ("gate", 0, 0),
        ("iteration", 1, 1),
        ("gate", 1, 1),
        ("iteration", 2, 2),
        ("gate", 2, 2),
    ]
    assert [x["passed"] for x in found if x["what"] == "gate"] == [False, False, True]
    for x in found:
        assert x["ended"] and x["size"] == sum(
            p.stat().st_size for p in (Path(x["output"]), Path(x["output"] + ".err")) if p.exists()
        )
    assert all(Path(x["prompt"]).is_file() for x in found if x["what"] == "iteration")
    assert known(finished, "2") == [found[3]]
    assert known(finished, "2", "--gate", "tests") == [found[4]]


# -- one of them ---------------------------------------------------------------------------------------


def test_a_transcript_is_shown_harmless_with_standard_error_last(finished: Project) -> None:
    assert shown(finished, "1") == "says red\ufffd in 1\nTASK_COMPLETE\n== standard error\ngrumbles\n"
    assert shown(finished, "--serial", "2").startswith("says red\ufffd in 2\n")


def test_raw_gives_the_bytes_and_keeps_the_streams_apart(finished: Project) -> None:
    done = subprocess.run(
        [RALPH, "logs", "1", "--raw"], cwd=finished.path, env=finished.env, capture_output=True
    )
    assert done.stdout == b"says \033[31mred\033[0m\007 in 1\nTASK_COMPLETE\n"
    assert done.stderr == b"grumbles\n"


JSON_AGENT = r"""cat <<'END'
{"type": "assistant", "message": {"content": [{"type": "text", "text": "Looking.\nClosely.\u001b[2J"}]}}
{"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]}}
END
touch $HOME/begun; until [ -e $HOME/go ]; do sleep 0.02; done; echo 42 > answer
echo '{"type": "result", "subtype": "success", "is_error": false, "result": "TASK_COMPLETE"}'
"""


def test_what_agents_print_as_json_is_told_in_words_also_while_it_grows(
    project: Project, tmp_path: Path
) -> None:
    project.agent(JSON_AGENT)
    gates = """gates: [{name: tests, run: "echo '{\\"type\\": \\"text\\"}'; sh test.sh"}]\n"""
    project.config("cli: {command: ./agent.sh, output: jsonl}\n" + gates)
    project.commit()
    run = project.start("run")
    until(lambda: project.mark("begun"), "the agent works")
    with open(tmp_path / "followed", "w") as file:
        follower = subprocess.Popen([RALPH, "logs", "-f"], cwd=project.path, env=project.env, stdout=file)
    until(lambda: "▸ Bash ls" in (tmp_path / "followed").read_text(), "what it does")
    (Path(project.env["HOME"]) / "go").touch()
    assert (run.wait(60), follower.wait(60)) == (0, 0)
    assert shown(project, "1") == "Looking.\nClosely.\n▸ Bash ls\nTASK_COMPLETE\n"
    followed = (tmp_path / "followed").read_text()
    assert followed.startswith("Looking.\nClosely.\n▸ Bash ls\n")
    assert followed.endswith('  TASK_COMPLETE\n{"type": "text"}\n'), "with the gate that comes after it"
    assert '"name": "Bash"' in shown(project, "1", "--raw")
    assert shown(project, "1", "--gate", "tests") == '{"type": "text"}\n', "a command's words are its own"


def test_prompt_gate_scratchpad_and_diff(finished: Project) -> None:
    assert shown(finished, "2", "--prompt") == finished.prompt(1).rstrip("\n") + "\n"
    assert "FAILED: the answer is not 42" in shown(finished, "2", "--prompt")
    assert shown(finished, "1", "--gate", "tests") == "FAILED: the answer is not 42\n"
    assert shown(finished, "0", "--gate", "tests") == "FAILED: the answer is not 42\n"
    assert shown(finished, "2", "--gate", "tests") == ""
    assert "## Done this iteration\npart 1\n" in shown(finished, "1", "--scratchpad")
    diff = shown(finished, "2", "--diff")
    assert diff.splitlines()[-2:] == ["-41", "+42"] and diff.startswith("diff --git a/answer b/answer\n")
    assert shown(finished, "--diff") == diff, "without a number it is the last one"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("9",), "there is no iteration 9"),
        (("1", "--serial", "2"), "no iteration 1 with serial 2"),
        (("--serial", "7"), "there is no serial 7"),
        (("0",), "ralph logs 0 --gate NAME"),
        (("1", "--gate", "lint"), "Gates: tests."),
        (("1", "--gate", "tests", "--prompt"), "has no prompt"),
        (("1", "--gate", "tests", "--diff"), "Leave out --gate"),
        (("--prompt", "--diff"), "cannot be combined"),
        (("--json", "--follow"), "cannot be combined"),
        (("--follow",), "nothing is under way"),
        (("--loop", "1999"), "there is no loop '1999'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_not_there_is_said_with_what_to_try(
    finished: Project, arguments: tuple[str, ...], message: str
) -> None:
    assert message in refused(finished, *arguments)


def test_before_the_first_loop_it_says_how_to_begin(project: Project) -> None:
    assert "ralph run" in refused(project)
    assert not (project.path / ".git/ralph").exists()


def test_a_removed_output_is_said_to_be_gone(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    for one in known(project):
        for path in (Path(one["output"]), Path(one["output"] + ".err")):
            path.unlink(missing_ok=True)
    assert [line.split()[-2] for line in shown(project).splitlines()[2:]] == ["gone"] * 3
    assert "is not there any more" in refused(project, "1")
    Path(known(project)[1]["prompt"]).unlink()
    assert "is not there any more" in refused(project, "1", "--prompt")


def test_nothing_of_the_repository_runs_for_a_diff(project: Project) -> None:
    """Drivers, filters, hooks and pagers that someone planted stay where they are."""
    project.write(".gitattributes", "* diff=evil filter=evil\n")
    project.commit()
    project.git("config", "diff.evil.textconv", "touch $HOME/textconv; cat")
    project.git("config", "diff.evil.command", "touch $HOME/command; cat")
    project.git("config", "diff.external", "touch $HOME/external; cat")
    project.git("config", "core.pager", "touch $HOME/pager; cat")
    assert project.ralph("run").returncode == 0
    assert "+42" in shown(project, "1", "--diff")
    assert not [name for name in ("textconv", "command", "external", "pager") if project.mark(name)]


def test_a_large_binary_change_is_only_named(project: Project) -> None:
    project.agent("head -c 3000000 /dev/zero | tr '\\0' x > large; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    diff = shown(project, "1", "--diff")
    assert "Binary files /dev/null and b/large differ" in diff and "+42" in diff


def test_it_works_without_git(project: Project) -> None:
    import shutil

    shutil.rmtree(project.path / ".git")
    assert project.ralph("run").returncode == 0
    assert "+42" in shown(project, "1", "--diff")
    assert "TASK_COMPLETE" in shown(project, "1")


# -- several with one number, several loops --------------------------------------------------------------


def test_an_interrupted_iteration_keeps_its_own_transcript(project: Project) -> None:
    pid = interrupted(project)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not Path(f"/proc/{pid}/cwd").exists(), "the run is dead")
    assert [x["ended"] for x in known(project)] == [True, False], "nobody has closed it yet"
    (Path(project.env["HOME"]) / "go").touch()
    assert project.ralph("resume").returncode == 0
    first, second = (x for x in known(project) if x["what"] == "iteration")
    assert (first["n"], first["serial"], first["how"]) == (1, 1, "interrupted")
    assert (second["n"], second["serial"], second["how"]) == (1, 2, "exit 0")
    last = project.ralph("logs", "1")
    assert "TASK_COMPLETE" in last.stdout
    assert "--serial selects another: 1 (interrupted)" in last.stderr
    before = shown(project, "1", "--serial", "1")
    assert before.startswith("try ") and "TASK_COMPLETE" not in before


def test_an_earlier_loop_is_named_by_its_id_or_its_beginning(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    earlier = project.facts("loop.started")[0]["loop"]
    project.git("add", "-A")
    project.git("commit", "-qm", "done")
    project.agent("echo another; echo changed > other; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    assert "another" in shown(project, "1")
    assert "another" not in shown(project, "1", "--loop", earlier)
    assert "another" not in shown(project, "1", "--loop", earlier[:-1])
    century = earlier[:2]
    assert "several loops begin with" in refused(project, "1", "--loop", century)


# -- while it grows --------------------------------------------------------------------------------------


def test_following_shows_what_comes_until_the_end(project: Project, tmp_path: Path) -> None:
    project.agent(
        f"echo first; echo trouble >&2; touch $HOME/begun; {HOLD}; printf 'second\\033[2J\\nlast'; exit 3"
    )
    project.config("cli: {command: ./agent.sh}\ngates: none\nevent_loop: {max_iterations: 1}\n")
    project.commit()
    run = project.start("run")
    until(lambda: project.mark("begun"), "the agent works")
    assert shown(project, "1").splitlines()[0] == "first", "also without following"
    out = tmp_path / "followed"
    with open(out, "w") as file:
        follower = subprocess.Popen(
            [RALPH, "logs", "--follow"], cwd=project.path, env=project.env, stdout=file
        )
    until(lambda: "first\n" in out.read_text() and "stderr| trouble\n" in out.read_text(), "what was before")
    (Path(project.env["HOME"]) / "go").touch()
    assert follower.wait(60) == 0
    assert out.read_text().replace("stderr| trouble\n", "") == "first\nsecond\nlast\n"
    run.wait(60)


def test_following_goes_on_to_the_end_of_the_run(project: Project, tmp_path: Path) -> None:
    project.agent(
        f"echo I am $RALPH_ITERATION; touch $HOME/begun; {HOLD}\n"
        "echo 4$RALPH_ITERATION >answer; echo TASK_COMPLETE"
    )
    project.config("cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\n")
    project.commit()
    run = project.start("run")
    until(lambda: project.mark("begun"), "the agent works")
    with open(tmp_path / "out", "w") as out, open(tmp_path / "err", "w") as err:
        follower = subprocess.Popen(
            [RALPH, "logs", "-f"], cwd=project.path, env=project.env, stdout=out, stderr=err
        )
    until(lambda: "I am 1" in (tmp_path / "out").read_text(), "the first iteration")
    (Path(project.env["HOME"]) / "go").touch()
    assert (run.wait(60), follower.wait(60)) == (0, 0)
    assert [line for line in (tmp_path / "out").read_text().splitlines() if line.startswith("I am")] == [
        "I am 1",
        "I am 2",
    ]
    told = (tmp_path / "err").read_text()
    assert told.index("== iteration 1: exit 0") < told.index("== iteration 2\n")
    assert "== gate tests on the claim of iteration 1: red" in told
    assert told.endswith("completed-verified: proven: tests red→green\n")


def test_following_ends_when_the_run_dies(project: Project, tmp_path: Path) -> None:
    pid = interrupted(project)
    with open(tmp_path / "err", "w") as file:
        follower = subprocess.Popen(
            [RALPH, "logs", "-f"], cwd=project.path, env=project.env, stdout=subprocess.PIPE, stderr=file
        )
    assert follower.stdout and follower.stdout.readline().startswith(b"try ")
    os.kill(pid, signal.SIGKILL)
    assert follower.wait(60) == 0
    follower.stdout.close()
    assert "the run died while iteration 1 was under way" in (tmp_path / "err").read_text()


# -- size ----------------------------------------------------------------------------------------------


def test_fifty_megabytes_are_shown_in_little_memory_and_a_reader_may_go_away(project: Project) -> None:
    project.agent(
        "yes 'a line of what an agent may print, with \033[1mcolours\033[0m' | head -c 50000000; echo\n"
        "echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    assert project.ralph("run").returncode == 0
    limited = f"ulimit -v {300 * 1024}; ralph logs 1 | tail -n 1"
    done = project.shell(limited)
    assert (done.stdout, done.stderr) == ("TASK_COMPLETE\n", "")
    done = project.shell("set -o pipefail; ralph logs 1 | head -n 1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "a line of what an agent may print, with colours\n"
    done = project.shell("set -o pipefail; ralph logs 1 --raw | head -c 10")
    assert (done.returncode, done.stderr) == (0, "")


def test_looking_changes_nothing(finished: Project) -> None:
    before = contents(finished.path)
    for view in (
        (),
        ("1",),
        ("1", "--prompt"),
        ("1", "--diff"),
        ("1", "--gate", "tests"),
        ("1", "--scratchpad"),
    ):
        shown(finished, *view)
    assert contents(finished.path) == before
