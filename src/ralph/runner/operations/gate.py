"""A gate under way: a command or a reviewer of the orchestrator's on a recorded tree. What it writes is undone."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, cast

from ralph.agents.adapter import Reader, Words
from ralph.core import facts as f
from ralph.core.loop import decide as d
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
from ralph.journal.store import read_ends
from ralph.processes.capture import Line
from ralph.processes.owned_process import OwnedProcess
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
from ralph.runner.operations import ProcessOperation, RunningOperation
from ralph.runner.sandboxing import confine, released

Close = Callable[["GateOperation"], list[f.AnyFact]]


class GateOperation(ProcessOperation):
    def __init__(
        self,
        op: RunGate,
        owned: OwnedProcess,
        *,
        gate: GatePolicy,
        grace: float,
        transcript: Path,
        before: str,
        swap: tuple[str, ...],
        checkout: Path | None,
        reader: Reader | None,
        show: Callable[[Line], None],
        close: Close,
    ) -> None:
        super().__init__(op.id, owned, grace, self._heard)
        self.op = op
        self.gate = gate
        self.transcript = transcript
        self.before = before  # the tree as the gate found it
        self.swap = swap  # paths that hold their original content meanwhile
        self.checkout = checkout  # a clean checkout of its own, when hermetic
        self.reader = reader  # of what a reviewer says
        self._show = show
        self._close = close
        self._usage = f.Usage()

    def _heard(self, line: Line) -> None:
        if self.reader and line.stream == "out":
            self.reader.feed(line.text)
        self._show(line)

    def advance(self) -> list[f.Tick | f.Metered]:
        felt = super().advance()
        usage = self.reader.words().usage if self.reader else self._usage
        if usage != self._usage:
            self._usage = usage
            felt.append(f.Metered(op=self.id, usage=usage))
        return felt

    def timed_out(self, seconds: float) -> str:
        if self.cause == "gate-time":
            return "hard"
        return "soft" if seconds > self.gate.soft_timeout else ""

    def conclude(self) -> list[f.AnyFact]:
        return self._close(self)


Compose = Callable[[LoopState, GatePolicy, str], str]  # the gate, and the tree that it is asked about


class GateRunner:
    def __init__(
        self, bench: LoopContext, record: Callable[[f.AnyFact], None], compose: Compose | None = None
    ) -> None:
        """`compose`: a reviewer's prompt, where it is not about the claim of a loop."""
        self._b = bench
        self._record = record
        self._compose = compose or self._about_claim

    def start(self, op: d.RunGate, s: LoopState) -> RunningOperation | None:
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
        scratchpad = keep_scratchpad(b.folder, s, b.store) if by_agent else ""
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
                refs=b.store.put(b.refs.memory()) if by_agent else "",
            )
        )
        b.journal.sync()
        checkout = None
        if gate.hermetic:
            checkout = gate_checkout(b.run, s.identity.loop, op.id)
            shutil.rmtree(checkout, ignore_errors=True)
            fault_point("checkout.before", writes=True)
            checkout.mkdir(mode=0o700)
            b.snapshots.check_out(before, checkout)
            fault_point("checkout.after")
        elif swap:
            b.snapshots.restore(before, swap)
        transcript = b.store.transcript(s.identity.loop, op.id)
        where = checkout / s.identity.folder if checkout else b.folder
        if not where.is_dir():  # the agent removed it: the gate fails, the run goes on
            program, where = shell("echo 'the folder in which the gate runs is gone'; exit 127"), b.repo.root
        stamps = unrecorded_of(s).stamps()
        agent = s.agent_of(gate) if by_agent else None
        env = environment(b, s, {**program.env, "RALPH_GATE": gate.name}, agent)
        try:
            inside = confine(
                b,
                s,
                op.id,
                program.argv,
                env,
                cwd=where,
                agent=agent,
                workspace=checkout,
                prompt=b.store.blobs / program.prompt if agent else None,
                handed=b.store.private(s.identity.loop, op.id) if agent else None,
            )
            owned = b.ownership.start(
                op.id,
                inside.argv,
                cwd=where,
                env=inside.env,
                stdin=program.stdin,
                out=transcript,
                merge=program.reader is None,
            )
        except OSError as error:
            if error.errno in DISK or not by_agent:
                raise
            if checkout:
                shutil.rmtree(checkout, ignore_errors=True)
            self._record(review_not_started(op, s, error))
            return None
        return GateOperation(
            op,
            owned,
            gate=gate,
            grace=s.identity.policy.limits.stop_grace_seconds,
            transcript=transcript,
            before=before,
            swap=swap,
            checkout=checkout,
            reader=program.reader,
            show=lambda line: b.show(gate.name, line),
            close=lambda gating: self._ended(gating, s, stamps, scratchpad, inside.box),
        )

    def _program(self, kind: Kind, gate: GatePolicy, op: d.RunGate, s: LoopState) -> Program:
        b = self._b

        def put(text: str) -> tuple[str, Path]:
            name = b.store.put(text)
            return name, b.store.blobs / name

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
        self,
        gating: GateOperation,
        s: LoopState,
        stamps: dict[str, Stamp],
        scratchpad: str,
        box: Path | None,
    ) -> list[f.AnyFact]:
        b, op, gate = self._b, gating.op, gating.gate
        seconds = gating.seconds()
        ended = released(b, box, gating.end(), gating.transcript)
        outputs = {n for n, stamp in unrecorded_of(s).stamps().items() if stamps.get(n) != stamp}
        if gating.checkout:
            shutil.rmtree(gating.checkout, ignore_errors=True)
            fault_point("checkout.removed")
            written: tuple[str, ...] = ()
        else:
            written = self._undo_writes(gating, s)
        if gating.swap and not gating.checkout:
            b.snapshots.restore(op.tree, gating.swap)
        timed_out = gating.timed_out(seconds)
        if gating.reader:
            gating.reader.ended(ended.code)
        words = gating.reader.words() if gating.reader else Words()
        shutil.rmtree(b.store.private(s.identity.loop, op.id), ignore_errors=True)
        kind, by_agent = kind_of(gate), gate.kind.runs_agent
        wrote = tuple(printable(path) for path in (written if by_agent else undeclared(gate, written)))
        if by_agent and put_back_scratchpad(b.folder, s, b.store, scratchpad):
            wrote = (*wrote, scratchpad_path(s))
        ran = Ran(
            code=ended.code,
            timed_out=timed_out,
            wrote=wrote,
            output=lambda: read_ends(gating.transcript),
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
                output=b.store.relative(gating.transcript),
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

    def _undo_writes(self, gating: GateOperation, s: LoopState) -> tuple[str, ...]:
        b, snapshots = self._b, self._b.snapshots
        after = snapshots.take().tree
        if after == gating.before:
            return ()
        written = tuple(c.path for c in snapshots.diff(gating.before, after))
        if undeclared(gating.gate, written):
            # Somebody else may have been at work while the gate ran: nothing is undone that is not safe elsewhere.
            b.keep(s, after, f"before undoing what gate {gating.gate.name} wrote")
        snapshots.restore(gating.before, written)
        return written


def review_not_started(op: d.RunGate, s: LoopState, error: OSError) -> f.GateEnded:
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
    return Path(tempfile.gettempdir()) / f"ralph-gate-{run}-{loop}-{op.replace(':', '-').replace('/', '_')}"


def is_gate_checkout(folder: Path, loop: str) -> bool:
    """Whether the folder is, or is in, one that a gate of this loop runs in."""
    names = (part for part in folder.parts if part.startswith("ralph-gate-"))
    return bool(loop) and any(f"-{loop}-" in name for name in names)


def changed_paths(snapshots: Snapshots, base: str, tree: str, names: Iterable[str]) -> tuple[str, ...]:
    """The paths, among those that differ between the trees, that facts call by these names: a fact is text, a path is
    bytes."""
    wanted = set(names)
    return tuple(c.path for c in snapshots.diff(base, tree) if printable(c.path) in wanted) if wanted else ()
