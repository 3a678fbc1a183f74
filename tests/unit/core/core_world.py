"""Worlds for testing the core without a process, file or clock: they answer the operations that it wants with facts.

Sections: one loop (`World`), arbitrary loops (strategies, `answer`, `close`), turns of hats (`HatWorld`),
roles (`RoleWorld`), arbitrary teams of hats on a board (`TeamWorld`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st
from msgspec.structs import replace

from loop_states import changed
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import RESUMABLE
from ralph.core.hats import board as scanboard
from ralph.core.hats import turns as t
from ralph.core.hats.activation import Wearing, choose, ended, started
from ralph.core.hats.model import Aggregate, Event, Hat, Scan, ScanFolder, Team, role_hats
from ralph.core.hats.turns import Routed, Turn, Turns
from ralph.core.loop import decide as d
from ralph.core.loop import steering
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.loop.step import Step, read_signal
from ralph.core.policy import GatePolicy, LimitPolicy, Policy, StuckPolicy, Task
from ralph.core.proof import Account, Contradiction, GamingFinding

# -- one loop ----------------------------------------------------------------------------------------

TASK = Task(id="t", title="Make it work")
TESTS = GatePolicy(name="tests", run="sh test.sh")


def policy(**changes: object) -> Policy:
    return replace(Policy(agent=AgentPolicy(command=("agent",)), gates=(TESTS,)), **changes)


class World:
    """A loop in which everything goes as `agent` and `gate` say."""

    def __init__(self, policy_: Policy | None = None, task: Task = TASK, prepared: bool = True) -> None:
        self.facts: list[f.AnyFact] = []
        self.state = LoopState()
        self.tell(f.LoopStarted(loop="l", task=task, policy=policy_ or policy(), root="/r"))
        if prepared:
            self.tell(f.WorkspacePrepared(tree="base"))

    def tell(self, *facts: f.Input) -> World:
        for fact in facts:
            if not isinstance(fact, f.Tick | f.Metered):
                self.facts.append(fact)
            self.state = fold(self.state, fact)
        return self

    def wants(self) -> d.Operation:
        """The one operation wanted now."""
        (op,) = d.decide(self.state)
        return op

    def base(self, passed: bool = False) -> World:
        """Run the gates on the starting tree."""
        while isinstance(op := self.wants(), d.RunGate) and op.purpose == "base":
            self.gate(passed)
        return self

    def iterate(self, tree: str = "", said: str = "", **more: object) -> World:
        """One iteration that leaves this tree and says this."""
        op = self.wants()
        assert isinstance(op, d.RunAgent), op
        self.tell(
            f.IterationStarted(
                serial=op.serial,
                n=op.n,
                prompt="p",
                prompt_chars=1,
                tree=self.state.workspace.tree,
                shift=op.shift,
                expand=op.expand,
                agent=op.agent,
                hat=op.hat,
            )
        )
        fields: dict[str, object] = {
            "serial": op.serial,
            "n": op.n,
            "how": "exited",
            "code": 0,
            "seconds": 1.0,
            "tree": tree or self.state.workspace.tree,
            "said": said,
        }
        return self.tell(f.IterationEnded(**(fields | more)))  # type: ignore[arg-type]

    def gate(self, passed: bool, **more: object) -> World:
        """The gate that is wanted now runs and says this."""
        op = self.wants()
        assert isinstance(op, d.RunGate), op
        self.tell(f.GateStarted(op=op.id, gate=op.gate, purpose=op.purpose, variant=op.variant, tree=op.tree))
        fields: dict[str, object] = {
            "op": op.id,
            "gate": op.gate,
            "purpose": op.purpose,
            "variant": op.variant,
            "tree": op.tree,
            "command": "x",
            "code": 0 if passed else 1,
            "seconds": 1.0,
            "passed": passed,
            "error_hash": "" if passed else "aaaaaaaa",
            "headline": "" if passed else "it fails",
        }
        return self.tell(f.GateEnded(**(fields | more)))  # type: ignore[arg-type]

    def claim(self, tree: str, passed: bool, **more: object) -> World:
        """An iteration claims; the gate judges; with a pass, the change touched no gate input."""
        self.iterate(tree, "TASK_COMPLETE").gate(passed, **more)
        if isinstance(again := self.wants(), d.RunGate) and again.id.endswith(":again"):
            self.gate(passed, **more)
        if isinstance(op := self.wants() if not self.state.judgement.ended else None, d.InspectClaim):
            self.tell(f.ClaimInspected(tree=op.tree, changed=1))
        return self

    def finish(self) -> d.Finish:
        op = self.wants()
        assert isinstance(op, d.Finish), op
        self.tell(f.LoopEnded(end=op.end, reason=op.reason, code=op.code, limit=op.limit, proof=op.proof))
        return op


def world(**changes: object) -> World:
    """A loop whose gates have looked at the starting tree."""
    return World(policy(**changes)).base()


def limits(**changes: object) -> LimitPolicy:
    return replace(LimitPolicy(), **changes)


# -- arbitrary loops -------------------------------------------------------------------------------

TREES = st.sampled_from(["base", "t1", "t2", "t3"])
SAID = st.sampled_from(
    ["", "ITERATION_DONE", "TASK_COMPLETE", "TASK_STUCK: x", "TASK_COMPLETE\nITERATION_DONE"]
)
NUMBERS = st.floats(0, 1e6, allow_nan=False)
HASHES = st.sampled_from(["", "aaaaaaaa", "bbbbbbbb"])
GATES = st.builds(
    GatePolicy,
    name=st.sampled_from(["tests", "lint", "spec"]),
    run=st.just("x"),
    review=st.sampled_from(["", "", "spec"]),
    hard=st.booleans(),
    every=st.sampled_from(["claim", "iteration"]),
)
POLICIES = st.builds(
    Policy,
    agent=st.just(AgentPolicy()),
    fallback=st.lists(st.just(AgentPolicy()), max_size=2).map(tuple),
    gates=st.lists(GATES, max_size=3, unique_by=lambda g: g.name).map(tuple),
    gates_declined=st.booleans(),
    claim=st.sampled_from(["signal", "exit-zero", "every-iteration"]),
    limits=st.builds(
        LimitPolicy,
        max_iterations=st.integers(1, 12),
        max_attempts=st.integers(1, 6),
        hard_seconds=st.sampled_from([0.0, 10.0, 1e9]),
        soft_seconds=st.sampled_from([0.0, 5.0, 1e9]),
        max_cost_usd=st.sampled_from([0.0, 1.0]),
        max_tokens=st.sampled_from([0, 100]),
        max_consecutive_failures=st.integers(1, 5),
        max_wait_seconds=st.sampled_from([0.0, 60.0, 3600.0]),
    ),
    stuck=st.builds(StuckPolicy, no_progress_stop=st.sampled_from([0, 5])),
    rules=st.sampled_from([1, 2]),
    flaky_passes=st.sampled_from([0, 1, 2]),
    reproduce=st.sampled_from(["off", "report", "require"]),
)
GAMING = GamingFinding(path="calc.py", line=1, rule="exit", text="it ends the process")
ACCOUNTS = st.sampled_from(
    [
        None,
        Account(passed=2),
        Account(passed=1, obsolete=("test_calc.py::test_b",)),
        Account(passed=1, contradicted=(Contradiction("test_calc.py::test_b", "assert 1 == 2"),)),
        Account(missing=("test_calc.py::test_a",)),
    ]
)
USAGE = st.builds(f.Usage, tokens=st.integers(0, 200), cost_usd=st.floats(0, 2, allow_nan=False))


def answer(
    op: d.Operation, s: LoopState, draw: Callable[[st.SearchStrategy[object]], object]
) -> list[f.Input]:
    """Facts that could follow from this operation: any outcome at all, also a run that dies half-way."""
    match op:
        case d.Prepare():
            return [f.WorkspacePrepared(tree="base")]
        case d.RunAgent() if returning(s) and draw(st.booleans()):
            return [f.AgentBack(agent=returning(s)[0])]
        case d.RunAgent():
            return [
                f.IterationStarted(
                    serial=op.serial,
                    n=op.n,
                    prompt="",
                    prompt_chars=0,
                    tree=s.workspace.tree,
                    shift=op.shift,
                    expand=op.expand,
                    agent=op.agent,
                    hat=op.hat,
                )
            ]
        case d.RunGate():
            return [
                f.GateStarted(
                    op=op.id,
                    gate=op.gate,
                    purpose=op.purpose,
                    variant=op.variant,
                    tree=op.tree,
                    swapped=op.swap,
                )
            ]
        case d.InspectClaim():
            touched = draw(
                st.dictionaries(st.sampled_from(["tests", "lint"]), st.just(("test.sh",)), max_size=2)
            )
            findings = draw(st.sampled_from([(), (), (GAMING,)]))
            new_tests = draw(st.sampled_from([(), ("test_new.py",)]))
            return [
                f.ClaimInspected(
                    tree=op.tree,
                    changed=1,
                    touched=touched,  # type: ignore[arg-type]
                    findings=findings,  # type: ignore[arg-type]
                    new_tests=new_tests,  # type: ignore[arg-type]
                )
            ]
        case d.Wait():
            return [
                f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds, until="2026-01-01T00:00:00+00:00")
            ]
        case d.Note():
            return [f.Checkpoint(what=op.what, serial=op.serial)]
        case d.Finish():
            return [f.LoopEnded(end=op.end, reason=op.reason, code=op.code, limit=op.limit, proof=op.proof)]
        case d.Continue():
            return _continue(op.id, s, draw)
    raise AssertionError(op)


def returning(s: LoopState) -> list[int]:
    return [n for n, away in s.agents.away.items() if away.until]


def _continue(op: str, s: LoopState, draw: Callable[[st.SearchStrategy[object]], object]) -> list[f.Input]:
    """Something under way ends, or time passes."""
    running = s.progress.open[op]
    if running.what == "wait":
        return [f.WaitEnded(op=op, elapsed=True)]
    if draw(st.integers(0, 5)) == 5:
        return [f.Tick(op=op, seconds=draw(NUMBERS), idle=draw(NUMBERS))]  # type: ignore[arg-type]
    return close(op, s, draw, "")


def close(
    op: str, s: LoopState, draw: Callable[[st.SearchStrategy[object]], object], cause: str
) -> list[f.Input]:
    running = s.progress.open[op]
    if running.what == "wait":
        return [f.WaitEnded(op=op, elapsed=False)]
    how = "interrupted" if cause == "stop" else "cut" if cause else "exited"
    if running.what == "gate":
        passed = draw(st.booleans())
        gate = s.gate(running.gate)
        reviewer = {}
        if gate and gate.review and how == "exited":
            fault = draw(st.sampled_from(["", "", "", "", "quota", "rate-limit", "overload", "credentials"]))
            unclear = bool(fault) or draw(st.integers(0, 3)) == 3
            passed = passed and not unclear
            reviewer = {"fault": fault, "unclear": unclear, "usage": draw(USAGE), "retry_after": 5.0}
        return [
            f.GateEnded(
                op=op,
                gate=running.gate,
                purpose=op.split(":")[0],  # type: ignore[arg-type]
                variant=next((v for v in ("original", "new-tests") if f":{v}" in op), "as-is"),  # type: ignore[arg-type]
                tree=running.tree,
                command="x",
                code=0 if passed else 1,
                seconds=draw(NUMBERS),  # type: ignore[arg-type]
                passed=bool(passed) and not cause,
                how="interrupted" if how == "interrupted" else "exited",
                timed_out="hard" if how == "cut" else "",
                error_hash=draw(HASHES),  # type: ignore[arg-type]
                report=draw(st.sampled_from(["", "r"])),  # type: ignore[arg-type]
                account=draw(ACCOUNTS) if how == "exited" else None,  # type: ignore[arg-type]
                new_tests=draw(st.integers(0, 2)),  # type: ignore[arg-type]
                idle_tests=draw(st.sampled_from([(), ("test_new.py::test_x",)])),  # type: ignore[arg-type]
                **reviewer,  # type: ignore[arg-type]
            )
        ]
    return [
        f.IterationEnded(
            serial=int(op.split(":")[1]),
            n=s.progress.iterations + 1,
            how=how,  # type: ignore[arg-type]
            cause=cause,  # type: ignore[arg-type]
            code=draw(st.sampled_from([0, 0, 0, 1, 127, -9])),  # type: ignore[arg-type]
            seconds=draw(NUMBERS),  # type: ignore[arg-type]
            tree=draw(TREES),  # type: ignore[arg-type]
            said=draw(SAID),  # type: ignore[arg-type]
            usage=draw(USAGE),  # type: ignore[arg-type]
            fault=draw(st.sampled_from(["", "", "", "", "quota", "rate-limit", "overload", "credentials"]))
            if how == "exited"
            else "",  # type: ignore[arg-type]
            retry_after=draw(st.sampled_from([-1.0, 0.0, 5.0, 1e5])),  # type: ignore[arg-type]
            back_at="2026-01-01T00:00:00+00:00",
            nested=draw(st.sampled_from([(), (), ("sub",)])),  # type: ignore[arg-type]
            scratchpad=draw(st.sampled_from(["", "a", "b"])),  # type: ignore[arg-type]
        )
    ]


# -- turns of hats, without a runner ---------------------------------------------------------------


def hat(id: str, *triggers: str, publishes: tuple[str, ...] = (), **more: object) -> Hat:
    return Hat(id=id, triggers=triggers, publishes=publishes, **more)  # type: ignore[arg-type]


def spike(**more: object) -> Team:
    """The hats of the seed's ralph.yml, with its triggers, publishes and defaults."""
    return Team(
        hats=(
            hat(
                "board_scanner",
                "board.scan",
                "board.rescan",
                "task.resume",
                publishes=("work.propose", "work.finish", "LOOP_COMPLETE"),
                default_publishes="LOOP_COMPLETE",
                name="Board Scanner",
            ),
            hat(
                "proposal_writer",
                "work.propose",
                publishes=("board.rescan",),
                default_publishes="board.rescan",
                name="Proposal Writer",
            ),
            hat(
                "finisher",
                "work.finish",
                publishes=("board.rescan",),
                default_publishes="board.rescan",
                name="Finisher",
            ),
        ),
        starting_event="board.scan",
        persistent=True,
        cooldown=30.0,
        **more,  # type: ignore[arg-type]
    )


