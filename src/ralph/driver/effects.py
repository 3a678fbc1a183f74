"""How each operation that the core wants is done. Every effect can be repeated after a crash; docs/journal.md lists them."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from ralph.agents.adapter import adapter
from ralph.core import decide as d
from ralph.core import facts as f
from ralph.core.state import LoopState
from ralph.driver.control import Control
from ralph.driver.gating import Gating
from ralph.driver.iteration import Iteration
from ralph.driver.operation import Operation
from ralph.driver.processes import Line, Ownership
from ralph.driver.store import Store, read_ends
from ralph.driver.waiting import Waiting, moment_in
from ralph.errors import DISK
from ralph.gates.command import command_line, find, undeclared
from ralph.gates.integrity import Unrecorded, hidden_by_gate, touched_by_gate
from ralph.journal.append import Journal
from ralph.prompt.compose import Context, compose, files_wanted, scratchpad_path
from ralph.seams import seam
from ralph.workspace import (
    RefWatch,
    Repo,
    Snapshots,
    Stamp,
    dirty,
    head,
    newly_ignored,
    own_excludes,
    own_files,
    printable,
    save,
)
from ralph.workspace import checkout as check_out

CONTEXT_FILE_CHARS = 6000


class Bench(msgspec.Struct):
    """The real things that a loop works with."""

    run: str
    repo: Repo
    folder: Path  # where the user started Ralph; agents and gates run there
    snapshots: Snapshots
    journal: Journal
    store: Store
    ownership: Ownership
    control: Control
    refs: RefWatch
    show: Callable[[str, Line], None]
    now: Callable[[], str]


class Effects:
    def __init__(self, bench: Bench, record: Callable[[f.AnyFact], None]) -> None:
        self._b = bench
        self._record = record

    def start(self, op: d.Operation, s: LoopState) -> Operation | None:
        how = cast("Callable[[Effects, Any, LoopState], Operation | None]", _HOW[type(op)])
        return how(self, op, s)

    # -- the workspace -----------------------------------------------------------------------------

    def _prepare(self, op: d.Prepare, s: LoopState) -> None:
        b = self._b
        snapshot = b.snapshots.take()
        recovery = ""
        # Without git nothing here is committed, so all of it is the user's only copy.
        if not b.repo.versioned or dirty(b.repo, own_files(b.repo, b.folder, (scratchpad_path(s),))):
            recovery = save(
                b.repo, b.snapshots, snapshot.tree, loop=s.loop, reason="before the loop", when=b.now()
            ).ref
        unrecorded = self._unrecorded(s).now(b.snapshots.files(snapshot.tree), self._ignored_inputs(s))
        self._record(
            f.WorkspacePrepared(
                tree=snapshot.tree,
                commit=head(b.repo) or "",
                branch=b.refs.branch(),
                recovery=recovery,
                known=known_results(b.journal, s, snapshot.tree, unrecorded),
                unrecorded=(*snapshot.nested, *snapshot.dirty_submodules),
                excludes=b.store.put(own_excludes(b.repo)),
                unrecorded_inputs=unrecorded,
            )
        )

    def _unrecorded(self, s: LoopState) -> Unrecorded:
        return Unrecorded(s.gates, folder=s.folder, root=s.root)

    def _ignored_inputs(self, s: LoopState) -> list[str]:
        """Where the configuration's `inputs:` may find files that git ignores."""
        return self._b.snapshots.ignored_files() if any(gate.inputs for gate in s.gates) else []

    def _inspect(self, op: d.InspectClaim, s: LoopState) -> None:
        b = self._b
        changes = b.snapshots.diff(s.base_tree, op.tree)
        base_files = b.snapshots.files(s.base_tree)
        rules = b.store.get(s.excludes) if s.excludes else ""
        ignored = newly_ignored(b.snapshots, s.base_tree, rules, changes)
        hidden = hidden_by_gate(s.gates, base_files, ignored, folder=s.folder, root=s.root)
        rewritten = self._unrecorded(s).rewritten(s.unrecorded_inputs, s.outputs, base_files, changes)
        for gate, paths in rewritten.items():
            hidden[gate] = tuple(sorted({*hidden.get(gate, ()), *paths}))
        judging = {path for paths in hidden.values() for path in paths}
        self._record(
            f.ClaimInspected(
                tree=op.tree,
                changed=len(changes),
                touched=touched_by_gate(s.gates, base_files, changes, folder=s.folder, root=s.root),
                hidden=hidden,
                ignored=tuple(printable(path) for path in ignored if printable(path) not in judging)[:50],
            )
        )

    # -- agents ------------------------------------------------------------------------------------

    def _run_agent(self, op: d.RunAgent, s: LoopState) -> Operation | None:
        b = self._b
        scratchpad = read_scratchpad(b.folder, s)
        prompt = compose(s, op, Context(scratchpad=scratchpad, files=self._context_files(op, s)))
        prompt_hash = b.store.put(prompt.text)
        b.store.put(scratchpad)
        b.refs.look()
        self._record(
            f.IterationStarted(
                serial=op.serial,
                n=op.n,
                prompt=prompt_hash,
                prompt_chars=len(prompt.text),
                own_chars=prompt.own_chars,
                tree=s.tree,
                shift=op.shift,
                expand=op.expand,
            )
        )
        b.journal.sync()
        policy = s.policy.agent
        agent = adapter(policy)
        launch = agent.launch(policy, prompt.text, b.store.blobs / prompt_hash)
        transcript = b.store.transcript(s.loop, op.id)
        place = str(b.folder / scratchpad_path(s))  # absolute: an agent may have gone elsewhere
        env = environment(b, s, {**launch.env, "RALPH_ITERATION": str(op.n), "RALPH_SCRATCHPAD": place})
        try:
            owned = b.ownership.start(
                op.id, launch.argv, cwd=b.folder, env=env, stdin=launch.stdin, out=transcript
            )
        except OSError as error:
            if error.errno in DISK:  # the transcript's, not the agent's
                raise
            self._record(not_started(op, s, error))
            return None
        return Iteration(
            op,
            owned,
            reader=agent.reader(policy),
            grace=s.policy.limits.stop_grace_seconds,
            idle_limit=s.policy.limits.idle_seconds,
            transcript=transcript,
            tree_moved=self._tree_moved(s.tree),
            show=lambda line: b.show("agent", line),
            close=lambda it: self._iteration_ended(it, s),
        )

    def _context_files(self, op: d.RunAgent, s: LoopState) -> tuple[tuple[str, str], ...]:
        found = []
        wanted = files_wanted(s, op)
        known = [path for _, _, path in self._b.snapshots.files(s.tree)] if wanted else []
        for name in (path for word in wanted for path in meant_by(word, known, s.folder)):
            content = self._b.snapshots.read(s.tree, name)
            if content is not None and b"\0" not in content[:1000]:
                found.append((name, content.decode("utf-8", "replace")[:CONTEXT_FILE_CHARS]))
        return tuple(found)

    def _tree_moved(self, tree: str) -> Callable[[], bool]:
        seen = [tree]

        def moved() -> bool:
            now = self._b.snapshots.take().tree
            changed = now != seen[0]
            seen[0] = now
            return changed

        return moved

    def _iteration_ended(self, it: Iteration, s: LoopState) -> list[f.AnyFact]:
        """Nothing of the iteration is alive any more: now its tree is what it left."""
        b = self._b
        seconds = it.seconds()
        ended = it.end()
        words = it.reader.words()
        b.control.collect(it.op.serial)
        snapshot = b.snapshots.take()
        how: f.How = "exited" if not it.cause else "interrupted" if it.cause == "stop" else "cut"
        return [
            f.IterationEnded(
                serial=it.op.serial,
                n=it.op.n,
                how=how,
                code=ended.code,
                seconds=round(seconds, 3),
                tree=snapshot.tree,
                cause=cast("f.Cause", it.cause),
                said=words.said,
                structured=words.structured,
                output=b.store.relative(it.transcript),
                scratchpad=b.store.put(read_scratchpad(b.folder, s)),
                usage=words.usage,
                fault=words.fault if how == "exited" else "",
                fault_text=words.fault_text
                or ended.trouble
                or (_last_line(ended.err_tail) or _last_line(words.said) if ended.code else ""),
                retry_after=words.retry_after,
                nested=snapshot.nested,
                dirty_submodules=snapshot.dirty_submodules,
                stragglers=ended.stragglers,
                refs_moved=b.refs.moved(),
                cut=ended.cut,
            )
        ]

    # -- gates -------------------------------------------------------------------------------------

    def _run_gate(self, op: d.RunGate, s: LoopState) -> Operation | None:
        b = self._b
        gate = s.gate(op.gate)
        assert gate is not None  # the core only asks for gates of its policy
        current = b.snapshots.take().tree
        if current != op.tree:
            paths = tuple(printable(c.path) for c in b.snapshots.diff(op.tree, current))
            if not s.serial:  # it becomes the start, so it is saved like the start
                save(b.repo, b.snapshots, current, loop=s.loop, reason="before the loop", when=b.now())
            self._record(f.WorkspaceChanged(tree=current, paths=paths[:50]))
            return None
        swap = changed_paths(b.snapshots, s.base_tree, op.tree, op.swap)
        before = b.snapshots.overlay(op.tree, s.base_tree, swap) if swap else op.tree
        self._record(
            f.GateStarted(
                op=op.id,
                gate=op.gate,
                purpose=op.purpose,
                variant=op.variant,
                tree=op.tree,
                swapped=() if gate.hermetic else op.swap,
            )
        )
        b.journal.sync()
        checkout = None
        if gate.hermetic:
            checkout = gate_checkout(b.run, op.id)
            shutil.rmtree(checkout, ignore_errors=True)
            seam("checkout.before", writes=True)
            checkout.mkdir(mode=0o700)
            check_out(b.snapshots, before, checkout)
            seam("checkout.after")
        elif swap:
            b.snapshots.restore(before, swap)
        transcript = b.store.transcript(s.loop, op.id)
        command, where = command_line(gate), checkout / s.folder if checkout else b.folder
        if not where.is_dir():  # the agent removed it: the gate fails, the run goes on
            command, where = "echo 'the folder in which the gate runs is gone'; exit 127", b.repo.root
        stamps = self._unrecorded(s).stamps()
        owned = b.ownership.start(
            op.id,
            ("/bin/sh", "-c", command),
            cwd=where,
            env=environment(b, s, {"RALPH_GATE": gate.name}),
            stdin=None,
            out=transcript,
            merge=True,
        )
        return Gating(
            op,
            owned,
            gate=gate,
            grace=s.policy.limits.stop_grace_seconds,
            transcript=transcript,
            before=before,
            swap=swap,
            checkout=checkout,
            show=lambda line: b.show(gate.name, line),
            close=lambda gating: self._gate_ended(gating, s, stamps),
        )

    def _gate_ended(self, gating: Gating, s: LoopState, stamps: dict[str, Stamp]) -> list[f.AnyFact]:
        b, op, gate = self._b, gating.op, gating.gate
        seconds = gating.seconds()
        ended = gating.end()
        outputs = {n for n, stamp in self._unrecorded(s).stamps().items() if stamps.get(n) != stamp}
        if gating.checkout:
            shutil.rmtree(gating.checkout, ignore_errors=True)
            seam("checkout.removed")
            written: tuple[str, ...] = ()
        else:
            written = self._undo_writes(gating, s)
        if gating.swap and not gating.checkout:
            b.snapshots.restore(op.tree, gating.swap)
        wrote = tuple(printable(path) for path in undeclared(gate, written))
        timed_out = gating.timed_out(seconds)
        found = find(
            gate,
            code=ended.code,
            output=read_ends(gating.transcript),
            timed_out=timed_out,
            wrote=wrote,
        )
        return [
            f.GateEnded(
                op=op.id,
                gate=op.gate,
                purpose=op.purpose,
                variant=op.variant,
                tree=op.tree,
                command=command_line(gate),
                code=ended.code,
                seconds=round(seconds, 3),
                passed=found.passed,
                how="interrupted" if gating.cause == "stop" else "exited",
                timed_out=cast("Literal['', 'soft', 'hard']", timed_out),
                hermetic=gate.hermetic,
                wrote=wrote[:50],
                outputs=tuple(sorted(outputs.difference(map(printable, written)))),
                excerpt=found.excerpt,
                output=b.store.relative(gating.transcript),
                error_hash=found.error_hash,
                headline=ended.trouble or found.headline,
                stragglers=ended.stragglers,
            )
        ]

    def _undo_writes(self, gating: Gating, s: LoopState) -> tuple[str, ...]:
        b, snapshots = self._b, self._b.snapshots
        after = snapshots.take().tree
        if after == gating.before:
            return ()
        written = tuple(c.path for c in snapshots.diff(gating.before, after))
        if undeclared(gating.gate, written):
            # Somebody else may have been at work while the gate ran: nothing is undone that is not safe elsewhere.
            reason = f"before undoing what gate {gating.gate.name} wrote"
            save(b.repo, snapshots, after, loop=s.loop, reason=reason, when=b.now())
        snapshots.restore(gating.before, written)
        return written

    # -- the rest ----------------------------------------------------------------------------------

    def _wait(self, op: d.Wait, s: LoopState) -> Operation:
        until = op.until or moment_in(op.seconds)
        self._record(f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds, why=op.why, until=until))
        self._b.journal.sync()
        return Waiting(op.id, until)

    def _note(self, op: d.Note, s: LoopState) -> None:
        self._record(f.Checkpoint(what=op.what, serial=op.serial, seconds=round(op.seconds, 3)))

    def _finish(self, op: d.Finish, s: LoopState) -> None:
        self._record(
            f.LoopEnded(
                end=op.end,
                reason=op.reason,
                code=op.code,
                tree=s.tree,
                limit=op.limit,
                proof=op.proof,
                paths=op.paths,
            )
        )
        self._b.journal.sync()


