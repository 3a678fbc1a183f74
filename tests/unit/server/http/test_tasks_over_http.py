"""Tasks over HTTP, asked of a real server process."""

from __future__ import annotations

import json
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest

from serving import Served, serving

TASK = {"task": "Make it pass\nquickly", "ralphPromise": "it passes"}


def create(served: Served, **fields: Any) -> dict[str, Any]:
    answer = served.ask("POST", "/api/tasks", {**TASK, **fields})
    assert answer.status == 201, answer.body
    return answer.json  # type: ignore[no-any-return]


def test_the_seeds_curl_creates_a_task_on_a_server_without_tokens(home: Path) -> None:
    with serving(home, "--no-auth") as served:
        curl = f"""
        curl -s -w '%{{http_code}}' -X POST http://localhost:{served.port}/api/tasks \\
     -H "Content-Type: application/json" \\
     -d '{{
       "task": "Create hello.ts that outputs Hello World",
       "taskType": "ralph",
       "ralphPromise": "hello.ts exists and outputs Hello World when run"
     }}'"""
        done = subprocess.run(["sh", "-c", curl], capture_output=True, text=True)
    assert done.stdout.endswith("201")
    task = json.loads(done.stdout[:-3])
    assert task["ralphMaxIterations"] == 50
    assert task["ralphIterations"] == 0
    assert task["status"] == "pending"
    assert task["title"] == "Create hello.ts that outputs Hello World"
    assert uuid.UUID(task["id"])


def test_a_task_is_shown_as_it_was_created(served: Served) -> None:
    made = create(
        served, priority=1, tags=["a"], labels=["gpu"], ralphPlanPath="plans/x.md", ralphMaxIterations=7
    )
    shown = served.ask("GET", f"/api/tasks/{made['id']}")
    assert shown.json == made
    assert made["title"] == "Make it pass"
    assert (made["ralphPlanPath"], made["ralphMaxIterations"], made["labels"]) == ("plans/x.md", 7, ["gpu"])
    assert made["createdAt"].endswith("Z")


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"task": "x"}, 422, "ralphPromise"),
        ({"ralphPromise": "x"}, 422, "task"),
        ({**TASK, "task": " \n"}, 422, "task"),
        ({**TASK, "taskType": "x" * 51}, 422, "taskType"),
        ({**TASK, "ralphMaxIterations": 0}, 422, "ralphMaxIterations"),
        ({**TASK, "ralphMaxIterations": 10**30}, 422, "ralphMaxIterations"),
        ({**TASK, "id": "00000000-0000-0000-0000-000000000000\n"}, 422, "id"),
        ({**TASK, "ralphMaxIterations": "5"}, 422, "ralphMaxIterations"),
        ({**TASK, "ralphPlanPath": "../x"}, 422, "ralphPlanPath"),
        ({**TASK, "ralphPlanPath": "/x"}, 422, "ralphPlanPath"),
        ({**TASK, "priorty": 1}, 422, "priorty"),
        ({**TASK, "target": "main"}, 422, "target"),
        ({**TASK, "repository": "nowhere"}, 404, "repository"),
        ({**TASK, "dependencies": [str(uuid.UUID(int=7))]}, 404, "dependencies"),
        ([TASK], 422, ""),
        (b"{", 400, ""),
        (b'{"task": "\\ud800"}', 400, ""),
        (b"[" * 100_000, 400, ""),
        (b"x" * 9_000_000, 413, ""),
    ],
)
def test_a_wrong_task_is_refused_and_its_field_named(
    served: Served, body: Any, status: int, field: str
) -> None:
    sent = json.dumps(body).encode() if not isinstance(body, bytes) else body
    answer = served.ask("POST", "/api/tasks", sent, Content_Type="application/json")
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json.get("field", "") == field
    assert answer.json["detail"]


def test_another_kind_of_task_needs_no_promise(served: Served) -> None:
    assert create(served, taskType="chore", ralphPromise="")["ralphPromise"] is None


def test_only_json_is_read(served: Served) -> None:
    answer = served.ask("POST", "/api/tasks", b"{}", Content_Type="text/plain")
    assert answer.status == 415


def test_the_same_key_creates_one_task(served: Served) -> None:
    one, two = (served.ask("POST", "/api/tasks", TASK, Idempotency_Key="k1") for _ in range(2))
    assert one.status == two.status == 201
    assert one.json == two.json
    other = served.ask("POST", "/api/tasks", {**TASK, "title": "other"}, Idempotency_Key="k1")
    assert (other.status, other.json["kind"]) == (409, "used")


