"""Promise: what is judged is what git records, because that is what lands. Nothing that only the agent's folder holds counts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from project import Project

AGENT = "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}\nevent_loop: {max_iterations: 4, crash_wait: 0}\n"
LOGS = "gates: [{name: logs, run: 'test -d logs || test ! -e app.txt'}]\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path / "home")


def backlog(project: Project, *tasks: str) -> None:
    lines = [f'{{"id": "{name}", "title": "{name}", "status": "pending"}}\n' for name in tasks]
    project.write("tasks.jsonl", "".join(lines))
    (project.path / "PROMPT.md").unlink()
    project.commit("tasks")


def checkouts(project: Project) -> list[Path]:
    """Whatever is left of the places in which gates ran."""
    return list(Path(project.env["HOME"]).glob(".local/state/ralph/workspaces/*/gate-*"))


def clone_of(project: Project, folder: Path) -> Path:
    subprocess.run(["git", "clone", "-q", project.path, folder], check=True, env=project.env)
    return folder


def test_an_empty_folder_that_git_does_not_record_does_not_land(project: Project, tmp_path: Path) -> None:
    project.config(AGENT + LOGS)
    project.agent("mkdir logs; echo 1 > app.txt; echo TASK_COMPLETE")
    backlog(project, "first", "second")
    done = project.ralph("run")
    assert done.returncode != 0, done.stdout
    fresh = clone_of(project, tmp_path / "clone")
    assert not (fresh / "app.txt").exists()
    assert not project.facts("landed")


def test_the_agent_is_told_what_git_does_not_record_and_can_put_it_right(project: Project) -> None:
    project.config(AGENT + LOGS)
    keep = 'test "$RALPH_ITERATION" = 1 || touch logs/.keep'
    project.agent(f"mkdir -p logs; {keep}; echo 1 > app.txt; echo TASK_COMPLETE")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout
    claims = [gate for gate in project.facts("gate.ended") if gate["purpose"] == "claim"]
    assert [(gate["passed"], gate["hermetic"]) for gate in claims][-1] == (True, True)
    assert claims[0]["unrecorded"] == ["logs/"]
    assert "clean checkout" in project.prompt() and "logs/" in project.prompt()
    assert not checkouts(project)


def test_an_ignored_file_counts_for_nothing(project: Project) -> None:
    project.write(".gitignore", (project.path / ".gitignore").read_text() + "answer\n")
    project.commit("ignore the answer")
    done = project.ralph("run", "--in-place")
    assert done.returncode != 0
    assert {gate["passed"] for gate in project.facts("gate.ended")} == {False}
    assert "answer" in project.prompt()


def test_in_place_the_folder_is_only_read(project: Project) -> None:
    """A gate that writes where it stands writes into the checkout."""
    project.write(
        "test.sh",
        f"echo here > trace; pwd > {project.env['HOME']}/where\n{(project.path / 'test.sh').read_text()}",
    )
    project.write(".gitignore", (project.path / ".gitignore").read_text() + "trace\n")
    project.commit("a gate that writes")
    assert project.ralph("run", "--in-place").returncode == 0
    assert not (project.path / "trace").exists()
    where = (Path(project.env["HOME"]) / "where").read_text().strip()
    assert where != str(project.path) and Path(where).name == "project"
    assert not Path(where).exists()


def test_a_checkout_is_a_repository_and_leads_to_nobodys_refs(project: Project) -> None:
    project.git("tag", "v1")
    project.git("remote", "add", "origin", str(project.path))
    asks = (
        "git ls-files | sort | tr '\\n' ' '; echo; git status --porcelain; git describe --tags; "
        "git diff --name-only v1; git log --oneline | wc -l; git branch --show-current; "
        "git remote; git push origin HEAD:refs/heads/stolen; git tag stolen; git update-ref refs/heads/main HEAD; "
    )
    project.write("test.sh", f"{{ {asks} }} > {project.env['HOME']}/said 2>&1\ntest -e answer\n")
    project.commit("ask git")
    project.git("tag", "-f", "v1")
    before = project.user_state()
    assert project.ralph("run", "--in-place").returncode == 0
    said = (Path(project.env["HOME"]) / "said").read_text().splitlines()
    assert "answer" in said[0].split() and "test.sh" in said[0].split()
    assert said[1].startswith("v1-1-g") and said[2] == "answer"
    assert said[3:5] == ["3", "main"]
    assert project.user_state() == before


def test_what_a_gate_does_to_its_checkout_is_gone_for_the_next(project: Project) -> None:
    """By the size and time of a file, by git's own index, by a folder that cannot be removed."""
    spoil = (
        "touch -r test.sh $HOME/stamp; sed -i s/42/41/ test.sh; touch -r $HOME/stamp test.sh; "
        "git update-index --assume-unchanged test.sh; mkdir -p junk/deep; touch junk/deep/file; chmod 500 junk/deep; "
        "rm -rf .git/objects; "
    )
    project.config(
        AGENT
        + f"gates:\n- {{name: spoils, run: '{spoil} true', may_write: true}}\n"
        + "- {name: tests, run: 'test ! -e junk && git fsck && sh test.sh'}\n"
    )
    project.commit("a gate that spoils")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout
    tests = [gate for gate in project.facts("gate.ended") if gate["gate"] == "tests"]
    assert [(gate["purpose"], gate["passed"]) for gate in tests] == [("base", False), ("claim", True)]


