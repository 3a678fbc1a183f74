"""The end of a run over a backlog: reviewers look once at all that it landed, each in a workspace of its own. What they
edit is undone; what they say is a fact of the run and changes nothing about how it ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.decide import RunGate
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, Task
from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.gates.kinds import kind_of
from ralph.git.recovery import tree_of
from ralph.git.repo import printable
from ralph.git.trees import patch
from ralph.git.workspaces.pool import PooledWorkspace, release
from ralph.history.history import build, survey
from ralph.journal.read import history
from ralph.journal.record import new_id
from ralph.journal.store import Store, transcript_name
from ralph.prompt.review import CHANGE_CHARS, RunReviewContext, compose_run_review
from ralph.runner.loop_context import LoopContext, RunContext
from ralph.runner.loop_workspace import Workspaces
from ralph.runner.operations import ProcessOperation
from ralph.runner.operations.gate import GateRunner, first_of

if TYPE_CHECKING:
    from ralph.runner.run import Run
    from ralph.runner.run_request import RunRequest

BRANCH = "ralph-review"  # in the reviewer's clone only
# What a review of a run says just as any gate does.
_FOUND = (set(f.GateEnded.__struct_fields__) & set(f.RunReviewed.__struct_fields__)) - {"passed", "unclear"}


class RunReviewer:
    """Begins reviews of the whole run; each goes on beside the loops until it says something."""

    def __init__(self, context: RunContext, run: Run, workspaces: Workspaces, request: RunRequest) -> None:
        self._context = context
        self._home = context.home
        self._run = run
        self._workspaces = workspaces
        self._folder = request.folder
        self._policy = request.policy
        self._at_end = request.work.at_end

    def begin(self, name: str) -> None:
        """Ask one reviewer. A soft check that cannot be made ends no run."""
        gate = next(gate for gate in self._at_end if gate.name == name)
        workspace = PooledWorkspace("clone", self._home.root, BRANCH, self._run.state.tip)
        try:
            # A clone, however tasks are worked on: in it no one reaches the user's refs.
            workspace = self._workspaces.new("clone", new_id(), BRANCH, self._run.state.tip)
            s = self._standing(gate, workspace)
            place = self._context.in_workspace(workspace, s)
            under_way = self._ask(gate, s, place, self._prompt(gate, place))
        except RalphError as error:
            under_way = _unasked(gate, self._standing(gate, workspace), error.what)
        if isinstance(under_way, f.GateEnded):
            self._over(under_way, workspace)
        else:
            over = partial(self._over, workspace=workspace)
            self._context.beside.append(
                ReviewOperation(under_way, gate, self._run, self._context.store, over)
            )

    def _standing(self, gate: GatePolicy, workspace: PooledWorkspace) -> LoopState:
        """What a gate has to know of where it runs."""
        return LoopState(
            identity=f.LoopStarted(
                loop=workspace.loop,
                task=Task("", "the whole run"),
                policy=replace(self._policy, gates=(gate,)),
                root=str(workspace.path),
                folder=os.path.relpath(self._folder, self._home.root),
                home=str(self._home.root),
                slot=workspace.slot,
                source="backlog",
            )
        )

    def _ask(
        self, gate: GatePolicy, s: LoopState, place: LoopContext, prompt: str
    ) -> ProcessOperation | f.GateEnded:
        """Under way; or what came of it at once."""
        heard: list[f.AnyFact] = []

        def hear(fact: f.AnyFact) -> None:
            heard.append(fact)
            if isinstance(fact, f.GateStarted):
                at = self._run.state
                output = transcript_name(self._context.id, s.identity.loop, fact.op)
                self._run.record(
                    f.RunReviewStarted(
                        gate=fact.gate, base=at.base, tip=at.tip, prompt=fact.prompt, output=output
                    )
                )

        judging = GateRunner(place, hear, lambda s, gate, tree: prompt)
        op = RunGate(
            id=f"at-end:{gate.name}",
            gate=gate.name,
            purpose="claim",
            variant="as-is",
            tree=place.snapshots.take().tree,
        )
        under_way = judging.start(op, s)
        if under_way is not None:
            return under_way
        ended = [fact for fact in heard if isinstance(fact, f.GateEnded)]
        return ended[-1] if ended else _unasked(gate, s, "its workspace was changed by someone else")

    def _prompt(self, gate: GatePolicy, place: LoopContext) -> str:
        at = self._run.state
        before, after = tree_of(self._home, at.base) or "", tree_of(self._home, at.tip) or ""
        paths = [printable(change.path) for change in place.snapshots.diff(before, after)]
        text, cut = first_of(patch(place.repo, before, after), CHANGE_CHARS)
        whole = RunReviewContext(base=at.base, tip=at.tip, paths=paths, patch=text, cut=cut)
        return compose_run_review(gate, self._loops(), whole, self._policy.completion_promise)

    def _loops(self) -> list[LoopState]:
        """Those of this run and of the ones that it continues with."""
        records = list(history(self._home.state_dir))
        own = survey(records).loops_of(self._run.state.runs, self._home.root)
        return [loop.state for loop in build(records, own).values() if loop.state.judgement.ended]

    def _over(self, x: f.GateEnded, workspace: PooledWorkspace) -> None:
        self._note(x)
        fault_point("review.recorded")
        if workspace.slot:
            release(self._home, workspace)

    def _note(self, x: f.GateEnded) -> None:
        at = self._run.state
        cut_short = x.how == "interrupted"
        found: dict[str, Any] = {name: getattr(x, name) for name in _FOUND}
        said = f.RunReviewed(
            base=at.base,
            tip=at.tip,
            asked=tuple(gate.name for gate in self._at_end),
            passed=x.passed and not cut_short,
            unclear=x.unclear or cut_short,
            **found,
        )
        self._run.record(self._context.without_secrets(said))
        self._context.journal.sync()  # or a death from here on would have it asked twice


class ReviewOperation:
    """A reviewer of the whole run under way. Bounded by its time limit; cut short by whoever stops the run at once."""

    def __init__(
        self,
        under_way: ProcessOperation,
        gate: GatePolicy,
        run: Run,
        store: Store,
        over: Callable[[f.GateEnded], None],
    ) -> None:
        self.id = under_way.id
        self.reads, self.writes, self.wake_at = under_way.reads, under_way.writes, under_way.wake_at
        self.done, self.cut, self.kill = under_way.done, under_way.cut, under_way.kill
        self._gate = under_way
        self._limit = gate.hard_timeout
        self._run = run
        self._store = store
        self._over = over
        under_way.look_again_after(self._limit)

    def advance(self) -> list[f.Tick | f.Metered | f.AgentRetries]:
        gate, limit = self._gate, self._limit
        if self._run.state.at_once:
            gate.cut("stop")
        elif gate.seconds() >= limit:
            gate.cut("gate-time")
        gate.look_again_after(limit)
        self._store.beat()
        gate.advance()
        return []

    def conclude(self) -> list[f.AnyFact]:
        for fact in self._gate.conclude():
            if isinstance(fact, f.GateEnded):
                self._over(fact)
        return []


def _unasked(gate: GatePolicy, s: LoopState, why: str) -> f.GateEnded:
    return f.GateEnded(
        op="",
        gate=gate.name,
        purpose="claim",
        variant="as-is",
        tree="",
        command=kind_of(gate).evidence(gate, s),
        code=0,
        seconds=0.0,
        passed=False,
        headline=why,
        unclear=True,
    )
