"""How each operation that the core wants is done. Every effect can be repeated after a crash; docs/journal.md lists them."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ralph.agents.registry import adapter
from ralph.core import facts as f
from ralph.core.exits import SOME_TASKS_FAILED
from ralph.core.loop import decide as d
from ralph.core.loop import steering
from ralph.core.loop.state import LoopState
from ralph.errors import DISK
from ralph.gates.kinds import as_run
from ralph.git.ignored_files import newly_ignored, own_excludes
from ralph.git.repo import commits_between, head, head_tree, own_files, printable
from ralph.git.uncommitted_changes import uncommitted_paths
from ralph.processes.owned_process import Ended
from ralph.prompt.compose import Context, compose, files_wanted, scratchpad_path
from ralph.runner.hat_notes import kept_for, places, told_of_hat
from ralph.runner.loop_context import (
    LoopContext,
    environment,
    last_line,
    read_scratchpad,
    told_to_hooks,
    tools_for,
    unrecorded_of,
)
from ralph.runner.loop_workspace import own_paths, straight
from ralph.runner.operations import RunningOperation, WaitOperation, is_past, moment_in
from ralph.runner.operations.iteration import IterationOperation
from ralph.runner.sandboxing import CANNOT_RUN, confine, released
from ralph.text import digest

if TYPE_CHECKING:
    from ralph.runner.operations.landing import LandingOperation

CONTEXT_FILE_CHARS = 6000


class Effects:
    def __init__(
        self, bench: LoopContext, record: Callable[[f.AnyFact], None], state: Callable[[], LoopState]
    ) -> None:
        self._b = bench
        self._record = record
        self._state = state

    def start(self, op: d.Operation, s: LoopState) -> RunningOperation | None:
        how = cast("Callable[[Effects, Any, LoopState], RunningOperation | None]", _HOW[type(op)])
        return how(self, op, s)

    def _unresolved(self, s: LoopState, tree: str) -> tuple[str, ...]:
        """Paths that still hold the marks of a merge."""
        if not s.landing.merging:
            return ()
        from ralph.git.landing.squash import unresolved  # most loops are never merged

        return unresolved(self._b.snapshots, s, tree)

    def _landing(self) -> LandingOperation:
        from ralph.runner.operations.landing import LandingOperation  # most loops work in place

        return LandingOperation(self._b, self._record)

    def finish_merge(self, s: LoopState) -> None:
        """Before anything looks at the workspace of a loop that is taken up again."""
        if s.landing.merge is not None:
            self._landing().finish_merge(s)

    # -- the workspace -----------------------------------------------------------------------------

    def _prepare(self, op: d.Prepare, s: LoopState) -> None:
        b = self._b
        snapshot = b.snapshots.take()
        recovery = ""
        if b.workspace is None and snapshot.tree != head_tree(b.repo) and self._holds_edits(s):
            from ralph.git.recovery import save

            recovery = save(
                b.repo,
                b.snapshots,
                snapshot.tree,
                loop=s.identity.loop,
                reason="before the loop",
                when=b.now(),
            ).ref
        unrecorded = unrecorded_of(s).now(b.snapshots.files(snapshot.tree), self._ignored_inputs(s))
        self._record(
            f.WorkspacePrepared(
                tree=snapshot.tree,
                commit=head(b.repo) or "",
                branch=printable(b.refs.branch()),
                recovery=recovery,
                known=b.known.results(s, snapshot.tree, unrecorded),
                unrecorded=tuple(map(printable, (*snapshot.nested, *snapshot.dirty_submodules))),
                excludes=b.store.put(own_excludes(b.repo)),
                unrecorded_inputs=unrecorded,
            )
        )

    def _holds_edits(self, s: LoopState) -> bool:
        """Whether the folder is the user's only copy of something. Without git, it is of everything."""
        b = self._b
        own = own_files(b.repo, b.folder, own_paths(s))
        return not b.repo.versioned or bool(uncommitted_paths(b.repo, own))

    def _ignored_inputs(self, s: LoopState) -> list[str]:
        """Where the configuration's `inputs:` may find files that git ignores."""
        return self._b.snapshots.ignored_files() if any(gate.inputs for gate in s.gates) else []

    def _inspect(self, op: d.InspectClaim, s: LoopState) -> None:
        # a claim is rarer than a start
        from ralph.gates.integrity.changed_judges import hidden_by_gate, touched_by_gate
        from ralph.gates.integrity.weakened_tests import by_path, find_weakening

        b = self._b
        changes = b.snapshots.diff(s.workspace.base_tree, op.tree)
        base_files = b.snapshots.files(s.workspace.base_tree)
        rules = b.store.get(s.workspace.excludes) if s.workspace.excludes else ""
        ignored = newly_ignored(b.snapshots, s.workspace.base_tree, rules, changes)
        judges = as_run(s)
        hidden = hidden_by_gate(judges, base_files, ignored, folder=s.identity.folder, root=s.identity.root)
        rewritten = unrecorded_of(s).rewritten(
            s.workspace.unrecorded_inputs, s.workspace.outputs, base_files, changes
        )
        for gate, paths in rewritten.items():
            hidden[gate] = tuple(sorted({*hidden.get(gate, ()), *paths}))
        judging = {path for paths in hidden.values() for path in paths}
        self._record(
            f.ClaimInspected(
                tree=op.tree,
                changed=len(changes),
                touched=touched_by_gate(
                    judges, base_files, changes, folder=s.identity.folder, root=s.identity.root
                ),
                hidden=hidden,
                ignored=tuple(printable(path) for path in ignored if printable(path) not in judging)[:50],
                weakened=by_path(find_weakening(b.snapshots, s.workspace.base_tree, op.tree, changes)),
            )
        )

    # -- agents ------------------------------------------------------------------------------------

    def _run_agent(self, op: d.RunAgent, s: LoopState) -> RunningOperation | None:
        back = [n for n, away in s.agents.away.items() if away.until and is_past(away.until)]
        for n in back:
            self._record(f.AgentBack(agent=n))
        return None if back else self._start_agent(op, s)

    def _start_agent(self, op: d.RunAgent, s: LoopState) -> RunningOperation | None:
        b = self._b
        s = s.under_hat(op.hat)  # whose agent, limits and scratchpad are meant from here on
        if op.fresh:
            self._clear(s)
        path = b.folder / scratchpad_path(s)
        if scratchpad_path(s) and straight(path.parent, s):
            with suppress(OSError):  # something is in the way: the agent finds out when it writes there
                path.parent.mkdir(parents=True, exist_ok=True)
        scratchpad = read_scratchpad(b.folder, s)
        there: tuple[str, ...] = ()
        if s.identity.policy.conditional:
            from ralph.prompt.hats import nameable

            there = tuple(name for name in nameable(s) if (b.folder / name).is_file())
        context = Context(
            scratchpad=scratchpad, files=self._context_files(op, s), there=there, **kept_for(b.folder, s)
        )
        prompt = compose(s, op, context)
        prompt_hash = b.store.put(prompt.text)
        kept = b.store.put(scratchpad)
        b.refs.look()
        token = os.urandom(16).hex()
        self._record(
            f.IterationStarted(
                serial=op.serial,
                n=op.n,
                prompt=prompt_hash,
                prompt_chars=len(prompt.text),
                own_chars=prompt.own_chars,
                tree=s.workspace.tree,
                shift=op.shift,
                expand=op.expand,
                agent=op.agent,
                refs=b.store.put(b.refs.memory()),
                token=digest("token", token),
                hat=op.hat,
                hat_why=op.hat_why,
                fresh=op.fresh,
                scratchpad=kept if op.fresh else "",
                heard=tuple(say.name for say in steering.heard(s, op.hat)),
            )
        )
        b.control.expect(s.identity.loop, digest("token", token), op.serial)
        b.journal.sync()
        policy = s.worker
        agent = adapter(policy)
        # Absolute: an agent may have gone elsewhere. Empty: its hat has none.
        place = str(b.folder / scratchpad_path(s)) if scratchpad_path(s) else ""
        own = {
            "RALPH_ITERATION": str(op.n),
            "RALPH_SCRATCHPAD": place,
            "RALPH_TOKEN": token,
            **told_of_hat(s),
        }
        tools = tools_for(b, s, op.id, own)
        launch = agent.launch(policy, prompt.text, b.store.blobs / prompt_hash, tools)
        transcript = b.store.transcript(s.identity.loop, op.id)
        env = environment(b, s, {**launch.env, **own, **told_to_hooks(s, place)}, policy)
        try:
            inside = confine(
                b,
                s,
                op.id,
                launch.argv,
                env,
                cwd=b.folder,
                agent=policy,
                prompt=b.store.blobs / prompt_hash,
                handed=tools.private,
            )
            owned = b.ownership.start(
                op.id, inside.argv, cwd=b.folder, env=inside.env, stdin=launch.stdin, out=transcript
            )
        except OSError as error:
            if error.errno in DISK:  # the transcript's, not the agent's
                raise
            self._record(not_started(op, s, error))
            return None
        return IterationOperation(
            op,
            owned,
            reader=agent.reader(policy),
            grace=s.identity.policy.limits.stop_grace_seconds,
            idle_limit=s.identity.policy.limits.idle_seconds,
            transcript=transcript,
            tree_moved=self._tree_moved(s.workspace.tree),
            show=lambda line: b.show("agent", line),
            close=lambda it: self._iteration_ended(it, s, inside.box),
        )

    def _clear(self, s: LoopState) -> None:
        from ralph.core.hats.board import phase_header
        from ralph.core.hats.turns import picked
        from ralph.runner.hat_notes import clear

        assert s.identity.policy.routing is not None
        events = picked(s.identity.policy.routing, s.hats.turns)[0].events
        path, header = scratchpad_path(s), phase_header(events[0]) if events else ""
        clear(self._b.folder, s, self._b.store, Path(path) if path else None, header)

    def _look(self, op: d.Look, s: LoopState) -> None:
        from ralph.runner.operations.board import look  # most loops have no board

        look(self._b, op, s, self._record)

    def _run_gate(self, op: d.RunGate, s: LoopState) -> RunningOperation | None:
        from ralph.runner.operations.gate import GateRunner  # the first agent need not wait for it

        return GateRunner(self._b, self._record).start(op, s)

    def _pass_on(self, op: d.PassOn, s: LoopState) -> None:
        self._record(f.TransitionPassed(serial=op.serial, tree=op.tree))

    def _context_files(self, op: d.RunAgent, s: LoopState) -> tuple[tuple[str, str], ...]:
        found = []
        wanted = files_wanted(s, op)
        known = [path for _, _, path in self._b.snapshots.files(s.workspace.tree)] if wanted else []
        for name in (path for word in wanted for path in meant_by(word, known, s.identity.folder)):
            content = self._b.snapshots.read(s.workspace.tree, name)
            if content is not None and b"\0" not in content[:1000]:
                found.append((printable(name), content.decode("utf-8", "replace")[:CONTEXT_FILE_CHARS]))
        return tuple(found)

    def _tree_moved(self, tree: str) -> Callable[[], bool]:
        seen = [tree]

        def moved() -> bool:
            now = self._b.snapshots.take().tree
            changed = now != seen[0]
            seen[0] = now
            return changed

        return moved

    def _iteration_ended(self, it: IterationOperation, s: LoopState, box: Path | None) -> list[f.AnyFact]:
        """Nothing of the iteration is alive any more: now its tree is what it left."""
        b = self._b
        seconds = it.seconds()
        ended = released(b, box, it.end(), it.transcript)
        it.reader.ended(ended.code)
        words = it.reader.words()
        shutil.rmtree(b.store.private(s.identity.loop, it.op.id), ignore_errors=True)  # it may hold the token
        b.control.collect()
        snapshot = b.snapshots.take()
        tree, edited = self._without_backlog_edits(it, s, snapshot.tree)
        from ralph.gates.protected_paths import undo_protected  # the agent need not wait for it

        undone = undo_protected(b.snapshots, s, tree, partial(b.keep, s))
        how: f.How = "exited" if not it.cause else "interrupted" if it.cause == "stop" else "cut"
        # Ended for want of any sign of life before its first word: that was not the agent's doing.
        unanswered = it.cause == "idle" and words.waiting
        fault = _fault(words.fault, ended, box) if how == "exited" else "overload" if unanswered else ""
        return [
            f.IterationEnded(
                serial=it.op.serial,
                n=it.op.n,
                how=how,
                code=ended.code,
                seconds=round(seconds, 3),
                tree=undone.tree,
                protected=tuple(printable(path) for path in (*edited, *undone.paths)[:50]),
                cause=cast("f.Cause", it.cause or ("context" if words.full and ended.code else "")),
                said=words.said,
                structured=words.structured,
                output=b.store.relative(it.transcript),
                scratchpad=b.store.put(read_scratchpad(b.folder, s)),
                usage=words.usage,
                session=words.session,
                estimated=words.cost_from == "table",
                fault=fault,
                fault_text=words.fault_text
                or ("the model did not answer" if unanswered else "")
                or ended.trouble
                or (last_line(ended.err_tail) or last_line(words.said) if ended.code else ""),
                login_hint=adapter(s.worker).login_hint if fault == "credentials" else "",
                retry_after=words.retry_after,
                back_at=moment_in(words.retry_after if words.retry_after >= 0 else f.QUOTA_SECONDS)
                if words.fault == "quota"
                else "",
                nested=tuple(map(printable, snapshot.nested)),
                dirty_submodules=tuple(map(printable, snapshot.dirty_submodules)),
                stragglers=ended.stragglers,
                refs_moved=b.refs.moved(),
                commit=printable(b.refs.commit()),
                commits=self._commits(s),
                places=places(b.folder, self._state(), words.said),
                unresolved=self._unresolved(s, undone.tree),
                files=self._files_changed(s, undone.tree),
                cut=ended.cut,
            )
        ]

    def _without_backlog_edits(
        self, it: IterationOperation, s: LoopState, tree: str
    ) -> tuple[str, tuple[str, ...]]:
        if not s.identity.backlog:
            return tree, ()
        from ralph.runner.backlog_copy import put_back_backlog  # most loops work in place

        def keep(fact: f.AnyFact) -> None:
            self._record(fact)
            self._b.journal.sync()  # the edit is about to go

        b = self._b
        return put_back_backlog(b.snapshots, s, tree, it.op.serial, keep, partial(b.keep, s))

    def _commits(self, s: LoopState) -> int:
        old = s.workspace.commit or s.workspace.base_commit
        return (
            commits_between(self._b.repo, old, self._b.refs.commit()) if s.identity.policy.conditional else 0
        )

    def _files_changed(self, s: LoopState, tree: str) -> int:
        if not s.identity.policy.conditional or tree == s.workspace.tree:
            return 0
        from ralph.core.hats.activation import reads

        wanted = "files_changed" in reads(s.identity.policy.conditional)
        return len(self._b.snapshots.diff(s.workspace.tree, tree)) if wanted else 0

    # -- the rest ----------------------------------------------------------------------------------

    def _wait(self, op: d.Wait, s: LoopState) -> RunningOperation:
        # A pause is a person's wish: only a person ends it.
        until = op.until or ("" if op.what == "pause" else moment_in(op.seconds))
        self._record(f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds, why=op.why, until=until))
        self._b.journal.sync()
        return WaitOperation(op.id, until)

    def _note(self, op: d.Note, s: LoopState) -> None:
        self._record(f.Checkpoint(what=op.what, serial=op.serial, seconds=round(op.seconds, 3)))

    def _finish(self, op: d.Finish, s: LoopState) -> None:
        branch, note, code = "", "", op.code
        if self._b.workspace:
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
                commit=s.landing.landed.commit if s.landing.landed else "",
                branch=branch,
            )
        )
        self._b.journal.sync()


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


def _fault(told: f.Fault, ended: Ended, box: Path | None) -> f.Fault:
    """An agent whose sandbox cannot be made has not run at all."""
    return "unusable" if box and ended.code == CANNOT_RUN and ended.trouble else told


def not_started(op: d.RunAgent, s: LoopState, error: OSError) -> f.IterationEnded:
    program = error.filename or next(iter(s.worker.command), s.worker.backend)
    text = f"{program}: {error.strerror or error}"
    if error.errno == errno.E2BIG:
        text = "the prompt is too long for an argument; set `prompt_mode: stdin`"
    return f.IterationEnded(
        serial=op.serial,
        n=op.n,
        how="exited",
        code=127,
        seconds=0.0,
        tree=s.workspace.tree,
        fault="unusable",
        fault_text=text,
        scratchpad=s.progress.scratchpad,
    )


def meant_by(word: str, known: Iterable[str], folder: str) -> list[str]:
    """The file of the tree that a trace means: traces are relative to where the gate ran, or show only a path's end."""
    paths = set(known)
    here = os.path.normpath(f"{folder}/{word}")
    if here in paths:
        return [here]
    ending = [path for path in paths if path.endswith(f"/{word.lstrip('./')}")]
    return ending if len(ending) == 1 else []
