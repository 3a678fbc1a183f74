"""Claims and what workers send, asked of a real server process."""

from __future__ import annotations

import hashlib
import threading
import uuid
from collections.abc import Callable
from typing import Any

from serving import Answered, Served

LONG = 20  # seconds that a claim may wait; no test waits for it to be over


def label() -> str:
    """Of one test alone: no other claims its tasks."""
    return f"only-{uuid.uuid4()}"


def create(served: Served, mark: str, **fields: Any) -> str:
    body = {"task": "x", "ralphPromise": "y", "labels": [mark], **fields}
    answer = served.ask("POST", "/api/tasks", body)
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


def claim(served: Served, mark: str, worker: str = "w1", *, wait: int = 0, **more: Any) -> Answered:
    body = {"offer": {"worker": worker, "labels": [mark]}, "key": str(uuid.uuid4()), **more}
    return served.ask("POST", f"/api/claims?wait={wait}", body)


def in_background(work: Callable[[], Any]) -> Callable[[], Any]:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()

    def result() -> Any:
        thread.join(60)
        return results[0]

    return result


def test_a_claim_is_repeated_by_its_key_and_others_get_nothing(served: Served) -> None:
    mark = label()
    id = create(served, mark)
    body = {"offer": {"worker": "w1", "labels": [mark]}, "key": "k1"}
    one, again = (served.ask("POST", "/api/claims", body).json for _ in range(2))
    assert one["task"]["id"] == id
    assert again["task"]["epoch"] == one["task"]["epoch"]
    assert claim(served, mark, "w2").json == {}
    shown = served.ask("GET", f"/api/tasks/{id}").json
    assert (shown["status"], shown["worker"]) == ("in_progress", "w1")


def test_a_claim_waits_until_there_is_a_task_for_it(served: Served) -> None:
    mark, other = label(), label()
    elsewhere = in_background(lambda: claim(served, other, "w2", wait=2))
    waiting = in_background(lambda: claim(served, mark, wait=LONG))
    while "ralph_waiting_claims 2" not in served.ask("GET", "/metrics").body.decode():
        pass
    id = create(served, mark)
    assert waiting().json["task"]["id"] == id
    assert elsewhere().json == {}, "a task of others wakes no one"


def test_one_new_task_goes_to_one_of_many_who_wait(served: Served) -> None:
    mark = label()
    waiting = [in_background(lambda n=n: claim(served, mark, f"w{n}", wait=LONG)) for n in range(3)]
    while "ralph_waiting_claims 3" not in served.ask("GET", "/metrics").body.decode():
        pass
    ids = {create(served, mark) for _ in range(3)}
    assert {one().json["task"]["id"] for one in waiting} == ids


def test_a_heartbeat_of_a_lost_claim_is_refused(served: Served) -> None:
    mark = label()
    id = create(served, mark)
    epoch = claim(served, mark).json["task"]["epoch"]
    beat = {"epoch": epoch, "worker": "w1"}
    assert served.ask("POST", f"/api/tasks/{id}/heartbeat", beat).json["lease_seconds"] == 120
    served.ask("POST", f"/api/tasks/{id}/messages", {"kind": "say", "text": "hello"})
    heard = served.ask("POST", f"/api/tasks/{id}/heartbeat", beat).json["messages"]
    assert [message["body"] for message in heard] == ["hello"]
    served.ask("POST", f"/api/tasks/{id}/cancel")
    stale = served.ask("POST", f"/api/tasks/{id}/heartbeat", beat)
    assert (stale.status, stale.json["kind"]) == (409, "stale")
    wrong = served.ask("POST", f"/api/tasks/{id}/heartbeat", {**beat, "epoch": 2**70})
    assert wrong.status == 422


def test_content_is_stored_under_its_own_hash_by_who_holds_the_task(served: Served) -> None:
    mark = label()
    id = create(served, mark)
    epoch = claim(served, mark).json["task"]["epoch"]
    body = b"\0" * 100_000
    hash = hashlib.sha256(body).hexdigest()
    place = f"/api/tasks/{id}/blobs/{hash}"
    assert served.ask("PUT", f"{place}?epoch={epoch}&worker=w1", body).status == 200
    assert served.ask("GET", f"/api/blobs/{hash}").body == body
    assert served.ask("PUT", f"{place}?epoch={epoch}&worker=w1", b"other").status == 422
    assert served.ask("PUT", f"{place}?epoch={epoch - 1}&worker=w1", body).json["kind"] == "stale"
    assert served.ask("GET", f"/api/blobs/{'0' * 64}").status == 404


def test_a_task_that_is_given_back_is_claimed_again(served: Served) -> None:
    mark = label()
    id = create(served, mark, assignTo="")
    epoch = claim(served, mark).json["task"]["epoch"]
    release = {"epoch": epoch, "worker": "w1", "park_seconds": 0, "text": "no disk"}
    assert served.ask("POST", f"/api/tasks/{id}/release", release).status == 200
    again = claim(served, mark).json["task"]
    assert (again["id"], again["epoch"] > epoch) == (id, True)


def test_people_see_what_workers_do_and_tell_them(served: Served) -> None:
    mark, worker = label(), f"w-{uuid.uuid4()}"
    registered = served.ask(
        "POST", "/api/workers", {"name": worker, "labels": [mark], "version": "1.2", "concurrency": 2}
    )
    assert registered.json["worker"]["status"] == "idle"
    assert registered.json["leaseSeconds"] == 120
    assert served.ask("GET", f"/api/workers/{worker}/task").json == {"task": None}
    first = create(served, mark)
    assert claim(served, mark, worker).json["task"]["id"] == first
    shown = served.ask("GET", f"/api/workers/{worker}").json
    assert (shown["status"], shown["tasks"]) == ("busy", [first])
    assert served.ask("GET", f"/api/workers/{worker}/task").json["task"]["id"] == first
    second = create(served, mark)
    assert (
        served.ask("POST", f"/api/workers/{worker}/orders", {"orders": "cordon"}).json["orders"] == "cordon"
    )
    assert claim(served, mark, worker).json == {}
    assert served.ask("GET", f"/api/tasks/{second}/why").json["reasons"] == [f"{worker}: cordon"]
    served.ask("POST", f"/api/workers/{worker}/orders", {"orders": "drain"})
    assert claim(served, mark, worker, wait=LONG).json == {"drain": True}
    served.ask("POST", f"/api/workers/{worker}/orders", {"orders": ""})
    assert claim(served, mark, worker).json["task"]["id"] == second


def test_why_says_what_no_worker_has(served: Served) -> None:
    id = create(served, label())
    served.ask("POST", "/api/workers", {"name": "plain"})
    assert "no worker serves it (label only-" in served.ask("GET", f"/api/tasks/{id}/why").json["reasons"][0]


def test_figures_are_in_the_format_of_prometheus(served: Served) -> None:
    create(served, label())
    text = served.ask("GET", "/metrics").body.decode()
    names = {line.split("{")[0].split(" ")[0] for line in text.splitlines() if not line.startswith("#")}
    for name in (
        "tasks",
        "oldest_ready_seconds",
        "parked_tasks",
        "deaths",
        "outbox_age_seconds",
        "expiries_total",
    ):
        assert f"ralph_{name}" in names
    assert 'ralph_tasks{status="pending",phase="work"}' in text
