"""A loop as its record tells it: a real repository, a real journal, real transcripts; only the clock is the test's."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import CODES, End
from ralph.core.policy import GatePolicy, LimitPolicy, Policy, Task
from ralph.git.repo import Repo, find
from ralph.git.snapshots import Snapshots
from ralph.journal.append import Journal
from ralph.journal.lock import Lock
from ralph.journal.store import Store
from ralph.report import render
from ralph.report.sources import Changes, StoredTexts
from ralph.report.stories import Gathered, LoopReport, gather
from ralph.text import digest

TEMPLATES = Path(render.__file__).with_name("templates")
BEGIN = datetime(2026, 1, 2, 3, 0, tzinfo=UTC).timestamp()
GATES = (
    GatePolicy(name="tests", run="pytest -q"),
    GatePolicy(name="spec", review="spec"),
    GatePolicy(name="quality", review="quality", hard=False),
)


class World:
    """Facts are written as the driver would; `t` is the clock, in seconds since the beginning."""

    def __init__(self, path: Path, run: str = "run-1") -> None:
        path.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", "init", "-q", "-b", "main", str(path)], env=env, check=True)
        found = find(path)
        assert found is not None
        self.repo: Repo = found
        self.snapshots = Snapshots(self.repo, "in-place")
        self.t = 0.0
        self._tree = ""
        self.loop = ""
        self.serial = 0
        self.n = 0
        self.reopen(run)

    def reopen(self, run: str) -> None:
        self.run = run
        self.store = Store(self.repo.state_dir, run)
        self.lock = Lock.acquire(self.repo.state_dir, run)
        self.journal = Journal.open(self.repo.state_dir, run, self._now)

    def close(self) -> None:
        self.journal.close()
        self.lock.release()

    def next_run(self, run: str) -> None:
        self.close()
        self.reopen(run)

    def _now(self) -> str:
        at = datetime.fromtimestamp(BEGIN + self.t, UTC)
        return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"

    def record(self, fact: f.AnyFact) -> None:
        self.journal.append(f.kind_of(fact), f.encode(fact), self.loop)

    def write(self, name: str, text: str | bytes) -> None:
        path = self.repo.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        self._tree = ""

    def tree(self) -> str:
        """Nobody but `write` changes it, so it need not be looked at again and again."""
        self._tree = self._tree or self.snapshots.take().tree
        return self._tree

    # -- what happens

    def start(
        self,
        *,
        loop: str = "loop-1",
        task: Task | None = None,
        gates: tuple[GatePolicy, ...] = GATES[:1],
        limits: LimitPolicy | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        self.loop, self.serial, self.n = loop, 0, 0
        policy = Policy(
            agent=AgentPolicy(command=("agent",), env=env or {}), gates=gates, limits=limits or LimitPolicy()
        )
        task = task or Task(id="task-1", title="Make the answer right")
        self.record(f.LoopStarted(loop=loop, task=task, policy=policy, root=str(self.repo.root)))
        self.record(f.WorkspacePrepared(tree=self.tree(), commit="c" * 40, branch="refs/heads/main"))

    def begin_iteration(self, *, shift: int = 0, prompt: str = "Do it.") -> None:
        self.serial += 1
        self.n += 1
        self.record(
            f.IterationStarted(
                serial=self.serial,
                n=self.n,
                prompt=self.store.put(prompt),
                prompt_chars=len(prompt),
                tree=self.tree(),
                shift=shift,
            )
        )

    def iteration(
        self,
        said: str = "TASK_COMPLETE",
        *,
        seconds: float = 60.0,
        output: bytes = b"",
        change: bool = True,
        edits: dict[str, str | bytes] | None = None,
        tokens: int = 0,
        usd: float = 0.0,
        estimated: bool = False,
        shift: int = 0,
        prompt: str = "Do it.",
        code: int = 0,
        how: f.How = "exited",
        fault: f.Fault = "",
        stragglers: tuple[str, ...] = (),
    ) -> None:
        self.begin_iteration(shift=shift, prompt=prompt)
        if change:
            self.write("answer.py", f"answer = {self.serial}  # {self.loop}\nprint(answer)\n")
        for name, text in (edits or {}).items():
            self.write(name, text)
        transcript = self.store.transcript(self.loop, f"iteration:{self.serial}")
        transcript.write_bytes(output or f"Working on it.\n{said}\n".encode())
        self.t += seconds
        self.record(
            f.IterationEnded(
                serial=self.serial,
                n=self.n,
                how=how,
                code=code,
                seconds=seconds,
                tree=self.tree(),
                said=said,
                output=self.store.relative(transcript),
                usage=f.Usage(tokens=tokens, cost_usd=usd),
                estimated=estimated,
                fault=fault,
                fault_text="try again later" if fault else "",
                stragglers=stragglers,
            )
        )
        if how == "interrupted":
            self.n -= 1
        self.t += 0.2

    def gate(
        self,
        passed: bool,
        name: str = "tests",
        *,
        purpose: f.Purpose = "claim",
        variant: f.Variant = "as-is",
        again: bool = False,
        seconds: float = 10.0,
        headline: str = "FAILED test_answer: 41 != 42",
        findings: tuple[str, ...] = (),
        usd: float = 0.0,
        estimated: bool = False,
        output: bytes = b"1 failed\n",
        prompt: str = "",
    ) -> None:
        op = f"base:{name}" if purpose == "base" else f"{purpose}:{self.serial}:{name}:{variant}"
        op += ":again" if again else ""
        tree = self.tree()
        started = f.GateStarted(
            op=op, gate=name, purpose=purpose, variant=variant, tree=tree, prompt=self.store.put(prompt)
        )
        self.record(started)
        transcript = self.store.transcript(self.loop, op)
        transcript.write_bytes(output)
        self.t += seconds
        self.record(
            f.GateEnded(
                op=op,
                gate=name,
                purpose=purpose,
                variant=variant,
                tree=tree,
                command="pytest -q" if name == "tests" else "",
                code=0 if passed else 1,
                seconds=seconds,
                passed=passed,
                output=self.store.relative(transcript),
                headline="" if passed else headline,
                error_hash="" if passed else digest(headline),
                findings=findings,
                usage=f.Usage(tokens=100 if usd else 0, cost_usd=usd),
                estimated=estimated,
            )
        )
        self.t += 0.1

    def wait(self, what: str, seconds: float) -> None:
        op = f"wait:{self.serial}"
        self.record(f.WaitStarted(op=op, what=what, seconds=seconds, why="the service is overloaded"))
        self.t += seconds
        self.record(f.WaitEnded(op=op, elapsed=True))

    def verified(self) -> None:
        self.record(f.ClaimInspected(tree=self.tree(), changed=1))
        self.end("completed-verified", "tests red→green", proof={"tests": "red→green"})

    def end(self, end: End, reason: str, **more: object) -> None:
        self.record(f.LoopEnded(end=end, reason=reason, code=CODES[end], tree=self.tree(), **more))  # type: ignore[arg-type]

    # -- what is told

    def stories(self, **wish: object) -> list[LoopReport]:
        with Changes(self.repo) as changes:
            return gather(self.repo, changes, **wish).stories  # type: ignore[arg-type]

    def story(self) -> LoopReport:
        (story,) = self.stories()
        return story

    def page(self, stories: list[LoopReport] | None = None) -> str:
        with Changes(self.repo) as changes:
            chosen = stories or self.stories()
            return "".join(render.page(Gathered(chosen), StoredTexts(self.repo.state_dir), changes, BEGIN))


def summary(stories: list[LoopReport]) -> str:
    return render.summary(Gathered(stories))


def proven(world: World) -> None:
    """Red at the start, one claim rejected, the next one proven."""
    world.write("answer.py", "answer = 0\n")
    world.start()
    world.gate(False, purpose="base")
    world.iteration()
    world.gate(False)
    world.iteration()
    world.gate(True)
    world.verified()


def long_night(world: World, iterations: int) -> None:
    """Many iterations with costs, reviews, waits, strategy shifts, crashes and a pause; in the end it fails."""
    world.write("answer.py", "answer = 0\n")
    task = Task(
        id="rate-limit",
        title="Add a token bucket rate limiter to the API gateway",
        description="The gateway must answer 429 when a client is too fast.\n",
        criteria=("429 with Retry-After", "limits by client"),
    )
    limits = LimitPolicy(max_iterations=iterations, max_attempts=max(5, iterations // 3))
    world.start(task=task, gates=GATES, limits=limits, env={"API_KEY": "sk-secret"})
    world.gate(False, purpose="base", seconds=22)
    for number in range(1, iterations + 1):
        busy = 60 + (number * 37) % 240
        spent = 9000 + (number * 7919) % 60000
        if number % 23 == 0:
            world.iteration("", code=1, change=False, seconds=8, usd=0.01, tokens=800)
            world.wait("crash", 10)
        elif number % 31 == 0:
            world.iteration("", fault="overload", code=1, change=False, seconds=3)
            world.wait("overload", 300)
            world.n -= 1
        elif number % 3:
            world.iteration("ITERATION_DONE", seconds=busy, tokens=spent, usd=spent / 2e5, change=number < 5)
        else:
            shift = 1 if number % 12 == 0 else 0
            world.iteration(seconds=busy, tokens=spent, usd=spent / 2e5, shift=shift)
            passed = number % 2 == 0
            headline = f"FAILED test_bucket[{number % 4}]: race in refill"
            world.gate(passed, seconds=20 + number % 9, headline=headline)
            if number == 3:  # a failure of a kind not seen before
                world.gate(passed, again=True, seconds=20 + number % 9, headline=headline)
            if passed:
                world.gate(
                    False,
                    "spec",
                    seconds=31,
                    headline="no Retry-After header",
                    findings=("429 lacks the Retry-After header", "limits are global, not by client"),
                    usd=0.04,
                    prompt="Review this change.",
                    output=b"- 429 lacks the Retry-After header\nFAIL\n",
                )
        if number == iterations // 2:
            world.record(f.StopRequested(how="graceful", by="ralph stop"))
            world.end("stopped", "ralph stop asked for it")
            world.t += 9 * 3600
            world.next_run("run-2")
            world.record(f.LoopResumed(run="run-2"))
    world.record(f.Notified(occasion="end", about="failed", target="command", ok=True))
    world.end(
        "failed",
        "5 attempts used up, 3 times the same error; last: tests: FAILED test_bucket: race in refill",
    )