def test_a_gate_that_needs_unrecorded_files_is_judged_in_the_folder_and_every_verdict_says_so(
    project: Project,
) -> None:
    project.write(".gitignore", (project.path / ".gitignore").read_text() + "node_modules/\n")
    project.write("test.sh", "sh node_modules/check.sh\n")
    project.write("node_modules/check.sh", "test -e answer || { echo FAILED: no answer; exit 1; }\n")
    project.commit("needs modules")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 0
    gates = project.facts("gate.ended")
    assert [(gate["op"], gate.get("hermetic", False)) for gate in gates][:2] == [
        ("base:tests", True),
        ("base:tests:folder", False),
    ]
    assert all(gate.get("in_folder") for gate in gates[2:]) and len(gates) > 2
    assert "depends on files that git does not record" in project.end()["proof"]["tests"]
    assert "share: [node_modules]" in done.stdout + done.stderr


def test_a_shared_folder_is_in_the_checkout_and_nothing_is_compared(project: Project) -> None:
    project.write(".gitignore", (project.path / ".gitignore").read_text() + "node_modules/\n")
    project.write("test.sh", "sh node_modules/check.sh\n")
    project.write("node_modules/check.sh", "test -e answer || { echo FAILED: no answer; exit 1; }\n")
    project.config((project.path / "ralph.yml").read_text() + "share: [node_modules]\n")
    project.commit("shares modules")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout
    assert [gate["hermetic"] for gate in project.facts("gate.ended")] == [True, True]
    assert project.end()["proof"]["tests"] == "red→green"


def test_an_editable_install_in_a_shared_environment_leads_into_the_checkout(project: Project) -> None:
    project.write(".gitignore", (project.path / ".gitignore").read_text() + ".venv/\n")
    project.write("src/answer.py", "value = 41\n")
    place = ".venv/lib/site-packages/__editable__.answer.pth"
    project.write(place, f"{project.path}/src\n")
    project.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    to = f"{project.env['HOME']}/led"
    check = f'. "$(cat {place})/answer.py" 2>/dev/null; grep -q 42 "$(cat {place})/answer.py" && cat {place} > {to}'
    project.write("test.sh", check + "\n")
    project.config((project.path / "ralph.yml").read_text() + "share: [.venv]\n")
    project.agent("echo 'value = 42' > src/answer.py; echo TASK_COMPLETE")
    project.commit("editable")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout
    led = (Path(project.env["HOME"]) / "led").read_text().strip()
    assert "/gate-" in led and led.endswith("/project/src")


def test_who_says_hermetic_false_judges_the_folder(project: Project) -> None:
    project.config(AGENT + "gates: [{name: logs, run: 'test -d logs', hermetic: false}]\n")
    project.agent("mkdir logs; echo 1 > app.txt; echo TASK_COMPLETE")
    project.commit("in the folder")
    assert project.ralph("run", "--in-place").returncode == 0
    assert not any(gate.get("hermetic") for gate in project.facts("gate.ended"))


def test_only_a_pass_in_a_checkout_is_known_to_the_next_task(project: Project) -> None:
    project.agent('echo 42 > answer; echo "$RALPH_TASK" > "$RALPH_TASK.txt"; echo TASK_COMPLETE')
    backlog(project, "first", "second")
    assert project.ralph("run").returncode == 0
    known = [fact.get("known", []) for fact in project.facts("workspace.prepared")]
    assert [len(gates) for gates in known] == [0, 1]
    project.config(
        (project.path / "ralph.yml").read_text().replace("sh test.sh", "sh test.sh, hermetic: false")
    )
    (project.path / "tasks.jsonl").write_text(
        '{"id": "third", "title": "third", "status": "pending"}\n{"id": "fourth", "title": "fourth", "status": "pending"}\n'
    )
    project.commit("judge the folder")
    assert project.ralph("run").returncode == 0
    assert [len(fact.get("known", [])) for fact in project.facts("workspace.prepared")][2:] == [0, 0]


