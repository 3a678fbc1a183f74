"""The words of the local commands, said about a server's task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from person import Person

from mcp_over_http import call
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.fleet.chain import number
from ralph.core.policy import Policy, Task
from remote_project import RemoteProject

# The first iteration waits until a file says that it may continue.
HELD = """\
iterations:
  - - write: {{path: greeting, text: "hello, world\\n"}}
    - run: touch {place}/begun; while ! test -e {place}/go; do sleep 0.05; done
    - say: {words}
  - - say: TASK_COMPLETE
"""
ASKS = """\
iterations:
  - - emit: {topic: human.interact, payload: "which world?"}
    - say: ITERATION_DONE
  - - write: {path: greeting, text: "hello, world\\n"}
    - say: TASK_COMPLETE
"""


@pytest.fixture
def remote(tmp_path: Path) -> RemoteProject:
    return RemoteProject(tmp_path / "remote.git")


def test_a_task_is_followed_and_looked_at_as_if_it_were_here(person: Person, remote: RemoteProject) -> None:
    id = person.sends(remote)
    waits = person.ralph("logs", "--task", id, "--server", person.served.url)
    assert waits.returncode == 2
    assert "has not begun: no worker was heard of" in waits.stderr
    person.works()
    followed = person.says("logs", "--follow", "--task", id[:8])
    red, claim = "FAILED: no greeting to the world\n", "TASK_COMPLETE\n"
    assert followed and (red + claim + red + claim).endswith(followed), "from where it was on, to the end"
    person.until(lambda: person.task(id)["status"] == "complete", "it is complete")
    status = person.says("status", "--task", id)
    assert status.startswith(f"complete, at {person.served.url}\n")
    assert "attempts    1 of 5 rejected" in status
    shown = json.loads(person.says("status", "--task", id, "--json"))
    assert (shown["task"]["attempts"], shown["loop"]["attempts"]) == (1, 1)
    assert person.says("logs", "1", "--gate", "tests", "--task", id) == "FAILED: no greeting to the world\n"
    assert "# Iteration 2 of 50" in person.says("logs", "2", "--prompt", "--task", id)
    assert person.says("events", "--task", id).count("iteration.ended") == 2
    elsewhere = person.ralph("logs", "2", "--diff", "--task", id, "--server", person.served.url)
    assert "it is in the task's savepoint at the server, and on no branch" in elsewhere.stderr
    report = person.says("report", "--task", id)
    assert "- Outcome: Done, and the gates prove it" in report
    assert f"`ralph report --task {id} --server {person.served.url}` shows what happened." in report
    whole = person.says("status")
    assert "workers     box is idle" in whole


def test_a_person_steers_a_task_from_afar(person: Person, remote: RemoteProject, tmp_path: Path) -> None:
    remote.commit({"agent.yml": HELD.format(place=tmp_path, words="ITERATION_DONE")})
    id = person.sends(remote)
    person.works()
    person.until((tmp_path / "begun").exists, "the first iteration has begun")
    assert (
        person.says("say", "mind the gap", "--task", id) == "Said. box hears it with its next sign of life.\n"
    )
    status = person.says("status", "--task", id)
    assert status.startswith(f"in_progress on box, at {person.served.url}\n")
    assert "now         iteration 1, for" in status
    person.says("pause", "--task", id)
    person.until(lambda: person.heard(id, "pause"), "the worker has heard it")
    (tmp_path / "go").touch()
    person.until(lambda: person.task(id)["worker"] is None, "it is given back")
    assert "lets it continue" in person.says("status", "--task", id)
    person.says("continue", "--task", id)
    person.until(lambda: person.task(id)["status"] == "complete", "it continues")
    assert "mind the gap" in person.says("logs", "2", "--prompt", "--task", id)
    assert "cannot be told" in person.ralph("stop", "--task", id, "--server", person.served.url).stderr


def test_a_question_is_answered_and_a_task_is_cancelled(person: Person, remote: RemoteProject) -> None:
    remote.commit({"agent.yml": ASKS})
    id = person.sends(remote)
    person.works()
    person.until(lambda: person.task(id)["status"] == "blocked", "it asks")
    assert 'Answer it: `ralph answer "..." --task' in person.says("status", "--task", id)
    assert person.says("answer", "this one", "--task", id).startswith("Answered. ")
    person.until(lambda: person.task(id)["status"] == "complete", "it continues with the answer")
    other = person.sends(remote, "--assign-to", "nobody")
    assert person.says("cancel", "--task", other) == f"{other} is cancelled.\n"


def test_a_task_that_ran_out_of_iterations_is_tried_again_with_more(
    person: Person, remote: RemoteProject
) -> None:
    id = person.sends(remote, "--max-iterations", "1")
    person.works()
    person.until(lambda: person.task(id)["status"] == "failed", "it fails at its limit")
    assert "limit" in person.task(id)["reason"]
    bad = person.ralph("retry", "--task", id, "--max-iterations", "2000", "--server", person.served.url)
    assert (bad.returncode, "maxIterations" in bad.stderr) == (2, True)
    again = person.says("retry", "--task", id, "--max-iterations", "3")
    assert again == f"{id} is pending: the next worker takes it up again.\n"
    person.until(lambda: person.task(id)["status"] == "complete", "it continues")
    task = person.task(id)
    assert (task["ralphMaxIterations"], task["ralphIterations"]) == (3, 2)


def test_ralph_complete_is_judged_by_the_gates_and_then_the_worker_is_idle(
    person: Person, remote: RemoteProject, tmp_path: Path
) -> None:
    remote.commit({"agent.yml": HELD.format(place=tmp_path, words="so it is")})
    id = person.sends(remote)
    person.works()
    person.until((tmp_path / "begun").exists, "the first iteration has begun")
    task = person.task(id)
    made = person.served.ask("POST", f"/api/tasks/{id}/run-token?epoch={task['epoch']}&worker=box").json
    said = {
        "summary": "it greets the world",
        "promiseEvidence": "sh test.sh passes",
        "artifactPaths": ["greeting"],
    }
    wrong, told = call(person.served, "ralph-complete", {"taskId": id, **said}, made["token"])
    assert not wrong, told
    (tmp_path / "go").touch()
    person.until(lambda: person.task(id)["status"] == "complete", "the gates decide")
    result = person.task(id)["result"]
    assert {name: result[name] for name in said} == said
    assert result["end"] == "completed-verified"
    assert person.task(id)["ralphIterations"] == 1
    box = person.served.ask("GET", "/api/workers/box").json
    assert (box["status"], box["tasks"]) == ("idle", [])
    asked = person.served.ask("GET", f"/api/tasks/{id}", token=made["token"])
    assert asked.status == 401, "the token died with the claim"


def test_what_a_forging_worker_says_shows_no_file_of_this_machine(person: Person, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("do not show this\n")
    id = person.says("send", "x", "--promise", "y").strip()
    offer: dict[str, Any] = {"offer": {"worker": "eve"}, "key": "k"}
    epoch = person.served.ask("POST", "/api/claims", offer).json["task"]["epoch"]
    loop = f.LoopStarted(loop="l", task=Task(id, "x"), policy=Policy(agent=AgentPolicy()), root="/w")
    begun = f.IterationStarted(serial=1, n=1, prompt=str(secret), prompt_chars=0, tree="")
    ended = f.IterationEnded(
        serial=1, n=1, how="exited", code=0, seconds=1, tree="t", output=str(secret), kept=(str(secret), "")
    )
    sent, chain = [], ""
    for n, fact in enumerate((loop, begun, ended), 1):
        sent.append(number(fact, n, chain, loop="l", at="2026-01-01T00:00:00.000Z"))
        chain = sent[-1].chain
    body = {"epoch": epoch, "worker": "eve", "facts": msgspec.to_builtins(sent)}
    answer = person.served.ask("POST", f"/api/tasks/{id}/facts", body)
    assert answer.status == 200, answer.body
    for words in (("logs", "1"), ("logs", "1", "--prompt"), ("logs", "1", "--raw"), ("report",)):
        done = person.ralph(*words, "--task", id, "--server", person.served.url)
        assert "do not show" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
