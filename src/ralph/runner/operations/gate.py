"""A gate under way: a command or a reviewer of the orchestrator's on a recorded tree. What it writes is undone."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal, cast

import msgspec

from ralph.core import facts as f
from ralph.core.loop.decide import RunGate
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy
from ralph.errors import DISK
from ralph.fault_points import fault_point
from ralph.files import Stamp
from ralph.gates.command import shell, undeclared
from ralph.gates.kinds import Asked, Kind, Program, Ran, kind_of
from ralph.git.repo import printable
from ralph.git.snapshots import Snapshots
from ralph.git.trees import patch
from ralph.journal.store import file_name, read_ends
from ralph.processes.owned_process import Ended
from ralph.prompt.compose import scratchpad_path
from ralph.runner.loop_context import (
    LoopContext,
    environment,
    keep_scratchpad,
    last_line,
    put_back_scratchpad,
    tools_for,
    unrecorded_of,
)
from ralph.runner.operations import ProcessOperation
from ralph.runner.sandboxing import confine


class StartedGate(msgspec.Struct, frozen=True):
    """A gate as it was started."""

    op: RunGate
    gate: GatePolicy
    before: str  # the tree as the gate found it
    swap: tuple[str, ...]  # paths that hold their original content meanwhile
    checkout: Path | None  # a clean checkout of its own, when hermetic
    transcript: Path
    stamps: dict[str, Stamp]
    scratchpad: str


Compose = Callable[[LoopState, GatePolicy, str], str]  # the gate, and the tree that it is asked about


class GateRunner:
    def __init__(
        self, bench: LoopContext, record: Callable[[f.AnyFact], None], compose: Compose | None = None
    ) -> None:
        """`compose`: a reviewer's prompt, where it is not about the claim of a loop."""
        self._b = bench
        self._record = record
        self._compose = compose or self._about_claim

    def start(self, op: RunGate, s: LoopState) -> ProcessOperation | None:
        b = self._b
        gate = s.gate(op.gate)
        assert gate is not None  # the core only asks for gates of its policy
        current = b.snapshots.take().tree
        if current != op.tree:
            paths = tuple(printable(c.path) for c in b.snapshots.diff(op.tree, current))
            if not s.progress.serial:  # it becomes the start, so it is saved like the start
                b.keep(s, current, "before the loop")
            self._record(f.WorkspaceChanged(tree=current, paths=paths[:50]))
            return None
        kind, by_agent = kind_of(gate), gate.kind.runs_agent
        program = self._program(kind, gate, op, s)
        scratchpad = keep_scratchpad(b.folder, s, b.run.store) if by_agent else ""
        if by_agent:
            b.refs.look()
        swap = changed_paths(b.snapshots, s.workspace.base_tree, op.tree, op.swap)
        before = b.snapshots.overlay(op.tree, s.workspace.base_tree, swap) if swap else op.tree
        self._record(
            f.GateStarted(
                op=op.id,
                gate=op.gate,
                purpose=op.purpose,
                variant=op.variant,
                tree=op.tree,
                swapped=() if gate.hermetic else op.swap,
                prompt=program.prompt,
                scratchpad=scratchpad,
                refs=b.run.store.put(b.refs.memory()) if by_agent else "",
            )
        )
        b.run.journal.sync()
        checkout = None
        if gate.hermetic:
            checkout = gate_checkout(b.run.id, s.identity.loop, op.id)
            shutil.rmtree(checkout, ignore_errors=True)
            fault_point("checkout.before", writes=True)
            checkout.mkdir(mode=0o700)
            b.snapshots.check_out(before, checkout)
            fault_point("checkout.after")
        elif swap:
            b.snapshots.restore(before, swap)
        transcript = b.run.store.transcript(s.identity.loop, op.id)
        where = checkout / s.identity.folder if checkout else b.folder
        if not where.is_dir():  # the agent removed it: the gate fails, the run goes on
            program, where = shell("echo 'the folder in which the gate runs is gone'; exit 127"), b.repo.root
        stamps = unrecorded_of(s).stamps()
        agent = s.agent_of(gate) if by_agent else None
        env = environment(b, s, {**program.env, "RALPH_GATE": gate.name}, agent)
        try:
            confined = confine(
                b,
                s,
                op.id,
                program.argv,
                env,
                cwd=where,
                stdin=program.stdin,
                out=transcript,
                agent=agent,
                prompt=program.prompt,
                workspace=checkout,
                merge=program.reader is None,
            )
        except OSError as error:
            if error.errno in DISK or not by_agent:
                raise
            if checkout:
                shutil.rmtree(checkout, ignore_errors=True)
            self._record(review_not_started(op, s, error))
            return None
        run = StartedGate(op, gate, before, swap, checkout, transcript, stamps, scratchpad)
        close = partial(self._ended, run, s)
        return ProcessOperation(b, s, op.id, confined, reader=program.reader, who=gate.name, close=close)

    def _program(self, kind: Kind, gate: GatePolicy, op: RunGate, s: LoopState) -> Program:
        b = self._b

        def put(text: str) -> tuple[str, Path]:
            name = b.run.store.put(text)
            return name, b.run.store.blobs / name

        asked = Asked(
            state=s,
            tree=op.tree,
            compose=lambda: self._compose(s, gate, op.tree),
            put=put,
            tools=lambda: tools_for(b, s, op.id),
        )
        return kind.program(gate, asked)

    def _about_claim(self, s: LoopState, gate: GatePolicy, tree: str) -> str:
        from ralph.prompt.review import CHANGE_CHARS, compose_review  # most gates are commands

        b = self._b
        paths = [printable(change.path) for change in b.snapshots.diff(s.workspace.base_tree, tree)]
        text, cut = first_of(patch(b.repo, s.workspace.base_tree, tree), CHANGE_CHARS)
        return compose_review(s, gate, paths, text, cut=cut)

    def _ended(
        self, run: StartedGate, s: LoopState, gating: ProcessOperation, ended: Ended, seconds: float
    ) -> list[f.AnyFact]:
        b, op, gate, words = self._b, run.op, run.gate, gating.words()
        outputs = {n for n, stamp in unrecorded_of(s).stamps().items() if run.stamps.get(n) != stamp}
        if run.checkout:
            shutil.rmtree(run.checkout, ignore_errors=True)
            fault_point("checkout.removed")
            written: tuple[str, ...] = ()
        else:
            written = self._undo_writes(run, s)
        if run.swap and not run.checkout:
            b.snapshots.restore(op.tree, run.swap)
        slow = "soft" if seconds > gate.soft_timeout else ""
        timed_out = "hard" if gating.cause == "gate-time" else slow
        kind, by_agent = kind_of(gate), gate.kind.runs_agent
        wrote = tuple(printable(path) for path in (written if by_agent else undeclared(gate, written)))
        if by_agent and put_back_scratchpad(b.folder, s, b.run.store, run.scratchpad):
            wrote = (*wrote, scratchpad_path(s))
        ran = Ran(
            code=ended.code,
            timed_out=timed_out,
            wrote=wrote,
            output=lambda: read_ends(run.transcript),
            words=words,
            trouble=ended.trouble or last_line(ended.err_tail) or last_line(words.said),
        )
        found = kind.find(gate, ran)
        return [
            f.GateEnded(
                op=op.id,
                gate=op.gate,
                purpose=op.purpose,
                variant=op.variant,
                tree=op.tree,
                command=kind.evidence(gate, s),
                code=ended.code,
                seconds=round(seconds, 3),
                passed=found.passed,
                how="interrupted" if gating.cause == "stop" else "exited",
                timed_out=cast("Literal['', 'soft', 'hard']", timed_out),
                hermetic=gate.hermetic,
                wrote=wrote[:50],
                outputs=tuple(sorted(outputs.difference(map(printable, written)))),
                excerpt=found.excerpt,
                output=b.run.store.relative(run.transcript),
                error_hash=found.error_hash,
                headline=ended.trouble or found.headline,
                stragglers=ended.stragglers,
                empty=found.empty,
                tests=found.tests,
                unclear=found.unclear,
                findings=found.findings,
                usage=words.usage,
                estimated=words.cost_from == "table",
                fault=words.fault,
                fault_text=words.fault_text,
                retry_after=words.retry_after,
                refs_moved=b.refs.moved(work=False) if by_agent else (),
            )
        ]

    def _undo_writes(self, run: StartedGate, s: LoopState) -> tuple[str, ...]:
        b, snapshots = self._b, self._b.snapshots
        after = snapshots.take().tree
        if after == run.before:
            return ()
        written = tuple(c.path for c in snapshots.diff(run.before, after))
        if undeclared(run.gate, written):
            # Somebody else may have been at work while the gate ran: nothing is undone that is not safe elsewhere.
            b.keep(s, after, f"before undoing what gate {run.gate.name} wrote")
        snapshots.restore(run.before, written)
        return written


