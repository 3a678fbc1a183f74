"""Worlds for testing the core without a process, file or clock: they answer the operations that it wants with facts."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop import decide as d
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, LimitPolicy, Policy, StuckPolicy, Task

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
                tree=self.state.tree,
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
            "tree": tree or self.state.tree,
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
        if isinstance(op := self.wants() if not self.state.ended else None, d.InspectClaim):
            self.tell(f.ClaimInspected(tree=op.tree, changed=1))
        return self

    def finish(self) -> d.Finish:
        op = self.wants()
        assert isinstance(op, d.Finish), op
        self.tell(f.LoopEnded(end=op.end, reason=op.reason, code=op.code, limit=op.limit, proof=op.proof))
        return op


# -- arbitrary worlds ------------------------------------------------------------------------------

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
                    tree=s.tree,
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
            return [f.ClaimInspected(tree=op.tree, changed=1, touched=touched)]  # type: ignore[arg-type]
        case d.Wait():
            return [
                f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds, until="2026-01-01T00:00:00+00:00")
            ]
        case d.Note():
            return [f.Checkpoint(what=op.what, serial=op.serial)]
        case d.Finish():
            return [f.LoopEnded(end=op.end, reason=op.reason, code=op.code, limit=op.limit, proof=op.proof)]
        case d.Continue():
            return _go_on(op.id, s, draw)
    raise AssertionError(op)


def returning(s: LoopState) -> list[int]:
    return [n for n, away in s.away.items() if away.until]


def _go_on(op: str, s: LoopState, draw: Callable[[st.SearchStrategy[object]], object]) -> list[f.Input]:
    """Something under way ends, or time passes."""
    running = s.open[op]
    if running.what == "wait":
        return [f.WaitEnded(op=op, elapsed=True)]
    if draw(st.integers(0, 5)) == 5:
        return [f.Tick(op=op, seconds=draw(NUMBERS), idle=draw(NUMBERS))]  # type: ignore[arg-type]
    return close(op, s, draw, "")


def close(
    op: str, s: LoopState, draw: Callable[[st.SearchStrategy[object]], object], cause: str
) -> list[f.Input]:
    running = s.open[op]
    if running.what == "wait":
        return [f.WaitEnded(op=op, elapsed=False)]
    how = "interrupted" if cause == "stop" else "cut" if cause else "exited"
    if running.what == "gate":
        passed = draw(st.booleans())
        gate = s.gate(running.gate)
        reviewer = {}
        if gate and gate.review and how == "exited":
            fault = draw(st.sampled_from(["", "", "", "", "quota", "overload", "credentials"]))
            unclear = bool(fault) or draw(st.integers(0, 3)) == 3
            passed = passed and not unclear
            reviewer = {"fault": fault, "unclear": unclear, "usage": draw(USAGE), "retry_after": 5.0}
        return [
            f.GateEnded(
                op=op,
                gate=running.gate,
                purpose=op.split(":")[0],  # type: ignore[arg-type]
                variant="original" if ":original" in op else "as-is",
                tree=running.tree,
                command="x",
                code=0 if passed else 1,
                seconds=draw(NUMBERS),  # type: ignore[arg-type]
                passed=bool(passed) and not cause,
                how="interrupted" if how == "interrupted" else "exited",
                timed_out="hard" if how == "cut" else "",
                error_hash=draw(HASHES),  # type: ignore[arg-type]
                **reviewer,  # type: ignore[arg-type]
            )
        ]
    return [
        f.IterationEnded(
            serial=int(op.split(":")[1]),
            n=s.iterations + 1,
            how=how,  # type: ignore[arg-type]
            cause=cause,  # type: ignore[arg-type]
            code=draw(st.sampled_from([0, 0, 0, 1, 127, -9])),  # type: ignore[arg-type]
            seconds=draw(NUMBERS),  # type: ignore[arg-type]
            tree=draw(TREES),  # type: ignore[arg-type]
            said=draw(SAID),  # type: ignore[arg-type]
            usage=draw(USAGE),  # type: ignore[arg-type]
            fault=draw(st.sampled_from(["", "", "", "", "quota", "overload", "credentials"]))
            if how == "exited"
            else "",  # type: ignore[arg-type]
            retry_after=draw(st.sampled_from([-1.0, 0.0, 5.0, 1e5])),  # type: ignore[arg-type]
            back_at="2026-01-01T00:00:00+00:00",
            nested=draw(st.sampled_from([(), (), ("sub",)])),  # type: ignore[arg-type]
            scratchpad=draw(st.sampled_from(["", "a", "b"])),  # type: ignore[arg-type]
        )
    ]