def test_a_run_that_was_killed_leaves_no_checkout_that_the_next_one_trusts(project: Project) -> None:
    place = Path(project.env["HOME"]) / ".local/state/ralph/workspaces"
    killed = project.ralph("run", "--in-place", env={"RALPH_FAULT": "kill@checkout.after#2"})
    assert killed.returncode == -9
    (left,) = checkouts(project)
    (left / "project" / "answer").write_text("42\n")
    (left / "project" / "test.sh").write_text("true\n")
    project.agent("echo 41 > answer; echo TASK_COMPLETE")
    assert project.ralph("resume").returncode != 0
    assert not checkouts(project) and not any(place.glob("*"))
    assert os.access(project.path / "answer", os.R_OK)


# -- hidden gates ----------------------------------------------------------------------------------------------------

HIDDEN = "gates:\n- {name: tests, run: ls | grep -q ans}\n- {name: hidden, run: sh hidden/check.sh, hidden: ../hidden}\n"
SECRET = 'echo "FAILED the secret is 42"; test "$(cat answer)" = 42\n'


def hidden_checks(project: Project, text: str = SECRET) -> Path:
    folder = project.path.parent / "hidden"
    folder.mkdir()
    (folder / "check.sh").write_text(text)
    project.config(AGENT + HIDDEN)
    return folder


def read_by_agents(project: Project) -> str:
    """Every prompt, and the state file."""
    state = project.path / ".ralph_state.md"
    prompts = [project.prompt(n) for n in range(len(project.facts("iteration.started")))]
    return "\n".join([*prompts, state.read_text() if state.exists() else ""])


def test_hidden_checks_decide_and_agents_learn_only_whether_they_passed(project: Project) -> None:
    hidden_checks(project)
    project.agent("ls -R . > $HOME/seen; echo $((39 + RALPH_ITERATION)) > answer; echo TASK_COMPLETE")
    project.commit("hidden")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout
    assert len(project.facts("iteration.started")) == 3
    told = read_by_agents(project)
    assert "the hidden checks failed" in told and "secret" not in told
    assert "check.sh" not in (Path(project.env["HOME"]) / "seen").read_text()
    ended = [gate for gate in project.facts("gate.ended") if gate["gate"] == "hidden"]
    assert "secret" not in str(ended)
    assert "secret" in (project.path / ".git/ralph" / ended[0]["output"]).read_text(), "a person finds it"
    assert not (project.path / "hidden").exists() and not checkouts(project)


def test_what_an_agent_plants_under_the_hidden_name_is_replaced(project: Project) -> None:
    hidden_checks(project)
    project.agent("echo 1 > answer; mkdir -p hidden; echo true > hidden/check.sh; echo TASK_COMPLETE")
    project.commit("hidden")
    assert project.ralph("run", "--in-place").returncode != 0
    last = [gate for gate in project.facts("gate.ended") if gate["gate"] == "hidden"][-1]
    assert not last["passed"] and not last.get("wrote")


def test_while_an_agent_works_no_checkout_holds_the_hidden_files(project: Project) -> None:
    hidden_checks(project)
    look = "find $HOME/.local/state/ralph -name check.sh >> $HOME/found"
    project.agent(f"{look}; echo $((40 + RALPH_ITERATION)) > answer; echo TASK_COMPLETE")
    project.commit("hidden")
    assert project.ralph("run", "--in-place").returncode == 0
    assert (Path(project.env["HOME"]) / "found").read_text() == ""


@pytest.mark.parametrize(
    ("place", "workspace", "says"),
    [
        ("hidden", "in-place", "the agent works in this folder"),
        ("hidden", "clone", "git records it"),
        ("../nowhere", "clone", "are not there"),
    ],
)
def test_hidden_files_that_agents_would_have_are_refused(
    project: Project, place: str, workspace: str, says: str
) -> None:
    project.write("hidden/check.sh", SECRET)
    project.config(AGENT + HIDDEN.replace("../hidden", place))
    project.commit("not hidden")
    done = project.ralph("run", "--workspace", workspace)
    assert done.returncode == 2, done.stdout
    assert says in done.stderr
    assert project.journaled("loop.started") == 0