class HatWorld:
    """Goes from turn to turn. `worn` are the hats in order ("" for the coordinator), `log` is what was routed."""

    def __init__(self, team: Team, state: Turns | None = None) -> None:
        self.team = team
        self.state = state or t.start(team)
        self.log: list[Routed] = list(self.state.latest)
        self.worn: list[str] = []
        self.serial = 0

    @property
    def next(self) -> t.Next:
        return t.next_turn(self.team, self.state)

    @property
    def turn(self) -> Turn:
        found = self.next
        assert isinstance(found, t.Wear), found
        return found.turn

    def step(self, state: Turns) -> HatWorld:
        self.state = state
        self.log += state.latest
        return self

    def began(self, hat_: str | None = None) -> Turn:
        turn = self.turn
        self.serial += 1
        self.worn.append(turn.hat if hat_ is None else hat_)
        self.step(t.began(self.team, self.state, self.serial, self.worn[-1]))
        assert self.state.current is not None
        return self.state.current

    def emit(self, topic: str, payload: str = "", serial: int | None = None) -> HatWorld:
        iteration = self.serial if serial is None else serial
        return self.step(t.emitted(self.team, self.state, Event(topic, payload, iteration=iteration)))

    def end(self, how: t.How = "lived", **more: object) -> HatWorld:
        return self.step(t.ended(self.team, self.state, how, **more))  # type: ignore[arg-type]

    def work(self, *topics: str, claimed: bool = False, moved: bool = False) -> HatWorld:
        """One iteration that emits these; "topic payload" for one with a payload."""
        self.began()
        for one in topics:
            topic, _, payload = one.partition(" ")
            self.emit(topic, payload)
        return self.end(claimed=claimed, moved=moved)

    def topics(self) -> list[str]:
        return [routed.event.topic for routed in self.log if routed.event.n]


