"""What is about to land is judged by an ordinary run that begins at the target's tip, under the configuration of that tip, and
whose only iteration is the change itself: nothing that a worker said about it is believed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ralph.config.agents import check_agents
from ralph.core import facts as f
from ralph.core.exits import BY_NAME, CODES, REQUESTED, End
from ralph.core.fleet.lander import LandingJudged
from ralph.core.fleet.model import FaultKind, FleetTask
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy, SandboxPolicy, put_back
from ralph.core.run import Work
from ralph.errors import RalphError
from ralph.git.program import owned_children
from ralph.git.repo import Repo, branch_name, find
from ralph.git.workspaces import clone
from ralph.git.workspaces.pool import refuse
from ralph.processes.capture import Line
from ralph.runner.run import run
from ralph.runner.run_request import RunRequest
from ralph.text import digest
from ralph.worker.engine import ServerTask, policy_of, task_of
from ralph.worker.reporter import PULSE


class CannotLand(Exception):
    """This lander cannot do its part; it says nothing about the task."""

    def __init__(self, fault: FaultKind, error: object) -> None:
        super().__init__(" ".join(str(error).split())[:500])
        self.fault = fault


class LandingOrder(msgspec.Struct, frozen=True):
    """What is judged: the commit's tree, as a change of this tip."""

    tip: str
    tree: str
    target: str  # short
    allow: tuple[str, ...] = ()  # what a person has accepted
    sandbox: bool = False  # whatever the configuration says


class LandingJudge:
    """`home` is the bare copy that has the commit; `tell` is called when a gate begins or ends, `attend` with the folder in which
    a run listens."""

    def __init__(
        self,
        home: Repo,
        folder: Path,
        task: FleetTask,
        run_id: str,
        tell: Callable[[f.AnyFact], None],
        pulse: Callable[[LoopState], None],
        attend: Callable[[str], None],
    ) -> None:
        self._home = home
        self._folder = folder
        self._task = task
        self._run_id = run_id
        self._tell = tell
        self._pulse = pulse
        self._attend = attend
        self.state = LoopState()  # of the last judgement

    def judge(self, order: LandingOrder) -> LandingJudged:
        with owned_children():
            repo = self._checkout(order)
        try:
            policy = self._policy(repo, order)
        except RalphError as error:
            why = f"ralph.yml on {order.target}: {' '.join(str(error).split())}"
            return _blocked(why)
        if any(gate.kind.runs_agent for gate in policy.gates):
            try:
                check_agents(policy, repo.root, "config")
            except RalphError as error:
                raise CannotLand("agent", error) from None
        view = _JudgeView(self._tell, self._pulse)
        task = task_of(self._task.id, self._task.spec)
        with owned_children():
            same = self._home.git("rev-parse", f"{order.tip}^{{tree}}").decode().strip() == order.tree
        request = RunRequest(repo.root, repo, policy, Work(only=task.id), given=order.tree)
        self._attend(str(repo.state_dir / "inbox"))
        try:
            listed = ServerTask(replace(task, no_change_ok=same), lambda: None, lambda _: False)
            run(request, listed, view, self._run_id)
        finally:
            self._attend("")
        self.state = view.state
        return self._verdict(order)

    def _checkout(self, order: LandingOrder) -> Repo:
        if why := refuse(self._home, order.tip):
            raise CannotLand("clone", why)
        branch = branch_name(self._task.id, self._task.spec.heading)
        clone.prepare(self._home, self._folder, order.tip, branch, order.target)
        repo = find(self._folder)
        assert repo is not None
        return repo

    def _policy(self, repo: Repo, order: LandingOrder) -> Policy:
        """As `ralph.yml` at the tip says; but there is one iteration, and no one is notified."""
        policy = policy_of(repo.root, self._task.spec)
        sandbox = policy.sandbox
        if order.sandbox and sandbox.kind == "none":
            sandbox = SandboxPolicy(kind="bwrap")
        return replace(
            policy,
            claim="every-iteration",
            team=None,
            fallback=(),
            notify=(),
            limits=replace(policy.limits, max_iterations=1),
            allow=(*policy.allow, *order.allow),
            sandbox=sandbox,
        )

    def _verdict(self, order: LandingOrder) -> LandingJudged:
        s, j = self.state, self.state.judgement
        end = j.ended or "internal"
        judged = j.claim is not None and j.claim.tree == order.tree
        if end == "completed-verified" or (
            end == "completed-unverified" and s.identity.policy.gates_declined
        ):
            return LandingJudged() if judged else _red(order, "landing", _not_itself(s))
        if end in REQUESTED or end == "quota":
            return LandingJudged(_end(end, j.end_reason))
        if end == "needs-review":
            ended = f.LoopEnded(
                end=end,
                reason=f"on top of {order.target}: {j.end_reason}",
                code=CODES[end],
                proof=j.proof,
                paths=j.review_paths,
                evidence=j.evidence,
                trouble=True,
            )
            return LandingJudged(ended)
        if end == "completed-unverified":
            return _blocked(f"ralph.yml on {order.target} has no hard gate that could prove it")
        fault = BY_NAME[end].worker_fault
        if fault or end == "blocked-on-person":
            raise CannotLand(fault or "internal", j.end_reason)
        return self._rejected(order)

    def _rejected(self, order: LandingOrder) -> LandingJudged:
        s, j = self.state, self.state.judgement
        if j.history:
            last = j.history[-1]
            return LandingJudged(
                f.LandingReturned(
                    op=f.BY_A_LANDER,
                    why="red",
                    tip=order.tip,
                    gate=last.gate,
                    code=last.code,
                    error_hash=last.error_hash,
                    headline=f"on top of {order.target}: {last.headline}",
                    excerpt=last.excerpt,
                )
            )
        flaky = next((check for check in reversed(j.checks.values()) if not check.passed), None)
        if flaky is not None:
            return _red(order, flaky.gate, f"on top of {order.target}: {flaky.headline}", flaky.excerpt)
        return _red(order, "landing", _not_itself(s) or j.refusal or j.end_reason)


def _not_itself(s: LoopState) -> str:
    return put_back(s.workspace.protected) if s.workspace.protected else ""


def _red(order: LandingOrder, gate: str, why: str, excerpt: str = "") -> LandingJudged:
    why = why or "git does not record all of the change"
    return LandingJudged(
        f.LandingReturned(
            op=f.BY_A_LANDER,
            why="red",
            tip=order.tip,
            gate=gate,
            error_hash=digest("landing", why),
            headline=why,
            excerpt=excerpt or why,
        )
    )


def _blocked(why: str) -> LandingJudged:
    return LandingJudged(_end("blocked-on-person", why))


def _end(end: End, why: str) -> f.LoopEnded:
    return f.LoopEnded(end=end, reason=why[:500], code=CODES[end], trouble=True)


class _JudgeView:
    """The run's view: which gate runs, and how the loop stands."""

    def __init__(self, tell: Callable[[f.AnyFact], None], pulse: Callable[[LoopState], None]) -> None:
        self.state = LoopState()
        self._tell = tell
        self._pulse = pulse

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        if not s.identity.loop:
            return
        self.state = s
        if isinstance(fact, f.GateStarted | f.GateEnded):
            self._tell(fact)

    def heard(self, task: str, who: str, line: Line) -> None:
        """Transcripts stay here."""

    def pulse(self, s: LoopState) -> float:
        self._pulse(s)
        return PULSE

    def end(self, s: LoopState) -> None: ...

    def note(self, text: str) -> None: ...
