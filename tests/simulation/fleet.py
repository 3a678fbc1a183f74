"""The whole: a server on the store in memory, machines, a remote, people; and what must hold when it is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from ralph.core.fleet import leases, server
from ralph.core.fleet import requests as r
from ralph.core.fleet import worker as w
from ralph.core.fleet.check import check, check_lanes, read_histories
from ralph.core.fleet.lander import LandingProtocol
from ralph.core.fleet.model import FleetSettings, FleetTask, Repository, TaskSpec
from ralph.server.stores.memory import MemoryStore
from simulation import scripts
from simulation.machine import Script, SimLoop, SimMachine
from simulation.remote import TARGET, GitRemote
from simulation.world import Chaos, Network, World

TICK = 5.0
MOST_STEPS = 100_000
WISHES = (
    "say",
    "say",
    "answer",
    "pause",
    "continue",
    "continue",
    "stop",
    "retry",
    "fresh",
    "complete",
    "accept",
    "update",
)


class Fleet:
    landing_protocol: type[LandingProtocol] = LandingProtocol

    def __init__(self, seed: int, chaos: Chaos | None = None) -> None:
        self.world = World(seed, chaos)
        dice = self.world.dice
        self.settings = FleetSettings()
        self.store_clock = 0.0
        self.store = MemoryStore(lambda: 1_000_000 + int((self.world.now + self.store_clock) * 1000))
        self.server_up = True
        self.network = Network(self.world, self._serve)
        self.remote = GitRemote(self.world, atomic=dice.random() < 0.85)
        self.requests: dict[str, str] = {}
        self.plans: dict[str, scripts.Plan] = {}
        self.acknowledged: dict[str, dict[int, str]] = {}
        self.problems: list[str] = []
        self.tasks: list[str] = []
        self.machines = self._machines()
        self.store.run(lambda tx: tx.add_repository(Repository("app", "https://example.org/app", "main")))
        self._create_tasks(dice.randint(2, 6))

    # -- the parts

    def _machines(self) -> list[SimMachine]:
        dice = self.world.dice
        machines = []
        for n in range(dice.randint(2, 3)):
            name = f"worker{n}"
            machines.append(SimMachine(self, name, (r.Offer(name),), dice.randint(1, 2)))
        for n in range(dice.randint(1, 2)):
            name = f"lander{n}"
            offers: tuple[r.Offer, ...] = (r.Offer(name, "land"),)
            if dice.random() < 0.3:
                offers = (r.Offer(name, "land"), r.Offer(name, "work"))
            machines.append(SimMachine(self, name, offers, dice.randint(1, 2)))
        return machines

    def plan(self, task: str) -> scripts.Plan:
        dice = self.world.dice
        ends: list[Any] = []
        while dice.random() < 0.25:
            ends.append(
                dice.choice(
                    (
                        "failed",
                        "stuck",
                        "blocked-on-person",
                        "needs-review",
                        "interrupted",
                        "agent-unusable",
                        "limit",
                    )
                )
            )
        plan = scripts.Plan(dice.randint(1, 3), tuple(ends), poison=dice.random() < 0.06)
        self.plans[task] = plan
        return plan

    def _create_tasks(self, number: int) -> None:
        dice = self.world.dice
        for n in range(number):
            id = f"t{n}"
            needs = tuple(t for t in self.tasks if dice.random() < 0.2)
            has_repository = dice.random() < 0.85
            spec = TaskSpec(
                task=f"task {n}",
                ralph_promise="it is done",
                repository="app" if has_repository else "",
                dependencies=needs,
                priority=float(dice.randint(0, 3)),
            )
            self.plan(id)
            self.tasks.append(id)
            self.ask(r.CreateTask(id, spec))

    def script(self, loop: SimLoop) -> Script:
        return scripts.land(self, loop) if loop.task.phase == "land" else scripts.work(self, loop)

    def landing(self, task: FleetTask) -> LandingProtocol:
        return self.landing_protocol(task, TARGET, branch=f"refs/heads/ralph/{task.id}", most_merges=6)

    def breaks_clone(self, loop: SimLoop) -> bool:
        return self.world.chance(0.03)

    # -- the server

    def _serve(self, request: Any) -> Any:
        if not self.server_up:
            raise ConnectionError
        answer = self.store.run(lambda tx: server.handle(tx, request, self.settings))
        if isinstance(request, r.ClaimRequest):
            self.problems += check_lanes(self.all_tasks())
        return answer

    def ask(self, request: r.PersonRequest) -> Any:
        """A person's request."""
        if not self.server_up:
            return None
        answer = self._serve(request)
        self.world.log("person", request, "→", answer if isinstance(answer, r.Refusal) else "ok")
        return answer

    def _tick(self) -> None:
        if self.server_up:
            self.store.run(lambda tx: leases.tick(tx, self.settings))
        self.world.at(TICK, self._tick)

    def _restart_server(self) -> None:
        if self.server_up:
            self.server_up = False
            seconds = self.world.dice.choice((2.0, 20.0, 150.0, 300.0))
            self.world.log("server", f"is down for {seconds:.0f} s")
            self.world.at(seconds, self._start_server)

    def _start_server(self) -> None:
        self.server_up = True

    def _jump_clock(self) -> None:
        jump = self.world.dice.choice((-40.0, -5.0, 5.0, 60.0, 400.0))
        self.store_clock += jump
        self.world.log("database", f"clock jumps by {jump:.0f} s")

    # -- what happens to them

    def _any_machine(self) -> SimMachine:
        return self.world.dice.choice(self.machines)

    def _kill(self) -> None:
        self._any_machine().die(self.world.dice.choice((1.0, 10.0, 60.0, 400.0)))

    def _pause(self) -> None:
        self._any_machine().pause(self.world.dice.choice((5.0, 20.0, 100.0, 200.0, 500.0)))

    def _partition(self) -> None:
        machine = self._any_machine()
        self.network.cut_off.add(machine.name)
        self.world.log(machine.name, "is cut off")
        self.world.at(self.world.dice.choice((10.0, 100.0, 300.0)), self._reconnect, machine.name)

    def _reconnect(self, name: str) -> None:
        self.network.cut_off.discard(name)

    def _meddle(self) -> None:
        """A person does something."""
        dice = self.world.dice
        task = dice.choice(self.all_tasks())
        kind = "cancel" if dice.random() < self.world.chaos.cancels else dice.choice(WISHES)
        match kind:
            case "cancel":
                self.ask(r.CancelTask(task.id, "ann"))
            case "retry" | "fresh":
                self.ask(r.RetryTask(task.id, fresh=kind == "fresh"))
            case "update":
                self.ask(r.UpdateTask(task.id, _with_priority(task.spec, float(dice.randint(0, 3)))))
            case _:
                self.ask(r.SendMessage(task.id, kind, "please", "ann"))

    def _touch_target(self) -> None:
        self.remote.rewind() if self.world.dice.random() < 0.5 else self.remote.advance()

    def _merge_requests(self) -> None:
        if not self.server_up:
            return
        for id, commit in list(self.requests.items()):
            task = self.task(id)
            if task.progress.landed == "pr" and task.progress.commit == commit and not task.merged:
                self.ask(r.ReportMerged(id, commit))

    def _settle_down(self) -> None:
        """It becomes calm: everything works, and people let everything continue."""
        world = self.world
        self.problems += self._check()  # it must hold at every moment
        world.log("world", "is calm now")
        world.calm = True
        self.server_up = True
        self.network.cut_off.clear()
        for machine in self.machines:
            machine.paused_until = min(machine.paused_until, world.now)
            if machine.protocol is None:
                machine.boot()
        self._encourage()

    def _encourage(self) -> None:
        """People let parked tasks continue."""
        for task in self.all_tasks():
            if task.status in ("pending", "in_progress"):
                self.ask(r.SendMessage(task.id, "continue", author="ann"))
        self._merge_requests()
        if self.world.now < self.world.chaos.seconds + 3000:
            self.world.at(500, self._encourage)

    # -- run and check

    def all_tasks(self) -> list[FleetTask]:
        return list(self.store.run(lambda tx: tx.tasks_after("", 10_000)))

    def task(self, id: str) -> FleetTask:
        task = self.store.run(lambda tx: tx.task(id))
        assert task is not None
        return task

    def note_acknowledged(self, machine: SimMachine, notice: w.FactsAccepted) -> None:
        """A worker was told that these are accepted: they must be there at the end, unchanged."""
        journal = machine.disk.get(notice.task)
        if journal is not None:
            kept = self.acknowledged.setdefault(notice.task, {})
            kept.update({e.fact.n: e.fact.chain for e in journal.entries if e.fact.n <= notice.n})

    def run(self) -> list[str]:
        """Every problem of this seed's history."""
        world, chaos = self.world, self.world.chaos
        rates: tuple[tuple[float, Callable[[], None]], ...] = (
            (chaos.deaths * len(self.machines), self._kill),
            (chaos.pauses * len(self.machines), self._pause),
            (chaos.partitions * len(self.machines), self._partition),
            (chaos.server_restarts, self._restart_server),
            (chaos.clock_jumps, self._jump_clock),
            (chaos.people, self._meddle),
            (chaos.rewinds, self._touch_target),
            (2.0, self._merge_requests),
        )
        for rate, do in rates:
            world.often(rate, do)
        for machine in self.machines:
            world.at(world.dice.uniform(0, 5), machine.boot)
        world.at(0, self._tick)
        world.at(chaos.seconds, self._settle_down)
        steps = 0
        try:
            while world.step() and world.now < chaos.seconds + chaos.patience and steps < MOST_STEPS:
                steps += 1
                if world.calm and steps % 50 == 0 and self._is_settled():
                    break
        except Exception as error:
            return [f"{type(error).__name__}: {error}"]
        unsettled = [f"{t.id}: {why}" for t in self.all_tasks() if (why := self.why_unsettled(t))]
        return [*self.problems, *self._check(), *unsettled]

    def _is_settled(self) -> bool:
        return all(self.why_unsettled(task) == "" for task in self.all_tasks())

    def why_unsettled(self, task: FleetTask) -> str:
        if task.status == "in_progress":
            return f"it is still held by {task.holder}"
        if task.status != "pending":
            return ""
        if task.waits:
            return ""  # for one that is blocked, or that is not settled itself
        return f"it is pending in phase {task.phase}, not before {task.not_before}"

    def _check(self) -> list[str]:
        histories = list(self.store.run(lambda tx: list(read_histories(tx))))
        events = [event for _, event in self.store.run(lambda tx: tx.events())]
        problems = check(histories, events, self.remote.landed)
        stored = {h.task.id: {s.fact.n: s.fact.chain for s in h.facts} for h in histories}
        for id, kept in self.acknowledged.items():
            lost = [n for n, chain in kept.items() if stored[id].get(n) != chain]
            if lost:
                problems.append(f"{id}: fact {lost[0]} was acknowledged and is not there")
        return problems


def _with_priority(spec: TaskSpec, priority: float) -> TaskSpec:
    return replace(spec, priority=priority)