class Folders:
    """What the agents of the spike do with the files."""

    def __init__(self, *items: str) -> None:
        self.folders: dict[str, list[str]] = {"work": list(items), "proposed": [], "done": []}
        self.headers: list[str] = []

    def scan(self) -> list[str]:
        for folder, topic in (("work", "work.propose"), ("proposed", "work.finish")):
            if self.folders[folder]:
                return [f"{topic} {sorted(self.folders[folder])[0]}"]
        return ["LOOP_COMPLETE"]

    def move(self, item: str, source: str, to: str) -> list[str]:
        self.folders[source].remove(item)
        self.folders[to].append(item)
        return ["board.rescan"]

    def act(self, turn: Turn) -> list[str]:
        item = turn.events[0].payload
        return {
            "board_scanner": self.scan,
            "proposal_writer": lambda: self.move(item, "work", "proposed"),
            "finisher": lambda: self.move(item, "proposed", "done"),
        }[turn.hat]()


# -- iterations that wear roles, without a runner --------------------------------------------------

ROLES_FILE = Path(__file__).parents[2] / "fixtures/roles/roles.yaml"


def roles(*triggers: tuple[str, str]) -> tuple[Hat, ...]:
    """(condition, role), in order."""
    return role_hats(triggers, {role: role for _, role in triggers})


