"""How each operation that the core wants is done. Every effect can be repeated after a crash; docs/journal.md lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from ralph.core import facts as f
from ralph.core.exits import FAILURES, SOME_TASKS_FAILED
from ralph.core.loop import decide as d
from ralph.core.loop.state import LoopState
from ralph.gates.judges import checks_by_name, is_file, is_shell, words_of
from ralph.gates.kinds import as_run
from ralph.git.hidden_from_git import own_attributes
from ralph.git.ignored_files import own_excludes
from ralph.git.repo import head_and_tree, own_files, printable
from ralph.git.uncommitted_changes import uncommitted_paths
from ralph.journal.record import now
from ralph.runner.loop_context import LoopContext, unrecorded_of
from ralph.runner.loop_workspace import own_paths
from ralph.runner.operations import RunningOperation, Stopwatch, WaitOperation, is_past, moment_in
from ralph.runner.operations.iteration import IterationRunner

if TYPE_CHECKING:
    from ralph.runner.loop_runner import LoopRunner
    from ralph.runner.operations.landing import LandingOperation


class Effects:
    def __init__(self, context: LoopContext, loop: LoopRunner) -> None:
        self._b = context
        self._loop = loop
        self._record = loop.record

    def start(self, op: d.Operation, s: LoopState) -> RunningOperation | None:
        how = cast("Callable[[Effects, Any, LoopState], RunningOperation | None]", _HOW[type(op)])
        return how(self, op, s)

    def _landing(self) -> LandingOperation:
        from ralph.runner.operations.landing import LandingOperation  # most loops work in place

        return LandingOperation(self._b, self._record)

    def finish_merge(self, s: LoopState) -> None:
        """Before anything looks at the workspace of a loop that is taken up again."""
        if s.landing.merge is not None:
            self._landing().finish_merge(s)

    # -- the workspace -----------------------------------------------------------------------------

    def _prepare(self, op: d.Prepare, s: LoopState) -> None:
        b, watch = self._b, Stopwatch()
        snapshot = b.snapshots.take()
        recovery = ""
        commit, tree = head_and_tree(b.repo)
        if b.workspace is None and snapshot.tree != tree and self._holds_edits(s):
            from ralph.git.recovery import save

            recovery = save(
                b.repo,
                b.snapshots,
                snapshot.tree,
                loop=s.identity.loop,
                reason="before the loop",
                when=now(),
            ).ref
        left_out = ""
        if any(gate.hermetic and gate.kind.measures for gate in s.gates):
            left_out = b.run.store.put("\0".join(map(printable, b.snapshots.unrecorded())))
        unrecorded = unrecorded_of(s).now(b.snapshots.files(snapshot.tree), self._ignored_inputs(s))
        self._record(
            f.WorkspacePrepared(
                tree=snapshot.tree,
                commit=commit or "",
                branch=printable(b.refs.branch()),
                recovery=recovery,
                known=b.run.known.results(s, snapshot.tree, unrecorded),
                unrecorded=tuple(
                    map(printable, (*snapshot.nested, *snapshot.dirty_submodules, *snapshot.too_large))
                ),
                excludes=b.run.store.put(own_excludes(b.repo)),
                attributes=b.run.store.put(own_attributes(b.repo)),
                left_out=left_out,
                unrecorded_inputs=unrecorded,
                undecided=self._undecided(s, snapshot.tree),
                fingerprints=self._fingerprints(s),
                home_entries=self._home_entries(s),
                seconds=round(watch.seconds() + (b.workspace.made_in if b.workspace else 0.0), 3),
            )
        )

    def _fingerprints(self, s: LoopState) -> str:
        if not s.gates:
            return ""
        from ralph.runner.gate_surroundings import keep_fingerprints  # not without a gate

        return keep_fingerprints(self._b, s)

    def _home_entries(self, s: LoopState) -> str:
        if not s.gates:
            return ""
        from ralph.runner.gate_surroundings import keep_home_entries

        return keep_home_entries(self._b)

    def _holds_edits(self, s: LoopState) -> bool:
        """Whether the folder is the user's only copy of something. Without git, it is of everything."""
        b = self._b
        own = own_files(b.repo, b.folder, own_paths(s))
        return not b.repo.versioned or bool(uncommitted_paths(b.repo, own))

    def _ignored_inputs(self, s: LoopState) -> list[str]:
        """Where the configuration's `judges:` may find files that git ignores."""
        return self._b.snapshots.ignored_files() if any(gate.judges for gate in s.gates) else []

    def _undecided(self, s: LoopState, tree: str) -> dict[str, tuple[str, ...]]:
        """Which of the files that a gate runs count as work because nothing says that they judge."""
        named = [gate for gate in as_run(s) if any(map(self._needs_a_look, words_of(gate.run)))]
        if not named:  # most commands name no file
            return {}
        from ralph.gates.integrity.changed_judges import undecided_by_gate
        from ralph.gates.integrity.references import side_of

        start = side_of(self._b.snapshots, tree)
        return undecided_by_gate(named, start, folder=s.identity.folder, root=s.identity.root)

    def _needs_a_look(self, word: str) -> bool:
        return not is_shell(word, None) and not checks_by_name(word) and is_file(self._b.folder / word)

    def _inspect(self, op: d.InspectClaim, s: LoopState) -> None:
        from ralph.runner.operations.inspection import inspect_claim  # a claim is rarer than a start

        self._record(inspect_claim(self._b, op, s))

    # -- agents ------------------------------------------------------------------------------------

    def _run_agent(self, op: d.RunAgent, s: LoopState) -> RunningOperation | None:
        if self._b.run.given:
            from ralph.runner.operations.given_change import bring_in  # only a fleet's lander has one

            bring_in(self._b, op, s, self._record)
            return None
        back = [n for n, away in s.agents.away.items() if away.until and is_past(away.until)]
        for n in back:
            self._record(f.AgentBack(agent=n))
        return None if back else IterationRunner(self._b, self._loop).start(op, s)

    def _look(self, op: d.Look, s: LoopState) -> None:
        from ralph.runner.operations.board import look  # most loops have no board

        look(self._b, op, s, self._record)

    def _run_gate(self, op: d.RunGate, s: LoopState) -> RunningOperation | None:
        from ralph.runner.operations.gate import GateRunner  # the first agent need not wait for it

        return GateRunner(self._b, self._record).start(op, s)

    def _pass_on(self, op: d.PassOn, s: LoopState) -> None:
        self._record(f.TransitionPassed(serial=op.serial, tree=op.tree))

    # -- the rest ----------------------------------------------------------------------------------

    def _wait(self, op: d.Wait, s: LoopState) -> RunningOperation:
        # A pause is a person's wish: only a person ends it.
        until = op.until or ("" if op.what == "pause" else moment_in(op.seconds))
        self._record(f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds, why=op.why, until=until))
        self._b.run.journal.sync()
        return WaitOperation(op.id, until, op.seconds)

    def _note(self, op: d.Note, s: LoopState) -> None:
        self._record(f.Checkpoint(what=op.what, serial=op.serial, seconds=round(op.seconds, 3)))

    def _finish(self, op: d.Finish, s: LoopState) -> None:
        branch, note, code = "", "", op.code
        if self._b.workspace or op.end in FAILURES:
            from ralph.core.loop.end_advice import lacks

            branch, note = self._landing().failure(op, s)
            code = op.code or (SOME_TASKS_FAILED if lacks(s) else 0)
        self._record(
            f.LoopEnded(
                end=op.end,
                reason=op.reason + note,
                code=code,
                tree=s.workspace.tree,
                limit=op.limit,
                proof=op.proof,
                paths=op.paths,
                evidence=op.evidence,
                commit=s.landing.landed.commit if s.landing.landed else "",
                branch=branch,
                attempts=s.judgement.attempts,
            )
        )
        self._b.run.journal.sync()


_HOW: dict[type, object] = {
    d.Prepare: Effects._prepare,
    d.InspectClaim: Effects._inspect,
    d.RunAgent: Effects._run_agent,
    d.Look: Effects._look,
    d.PassOn: Effects._pass_on,
    d.RunGate: Effects._run_gate,
    d.Land: lambda self, op, s: self._landing().start(op, s),
    d.Wait: Effects._wait,
    d.Note: Effects._note,
    d.Finish: Effects._finish,
}