def test_many_tasks_are_created_together_or_not_at_all(served: Served) -> None:
    first, second = str(uuid.uuid4()), str(uuid.uuid4())
    pair = [{**TASK, "id": first, "dependencies": [second]}, {**TASK, "id": second}]
    made = served.ask("POST", "/api/tasks/batch", {"tasks": pair})
    assert made.status == 201, made.body
    assert [task["id"] for task in made.json] == [first, second]
    third = str(uuid.uuid4())
    ring = [{**TASK, "id": third, "dependencies": [third]}]
    refused = served.ask("POST", "/api/tasks/batch", {"tasks": [{**TASK, "title": "left out"}, *ring]})
    assert (refused.status, refused.json["field"]) == (422, "dependencies")
    assert served.ask("GET", "/api/tasks?search=left%20out").json["tasks"] == []


def test_pages_stay_as_they_are_while_tasks_come(served: Served) -> None:
    ids = [create(served, tags=["paged"])["id"] for _ in range(5)]
    first = served.ask("GET", "/api/tasks?tag=paged&limit=2").json
    create(served, tags=["paged"])
    second = served.ask("GET", f"/api/tasks?tag=paged&limit=2&after={first['next']}").json
    third = served.ask("GET", f"/api/tasks?tag=paged&limit=2&after={second['next']}").json
    found = [task["id"] for page in (first, second, third) for task in page["tasks"]]
    assert found == ids[::-1]
    assert third["next"] is None


def test_a_list_is_narrowed_by_what_is_asked(served: Served) -> None:
    wanted = create(served, title="Needle 50%", labels=["rare"], assignTo="w9")["id"]
    for query in ("search=needle", "search=50%25", "label=rare", "assignTo=w9", f"search={wanted[:13]}"):
        found = served.ask("GET", f"/api/tasks?status=pending&status=failed&{query}").json["tasks"]
        assert [task["id"] for task in found] == [wanted], query
    assert served.ask("GET", "/api/tasks?search=needle&status=complete").json["tasks"] == []
    wrong = served.ask("GET", "/api/tasks?stauts=complete")
    assert (wrong.status, wrong.json["field"]) == (422, "stauts")


def test_a_task_moves_only_as_the_table_says(served: Served) -> None:
    id = create(served)["id"]
    changed = served.ask("PATCH", f"/api/tasks/{id}", {"priority": 0, "title": "now"})
    assert (changed.json["priority"], changed.json["title"]) == (0, "now")
    assert served.ask("POST", f"/api/tasks/{id}/retry", {}).status == 409
    assert served.ask("POST", f"/api/tasks/{id}/cancel").json["status"] == "cancelled"
    assert served.ask("POST", f"/api/tasks/{id}/cancel").status == 200, "it is cancelled, as wanted"
    again = served.ask("POST", f"/api/tasks/{id}/retry", {"from": "start"})
    assert again.status == 409
    assert "possible: nothing" in again.json["detail"]
    fixed = served.ask("PATCH", f"/api/tasks/{id}", {"task": "other"})
    assert (fixed.status, fixed.json["field"]) == (409, "task")


def test_what_depends_on_a_cancelled_task_is_blocked_and_says_why(served: Served) -> None:
    need = create(served)["id"]
    waits = create(served, dependencies=[need])["id"]
    why = served.ask("GET", f"/api/tasks/{waits}/why").json
    assert not why["ready"]
    assert need in why["reasons"][0]
    served.ask("POST", f"/api/tasks/{need}/cancel")
    shown = served.ask("GET", f"/api/tasks/{waits}").json
    assert shown["status"] == "blocked"
    assert need in shown["reason"]


def test_a_pause_holds_a_task_back_until_it_is_continued(served: Served) -> None:
    id = create(served)["id"]
    assert served.ask("POST", f"/api/tasks/{id}/messages", {"kind": "pause"}).status == 200
    assert served.ask("GET", f"/api/tasks/{id}/why").json["reasons"] == ["pause: admin"]
    said = served.ask("POST", f"/api/tasks/{id}/messages", {"kind": "say", "text": "be quick"})
    assert said.status == 200
    kinds = [m["kind"] for m in served.ask("GET", f"/api/tasks/{id}/messages").json["messages"]]
    assert kinds == ["pause", "say"]
    assert served.ask("GET", f"/api/tasks/{id}/why").json["ready"]


@pytest.mark.parametrize("id", ["nope", "..", "%00", "a%2Fb", "x" * 5000, "%F0%9F%98%80"])
def test_a_task_that_is_not_there_is_not_found(served: Served, id: str) -> None:
    answer = served.ask("GET", f"/api/tasks/{id}")
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_path_or_method_that_is_not_there_is_said_as_a_problem(served: Served) -> None:
    assert served.ask("GET", "/api/nope").json["status"] == 404
    answer = served.ask("DELETE", "/api/tasks")
    assert answer.status == 405
    assert "POST" in answer.headers["allow"]
