"""The real Claude Code and Codex call the tools of a `ralph serve` over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import clis
import pytest
from install import Installed

from model.serve import Model
from serving import serving

SECONDS = 180.0
CLIS = pytest.mark.parametrize("cli", ["claude", "codex"])
TASK = {"task": "Make the tests pass", "ralphPromise": "all tests pass", "ralphMaxIterations": 7}


def tool(name: str, **arguments: object) -> dict[str, object]:
    return {"mcp": {"server": "ralph", "tool": name, "arguments": arguments}}


@CLIS
def test_it_sends_a_task_and_finds_it(
    cli: str, program: Callable[[str], Installed], model: Model, tmp_path: Path
) -> None:
    found = program(cli)
    home = tmp_path / "home"
    work = tmp_path / "work"
    work.mkdir()
    with serving(tmp_path / "served") as served:
        model.add(
            "work",
            [tool("send-task", **TASK), tool("get-tasks", search="make the"), {"say": {"text": "Sent."}}],
        )
        web = {"ralph": clis.WebServer(f"{served.url}/mcp", served.token)}
        done = clis.run(
            clis.STARTS[cli](found, clis.Wanted(model.base("work"), home, web=web)), work, SECONDS
        )
        assert done.code == 0, done.stdout + done.stderr
        (task,) = served.ask("GET", "/api/tasks").json["tasks"]
    assert {name: task[name] for name in TASK} == TASK
    last = json.dumps(model.requests("work")[-1].body)
    assert last.count(task["id"]) >= 2, "both tools told the model of it"


@CLIS
def test_it_is_told_what_is_wrong_and_claims_its_task(
    cli: str, program: Callable[[str], Installed], model: Model, tmp_path: Path
) -> None:
    found = program(cli)
    work = tmp_path / "work"
    work.mkdir()
    with serving(tmp_path / "served") as served:
        id = served.ask("POST", "/api/tasks", TASK).json["id"]
        offer = {"offer": {"worker": "w"}, "key": "k"}
        epoch = served.ask("POST", "/api/claims", offer).json["task"]["epoch"]
        token = served.ask("POST", f"/api/tasks/{id}/run-token?epoch={epoch}&worker=w").json["token"]
        said = {"taskId": id, "summary": "all of it is done", "promiseEvidence": "make test passes"}
        steps = [
            tool("ralph-complete", **(said | {"summary": "short"})),
            tool("ralph-complete", **said),
            {"say": {"text": "Claimed."}},
        ]
        model.add("work", steps)
        web = {"ralph": clis.WebServer(f"{served.url}/mcp", token)}
        wanted = clis.Wanted(model.base("work"), tmp_path / "home", web=web)
        done = clis.run(clis.STARTS[cli](found, wanted), work, SECONDS)
        assert done.code == 0, done.stdout + done.stderr
        messages = served.ask("GET", f"/api/tasks/{id}/messages").json["messages"]
    assert [(one["kind"], json.loads(one["body"])["summary"]) for one in messages] == [
        ("complete", said["summary"])
    ]
    told = json.dumps(model.requests("work")[-1].body)
    assert "summary: " in told, "what is wrong with the first call"
    assert "the gates decide" in told
