"""The process: how it starts, what it refuses, how it ends; and two of them on one PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ralph.server.serve import ServeOptions, _listen
from serving import PATIENCE, RALPH, Served, serving

TASK = {"task": "x", "ralphPromise": "y"}


def refused(home: Path, *arguments: str) -> tuple[int, str]:
    home.mkdir(exist_ok=True)
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [RALPH, "serve", *arguments], env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    return done.returncode, done.stdout + done.stderr


def test_the_first_token_is_shown_once_and_tasks_stay(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as first:
        assert first.token.startswith("ralph_admin_")
        id = first.ask("POST", "/api/tasks", TASK).json["id"]
        assert first.stop() == 0
    with serving(tmp_path / "home") as second:
        assert second.token == ""
        assert second.ask("GET", f"/api/tasks/{id}", token=first.token).status == 200


def test_what_was_answered_is_there_after_a_kill(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as first:
        ids = [first.ask("POST", "/api/tasks", TASK).json["id"] for _ in range(5)]
        first.stop(signal.SIGKILL)
    with serving(tmp_path / "home") as second:
        found = second.ask("GET", "/api/tasks", token=first.token).json["tasks"]
        assert [task["id"] for task in found] == ids[::-1]


def test_a_second_server_on_the_same_file_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as first:
        code, said = refused(tmp_path / "home", "--port", "0")
        assert code == 2
        assert f"another server has this database open: pid {first.process.pid}" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--no-auth", "--host", "0.0.0.0"), "anyone who reaches it could run agents here"),
        (("--tls-cert", "x.pem"), "TLS needs both"),
        (("--tls-cert", "x.pem", "--tls-key", "y.pem"), "there is no such file"),
        (("--db", "postgresql://nobody@127.0.0.1:1/none", "--port", "0"), "PostgreSQL cannot be used"),
        (("--host", "192.0.2.1"), "cannot listen on 192.0.2.1:3013"),
    ],
)
def test_what_cannot_be_served_is_said(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    code, said = refused(tmp_path / "home", *arguments)
    assert code in (2, 70)
    assert words in said
    assert "Traceback" not in said


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, said = refused(tmp_path / "home", "--port", str(taken.getsockname()[1]))
    assert (code, "Address already in use" in said) == (2, True)
    assert "RALPH_SERVER_TOKEN" not in said


def test_it_ends_at_once_although_claims_and_listeners_wait(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served:
        wish = {"offer": {"worker": "w"}, "key": "k"}
        answers: list[Any] = []
        waiting = [
            threading.Thread(
                target=lambda: answers.append(served.ask("POST", "/api/claims?wait=30", wish)), daemon=True
            ),
            threading.Thread(target=lambda: answers.append(served.ask("GET", "/api/events")), daemon=True),
        ]
        for thread in waiting:
            thread.start()
        metrics = ""
        while not ("ralph_waiting_claims 1" in metrics and "ralph_listeners 1" in metrics):
            metrics = served.ask("GET", "/metrics").body.decode()
        assert served.stop() == 0
        for thread in waiting:
            thread.join(PATIENCE)
        assert [answer.status for answer in answers] == [200, 200]


def certificate(folder: Path) -> tuple[str, str]:
    folder.mkdir(exist_ok=True)
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
            ),
            *("-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"),
        ],
        check=True,
        capture_output=True,
    )
    return str(cert), str(key)


def test_its_own_worker_has_a_token_that_no_one_else_sees_and_the_admin_has_one(tmp_path: Path) -> None:
    """The worker's ends with the server, not before; the first admin's is shown all the same."""
    with serving(tmp_path / "home", "--worker") as served:
        assert served.token.startswith("ralph_admin_"), served.said
        ends = time.monotonic() + PATIENCE
        while (found := served.ask("GET", "/api/workers/local")).status != 200:
            assert time.monotonic() < ends
            time.sleep(0.05)
        assert found.json["status"] == "idle"
        assert [one["name"] for one in served.ask("GET", "/api/tokens").json["tokens"]] == ["admin"]
        assert served.stop() == 0
    with serving(tmp_path / "home", "--worker") as again:
        assert again.token == ""


def test_parts_of_an_answer_are_sent_at_once() -> None:
    """Else a second part waits 40 ms for the client's acknowledgement of the first."""

    async def is_undelayed() -> bool:
        listening = _listen(ServeOptions(port=0))
        found = asyncio.get_running_loop().create_future()

        async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            found.set_result(
                writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            )
            writer.close()

        async with await asyncio.start_server(accept, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            undelayed = await found
            writer.close()
        return bool(undelayed)

    assert asyncio.run(is_undelayed())


def test_tls_is_served_where_it_is_asked_for(tmp_path: Path) -> None:
    import ssl
    import urllib.request

    cert, key = certificate(tmp_path / "tls")
    with serving(tmp_path / "home", "--tls-cert", cert, "--tls-key", key) as served:
        context = ssl.create_default_context(cafile=cert)
        context.check_hostname = False
        with urllib.request.urlopen(f"https://{served.host}:{served.port}/health", context=context) as answer:
            assert answer.status == 200


# -- PostgreSQL ------------------------------------------------------------------------------------------------


def until(served: Served, text: str) -> None:
    while text not in served.ask("GET", "/metrics").body.decode():
        time.sleep(0.02)


def test_two_processes_on_one_database_are_one_server(tmp_path: Path, database: str) -> None:
    with (
        serving(tmp_path / "one", "--db", database) as one,
        serving(tmp_path / "two", "--db", database) as two,
    ):
        two.token = one.token
        assert one.token
        wish = {"offer": {"worker": "w"}, "key": "k"}
        answers: list[Any] = []
        thread = threading.Thread(
            target=lambda: answers.append(two.ask("POST", "/api/claims?wait=30", wish)), daemon=True
        )
        thread.start()
        until(two, "ralph_waiting_claims 1")
        id = one.ask("POST", "/api/tasks", TASK, Idempotency_Key="k").json["id"]
        thread.join(PATIENCE)
        assert answers[0].json["task"]["id"] == id, "what the one creates wakes who waits at the other"
        again = two.ask("POST", "/api/tasks", TASK, Idempotency_Key="k")
        assert again.json["id"] == id
        epoch = answers[0].json["task"]["epoch"]
        one.ask("POST", f"/api/tasks/{id}/cancel")
        stale = two.ask("POST", f"/api/tasks/{id}/heartbeat", {"epoch": epoch, "worker": "w"})
        assert stale.json["kind"] == "stale"


def test_a_server_whose_database_is_away_says_so_and_comes_back(tmp_path: Path, database: str) -> None:
    import psycopg

    with serving(tmp_path / "home", "--db", database) as served:
        name = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
        away = database.replace(f"/{name}", "/postgres")
        with psycopg.connect(away, autocommit=True) as control:
            control.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
            control.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
            )
            ready = served.ask("GET", "/ready")
            assert (ready.status, ready.headers["retry-after"]) == (503, "2")
            assert served.ask("GET", "/health").status == 200
            control.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())
        while served.ask("GET", "/ready").status != 200:
            time.sleep(0.1)
        assert served.ask("POST", "/api/tasks", TASK).status == 201
