"""Tokens: roles, limits, ends; and what a server without tokens keeps out."""

from __future__ import annotations

import sqlite3
import uuid
from pathlib import Path
from typing import Any

import pytest

from serving import Served, serving

TASK = {"task": "x", "ralphPromise": "y"}


def token(served: Served, role: str, name: str = "t", **limits: Any) -> str:
    made = served.ask("POST", "/api/tokens", {"name": name, "role": role, **limits})
    assert made.status == 201, made.body
    return str(made.json["secret"])


def claimed(served: Served, secret: str, worker: str, **offer: Any) -> Any:
    body = {"offer": {"worker": worker, **offer}, "key": str(uuid.uuid4())}
    return served.ask("POST", "/api/claims", body, token=secret)


def test_without_a_token_nothing_is_told(served: Served) -> None:
    for secret in ("", "ralph_admin_wrong", "\u00e9".encode("latin1").decode("latin1")):
        answer = served.ask("GET", "/api/tasks", token=secret)
        assert answer.status == 401
        assert answer.headers["www-authenticate"] == "Bearer"
    assert served.ask("GET", "/health", token="").status == 200
    assert served.ask("GET", "/ready", token="").status == 200


@pytest.mark.parametrize(
    ("role", "method", "path", "body", "status"),
    [
        ("read", "GET", "/api/tasks", None, 200),
        ("read", "POST", "/api/tasks", TASK, 403),
        ("read", "GET", "/api/tokens", None, 403),
        ("read", "GET", "/api/audit", None, 403),
        ("worker", "POST", "/api/tasks", TASK, 403),
        ("worker", "PUT", "/api/repositories/x", {"url": "https://x/y"}, 403),
        ("worker", "POST", "/api/tokens", {"name": "x", "role": "admin"}, 403),
        ("lander", "POST", "/api/tasks", TASK, 403),
        ("admin", "GET", "/api/tokens", None, 200),
    ],
)
def test_a_role_may_do_what_the_table_says(
    served: Served, role: str, method: str, path: str, body: Any, status: int
) -> None:
    assert served.ask(method, path, body, token=token(served, role)).status == status


def test_a_worker_speaks_only_for_itself(served: Served) -> None:
    secret = token(served, "worker", "build")
    assert claimed(served, secret, "build").status == 200
    assert claimed(served, secret, "build.host-1").status == 200
    for other in ("other", "builder", "", "build.\n", "a b", "x" * 200):
        assert claimed(served, secret, other).status == 403, other
    served.ask("POST", "/api/tasks", {**TASK, "labels": ["forge"]})
    task = claimed(served, served.token, "victim", labels=["forge"]).json["task"]
    beat = {"epoch": task["epoch"], "worker": "victim"}
    assert served.ask("POST", f"/api/tasks/{task['id']}/heartbeat", beat, token=secret).status == 403
    own = {"epoch": task["epoch"], "worker": "build"}
    assert served.ask("POST", f"/api/tasks/{task['id']}/heartbeat", own, token=secret).json["kind"] == "stale"


def test_a_worker_claims_only_within_the_limits_of_its_token(served: Served) -> None:
    for name in ("open", "secret"):
        assert served.ask("PUT", f"/api/repositories/{name}", {"url": f"https://x/{name}"}).status == 200
    hidden = served.ask("POST", "/api/tasks", {**TASK, "repository": "secret", "labels": ["lim"]}).json["id"]
    shown = served.ask("POST", "/api/tasks", {**TASK, "repository": "open", "labels": ["lim"]}).json["id"]
    secret = token(served, "worker", "lim", labels=["lim"], repositories=["open"])
    assert claimed(served, secret, "lim", labels=["lim", "more"]).status == 403
    assert claimed(served, secret, "lim", labels=["lim"], phase="land").status == 403
    assert claimed(served, secret, "lim", labels=["lim"]).json["task"]["id"] == shown
    assert claimed(served, secret, "lim", labels=["lim"], repositories=["secret"]).json == {}
    assert served.ask("GET", f"/api/tasks/{hidden}", token=secret).status == 404
    assert served.ask("GET", f"/api/tasks/{hidden}/facts", token=secret).status == 404
    listed = served.ask("GET", "/api/tasks?label=lim", token=secret).json["tasks"]
    assert [task["id"] for task in listed] == [shown]
    names = [one["name"] for one in served.ask("GET", "/api/repositories", token=secret).json["repositories"]]
    assert names == ["open"]


