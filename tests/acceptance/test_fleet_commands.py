"""What a person types at a server: login, token, send, server check."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from person import Person

from remote_project import RemoteProject
from serving import PATIENCE, RALPH, serving


def test_a_sent_task_is_waited_for_until_it_is_proven(person: Person, tmp_path: Path) -> None:
    remote = RemoteProject(tmp_path / "remote.git")
    registered = person.ralph("server", "register", "app", str(remote.path))
    assert registered.stdout == f"app: {remote.path}\n", registered.stderr
    secret = person.ralph("token", "add", "box", "--role", "worker").stdout.strip()
    environment = {"HOME": str(person.home), "PATH": os.environ["PATH"], "RALPH_SERVER_TOKEN": secret}
    command = [RALPH, "worker", "--server", person.served.url, "--name", "box", "--once"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as worker:
        sent = person.ralph("send", "Greet", "--promise", "greeted", "--repository", "app", "--wait")
        assert worker.wait(PATIENCE) == 0
    assert sent.returncode == 0, sent.stdout + sent.stderr
    assert sent.stdout.splitlines()[-1] == "  complete: proven: tests red→green"
    checked = person.ralph("server", "check")
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.startswith("1 task, ") and checked.stdout.endswith(": sound\n")
    assert person.served.stop() == 0
    assert person.ralph("server", "check").stdout == checked.stdout, "with a server or without"


def test_a_login_is_kept_where_only_its_owner_reads_it(person: Person) -> None:
    file = person.home / ".config/ralph/servers.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    id = person.ralph("send", "x", "--promise", "y").stdout.strip()
    assert person.served.ask("GET", f"/api/tasks/{id}").status == 200


def test_a_token_is_made_listed_and_revoked(person: Person) -> None:
    secret = person.ralph("token", "add", "eve", "--role", "read", "--days", "0").stdout.strip()
    assert person.served.ask("GET", "/api/tasks", token=secret).status == 200
    listed = json.loads(person.ralph("token", "list", "--json").stdout)
    assert [(one["name"], one["role"], one["expiresAt"]) for one in listed] == [
        ("admin", "admin", None),
        ("eve", "read", None),
    ]
    assert person.ralph("token", "revoke", "eve").stdout == "Revoked read eve.\n"
    assert person.served.ask("GET", "/api/tasks", token=secret).status == 401
    again = person.ralph("token", "revoke", "eve")
    assert (again.returncode, "there is no live token eve" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("send", "x"), 2, "a ralph task needs the promise"),
        (("send", "x", "--promise", "y", "--repository", "no"), 2, "there is no repository no"),
        (("server", "register", "x", "ext::sh -c evil"), 2, "url does not have the right form"),
        (("send", "x", "--promise", "y", "--server", "http://127.0.0.1:1"), 70, "the server does not answer"),
        (("send", "x", "--promise", "y", "--server", "ftp://x"), 2, "this is no address of a server"),
        (("login", "http://127.0.0.1:1"), 70, "the server does not answer"),
    ],
)
def test_what_the_server_has_against_it_is_said(
    person: Person, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = person.ralph(*arguments, RALPH_SERVER_TOKEN=person.served.token)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_restored_database_is_adopted_before_a_server_uses_it(person: Person, tmp_path: Path) -> None:
    """What was claimed after the back-up was made cannot come back, whatever epoch it has."""
    db = person.home / ".local/share/ralph/server.db"
    id = person.ralph("send", "x", "--promise", "y").stdout.strip()
    with sqlite3.connect(db) as live, sqlite3.connect(tmp_path / "copy.db") as copy:
        live.backup(copy)
    wish = {"offer": {"worker": "w"}, "key": "k"}
    lost = person.served.ask("POST", "/api/claims", wish).json["task"]
    busy = person.ralph("server", "adopt")
    assert (busy.returncode, "another server has this database open" in busy.stderr) == (2, True)
    assert person.served.stop() == 0
    with (
        closing(sqlite3.connect(tmp_path / "copy.db")) as copy,
        copy,
    ):  # closed: what is in its log comes into the file
        copy.execute("UPDATE ticks SET at = at - 60000")
    for old in db.parent.glob("server.db*"):
        old.unlink()
    shutil.copyfile(tmp_path / "copy.db", db)
    adopted = person.ralph("server", "adopt")
    assert adopted.stdout == "Adopted: 0 claims are over. Servers may be started.\n", adopted.stderr
    with serving(person.home) as restored:
        restored.token = person.served.token
        beat = {"epoch": lost["epoch"], "worker": "w"}
        assert restored.ask("POST", f"/api/tasks/{id}/heartbeat", beat).json["kind"] == "stale"
        again = restored.ask("POST", "/api/claims", {**wish, "key": "k2"}).json["task"]
        assert (again["id"], again["epoch"] > lost["epoch"] + 10**6) == (id, True)
        assert restored.ask("POST", f"/api/tasks/{id}/heartbeat", beat).json["kind"] == "stale"


def test_a_database_that_is_not_there_or_no_ralphs_is_said(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    (tmp_path / "text").write_text("no database")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE x (y)")
    for arguments, words in (
        (("check",), "there is no database"),
        (("adopt", "--db", str(tmp_path / "none")), "there is no database"),
        (("check", "--db", str(tmp_path / "text")), "file is not a database"),
        (("check", "--db", str(tmp_path / "other.db")), "no such table: schema_versions"),
    ):
        done = subprocess.run(
            [RALPH, "server", *arguments], env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode in (2, 70) and words in done.stderr, done.stderr
        assert "Traceback" not in done.stderr


def test_without_a_server_it_says_how_to_name_one(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run([RALPH, "send", "x"], env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert "ralph login URL" in done.stderr
