"""Long journals for `ralph status`: of a prompt's loop, and of a run over a backlog. The first look saves the history, as a
run that writes such a journal does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.policy import GatePolicy, Policy, Task
from ralph.journal.record import Chain, now

ITERATIONS = 10_000  # of one loop, with 10 facts each
TASKS = 1_000  # with 100 facts each
POLICY = Policy(
    agent=AgentPolicy(command=("agent",)),
    gates=tuple(GatePolicy(name=name, run=f"make {name}") for name in ("tests", "types", "style")),
)


def prompt_journal(project: Path) -> None:
    start = f.LoopStarted(loop="one", task=Task(id="t", title="Make it"), policy=POLICY, root=str(project))
    facts: list[tuple[str, f.AnyFact]] = [
        ("", f.RunStarted(run="run", pid=1, version="0", tier="reaper", tasks=("t",))),
        ("one", start),
        ("one", f.WorkspacePrepared(tree=_tree(0))),
        *(("one", fact) for n in range(1, ITERATIONS + 1) for fact in _iteration(n, 3, noisy=True)),
    ]
    _write(project, facts)


def backlog_journal(project: Path) -> None:
    file = project / "tasks.jsonl"
    file.write_text('{"id":"rest","title":"Not begun","leaf":true}\n')
    ends = (f"T{n:04}" for n in range(TASKS))
    done = ({"id": id, "title": f"Task {id}", "status": "complete", "leaf": True} for id in ends)
    (project / "tasks-done.jsonl").write_text("".join(json.dumps(line) + "\n" for line in done))
    begun = f.RunStarted(
        run="run",
        pid=1,
        version="0",
        tier="reaper",
        backlog=str(project),
        file=str(file),
        target="refs/heads/main",
    )
    _write(project, [("", begun), *_tasks(project)])


def _tasks(project: Path) -> Iterator[tuple[str, f.AnyFact]]:
    for n in range(TASKS):
        loop, task = f"loop-{n:04}", Task(id=f"T{n:04}", title=f"Task T{n:04}")
        yield (
            loop,
            f.LoopStarted(loop=loop, task=task, policy=POLICY, root="/gone", home=str(project), slot=1),
        )
        yield loop, f.WorkspacePrepared(tree=_tree(n))
        for serial in range(1, 24):
            yield from ((loop, fact) for fact in _iteration(serial, 1))
        yield from ((loop, fact) for fact in _iteration(24, 0))
        for gate in POLICY.gates:
            yield from ((loop, fact) for fact in _gate(gate.name, 24, passed=True))
        yield loop, f.ClaimInspected(tree=_tree(24), changed=1)
        yield loop, f.Landed(op="land", how="merge", ref="refs/heads/main", commit=_tree(n))
        yield loop, f.LoopEnded(end="completed-verified", reason="all gates passed", code=0, tree=_tree(n))
        yield "", f.BacklogWritten(seq=0)


def _iteration(n: int, gates: int, *, noisy: bool = False) -> Iterator[f.AnyFact]:
    yield f.IterationStarted(serial=n, n=n, prompt="p" * 64, prompt_chars=9000, tree=_tree(n - 1))
    said = f"What was done in iteration {n}, in a few lines.\n" * 8 + "TASK_COMPLETE"
    usage = f.Usage(tokens=10_000, cost_usd=0.1)
    yield f.IterationEnded(
        serial=n, n=n, how="exited", code=0, seconds=60, tree=_tree(n), said=said, usage=usage
    )
    if noisy:
        yield f.EventReceived(name=f"e{n}", topic="note", payload=f"number {n}", serial=n)
        yield f.Checkpoint(what="manual", serial=n, seconds=1.0, name=f"c{n}")
    for gate in POLICY.gates[:gates]:
        yield from _gate(gate.name, n, passed=False)


def _gate(name: str, n: int, *, passed: bool) -> Iterator[f.AnyFact]:
    op = f"claim:{n}:{name}:as-is"
    yield f.GateStarted(op=op, gate=name, purpose="claim", variant="as-is", tree=_tree(n))
    yield f.GateEnded(
        op=op,
        gate=name,
        purpose="claim",
        variant="as-is",
        tree=_tree(n),
        command=f"make {name}",
        code=int(not passed),
        seconds=5.0,
        passed=passed,
        excerpt="" if passed else "a line of what the gate said about it\n" * 10,
        headline="" if passed else f"FAILED: number {n}",
        error_hash="" if passed else f"{n:08x}",
    )


def _tree(n: int) -> str:
    return f"{n:040x}"


def _write(project: Path, facts: Iterable[tuple[str, f.AnyFact]]) -> None:
    chain = Chain(0, 0)
    state_dir = project / ".git/ralph"
    state_dir.mkdir()
    with open(state_dir / "journal.jsonl", "wb") as file:
        for loop, fact in facts:
            if isinstance(fact, f.BacklogWritten):
                fact = f.BacklogWritten(seq=chain.seq)
            line = chain.line(now(), "run", loop, f.kind_of(fact), f.encode(fact))
            chain.accept(line)
            file.write(line)
