"""A newcomer's path, with no step that the README does not show: its two blocks of commands are typed literally, in a
clean HOME, for one small repository of each kind. The agent is a shell script by the name of a known one."""

from __future__ import annotations

import fcntl
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = Path(__file__).parent / "newcomer"
# What pip says when the last of its tries did not get through. That a package is not found is no such thing.
UNREACHABLE = re.compile(r"Retry\(total=0,.* after connection broken by")
NEEDS = {"python": "python3", "node": "npm", "go": "go", "rust": "cargo", "make": "make"}


def steps(name: str) -> list[str]:
    """The commands of the README's block of this name, a line each, as a person would copy them."""
    text = (ROOT / "README.md").read_text()
    block = re.search(rf"<!-- newcomer: {name} -->\s*```sh\n(.*?)```", text, re.DOTALL)
    assert block, f"README.md has no block of commands marked <!-- newcomer: {name} -->"
    return [line for line in block[1].splitlines() if line.strip() and not line.lstrip().startswith("#")]


class Newcomer:
    """A person at a shell in a HOME of their own. The folder is remembered from line to line, nothing else is."""

    def __init__(self, home: Path, folder: Path, env: dict[str, str] | None = None) -> None:
        self.home = home
        self.folder = folder
        system = [p for p in os.environ["PATH"].split(":") if not (Path(p).parent / "pyvenv.cfg").exists()]
        self.env = {
            "HOME": str(home),
            "PATH": ":".join((f"{home}/.local/bin", *system)),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **(env or {}),
        }
        home.mkdir(parents=True, exist_ok=True)

    def types(self, line: str) -> str:
        """What it prints. It must succeed."""
        where = self.home / ".where"
        done = subprocess.run(
            ["bash", "-c", f'{line}\ncode=$?; pwd >"$HOME/.where"; exit $code'],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, f"$ {line}\n{done.stdout}\n[exit {done.returncode}]"
        self.folder = Path(where.read_text().rstrip("\n"))
        return done.stdout


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A HOME with Ralph installed as the README says, from a copy of the project. Once, also for several workers."""
    base = tmp_path_factory.getbasetemp()
    place = (base if worker_id == "master" else base.parent) / "newcomer"
    place.mkdir(exist_ok=True)
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "failed").exists() and not (place / "installed").exists():
            _install(place)
    if (place / "failed").exists():
        pytest.skip((place / "failed").read_text())
    return place / "home"


def _install(place: Path) -> None:
    left_out = shutil.ignore_patterns(
        ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache"
    )
    shutil.copytree(ROOT, place / "home" / "ralph", ignore=left_out, dirs_exist_ok=True)
    # Where packages come from is the machine's matter, not the path's.
    index = {k: v for k, v in os.environ.items() if k.startswith("PIP_") or k.endswith("_proxy")}
    person = Newcomer(place / "home", place / "home" / "ralph", index)
    for line in steps("install"):
        try:
            person.types(line)
        except AssertionError as error:
            if not UNREACHABLE.search(str(error)):
                raise
            (place / "failed").write_text("no package index can be reached")
            return
    (place / "installed").touch()


@pytest.fixture
def newcomer(installed: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Newcomer:
    """With the sample in ~/my-project, under version control, and an agent on the PATH."""
    sample: str = request.param
    if not shutil.which(NEEDS[sample]):
        pytest.skip(f"{NEEDS[sample]} is not installed")
    home = tmp_path / "home"
    (home / ".local/bin").mkdir(parents=True)
    (home / ".local/bin/ralph").symlink_to(next(installed.glob("**/bin/ralph")))
    project = home / "my-project"
    shutil.copytree(SAMPLES / sample / "repository", project)
    agent = tmp_path / "agent"
    shutil.copytree(SAMPLES / sample / "work", agent / "work")
    shutil.copy(SAMPLES / "claude", agent)
    env = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "CARGO_NET_OFFLINE": "true"}
    toolchains = Path(os.environ.get("RUSTUP_HOME", Path.home() / ".rustup"))
    if toolchains.is_dir():  # a `cargo` of rustup finds its toolchain from the HOME otherwise
        env["RUSTUP_HOME"] = str(toolchains)
    person = Newcomer(home, home, env)
    asked = [NEEDS[sample], "version" if sample == "go" else "--version"]
    if subprocess.run(asked, env=person.env, capture_output=True).returncode:
        pytest.skip(f"{NEEDS[sample]} is installed, but does not work in a HOME of its own")
    person.env["PATH"] = f"{agent}:{person.env['PATH']}"
    for line in (
        "git config --global user.name Newcomer",
        "git config --global user.email newcomer@localhost",
        "cd my-project && git init -q -b main && git add -A && git commit -qm begin && cd ..",
    ):
        person.types(line)
    return person


@pytest.mark.parametrize("reachable", [True, False])
def test_only_an_index_that_cannot_be_reached_is_a_reason_to_skip(tmp_path: Path, reachable: bool) -> None:
    (tmp_path / "simple").mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as index:
        thread = threading.Thread(target=index.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        if not reachable:
            index.shutdown()
            index.server_close()
        env = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith("PIP_") and not k.lower().endswith("_proxy")
        }
        url = f"http://127.0.0.1:{index.server_port}/simple"
        more = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": url, "PIP_RETRIES": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--no-deps", "-d", tmp_path / "got", "not-there"],
            env=env | more,
            capture_output=True,
            text=True,
            timeout=120,
        )
        if reachable:
            index.shutdown()
    assert "No matching distribution" in done.stderr, done.stdout + done.stderr
    assert bool(UNREACHABLE.search(done.stderr)) != reachable


def test_the_readme_shows_every_step() -> None:
    install, use = "\n".join(steps("install")), "\n".join(steps("use"))
    assert "pip install ." in install
    for command in ("ralph init", "ralph run -p ", "ralph status", "ralph report"):
        assert command in use


@pytest.mark.parametrize("newcomer", sorted(NEEDS), indirect=True)
def test_the_readme_leads_to_a_verified_result(newcomer: Newcomer) -> None:
    lines = steps("use")
    task = next(found[1] for line in lines if (found := re.search(r'ralph run -p "([^"]+)"', line)))
    agent = Path(newcomer.env["PATH"].split(":")[0])
    (agent / "task").write_text(task)
    said = {line: newcomer.types(line) for line in lines}

    shown = "\n".join(text for line, text in said.items() if "ralph run" in line)
    assert "completed-verified" in shown and "red→green" in shown
    assert "attempt 1/" in shown, "the claim that came too early was rejected"
    status = "\n".join(text for line, text in said.items() if "ralph status" in line)
    assert "completed-verified" in status
    report = "\n".join(text for line, text in said.items() if "ralph report" in line)
    assert "completed-verified" in report or _page(newcomer.folder)

    journal = (newcomer.folder / ".git/ralph/journal.jsonl").read_text().splitlines()
    ended = [record["data"] for line in journal if (record := json.loads(line))["kind"] == "loop.ended"]
    assert [fact["end"] for fact in ended] == ["completed-verified"]
    assert set(ended[0]["proof"].values()) == {"red→green"}


def _page(folder: Path) -> bool:
    return any("completed-verified" in page.read_text() for page in folder.glob("*.html"))
