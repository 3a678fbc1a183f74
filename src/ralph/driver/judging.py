"""How a gate is run: on the recorded tree, perhaps with original inputs or in a clean checkout. What it writes is undone."""

from __future__ import annotations

import errno
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, cast

import msgspec

from ralph.agents.adapter import Reader, Words
from ralph.agents.registry import adapter
from ralph.core import decide as d
from ralph.core import facts as f
from ralph.core.policy import GatePolicy
from ralph.core.state import LoopState
from ralph.driver.bench import (
    Bench,
    environment,
    keep_scratchpad,
    last_line,
    put_back_scratchpad,
    tools_for,
    unrecorded_of,
)
from ralph.driver.confining import confine, released
from ralph.driver.gating import Gating
from ralph.driver.operation import Operation
from ralph.driver.processes import Ended
from ralph.driver.store import read_ends
from ralph.errors import DISK
from ralph.gates.command import Finding, command_line, find, undeclared
from ralph.gates.reviewer import find_review
from ralph.prompt.compose import scratchpad_path
from ralph.prompt.review import CHANGE_CHARS, compose_review
from ralph.seams import seam
from ralph.workspace import Snapshots, Stamp, printable
from ralph.workspace import checkout as check_out
from ralph.workspace.patch import patch

Compose = Callable[[LoopState, GatePolicy, str], str]  # the gate, and the tree that it is asked about


class Program(msgspec.Struct, frozen=True):
    """What a gate is run as. `reader` and `prompt` are a reviewer's."""

    argv: tuple[str, ...]
    stdin: bytes | None = None
    env: dict[str, str] = {}
    reader: Reader | None = None
    prompt: str = ""


class Judging:
    def __init__(
        self, bench: Bench, record: Callable[[f.AnyFact], None], compose: Compose | None = None
    ) -> None:
        """`compose`: a reviewer's prompt, where it is not about the claim of a loop."""
        self._b = bench
        self._record = record
        self._compose = compose or self._about_claim

    def start(self, op: d.RunGate, s: LoopState) -> Operation | None:
        b = self._b
        gate = s.gate(op.gate)
        assert gate is not None  # the core only asks for gates of its policy
        current = b.snapshots.take().tree
        if current != op.tree:
            paths = tuple(printable(c.path) for c in b.snapshots.diff(op.tree, current))
            if not s.serial:  # it becomes the start, so it is saved like the start
                b.keep(s, current, "before the loop")
            self._record(f.WorkspaceChanged(tree=current, paths=paths[:50]))
            return None
        program = self._program(gate, op, s)
        scratchpad = keep_scratchpad(b.folder, s, b.store) if gate.review else ""
        if gate.review:
            b.refs.look()
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
                prompt=program.prompt,
                scratchpad=scratchpad,
                refs=b.store.put(b.refs.memory()) if gate.review else "",
            )
        )
        b.journal.sync()
        checkout = None
        if gate.hermetic:
            checkout = gate_checkout(b.run, s.loop, op.id)
            shutil.rmtree(checkout, ignore_errors=True)
            seam("checkout.before", writes=True)
            checkout.mkdir(mode=0o700)
            check_out(b.snapshots, before, checkout)
            seam("checkout.after")
        elif swap:
            b.snapshots.restore(before, swap)
        transcript = b.store.transcript(s.loop, op.id)
        where = checkout / s.folder if checkout else b.folder
        if not where.is_dir():  # the agent removed it: the gate fails, the run goes on
            program, where = shell("echo 'the folder in which the gate runs is gone'; exit 127"), b.repo.root
        stamps = unrecorded_of(s).stamps()
        agent = s.agent_of(gate) if gate.review else None
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
                handed=b.store.private(s.loop, op.id) if agent else None,
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
            if error.errno in DISK or not gate.review:
                raise
            if checkout:
                shutil.rmtree(checkout, ignore_errors=True)
            self._record(review_not_started(op, s, error))
            return None
        return Gating(
            op,
            owned,
            gate=gate,
            grace=s.policy.limits.stop_grace_seconds,
            transcript=transcript,
            before=before,
            swap=swap,
            checkout=checkout,
            reader=program.reader,
            show=lambda line: b.show(gate.name, line),
            close=lambda gating: self._ended(gating, s, stamps, scratchpad, inside.box),
        )

    def _program(self, gate: GatePolicy, op: d.RunGate, s: LoopState) -> Program:
        if not gate.review:
            return shell(command_line(gate))
        b, policy = self._b, s.agent_of(gate)
        prompt = self._compose(s, gate, op.tree)
        name = b.store.put(prompt)
        agent = adapter(policy)
        launch = agent.launch(policy, prompt, b.store.blobs / name, tools_for(b, s, op.id))
        env = {**launch.env, "RALPH_ITERATION": str(s.iterations)}
        return Program(launch.argv, launch.stdin, env, agent.reader(policy), name)

    def _about_claim(self, s: LoopState, gate: GatePolicy, tree: str) -> str:
        b = self._b
        paths = [printable(change.path) for change in b.snapshots.diff(s.base_tree, tree)]
        text, cut = first_of(patch(b.repo, s.base_tree, tree), CHANGE_CHARS)
        return compose_review(s, gate, paths, text, cut=cut)

    def _ended(
        self,
        gating: Gating,
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
            seam("checkout.removed")
            written: tuple[str, ...] = ()
        else:
            written = self._undo_writes(gating, s)
        if gating.swap and not gating.checkout:
            b.snapshots.restore(op.tree, gating.swap)
        timed_out = gating.timed_out(seconds)
        if gating.reader:
            gating.reader.ended(ended.code)
        words = gating.reader.words() if gating.reader else Words()
        shutil.rmtree(b.store.private(s.loop, op.id), ignore_errors=True)
        if gate.review:
            wrote = tuple(printable(path) for path in written)
            if put_back_scratchpad(b.folder, s, b.store, scratchpad):
                wrote = (*wrote, scratchpad_path(s))
            found = self._opinion(gate, words, ended, timed_out)
        else:
            wrote = tuple(printable(path) for path in undeclared(gate, written))
            output = read_ends(gating.transcript)
            found = find(gate, code=ended.code, output=output, timed_out=timed_out, wrote=wrote)
        return [
            f.GateEnded(
                op=op.id,
                gate=op.gate,
                purpose=op.purpose,
                variant=op.variant,
                tree=op.tree,
                command=evidence_of(gate, s),
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
                refs_moved=b.refs.moved(work=False) if gate.review else (),
            )
        ]

    def _opinion(self, gate: GatePolicy, words: Words, ended: Ended, timed_out: str) -> Finding:
        trouble = ended.trouble or last_line(ended.err_tail) or last_line(words.said)
        return find_review(
            gate,
            code=ended.code,
            said=words.said,
            fault=words.fault,
            fault_text=words.fault_text or trouble,
            timed_out=timed_out,
        )

    def _undo_writes(self, gating: Gating, s: LoopState) -> tuple[str, ...]:
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


def evidence_of(gate: GatePolicy, s: LoopState) -> str:
    """The command, or who reviewed."""
    if not gate.review:
        return command_line(gate)
    policy = s.agent_of(gate)
    return f"review by {shlex.join(policy.command) if policy.command else policy.backend}"


def shell(command: str) -> Program:
    return Program(("/bin/sh", "-c", command))


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
        command=evidence_of(gate, s) if (gate := s.gate(op.gate)) else "",
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
