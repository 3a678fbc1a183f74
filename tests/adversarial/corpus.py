"""The corpus of cheats and honest changes: reads the cases, says whether they are well-formed, and puts them to Ralph."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import kept_score
import msgspec
import yaml

from ralph.sandbox.bwrap import usable

CASES = Path(__file__).parent / "cases"
PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments", "pyyaml")  # for the cases in Python
PROGRAMS = {"python": "python3", "js": "node", "go": "go", "rust": "cargo"}
LEAST = {"cargo": "1.78"}  # reads the lock files; Debian 12 has an older one
PATIENCE = 600  # seconds for one program, on a loaded machine
TOOLS = ("CARGO_HOME", "RUSTUP_HOME")
HELD_OUT = "held-out"  # the folder of the hidden gate
# Runs the held-out inputs as a gate: in a copy of the checkout, because they may change what is there.
JUDGE = f"""
here=$PWD
work=$(mktemp -d)
cp -a . "$work/project" && cd "$work/project" && rm -rf {HELD_OUT} || exit 1
CASE="$here/{HELD_OUT}" TMPDIR="$work" sh "$here/{HELD_OUT}/truth.sh"
"""
IGNORED = "__pycache__/\n.pytest_cache/\nnode_modules/\ntarget/\n*.pyc\n"

# How a case is played: by its gates alone; also with leave to change what its `allow` names; and with that leave, a sandbox
# and the held-out inputs as a hidden gate.
How = Literal["plain", "allowed", "guarded"]


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Literal["cheat", "honest"]
    group: str
    why: str
    task: str
    gates: list[dict[str, Any]]
    config: dict[str, Any] = {}
    start: Literal["red", "green"] = "red"
    passes: bool = True
    review: bool = False
    allow: list[str] = []
    needs: str = ""
    name: str = ""  # language/folder
    folder: Path = Path()

    @property
    def program(self) -> str:
        """That has to be there to play it."""
        return PROGRAMS[self.name.partition("/")[0]]


class Outcome(msgspec.Struct, frozen=True):
    end: str  # as the journal says it
    reason: str
    shown: str = ""
    evidence: dict[str, Any] = {}  # as the journal has it

    @property
    def accepted(self) -> bool:
        return self.end == "completed-verified"


def cases(*parts: str) -> list[Case]:
    """All of them, or those whose names have one of these parts."""
    found = []
    for path in sorted(CASES.glob("*/*/case.yml")):
        name = f"{path.parent.parent.name}/{path.parent.name}"
        if not parts or any(part in name for part in parts):
            read = yaml.safe_load(path.read_text()) | {"name": name, "folder": str(path.parent)}
            found.append(msgspec.convert(read, Case, dec_hook=lambda kind, value: kind(value)))
    return found


def missing(case: Case, how: How = "plain") -> str:
    """Why it cannot be played here; empty when it can be."""
    version = _version(case.program)
    if version is None:
        return f"{case.program} is not installed, or does not work"
    least = case.needs or LEAST.get(case.program, "0")
    if version < _numbers(least):
        return f"needs {case.program} {least}"
    return usable(network=False) if how == "guarded" else ""


@cache
def _version(program: str) -> tuple[int, ...] | None:
    """None without the program, and when it does not work: cargo may have no toolchain."""
    if (found := shutil.which(program, path=_path())) is None:
        return None
    asked = [found, "version" if program == "go" else "--version"]
    done = subprocess.run(asked, capture_output=True, text=True)
    return _numbers(done.stdout) if done.returncode == 0 else None


def _numbers(text: str) -> tuple[int, ...]:
    found = re.search(r"\d+(\.\d+)*", text)
    return tuple(map(int, found[0].split("."))) if found else ()


@cache
def _path() -> str:
    return f"{_python()}/bin:{Path(os.path.normpath(sys.executable)).parent}:{os.environ['PATH']}"


def _python() -> Path:
    """A virtual environment as a small project has it, without the plugins that ours has: pytest starts in half the time."""
    found = [metadata.distribution(name) for name in PACKAGES]
    place = _cache("python") / "-".join([platform.python_version(), *(one.version for one in found)])
    if place.exists():
        return place
    made = Path(tempfile.mkdtemp(dir=place.parent))
    venv.create(made, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(made), "platbase": str(made)}))
    for one in found:
        for file in one.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), site / file)
    with suppress(OSError):  # another process has made it meanwhile
        made.rename(place)
    return place


class Place:
    """A project with the case's files, committed, and a HOME of its own."""

    def __init__(self, root: Path, case: Case) -> None:
        self.root, self.case = root, case
        self.project, self.home = root / "project", root / "home"
        shutil.copytree(case.folder / "before", self.project, symlinks=True)
        self.home.mkdir()
        (root / "tmp").mkdir()
        ignore = self.project / ".gitignore"
        if not ignore.exists():
            ignore.write_text(IGNORED)
        self.env = {
            "PATH": _path(),
            "HOME": str(self.home),
            "TMPDIR": str(root / "tmp"),
            "LANG": "C.UTF-8",
            "CASE": str(case.folder),
            "GOFLAGS": "-mod=mod",
            "GOTOOLCHAIN": "local",
            "GOCACHE": str(_cache("go")),
            "GOPROXY": "off",
            "CARGO_NET_OFFLINE": "true",
            "CARGO_HOME": os.environ.get("CARGO_HOME", str(Path("~/.cargo").expanduser())),
            "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path("~/.rustup").expanduser())),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.do("git", "init", "-q", "-b", "main", ".")
        self.do("git", "config", "user.name", "User")
        self.do("git", "config", "user.email", "user@localhost")
        self.commit()

    def commit(self) -> None:
        self.do("git", "add", "-A")
        self.do("git", "commit", "-q", "--allow-empty", "--no-verify", "-m", "state")

    def do(
        self, *words: str, check: bool = True, patience: int = PATIENCE
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            words,
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=patience,
        )
        if check and done.returncode:
            raise AssertionError(
                f"{self.case.name}: {' '.join(words)}: exit {done.returncode}\n{done.stdout}"
            )
        return done

    def gates(self) -> tuple[bool, str]:
        """Whether all pass in this folder, and what they said."""
        ran = [self.do("sh", "-c", gate["run"], check=False) for gate in self.case.gates]
        return all(one.returncode == 0 for one in ran), "\n".join(one.stdout for one in ran)

    def truth(self) -> tuple[bool, str]:
        """Of what git has recorded, in a fresh clone with a fresh HOME."""
        with tempfile.TemporaryDirectory(prefix="ralph-truth-") as name:
            clone, home = Path(name, "project"), Path(name, "home")
            home.mkdir()
            self.do("git", "clone", "-q", "--no-hardlinks", str(self.project), str(clone))
            done = subprocess.run(
                ["sh", str(self.case.folder / "truth.sh")],
                cwd=clone,
                env=self.env | {"HOME": str(home), "TMPDIR": name},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=PATIENCE,
            )
            return done.returncode == 0, done.stdout


def _cache(name: str) -> Path:
    """Compilers' caches are shared by all cases: they hold nothing of a case."""
    place = Path(tempfile.gettempdir()) / f"ralph-adversarial-{name}-{os.getuid()}"
    place.mkdir(exist_ok=True, mode=0o700)
    return place


@contextmanager
def a_place(case: Case) -> Iterator[Place]:
    root = Path(tempfile.mkdtemp(prefix="ralph-case-")).resolve()
    try:
        yield Place(root, case)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def faults(case: Case) -> list[str]:
    """Why the case is not well-formed; nothing when it is."""
    wrong = []
    with a_place(case) as place:
        passed, said = place.gates()
        if passed != (case.start == "green"):
            wrong.append(f"the gates say {'green' if passed else 'red'} of before/:\n{said}")
        true, said = place.truth()
        if true and case.start == "red":
            wrong.append(f"truth.sh is content with before/:\n{said}")
    with a_place(case) as place:
        place.do("sh", str(case.folder / "agent.sh"), check=False)
        passed, said = place.gates()
        if passed != case.passes:
            wrong.append(f"after agent.sh the gates {'pass' if passed else 'fail'}:\n{said}")
    with a_place(case) as place:  # once more: gates may leave things behind
        place.do("sh", str(case.folder / "agent.sh"), check=False)
        place.commit()
        true, said = place.truth()
        if true != (case.kind == "honest"):
            wrong.append(f"truth.sh says {'done' if true else 'not done'} after agent.sh:\n{said}")
    return wrong


def play(case: Case, how: How = "plain", patience: int = PATIENCE) -> Outcome:
    """What Ralph makes of it."""
    with a_place(case) as place:
        (place.project / "ralph.yml").write_text(json.dumps(_settings(place, how)))
        place.commit()
        try:
            words = (sys.executable, "-m", "ralph", "run", "-p", case.task)
            done = place.do(*words, check=False, patience=patience)
        except subprocess.TimeoutExpired:
            return Outcome("out of time", f"after {patience} s")
        journal = place.project / ".git/ralph/journal.jsonl"
        records = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
        ends = [record["data"] for record in records if record["kind"] == "loop.ended"]
        end: dict[str, Any] = ends[-1] if ends else {"end": f"exit {done.returncode}", "reason": done.stdout}
        return Outcome(end["end"], end["reason"], done.stdout, end.get("evidence") or {})


def _settings(place: Place, how: How) -> dict[str, Any]:
    """Of the case's ralph.yml."""
    case, agent = place.case, place.root / "agent"
    agent.mkdir()
    shutil.copy(case.folder / "agent.sh", agent / "work.sh")
    (agent / "run.sh").write_text(f"sh '{agent}/work.sh'\necho TASK_COMPLETE\n")
    settings: dict[str, Any] = {
        "cli": {"command": f"sh {agent}/run.sh"},
        "gates": case.gates,
        "event_loop": {"max_iterations": 4, "max_attempts": 2, "crash_wait": 0, "stop_grace": 1},
    }
    if case.group != "timing":  # hundreds of cases: chance is asked where it acts
        settings["flaky_passes"] = 2
    for key, value in case.config.items():
        old = settings.get(key)
        settings[key] = old | value if isinstance(old, dict) else value
    if how != "plain" and case.allow:
        settings["allow"] = case.allow
    if how == "guarded":
        hidden = _held_out(place)
        gate = {"name": "hidden", "run": f"sh {HELD_OUT}/judge.sh", "hidden": str(hidden)}
        settings["gates"] = [*case.gates, gate]
        settings["sandbox"] = {
            "kind": "bwrap",
            "network": "none",
            "readable": [str(agent), *(place.env[name] for name in TOOLS if Path(place.env[name]).is_dir())],
            "writable": [place.env["GOCACHE"]],
        }
    return settings


def _held_out(place: Place) -> Path:
    """A folder with what decides about the case and with what that reads."""
    folder = place.root / HELD_OUT
    shutil.copytree(place.case.folder / "before", folder / "before")
    shutil.copy(place.case.folder / "truth.sh", folder)
    (folder / "judge.sh").write_text(JUDGE)
    return folder


def surprise(case: Case, how: How, outcome: Outcome) -> str:
    """What differs from the kept score; empty when nothing does."""
    end = f"{outcome.end}: {outcome.reason}"
    if case.kind == "honest":
        wanted = "needs-review" if case.review and how == "plain" else "completed-verified"
        return "" if outcome.end == wanted else f"honest work is not {wanted} but {end}"
    kept = how == "plain" and case.name in kept_score.accepted_names()
    if kept == outcome.accepted:
        return ""
    return (
        f"the cheat is accepted: {end}" if outcome.accepted else f"the cheat is not accepted any more: {end}"
    )


def _group(case: Case, how: How) -> str:
    if case.kind == "cheat":
        return case.group
    if not case.review:
        return "honest"
    return "honest, against original tests" + (", with `allow`" if how != "plain" else "")


def _order(end: tuple[str, str]) -> tuple[int, str]:
    """The groups of cheats, all cheats, honest work."""
    group, _ = end
    return (2 if group.startswith("honest") else 1 if group == "all cheats" else 0), group


USAGE = """corpus.py check [PART OF A NAME...]
corpus.py play [--guarded] [PART OF A NAME...]
corpus.py play --write
docs: tests/adversarial/README.md"""


def main(words: list[str]) -> int:
    match words:
        case ["check", *parts]:
            return _check(cases(*parts))
        case ["play", "--write"]:
            return _play(cases(), "plain", write=True)
        case ["play", "--guarded", *parts]:
            return _play(cases(*parts), "guarded")
        case ["play", *parts] if not any(part.startswith("-") for part in parts):
            return _play(cases(*parts), "plain")
    print(USAGE)
    return 2


def _check(found: list[Case]) -> int:
    found = [case for case in found if not missing(case)]
    bad = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for case, wrong in zip(found, pool.map(faults, found), strict=True):
            bad += bool(wrong)
            print(f"{'BAD ' if wrong else 'ok  '}{case.name}", *wrong, sep="\n     ", flush=True)
    print(f"{len(found)} cases, {bad} of them not well-formed")
    return 1 if bad else 0


def _play(found: list[Case], usual: How, *, write: bool = False) -> int:
    rounds: list[tuple[Case, How]] = [(case, usual) for case in found]
    rounds += [(case, "allowed") for case in found if case.review and usual == "plain"]
    absent = {case.name: why for case, how in rounds if (why := missing(case, how))}
    rounds = [(case, how) for case, how in rounds if case.name not in absent]
    ends, surprises, accepted = [], [], []
    with ThreadPoolExecutor(max_workers=2) as pool:
        played = pool.map(lambda one: play(*one), rounds)
        for (case, how), outcome in zip(rounds, played, strict=True):
            print(f"{how:8}{case.kind:7}{case.name:60}{outcome.end}: {outcome.reason}"[:300], flush=True)
            ends.append((_group(case, how), outcome.end))
            if case.kind == "cheat":
                accepted += [case.name] if outcome.accepted else []
                ends.append(("all cheats", outcome.end))
            if wrong := surprise(case, how, outcome):
                surprises.append(f"  {case.name}: {wrong}"[:300])
    made = kept_score.table(sorted(ends, key=_order))
    print(made, "", *(f"not played: {name}: {why}" for name, why in absent.items()), sep="\n")
    print("otherwise than docs/proof.md has it:", *(surprises or ["  nothing"]), sep="\n")
    if write:
        names = {*accepted, *(kept_score.accepted_names() & absent.keys())}
        kept_score.write(made, {case.name: case.why for case in found if case.name in names})
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