def of_file() -> tuple[Hat, ...]:
    """The triggers of the file as it stands; that it loads is tested where it is loaded."""
    given = yaml.safe_load(ROLES_FILE.read_text())["triggers"]
    return roles(*((one["condition"], one["role"]) for one in given))


def worn_next(roles_: tuple[Hat, ...], s: LoopState, w: Wearing) -> Hat | None:
    """The role of the iteration that is due now; with a claim that would complete the task, the one that comes before that."""
    wanted = d.decide(s)
    if not wanted:
        return None
    completes = isinstance(wanted[0], d.Finish) and wanted[0].end.startswith("completed")
    if completes and s.judgement.claim and isinstance(d.decide(changed(s, claim=None))[0], d.RunAgent):
        return choose(roles_, s, w)
    return choose(roles_, s, w) if isinstance(wanted[0], d.RunAgent) else None


class RoleWorld(World):
    """World, with the roles that `worn` lists in order; '' for none."""

    def __init__(self, roles_: tuple[Hat, ...], *args: object, **more: object) -> None:
        self.roles = roles_
        self.wearing = Wearing()
        self.worn: list[str] = []
        super().__init__(*args, **more)  # type: ignore[arg-type]

    def next_role(self) -> str:
        hat = worn_next(self.roles, self.state, self.wearing)
        return hat.id if hat else ""

    def wants(self) -> d.Operation:
        op = super().wants()
        if isinstance(op, d.Finish) and self.next_role():
            return d.RunAgent(
                id=f"iteration:{self.state.progress.serial + 1}",
                serial=self.state.progress.serial + 1,
                n=self.state.progress.iterations + 1,
            )
        return op

    def tell(self, *facts: f.Input) -> RoleWorld:
        for fact in facts:
            before = self.state
            if isinstance(fact, f.IterationStarted):
                self.worn.append(self.next_role())
            super().tell(fact)
            self.wearing = wear(
                self.wearing,
                before,
                self.state,
                fact,
                self.worn[-1] if self.worn else "",
                commits=self.commits,
                files=self.files,
            )
        return self

    commits = 0
    files = 0

    def work(self, times: int = 1) -> RoleWorld:
        """Iterations that each leave a new tree."""
        for _ in range(times):
            self.iterate(f"tree {self.state.progress.serial + 1}", "ITERATION_DONE")
        return self

    def idle(self) -> RoleWorld:
        self.iterate("", "ITERATION_DONE")
        return self


