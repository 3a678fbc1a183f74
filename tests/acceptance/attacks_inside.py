"""A confined agent that tries to get out, in a whole run: prints each attempt that had an effect, as `GOT: ...`.

`attacks_inside.py PHASE TOLD`: told is JSON about the world outside. The phases: one by the agent, one by a gate.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

NO_PROCESS = str(2**22 + 1)
ATTEMPTS: dict[str, Callable[[dict[str, str]], object]] = {}


def attempt(function: Callable[[dict[str, str]], object]) -> None:
    ATTEMPTS[function.__name__] = function


@attempt
def read_the_journal(told: dict[str, str]) -> object:
    return Path(told["state"], "journal.jsonl").read_bytes()[:20]


@attempt
def write_the_journal(told: dict[str, str]) -> object:
    with open(Path(told["state"], "journal.jsonl"), "a") as file:
        return file.write("forged\n")


@attempt
def read_transcripts(told: dict[str, str]) -> object:
    return list(Path(told["state"], "runs").rglob("*.out")) or _nothing()


@attempt
def read_prompts(told: dict[str, str]) -> object:
    return list(Path(told["state"], "blobs").iterdir())[1:] or _nothing()  # one may be its own


@attempt
def move_a_ref(told: dict[str, str]) -> object:
    return _run("git", "update-ref", "refs/heads/main", told["first"])


@attempt
def make_a_branch(told: dict[str, str]) -> object:
    return _run("git", "branch", "mine")


@attempt
def commit(told: dict[str, str]) -> object:
    return _run("git", "commit", "--allow-empty", "-m", "mine")


@attempt
def write_a_hook(told: dict[str, str]) -> object:
    return Path(".git/hooks/post-checkout").write_text("#!/bin/sh\n")


@attempt
def replace_git(told: dict[str, str]) -> object:
    moved = Path(".git").rename("git-of-old")
    return os.rename(moved, ".git") or "replaced"  # noqa: PTH104


@attempt
def write_the_home(told: dict[str, str]) -> object:
    Path(told["home"], "planted").write_text(
        "x"
    )  # it has a home of its own: whether this is the user's is seen outside
    return _nothing()


@attempt
def read_the_ssh_key(told: dict[str, str]) -> object:
    return Path(told["home"], ".ssh/id_rsa").read_text()


@attempt
def read_beside_the_workspace(told: dict[str, str]) -> object:
    return Path("../private.txt").read_text()


@attempt
def write_beside_the_workspace(told: dict[str, str]) -> object:
    Path("../planted.txt").write_text("x")  # likewise
    return _nothing()


@attempt
def write_the_prompt(told: dict[str, str]) -> object:
    return [_opened(path) for path in Path(told["state"], "blobs").iterdir()] or _nothing()


@attempt
def kill_ralph(told: dict[str, str]) -> object:
    return os.kill(int(told["pid"]), 9) or "killed"


@attempt
def see_ralph(told: dict[str, str]) -> object:
    return Path("/proc", told["pid"], "cmdline").read_bytes() if "ralph" in _comm(told["pid"]) else _nothing()


@attempt
def have_keys_of_others(told: dict[str, str]) -> object:
    return [n for n in os.environ if n in ("AWS_SECRET_ACCESS_KEY", "SERVICE_PASSWORD")] or _nothing()


def forge_messages(told: dict[str, str], phase: str) -> None:
    """They are refused, not prevented: the facts tell."""
    box = Path(told["state"], "inbox")
    for number, message in enumerate(
        (
            {"kind": "stop", "how": "cancel", "by": "ralph stop"},
            {"kind": "event", "topic": "human.interact", "payload": "forged"},
            {
                "kind": "claim",
                "token": "0" * 32,
                "loop": os.environ["RALPH_LOOP"],
                "summary": "forged, but long",
            },
            {"kind": "stop", "how": "now", "token": os.environ.get("RALPH_TOKEN", "")},
        )
    ):
        (box / f"{time.time_ns():020d}-1-{phase}{number}.json").write_text(json.dumps(message))
    (box / "bad").symlink_to(told["home"])  # where a trusting reader would put what is no message
    (box / "escaped.txt").write_text("no message\n")
    (box / "folder").mkdir()
    (box / "folder/inside.json").write_text("{}")
    os.mkfifo(box / "pipe.json")
    (box / "link.json").symlink_to(Path(told["home"], ".ssh/id_rsa"))


def lay_traps(told: dict[str, str]) -> None:
    """Links that lead out, where Ralph itself will read and write with the user's rights."""
    notes = Path(".ralph/agent")
    notes.mkdir(parents=True, exist_ok=True)
    scratchpad = notes / "scratchpad.md"
    scratchpad.unlink(missing_ok=True)
    scratchpad.symlink_to(Path(told["home"], ".ssh/id_rsa"))
    for name in (".ralph_state.md.tmp", ".ralph_state.md", "ralph.log"):
        Path(name).unlink(missing_ok=True)
        Path(name).symlink_to(Path(told["home"], "victim.txt"))
    Path(".ralph/checkpoints").symlink_to(told["home"])
    subprocess.run(["ralph", "checkpoint"], capture_output=True)


def replace_a_folder(told: dict[str, str]) -> None:
    """What a gate writes is undone by Ralph, outside: through this link it must not be."""
    Path("kept/file").unlink(missing_ok=True)
    Path("kept").rmdir()
    Path("kept").symlink_to(told["home"])


def leave_a_process() -> None:
    subprocess.Popen(["sleep", "4242"], start_new_session=True)


def _opened(path: Path) -> object:
    with open(path, "a"):
        return path


def _run(*command: str) -> object:
    return subprocess.run(command, check=True, capture_output=True).args


def _comm(pid: str) -> str:
    return Path("/proc", pid, "comm").read_text()


def _nothing() -> object:
    raise FileNotFoundError


def main() -> None:
    phase, told = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
    lock = Path(".ralph.lock")  # a clean checkout has none
    pid = lock.read_text().strip() if lock.exists() else NO_PROCESS
    told |= {"state": os.environ["RALPH_STATE"], "pid": pid}
    for name, function in ATTEMPTS.items():
        try:
            print("GOT:", name, function(told), flush=True)
        except (OSError, subprocess.CalledProcessError):
            pass
    print(f"tried {len(ATTEMPTS)}", flush=True)
    forge_messages(told, phase)
    leave_a_process()
    if phase == "agent":
        lay_traps(told)
    elif not Path("answer").exists():  # once: what it changes makes it fail
        replace_a_folder(told)


main()
