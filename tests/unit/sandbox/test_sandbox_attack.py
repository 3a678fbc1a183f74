"""What a hostile agent can and cannot do in the sandbox."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sandbox_world import World, needs_bwrap

import ralph

pytestmark = needs_bwrap
ATTACKS = Path(__file__).with_name("attacks.py").read_text()


class Outside:
    """What there is to reach outside: a process, a server, sockets."""

    def __init__(self, folder: Path, ends: ExitStack) -> None:
        self.process = subprocess.Popen(["sleep", "600"], env={**os.environ, "OUTSIDE_PROCESS": "1"})
        ends.callback(self._end)
        self.server = ends.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.socket = folder / "s"
        self.abstract = f"ralph-{os.urandom(8).hex()}"
        for address in (str(self.socket), "\0" + self.abstract):
            listening = ends.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(address)
            listening.listen()

    def _end(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    with ExitStack() as ends:
        yield Outside(tmp_path, ends)


def print_of(folder: Path) -> str:
    """Changes when anything below the folder does."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return hashlib.sha256(b"\0".join(bytes(f) + f.read_bytes() for f in files)).hexdigest()


def told(world: World, outside: Outside) -> dict[str, object]:
    (world.folder / "note").write_text("in the machine's /tmp")
    return {
        "home": str(world.home),
        "state": str(world.state),
        "pid": outside.process.pid,
        "commit": world.git("commit-tree", "HEAD^{tree}", "-m", "other").strip(),
        "ralph": ralph.__file__,
        "tmp": str(world.folder / "note"),
        "port": outside.server.getsockname()[1],
        "socket": str(outside.socket),
        "abstract": outside.abstract,
    }


def test_no_attack_succeeds(world: World, outside: Outside) -> None:
    tasks = json.dumps(told(world, outside))
    (world.state / "inbox").mkdir()
    guarded = [
        world.workspace / ".git",
        *(world.home / name for name in (".ssh", ".agent", ".config", "code/other")),
    ]
    before = [print_of(place) for place in guarded]
    done = world.python(ATTACKS, tasks, credentials=[world.home / ".agent/auth.json"])
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["succeeded"] == {}
    assert said["tried"] > 40
    assert [print_of(place) for place in guarded] == before
    assert outside.process.poll() is None


def test_attacks_succeed_without_a_sandbox(world: World, outside: Outside) -> None:
    """Otherwise the test above would show nothing. Only those that harm nobody here."""
    only = [
        *(
            "read the journal",
            "write the journal",
            "read the ssh key",
            "read another project",
            "write a hook",
        ),
        *("write the configuration", "move a ref by git", "make a branch", "see a process", "kill a process"),
        *("reach a server by TCP", "reach a named socket", "reach an abstract socket", "read through a link"),
        *("read the machine's /tmp", "link to a protected file", "replace .git"),
    ]
    done = subprocess.run(
        [sys.executable, "-c", ATTACKS, json.dumps({**told(world, outside), "only": only})],
        cwd=world.workspace,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["succeeded"].keys() == set(only)


def test_what_is_written_elsewhere_is_gone_afterwards(world: World) -> None:
    world.sh("echo x >~/new && echo x >../new && echo x >/tmp/ralph-sandbox-new && echo x >/var/tmp/new")
    assert not (world.home / "new").exists()
    assert not (world.home / "code" / "new").exists()
    assert not Path("/tmp/ralph-sandbox-new").exists()


def test_an_agent_can_do_its_work(world: World) -> None:
    emit = f"{sys.executable} -m ralph emit build.done ok"
    scratch = f"{sys.executable} -m ralph scratchpad --done a --test-status b --next-step c --blockers none"
    said = world.sh(
        f"echo two >>a.txt && mkdir new && echo x >new/file && git status --short && git diff --stat && git log --oneline"
        f" && cat ~/.agent/auth.json && echo x >~/settings && mktemp >/dev/null && {emit} && {scratch}"
        " && echo $RALPH_LOOP $RALPH_SANDBOX && pwd",
        credentials=[world.home / ".agent/auth.json"],
    )
    assert " M a.txt" in said
    assert "1 insertion" in said
    assert "first" in said
    assert "credential" in said
    assert said.endswith(f"loop-1 bwrap\n{world.workspace}\n")
    assert (world.workspace / "new/file").read_text() == "x\n"
    assert "## Done this iteration\na" in (world.workspace / ".ralph/agent/scratchpad.md").read_text()
    assert not (world.home / "settings").exists()
    message = json.loads(next((world.state / "inbox").glob("*.json")).read_text())
    assert (message["topic"], message["token"]) == ("build.done", "token-1")


def test_the_network_is_shared_when_it_is_allowed(world: World, outside: Outside) -> None:
    code = f"import socket; socket.create_connection(('127.0.0.1', {outside.server.getsockname()[1]}), 5)"
    assert world.python(code, network=True).returncode == 0
    assert world.python(code, network=False).returncode == 1


def test_an_own_server_can_be_reached_without_network(world: World) -> None:
    code = (
        "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"
    )
    assert world.python(code, network=False).returncode == 0


def test_an_inbox_of_its_own_is_seen_as_the_inbox(world: World) -> None:
    own = world.state / "inboxes" / "iteration-3"
    (world.state / "inbox").mkdir()
    (world.state / "inbox" / "other.json").write_text("for somebody else")
    world.sh(f'test -z "$(ls {world.state}/inbox)" && {sys.executable} -m ralph emit a b', inbox=own)
    assert len(list(own.iterdir())) == 1
    assert [p.name for p in (world.state / "inbox").iterdir()] == ["other.json"]