def wear(w: Wearing, before: LoopState, after: LoopState, fact: f.Input, hat: str, **counted: int) -> Wearing:
    """The counters after this fact; an iteration that starts wears this hat."""
    if isinstance(fact, f.IterationStarted):
        return started(w, before, hat)
    if isinstance(fact, f.IterationEnded):
        crashed = Step(before, fact).outcome.kind == "crashed"
        said = read_signal(before, fact) if fact.how == "exited" and not crashed else None
        signal = said.word if said and said.explicit else ""
        return ended(w, before, after, replace(fact, **counted), crashed=crashed, signal=signal)
    return w


def fold_both(s: LoopState, w: Wearing, fact: f.Input, hat: str) -> tuple[LoopState, Wearing]:
    after = fold(s, fact)
    return after, wear(w, s, after, fact, hat)


# -- arbitrary teams of hats on a board: agents that emit, gates, people, deaths -------------------

CANCEL = "stop.it"
TOPICS = ("task.start", "task.resume", "a.todo", "a.done", "b.done", "gate.failed", "h0.exhausted")
TOPIC = st.sampled_from(TOPICS)
PATTERN = st.sampled_from((*TOPICS, "*", "a.*", "*.done"))
SAYABLE = st.sampled_from(
    (*TOPICS * 3, "LOOP_COMPLETE", "LOOP_COMPLETE", CANCEL, "human.interact", "no topic")
)
PAYLOAD = st.sampled_from(("", "x", "y", '{"question": "Q", "default": "d", "deadline_seconds": 9}'))
FOLDERS = ("work", "next", "more")
ITEMS = ("i1", "i2", "i3", "i4")