_HOW: dict[type, object] = {
    d.Prepare: Effects._prepare,
    d.InspectClaim: Effects._inspect,
    d.RunAgent: Effects._run_agent,
    d.RunGate: Effects._run_gate,
    d.Wait: Effects._wait,
    d.Note: Effects._note,
    d.Finish: Effects._finish,
}


def not_started(op: d.RunAgent, s: LoopState, error: OSError) -> f.IterationEnded:
    program = error.filename or next(iter(s.policy.agent.command), s.policy.agent.backend)
    text = f"{program}: {error.strerror or error}"
    if error.errno == errno.E2BIG:
        text = "the prompt is too long for an argument; set `prompt_mode: stdin`"
    return f.IterationEnded(
        serial=op.serial,
        n=op.n,
        how="exited",
        code=127,
        seconds=0.0,
        tree=s.tree,
        fault="unusable",
        fault_text=text,
        scratchpad=s.scratchpad,
    )


def environment(b: Bench, s: LoopState, more: dict[str, str]) -> dict[str, str]:
    """The user's own, and what tells an agent where it is."""
    env = {k: v for k, v in os.environ.items() if k not in ("RALPH_FAULT", "RALPH_TIER")}
    return {
        **env,
        "RALPH_RUN": b.run,
        "RALPH_LOOP": s.loop,
        "RALPH_TASK": s.task.id,
        "RALPH_STATE": str(b.repo.state_dir),
        **more,
    }


