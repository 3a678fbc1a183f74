"""What is proven lands, once, whatever happens to landers and to the remote: real processes, real git, a bare remote."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import fakegh
from fleet import FleetServer, start_worker
from ralph.core import facts as f
from ralph.core.fleet import check
from ralph.core.fleet import requests as r
from ralph.core.fleet.lander import TAKEN_OFF
from ralph.core.fleet.model import FleetTask
from remote_project import RemoteProject

LEASE = 2500  # ms
PATIENCE = 300.0
# Each task writes the file that its first line names; the gate wants every such file to say `good`.
CONFIG = """\
cli: {backend: scripted, script: agent.yml}
gates: [{name: tests, run: sh test.sh}]
flaky_passes: 1
"""
GATE = """\
ls done-* >/dev/null 2>&1 || { echo 'FAILED: nothing is done'; exit 1; }
grep -L good done-* | grep . && { echo 'FAILED: not good'; exit 1; }
exit 0
"""
AGENT = """\
iterations:
  - - run: sh work.sh
    - say: TASK_COMPLETE
  - - run: sh again.sh
    - say: TASK_COMPLETE
  - - run: sh again.sh
    - say: TASK_COMPLETE
"""
WORK = "echo good > done-$RALPH_TASK\n"
AGAIN = "echo good > done-$RALPH_TASK\n"
FILES = {
    "ralph.yml": CONFIG,
    "test.sh": GATE,
    "agent.yml": AGENT,
    "work.sh": WORK,
    "again.sh": AGAIN,
    "shared": "one\n",
}
# A git in front of git. At the push that lands: says that it has come, and waits for a file.
GIT = """\
#!/bin/sh
case "$*" in
  *--dry-run*) ;;
  *"push "*--atomic*)
    test "$RALPH_HOLD" = after && {{ {git} "$@"; code=$?; }}
    touch {place}/come-$RALPH_NAME
    while ! test -e {place}/go-$RALPH_NAME; do sleep 0.05; done
    test "$RALPH_HOLD" = after && exit $code ;;
