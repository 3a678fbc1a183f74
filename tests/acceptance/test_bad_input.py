"""Bad input: a clear message, its exit code, nothing changed. And input that is odd but good: it works."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from project import CONFIG, RALPH, Project, Terminal, contents, processes_with

Prepare = Callable[[Project], object]


def refused(
    project: Project, arguments: tuple[str, ...], code: int, *messages: str, cwd: Path | None = None
) -> str:
    """Ralph refuses, says why, and leaves every byte where it was."""
    before = contents(project.path)
    done = project.ralph(*arguments, cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    for message in messages:
        assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert contents(project.path) == before
    return done.stderr


def nothing(project: Project) -> None:
    pass


def binary(name: str) -> Prepare:
    return lambda project: (project.path / name).write_bytes(b"\x7fELF\x00\xff\xfe")


CONFIGURATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "empty": ("", ("there is no agent", "Set cli.backend or cli.command in ralph.yml")),
    "malformed": ("cli: {backend: custom\ngates: [\n", ("ralph.yml:2:", "not valid YAML")),
    "unknown key": (
        "cli: {command: ./agent.sh}\nevent_loop:\n  max_iteratoins: 3\n",
        ("ralph.yml:3: event_loop.max_iteratoins: unknown key (nearest valid: max_iterations)",),
    ),
    "unknown section": (
        "cli: {command: ./agent.sh}\ngaets: []\n",
        ("ralph.yml:2: gaets:", "nearest valid: gates"),
    ),
    "unknown key of a gate": (
        "cli: {command: ./agent.sh}\ngates:\n  - run: 'true'\n    nmae: x\n",
        ("ralph.yml:4: gates[0].nmae: unknown key (nearest valid: name)",),
    ),
    "wrong type": (
        "cli: {command: ./agent.sh}\nevent_loop: {max_iterations: many}\n",
        ("ralph.yml:2: event_loop.max_iterations: must be a whole number, not the text 'many'",),
    ),
    "wrong shape": ("- cli\n- gates\n", ("ralph.yml:1:", "must be a mapping")),
    "out of range": (
        "cli: {command: ./agent.sh}\nevent_loop: {max_iterations: 0}\n",
        ("ralph.yml:2: event_loop.max_iterations: must be at least 1",),
    ),
    "duplicate key": (
        "cli: {command: ./agent.sh}\nevent_loop: {}\ncli: {command: ./other.sh}\n",
        ("ralph.yml:3: cli: is given twice, on lines 1 and 3",),
    ),
    "several at once": (
        "cli: {comand: ./agent.sh}\nevent_loop: {claim: maybe}\n",
        ("ralph.yml:1: cli.comand", "ralph.yml:2: event_loop.claim"),
    ),
}


@pytest.mark.parametrize("text, messages", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_a_bad_configuration_is_refused(project: Project, text: str, messages: tuple[str, ...]) -> None:
    project.write("ralph.yml", text)
    refused(project, ("run",), 2, *messages)


# what is prepared, the arguments, the exit code, what the message says
CASES: dict[str, tuple[Prepare, tuple[str, ...], int, tuple[str, ...]]] = {
    "no such configuration": (nothing, ("run", "-c", "nofile.yml"), 2, ("nofile.yml: does not exist",)),
    "a folder as configuration": (nothing, ("run", "-c", "."), 2, ("is a folder, not a file",)),
    "a binary configuration": (binary("ralph.yml"), ("run",), 2, ("ralph.yml: is not a text file", "line 1")),
    "an agent that does not exist": (
        lambda p: (p.path / "agent.sh").unlink(),
        ("run",),
        10,
        ("agent.sh' does not exist", "Correct cli.command"),
    ),
    "an agent that is not executable": (
        lambda p: (p.path / "agent.sh").chmod(0o644),
        ("run",),
        10,
        ("agent.sh' is not executable", "chmod +x"),
    ),
    "an agent whose interpreter is missing": (
        lambda p: p.write("agent.sh", "#!/no/such/python3\n", executable=True),
        ("run",),
        10,
        ("names an interpreter that does not exist: '/no/such/python3'",),
    ),
    "an agent that is not on PATH": (nothing, ("run", "--", "no-such-agent"), 10, ("'no-such-agent' is not on PATH",)),
    "no prompt": (lambda p: (p.path / "PROMPT.md").unlink(), ("run",), 2, ("there is no prompt", "`ralph run -p")),
    "an empty prompt": (lambda p: p.write("PROMPT.md", " \n"), ("run",), 2, ("PROMPT.md", "is empty")),
    "a binary prompt": (binary("PROMPT.md"), ("run",), 2, ("PROMPT.md", "is not a text file")),
    "no such prompt file": (nothing, ("run", "-P", "no.md"), 2, ("-P: the prompt file", "does not exist")),
    "two prompts": (nothing, ("run", "-p", "a", "-P", "PROMPT.md"), 2, ("not both",)),
    "an unknown command": (nothing, ("rnu",), 2, ("There is no command 'rnu'", "`ralph run`")),
    "an unknown option": (nothing, ("run", "--max-iteration", "3"), 2, ("--max-iteration", "--max-iterations")),
    "a value that is no number": (nothing, ("run", "--max-iterations", "x"), 2, ("--max-iterations", "integer")),
    "a value out of range": (nothing, ("run", "--max-iterations", "-1"), 2, ("--max-iterations: must be at least 1",)),
    "a limit that cannot be raised to": (nothing, ("resume", "--max-cost", "-1"), 2, ("--max-cost-usd: must be above 0",)),
    "nothing to resume": (nothing, ("resume",), 2, ("there is nothing to resume here", "`ralph run")),
    "nothing to go on with": (nothing, ("run", "--resume"), 2, ("there is nothing to resume here",)),
    "nothing to stop": (nothing, ("stop",), 2, ("nothing runs here",)),
    "nothing to cancel": (nothing, ("cancel",), 2, ("nothing runs here",)),
    "nothing to restore": (nothing, ("recover", "1"), 2, ("there is no saved state '1'", "`ralph recover` lists")),
    "nobody to hear an event": (nothing, ("emit", "topic"), 2, ("nothing runs here",)),
    "uncommitted changes": (lambda p: p.write("mine", "x"), ("run",), 2, ("uncommitted changes: mine", "--in-place")),
    "a folder for the demo that exists": (nothing, ("demo", "--into", "."), 2, ("already exists",)),
    "no folder for the demo": (nothing, ("demo", "--into", "agent.sh/x"), 2, ("agent.sh/x: the folder cannot be made",)),
    "a pattern that leaves the workspace": (nothing, ("run", "--allow", "../x"), 2, ("--allow: must be a pattern", "inside")),
    "a resume that allows more": (nothing, ("run", "--resume", "--allow", "x"), 2, ("--allow would change nothing",)),
}  # fmt: skip


@pytest.mark.parametrize("prepare, arguments, code, messages", CASES.values(), ids=CASES)
def test_what_cannot_be_done_is_refused(
    project: Project, prepare: Prepare, arguments: tuple[str, ...], code: int, messages: tuple[str, ...]
) -> None:
    prepare(project)
    refused(project, arguments, code, *messages)


SCRIPTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "empty": ("", ("needs `iterations:`",)),
    "not YAML": ("iterations:\n  - - say: a: b\n", ("s.yml:2: not valid YAML",)),
    "unknown step": ("iterations:\n  - - say: hello\n    - wriet: {}\n", ("s.yml:3: iteration 1, step 2", "nearest: write")),
    "missing argument": ("iterations:\n  - - write: {path: a}\n", ("s.yml:2:", "write needs text")),
    "unknown argument": ("iterations:\n  - - append: {path: a, text: b, mode: 1}\n", ("append does not know mode",)),
    "wrong argument": ("iterations:\n  - - say: a\n  - - exit: never\n", ("s.yml:3: iteration 2", "exit code from 0 to 255")),
    "no such signal": ("iterations:\n  - - crash: SIGNONE\n", ("the name of a signal",)),
    "no steps": ("iterations:\n  - say: a\n", ("s.yml:2: iteration 1 is not a list of steps",)),
}  # fmt: skip


@pytest.mark.parametrize("script, messages", SCRIPTS.values(), ids=SCRIPTS)
def test_a_bad_script_is_refused_before_the_loop_starts(
    project: Project, script: str, messages: tuple[str, ...]
) -> None:
    project.config("cli: {backend: scripted, script: s.yml}\ngates: none\n")
    project.write("s.yml", script)
    refused(project, ("run", "--in-place"), 10, *messages)


def test_an_agent_that_exits_at_once_is_called_unusable_and_its_last_words_are_told(project: Project) -> None:
    project.write("agent.sh", "#!/bin/sh\necho 'no key for the model' >&2\nexit 3\n", executable=True)
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 10, done.stdout
    assert done.stdout.count("exit 3: no key for the model") == 6  # each time, and in the end
    assert "agent-unusable: the agent failed 5 times in a row" in done.stdout
    assert project.git("status", "--porcelain") == ""


def test_an_agent_that_vanishes_while_the_loop_runs_is_unusable_at_once(project: Project) -> None:
    project.agent("rm agent.sh; echo ITERATION_DONE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 10, done.stdout
    assert "agent.sh: no such program" in done.stdout
    assert len(project.facts("iteration.started")) == 2


# -- places --------------------------------------------------------------------------------------------


def unprivileged(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    """For root, permissions do not bind: without this capability they do."""
    drop = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"] if os.geteuid() == 0 else []
    return subprocess.run(
        [*drop, RALPH, *arguments],
        cwd=project.path,
        env=project.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("barred", [".", ".git", "without git"])
def test_a_read_only_folder_is_refused_untouched(project: Project, barred: str) -> None:
    if barred == "without git":
        shutil.rmtree(project.path / ".git")
    folder = project.path / (".git" if barred == ".git" else ".")
    before = contents(project.path)
    folder.chmod(0o555)
    try:
        done = unprivileged(project, "run")
        doctor = unprivileged(project, "doctor")
    finally:
        folder.chmod(0o755)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "cannot write here" in done.stderr and "Make it writable" in done.stderr
    assert contents(project.path) == before
    assert doctor.returncode == 2
    assert "FIX  state" in doctor.stdout and "writable." in doctor.stdout


def test_without_a_commit_it_works(project: Project) -> None:
    shutil.rmtree(project.path / ".git")
    project.git("init", "-q", "-b", "main")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["proof"] == {"tests": "red→green"}
    assert project.git("status", "--porcelain", "--branch").startswith("## No commits yet on main")


def test_without_git_it_works_and_everything_can_be_put_back(project: Project) -> None:
    shutil.rmtree(project.path / ".git")
    project.write("mine", "precious\n")
    project.agent("rm mine; echo 42 > answer; echo TASK_COMPLETE")
    before = contents(project.path)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "git diff" not in done.stdout, "there is nothing to diff with"
    assert project.end()["proof"] == {"tests": "red→green"}
    assert project.ralph("recover", "1").returncode == 0
    after = contents(project.path)
    assert {name: after[name] for name in after if not name.startswith((".ralph", "ralph.log"))} == before


def test_without_the_git_program_it_is_said(project: Project, tmp_path: Path) -> None:
    project.env["PATH"] = str(tmp_path / "bin")
    (tmp_path / "bin").mkdir()
    refused(project, ("run",), 2, "the git program was not found", "Install git")
    doctor = project.ralph("doctor")
    assert doctor.returncode == 2
    assert "FIX  git        not found" in doctor.stdout


def test_a_bare_repository_and_the_inside_of_git_are_no_workspace(project: Project) -> None:
    project.git("clone", "-q", "--bare", ".", "bare.git")
    refused(project, ("run",), 2, "this is a bare repository", cwd=project.path / "bare.git")
    for inside in (".git", ".git/refs"):
        refused(
            project,
            ("run",),
            2,
            "inside a git directory",
            "Go to the project's folder",
            cwd=project.path / inside,
        )


ODD_NAMES = ["two words", 'it\'s "quoted"', "new\nline", "ünïcode ✓", "-dash", "$(touch pwned);`x`&", "tail "]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_path_may_hold_any_character(tmp_path: Path, name: str) -> None:
    project = Project(tmp_path / name, tmp_path / "home")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.facts("loop.started")[0]["root"].endswith(name)
    assert not (project.path / "pwned").exists()
    project.write("agent.sh", "", executable=False).chmod(0o644)
    done = project.ralph("run", "--in-place")
    assert done.returncode == 10
    subprocess.run(done.stderr.partition("\nRun: ")[2], shell=True, check=True)
    assert os.access(project.path / "agent.sh", os.X_OK), "the advice can be pasted into a shell"


# -- surroundings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [("HOME",), ("TMPDIR",), ("HOME", "LANG", "TMPDIR")], ids="-".join)
def test_it_works_without_these_variables(project: Project, missing: tuple[str, ...]) -> None:
    for name in missing:
        del project.env[name]
    assert project.ralph("run").returncode == 0


def test_it_works_where_the_temporary_folder_is_not_there(project: Project) -> None:
    project.config(CONFIG.replace("run: sh test.sh", "run: sh test.sh, hermetic: true"))
    project.commit()
    project.env["TMPDIR"] = str(project.path.parent / "no such folder")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "surroundings",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "iso-8859-1"},
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=lambda env: "-".join(env.values()),
)
def test_a_terminal_that_lacks_characters_stops_nothing(
    project: Project, surroundings: dict[str, str]
) -> None:
    project.write("PROMPT.md", "Schreibe 42 → answer ✓ 😀\n")
    project.commit()
    project.env |= surroundings
    for arguments in (("run", "-v"), ("status",), ("events",)):
        done = subprocess.run([RALPH, *arguments], cwd=project.path, env=project.env, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""
        assert b"Schreibe 42" in done.stdout


def test_words_of_agents_and_gates_cannot_drive_the_terminal(project: Project) -> None:
    project.write("test.sh", 'printf "\\033]0;owned\\007FAILED: \\033[2Jred\\n"; exit 1\n')
    colours = 'printf "\\033[31mred\\033[0m\\n"; ralph emit topic "$(printf "\\033[2J")"'
    project.agent(f"{colours}; printf 'TASK_STUCK: \\033]0;owned\\007\\n'")
    project.commit()
    project.env["NO_COLOR"] = "1"  # then no escape at all is Ralph's own
    for arguments, code in (
        (("run", "-v", "--no-tui"), 4),
        *(((command,), 0) for command in ("status", "events", "logs", "doctor")),
        (("logs", "1"), 0),
        (("logs", "0", "--gate", "tests"), 0),
    ):
        terminal = Terminal(project, *arguments)
        assert terminal.end() == code, terminal.shown
        assert terminal.shown and "\x1b" not in terminal.shown and "\x07" not in terminal.shown


def test_a_narrow_terminal_still_shows_the_help(project: Project) -> None:
    project.env["COLUMNS"] = "20"
    shown = project.ralph("run", "--help").stdout
    assert "--max-iterations" in shown and "Examples:" in shown


# -- standard streams ----------------------------------------------------------------------------------

SLOW = '[ "$RALPH_ITERATION" = 3 ] && { echo 42 > answer; echo TASK_COMPLETE; } || echo ITERATION_DONE'


@pytest.mark.parametrize("gone", ["| head -1", "| true", "> /dev/full", ">&-", "<&- >&- 2>&-"])
def test_a_run_whose_reader_went_away_goes_on_to_its_end(project: Project, gone: str) -> None:
    project.agent(f"echo working; {SLOW}")
    project.commit()
    done = project.shell(f"set -o pipefail; ralph run -v {gone}")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert project.end()["end"] == "completed-verified"
    run = project.facts("run.started")[0]["run"]
    assert processes_with(run) == []


@pytest.mark.parametrize("command", ["status", "--help", "--version", "emit --help"])
def test_a_reader_that_went_away_is_no_error(project: Project, command: str) -> None:
    done = project.shell(f"set -o pipefail; ralph {command} | true")
    assert (done.returncode, done.stderr) == (0, "")
    assert project.shell(f"ralph {command} >&-").returncode == 0
    full = project.shell(f"ralph {command} > /dev/full")
    assert full.returncode == 70
    assert "Exception ignored" not in full.stderr and "Traceback" not in full.stderr


def test_closed_standard_input_counts_as_nobody_to_ask(project: Project) -> None:
    project.write("mine", "x")
    done = project.shell("ralph run <&-")
    assert done.returncode == 2
    assert "use --in-place" in done.stderr


def test_a_fault_of_ralphs_own_is_told_without_a_traceback(project: Project) -> None:
    state = project.path / ".git/ralph"
    state.mkdir()
    (state / "journal.jsonl").mkdir()
    done = project.ralph("status")
    assert done.returncode in (2, 70)
    assert "Traceback" not in done.stderr and str(state / "journal.jsonl") in done.stderr


def test_an_agent_after_the_dashes_that_does_not_exist_is_told_as_such(project: Project) -> None:
    refused(project, ("run", "--", "./gone.sh"), 10, "does not exist", "Correct the command after `--`.")
    done = project.ralph("run", "--", "./gone.sh")
    assert "cli.command" not in done.stderr
