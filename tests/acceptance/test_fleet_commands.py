"""What a person types at a server: login, token, send, server check."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
from person import Person

from remote_project import RemoteProject
from serving import PATIENCE, RALPH


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
    person.served.stop()
    checked = person.ralph("server", "check")
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.endswith(": sound\n")


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


def test_without_a_server_it_says_how_to_name_one(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run([RALPH, "send", "x"], env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert "ralph login URL" in done.stderr
