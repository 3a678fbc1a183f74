"""What changes, as server-sent events."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from serving import PATIENCE, Served

TASK = {"task": "x", "ralphPromise": "y"}


class Stream:
    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.answer = answer

    def next(self) -> tuple[int, str, dict[str, Any]]:
        """The number, the kind and what is told; notes that keep the connection alive are passed over."""
        fields: dict[str, str] = {}
        while line := self.answer.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if name in ("id", "event", "data"):
                fields[name] = value
            elif not line.strip() and "data" in fields:
                return int(fields["id"]), fields["event"], json.loads(fields["data"])
        raise AssertionError("the stream is over")


@contextmanager
def listening(served: Served, query: str = "", **headers: str) -> Iterator[Stream]:
    connection = http.client.HTTPConnection(served.host, served.port, timeout=PATIENCE)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(
        "GET", f"/api/events{query}", headers={"Authorization": f"Bearer {served.token}", **sent}
    )
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.readline().startswith(b": from ")
    yield Stream(answer)
    connection.close()


def create(served: Served) -> str:
    return str(served.ask("POST", "/api/tasks", TASK).json["id"])


def test_who_listens_hears_of_each_change_in_order(served: Served) -> None:
    with listening(served) as stream:
        id = create(served)
        served.ask("POST", f"/api/tasks/{id}/cancel")
        first, second = stream.next(), stream.next()
    assert [(kind, told["task"]) for _, kind, told in (first, second)] == [("created", id), ("cancelled", id)]
    assert second[0] > first[0]


def test_who_comes_back_misses_nothing_and_hears_nothing_twice(served: Served) -> None:
    with listening(served) as stream:
        first = create(served)
        number = stream.next()[0]
    missed = create(served)
    with listening(served, Last_Event_ID=str(number)) as stream:
        later = create(served)
        assert [stream.next()[2]["task"] for _ in range(2)] == [missed, later]
    assert first != missed


def test_a_list_and_the_events_after_its_cursor_are_everything(served: Served) -> None:
    before = create(served)
    page = served.ask("GET", "/api/tasks?limit=500").json
    after = create(served)
    with listening(served, f"?after={page['cursor']}") as stream:
        assert stream.next()[2]["task"] == after
    assert before in [task["id"] for task in page["tasks"]]


def test_only_what_concerns_a_task_is_told_when_that_is_asked(served: Served) -> None:
    id = create(served)
    with listening(served, f"?after=0&task={id}") as stream:
        assert stream.next()[1:] == ("created", {"task": id, "kind": "created"})
        create(served)
        served.ask("POST", f"/api/tasks/{id}/cancel")
        assert stream.next()[1] == "cancelled"


def test_a_number_that_was_never_given_begins_anew(served: Served) -> None:
    with listening(served, "?after=4000000000") as stream:
        number, kind, _ = stream.next()
        assert kind == "reset"
        create(served)
        assert stream.next()[0] == number + 1
