"""A server in memory with a clock that tests turn, and a worker that sends facts without a protocol object."""

from __future__ import annotations

from typing import Any

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import CODES, End
from ralph.core.fleet import leases, server
from ralph.core.fleet import requests as r
from ralph.core.fleet.chain import number
from ralph.core.fleet.model import FleetSettings, FleetTask, Repository, Savepoint, SentFact, TaskSpec
from ralph.core.policy import Policy, Task
from ralph.server.stores.memory import MemoryStore

STARTED = f.LoopStarted(loop="l", task=Task("t", "t"), policy=Policy(agent=AgentPolicy()), root="/w")
UNPROVEN = f.LoopStarted(
    loop="l", task=Task("t", "t"), policy=Policy(agent=AgentPolicy(), gates_declined=True), root="/w"
)
ITERATION = f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="")
ENDED = f.IterationEnded(
    serial=1, n=1, how="exited", code=0, seconds=1, tree="t", usage=f.Usage(tokens=5, cost_usd=0.5)
)
INTENT = f.LandingIntended(op="land", how="merge", ref="refs/heads/main", commit="c1", tree="t", tip="c0")
LANDED = f.Landed(op="land", how="merge", ref="refs/heads/main", commit="c1")


def end(name: End) -> f.LoopEnded:
    return f.LoopEnded(end=name, reason="so it was", code=CODES[name])


class Server:
    def __init__(self) -> None:
        self.clock = 1_000_000
        self.settings = FleetSettings()
        self.store = MemoryStore(lambda: self.clock)
        self.keys = 0
        self.store.run(lambda tx: tx.add_repository(Repository("app", "https://example.org/app", "main")))
        self.up()

    def up(self) -> None:
        """The server has been up for long."""
        self.store.run(lambda tx: leases.tick(tx, self.settings))
        self.wait(1200)

    def wait(self, seconds: float) -> None:
        """Time passes while the server ticks."""
        end = self.clock + int(seconds * 1000)
        while self.clock < end:
            self.clock = min(end, self.clock + 10_000)
            self.store.run(lambda tx: leases.tick(tx, self.settings))

    def ask(self, request: Any) -> Any:
        return self.store.run(lambda tx: server.handle(tx, request, self.settings))

    def create(self, id: str = "t", **spec: Any) -> Any:
        fields = {"task": "do it\nwell", "ralph_promise": "it is done", "repository": "app", **spec}
        return self.ask(r.CreateTask(id, TaskSpec(**fields)))

    def task(self, id: str = "t") -> FleetTask:
        task = self.store.run(lambda tx: tx.task(id))
        assert task is not None
        return task

    def claim(self, worker: str = "ann", key: str = "", **fields: Any) -> Any:
        self.keys += 1
        again = {name: fields.pop(name) for name in ("task", "epoch") if name in fields}
        return self.ask(r.ClaimRequest(r.Offer(worker, **fields), key or f"{worker} {self.keys}", **again))

    def facts(self, *facts: f.AnyFact, id: str = "t") -> tuple[SentFact, ...]:
        """The next facts of the task, numbered and chained."""
        task, sent = self.task(id), []
        n, chain = task.facts, task.chain
        for fact in facts:
            sent.append(number(fact, n + 1, chain, loop="l", at="now"))
            n, chain = n + 1, sent[-1].chain
        return tuple(sent)

    def batch(self, task: FleetTask, sent: tuple[SentFact, ...], **fields: Any) -> Any:
        return self.ask(r.FactBatch(task.id, task.epoch, task.holder, sent, **fields))

    def send(self, task: FleetTask, *facts: f.AnyFact, save: bool = False) -> Any:
        point = Savepoint("s1") if save else None
        return self.batch(task, self.facts(*facts, id=task.id), savepoint=point)

    def run_to(self, *facts: f.AnyFact, phase: Any = "work") -> FleetTask:
        """Claimed and sent; the task as it then is."""
        answer = self.send(self.claim(phase=phase).task, *facts)
        assert isinstance(answer, r.Accepted), answer
        return self.task()

    def proven(self) -> FleetTask:
        return self.run_to(STARTED, end("completed-verified"))