def _scans() -> st.SearchStrategy[Scan | None]:
    entries = st.lists(
        st.builds(ScanFolder, st.sampled_from(FOLDERS), TOPIC),
        min_size=1,
        max_size=3,
        unique_by=lambda e: e.folder,
    )
    return st.none() | st.none() | st.builds(Scan, folders=entries.map(tuple))


def _hats(number: int) -> st.SearchStrategy[tuple[Hat, ...]]:
    return st.tuples(
        *(
            st.builds(
                Hat,
                id=st.just(f"h{n}"),
                triggers=st.lists(PATTERN, max_size=3).map(tuple),
                publishes=st.lists(PATTERN | st.just("LOOP_COMPLETE"), max_size=3).map(tuple),
                default_publishes=st.sampled_from(("", "", *TOPICS, "LOOP_COMPLETE")),
                max_activations=st.integers(0, 3),
                aggregate=st.none() | st.none() | st.just(Aggregate()),
                fresh=st.none() | st.booleans(),
                when=st.sampled_from(("", "", "", "loop_starts", "after_every(3 iterations)")),
                scan=_scans(),
            )
            for n in range(number)
        )
    )


TEAMS = st.builds(
    Team,
    hats=st.integers(1, 4).flatmap(_hats),
    starting_event=TOPIC,
    cancellation_promise=st.sampled_from(("", "", CANCEL)),
    required_events=st.lists(PATTERN, max_size=2).map(tuple),
    persistent=st.booleans(),
    enforce_scope=st.booleans(),
    cooldown=st.sampled_from((0.0, 5.0)),
    cooldown_always=st.booleans(),
    gate_on=st.lists(TOPIC, max_size=2).map(tuple),
    max_items=st.sampled_from((0, 0, 2)),
).filter(lambda team: team.routes)


def _wearing(policy: Policy, team: Team, iterations: int) -> Policy:
    # Which caps end a loop is seen in test_properties.py; here they would end most before hats have said much.
    limits = replace(
        policy.limits, max_iterations=iterations, hard_seconds=0.0, max_cost_usd=0.0, max_tokens=0
    )
    return replace(policy, limits=limits, team=team)


def _claiming(policy: Policy) -> Policy:
    """Every hat may claim, and there is a hard gate that says whether it is true."""
    team = policy.team
    assert team is not None
    hats = tuple(replace(hat, publishes=(*hat.publishes, "LOOP_COMPLETE")) for hat in team.hats)
    gates = policy.gates or (GatePolicy(name="tests", run="x"),)
    gates = (replace(gates[0], hard=True), *gates[1:])
    return replace(policy, gates=gates, team=replace(team, hats=hats, persistent=False, required_events=()))


TEAM_POLICIES = st.builds(_wearing, POLICIES, TEAMS, st.sampled_from((25, 12, 4)))

CLAIMING_POLICIES = TEAM_POLICIES.map(_claiming)

NAMES = st.sampled_from(("1", "2", "3", "4"))
STOPS = st.builds(
    f.StopRequested, how=st.sampled_from(("graceful", "now", "interrupt", "cancel")), by=st.just("p")
)
PEOPLE = st.one_of(
    st.builds(f.EventReceived, name=NAMES, topic=SAYABLE, payload=PAYLOAD),
    st.builds(f.EventReceived, name=NAMES, topic=TOPIC, payload=PAYLOAD),
    st.builds(f.Said, name=NAMES, text=st.just("hear"), hat=st.sampled_from(("", "h0", "x"))),
    st.builds(f.Paused, name=NAMES, by=st.just("p"), now=st.booleans()),
    st.builds(f.Continued, name=NAMES),
    st.builds(f.Answered, name=NAMES, text=st.just("yes")),
    st.builds(f.WorkspaceChanged, tree=st.sampled_from(("e1", "e2"))),
)
SAYS = st.lists(
    st.one_of(
        st.builds('<event topic="{}">{}</event>'.format, SAYABLE, st.sampled_from(("", "x", "y"))),
        st.sampled_from(
            (*("LOOP_COMPLETE", "TASK_COMPLETE", "ITERATION_DONE", "", "hm") * 4, "TASK_STUCK: x")
        ),
    ),
    max_size=3,
).map("\n".join)

MOST_STEPS = 3000  # far above what any policy drawn here can take
STEPS_OF_A_PERSISTENT_ONE = 400  # then it is asked to stop
MOST_REQUESTS = 30  # a person who keeps talking may keep a loop from ending
MOST_LOOKS = len(ITEMS) * len(FOLDERS) * (scanboard.MOST_FAILURES + 1) * 2

