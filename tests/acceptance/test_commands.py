"""Every command as a user meets it: help with an example, good and bad use, exit code 2 for what is misused."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from project import RALPH, Project, contents, until

from ralph import __version__
from ralph.cli.app import COMMANDS
from ralph.core.facts import BY_KIND

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with one loop behind it: a claim rejected, then a verified end. Tests only read it."""
    place = tmp_path_factory.mktemp("finished")
    project = Project(place / "project", place / "home")
    project.agent("expr 40 + $RALPH_ITERATION > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    return project


# -- help ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_has_help_with_an_example(project: Project, command: str, flag: str) -> None:
    done = project.ralph(command, flag)
    assert done.returncode == 0, done.stderr
    assert f"Usage: ralph {command}" in done.stdout
    after = done.stdout.partition("Example")[2]
    assert f"ralph {command}" in after, "the example shows the command"
    assert not (project.path / ".git/ralph").exists()


def test_the_examples_in_the_help_name_only_options_that_exist(project: Project) -> None:
    for command in COMMANDS:
        text = project.ralph(command, "--help").stdout
        example = text.partition("Example")[2].partition("\nOptions:")[0].split(" -- ")[0]
        # Quoted arguments may hold anything; what is left begins with a dash only where it is an option.
        for option in re.findall(r"(?<=\s)--?[a-zA-Z][\w-]*", re.sub(r"\"[^\"]*\"|'[^']*'", "", example)):
            assert re.search(rf"(?m)^(  |Usage:).*{re.escape(option)}\b", text), f"{command}: {option}"


def test_the_list_of_commands_names_all_of_them(project: Project) -> None:
    done = project.ralph("--help")
    assert done.returncode == 0
    for command, (_, line) in COMMANDS.items():
        assert re.search(rf"(?m)^  {command} +{re.escape(line[:30])}", done.stdout), command


def test_no_command_at_all_shows_the_help_and_is_a_misuse(project: Project) -> None:
    done = project.ralph()
    assert done.returncode == 2
    assert "Get started:" in done.stderr


def test_the_version_is_told(project: Project) -> None:
    done = project.ralph("--version")
    assert (done.returncode, done.stdout) == (0, f"ralph {__version__}\n")
    module = subprocess.run([sys.executable, "-m", "ralph", "--version"], capture_output=True, text=True)
    assert module.stdout == done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_option_is_a_misuse(project: Project, command: str) -> None:
    done = project.ralph(command, "--no-such-option")
    assert done.returncode == 2
    assert "--no-such-option" in done.stderr
    assert not (project.path / ".git/ralph").exists()


# -- doctor --------------------------------------------------------------------------------------------


def test_doctor_finds_all_well(project: Project) -> None:
    done = project.ralph("doctor")
    assert done.returncode == 0, done.stdout
    words = {line.split()[1]: line for line in done.stdout.splitlines() if line.startswith("ok  ")}
    assert {"git", "processes", "workspace", "state", "disk", "config"} <= words.keys()
    assert "gates: tests" in words["config"]
    assert "FIX" not in done.stdout
    assert not (project.path / ".git/ralph").exists()


def test_doctor_says_what_to_mend(project: Project) -> None:
    project.config("cli: {comand: ./agent.sh}\n")
    done = project.ralph("doctor")
    assert done.returncode == 2
    assert "FIX  config" in done.stdout and "nearest valid: command" in done.stdout
    (project.path / "ralph.yml").write_bytes(b"\xff")
    done = project.ralph("doctor")
    assert "FIX  config     ralph.yml: is not a text file" in done.stdout
    project.config("cli: {command: ./gone.sh}\ngates: none\n")
    found = json.loads(project.ralph("doctor", "--json").stdout)
    bad = [one for one in found if not one["ok"]]
    assert [one["what"] for one in bad] == ["config"] and "does not exist" in bad[0]["text"]
    project.env["RALPH_TIER"] = "cgrop"
    done = project.ralph("doctor")
    assert "FIX  processes  unknown tier 'cgrop'" in done.stdout


def test_doctor_needs_no_prompt_because_it_is_usually_given_to_the_run(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    done = project.ralph("doctor")
    assert done.returncode == 0, done.stdout
    assert "gates: tests; no prompt yet: give one with -p, -P or PROMPT.md" in done.stdout
    project.config("gates: [{name: tests, run: sh test.sh}]\n")
    done = project.ralph("doctor")
    assert done.returncode == 2
    assert "FIX  config     there is no agent to do it\n" in done.stdout
    project.config("cli: {command: ./agent.sh}\nevent_loop: {prompt_file: gone.md}\n")
    assert "does not exist" in project.ralph("doctor").stdout


def test_doctor_works_without_a_repository(project: Project) -> None:
    shutil.rmtree(project.path / ".git")
    done = project.ralph("doctor")
    assert done.returncode == 0, done.stdout
    assert "no git repository" in done.stdout
    assert not (project.path / ".ralph").exists()


# -- status, events, recover ---------------------------------------------------------------------------


def test_with_nothing_there_status_says_how_to_begin(project: Project) -> None:
    done = project.ralph("status")
    assert done.returncode == 0
    assert done.stdout == 'not running\nNo loop yet. Start with `ralph run -p "..."`.\n'
    assert json.loads(project.ralph("status", "--json").stdout) == {"running": False}
    assert project.ralph("events").stdout == ""
    assert project.ralph("recover").stdout == "Nothing was saved here.\n"
    assert json.loads(project.ralph("recover", "--json").stdout) == []
    assert not (project.path / ".git/ralph").exists()


def test_status_tells_how_it_ended(finished: Project) -> None:
    text = finished.ralph("status").stdout
    assert "not running" in text and "end         completed-verified: proven: tests red→green" in text
    told = json.loads(finished.ralph("status", "--json").stdout)
    assert (told["end"], told["iterations"], told["attempts"]) == ("completed-verified", 2, 1)
    assert told["proof"] == {"tests": "red→green"} and told["next"]


def test_status_works_from_a_subfolder(finished: Project) -> None:
    folder = finished.path / "sub"
    folder.mkdir()
    assert "completed-verified" in finished.ralph("status", cwd=folder).stdout


def lines(project: Project, *arguments: str) -> list[dict[str, object]]:
    done = project.ralph("events", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_events_are_filtered(finished: Project) -> None:
    everything = lines(finished)
    assert [record["seq"] for record in everything] == list(range(1, len(everything) + 1))
    assert {record["kind"] for record in everything} <= BY_KIND.keys()
    gates = lines(finished, "--kind", "gate.*")
    assert {record["kind"] for record in gates} == {"gate.started", "gate.ended"}
    both = lines(finished, "--kind", "loop.ended", "--kind", "run.ended")
    assert [record["kind"] for record in both] == ["loop.ended", "run.ended"]
    assert lines(finished, "-n", "2") == everything[-2:]
    assert lines(finished, "--since", "5") == everything[4:]
    assert lines(finished, "--kind", "gate.*", "-n", "1") == gates[-1:]
    loop, run = everything[-2]["loop"], everything[-1]["run"]
    assert lines(finished, "--loop", str(loop)) == [record for record in everything if record["loop"] == loop]
    assert lines(finished, "--run", str(run)) == everything
    assert lines(finished, "--run", "another") == []
    plain = finished.ralph("events").stdout.splitlines()
    assert len(plain) == len(everything), "one line for each fact"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--kind", "gate.end"), "nearest is gate.ended"),
        (("--kind", "xyz"), "Kinds: run.started"),
        (("-n", "-3"), "-3"),
        (("--since", "0"), "--since"),
        (("--since", "yesterday"), "--since"),
    ],
)
def test_a_filter_that_makes_no_sense_is_a_misuse(
    finished: Project, arguments: tuple[str, ...], message: str
) -> None:
    done = finished.ralph("events", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_events_can_be_followed_to_the_end_of_a_run(project: Project) -> None:
    out = project.path.parent / "followed"
    with open(out, "w") as file:
        follower = subprocess.Popen(
            [RALPH, "events", "--follow", "--json"], cwd=project.path, env=project.env, stdout=file
        )
    try:
        assert project.ralph("run").returncode == 0
        until(lambda: '"run.ended"' in out.read_text(), "the end is told")
        assert [json.loads(line) for line in out.read_text().splitlines()] == lines(project)
    finally:
        follower.send_signal(2)
        assert follower.wait(30) == 0, "Ctrl-C is how following ends"


def test_what_was_saved_can_be_listed_restored_and_forgotten(project: Project) -> None:
    project.write("mine", "precious")
    project.agent("rm mine; echo 42 > answer; echo TASK_COMPLETE")
    assert project.ralph("run", "--in-place").returncode == 0
    assert not (project.path / "mine").exists()
    found = json.loads(project.ralph("recover", "--json").stdout)
    assert len(found) == 1
    assert "  1  " in project.ralph("recover").stdout
    done = project.ralph("recover", found[0]["ref"])
    assert done.returncode == 0, done.stderr
    assert (project.path / "mine").read_text() == "precious"
    assert not (project.path / "answer").exists()
    assert project.ralph("recover", "--drop", found[0]["ref"]).returncode == 0
    left = [one["ref"] for one in json.loads(project.ralph("recover", "--json").stdout)]
    assert len(left) == 1 and left != [found[0]["ref"]], "what was there before the restoring is saved too"
    assert project.ralph("recover", "9").returncode == 2


# -- what agents call ----------------------------------------------------------------------------------

PAD = ("--done", "wrote it", "--test-status=2 pass", "--next-step", "--dashes", "--blockers", "none ✓")


def test_the_scratchpad_is_written_in_its_form(project: Project) -> None:
    done = project.ralph("scratchpad", *PAD, env={"RALPH_ITERATION": "7"})
    assert (done.returncode, done.stderr) == (0, "")
    text = (project.path / ".ralph/agent/scratchpad.md").read_text()
    assert text == (
        "# Iteration 7 Scratchpad\n\n## Done this iteration\nwrote it\n\n## Test status\n2 pass\n\n"
        "## Next step\n--dashes\n\n## Blockers\nnone ✓\n"
    )
    assert [path.name for path in (project.path / ".ralph/agent").iterdir()] == ["scratchpad.md"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("scratchpad",), "missing: --done, --test-status, --next-step, --blockers"),
        (
            ("scratchpad", "--done", "x", "--next-step", " "),
            "missing: --test-status, --next-step, --blockers",
        ),
        (("scratchpad", "--dnoe", "x"), "unknown argument '--dnoe' (nearest: --done)"),
        (("scratchpad", "text"), "unknown argument 'text'"),
        (("scratchpad", *PAD), "no iteration runs here"),
        (("emit",), "TOPIC is missing"),
        (("emit", " "), "TOPIC is missing"),
        (("emit", "--topic", "x"), "unknown argument '--topic'"),
        (("emit", "a", "b", "c"), "one argument too many: 'c'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_agents_misuse_is_told(project: Project, arguments: tuple[str, ...], message: str) -> None:
    before = contents(project.path)
    done = project.ralph(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert contents(project.path) == before


def test_a_person_can_hand_an_event_to_the_run_that_is_under_way(project: Project) -> None:
    project.agent(
        "touch $HOME/begun; until [ -e $HOME/go ]; do sleep 0.02; done\necho 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    run = project.start("run")
    until(lambda: project.mark("begun"), "the agent works")
    emitted = project.ralph("emit", "note.added", "look at ✓\nthis")
    assert (emitted.returncode, emitted.stderr) == (0, "")
    (Path(project.env["HOME"]) / "go").touch()
    assert run.wait(60) == 0
    assert [(e["topic"], e["payload"]) for e in project.facts("event.received")] == [
        ("note.added", "look at ✓\nthis")
    ]


# -- the two commands of the README --------------------------------------------------------------------


def test_the_demo_needs_only_python_and_git_and_leaves_nothing(project: Project, tmp_path: Path) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    for name in ("git", "sh", "tail"):
        (bin / name).symlink_to(str(shutil.which(name)))
    project.env["PATH"] = str(bin)
    before, temporary = contents(project.path), contents(Path(project.env["TMPDIR"]))
    done = project.ralph("demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "completed-verified: proven: tests red→green" in done.stdout and "stats.py |" in done.stdout
    assert contents(project.path) == before
    assert contents(Path(project.env["TMPDIR"])) == temporary


def test_the_demo_can_be_kept_and_looked_at(project: Project, tmp_path: Path) -> None:
    done = project.ralph("demo", "--into", str(tmp_path / "kept"), "-v")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "completed-verified" in project.ralph("status", cwd=tmp_path / "kept").stdout
    assert project.ralph("demo", "--into", str(tmp_path / "kept")).returncode == 2


def test_pins_record_versions_and_no_addresses() -> None:
    for file in sorted((ROOT / "requirements").glob("*.txt")):
        for line in file.read_text().splitlines():
            assert re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[A-Za-z0-9.]+|#.*|-r [\w.]+|", line), (
                f"{file}: {line}"
            )


def test_what_the_continuous_integration_runs_is_make_test_and_the_rest() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-2:] == ["pass test", "pass test-full"]