esac
exec {git} "$@"
"""


class LandingFleet:
    def __init__(self, folder: Path, **settings: int) -> None:
        self.folder = folder
        self.remote = RemoteProject(folder / "remote.git", FILES)
        self.server = FleetServer(folder, **{"lease_ms": LEASE, "backoff_ms": 200, **settings})
        self.server.register("app", str(self.remote.path))
        self.socket = self.server.listen()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.bin / "git").write_text(GIT.format(git=shutil.which("git"), place=folder))
        (self.bin / "git").chmod(0o755)

    def start(self, name: str, phase: str, **more: str) -> None:
        folder = self.folder / name
        self.processes[name] = start_worker(self.socket, folder, name, self.folder / "home", phase, **more)

    def work(self, name: str = "ann") -> None:
        self.start(name, "work")

    def land(self, name: str = "lea", **more: str) -> None:
        self.start(name, "land", **more)

    def land_held(self, name: str, hold: str) -> None:
        """It comes to its push, and waits there: before it, or after it and before it hears of the answer."""
        path = f"{self.bin}:{os.environ['PATH']}"
        self.start(name, "land", PATH=path, RALPH_HOLD=hold, RALPH_NAME=name)

    def until_push(self, name: str) -> None:
        self.server.wait((self.folder / f"come-{name}").exists, PATIENCE)

    def go_on(self, name: str) -> None:
        (self.folder / f"go-{name}").touch()

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def until(self, status: str, id: str = "t1") -> FleetTask:
        ends = time.monotonic() + PATIENCE
        while (task := self.server.task(id)).status != status:
            assert time.monotonic() < ends, f"{task}\n{self.words(id)}"
            time.sleep(0.05)
        return task

    def until_phase(self, phase: str, id: str = "t1") -> None:
        self.server.wait(lambda: self.server.task(id).phase == phase, PATIENCE)

    def words(self, id: str = "t1") -> str:
        facts = [f.kind_of(fact) for fact in self.server.facts(id)]
        logs = [f"{log.name}: {log.read_text()[-3000:]}" for log in self.folder.glob("*.log")]
        return "\n".join([" ".join(facts), *logs])

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.remote.path, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def tip(self) -> str:
        return self.git("rev-parse", "main")

    def landed(self) -> list[str]:
        """The tasks whose commits are on main, oldest first."""
        form = "--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)"
        return [line for line in self.git("log", "--reverse", form, "main").splitlines() if line]

    def check(self) -> None:
        """The history is sound."""
        histories = self.server.store.read(lambda tx: list(check.read_histories(tx)))
        assert check.check(histories, []) == []

    def close(self) -> None:
        for name in list(self.processes):
            self.processes[name].send_signal(signal.SIGCONT)
            self.kill(name)
        self.server.close()


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[LandingFleet]:
    found = LandingFleet(tmp_path)
    yield found
    found.close()


def test_what_is_proven_lands_with_its_trailers(fleet: LandingFleet) -> None:
    fleet.server.create(task="Do it\nwell")
    before = fleet.tip()
    fleet.work()
    fleet.land()
    task = fleet.until("complete")
    assert fleet.landed() == ["t1"]
    assert fleet.git("rev-parse", "main^") == before
    assert fleet.git("show", "main:done-t1") == "good"
    message = fleet.git("log", "-1", "--format=%B", "main")
    assert message.startswith("[t1] Do it")
    assert f"Completes: t1\nRalph-Task: t1\nRalph-Epoch: {task.epoch}" in message
    assert fleet.git("rev-parse", "refs/ralph/lander/main") == fleet.tip(), "the fence has moved with it"
    p = task.progress
    assert (p.landed, p.commit, p.end) == ("merge", fleet.tip(), "completed-verified")
    assert p.reason == "landed on main; proven: tests red→green"
    gates = [
        fact for fact in fleet.server.facts() if isinstance(fact, f.GateEnded) and fact.purpose == "land"
    ]
    assert [gate.passed for gate in gates] == [False, True], "at the tip, and on what lands"
    fleet.check()


def test_a_lander_that_was_stopped_before_its_push_lands_nothing_when_it_wakes(fleet: LandingFleet) -> None:
    fleet.server.create()
    fleet.work()
    fleet.land_held("lea", "before")
    fleet.until_push("lea")
    epoch = fleet.server.task().epoch
    fleet.processes["lea"].send_signal(signal.SIGSTOP)
    fleet.land("leo")
    task = fleet.until("complete")
    assert task.epoch > epoch
    tip = fleet.tip()
    fleet.go_on("lea")
    fleet.processes["lea"].send_signal(signal.SIGCONT)
    log = fleet.folder / "lea.log"
    fleet.server.wait(lambda: "t1 is lost" in log.read_text(), PATIENCE)
    assert (fleet.tip(), fleet.landed()) == (tip, ["t1"])
    fleet.check()


def test_killed_before_its_push_a_lander_leaves_the_landing_to_another(fleet: LandingFleet) -> None:
    fleet.server.create()
    fleet.work()
    fleet.land_held("lea", "before")
    fleet.until_push("lea")
    assert fleet.server.task().progress.intent is not None, "it is accepted before the push"
    fleet.kill("lea")
    fleet.land("leo")
    fleet.until("complete")
    fleet.go_on("lea")
    assert fleet.landed() == ["t1"]
    fleet.check()


def test_killed_after_its_push_it_has_landed_and_is_not_landed_again(fleet: LandingFleet) -> None:
    fleet.server.create()
    fleet.work()
    fleet.land_held("lea", "after")
    fleet.until_push("lea")
    tip, epoch = fleet.tip(), fleet.server.task().epoch
    fleet.kill("lea")
    fleet.land("leo")
    task = fleet.until("complete")
    assert (fleet.tip(), fleet.landed(), task.progress.commit) == (tip, ["t1"], tip)
    assert f"Ralph-Epoch: {epoch}" in fleet.git("log", "-1", "--format=%B", tip)
    fleet.check()


def test_what_a_person_took_off_the_target_is_not_landed_again_without_their_word(
    fleet: LandingFleet,
) -> None:
    fleet.server.create()
    fleet.work()
    fleet.land_held("lea", "after")
    fleet.until_push("lea")
    fleet.kill("lea")
    rewound = fleet.remote.rewind()
    fleet.land("leo")
    task = fleet.until("blocked")
    assert task.reason == f"blocked-on-person: {TAKEN_OFF}"
    assert fleet.tip() == rewound
    fleet.check()
    fleet.server.ask(r.RetryTask("t1"))
    fleet.until("complete")
    assert fleet.landed() == ["t1"]


def test_what_a_person_reverted_has_landed_all_the_same(fleet: LandingFleet) -> None:
    fleet.server.create()
    fleet.work()
    fleet.land_held("lea", "after")
    fleet.until_push("lea")
    fleet.kill("lea")
    reverted = fleet.remote.revert()
    fleet.land("leo")
    fleet.until("complete")
    assert (fleet.tip(), fleet.landed()) == (reverted, ["t1"])
    fleet.check()


def test_a_target_that_was_rewound_before_the_push_gets_only_the_change(fleet: LandingFleet) -> None:
    fleet.remote.commit({"unwanted": "a person takes this off again\n"})
    fleet.server.create()
    fleet.work()
    fleet.land_held("lea", "before")
    fleet.until_push("lea")
    rewound = fleet.remote.rewind()
    fleet.go_on("lea")
    fleet.until("complete")
    assert fleet.git("rev-parse", "main^") == rewound
    assert "unwanted" not in fleet.git("ls-tree", "--name-only", "main").split()
    fleet.check()


def test_two_landers_put_every_task_onto_the_target_once(fleet: LandingFleet) -> None:
    ids = [f"t{n}" for n in range(1, 5)]
    for id in ids:
        fleet.server.create(id)
    fleet.work("ann")
    fleet.work("bob")
    fleet.land("lea")
    fleet.land("leo")
    for id in ids:
        fleet.until("complete", id)
    assert sorted(fleet.landed()) == ids
    assert fleet.git("log", "--merges", "--oneline", "main") == ""
    fleet.check()


def test_a_conflict_goes_back_to_work_on_top_of_the_target(fleet: LandingFleet) -> None:
    seen = fleet.folder / "seen"
    fleet.remote.commit(
        {
            "work.sh": f"{WORK}echo mine > shared\n",
            "again.sh": f"{WORK}cp shared {seen}; echo both > shared\n",
        }
    )
    fleet.server.create()
    fleet.work()
    fleet.until_phase("land")
    theirs = fleet.remote.commit({"shared": "theirs\n"})
    fleet.land()
    task = fleet.until("complete")
    assert fleet.git("rev-parse", "main^") == theirs
    assert fleet.git("show", "main:shared") == "both"
    marks = seen.read_text().splitlines()
    assert [marks[0][:8], *marks[1:4], marks[4][:8]] == ["<<<<<<< ", "theirs", "=======", "mine", ">>>>>>> "]
    facts = fleet.server.facts()
    (returned,) = [fact for fact in facts if isinstance(fact, f.LandingReturned)]
    assert (returned.why, returned.tip) == ("conflict", theirs)
    assert returned.headline == "it conflicts with what landed on main meanwhile: shared"
    assert (task.progress.attempts, task.progress.ralph_iterations) == (1, 2)
    fleet.check()


def test_the_judges_are_those_of_the_target_and_what_is_red_there_is_a_rejected_claim(
    fleet: LandingFleet,
) -> None:
    fleet.remote.commit({"again.sh": "echo good and better > done-$RALPH_TASK\n"})
    fleet.server.create()
    fleet.work()
    fleet.until_phase("land")
    fleet.remote.commit({"test.sh": GATE.replace("good", "better")})
    fleet.land()
    task = fleet.until("complete")
    assert fleet.git("show", "main:done-t1") == "good and better"
    (returned,) = [fact for fact in fleet.server.facts() if isinstance(fact, f.LandingReturned)]
    assert (returned.why, returned.gate) == ("red", "tests")
    assert returned.headline == "on top of main: FAILED: not better"
    assert "done-t1" in returned.excerpt
    assert task.progress.attempts == 1
    fleet.check()


ALLOWED = f"{CONFIG}allow: [test.sh]\n"


def doubtful(fleet: LandingFleet) -> None:
    """The change edits its judge. That was allowed when the loop began, and is no more."""
    fleet.remote.commit(
        {
            "ralph.yml": ALLOWED,
            "work.sh": "echo 'exit 0' > test.sh\n",
            "again.sh": f"{WORK}git checkout HEAD test.sh\n",
        }
    )
    fleet.server.create()
    fleet.work()
    fleet.until_phase("land")
    fleet.remote.commit({"ralph.yml": CONFIG})
    fleet.land()
    task = fleet.until("blocked")
    assert task.reason.startswith(
        "needs-review: on top of main: tests: green only with changed gate inputs: test.sh"
    )
    assert task.phase == "land"
    assert fleet.landed() == []


def test_what_is_doubtful_lands_when_a_person_accepts_it(fleet: LandingFleet) -> None:
    doubtful(fleet)
    fleet.server.say("accept")
    fleet.until("complete")
    assert fleet.landed() == ["t1"]
    assert fleet.git("show", "main:test.sh") == "exit 0"
    fleet.check()


def test_what_is_doubtful_and_not_accepted_goes_back_to_work(fleet: LandingFleet) -> None:
    doubtful(fleet)
    fleet.server.ask(r.RetryTask("t1"))
    fleet.until("complete")
    assert fleet.git("show", "main:test.sh") == GATE.strip()
    assert fleet.git("show", "main:done-t1") == "good"


def test_three_landers_that_die_with_a_gate_block_the_task(fleet: LandingFleet) -> None:
    fleet.server.create()
    fleet.work()
    fleet.until_phase("land")
    fleet.remote.commit({"test.sh": f"touch {fleet.folder}/gate; sleep 600\n"})
    for n in range(3):
        fleet.land(f"lea{n}")
        fleet.server.wait((fleet.folder / "gate").exists, PATIENCE)
        fleet.server.wait(lambda: bool(fleet.server.task().progress.open), PATIENCE)
        fleet.kill(f"lea{n}")
        (fleet.folder / "gate").unlink()
    fleet.land("leo")
    task = fleet.until("blocked")
    assert task.reason.startswith("3 workers died with it, the last during land:")
    assert task.phase == "land"
    fleet.check()


def test_a_remote_without_atomic_pushes_gets_a_pull_request_with_the_evidence(fleet: LandingFleet) -> None:
    fleet.git("config", "receive.advertiseAtomic", "false")
    gh = fakegh.put(fleet.folder / "gh")
    fleet.server.create(task="Do it", ralph_promise="it is done")
    before = fleet.tip()
    fleet.work()
    fleet.land("lea", PATH=f"{gh}:{os.environ['PATH']}")
    task = fleet.until("complete")
    assert fleet.tip() == before
    assert (task.progress.landed, task.progress.commit) == ("pr", fleet.git("rev-parse", "ralph/t1"))
    (request,) = json.loads((fleet.folder / "gh/list").read_text())
    assert (request["head"], request["base"], request["title"]) == ("ralph/t1", "main", "[t1] Do it")
    body = request["body"]
    assert "- it is done" in body
    assert "**Evidence**: proven; judged on top of" in body
    assert "| tests | a clean checkout | red → green | 1 |" in body
    assert "**Cost**: 1 iteration, 0 tokens, 0.00 USD" in body
    landed = next(fact for fact in fleet.server.facts() if isinstance(fact, f.Landed))
    assert (landed.how, landed.url) == ("pr", request["url"])
    fleet.check()


@pytest.mark.parametrize("how", ["pushed", "squashed"])
def test_a_lander_sees_that_a_pull_request_is_merged_and_its_dependants_begin(
    fleet: LandingFleet, how: str
) -> None:
    fleet.git("config", "receive.advertiseAtomic", "false")
    path = f"{fakegh.put(fleet.folder / 'gh')}:{os.environ['PATH']}"
    fleet.server.create()
    fleet.server.create("t2", dependencies=("t1",))
    fleet.work()
    fleet.land("lea", PATH=path)
    assert not fleet.until("complete").merged
    fleet.kill("lea")
    assert (fleet.server.task("t2").waits, fleet.server.task("t2").epoch) == (1, 0)
    if how == "pushed":
        fleet.git("update-ref", "refs/heads/main", "refs/heads/ralph/t1")
    else:
        fleet.remote.commit({"done-t1": "good\n"})
        listed = json.loads((fleet.folder / "gh/list").read_text())
        (fleet.folder / "gh/list").write_text(json.dumps([one | {"state": "MERGED"} for one in listed]))
    fleet.git("update-ref", "-d", "refs/heads/ralph/t1")
    fleet.land("leo", PATH=path)
    fleet.until("complete", "t2")
    assert fleet.server.task().merged
    assert "t1: its pull request is merged" in (fleet.folder / "leo.log").read_text()
    fleet.check()


def test_a_pull_request_that_a_dead_lander_did_not_open_has_its_evidence_too(fleet: LandingFleet) -> None:
    fleet.git("config", "receive.advertiseAtomic", "false")
    gh = fakegh.put(fleet.folder / "gh")
    (fleet.folder / "gh/fails").touch()
    fleet.server.create()
    fleet.work()
    fleet.land("lea", PATH=f"{gh}:{os.environ['PATH']}")
    fleet.server.wait(lambda: "Bad credentials" in fleet.server.task().reason, PATIENCE)
    commit = fleet.git("rev-parse", "ralph/t1")
    fleet.kill("lea")
    (fleet.folder / "gh/fails").unlink()
    fleet.land("leo", PATH=f"{gh}:{os.environ['PATH']}")
    assert fleet.until("complete").progress.commit == commit
    (request,) = json.loads((fleet.folder / "gh/list").read_text())
    assert "| tests | a clean checkout | red → green | 1 |" in request["body"]
    fleet.check()


@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/ralph/lander/main"])
def test_a_remote_that_refuses_the_push_is_named_and_the_task_unharmed(fleet: LandingFleet, ref: str) -> None:
    hook = fleet.remote.path / "hooks" / "update"
    hook.write_text(f'#!/bin/sh\ntest "$1" != {ref} || {{ echo protected >&2; exit 1; }}\n')
    hook.chmod(0o755)
    fleet.server.create()
    fleet.work()
    fleet.land()

    def given_back() -> bool:
        task = fleet.server.task()
        return task.status == "pending" and "push: the remote refuses the push: " in task.reason

    fleet.server.wait(given_back, PATIENCE)
    hook.unlink()
    fleet.until("complete")
    fleet.check()


def test_no_gate_of_a_lander_sees_its_credentials(fleet: LandingFleet) -> None:
    seen = fleet.folder / "environment"
    fleet.server.create()
    fleet.work()
    fleet.until_phase("land")
    fleet.remote.commit({"test.sh": f"env >> {seen}\n{GATE}"})
    secrets = {"GH_TOKEN": "t0p-s3cret", "SSH_AUTH_SOCK": "/run/t0p-s3cret", "GIT_ASKPASS": "/bin/t0p-s3cret"}
    fleet.land("lea", **secrets)
    fleet.until("complete")
    assert "RALPH_TASK=t1" in seen.read_text()
    assert "t0p-s3cret" not in seen.read_text()


def test_where_a_sandbox_is_required_gates_run_in_it_whatever_the_configuration_says(
    fleet: LandingFleet,
) -> None:
    outside = fleet.folder / "outside"
    fleet.server.create()
    fleet.work()
    fleet.until_phase("land")
    fleet.remote.commit({"test.sh": f"touch {outside}\n{GATE}"})
    fleet.land("lea", RALPH_SANDBOX="1")
    fleet.until("complete")
    ended = fleet.server.facts()[-1]
    assert isinstance(ended, f.LoopEnded) and ended.evidence is not None
    assert (ended.evidence.sandbox, outside.exists()) == ("bwrap", False)


def test_a_paused_landing_waits_and_a_cancelled_one_that_did_not_happen_is_cancelled(
    fleet: LandingFleet,
) -> None:
    fleet.server.create()
    fleet.work()
    fleet.until_phase("land")
    fleet.remote.commit(
        {
            "test.sh": f"touch {fleet.folder}/gate; while ! test -e {fleet.folder}/open; do sleep 0.1; done\n{GATE}"
        }
    )
    fleet.land_held("lea", "before")
    fleet.server.wait((fleet.folder / "gate").exists, PATIENCE)
    fleet.server.say("pause")
    fleet.server.wait(lambda: not fleet.server.task().holder, PATIENCE)
    assert (fleet.server.task().reason, fleet.server.task().phase) == ("paused", "land")
    (fleet.folder / "open").touch()
    fleet.server.say("continue")
    fleet.until_push("lea")
    answer = fleet.server.ask(r.CancelTask("t1", "pat"))
    assert isinstance(answer, r.Refusal) and answer.kind == "landing"
    fleet.kill("lea")
    fleet.land("leo")
    fleet.until("cancelled")
    assert fleet.landed() == []
    fleet.check()


def rewound_below_the_start(fleet: LandingFleet) -> str:
    """The loop was begun on a commit that is not on main any more; the worker that had it is dead."""
    begun, go = fleet.folder / "begun", fleet.folder / "go"
    wait = f"{WORK}touch {begun}; while ! test -e {go}; do sleep 0.05; done\n"
    base = fleet.remote.commit({"work.sh": wait})
    fleet.server.create()
    fleet.work("ann")
    fleet.server.wait(begun.exists, PATIENCE)
    fleet.remote.rewind()
    fleet.kill("ann")
    go.touch()
    return base


def test_a_loop_whose_start_was_taken_off_the_target_continues_where_the_remote_still_has_it(
    fleet: LandingFleet,
) -> None:
    rewound_below_the_start(fleet)
    fleet.work("bob")
    fleet.land()
    fleet.until("complete")
    assert fleet.landed() == ["t1"]
    assert fleet.git("show", "main:work.sh") == WORK.strip(), "what was taken off stays off"
    fleet.check()


def test_where_the_remote_has_lost_the_start_of_a_loop_a_person_is_told(fleet: LandingFleet) -> None:
    base = rewound_below_the_start(fleet)
    fleet.git("reflog", "expire", "--expire=now", "--all")
    fleet.git("gc", "-q", "--prune=now")
    fleet.work("bob")
    task = fleet.until("blocked")
    assert task.reason.startswith(
        f"blocked-on-person: main was rewound: {base[:12]}, on which the loop was begun"
    )
    fleet.check()
    fleet.server.ask(r.RetryTask("t1", fresh=True))
    fleet.land()
    fleet.until("complete")
    assert fleet.landed() == ["t1"]


def test_a_lander_for_another_machine_needs_a_sandbox(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ralph", "worker", "--land", "--server", "http://192.0.2.1:3013"]
    environment = {"HOME": str(tmp_path), "PATH": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert "--land for a server on another machine needs a sandbox, and there is none" in done.stderr
