"""Every preset as a user takes it: `ralph init --preset NAME`, checked without a word of complaint, and run to its end by
the scripted agent."""

from __future__ import annotations

import json
import shlex
import sys
from typing import Any

import pytest
import yaml
from project import Project

from ralph.setup.presets import preset, presets

NAMES = [one.name for one in presets()]
WITH_HATS = [one.name for one in presets() if "\nhats:" in one.text]

# What each hat does, by the state of the files: the same steps each time it is on.
SCRIPTS = {
    "tdd": """
tester:
  - run: |
      if [ -e answer ]; then ralph emit LOOP_COMPLETE; else
      echo 'test -s answer' > test_more.sh; ralph emit test.written test_more; fi
coder: [{run: echo 41 > answer; ralph emit test.passes}]
tidier: [{run: test ! -e tidy || echo 42 > answer; touch tidy}]
""",
    "plan-build-review": """
planner: [{write: {path: .ralph/agent/plan.md, text: "- [ ] one\\n- [ ] two\\n"}}]
builder:
  - run: |
      case "$(head -c 5 .ralph/agent/plan.md)" in
      *x*) echo 42 > answer; echo b > two;; *) echo 42 > answer; echo a > one;; esac
      ralph emit step.built a-step
reviewer:
  - run: |
      if [ -e two ]; then ralph emit LOOP_COMPLETE
      elif [ -e seen ]; then sed -i '1s/ /x/2' .ralph/agent/plan.md; ralph emit step.approved
      else touch seen; ralph emit step.rejected 'one:1 is not it'; fi
""",
    "debug": """
reproducer: [{write: {path: test_bug.sh, text: "sh test.sh"}}, {emit: {topic: bug.reproduced, payload: sh test_bug.sh}}]
investigator: [{emit: {topic: cause.found, payload: "answer:1"}}]
fixer: [{run: 'if [ -e tried ]; then echo 42 > answer; else touch tried; ralph emit cause.rejected; fi'}]
verifier: [{emit: {topic: LOOP_COMPLETE}}]
""",
    "research": """
planner: [{write: {path: research/questions.md, text: "- [ ] Why?\\n"}}]
researcher:
  - run: |
      if [ -e research/findings.md ]; then ralph emit questions.done; else
      echo 'Because (test.sh:1).' > research/findings.md; ralph emit finding.added Why?; fi
checker: [{emit: {topic: question.open}}]
writer: [{write: {path: research/report.md, text: "Because.\\n"}}]
""",
    "board": """
proposer: [{run: 'set -- work/*; mkdir -p proposed; mv "$1" proposed/'}]
finisher: [{run: 'set -- proposed/*; mkdir -p done; echo 42 > answer; mv "$1" done/; ralph emit item.done'}]
""",
}
TURNS = {
    "tdd": ["tester", "coder", "tidier", "tidier", "tester"],  # the gate turned the first cycle down
    "plan-build-review": ["planner", "builder", "reviewer", "builder", "reviewer", "builder", "reviewer"],
    "debug": ["reproducer", "investigator", "fixer", "investigator", "fixer", "verifier"],
    "research": ["planner", "researcher", "checker", "researcher", "writer"],
    "board": ["proposer", "proposer", "finisher", "finisher"],
}


@pytest.fixture
def fresh(project: Project) -> Project:
    """A repository with tests, and no word of Ralph yet."""
    for name in ("ralph.yml", "PROMPT.md", "agent.sh"):
        (project.path / name).unlink()
    project.write("Makefile", "test:\n\t@sh test.sh\n")
    project.write("../script.yml", "iterations: [[{say: PASS}]]\n")
    project.commit()
    return project


def set_up(project: Project, name: str) -> dict[str, Any]:
    agent = shlex.join([sys.executable, "-m", "ralph.agents.scripted", str(project.path / "../script.yml")])
    done = project.ralph("init", "--preset", name, "--agent", agent, "--no-trial", "--json")
    assert done.returncode == 0, done.stderr
    project.commit("set up")
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_is_described_and_valid_with_nothing_to_complain_of(fresh: Project, name: str) -> None:
    assert len(preset(name).about) > 30 and preset(name).about.endswith(".")
    set_up(fresh, name)
    checked = json.loads(fresh.ralph("validate", "--json").stdout)
    assert (checked["errors"], checked["warnings"]) == ([], [])
    hats = json.loads(fresh.ralph("hats", "validate", "--json").stdout)
    assert (hats["valid"], hats["errors"], hats["warnings"]) == (True, [], [])
    config = yaml.safe_load((fresh.path / "ralph.yml").read_text())
    runs = [gate.get("run") for gate in config["gates"]]
    assert ("make test" in runs) == (name != "research")  # which writes no code
    if name in WITH_HATS:
        assert config["event_loop"]["enforce_hat_scope"] is True