def gate_checkout(run: str, op: str) -> Path:
    """Outside the repository, so that tools do not take it for a part of it; named, so that a resume finds it."""
    return Path(tempfile.gettempdir()) / f"ralph-gate-{run}-{op.replace(':', '-').replace('/', '_')}"


def changed_paths(snapshots: Snapshots, base: str, tree: str, names: Iterable[str]) -> tuple[str, ...]:
    """The paths, among those that differ between the trees, that facts call by these names: a fact is text, a path is
    bytes."""
    wanted = set(names)
    return tuple(c.path for c in snapshots.diff(base, tree) if printable(c.path) in wanted) if wanted else ()


def read_scratchpad(folder: Path, s: LoopState) -> str:
    path = folder / scratchpad_path(s)
    if not path.is_file():  # absent, a folder, a pipe that nobody writes to
        return ""
    with open(path, "rb") as file:
        return file.read(1 << 20).decode("utf-8", "replace")


def meant_by(word: str, known: Iterable[str], folder: str) -> list[str]:
    """The file of the tree that a trace means: traces are relative to where the gate ran, or show only a path's end."""
    paths = set(known)
    here = os.path.normpath(f"{folder}/{word}")
    if here in paths:
        return [here]
    ending = [path for path in paths if path.endswith(f"/{word.lstrip('./')}")]
    return ending if len(ending) == 1 else []


