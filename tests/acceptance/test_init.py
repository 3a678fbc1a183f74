"""First use, as a newcomer meets it: `ralph init` and `ralph presets` in real repositories, by flags and on a terminal."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
import yaml
from project import Project, Terminal, contents, processes_with, until

from ralph.setup.project import agent_names

AGENT = "#!/bin/sh\ncat > /dev/null\necho 42 > answer\necho TASK_COMPLETE\n"
CHECK = 'test "$(cat answer 2>/dev/null)" = 42 || { echo "FAILED: the answer is not 42"; exit 1; }\n'


@pytest.fixture
def bare(project: Project) -> Project:
    """A repository that has never seen Ralph, on a machine with the usual programs and no agent but a fake claude."""
    for name in ("ralph.yml", "PROMPT.md", "agent.sh", ".gitignore"):
        (project.path / name).unlink()
    programs = project.path.parent / "bin"
    programs.mkdir()
    (programs / "claude").write_text(AGENT)
    (programs / "claude").chmod(0o755)
    project.env["PATH"] = f"{programs}:{project.env['PATH']}"
    project.write("Makefile", "test:\n\t@sh test.sh\n")
    project.commit()
    return project


def config(project: Project) -> dict[str, object]:
    found = yaml.safe_load((project.path / "ralph.yml").read_text())
    assert isinstance(found, dict)
    return found


def test_init_then_run_ends_verified(bare: Project) -> None:
    before = bare.user_state()
    done = bare.ralph("init")
    assert done.returncode == 0, done.stderr
    assert "Running make test ... fails today" in done.stdout
    assert "the answer is not 42" in done.stdout
    assert "Agent: claude, found on PATH" in done.stdout
    assert bare.user_state() == before
    assert config(bare)["gates"] == [{"name": "tests", "run": "make test"}]
    assert "the answer is not 42" in (bare.path / "ralph.yml").read_text()
    assert bare.ralph("validate").returncode == 0
    # What it says to do next is all there is to do.
    commands = done.stdout.split("Next:\n")[1].strip().splitlines()
    for command in commands[:-1]:
        assert bare.shell(command.strip()).returncode == 0, command
    assert commands[-1].strip() == 'ralph run -p "What to do"'
    run = bare.shell(commands[-1].strip())
    assert run.returncode == 0, run.stdout + run.stderr
    assert bare.end()["end"] == "completed-verified"


def test_init_says_what_it_did_as_json(bare: Project) -> None:
    done = bare.ralph("init", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["written"] == ["ralph.yml", ".ralph/schema.json", ".gitignore"]
    assert (found["agent"], found["kept"]) == ("claude", [])
    (gate,) = found["gates"]
    assert (gate["name"], gate["run"], gate["trial"]["how"]) == ("tests", "make test", "red")
    assert found["gitignore"] == [
        ".ralph/",
        ".ralph_state.md",
        ".ralph.lock",
        ".stop",
        "ralph.log",
        "ralph.log.1",
    ]
    schema = json.loads((bare.path / ".ralph/schema.json").read_text())
    assert "cli" in schema["properties"]


def test_flags_decide_in_place_of_what_is_found(bare: Project) -> None:
    done = bare.ralph(
        *(
            "init",
            "--yes",
            "--agent",
            "./my agent.sh".replace(" ", "-"),
            "--gate",
            "true",
            "--gate",
            "true #2",
        ),
        *("--no-gitignore", "--no-trial"),
    )
    assert done.returncode == 0, done.stderr
    found = config(bare)
    assert found["cli"]["command"] == ["./my-agent.sh"]  # type: ignore[index]
    assert found["gates"] == [{"name": "true", "run": "true"}, {"name": "true-2", "run": "true #2"}]
    assert not (bare.path / ".gitignore").exists()
    assert "(not tried)" in done.stdout


def test_no_gates_is_written_as_such(bare: Project) -> None:
    assert bare.ralph("init", "--no-gates").returncode == 0
    assert config(bare)["gates"] == "none"


@pytest.mark.parametrize("name", ["ralph.yml", "ralph.yaml"])
def test_nothing_is_overwritten_without_force(bare: Project, name: str) -> None:
    bare.write(name, "cli: {command: ./mine}\n")
    before = contents(bare.path)
    done = bare.ralph("init")
    assert done.returncode == 2
    assert f"{name}: is here already" in done.stderr and "--force" in done.stderr
    assert contents(bare.path) == before
    done = bare.ralph("init", "--force", "--no-trial")
    assert done.returncode == 0, done.stderr
    assert (bare.path / f"{name}.bak").read_text() == "cli: {command: ./mine}\n"
    assert f"The old file is kept as {name}.bak." in done.stdout
    assert not (bare.path / "ralph.yaml").exists(), "only one of them would be read"
    assert config(bare)["cli"]["backend"] == "claude"  # type: ignore[index]
    assert bare.ralph("init", "--force", "--no-trial").returncode == 0
    assert (bare.path / f"{name}.bak").read_text() == "cli: {command: ./mine}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--agent", "cladue"), "Did you mean claude"),
        (("--preset", "gatd"), "Did you mean gated"),
        (("--gate", "x", "--no-gates"), "contradicts"),
        (("--gate", " "), "must not be empty"),
        (("--trial-timeout", "0"), "--trial-timeout"),
        (("--trial-timeout", "nan"), "--trial-timeout"),
    ],
)
def test_misuse_changes_nothing(bare: Project, arguments: tuple[str, ...], says: str) -> None:
    before = contents(bare.path)
    done = bare.ralph("init", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert contents(bare.path) == before


def test_a_failure_while_writing_leaves_nothing(bare: Project) -> None:
    bare.write(".ralph", "a file where a folder should be\n")
    before = contents(bare.path)
    done = bare.ralph("init", "--no-trial")
    assert done.returncode == 2
    assert "Nothing was changed" in done.stderr
    assert contents(bare.path) == before


def test_without_an_agent_run_says_what_is_missing(bare: Project) -> None:
    programs = bare.path.parent / "bin"
    (programs / "claude").unlink()
    for name in ("git", "make", "sh", "cat"):  # and no agent that this machine may have
        (programs / name).symlink_to(str(shutil.which(name)))
    bare.env["PATH"] = str(programs)
    done = bare.ralph("init")
    assert done.returncode == 0, done.stderr
    assert f"none was found on PATH (looked for {agent_names()})" in done.stdout
    named = json.loads(bare.ralph("init", "--force", "--no-trial", "--json", "--agent", "claude").stdout)
    assert named["next"][0] == "install claude, which is not on PATH; `ralph doctor` looks for it"
    named = json.loads(bare.ralph("init", "--force", "--no-trial", "--json", "--agent", "./mine.sh").stdout)
    assert named["next"][0] == "make ./mine.sh: it is not there, or may not be executed"
    assert bare.ralph("init", "--force", "--no-trial").returncode == 0
    run = bare.ralph("run", "-p", "x", "--in-place")
    assert run.returncode == 2
    assert "there is no agent" in run.stderr and "cli.command" in run.stderr


def test_init_works_without_git(bare: Project, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "Makefile").write_text("test:\n\t@sh test.sh\n")
    (folder / "test.sh").write_text(CHECK)
    done = bare.ralph("init", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not (folder / ".gitignore").exists() and "git add" not in done.stdout
    run = bare.ralph("run", "-p", "x", cwd=folder)
    assert run.returncode == 0, run.stdout + run.stderr


def test_init_in_a_folder_below_the_root_stays_there(bare: Project) -> None:
    bare.write("api/go.mod", "module x\n")
    bare.write("api/Makefile", "test:\n\t@test -f go.mod\n")
    bare.commit()
    done = bare.ralph("init", cwd=bare.path / "api")
    assert done.returncode == 0, done.stderr
    assert "passes today" in done.stdout
    assert (bare.path / "api/ralph.yml").exists() and not (bare.path / "ralph.yml").exists()


def test_what_a_trial_writes_is_undone_and_allowed_from_then_on(bare: Project) -> None:
    bare.write("Makefile", "test:\n\t@sh test.sh; r=$$?; date +%N > report.txt; exit $$r\n")
    bare.commit()
    done = bare.ralph("init")
    assert "It wrote report.txt; that was undone" in done.stdout
    assert not (bare.path / "report.txt").exists()
    assert config(bare)["gates"] == [{"name": "tests", "run": "make test", "may_write": ["report.txt"]}]
    bare.commit()
    assert bare.ralph("run", "-p", "x").returncode == 0


def test_a_trial_without_end_is_ended_and_said(bare: Project) -> None:
    token = f"trial-{os.getpid()}-{bare.path.name}"
    done = bare.ralph("init", "--gate", f"sleep 1000 # {token}", "--trial-timeout", "1")
    assert done.returncode == 0, done.stderr
    assert "did not end within 1 s" in done.stdout
    assert not processes_with(token)


def test_gates_are_not_tried_under_the_hands_of_a_run(bare: Project) -> None:
    bare.write("agent.sh", '#!/bin/sh\ncat > /dev/null\ntouch "$HOME/began"\nsleep 1000\n', executable=True)
    bare.commit()
    process = bare.start("run", "-p", "x", "--no-gates", "--", "./agent.sh")
    try:
        until(lambda: bare.mark("began"), "the agent begins")
        done = bare.ralph("init")
        assert done.returncode == 0, done.stderr
        assert "A run is under way here" in done.stdout and "fails today" not in done.stdout
    finally:
        bare.ralph("cancel")
        process.wait(60)


# -- presets and skill ---------------------------------------------------------------------------------


def test_presets_are_listed_printed_and_used(bare: Project) -> None:
    listed = bare.ralph("presets")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == [
        *("plain", "gated", "micro", "task", "backlog"),
        *("plan-build-review", "tdd", "debug", "research", "board"),
    ]
    printed = bare.ralph("presets", "gated").stdout
    assert [gate["name"] for gate in yaml.safe_load(printed)["gates"]] == ["tests", "spec", "quality"]
    found = json.loads(bare.ralph("presets", "--json").stdout)
    assert found[1]["text"] == printed
    assert bare.ralph("presets", "nope").returncode == 2
    assert bare.ralph("init", "--preset", "gated", "--no-trial").returncode == 0
    assert [gate["name"] for gate in config(bare)["gates"]] == ["tests", "spec", "quality"]  # type: ignore[attr-defined]
    assert bare.ralph("validate").returncode == 0


def test_the_skill_alone_where_a_configuration_is(bare: Project) -> None:
    bare.write("ralph.yml", "cli: {command: ./mine}\n")
    done = bare.ralph("init", "--skill")
    assert done.returncode == 0, done.stderr
    assert (bare.path / "ralph.yml").read_text() == "cli: {command: ./mine}\n"
    places = [bare.path / folder / "skills/ralph-loop/SKILL.md" for folder in (".claude", ".agents")]
    assert all("completed-verified" in place.read_text() for place in places)
    assert not (bare.path / ".ralph").exists() and not (bare.path / ".gitignore").exists()
    assert "as they should be" in bare.ralph("init", "--skill").stdout
    places[1].write_text("mine")
    refused = bare.ralph("init", "--skill")
    assert refused.returncode == 2 and "--force" in refused.stderr
    assert places[1].read_text() == "mine"
    assert bare.ralph("init", "--skill", "--force").returncode == 0
    assert places[1].read_text() == places[0].read_text()
    assert places[1].with_name("SKILL.md.bak").read_text() == "mine"


def test_the_skill_comes_with_a_new_configuration(bare: Project) -> None:
    assert bare.ralph("init", "--skill", "--no-trial").returncode == 0
    assert (bare.path / "ralph.yml").exists()
    assert (bare.path / ".claude/skills/ralph-loop/SKILL.md").exists()


def test_what_init_wrote_is_committed_with_the_skill(bare: Project) -> None:
    """The configuration came first; the skill later. One line commits both, and a run can begin."""
    assert bare.ralph("init", "--no-trial").returncode == 0
    done = bare.ralph("init", "--skill")
    assert done.returncode == 0, done.stderr
    commit, run = [line.strip() for line in done.stdout.split("Next:\n")[1].strip().splitlines()]
    assert commit.startswith("git add ralph.yml .gitignore .claude/")
    assert bare.shell(commit).returncode == 0
    assert bare.git("status", "--porcelain") == ""
    assert bare.shell(run).returncode == 0


def test_what_the_user_changed_in_gitignore_is_left_to_them(bare: Project) -> None:
    assert bare.ralph("init", "--no-trial").returncode == 0
    with open(bare.path / ".gitignore", "a") as file:
        file.write("mine\n")
    assert "git add ralph.yml .claude/" in bare.ralph("init", "--skill").stdout


def test_a_gate_of_a_flag_that_cannot_be_run_is_written_and_said(bare: Project) -> None:
    done = bare.ralph("init", "--gate", "nosuchtool --all")
    assert done.returncode == 0, done.stderr
    assert config(bare)["gates"] == [{"name": "nosuchtool", "run": "nosuchtool --all"}]
    first = done.stdout.split("Next:\n")[1].splitlines()[0].strip()
    assert first.startswith("see to it that `nosuchtool --all` can be run: until then gate nosuchtool")


# -- on a terminal -------------------------------------------------------------------------------------


def test_a_terminal_is_asked_and_the_defaults_are_good(bare: Project) -> None:
    terminal = Terminal(bare, "init")
    terminal.await_text("Agent (a name, a command, or `none`) [claude]:")
    terminal.press("\n")
    terminal.await_text("1. make test  (Makefile has the target test)")
    terminal.await_text("Gates (numbers, a command of your own, or `none`) [1]:")
    terminal.press("\n")
    terminal.await_text("Have git ignore Ralph's own files (.gitignore)? [Y/n]:")
    terminal.press("\n")
    assert terminal.end() == 0
    assert config(bare)["gates"] == [{"name": "tests", "run": "make test"}]
    assert ".ralph/" in (bare.path / ".gitignore").read_text()


def test_a_terminals_answers_count(bare: Project) -> None:
    terminal = Terminal(bare, "init")
    terminal.await_text("[claude]:")
    terminal.press("cladue\n")
    terminal.await_text("Did you mean claude?")
    terminal.press("./other.sh\n")
    terminal.await_text("`none`) [1]:")
    terminal.press("7\n")
    terminal.await_text("There is no such number")
    terminal.press("sh test.sh\n")
    terminal.await_text("[Y/n]:")
    terminal.press("n\n")
    assert terminal.end() == 0
    found = config(bare)
    assert found["cli"]["command"] == ["./other.sh"]  # type: ignore[index]
    assert found["gates"] == [{"name": "test", "run": "sh test.sh"}]
    assert not (bare.path / ".gitignore").exists()


@pytest.mark.parametrize("keep", [False, True])
def test_a_command_that_cannot_be_run_is_asked_about(bare: Project, keep: bool) -> None:
    terminal = Terminal(bare, "init")
    terminal.await_text("[claude]:")
    terminal.press("\n")
    terminal.await_text("`none`) [1]:")
    terminal.press("nosuchtool\n")
    terminal.await_text("It cannot be run now. Write it as a gate all the same? [y/N]:")
    terminal.press("y\n" if keep else "\n")
    terminal.await_text("(.gitignore)? [Y/n]:")
    terminal.press("\n")
    assert terminal.end() == 0
    text = (bare.path / "ralph.yml").read_text()
    if keep:
        assert config(bare)["gates"] == [{"name": "nosuchtool", "run": "nosuchtool"}]
        assert "see to it that `nosuchtool` can be run" in terminal.shown
    else:
        assert "gates" not in config(bare) and "run: nosuchtool" in text
        assert "when `nosuchtool` can be run, make gate nosuchtool of its comment" in terminal.shown


def test_a_question_left_unanswered_writes_nothing(bare: Project) -> None:
    before = contents(bare.path)
    terminal = Terminal(bare, "init")
    terminal.await_text("[claude]:")
    terminal.press("\x03")
    assert terminal.end() == 130
    assert contents(bare.path) == before


def test_interrupting_a_trial_leaves_neither_process_nor_file(bare: Project) -> None:
    token = f"interrupted-{os.getpid()}-{bare.path.name}"
    terminal = Terminal(bare, "init", "--gate", f"touch $HOME/began; echo 1 > new; sleep 1000 # {token}")
    terminal.await_text("[claude]:")
    terminal.press("\n")
    until(lambda: bare.mark("began"), "the gate begins")
    until((bare.path / "new").exists, "the gate writes")
    terminal.press("\x03")
    assert terminal.end() == 130
    assert not processes_with(token)
    assert not (bare.path / "new").exists() and not (bare.path / "ralph.yml").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_during_a_trial_ends_it_after_everything_is_undone(
    bare: Project, number: signal.Signals
) -> None:
    token = f"signalled-{os.getpid()}-{bare.path.name}"
    gate = f"echo 1 > new; echo 2 >> test.sh; touch $HOME/began; sleep 1000 # {token}"
    before = {path: data for path, data in contents(bare.path).items() if not path.startswith(".git/")}
    init = bare.start("init", "--gate", gate)
    until(lambda: bare.mark("began"), "the gate has written")
    init.send_signal(number)
    assert init.wait(60) == -number
    assert not processes_with(token)
    after = {path: data for path, data in contents(bare.path).items() if not path.startswith(".git/")}
    assert after == before


def test_no_run_begins_while_gates_are_tried(bare: Project) -> None:
    init = bare.start("init", "--gate", "touch $HOME/began; until test -e $HOME/go; do sleep 0.02; done")
    until(lambda: bare.mark("began"), "the gate runs")
    run = bare.ralph("run", "-p", "x", "--no-gates", "--in-place", "--", "true")
    assert run.returncode == 2 and "another run is under way here" in run.stderr
    stop = bare.ralph("stop")
    assert stop.returncode == 2 and "`ralph init` tries the gates here" in stop.stderr
    assert "not running" in bare.ralph("status").stdout
    (Path(bare.env["HOME"]) / "go").touch()
    assert init.wait(60) == 0
    assert not (bare.path / ".ralph.lock").exists()


# -- real toolchains -----------------------------------------------------------------------------------


def sample(project: Project, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    (project.path / "Makefile").unlink()
    (project.path / "test.sh").unlink()
    for name, text in files.items():
        project.write(name, text)
    project.commit()
    # rustup and others live in the real home.
    env = {"HOME": os.environ.get("HOME", "/"), "GOFLAGS": "-mod=mod", "GOCACHE": project.env["HOME"] + "/go"}
    return project.ralph("init", "--json", env=env, timeout=300)


@pytest.mark.parametrize("passes", [True, False])
def test_a_node_project_with_npm(bare: Project, passes: bool) -> None:
    if not shutil.which("npm"):
        pytest.skip("npm is not here")
    done = sample(
        bare,
        {
            "package.json": '{"name": "x", "scripts": {"test": "node --test"}}',
            "a.test.js": f'require("node:test")("sum", () => require("node:assert").equal(1, {2 - passes}));\n',
        },
    )
    (gate,) = json.loads(done.stdout)["gates"]
    assert (gate["run"], gate["trial"]["how"]) == ("npm test", "green" if passes else "red")


def test_a_go_project(bare: Project) -> None:
    if not shutil.which("go"):
        pytest.skip("go is not here")
    done = sample(
        bare,
        {
            "go.mod": "module x\n",
            "a_test.go": 'package x\nimport "testing"\nfunc TestSum(t *testing.T) { t.Fatal("one is not two") }\n',
        },
    )
    (gate,) = json.loads(done.stdout)["gates"]
    assert (gate["run"], gate["trial"]["how"]) == ("go test ./...", "red")
    assert "one is not two" in gate["trial"]["headline"]


def test_a_rust_project(bare: Project) -> None:
    if not shutil.which("cargo") or subprocess.run(["cargo", "--version"], capture_output=True).returncode:
        pytest.skip("cargo is not here")
    done = sample(
        bare,
        {
            ".gitignore": "target/\n",
            "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "#[test]\nfn sum() { assert_eq!(1, 2); }\n",
        },
    )
    (gate,) = json.loads(done.stdout)["gates"]
    assert (gate["run"], gate["trial"]["how"]) == ("cargo test", "red")
    assert gate["trial"]["wrote"] == ["Cargo.lock"] == gate["trial"]["may_write"]


def test_a_python_project_with_unittest(bare: Project) -> None:
    done = sample(
        bare,
        {
            "sums.py": "def add(a, b):\n    return a - b\n",
            "tests/test_sums.py": (
                "import unittest\nimport sums\n\nclass T(unittest.TestCase):\n"
                "    def test_add(self):\n        self.assertEqual(sums.add(1, 2), 3)\n"
            ),
        },
    )
    (gate,) = json.loads(done.stdout)["gates"]
    assert (gate["run"], gate["trial"]["how"]) == ("python3 -m unittest discover -s tests", "red")
    assert "-1 != 3" in gate["trial"]["headline"]