@pytest.mark.parametrize("name", WITH_HATS)
def test_without_gates_a_preset_is_still_valid(fresh: Project, name: str) -> None:
    done = fresh.ralph("init", "--preset", name, "--agent", "sh x.sh", "--no-gates")
    assert done.returncode == 0, done.stderr
    checked = json.loads(fresh.ralph("validate", "--json").stdout)
    assert (checked["errors"], checked["warnings"]) == ([], [])


@pytest.mark.parametrize("name", WITH_HATS)
def test_hats_of_a_preset_take_their_turns_to_a_proven_end(fresh: Project, name: str) -> None:
    script = {"iterations": [[{"say": "PASS"}]], "hats": yaml.safe_load(SCRIPTS[name])}
    fresh.write("../script.yml", yaml.safe_dump(script))
    said = set_up(fresh, name)["next"]
    more = ("-p", "Get it done") if said[-1].endswith('-p "What to do"') else ("--in-place",)
    if name == "board":
        fresh.write("work/a.txt", "one\n")
        fresh.write("work/b.txt", "two\n")
        more = (*more, "--max-items", "2")
    done = fresh.ralph("run", "--no-tui", *more)
    assert done.returncode == 0, done.stdout + done.stderr
    started = fresh.facts("iteration.started")
    assert [fact["hat"] for fact in started] == TURNS[name]
    assert fresh.end()["end"] == "completed-verified"
    config = yaml.safe_load((fresh.path / "ralph.yml").read_text())
    told = {id: hat["instructions"].strip() for id, hat in config["hats"].items() if "instructions" in hat}
    for fact in started:
        prompt = (fresh.path / ".git/ralph/blobs" / fact["prompt"]).read_text()
        assert [id for id, text in told.items() if text in prompt] == [fact["hat"]]
    assert fresh.ralph("replay").returncode == 0


@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*WITH_HATS, "backlog")])
def test_a_preset_without_hats_ends_proven(fresh: Project, name: str) -> None:
    # A reviewer is the same program: it is asked after the iteration, which has written the answer.
    steps = 'if [ -n "$RALPH_GATE" ]; then echo PASS; else echo 42 > answer; echo TASK_COMPLETE; fi'
    fresh.write("../agent.sh", f"cat > /dev/null; {steps}\n")
    done = fresh.ralph("init", "--preset", name, "--agent", f"sh {fresh.path}/../agent.sh", "--no-trial")
    assert done.returncode == 0, done.stderr
    run = fresh.ralph("run", "--no-tui", "-p", "Get it done", "--criteria", "it is done")
    assert run.returncode == 0, run.stdout + run.stderr
    assert fresh.end()["end"] == "completed-verified"


def test_the_preset_task_carries_its_progress_in_the_seeds_place(fresh: Project) -> None:
    place = "thoughts/shared/ralph/t-1/progress.md"
    steps: list[list[dict[str, Any]]] = [
        [
            {"write": {"path": place, "text": "half of it"}},
            {"write": {"path": "half", "text": ""}},
            {"say": "ITERATION_DONE"},
        ],
        [{"write": {"path": "answer", "text": "42"}}, {"say": "TASK_COMPLETE"}],
    ]
    fresh.write("../script.yml", yaml.safe_dump({"iterations": steps}))
    set_up(fresh, "task")
    done = fresh.ralph("run", "--no-tui", "-p", "Get it done", "--task-id", "t-1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "half of it" in fresh.prompt(1) and place in fresh.prompt(0)


def test_the_preset_backlog_lands_its_tasks(fresh: Project) -> None:
    steps = 'if [ -n "$RALPH_GATE" ]; then echo PASS; else echo 42 > answer; echo TASK_COMPLETE; fi'
    fresh.write("../agent.sh", f"cat > /dev/null; {steps}\n")
    fresh.ralph("init", "--preset", "backlog", "--agent", f"sh {fresh.path}/../agent.sh", "--no-trial")
    fresh.commit("set up")
    for title in ("First", "Second"):
        assert fresh.ralph("task", "add", title).returncode == 0
    done = fresh.ralph("run", "--no-tui")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [end["end"] for end in fresh.facts("loop.ended")] == ["completed-verified"] * 2
    assert len(fresh.facts("landed")) == 2 and len(fresh.facts("run.reviewed")) == 1
    assert (fresh.path / "answer").read_text() == "42\n"
    assert fresh.ralph("replay").returncode == 0


def test_init_says_how_to_begin_with_a_preset(fresh: Project) -> None:
    assert set_up(fresh, "board")["next"][-2:] == [
        "put a file into work/ that says what to do",
        "ralph run --in-place",
    ]
    (fresh.path / "ralph.yml").unlink()
    assert set_up(fresh, "backlog")["next"][-2:] == ['ralph task add "What to do"', "ralph run"]
