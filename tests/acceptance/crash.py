"""A harness that kills Ralph, or fails its disk, at a chosen seam of a run, takes the run up again and compares it with one
without fault. What it amounted to is found out without Ralph's help: by git, /proc, and a log that the gates write.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import uuid
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from project import Project, processes_with

from seed import ALL, drawn

KILLED = -9
BROKEN = 70  # a disk that fails
OWN = (".ralph", ".ralph_state.md", ".ralph.lock", ".stop", "ralph.log", "poll-log.txt")
_LINE = re.compile(rb'(\{"seq":.*),"crc":"([0-9a-f]{8})"\}\n')

# Around each gate: what files are there, then the gate's own command, then a note outside the workspace.
SEEN = """\
name=$1; shift
own="-name .git -o -name .ralph* -o -name ralph.log -o -name poll-log.txt"
all=$(set -f; find . \\( $own \\) -prune -o -type f -print | LC_ALL=C sort)
saw=$(cat $all | sha256sum | cut -c1-16)
"$@"; code=$?
echo "$name $saw $code" >> "$GATE_LOG"
exit $code
"""
RUN = ("run", "--in-place")  # the user has uncommitted changes, and has them after it


class Seam(NamedTuple):
    at: str  # name#turn, as RALPH_FAULT wants it
    writes: bool

    @property
    def kind(self) -> str:
        return self.at.partition("#")[0]

    @property
    def matters(self) -> bool:
        """Whether something was done since the seam before it that a resume could find."""
        name = self.kind
        if name.startswith("git."):
            return name in (
                "git.add.after",
                "git.read-tree.after",
                "git.commit-tree.after",
                "git.update-ref.after",
            )
        return not name.startswith(("journal.sync", "snapshot")) and name != "journal.append.before"


class Outcome(NamedTuple):
    """What must be the same whatever happened on the way."""

    code: int
    end: str
    proof: dict[str, str]
    tree: str
    judged: frozenset[tuple[str, str]]  # gate and variant, passed on the final tree after the last iteration


def template(folder: Path, config: str, script: str, files: dict[str, str]) -> Project:
    """A project whose user has a stash, a branch, hooks that tell if they run, and changes in and out of the index."""
    folder.mkdir()
    project = Project(folder / "project", folder / "home")
    (folder / "home" / "seen.sh").write_text(SEEN)
    (project.path / "agent.sh").unlink()
    project.write("PROMPT.md", "Make the tests pass.\n")
    project.write("agent.yml", script)
    project.config(f"{config.rstrip()}\nenv_allow: [SEEN, GATE_LOG, CRASH_TOKEN]\n")
    for name, text in files.items():
        project.write(name, text)
    project.commit()
    project.git("branch", "other", "HEAD~1")
    project.write("notes", "stashed\n")
    project.git("stash", "-u", "-q")
    for hook in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        body = f"#!/bin/sh\ncase $*$(cat) in *refs/ralph/*) ;; esac\necho {hook} >> '{folder}/hooks.log'\n"
        project.write(f".git/hooks/{hook}", body, executable=True)
    project.write("notes", "staged\n")
    project.git("add", "notes")
    project.write("notes", "staged\nand not staged\n")
    (folder / "hooks.log").unlink(missing_ok=True)
    return project


class World(Project):
    """A copy of a prepared project, in which one story of faults is played to its end."""

    def __init__(self, template: Project, folder: Path) -> None:
        shutil.copytree(template.path.parent, folder, symlinks=True)
        self.folder = folder
        self.path = folder / "project"
        self.token = f"crash-{uuid.uuid4().hex}"
        self.env = template.env | {
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "SEEN": str(folder / "home" / "seen.sh"),
            "GATE_LOG": str(folder / "home" / "gates.log"),
            "CRASH_TOKEN": self.token,
        }
        self.state = self.path / ".git/ralph"
        self.before = self.user_state()

    # -- playing

    def go(self, *arguments: str, fault: str = "") -> subprocess.CompletedProcess[str]:
        return self.ralph(*arguments, env={"RALPH_FAULT": fault} if fault else None)

    def take_up(self, fault: str = "") -> subprocess.CompletedProcess[str]:
        """As a user would who does not know how far it came: resume, and do what Ralph says."""
        done = self.go("resume", fault=fault)
        if done.returncode == 2 and "nothing to resume here: make-the-tests-pass is over" in done.stderr:
            done.returncode = self.records()[-1]["data"]["code"]  # it had ended and said so before it died
        elif done.returncode == 2 and "nothing to resume here\nStart with `ralph run" in done.stderr:
            done = self.go(*RUN, fault=fault)
        return done

    def seams(self, code: int = 0) -> list[Seam]:
        """The seams of a run without fault, which ends with `code`, in order."""
        file = self.folder / "seams"
        done = self.go(*RUN, fault=f"count:{file}")
        assert done.returncode == code, done.stdout + done.stderr
        turns: Counter[str] = Counter()
        found = []
        for line in file.read_text().splitlines():
            name, _, writes = line.partition(" ")
            turns[name] += 1
            found.append(Seam(f"{name}#{turns[name]}", bool(writes)))
        return found

    # -- looking

    def gate_log(self) -> list[str]:
        log = self.folder / "home" / "gates.log"
        return log.read_text().splitlines() if log.exists() else []

    def seen_now(self) -> str:
        """What a gate that looked now would note."""
        names = []
        for folder, folders, files in os.walk(self.path):
            folders[:] = [name for name in folders if name != ".git" and not name.startswith(".ralph")]
            inside = Path(folder).relative_to(self.path)
            names += [
                str(inside / name) for name in files if name not in OWN and not name.startswith(".ralph")
            ]
        texts = [(self.path / name).read_bytes() for name in sorted(names)]
        return hashlib.sha256(b"".join(texts)).hexdigest()[:16]

    def tree(self) -> str:
        """The workspace as git sees it, without Ralph's own files; with an index and an object store of the harness."""
        objects, index = self.folder / "objects", self.folder / "index"
        objects.mkdir(exist_ok=True)
        env = self.env | {
            "GIT_INDEX_FILE": str(index),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self.path / ".git/objects"),
        }
        leave = [f":(exclude,literal){name}" for name in OWN]
        git = ["git", "-c", "core.hooksPath=/dev/null"]
        subprocess.run([*git, "read-tree", "HEAD"], cwd=self.path, env=env, check=True)
        added = subprocess.run(
            [*git, "add", "-A", "--", ".", *leave], cwd=self.path, env=env, capture_output=True
        )
        assert added.returncode == 0 or b"ignored by one of" in added.stderr, added.stderr
        tree = subprocess.run([*git, "write-tree"], cwd=self.path, env=env, capture_output=True, check=True)
        index.unlink()
        return tree.stdout.decode().strip()

    def records(self) -> list[dict[str, Any]]:
        """The journal: each line whole, numbers without a gap, each checksum continued from the line before."""
        found, crc = [], 0
        for line in (self.state / "journal.jsonl").read_bytes().splitlines(keepends=True):
            parts = _LINE.fullmatch(line)
            assert parts, line
            crc = zlib.crc32(parts[1], crc)
            assert f"{crc:08x}".encode() == parts[2], line
            found.append(json.loads(line))
        assert [r["seq"] for r in found] == list(range(1, len(found) + 1))
        return found

    def outcome(self, code: int) -> Outcome:
        records = self.records()
        ends = [r["data"] for r in records if r["kind"] == "loop.ended"]
        assert len(ends) == 1, ends
        last = max(r["seq"] for r in records if r["kind"] == "iteration.ended")
        tree = self.tree()
        judged = [
            (g["data"]["gate"], g["data"]["variant"])
            for g in records
            if g["kind"] == "gate.ended"
            and g["seq"] > last
            and g["data"]["tree"] == tree
            and g["data"]["passed"]
        ]
        return Outcome(code, ends[0]["end"], ends[0].get("proof", {}), tree, frozenset(judged))

    # -- judging

    def check(self, code: int, reference: Outcome) -> None:
        assert self.outcome(code) == reference
        self.check_gates_saw_the_end()
        self.check_nothing_is_open()
        self.check_nothing_is_left()
        self.check_the_user_has_all()
        self.check_agents_were_told()
        self.check_somebody_was_told()

    def check_gates_saw_the_end(self) -> None:
        """By the gates' own notes: after the agent's last, each has passed on the files that are there now."""
        log = self.gate_log()
        last = max(i for i, line in enumerate(log) if line == "agent")
        gates = {line.split()[0] for line in log} - {"agent"}
        assert gates and {f"{gate} {self.seen_now()} 0" for gate in gates} <= set(log[last:]), log

    def check_nothing_is_open(self) -> None:
        records = self.records()
        begun, ended = [], []
        for r in records:
            name, _, what = r["kind"].rpartition(".")
            key = r["data"].get("op") or r["data"].get("serial")
            if name in ("iteration", "gate", "wait"):
                (begun if what == "started" else ended).append((name, key))
        assert sorted(map(str, begun)) == sorted(map(str, ended))
        heard = [r["data"]["name"] for r in records if r["kind"] == "event.received"]
        assert len(heard) == len(set(heard)), "a message counts once"
        runs = [r["data"]["run"] for r in records if r["kind"] == "run.started"]
        over = [r["data"]["run"] for r in records if r["kind"] in ("run.ended", "run.swept")]
        assert sorted(runs) == sorted(over), "each run has ended or was found dead, once"

    def check_nothing_is_left(self) -> None:
        assert not (self.folder / "home/.local/state/ralph/workspaces").exists(), "checkouts of gates"
        assert processes_with(self.token) == []
        # What is in use for an instant only is cleaned up after a day.
        assert {p.name.rpartition("-")[0] for p in (self.folder / "tmp").iterdir()} <= {
            "ralph-status",
            "ralph-rules",
            "ralph-probe",
            "ralph-patch",
        }
        assert not (self.path / ".ralph.lock").exists()
        assert not (self.path / ".ralph_state.md").exists(), "it is for what is not done"
        inside = {p.name for p in self.path.iterdir() if p.name.startswith((".ralph", "..ralph"))}
        assert inside <= {".ralph"}, inside
        odd = [
            p for p in self.state.rglob("*") if ".lock" in p.name or "scratch-" in p.name or "tmp" in p.name
        ]
        odd += list((self.state / "blobs").glob(".*"))
        odd += list((self.state / "inbox").glob("*")) if (self.state / "inbox").exists() else []
        assert odd == []
        assert list((self.path / ".git").rglob("*.lock")) == []
        for blob in (self.state / "blobs").iterdir():
            assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.name

    def check_the_user_has_all(self) -> None:
        assert self.user_state() == self.before
        assert (self.path / "notes").read_text() == "staged\nand not staged\n"
        assert not (self.folder / "hooks.log").exists(), "a hook of the user's was run"
        saved = [r["data"]["recovery"] for r in self.records() if r["kind"] == "workspace.prepared"]
        assert len(saved) == 1
        assert self.git("show", f"{saved[0]}:notes") == "staged\nand not staged"

    def check_agents_were_told(self) -> None:
        """An interrupted iteration is closed with the tree that it left, and the next prompt says so."""
        iterations = [r for r in self.records() if r["kind"].startswith("iteration.")]
        for ended, following in pairwise(iterations):
            if ended["kind"] == "iteration.ended" and ended["data"]["how"] == "interrupted":
                assert self.git("cat-file", "-t", ended["data"]["tree"]) == "tree"
                assert following["data"]["n"] == ended["data"]["n"], "it gives its number back"
                prompt = (self.state / "blobs" / following["data"]["prompt"]).read_text()
                assert "cut off by an interruption; its edits are still here" in prompt

    def check_somebody_was_told(self) -> None:
        """Of the end, by the command that the configuration names: once, or twice with the same id."""
        if "notify:" not in (self.path / "ralph.yml").read_text():
            return
        failed = [r["data"] for r in self.records() if r["kind"] == "notified" and not r["data"]["ok"]]
        if failed:  # the command could not even be started, and the record says why
            assert all(f["text"].startswith("not started: ") for f in failed), failed
            return
        told = [json.loads(line) for line in (self.folder / "home" / "told").read_text().splitlines() if line]
        assert {m["end"] for m in told} == {"completed-verified"} and len({m["id"] for m in told}) == 1, told


def turn_by_turn(seams: Sequence[Seam], step: int) -> list[Seam]:
    """Every step-th; which ones depends on the seed."""
    return list(seams[drawn("turn").randrange(step) :: step])


def sample(seams: Sequence[Seam], part: int, parts: int) -> list[Seam]:
    """One part of what `make chaos` takes: one seam of each kind, and a third of the others, or all of them with ALL=1.

    Each seam is drawn, and put into a part, by its name alone: which git commands a snapshot needs depends on the clock's
    grain, so the lists of two workers may differ, and still every kind is in some part.
    """
    lots = {seam: drawn(seam.at).random() for seam in seams}
    of_each_kind = {min(same, key=lots.__getitem__) for same in by_kind(seams).values()}
    wanted = [seam for seam in seams if ALL or seam in of_each_kind or lots[seam] < 1 / 3]
    names = {seam: seam.kind if seam in of_each_kind else seam.at for seam in wanted}
    return [seam for seam, name in names.items() if zlib.crc32(name.encode()) % parts == part]


def by_kind(seams: Sequence[Seam]) -> dict[str, list[Seam]]:
    found: dict[str, list[Seam]] = {}
    for seam in seams:
        found.setdefault(seam.kind, []).append(seam)
    return found
