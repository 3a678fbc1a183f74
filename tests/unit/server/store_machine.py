"""The same calls on a store and on the model in memory give the same answers. hypothesis chooses the calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from msgspec.structs import replace

from ralph.core.fleet import leases
from ralph.core.fleet import model as m
from ralph.core.fleet import requests as r
from ralph.core.fleet.server import handle
from ralph.core.fleet.store import FleetStore, FleetTransaction
from ralph.server.stores.memory import MemoryStore

START = 1_800_000_000_000
LEASE = 1000
SETTINGS = m.FleetSettings(
    lease_ms=LEASE,
    abandoned_ms=4 * LEASE,
    tick_gap_ms=100 * LEASE,
    backoff_ms=500,
    quota_ms=900,
    most_deaths=2,
)
WORKERS = ("w1", "w2")
IDS = ("a", "B", "é", "Z-1", "z_2", "10", "9", "ß", "aa", "😀")  # where bytes and languages order differently
HASHES = ("0" * 64, "a" * 64, "f" * 64)
KEYS = tuple(f"key-{n}" for n in range(12))

ids = st.sampled_from(IDS)
workers = st.sampled_from(WORKERS)
labels = st.sampled_from([(), ("gpu",), ("gpu", "linux"), ("linux", "gpu"), ("linux",), ("it's", 'so"')])
repositories = st.sampled_from(["", "app", "lib"])
texts = st.sampled_from(["", "plain", "two\nlines", "it's 100% \\ :x $now", "ünï😀"])
times = st.integers(0, 4).map(lambda n: START + n * 700)
specs = st.builds(
    m.TaskSpec,
    task=st.sampled_from(["do it", "do that\nnow"]),
    ralph_promise=st.just("it is done"),
    priority=st.sampled_from([0.0, 1.0, 2.0, 2.5]),
    labels=labels,
    repository=repositories,
    target=st.sampled_from(["", "next"]),
    agent=st.sampled_from(["", "claude"]),
    task_type=st.sampled_from(["ralph", "ralph", "chore"]),
    title=st.sampled_from(["", "A 100% title!", "É"]),
    tags=st.sampled_from([(), ("it's", "b")]),
    parent=st.sampled_from(["", "a"]),
    assign_to=st.sampled_from(["", "", "w1"]),
)
progress = st.builds(
    m.TaskProgress,
    attempts=st.integers(0, 3),
    cost_usd=st.sampled_from([0.0, 0.1, 1 / 3]),
    open=st.sampled_from(["", "iteration:1"]),
    intent=st.none() | st.builds(m.OpenIntent, commit=st.just("c" * 40)),
    artifact_paths=st.sampled_from([(), ("a", "b")]),
    landed=st.sampled_from(["", "pr"]),
)
vitals = st.builds(m.Vitals, op=texts, seconds=st.sampled_from([0.0, 1.5]))
changes = st.fixed_dictionaries(
    {},
    optional={
        "spec": specs,
        "lane": st.sampled_from(["", "app main", "app next", "lib main"]),
        "status": st.sampled_from(["pending", "in_progress", "in_progress", "complete", "failed", "blocked"]),
        "phase": st.sampled_from(["work", "land", "land"]),
        "reason": texts,
        "waits": st.sampled_from([0, 0, 0, 1]),
        "failed_needs": st.sampled_from([(), ("a", "B")]),
        "not_before": st.sampled_from([0, 0, START + 500, START + 2500, m.FOREVER]),
        "holder": st.sampled_from(["", "", "w1"]),
        "lease_until": times,
        "assigned": st.sampled_from(["", "", "w1", "gone"]),
        "saved": st.booleans(),
        "vitals": vitals,
        "facts": st.integers(0, 3),
        "chain": texts,
        "savepoint": st.none()
        | st.builds(m.Savepoint, commit=texts, blobs=st.sampled_from([{}, {"a/b": "h"}])),
        "protocol": st.sampled_from([1, 1, 2]),
        "progress": progress,
        "merged": st.booleans(),
        "deaths": st.integers(0, 2),
        "faults": st.sampled_from([(), (m.WorkerFault("w1", "clone"), m.WorkerFault("w2", "agent"))]),
        "retry": st.none() | st.builds(m.RequestedRetry, fresh=st.booleans()),
        "cancel_wanted": st.booleans(),
    },
)
offers = st.builds(
    r.Offer,
    worker=workers,
    phase=st.sampled_from(["work", "work", "land"]),
    labels=st.sampled_from([(), ("gpu",), ("linux", "gpu", "more"), ("it's", 'so"')]),
    repositories=st.sampled_from([None, None, ("app",), ()]),
    closed_repositories=st.sampled_from([(), (), ("lib",)]),
    closed_agents=st.sampled_from([(), (), ("claude",)]),
    protocol=st.sampled_from([1, 2, 2]),
)
able_offers = st.builds(
    r.Offer,
    worker=workers,
    phase=st.sampled_from(["work", "land"]),
    labels=st.just(("gpu", "linux")),
    protocol=st.sampled_from([1, 2]),
)
ready_tasks = st.builds(
    m.FleetTask,
    id=ids,
    spec=st.builds(
        m.TaskSpec,
        task=st.just("ready"),
        priority=st.sampled_from([1.0, 2.0]),
        labels=st.sampled_from([(), ("gpu",)]),
        repository=st.sampled_from(["app", "lib"]),
    ),
    born=st.sampled_from([START, START + 1]),
    lane=st.sampled_from(["app main", "lib main"]),
    phase=st.sampled_from(["work", "land"]),
    status=st.sampled_from(["pending", "in_progress"]),
    protocol=st.sampled_from([1, 1, 2]),
    progress=st.builds(m.TaskProgress, attempts=st.sampled_from([0, 2])),
    saved=st.booleans(),
    vitals=vitals,
)
requests = st.one_of(
    st.builds(r.CreateTask, ids, specs),
    st.builds(r.ClaimRequest, offers, st.sampled_from(KEYS)),
    st.builds(r.CancelTask, ids, texts),
    st.builds(r.RetryTask, ids, st.booleans()),
    st.builds(r.SendMessage, ids, st.sampled_from(["say", "pause", "answer", "stop"]), texts, texts),
    st.builds(r.UpdateTask, ids, specs),
)


queries = st.builds(
    m.TaskQuery,
    statuses=st.sampled_from([(), (), ("pending",), ("complete", "failed", "in_progress")]),
    phase=st.sampled_from(["", "", "work", "land"]),
    task_type=st.sampled_from(["", "", "ralph", "chore"]),
    repository=st.sampled_from(["", "", "app"]),
    worker=st.sampled_from(["", "", "w1"]),
    assign_to=st.sampled_from(["", "", "w1"]),
    parent=st.sampled_from(["", "", "a"]),
    tag=st.sampled_from(["", "", "it's"]),
    label=st.sampled_from(["", "", "gpu", 'so"']),
    search=st.sampled_from(["", "", "DO IT", "a", "Z-", "%", "z_", "!", "é"]),
    repositories=st.sampled_from([None, None, (), ("lib",)]),
)


def changed(task: m.FleetTask, fields: dict[str, Any]) -> m.FleetTask:
    """Any state but one that no rule makes and that the rules do not get out of: held, and not in progress."""
    task = replace(task, **fields)
    return replace(task, status="in_progress") if task.holder else task


class Everything(Protocol):
    """What a test has to make for the machine: a store that is empty, and whose clock it sets."""

    store: FleetStore

    def set_clock(self, ms: int) -> None: ...

    def reopen(self) -> None: ...

    def close(self) -> None: ...


class Undo(Exception):
    """Raised by a rule: nothing of it may stay."""


class StoreMachine(RuleBasedStateMachine):
    make: Callable[[], Everything]

    def __init__(self) -> None:
        super().__init__()
        self.real = type(self).make()
        self.now = START
        self.claims = 0
        self.model = MemoryStore(lambda: self.now)
        self.real.set_clock(self.now)

    def teardown(self) -> None:
        try:
            self.everything_is_equal()
        finally:
            self.real.close()

    def both(self, act: Callable[[FleetTransaction], Any], *, read: bool = False) -> Any:
        expected = _outcome(self.model, act, read)
        found = _outcome(self.real.store, act, read)
        self.real.store.relay()
        assert found == expected, f"it answered {found}, and the model {expected}"
        return expected

    def known(self, id: str) -> m.FleetTask | None:
        return self.model.read(lambda tx: tx.task(id))

    # -- tasks and claims, as the rules ask for them

    @initialize()
    def begin(self) -> None:
        self.both(lambda tx: tx.add_repository(m.Repository("app", "https://x/app", "main")))
        self.both(lambda tx: tx.add_repository(m.Repository("lib", "https://x/lib")))

    @rule(request=requests)
    def a_request(self, request: Any) -> None:
        self.both(lambda tx: handle(tx, request, SETTINGS))

    @rule(worker=workers, id=ids, seen=vitals, stale=st.booleans())
    def a_heartbeat(self, worker: str, id: str, seen: m.Vitals, stale: bool) -> None:
        task = self.known(id)
        epoch = (task.epoch if task is not None else 0) - stale
        self.both(lambda tx: handle(tx, r.Heartbeat(id, epoch, worker, seen), SETTINGS))

    @rule(offer=able_offers)
    def a_claim(self, offer: r.Offer) -> None:
        self.claims += 1
        wish = r.ClaimRequest(offer, f"claim-{self.claims}")
        self.both(lambda tx: handle(tx, wish, SETTINGS))

    @rule(id=ids, park=st.sampled_from([0.0, 0.7, -1.0]), fault=st.sampled_from(["", "", "clone", "agent"]))
    def a_release(self, id: str, park: float, fault: Any) -> None:
        task = self.known(id)
        if task is not None and task.holder:
            release = r.Release(id, task.epoch, task.holder, park, fault=fault, text="no")
            self.both(lambda tx: handle(tx, release, SETTINGS))

    @rule()
    def a_tick(self) -> None:
        self.both(lambda tx: leases.tick(tx, SETTINGS))

    @rule(ms=st.sampled_from([1, 400, LEASE + 1, 5 * LEASE]))
    def time_passes(self, ms: int) -> None:
        self.now += ms
        self.real.set_clock(self.now)

    # -- tasks in any state

    @rule(id=ids, spec=specs, fields=changes, needs=st.lists(ids, unique=True, max_size=3))
    def add_task(self, id: str, spec: m.TaskSpec, fields: dict[str, Any], needs: list[str]) -> None:
        task = changed(m.FleetTask(id=id, spec=spec, born=self.now), fields | {"holder": ""})
        self.both(lambda tx: tx.add_task(task, needs))

    @rule(id=ids, fields=changes)
    def save_task(self, id: str, fields: dict[str, Any]) -> None:
        def save(tx: FleetTransaction) -> None:
            task = tx.lock_task(id) or m.FleetTask(id=id, spec=m.TaskSpec(task="none"), born=0)
            tx.save_task(changed(task, fields))
            tx.emit(m.FleetEvent(id, "updated", task.epoch, text=task.reason))

        self.both(save)

    @rule(tasks=st.lists(ready_tasks, min_size=1, max_size=4, unique_by=lambda task: task.id))
    def tasks_are_ready(self, tasks: list[m.FleetTask]) -> None:
        def put(tx: FleetTransaction) -> None:
            for task in tasks:
                if tx.lock_task(task.id) is None:
                    tx.add_task(task, ())
                else:
                    tx.save_task(task)

        self.both(put)

    @rule(offer=offers | able_offers, lease=st.sampled_from([0, LEASE]))
    def claim(self, offer: r.Offer, lease: int) -> None:
        self.claims += 1
        key = f"raw-{self.claims}"
        self.both(lambda tx: (tx.next_epoch(), tx.claim_ready(offer, key, lease)))

    @rule(offer=offers | able_offers)
    def claim_expired(self, offer: r.Offer) -> None:
        self.both(lambda tx: tx.claim_expired(offer))

    @rule(id=ids, worker=workers, spec=specs)
    def add_and_claim_at_once(self, id: str, worker: str, spec: m.TaskSpec) -> None:
        offer = r.Offer(worker, labels=spec.labels)
        task = m.FleetTask(id=id, spec=replace(spec, agent=f"new-{id}"), born=self.now)
        self.both(lambda tx: (tx.add_task(task, ()), tx.claim_ready(offer, f"at-once-{id}", LEASE)))

    @rule(id=ids, epoch=st.integers(0, 3), worker=st.sampled_from(["w1", "w2", ""]), seen=st.none() | vitals)
    def renew_lease(self, id: str, epoch: int, worker: str, seen: m.Vitals | None) -> None:
        task = self.known(id)
        if task is not None and epoch:
            epoch, worker = task.epoch, task.holder or "w1"
        self.both(lambda tx: tx.renew_lease(id, epoch, worker, LEASE, seen))

    @rule(before=times)
    def look_at_claims(self, before: int) -> None:
        self.both(lambda tx: (tx.overdue(before), [tx.claimed_with(key) for key in KEYS[:4]]))
        self.both(
            lambda tx: [tx.is_landing(lane) for lane in ("", "app main", "app next", "lib main")], read=True
        )

    @rule()
    def wake_due(self) -> None:
        self.both(lambda tx: tx.wake_due())

    # -- what hangs on tasks

    @rule(id=ids, bodies=st.lists(st.binary(max_size=5), max_size=3), epoch=st.integers(0, 2**40))
    def add_facts(self, id: str, bodies: list[bytes], epoch: int) -> None:
        def add(tx: FleetTransaction) -> Any:
            first = len(tx.facts(id)) + 1
            sent = (
                m.SentFact(n, "loop", "kind", "at", body, f"c{n}") for n, body in enumerate(bodies, first)
            )
            tx.add_facts(id, [m.StoredFact(epoch, fact) for fact in sent])
            return tx.facts(id, 1, 2), tx.facts(id, 2)

        self.both(add)

    @rule(id=ids, needs=st.lists(ids, unique=True, max_size=4))
    def replace_needs(self, id: str, needs: list[str]) -> None:
        def change(tx: FleetTransaction) -> Any:
            tx.lock_needs()
            if tx.lock_task(id) is not None:
                tx.replace_needs(id, needs)
            return [(tx.needs(id), tx.dependants(id)) for id in IDS]

        self.both(change)

    @rule(
        id=ids, other=ids, body=texts, take=st.dictionaries(st.integers(1, 6), st.integers(1, 9), max_size=3)
    )
    def messages(self, id: str, other: str, body: str, take: dict[int, int]) -> None:
        def talk(tx: FleetTransaction) -> Any:
            added = tx.add_message(m.PersonMessage(0, id, "say", body, "me"))
            tx.take_messages(other, take)
            return added, tx.messages(id), tx.messages(other, taken=True)

        self.both(talk)

    @rule(
        hash=st.sampled_from(HASHES),
        body=st.sampled_from([b"", b"\0\xff", b"x" * 5000]),
        age=st.integers(0, 2000),
    )
    def blobs(self, hash: str, body: bytes, age: int) -> None:
        def put(tx: FleetTransaction) -> Any:
            if tx.blob(hash) is None:
                tx.put_blob(hash, body)
            missing = tx.missing_blobs([*HASHES, HASHES[0]], tx.now() - age), tx.missing_blobs([], 0)
            tx.put_blob(hash, tx.blob(hash) or b"")
            return missing, tx.missing_blobs(HASHES, tx.now()), [tx.blob(h) for h in HASHES]

        self.both(put)

    @rule(
        id=ids,
        named=st.lists(st.sampled_from(HASHES), unique=True, max_size=2),
        saved=st.none() | st.lists(st.sampled_from(HASHES), unique=True, max_size=2),
        age=st.integers(0, 2000),
        most=st.integers(1, 3),
    )
    def blobs_are_used(self, id: str, named: list[str], saved: list[str] | None, age: int, most: int) -> None:
        def use(tx: FleetTransaction) -> Any:
            tx.use_blobs(id, named)
            if saved is not None:
                tx.save_blobs(id, saved)
            return tx.forget_blobs(tx.now() - age, most), [tx.blob(h) for h in HASHES]

        self.both(use)

    @rule(query=queries)
    def find(self, query: m.TaskQuery) -> None:
        def look(tx: FleetTransaction) -> Any:
            first = tx.find_tasks(replace(query, most=2))
            after = (first[-1].born, first[-1].id) if first else None
            return first, tx.find_tasks(replace(query, before=after)), [tx.held_by(w) for w in (*WORKERS, "")]

        self.both(look, read=True)
        self.both(lambda tx: (tx.figures(), tx.unmerged_tasks(2)), read=True)
        self.both(lambda tx: tx.compact_counts())
        self.both(lambda tx: tx.figures(), read=True)

    @rule(gap=st.sampled_from([10**4, 10**9]))
    def skip_numbers(self, gap: int) -> None:
        self.both(lambda tx: tx.skip_numbers(gap))
        self.both(lambda tx: (tx.event_range(), tx.events()), read=True)

    @rule(
        token=st.builds(
            m.Token,
            id=st.sampled_from(["t1", "t2"]),
            name=texts,
            role=st.sampled_from(m.ROLES),
            hash=st.sampled_from(["h1", "h2"]),
            created_at=times,
            labels=st.sampled_from([None, (), ("gpu",)]),
        ),
        worker=st.builds(m.WorkerRecord, name=workers, note=texts, orders=st.sampled_from(["", "drain"])),
        record=st.builds(m.AuditRecord, at=times, token=st.just("t1"), name=texts, action=st.just("cancel")),
    )
    def people(self, token: m.Token, worker: m.WorkerRecord, record: m.AuditRecord) -> None:
        def write(tx: FleetTransaction) -> Any:
            tx.save_worker(worker)
            tx.add_audit(record)
            known = next((old for old in tx.tokens() if old.id == token.id), None)
            if known is not None:
                tx.save_token(replace(token, hash=known.hash, created_at=known.created_at))
            elif tx.token_with(token.hash) is None:
                tx.save_token(token)
            return tx.tokens(), tx.workers(), tx.worker("w1"), tx.token_with("h1"), tx.audit(3, 2), tx.audit()

        self.both(write)

    @rule(id=st.sampled_from(["t1", "t2", "t3"]))
    def forget_token(self, id: str) -> None:
        self.both(lambda tx: (tx.forget_token(id), tx.tokens(), tx.token_with("h1")))

    @rule(before=st.integers(0, 30))
    def forget_events(self, before: int) -> None:
        self.both(lambda tx: tx.forget_events(before))
        self.both(lambda tx: (tx.event_range(), tx.events(after=2, most=3)), read=True)

    @rule(name=repositories, url=texts, tick=st.builds(m.ServerTick, times, times))
    def the_server(self, name: str, url: str, tick: m.ServerTick) -> None:
        self.both(
            lambda tx: (tx.repository(name), tx.tick(), tx.add_repository(m.Repository(name, url, "main")))
        )
        self.both(lambda tx: (tx.repository(name), tx.save_tick(tick), tx.tick()))

    @rule(token=texts, key=texts, body=st.binary(max_size=4), age=st.integers(0, 3000))
    def answers(self, token: str, key: str, body: bytes, age: int) -> None:
        self.both(
            lambda tx: (tx.kept_answer(token, key), tx.keep_answer(token, key, m.KeptAnswer("d", body)))
        )
        self.both(lambda tx: (tx.kept_answer(token, key), tx.forget_answers(self.now - age)))

    # -- transactions

    @rule(id=ids, spec=specs)
    def a_rule_that_raises_leaves_nothing(self, id: str, spec: m.TaskSpec) -> None:
        def fail(tx: FleetTransaction) -> None:
            tx.emit(m.FleetEvent(id, "created"))
            tx.next_epoch()
            tx.put_blob("undone", b"x")
            tx.save_tick(m.ServerTick(7, 7))
            if tx.task(id) is None:
                tx.add_task(m.FleetTask(id=id, spec=replace(spec, agent=f"undone-{id}"), born=1), ["a"])
            raise Undo

        assert self.both(fail) is Undo

    @rule(id=ids)
    def a_reader_cannot_write(self, id: str) -> None:
        for store in (self.model, self.real.store):
            found = _outcome(store, lambda tx: tx.put_blob("written by a reader", b"x"), True)
            assert isinstance(found, type) and issubclass(found, Exception)
        self.both(lambda tx: tx.blob("written by a reader"))

    @precondition(lambda self: self.now > START)
    @rule()
    def reopen(self) -> None:
        self.real.reopen()

    @rule()
    def everything_is_equal(self) -> None:
        self.both(lambda tx: (tx.now(), tx.tick()))
        self.both(
            lambda tx: (tx.tasks_after("", 100), tx.tasks_after("a", 2), tx.tasks_after("é", 1)), read=True
        )
        self.both(lambda tx: (tx.events(), tx.events(2, 3), tx.events(10**6)), read=True)
        self.both(
            lambda tx: [
                (tx.task(i), tx.facts(i), tx.needs(i), tx.dependants(i), tx.messages(i, taken=True))
                for i in IDS
            ],
            read=True,
        )


def _outcome(store: FleetStore, act: Callable[[FleetTransaction], Any], read: bool) -> Any:
    try:
        return store.read(act) if read else store.run(act)
    except Exception as error:
        return type(error)
