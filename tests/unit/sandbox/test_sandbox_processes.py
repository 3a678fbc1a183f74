"""A sandboxed program is owned like any other: in every tier it is stopped with patience, killed whole, and its exit
code and environment pass through."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sandbox_world import World, needs_bwrap

from ralph.processes.owned_process import Ended, OwnedProcess
from ralph.processes.ownership import Ownership, available_tiers
from ralph.sandbox.bwrap import left_running

pytestmark = needs_bwrap
_usable = available_tiers()
TIERS = [
    pytest.param(tier, marks=pytest.mark.skipif(bool(_usable[tier]), reason=f"{tier}: {_usable[tier]}"))
    for tier in ("cgroup", "pidns", "reaper")
]
# Leaves its session, its parent and its environment behind, and shows a mark in its arguments.
DAEMON = "(setsid env -i sleep {} >/dev/null 2>&1 </dev/null &)"


def until(true: Callable[[], object], what: str) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.01)


class Mark:
    """Something unique in the arguments of a process: how long it sleeps."""

    def __init__(self) -> None:
        self.seconds = f"9876{int.from_bytes(os.urandom(4), 'big')}"

    def alive(self) -> list[str]:
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                words = (place / "cmdline").read_bytes().split(b"\0")
                state = (place / "stat").read_text().rpartition(") ")[2][0]
            except OSError:
                continue
            if words[:2] == [b"sleep", self.seconds.encode()] and state not in "ZX":
                found.append(place.name)
        return found


@pytest.fixture
def mark() -> Iterator[Mark]:
    mark = Mark()
    yield mark
    assert mark.alive() == []


@pytest.fixture(params=TIERS)
def ownership(request: pytest.FixtureRequest) -> Iterator[Ownership]:
    owner = Ownership(request.param, "run-1")
    yield owner
    owner.close(spare_keeper=True)


def start(world: World, owner: Ownership, script: str, stdin: bytes | None = None) -> OwnedProcess:
    boxed = world.wrap(["sh", "-c", script])
    out = world.folder / "out"
    return owner.start("i", boxed.argv, cwd=world.workspace, env=boxed.env, stdin=stdin, out=out)


def finish(owned: OwnedProcess) -> Ended:
    end = time.monotonic() + 60
    while not owned.exited():
        assert time.monotonic() < end
        owned.wait(1)
        owned.pump()
    return owned.close()


def test_code_input_output_and_environment_pass_through(world: World, ownership: Ownership) -> None:
    script = 'cat; echo "$RALPH_RUN $RALPH_TOKEN"; echo "$(ls /proc/self/fd | wc -l)" >&2; exit 7'
    ended = finish(start(world, ownership, script, stdin=b"a prompt\n"))
    assert (ended.code, ended.stragglers) == (7, ())
    assert (world.folder / "out").read_text() == "a prompt\nrun-1 token-1\n"
    assert ended.err_tail.split() == ["4"]  # the three, and the one that ls itself opens


def test_death_by_a_signal_is_told_as_a_shell_does(world: World, ownership: Ownership) -> None:
    assert finish(start(world, ownership, "kill -SEGV $$")).code == 128 + signal.SIGSEGV


def test_what_a_program_leaves_is_named_and_gone(world: World, ownership: Ownership, mark: Mark) -> None:
    waits = "until pidof sleep >/dev/null || pgrep sleep >/dev/null; do :; done; exit 3"
    ended = finish(start(world, ownership, f"{DAEMON.format(mark.seconds)}; {waits}"))
    assert mark.alive() == []
    assert ended.code == 3
    assert [line.split()[1] for line in left_running(ended.err_tail)] == ["sleep"]


def test_a_program_that_is_asked_to_stop_can_tidy_up(world: World, ownership: Ownership) -> None:
    script = "trap 'sleep 0.3; echo tidy >tidy; exit 5' TERM; echo ready >ready; while :; do sleep 0.05; done"
    owned = start(world, ownership, script)
    until((world.workspace / "ready").exists, "the program")
    owned.ask()
    ended = finish(owned)
    assert (world.workspace / "tidy").read_text() == "tidy\n"
    assert ended.code == 5


def test_children_that_tidy_up_longer_are_waited_for(world: World, ownership: Ownership) -> None:
    child = (
        "(trap 'sleep 0.5; echo tidy >tidy; exit' TERM; echo ready >ready; while :; do sleep 0.05; done) &"
    )
    owned = start(world, ownership, f"{child} wait")
    until((world.workspace / "ready").exists, "the child")
    owned.ask()
    finish(owned)
    assert (world.workspace / "tidy").read_text() == "tidy\n"


def test_a_program_that_does_not_stop_is_killed_whole(world: World, ownership: Ownership, mark: Mark) -> None:
    owned = start(world, ownership, f"trap '' TERM; {DAEMON.format(mark.seconds)}; sleep {mark.seconds}")
    until(lambda: len(mark.alive()) == 2, "both sleepers")
    owned.ask()
    owned.kill()
    owned.close()
    assert mark.alive() == []


@pytest.mark.parametrize("tier", TIERS)
def test_nothing_survives_the_death_of_ralph(world: World, tier: str, mark: Mark) -> None:
    boxed = world.wrap(["sh", "-c", f"{DAEMON.format(mark.seconds)}; sleep {mark.seconds}"])
    script = (
        "import pathlib, sys\n"
        "from ralph.processes.ownership import Ownership\n"
        "tier, out, env, *argv = sys.argv[1:]\n"
        "o = Ownership(tier, 'run-1')\n"
        "p = o.start('i', argv, cwd=pathlib.Path('/'), env=eval(env), stdin=None, out=pathlib.Path(out))\n"
        "while not p.exited():\n"
        "    p.wait()\n"
        "    p.pump()\n"
    )
    arguments = [tier, str(world.folder / "out"), repr(boxed.env), *boxed.argv]
    ralph = subprocess.Popen([sys.executable, "-c", script, *arguments])
    try:
        until(lambda: len(mark.alive()) == 2, "both sleepers")
    finally:
        ralph.kill()
        ralph.wait()
    until(lambda: not mark.alive(), "their end")