def known_results(
    journal: Journal, s: LoopState, tree: str, unrecorded: dict[str, dict[str, str]]
) -> tuple[f.BaseResult, ...]:
    """The gates of which earlier loops found out that they pass on this very tree: asked in the same way, in the same
    folder, with the same inputs. A failure is never taken over: red→green is only said of what was seen red."""
    wanted = {gate.name: gate for gate in s.gates}
    asked: dict[str, f.LoopStarted] = {}
    inputs: dict[str, dict[str, dict[str, str]]] = {}
    verdicts: dict[str, list[bool]] = {}
    evidence: dict[str, int] = {}
    for record in journal.records:
        if record.kind not in ("loop.started", "workspace.prepared", "gate.ended"):
            continue
        match f.decode(record.data):
            case f.LoopStarted() as started:
                asked[record.loop] = started
            case f.WorkspacePrepared() as prepared:
                inputs[record.loop] = prepared.unrecorded_inputs
            case f.GateEnded(tree=tree_, variant="as-is", how="exited") as ended if tree_ == tree:
                name, before = ended.gate, asked.get(record.loop)
                if (
                    before is not None
                    and name in wanted
                    and wanted[name] in before.policy.gates
                    and before.folder == s.folder
                    and inputs.get(record.loop, {}).get(name) == unrecorded.get(name)
                ):
                    clean = ended.passed and not ended.timed_out and not ended.wrote
                    verdicts.setdefault(name, []).append(clean)
                    evidence[name] = record.seq
    return tuple(
        f.BaseResult(gate=name, passed=True, evidence=f"journal seq {evidence[name]}")
        for name, found in verdicts.items()
        if all(found)
    )


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