def review_not_started(op: RunGate, s: LoopState, error: OSError) -> f.GateEnded:
    text = f"{error.filename or 'the reviewer'}: {error.strerror or error}"
    if error.errno == errno.E2BIG:
        text = "the prompt is too long for an argument; set `prompt_mode: stdin` for this reviewer"
    return f.GateEnded(
        op=op.id,
        gate=op.gate,
        purpose=op.purpose,
        variant=op.variant,
        tree=op.tree,
        command=kind_of(gate).evidence(gate, s) if (gate := s.gate(op.gate)) else "",
        code=127,
        seconds=0.0,
        passed=False,
        headline=text,
        unclear=True,
        fault="unusable",
        fault_text=text,
    )


def first_of(parts: Iterator[bytes], most: int) -> tuple[str, bool]:
    """The beginning of what may be endless, in whole lines; and whether there is more."""
    data = b""
    for part in parts:
        data += part
        if len(data) > most:
            return data[:most].decode("utf-8", "replace").rpartition("\n")[0], True
    return data.decode("utf-8", "replace"), False


def gate_checkout(run: str, loop: str, op: str) -> Path:
    """Outside the repository, so that tools do not take it for a part of it; named, so that a resume finds it."""
    return Path(tempfile.gettempdir()) / f"ralph-gate-{run}-{loop}-{file_name(op)}"


def is_gate_checkout(folder: Path, loop: str) -> bool:
    """Whether the folder is, or is in, one that a gate of this loop runs in."""
    names = (part for part in folder.parts if part.startswith("ralph-gate-"))
    return bool(loop) and any(f"-{loop}-" in name for name in names)


def changed_paths(snapshots: Snapshots, base: str, tree: str, names: Iterable[str]) -> tuple[str, ...]:
    """The paths, among those that differ between the trees, that facts call by these names: a fact is text, a path is
    bytes."""
    wanted = set(names)
    return tuple(c.path for c in snapshots.diff(base, tree) if printable(c.path) in wanted) if wanted else ()
