"""One iteration, top to bottom: what the agent is told, its process and how it is watched, and what it leaves."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ralph.agents.adapter import Reader
from ralph.agents.registry import adapter
from ralph.core import facts as f
from ralph.core.loop import steering
from ralph.core.loop.decide import RunAgent
from ralph.core.loop.state import LoopState
from ralph.errors import DISK, RalphError
from ralph.git.repo import commits_between, printable
from ralph.processes.owned_process import Ended
from ralph.prompt.compose import WORDING, Context, compose, files_wanted, nameable, scratchpad_path
from ralph.runner.hat_notes import found_items, kept_for, told_of_hat
from ralph.runner.loop_context import (
    LoopContext,
    environment,
    last_line,
    read_scratchpad,
    told_to_hooks,
    tools_for,
)
from ralph.runner.loop_workspace import straight
from ralph.runner.operations import Close, ProcessOperation, moment_in
from ralph.runner.sandboxing import CANNOT_RUN, Confined, confine
from ralph.text import digest

if TYPE_CHECKING:
    from ralph.runner.loop_runner import LoopRunner

CONTEXT_FILE_CHARS = 6000
LIST_NOTES = 20  # about the list of tasks, of one iteration


class IterationRunner:
    def __init__(self, context: LoopContext, loop: LoopRunner) -> None:
        self._b = context
        self._loop = loop
        self._record = loop.record

    def start(self, op: RunAgent, s: LoopState) -> IterationOperation | None:
        b = self._b
        s = s.under_hat(op.hat)  # whose agent, limits and scratchpad are meant from here on
        if op.fresh:
            self._clear(s)
        path = b.folder / scratchpad_path(s)
        if scratchpad_path(s) and straight(path.parent, s):
            with suppress(OSError):  # something is in the way: the agent finds out when it writes there
                path.parent.mkdir(parents=True, exist_ok=True)
        scratchpad = read_scratchpad(b.folder, s)
        there = tuple(name for name in nameable(s) if (b.folder / name).is_file())
        context = Context(
            scratchpad=scratchpad,
            files=self._context_files(op, s),
            there=there,
            tools=adapter(s.worker).has_tools,
            **kept_for(b.folder, s),
        )
        if s.identity.backlog:
            from ralph.runner.backlog_copy import give_copy  # most loops work in place

            give_copy(b, s)
        prompt = compose(s, op, context)
        prompt_hash = b.run.store.put(prompt.text)
        kept = b.run.store.put(scratchpad)
        b.look_at_refs()
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
                refs=b.run.store.put(b.refs.memory()),
                token=digest("token", token),
                hat=op.hat,
                hat_why=op.hat_why,
                fresh=op.fresh,
                scratchpad=kept if op.fresh else "",
                wording=WORDING,
                heard=tuple(say.name for say in steering.heard(s, op.hat)),
                attempts=s.judgement.attempts,
            )
        )
        b.run.control.expect(s.identity.loop, digest("token", token), op.serial)
        b.run.journal.sync()
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
        launch = agent.launch(policy, prompt.text, b.run.store.blobs / prompt_hash, tools)
        transcript = b.run.store.transcript(s.identity.loop, op.id)
        env = environment(b, s, {**launch.env, **own, **told_to_hooks(s, place)}, policy)
        try:
            confined = confine(
                b,
                s,
                op.id,
                launch.argv,
                env,
                cwd=b.folder,
                stdin=launch.stdin,
                out=transcript,
                agent=policy,
                prompt=prompt_hash,
            )
        except OSError as error:
            if error.errno in DISK:  # the transcript's, not the agent's
                raise
            self._record(not_started(op, s, error))
            return None
        close = partial(self._iteration_ended, op, s, confined)
        return IterationOperation(b, s, op.id, confined, agent.reader(policy), close)

    def _clear(self, s: LoopState) -> None:
        from ralph.core.hats.board import phase_header
        from ralph.core.hats.turns import picked
        from ralph.runner.hat_notes import clear

        assert s.identity.policy.routing is not None
        events = picked(s.identity.policy.routing, s.hats.turns)[0].events
        header = phase_header(events[0]) if events else ""
        clear(self._b.folder, s, self._b.run.store, scratchpad_path(s), header)

    def _context_files(self, op: RunAgent, s: LoopState) -> tuple[tuple[str, str], ...]:
        found = []
        wanted = files_wanted(s, op)
        known = [path for _, _, path in self._b.snapshots.files(s.workspace.tree)] if wanted else []
        for name in (path for word in wanted for path in meant_by(word, known, s.identity.folder)):
            content = self._b.snapshots.read(s.workspace.tree, name)
            if content is not None and b"\0" not in content[:1000]:
                found.append((printable(name), content.decode("utf-8", "replace")[:CONTEXT_FILE_CHARS]))
        return tuple(found)

    def _iteration_ended(
        self,
        op: RunAgent,
        s: LoopState,
        confined: Confined,
        it: ProcessOperation,
        ended: Ended,
        seconds: float,
    ) -> list[f.AnyFact]:
        """Nothing of the iteration is alive any more: now its tree is what it left."""
        b, words = self._b, it.words()
        b.run.tasks.listen()
        b.run.control.collect()
        snapshot, special = b.snapshots.take_left()
        notes = list_notes(b, s, op.serial, self._record)
        from ralph.gates.protected_paths import undo_protected  # the agent need not wait for it

        undone = undo_protected(b.snapshots, s, snapshot.tree, partial(b.keep, s))
        how: f.How = "exited" if not it.cause else "interrupted" if it.cause == "stop" else "cut"
        # Ended for want of any sign of life before its first word: that was not the agent's doing.
        unanswered = it.cause == "idle" and words.waiting
        refused = it.cause == "credentials"
        fault: f.Fault = "overload" if unanswered else "credentials" if refused else ""
        if how == "exited":
            fault = _fault(words.fault, ended, confined.box)
        return [
            f.IterationEnded(
                serial=op.serial,
                n=op.n,
                how=how,
                code=ended.code,
                seconds=round(seconds, 3),
                tree=undone.tree,
                protected=tuple(printable(path) for path in undone.paths[:50]),
                list_notes=notes,
                cause=cast("f.Cause", it.cause or ("context" if words.full and ended.code else "")),
                said=words.said,
                structured=words.structured,
                output=b.run.store.relative(confined.transcript),
                scratchpad=b.run.store.put(read_scratchpad(b.folder, s)),
                usage=words.usage,
                session=words.session,
                estimated=words.cost_from == "table",
                fault=fault,
                fault_text=words.fault_text
                or ("the model did not answer" if unanswered else "")
                or (f"its credentials are refused ({words.retry.words})" if refused and words.retry else "")
                or ended.trouble
                or (last_line(ended.err_tail) or last_line(words.said) if ended.code else ""),
                login_hint=adapter(s.worker).login_hint if fault == "credentials" else "",
                retry_after=words.retry_after,
                back_at=moment_in(words.retry_after if words.retry_after >= 0 else f.QUOTA_SECONDS)
                if words.fault == "quota"
                else "",
                nested=tuple(map(printable, snapshot.nested)),
                dirty_submodules=tuple(map(printable, snapshot.dirty_submodules)),
                too_large=tuple(map(printable, snapshot.too_large[:50])),
                stragglers=ended.stragglers,
                refs_moved=b.moved_refs(),
                commit=printable(b.refs.commit()),
                commits=self._commits(s),
                **found_items(b.folder, self._loop.state, words.said),
                unresolved=self._unresolved(s, undone.tree),
                special=special[:50],
                files=self._files_changed(s, undone.tree),
                cut=ended.cut,
                new_commits=b.refs.new_commits(),
                inspect_seconds=round(it.seconds() - seconds, 3),
            )
        ]

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

    def _unresolved(self, s: LoopState, tree: str) -> tuple[str, ...]:
        """Paths that still hold the marks of a merge."""
        if not s.landing.merging:
            return ()
        from ralph.git.landing.squash import unresolved  # most loops are never merged

        return unresolved(self._b.snapshots, s, tree)


def list_notes(
    b: LoopContext, s: LoopState, serial: int, record: Callable[[f.AnyFact], None]
) -> tuple[str, ...]:
    """What became of the tasks that an iteration proposed, by its tools or in its copy of the list, for the one after it."""
    unheeded: tuple[str, ...] = ()
    if s.identity.backlog:
        from ralph.runner.backlog_copy import take_copy

        unheeded = take_copy(b, s, serial, record)
    return (*b.run.tasks.told(s.identity.task.id), *unheeded)[:LIST_NOTES]


class IterationOperation(ProcessOperation):
    def __init__(
        self, b: LoopContext, s: LoopState, id: str, confined: Confined, reader: Reader, close: Close
    ) -> None:
        super().__init__(b, s, id, confined, reader=reader, who="agent", close=close)
        self._idle_limit = s.identity.policy.limits.idle_seconds
        self._tree = s.workspace.tree

    def _idle(self, now: float) -> float:
        """A silent agent may still be writing files; the tree is looked at only when it would be called idle. Before its
        first word it can only wait for its model: some agents use CPU time for that."""
        idle = super()._idle(now)
        if self.words().waiting:
            idle = max(idle, now - self._heard_at)
        if idle >= self._idle_limit > 0 and self._tree_moved():
            self._active_at = self._heard_at = now
            return 0.0
        return idle

    def _tree_moved(self) -> bool:
        before = self._tree
        with suppress(RalphError):  # what git cannot record is dealt with at the end
            self._tree = self._b.snapshots.take().tree
        return self._tree != before


def _fault(told: f.Fault, ended: Ended, box: Path | None) -> f.Fault:
    """An agent whose sandbox cannot be made has not run at all."""
    return "unusable" if box and ended.code == CANNOT_RUN and ended.trouble else told


def not_started(op: RunAgent, s: LoopState, error: OSError) -> f.IterationEnded:
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
