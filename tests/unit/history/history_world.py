"""Journals for tests of the history: facts in, records out; each a second after the one before."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.policy import GatePolicy, LimitPolicy, Policy, Task
from ralph.journal.record import Chain, Record
from ralph.text import digest

BEGIN = datetime(2026, 1, 2, 3, 0, tzinfo=UTC)
POLICY = Policy(
    agent=AgentPolicy(command=("agent",), env={"API_KEY": "sk-secret"}),
    gates=(GatePolicy(name="tests", run="pytest -q"), GatePolicy(name="style", review="style", hard=False)),
    limits=LimitPolicy(max_iterations=1_000_000, max_attempts=1_000_000),
)


class JournalFile:
    """Written line by line, without a lock and without fsync."""

    def __init__(self, state_dir: Path) -> None:
        state_dir.mkdir(parents=True, exist_ok=True)
        self.state_dir = state_dir
        self.records: list[Record] = []
        self._file = open(state_dir / "journal.jsonl", "wb")
        self._chain = Chain(0, 0)

    def write(self, *facts: f.AnyFact, loop: str = "l", run: str = "r1") -> JournalFile:
        for fact in facts:
            at = (BEGIN + timedelta(seconds=self._chain.seq)).isoformat(timespec="milliseconds")
            data = f.encode(fact)
            line = self._chain.line(at.replace("+00:00", "Z"), run, loop, f.kind_of(fact), data)
            self.records.append(self._chain.accept(line))
            self._file.write(line)
        self._file.flush()
        return self

    def begin(self, policy: Policy = POLICY) -> JournalFile:
        self.write(f.RunStarted(run="r1", pid=1, version="0", tier="group"), loop="")
        return self.write(
            f.LoopStarted(loop="l", task=Task(id="t", title="Make it work"), policy=policy, root="/r"),
            f.WorkspacePrepared(tree=tree(0)),
        )

    def close(self) -> None:
        self._file.close()


def tree(n: int) -> str:
    return digest(f"tree {n}").ljust(40, "0")[:40]


def iteration(n: int, said: str = "ITERATION_DONE") -> Iterable[f.AnyFact]:
    """An agent that talks a lot, and a gate after it that prints a lot."""
    yield f.IterationStarted(serial=n, n=n, prompt="p" * 64, prompt_chars=9, tree=tree(n - 1), token="k" * 64)
    yield f.IterationEnded(
        serial=n,
        n=n,
        how="exited",
        code=0,
        seconds=1.0,
        tree=tree(n),
        said=said,
        output=f"runs/r1/l/iteration-{n}.out",
        scratchpad="s" * 64,
        session=f"{n:036}",
        usage=f.Usage(tokens=100, cost_usd=0.01),
    )


def gate(
    n: int, passed: bool = False, name: str = "tests", excerpt: str = "", **more: object
) -> Iterable[f.AnyFact]:
    op = f"claim:{n}:{name}:as-is"
    yield f.GateStarted(op=op, gate=name, purpose="claim", variant="as-is", tree=tree(n))
    fields: dict[str, object] = {
        "op": op, "gate": name, "purpose": "claim", "variant": "as-is", "tree": tree(n), "command": "pytest -q",
        "code": int(not passed), "seconds": 1.0, "passed": passed, "excerpt": excerpt, "headline": "it fails",
        "error_hash": "aaaaaaaa", "output": f"runs/r1/l/claim-{n}-{name}-as-is.out",
    }  # fmt: skip
    yield f.GateEnded(**(fields | more))  # type: ignore[arg-type]