Check = Callable[[LoopState, f.Input, LoopState], None]


class TeamWorld:
    """A loop that is played to its end. `check` sees every fact, with the state before and after it."""

    def __init__(self, policy: Policy, data: st.DataObject, check: Check, *, people: bool) -> None:
        self.happened: list[f.Input] = []
        self.state = LoopState()
        self.draw: Callable[[st.SearchStrategy[Any]], Any] = data.draw
        self.people = people
        self._check = check
        self._requests = MOST_REQUESTS
        self._resumes = 2 if people else 0
        self._idle_looks = 0  # looks and agents since the loop last waited or spent an iteration
        self.folders: dict[str, list[str]] = {name: [] for name in FOLDERS}
        for item in ITEMS:
            if folder := self.draw(st.sampled_from(("", *FOLDERS))):
                self.folders[folder].append(item)
        self.tell(f.LoopStarted(loop="l", task=TASK, policy=policy, root="/r"))

    def tell(self, *facts: f.Input) -> None:
        for fact in facts:
            before, self.state = self.state, fold(self.state, fact)
            self.happened.append(fact)
            self._check(before, fact, self.state)

    def live(self) -> TeamWorld:
        team = self.state.identity.policy.team
        assert team is not None
        for step in range(MOST_STEPS):
            if self.state.judgement.ended is not None and not self._resumed():
                return self
            if step >= STEPS_OF_A_PERSISTENT_ONE and team.persistent and self.state.people.stop is None:
                self._requests = 0
                self.tell(f.StopRequested(how="graceful", by="test"))
            self._step()
        raise AssertionError(f"no end after {MOST_STEPS} steps")

    def _resumed(self) -> bool:
        if not self._resumes or self.state.judgement.ended not in RESUMABLE:
            return False
        self._resumes -= 1
        answer_ = "do it" if self.state.judgement.ended == "blocked-on-person" else ""
        allow = self.draw(st.sampled_from(((), ("**",))))
        self.tell(f.LoopResumed(run="r2", answer=answer_, allow=allow))
        return True

    def _step(self) -> None:
        s = self.state
        wanted = d.decide(s)
        assert wanted or s.progress.open, "nothing is wanted, and nothing is being cut off"
        assert len({op.id for op in wanted}) == len(wanted)
        self._never_spins(wanted)
        unwanted = [op for op in s.progress.open if op not in {w.id for w in wanted}]
        if unwanted:
            self.tell(*self._close(unwanted[0], d.cutoff(s, unwanted[0]) or "stop"))
        elif (
            self.people and self._requests and self.draw(st.integers(1, 4 if s.judgement.claim else 12)) == 1
        ):
            self._requests -= 1
            self.tell(self.draw(PEOPLE if self._requests % 6 else STOPS))
        elif self.people and s.progress.open and self.draw(st.integers(0, 20)) == 20:
            self.tell(
                *(x for op in s.progress.open for x in self._close(op, "stop")), f.LoopResumed(run="r2")
            )
        elif any(op.startswith(steering.PAUSE) for op in s.progress.open):
            self.tell(f.Continued(name="9"))
        else:
            self._do(wanted[-1])

    def _never_spins(self, wanted: tuple[d.Operation, ...]) -> None:
        """Looks cost no iteration, so that nothing but waits and the end of the work keeps them apart."""
        s = self.state
        for op in wanted:
            if isinstance(op, d.Wait):
                limits = s.identity.policy.limits
                most = max(limits.max_wait_seconds, limits.crash_wait_seconds, 9.0)
                assert op.what and op.why and 0 <= op.seconds <= most
            if isinstance(op, d.RunAgent | d.Look) and s.hats.turns.idle:
                assert s.hats.turns.pending or s.people.says or s.identity.policy.conditional, (
                    "an idle loop does not rest"
                )
            if isinstance(op, d.Look):
                self._idle_looks += 1
                assert self._idle_looks <= MOST_LOOKS, "the board is looked at again and again"
            elif isinstance(op, d.Wait | d.RunAgent):
                self._idle_looks = 0

    def _do(self, op: d.Operation) -> None:
        s = self.state
        match op:
            case d.Look():
                self._look(op)
            case d.PassOn():
                self.tell(f.TransitionPassed(serial=op.serial, tree=op.tree))
            case d.RunAgent():
                (started,) = answer(op, s, self.draw)
                if isinstance(started, f.IterationStarted):
                    names = tuple(say.name for say in steering.heard(s, op.hat))
                    started = replace(started, heard=names, fresh=op.fresh)
                self.tell(started)
            case d.Continue() if s.progress.open[op.id].what == "iteration" and self.draw(st.integers(0, 1)):
                late = self.draw(st.integers(0, 9)) == 9
                event = f.EventReceived(
                    name="e",
                    topic=self.draw(SAYABLE),
                    payload=self.draw(PAYLOAD),
                    serial=s.progress.serial - late,
                )
                self.tell(event)
            case d.Continue() if s.progress.open[op.id].what != "wait" and self.draw(
                st.sampled_from((*(1,) * 60, 0))
            ):
                self.tell(*self._close(op.id, ""))
            case _:
                self.tell(*answer(op, s, self.draw))

    def _close(self, op: str, cause: str) -> list[f.Input]:
        facts = close(op, self.state, self.draw, cause)
        seldom = self.draw(st.integers(0, 9)) == 9
        if not seldom:  # or most loops would be over before their hats have said much
            facts = [_uneventful(x) for x in facts]
        return [self._spoken(x) if isinstance(x, f.IterationEnded) else x for x in facts]

    def _spoken(self, x: f.IterationEnded) -> f.IterationEnded:
        """It says something of hats and events, and may have moved an item."""
        if self.draw(st.booleans()):
            self._move()
        places = {word: "work" for word in ("x", "y") if self.draw(st.booleans())}
        return replace(x, said=self.draw(SAYS), structured=True, places=places)

    def _move(self) -> None:
        held = [(name, item) for name, items in self.folders.items() for item in items]
        if held:
            name, item = self.draw(st.sampled_from(held))
            self.folders[name].remove(item)
            if to := self.draw(st.sampled_from(("", *FOLDERS))):
                self.folders[to].append(item)

    def _look(self, op: d.Look) -> None:
        """What runner/operations/board.py does, on folders that are a dictionary."""
        s = self.state
        team = s.identity.policy.team
        hat = team.hat(op.hat) if team is not None else None
        assert team is not None and hat is not None
        board = s.hats.board
        if hat.scan is None:
            self.tell(
                f.ItemGivenUp(
                    item=op.item,
                    folder=board.items[op.item].folder,
                    to="",
                    reason=op.give_up,
                    under_way=board.under_way == op.item,
                    stays=True,
                )
            )
            return
        if op.give_up:
            self._abandon(hat.scan, op.give_up)
            return
        while True:
            there = scanboard.where(hat.scan, board, self.folders)
            board, found = scanboard.look(hat.scan, board, self.folders, max_items=team.max_items)
            match found:
                case scanboard.GiveUp():
                    self.folders[found.folder].remove(found.item)
                    self.tell(f.ItemGivenUp(found.item, found.folder, found.to, found.reason))
                    board = scanboard.gave_up(board, found.item, found.folder, found.reason)
                case scanboard.Dispatch():
                    tree = self.draw(st.sampled_from((s.workspace.tree, "looked")))
                    looked = f.BoardLooked(
                        hat.id, found.topic, found.folder, found.item, there=there, tree=tree
                    )
                    self.tell(looked)
                    return
                case scanboard.Idle():
                    over = board.finished >= team.max_items > 0
                    tree = s.workspace.tree if over or not team.persistent else ""
                    self.tell(f.BoardLooked(hat.id, there=there, why=found.why, over=over, tree=tree))
                    return

    def _abandon(self, scan: Scan, reason: str) -> None:
        board = self.state.hats.board
        there = scanboard.where(scan, board, self.folders)
        item = board.items[board.under_way]
        if there:
            self.folders[there[0]].remove(item.name)
        folder = there[0] if there else item.folder
        self.tell(f.ItemGivenUp(item=item.name, folder=folder, to="failed", reason=reason, under_way=True))


def _uneventful(x: f.Input) -> f.Input:
    """Costs next to nothing, and nothing is wrong with the agent or its service."""
    if isinstance(x, f.IterationEnded):
        return replace(x, code=0, fault="", seconds=0.01, usage=f.Usage())
    if isinstance(x, f.GateEnded):
        return replace(x, seconds=0.01, fault="", usage=f.Usage())
    return x