def test_the_token_of_a_run_sees_its_task_and_dies_with_the_claim(served: Served) -> None:
    served.ask("POST", "/api/tasks", {**TASK, "labels": ["run"]})
    other = served.ask("POST", "/api/tasks", TASK).json["id"]
    task = claimed(served, served.token, "w", labels=["run"]).json["task"]
    fence = f"epoch={task['epoch']}&worker=w"
    secret = served.ask("POST", f"/api/tasks/{task['id']}/run-token?{fence}").json["token"]
    assert served.ask("GET", f"/api/tasks/{task['id']}", token=secret).status == 200
    assert served.ask("GET", f"/api/tasks/{other}", token=secret).status == 404
    assert served.ask("POST", f"/api/tasks/{task['id']}/cancel", token=secret).status == 403
    assert served.ask("POST", "/api/claims", {}, token=secret).status == 403
    served.ask("POST", f"/api/tasks/{task['id']}/cancel")
    assert served.ask("GET", f"/api/tasks/{task['id']}", token=secret).status == 401
    assert served.ask("POST", f"/api/tasks/{task['id']}/run-token?{fence}").json["kind"] == "stale"


def test_a_revoked_token_is_worth_nothing(served: Served) -> None:
    made = served.ask("POST", "/api/tokens", {"name": "gone", "role": "read"}).json
    assert served.ask("GET", "/api/tasks", token=made["secret"]).status == 200
    revoked = served.ask("DELETE", f"/api/tokens/{made['token']['id']}").json
    assert not revoked["live"]
    assert served.ask("GET", "/api/tasks", token=made["secret"]).status == 401
    assert made["secret"] not in served.ask("GET", "/api/tokens").body.decode()


def test_what_people_change_is_in_the_audit_log(served: Served) -> None:
    secret = token(served, "admin", "eve")
    id = served.ask("POST", "/api/tasks", TASK, token=secret).json["id"]
    served.ask("POST", f"/api/tasks/{id}/cancel", token=secret)
    newest = served.ask("GET", "/api/audit?limit=2").json["records"]
    assert [(one["name"], one["action"], one["subject"]) for one in newest] == [
        ("eve", "cancel", id),
        ("eve", "create", id),
    ]


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c evil",
        "-u",
        "--upload-pack=x",
        "fd::7",
        "http://x/\ny",
        "relative/path",
        "git@-oProxy:x",
        "",
        "a\0b",
    ],
)
def test_an_address_that_would_run_a_program_is_no_repository(served: Served, url: str) -> None:
    assert served.ask("PUT", "/api/repositories/bad", {"url": url}).status == 422


@pytest.mark.parametrize("target", ["-x", "a..b", "a b", "a.lock", "/a", "a/", "a\nb", "@{u}"])
def test_a_target_is_the_name_of_a_branch(served: Served, target: str) -> None:
    answer = served.ask("PUT", "/api/repositories/bad", {"url": "https://x/y", "target": target})
    assert answer.status == 422


def test_without_tokens_pages_of_other_origins_are_kept_out(home: Path) -> None:
    with serving(home, "--no-auth") as served:
        assert served.token == ""
        assert served.ask("GET", "/api/tasks").status == 200
        assert served.ask("GET", "/api/tasks", Host="evil.example").status == 403
        assert served.ask("POST", "/api/tasks", TASK, Origin="https://evil.example").status == 403
        assert served.ask("POST", "/api/tasks", TASK, Origin="http://localhost:8080").status == 201
        assert served.ask("POST", "/api/tasks", b"{}", Content_Type="text/plain").status == 415


def test_no_secret_is_in_the_database(home: Path) -> None:
    with serving(home) as served:
        secret = token(served, "worker")
        first = served.token
        served.stop()
    file = home / ".local/share/ralph/server.db"
    assert file.stat().st_mode & 0o077 == 0
    stored = "\n".join(sqlite3.connect(file).iterdump())
    assert "ralph_worker_" not in stored
    assert first.rpartition("_")[2] not in stored
    assert secret.rpartition("_")[2] not in stored
