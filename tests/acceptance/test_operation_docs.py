"""docs/operation.md and docs/fleet.md, typed: every `ralph` command of a section, in its order, against real servers, workers and
databases. Addresses, ports, tokens and the id of a task are replaced by those of the test; nothing else is."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from postgres import Cluster
from ralph.server.temporary_postgresql import binaries
from ralph.worker.http import HttpClient
from remote_project import RemoteProject
from serving import PATIENCE, RALPH

ROOT = Path(__file__).parents[2]
PAGES = {name: (ROOT / f"docs/{name}.md").read_text() for name in ("operation", "fleet")}
UNITS = sorted((ROOT / "packaging/systemd").glob("*.service"))
TYPED = ("ralph", "export", "pg_dump", "pg_restore")  # other commands change the machine
DATABASE = "postgresql://ralph@db/ralph"
RESTORE = "operation: Back-up and restore"
WORKER = "RALPH_SERVER_TOKEN=ralph_worker_... ralph worker --server http://127.0.0.1:3013 --name box"
ASKS = """\
iterations:
  - - run: while ! test -e {go}; do sleep 0.05; done
    - emit: {{topic: human.interact, payload: "which world?"}}
    - say: ITERATION_DONE
"""


def sections() -> dict[str, list[str]]:
    """Page and heading -> lines of its blocks of commands."""
    found = {}
    for page, whole in PAGES.items():
        for part in re.split(r"^## ", whole, flags=re.MULTILINE)[1:]:
            heading, _, text = part.partition("\n")
            blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
            lines = [line for block in blocks for line in block.splitlines() if line.strip()]
            found[f"{page}: {heading}"] = lines
    return found


SECTIONS = {heading: lines for heading, lines in sections().items() if any("ralph" in line for line in lines)}


def command_of(line: str) -> str:
    """Its first word that sets no variable."""
    return next(word for word in shlex.split(line) if not re.match(r"[A-Z_]+=", word))


class Operator:
    """A person with a HOME of their own, and what they have started."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.folder = folder
        self.cluster = cluster
        self.database = cluster.create_database()
        self.project = RemoteProject(folder / "app.git")
        programs = f"{RALPH.parent}{os.pathsep}{binaries()}"
        self.env = {
            "HOME": str(folder),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "LANG": "C.UTF-8",
        }
        places = dict.fromkeys(("/srv/git/app.git", "/home/me/app"), str(self.project.path))
        self.words = {DATABASE: self.database, **places}
        self.started: list[subprocess.Popen[str]] = []

    def types(self, line: str) -> None:
        for word, own in self.words.items():
            line = line.replace(word, own)
        arguments = shlex.split(line)
        if command_of(line) == "export":
            name, _, value = arguments[1].partition("=")
            self.env[name] = value
        elif "serve" in arguments:
            self.serve(arguments)
        elif "--follow" in arguments:
            self.follow(line)
        elif "ralph worker" in line and "--once" not in arguments:
            self.work(line)
        else:
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=self.project.work,
                env=self.env,
                capture_output=True,
                text=True,
                timeout=5 * PATIENCE,
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            if made := re.search(r"(ralph_(?:worker|lander)_)\S+", done.stdout):
                self.words[f"{made[1]}..."] = made[0]

    def work(self, line: str) -> None:
        """In a terminal of its own, until the end of the section."""
        process = subprocess.Popen(
            ["bash", "-c", line.replace("ralph worker", "exec ralph worker")],
            cwd=self.project.work,
            env=self.env | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        assert process.stdout is not None
        said = process.stdout.readline()
        assert "its copies and claims are in" in said, said

    def serve(self, arguments: list[str]) -> None:
        """On a port that is free; what the page calls the server is then this one."""
        own = [*arguments, "--port", "0"]
        if "cert.pem" in own:
            self.certify()
        with open(self.folder / "errors", "ab") as errors:
            process = subprocess.Popen(
                own,
                cwd=self.project.work,
                env=self.env | {"PYTHONUNBUFFERED": "1"},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.started.append(process)
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if "-d '" in line:
                break
        found = re.search(r"server: (https?://[\d.]+:\d+)", said)
        assert found, said + (self.folder / "errors").read_text()
        self.words["http://127.0.0.1:3013"] = found[1]
        if token := re.search(r"ralph_admin_\S+", said):
            self.words["ralph_admin_..."] = token[0]

    def follow(self, line: str) -> None:
        """What a worker does that begins now. Its agent asks its question when this command has said something."""
        command = ["bash", "-c", line]
        with subprocess.Popen(
            command,
            cwd=self.project.work,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            assert process.stdout is not None
            self.types(WORKER)
            assert process.stdout.readline()
            (self.folder / "go").touch()
            process.communicate(timeout=5 * PATIENCE)
        assert process.returncode == 0

    def certify(self) -> None:
        names = ("-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost")
        kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        command = ["openssl", "req", "-x509", *kind, *names]
        subprocess.run(command, cwd=self.project.work, check=True, capture_output=True)

    def log_in(self) -> None:
        """As who has done what the sections before say."""
        self.serve(["ralph", "serve", "--db", self.database])
        self.types("export RALPH_SERVER_TOKEN=ralph_admin_...")
        self.types("ralph login http://127.0.0.1:3013")
        del self.env["RALPH_SERVER_TOKEN"]

    def may_land(self) -> None:
        self.log_in()
        self.types("ralph token add lander --role lander")

    def has_a_task(self) -> None:
        """Which has a question: it is followed until it waits, and can be told something."""
        self.project.commit({"agent.yml": ASKS.format(go=self.folder / "go")})
        self.log_in()
        self.types("ralph server register app /srv/git/app.git")
        self.types("ralph token add box --role worker")
        new = {"task": "Greet", "ralphPromise": "greeted", "repository": "app"}
        self.words["3f2a"] = self.ask("POST", "/api/tasks", new)[1]["id"][:8]

    def ask(self, method: str, path: str, body: object) -> tuple[int, Any]:
        client = HttpClient(self.words["http://127.0.0.1:3013"], self.words["ralph_admin_..."])
        status, content = client.ask(method, path, msgspec.json.encode(body))
        return status, msgspec.json.decode(content)

    def claims(self, worker: str) -> Any:
        status, granted = self.ask("POST", "/api/claims", {"offer": {"worker": worker}, "key": worker})
        assert status == 200 and granted["task"], granted
        return granted["task"]

    def empty_database(self) -> None:
        """At the same address."""
        name = self.database.partition("@/")[2].partition("?")[0]
        with psycopg.connect(self.cluster.url(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
            connection.execute(f"CREATE DATABASE {name}".encode())

    def silence_servers(self) -> None:
        """As if the back-up was made a minute ago."""
        with psycopg.connect(self.database) as connection:
            connection.execute("UPDATE ticks SET at = at - 60000")

    def end(self) -> None:
        for process in reversed(self.started):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.communicate(timeout=5 * PATIENCE)
        self.started = []


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    cluster = Cluster(durable=True)
    found = Operator(tmp_path, cluster)
    try:
        yield found
    finally:
        found.end()
        cluster.stop()


# What is there before a section begins. Else: nothing.
BEFORE = {
    "operation: One machine for a team": lambda o: o.serve(["ralph", "serve", "--db", o.database]),
    "operation: Tokens": Operator.log_in,
    "fleet: Landing": Operator.may_land,
    "fleet: From afar": Operator.has_a_task,
}


@pytest.mark.parametrize("heading", [heading for heading in SECTIONS if heading != RESTORE])
@pytest.mark.timeout(900)
def test_the_commands_of_a_section_work(operator: Operator, heading: str) -> None:
    if before := BEFORE.get(heading):
        before(operator)
    for line in SECTIONS[heading]:
        if command_of(line) in TYPED:
            operator.types(line)


@pytest.mark.timeout(900)
def test_a_back_up_is_restored_and_what_was_claimed_since_is_refused(operator: Operator) -> None:
    dump, restore, adopt, check = SECTIONS[RESTORE]
    operator.log_in()
    operator.types("ralph server register app /srv/git/app.git")
    operator.types('ralph send "Greet" --promise greeted --repository app')
    held = operator.claims("before")
    operator.types('ralph send "Greet again" --promise greeted --repository app')
    operator.types(dump)
    lost = operator.claims("since")
    operator.end()
    operator.empty_database()
    operator.types(restore)
    operator.silence_servers()
    operator.types(adopt)
    operator.types(check)
    operator.serve(["ralph", "serve", "--db", operator.database])
    for task, worker in ((held, "before"), (lost, "since")):
        beat = {"epoch": task["epoch"], "worker": worker}
        status, answer = operator.ask("POST", f"/api/tasks/{task['id']}/heartbeat", beat)
        assert (status, answer["kind"]) == (409, "stale")
    again = [operator.claims("after"), operator.claims("after.2")]
    assert {task["id"] for task in again} == {held["id"], lost["id"]}
    assert min(task["epoch"] for task in again) > lost["epoch"] + 10**6
    operator.types(check)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_ralph_in_the_page_is_in_a_section_that_is_typed(page: str) -> None:
    typed = {line for lines in SECTIONS.values() for line in lines}
    said = set(re.findall(r"^(?:[A-Z_]+=\S+ )*ralph .*$", PAGES[page], re.MULTILINE))
    assert said <= typed and len(said) > 10


@pytest.mark.parametrize("page", PAGES)
def test_a_command_within_a_sentence_is_one_that_ralph_has(page: str) -> None:
    said = re.findall(r"`ralph ([a-z][^`]*)`", re.sub(r"```.*?```", "", PAGES[page], flags=re.DOTALL))
    assert said
    for words in said:
        name, *arguments = shlex.split(words)
        assert_parses(name, arguments)


# -- what is installed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_systemd_finds_nothing_wrong_with_a_unit(unit: Path, tmp_path: Path) -> None:
    """Its program is where the test has one."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    copy = tmp_path / unit.name
    copy.write_text(unit.read_text().replace("/opt/ralph/bin/ralph", str(RALPH)))
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True)
    own = [line for line in done.stderr.splitlines() if unit.name in line]
    assert (done.returncode, own) == (0, []), done.stderr


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_a_command_that_ralph_has(unit: Path) -> None:
    started = re.search(r"^ExecStart=/opt/ralph/bin/(ralph .*)$", unit.read_text(), re.MULTILINE)
    assert started
    _, name, *arguments = shlex.split(started[1].replace("${RALPH_DB}", "postgresql:///ralph"))
    assert_parses(name, arguments)


def test_the_container_file_copies_what_is_there_and_starts_what_ralph_has() -> None:
    text = re.sub(r"\\\n\s*", " ", (ROOT / "packaging/Containerfile").read_text())
    steps = [line.split(" ", 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    names = [name for name, _ in steps]
    assert names[0] == "FROM" and set(names) <= INSTRUCTIONS
    for name, rest in steps:
        if name == "COPY":
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists(), source
        if name in ("ENTRYPOINT", "CMD", "VOLUME"):
            assert isinstance(msgspec.json.decode(rest), list)
        if name == "RUN":
            assert subprocess.run(["sh", "-n", "-c", rest]).returncode == 0, rest
    by_name = dict(steps)
    entry, given = msgspec.json.decode(by_name["ENTRYPOINT"]), msgspec.json.decode(by_name["CMD"])
    assert entry == ["ralph"]
    assert_parses(given[0], given[1:])


INSTRUCTIONS = {
    *("FROM", "RUN", "COPY", "USER", "WORKDIR", "VOLUME", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD"),
}


def assert_parses(name: str, arguments: list[str]) -> None:
    """The options are those of the command, and their values are valid."""
    from ralph.cli.app import COMMANDS

    command = getattr(importlib.import_module(COMMANDS[name][0]), name)
    command.make_context(name, arguments)
