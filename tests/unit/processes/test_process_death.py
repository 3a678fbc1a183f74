"""Nothing survives the death of Ralph, of the guard, of the keeper, or of all of them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from process_world import (
    DEADLINE,
    Token,
    World,
    children,
    finish,
    parent,
    tiers,
    until,
    wait_exited,
    wait_for_line,
)

from ralph.processes.marks import sweep

every_holding_tier = pytest.mark.parametrize("tier", tiers("cgroup", "pidns", "reaper"))
every_tier = pytest.mark.parametrize("tier", tiers("cgroup", "pidns", "reaper", "group"))

HARD_TO_KILL = """trap '' TERM INT HUP
(setsid sh -c 'trap "" TERM; sleep TOKEN' &)
(env -i setsid sleep TOKEN &)
sleep TOKEN & kill -STOP $!
echo up
sleep TOKEN"""


class Orchestrator:
    def __init__(self, tier: str, folder: Path, mode: str, script: str, fault: str = "") -> None:
        self.token = Token()
        self.process = subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).with_name("orchestrator.py")),
                tier,
                str(folder),
                mode,
                script.replace("TOKEN", self.token.seconds),
            ],
            env={**os.environ, "RALPH_FAULT": fault},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.lines = self.process.stdout
        self.residue = self.lines.readline().rstrip("\n")

    def wait_up(self) -> None:
        assert self.lines.readline() == "up\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.lines.close()

    def survivors(self) -> list[str]:
        """Of what it started; its own arguments carry the token too."""
        return [s for s in self.token.survivors() if int(s.split()[0]) != self.process.pid]


@pytest.fixture
def orchestrators() -> Iterator[list[Orchestrator]]:
    made: list[Orchestrator] = []
    yield made
    for o in made:
        o.kill()


# -- Ralph


@every_holding_tier
def test_killing_ralph_leaves_nothing(tier: str, tmp_path: Path, orchestrators: list[Orchestrator]) -> None:
    orchestrators.append(o := Orchestrator(tier, tmp_path, "hold", HARD_TO_KILL))
    o.wait_up()
    keeper = int(o.residue.split()[2].partition(".")[0])
    assert o.survivors()
    o.kill()
    until(lambda: not o.survivors(), "for the tree to die")
    until(lambda: not Path(f"/proc/{keeper}").exists(), "for the keeper to end")
    assert sweep(o.residue) == []
    prefix = Path(o.residue.split(" ", 3)[3])
    assert list(prefix.parent.glob(f"{prefix.name}*")) == [] or tier != "cgroup"


@pytest.mark.parametrize("tier", tiers("group"))
def test_killing_ralph_leaves_nothing_of_a_group(
    tier: str, tmp_path: Path, orchestrators: list[Orchestrator]
) -> None:
    orchestrators.append(
        o := Orchestrator(tier, tmp_path, "hold", "trap '' TERM; sleep TOKEN & echo up; wait")
    )
    o.wait_up()
    o.kill()
    until(lambda: not o.survivors(), "for the group to die")


@every_tier
@pytest.mark.parametrize("seam", [1, 2])
def test_killing_ralph_around_a_start_leaves_nothing(
    tier: str, seam: int, tmp_path: Path, orchestrators: list[Orchestrator]
) -> None:
    orchestrators.append(o := Orchestrator(tier, tmp_path, "again", "sleep TOKEN", f"kill@{seam}"))
    assert o.process.wait(DEADLINE) == -signal.SIGKILL
    until(lambda: not o.survivors(), "for the program to die")


@every_tier
def test_killing_ralph_at_any_moment_leaves_nothing(
    tier: str, tmp_path: Path, orchestrators: list[Orchestrator]
) -> None:
    for moment in range(4):
        orchestrators.append(o := Orchestrator(tier, tmp_path, "again", ": TOKEN"))
        time.sleep(0.003 * moment)  # not a wait for something: the moment is what varies
        o.kill()
        until(lambda o=o: not o.survivors(), "for the program to die")  # type: ignore[misc]


@every_holding_tier
def test_the_keeper_alone_ends_what_a_killed_guard_held(
    tier: str, tmp_path: Path, orchestrators: list[Orchestrator]
) -> None:
    orchestrators.append(o := Orchestrator(tier, tmp_path, "hold", HARD_TO_KILL))
    o.wait_up()
    os.kill(o.process.pid, signal.SIGSTOP)  # so it is not Ralph who does it
    keeper = int(o.residue.split()[2].partition(".")[0])
    for guard in children(keeper):
        with contextlib.suppress(ProcessLookupError):
            os.kill(guard, signal.SIGKILL)
    until(lambda: not o.survivors(), "for the tree to die")


# -- Ralph, the keeper and the guards, all at once


@pytest.mark.parametrize("tier", tiers("cgroup", "pidns", "reaper"))
def test_sweep_ends_what_is_left_when_everybody_was_killed(
    tier: str, tmp_path: Path, orchestrators: list[Orchestrator]
) -> None:
    script = "(setsid sh -c 'trap \"\" TERM; (env -i sleep TOKEN) & sleep TOKEN' &)\necho up; sleep TOKEN"
    orchestrators.append(o := Orchestrator(tier, tmp_path, "hold", script))
    o.wait_up()
    keeper = int(o.residue.split()[2].partition(".")[0])
    everybody = [o.process.pid, keeper, *children(keeper)]
    for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped first, so that none sees another die
        for pid in everybody:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
    o.kill()
    left = o.survivors()
    assert left or tier == "pidns"  # there the kernel has done it
    found = sweep(o.residue)
    assert o.survivors() == []
    assert {s.split()[0] for s in left} <= {f.split()[0] for f in found} or tier == "pidns"
    assert sweep(o.residue) == []


@every_holding_tier
def test_sweep_is_at_once_done_when_nothing_is_left(world: World) -> None:
    residue = world.ownership.residue()
    finish(world.sh("exit 0"))
    world.ownership.close()
    assert sweep(residue) == []


@pytest.mark.parametrize("tier", tiers("reaper"))
def test_sweep_spares_other_runs_and_the_sweeper(world: World, tmp_path: Path) -> None:
    other = World("reaper", tmp_path)
    with other.ownership:
        bystander = other.sh("echo up; exec sleep TOKEN")
        wait_for_line(bystander, "up")
        code = "from ralph.processes.marks import sweep; import sys; print(sweep(sys.argv[1]))"
        residue = f"reaper {world.ownership.run} 0.0 "
        swept, _ = finish(world.start([sys.executable, "-c", code, residue], env=dict(os.environ)))
        assert (swept.code, world.said()) == (0, "[]\n"), swept.err_tail
        assert not bystander.exited()


# -- the guard, the keeper


@every_holding_tier
def test_a_killed_guard_takes_its_tree_with_it(world: World) -> None:
    owned = world.sh(HARD_TO_KILL)
    wait_for_line(owned, "up")
    os.kill(parent(owned.pid), signal.SIGKILL)
    wait_exited(owned)
    ended = owned.close()
    assert (ended.code, ended.trouble) == (-9, "its guard was killed")
    assert world.token.survivors() == []
    assert world.run("exit 3")[0].code == 3


@every_holding_tier
def test_a_guard_that_does_not_answer_is_done_without(world: World) -> None:
    owned = world.sh(HARD_TO_KILL)
    wait_for_line(owned, "up")
    os.kill(parent(owned.pid), signal.SIGSTOP)
    assert owned.close().code == -9
    assert world.token.survivors() == []


@every_holding_tier
def test_signals_meant_for_ralph_do_not_end_guard_or_keeper(world: World) -> None:
    owned = world.sh("echo up; read line; exit 3", stdin=b"x" * 100_000)
    guard = parent(owned.pid)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        for pid in (guard, parent(guard)):
            os.kill(pid, number)
    assert finish(owned)[0].code == 3


@every_tier
def test_a_killed_keeper_is_replaced_and_its_guards_go_on(world: World) -> None:
    owned = world.sh("cat; exit 3", stdin=b"p" * 200_000)
    keeper = parent(parent(owned.pid))
    os.kill(keeper, signal.SIGKILL)
    ended, _ = finish(owned)
    assert (ended.code, len(world.said())) == (3, 200_000)
    for _ in range(3):  # the guard that was waiting may still serve one
        assert world.run("exit 4")[0].code == 4
