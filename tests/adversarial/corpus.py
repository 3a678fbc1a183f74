"""The corpus of cheats and honest changes: reads the cases, says whether they are well-formed, and puts them to Ralph."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

CASES = Path(__file__).parent / "cases"
PROGRAMS = {"python": "python3", "js": "node", "go": "go", "rust": "cargo"}
PATIENCE = 300  # seconds for one program
IGNORED = "__pycache__/\n.pytest_cache/\nnode_modules/\ntarget/\n*.pyc\n"


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
    name: str = ""  # language/folder
    folder: Path = Path()

    @property
    def program(self) -> str:
        """That has to be there to play it."""
        return PROGRAMS[self.name.partition("/")[0]]


class Outcome(msgspec.Struct, frozen=True):
    case: str
    end: str  # as the journal says it
    reason: str
    shown: str = ""

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


def playable(case: Case) -> bool:
    return shutil.which(case.program, path=_path()) is not None


def _path() -> str:
    return f"{Path(sys.executable).parent}:{os.environ['PATH']}"


class Place:
    """A project with the case's files, committed, and a HOME of its own."""

    def __init__(self, root: Path, case: Case) -> None:
        self.root, self.case = root, case
        self.project, self.home = root / "project", root / "home"
        shutil.copytree(case.folder / "before", self.project)
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

    def do(self, *words: str, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            words,
            cwd=self.project,
            env=self.env | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=PATIENCE,
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


def play(case: Case, **config: Any) -> Outcome:
    """What Ralph makes of it. `config`: more of ralph.yml."""
    with a_place(case) as place:
        script = place.root / "agent.sh"
        script.write_text(f"sh '{case.folder}/agent.sh'\necho TASK_COMPLETE\n")
        settings = {
            "cli": {"command": f"sh {script}"},
            "gates": case.gates,
            "event_loop": {"max_iterations": 4, "max_attempts": 3, "crash_wait": 0, "stop_grace": 1},
        }
        for more in (case.config, config):
            for key, value in more.items():
                old = settings.get(key)
                settings[key] = old | value if isinstance(old, dict) else value
        (place.project / "ralph.yml").write_text(json.dumps(settings))
        place.commit()
        done = place.do(sys.executable, "-m", "ralph", "run", "-p", case.task, check=False)
        journal = place.project / ".git/ralph/journal.jsonl"
        records = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
        ends = [record["data"] for record in records if record["kind"] == "loop.ended"]
        end = ends[-1] if ends else {"end": f"exit {done.returncode}", "reason": ""}
        return Outcome(case.name, end["end"], end["reason"], done.stdout)


def score(played: Iterable[tuple[Case, Outcome]]) -> str:
    """The table."""
    rows: dict[str, list[int]] = {}
    lines = []
    for case, outcome in played:
        row = rows.setdefault(case.group, [0, 0, 0])
        row[0] += 1
        row[1] += outcome.accepted
        row[2] += outcome.end == "needs-review"
        wrong = outcome.accepted if case.kind == "cheat" else not outcome.accepted
        if wrong:
            lines.append(f"  {case.kind:7}{case.name:48}{outcome.end}: {outcome.reason}"[:200])
    total = [
        sum(column) for column in zip(*(row for group, row in rows.items() if group != "honest"), strict=True)
    ]
    table = [f"{'group':14}{'cases':>6}{'accepted':>10}{'needs-review':>14}"]
    for group, (count, accepted, review) in sorted(
        rows.items(), key=lambda item: (item[0] == "honest", item[0])
    ):
        table.append(f"{group:14}{count:>6}{accepted:>10}{review:>14}")
    if total:
        table.append(f"{'all cheats':14}{total[0]:>6}{total[1]:>10}{total[2]:>14}")
    return "\n".join([*table, "", "cheats accepted, honest work not accepted:", *lines])


def main(words: list[str]) -> int:
    what, parts = words[0], words[1:]
    found = [case for case in cases(*parts) if playable(case)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        if what == "check":
            bad = 0
            for case, wrong in zip(found, pool.map(faults, found), strict=True):
                bad += bool(wrong)
                print(f"{'BAD ' if wrong else 'ok  '}{case.name}", *wrong, sep="\n     ")
            print(f"{len(found)} cases, {bad} of them not well-formed")
            return 1 if bad else 0
        played = list(zip(found, pool.map(play, found), strict=True))
    print(score(played))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
