"""The end of a run over a backlog: reviewers look once at all that it landed, each in a workspace of its own. What they
edit is undone; what they say is a fact of the run and changes nothing about how it ends."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.decide import RunGate
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, Policy, Task
from ralph.core.run import RunState
from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.gates.kinds import kind_of
from ralph.git.recovery import tree_of
from ralph.git.ref_watch import RefWatch
from ralph.git.repo import Repo, printable
from ralph.git.trees import patch
from ralph.git.workspaces.pool import PooledWorkspace, prepare, release
from ralph.history.history import build, survey
from ralph.journal.read import history
from ralph.journal.record import new_id, now
from ralph.journal.store import transcript_name
from ralph.prompt.review import CHANGE_CHARS, RunReviewContext, compose_run_review
from ralph.runner.loop_runner import RunContext
from ralph.runner.loop_workspace import LoopWorkspace, in_workspace
from ralph.runner.operations.gate import GateOperation, GateRunner, first_of

BRANCH = "ralph-review"  # in the reviewer's clone only


class RunReviewer:
    def __init__(
        self,
        shared: RunContext,
        home: Repo,
        folder: Path,
        policy: Policy,
        at_end: tuple[GatePolicy, ...],
        *,
        share: tuple[str, ...],
        record: Callable[[f.AnyFact], None],
        state: Callable[[], RunState],
    ) -> None:
        self._shared = shared
        self._home = home
        self._folder = folder
        self._policy = policy
        self._at_end = at_end
        self._share = share
        self._record = record
        self._state = state

    def review(self, name: str, slot: int) -> None:
        """Ask one reviewer, and wait for what it says: nothing else is under way by now."""
        gate = next(gate for gate in self._at_end if gate.name == name)
        workspace = PooledWorkspace("clone", self._home.root, BRANCH, self._state().tip)
        try:
            workspace = self._workspace(slot)
            s = self._standing(gate, workspace)
            place = in_workspace(self._home, workspace, s)
            prompt = self._prompt(gate, place)
        except RalphError as error:  # a soft check that cannot be made ends no run
            self._note(_unasked(gate, self._standing(gate, workspace), error.what))
        else:
            self._note(self._ask(gate, s, place, prompt))
        fault_point("review.recorded")
        if workspace.slot:
            release(self._home, workspace)

    def _workspace(self, slot: int) -> PooledWorkspace:
        """A clone, however tasks are worked on: in it nobody reaches the user's refs."""
        return prepare(
            self._home,
            "clone",
            slot=slot,
            loop=new_id(),
            base=self._state().tip,
            branch=BRANCH,
            when=now(),
            target=self._policy.land.target.removeprefix("refs/heads/"),
            share=self._share,
        )

    def _standing(self, gate: GatePolicy, workspace: PooledWorkspace) -> LoopState:
        """What a gate has to know of where it runs. It is no loop: the journal never hears of it."""
        return fold(
            LoopState(),
            f.LoopStarted(
                loop=workspace.loop,
                task=Task("", "the whole run"),
                policy=replace(self._policy, gates=(gate,)),
                root=str(workspace.path),
                folder=os.path.relpath(self._folder, self._home.root),
                home=str(self._home.root),
                slot=workspace.slot,
            ),
        )

    def _ask(self, gate: GatePolicy, s: LoopState, place: LoopWorkspace, prompt: str) -> f.GateEnded:
        shared = self._shared
        bench = shared.bench(place, RefWatch(place.repo))
        heard: list[f.AnyFact] = []

        def hear(fact: f.AnyFact) -> None:
            heard.append(fact)
            if isinstance(fact, f.GateStarted):
                at = self._state()
                output = transcript_name(shared.run, s.identity.loop, fact.op)
                self._record(
                    f.RunReviewStarted(
                        gate=fact.gate, base=at.base, tip=at.tip, prompt=fact.prompt, output=output
                    )
                )

        judging = GateRunner(bench, hear, lambda s, gate, tree: prompt)
        op = RunGate(
            id=f"at-end:{gate.name}",
            gate=gate.name,
            purpose="claim",
            variant="as-is",
            tree=place.snapshots.take().tree,
        )
        under_way = judging.start(op, s)
        if isinstance(under_way, GateOperation):
            heard += self._wait_for(under_way)
        ended = [fact for fact in heard if isinstance(fact, f.GateEnded)]
        return ended[-1] if ended else _unasked(gate, s, "its workspace was changed by somebody else")

    def _prompt(self, gate: GatePolicy, place: LoopWorkspace) -> str:
        at = self._state()
        before, after = tree_of(self._home, at.base) or "", tree_of(self._home, at.tip) or ""
        paths = [printable(change.path) for change in place.snapshots.diff(before, after)]
        text, cut = first_of(patch(place.repo, before, after), CHANGE_CHARS)
        whole = RunReviewContext(base=at.base, tip=at.tip, paths=paths, patch=text, cut=cut)
        return compose_run_review(gate, self._loops(), whole, self._policy.completion_promise)

    def _loops(self) -> list[LoopState]:
        """Those of this run and of the ones that it goes on with."""
        records = list(history(self._home.state_dir))
        own = survey(records).loops_of(self._state().runs, self._home.root)
        return [loop.state for loop in build(records, own).values() if loop.state.judgement.ended]

    def _wait_for(self, under_way: GateOperation) -> list[f.AnyFact]:
        """Bounded by the reviewer's time limit; cut short by whoever stops the run at once."""
        control, limit = self._shared.control, under_way.gate.hard_timeout
        while not under_way.done():
            control.deliver()
            if self._state().at_once:
                under_way.cut("stop")
            elif under_way.seconds() >= limit:
                under_way.cut("gate-time")
            under_way.look_again_after(limit)
            poll = select.poll()
            for fd in (*control.reads(), *under_way.reads()):
                poll.register(fd, select.POLLIN)
            for fd in under_way.writes():
                poll.register(fd, select.POLLOUT)
            seen_at = time.monotonic() + self._shared.seeing.pulse(LoopState())
            poll.poll(max(0.0, min(under_way.wake_at(), seen_at) - time.monotonic()) * 1000 + 0.5)
            under_way.advance()
            self._shared.store.beat()
        return under_way.conclude()

    def _note(self, x: f.GateEnded) -> None:
        at = self._state()
        cut_short = x.how == "interrupted"
        said = f.RunReviewed(
            gate=x.gate,
            base=at.base,
            tip=at.tip,
            asked=tuple(gate.name for gate in self._at_end),
            command=x.command,
            code=x.code,
            seconds=x.seconds,
            passed=x.passed and not cut_short,
            how=x.how,
            timed_out=x.timed_out,
            unclear=x.unclear or cut_short,
            findings=x.findings,
            headline=x.headline,
            excerpt=x.excerpt,
            output=x.output,
            wrote=x.wrote,
            stragglers=x.stragglers,
            usage=x.usage,
            estimated=x.estimated,
            fault=x.fault,
            fault_text=x.fault_text,
        )
        masked = f.decode(self._shared.masker.text(f.encode(said).decode()).encode())
        self._record(masked)
        self._shared.journal.sync()  # or a death from here on would have it asked twice


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
