"""The iterations and gate runs of one loop, as the journal has them: when, how long, how each ended, where its output is.

Reads only, also while a run is live.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from ralph.core import facts as f
from ralph.core.loop import signals
from ralph.core.policy import Policy
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.journal.read import history
from ralph.journal.record import Record
from ralph.journal.store import transcript_path
from ralph.terminal.words import Verdict, verdict
from ralph.text import few

UNDER_WAY = "under way"


class LoggedOperation(msgspec.Struct, frozen=True):
    """An agent process or a run of a gate. `n` and `serial` of a gate are those of the iteration it looked at; 0 and 0
    on the starting tree."""

    what: Literal["iteration", "gate"]
    op: str
    n: int
    serial: int
    at: str
    run: str
    output: str  # the transcript; what it said on standard error is beside it, in OUTPUT.err
    size: int | None = None  # bytes kept of both; None: the files are not there
    seq: int = 0
    ended: bool = False
    seconds: float | None = None
    how: str = UNDER_WAY
    code: int | None = None
    signal: str = ""
    gate: str = ""
    purpose: str = ""
    variant: str = ""
    passed: bool | None = None
    verdict: Verdict = ""  # the same in a word; empty while it runs and when it was interrupted
    fault: str = ""  # why a reviewer could not do its work
    headline: str = ""
    said: str = ""
    session: str = ""  # the agent's own name for its conversation, with which its CLI can open it again
    tokens: int = 0
    cost_usd: float = 0.0
    prompt: str = ""  # the file that holds it
    scratchpad: str = ""
    tree_before: str = ""
    tree_after: str = ""

    @property
    def name(self) -> str:
        if self.what == "iteration":
            return f"iteration {self.n}"
        again = ", asked again" if self.op.endswith(":again") else ""
        return f"gate {self.gate}{_WHERE[self.purpose, self.variant].format(n=self.n)}{again}"


_WHERE: dict[tuple[str, str], str] = {
    ("base", "as-is"): " on the starting tree",
    ("claim", "as-is"): " on the claim of iteration {n}",
    ("claim", "original"): " on the claim of iteration {n}, with the original inputs",
    ("iteration", "as-is"): " after iteration {n}",
    ("at-end", "as-is"): " on the whole run",
}


class LoopListing(msgspec.Struct, frozen=True):
    started: f.LoopStarted
    at: str
    records: list[Record]

    @property
    def id(self) -> str:
        return self.started.loop


def loops(state_dir: Path) -> Iterator[tuple[str, f.LoopStarted]]:
    """Every loop that the journal knows, with the time of its start, oldest first."""
    for record in history(state_dir):
        if record.kind == "loop.started" and isinstance(started := f.decode(record.data), f.LoopStarted):
            yield record.at, started


def find_loop(repo: Repo, wanted: str = "", task: str = "") -> LoopListing | None:
    """The newest loop of this workspace, or of its backlog, or of one task; or the one whose id begins like this, in
    whatever workspace of the repository."""
    starts: dict[str, tuple[str, f.LoopStarted]] = {}
    records: list[Record] = []
    for record in history(repo.state_dir):
        started = f.decode(record.data) if record.kind == "loop.started" else None
        if isinstance(started, f.LoopStarted) and _is_meant(started, repo, wanted, task):
            starts[started.loop] = record.at, started
            records = records if wanted else []  # of the newest one only
        if record.loop in starts:
            records.append(record)
    if wanted:
        chosen = wanted if wanted in starts else _only(starts, wanted, repo.state_dir)
    elif starts:
        chosen = list(starts)[-1]
    elif task:
        raise no_such_task(task, repo)
    else:
        return None
    at, began = starts[chosen]
    return LoopListing(began, at, [record for record in records if record.loop == chosen])


def _is_meant(started: f.LoopStarted, repo: Repo, wanted: str, task: str) -> bool:
    if wanted:
        return started.loop.startswith(wanted)
    here = (started.home or started.root) == str(repo.root)
    return here and task in ("", started.task.id)


def loops_of_task(repo: Repo, task: str) -> set[str]:
    """Every loop of this task here."""
    found = {x.loop for _, x in loops(repo.state_dir) if _is_meant(x, repo, "", task)}
    if not found:
        raise no_such_task(task, repo)
    return found


def no_such_task(task: str, repo: Repo) -> RalphError:
    known = list(dict.fromkeys(x.task.id for _, x in loops(repo.state_dir) if _is_meant(x, repo, "", "")))
    todo = f"Worked on: {few(known[::-1])}." if known else "`ralph run` begins the first one."
    return RalphError(f"no loop has worked on a task {task!r} here", todo=todo)


def _only(found: Iterable[str], wanted: str, state_dir: Path) -> str:
    ids = list(found)
    if len(ids) == 1:
        return ids[0]
    known = ids or [started.loop for _, started in loops(state_dir)]
    what = f"{wanted!r} is the beginning of {len(ids)} loops" if ids else f"there is no loop {wanted!r}"
    todo = f"The last ones are {', '.join(known[-5:])}." if known else "`ralph run` begins the first one."
    raise RalphError(what, todo=todo)


def operations(loop: LoopListing, state_dir: Path) -> list[LoggedOperation]:
    """In the order in which they began."""
    found: dict[str, LoggedOperation] = {}
    n = serial = 0
    reviewers = {gate.name for gate in loop.started.policy.gates if gate.kind.asked_once}
    for record in loop.records:
        match f.decode(record.data):
            case f.IterationStarted() as x:
                n, serial = x.n, x.serial
                op = f"iteration:{x.serial}"
                found[op] = msgspec.structs.replace(
                    _begun("iteration", op, record, n, serial, state_dir),
                    prompt=blob(state_dir, x.prompt),
                    tree_before=x.tree,
                )
            case f.IterationEnded() as x if begun := found.get(f"iteration:{x.serial}"):
                found[begun.op] = _iteration_ended(begun, x, loop.started.policy, state_dir)
            case f.GateStarted() as x:
                of = (0, 0) if x.purpose == "base" else (n, serial)
                found[f"{x.op} {record.seq}"] = msgspec.structs.replace(
                    _begun("gate", x.op, record, *of, state_dir),
                    gate=x.gate,
                    purpose=x.purpose,
                    variant=x.variant,
                    prompt=blob(state_dir, x.prompt),
                    tree_before=x.tree,
                )
            case f.GateEnded() as x:
                # A gate that was interrupted is asked anew under the same name.
                for key, begun in reversed(found.items()):
                    if begun.op == x.op and begun.what == "gate":
                        found[key] = gate_ended(begun, x, state_dir, reviewer=x.gate in reviewers)
                        break
    return [sized(one) for one in found.values()]


def _begun(
    what: Literal["iteration", "gate"], op: str, record: Record, n: int, serial: int, state_dir: Path
) -> LoggedOperation:
    output = str(transcript_path(state_dir, record.run, record.loop, op))
    return LoggedOperation(what, op, n, serial, record.at, record.run, output, seq=record.seq)


def _iteration_ended(
    begun: LoggedOperation, x: f.IterationEnded, policy: Policy, state_dir: Path
) -> LoggedOperation:
    said = signals.read(x.said, structured=x.structured, promise=policy.completion_promise)
    return msgspec.structs.replace(
        begun,
        ended=True,
        seconds=x.seconds,
        how=_how(x),
        code=x.code,
        signal=said.word if said.explicit and x.how == "exited" else "",
        said=x.said,
        session=x.session,
        tokens=x.usage.tokens,
        cost_usd=x.usage.cost_usd,
        scratchpad=blob(state_dir, x.scratchpad),
        tree_after=x.tree,
        output=str(state_dir / x.output) if x.output else begun.output,
    )


def _how(x: f.IterationEnded) -> str:
    if x.how == "interrupted":
        return "interrupted"
    if x.how == "cut":
        return f"cut off ({x.cause})"
    return f"{x.fault}: {x.fault_text}" if x.fault else f"exit {x.code}"


def gate_ended(
    begun: LoggedOperation, x: f.GateEnded | f.RunReviewed, state_dir: Path, *, reviewer: bool
) -> LoggedOperation:
    interrupted = x.how == "interrupted"
    word = verdict(reviewer=reviewer, passed=x.passed, unclear=x.unclear, fault=x.fault)
    how = f"{word} ({x.fault})" if x.fault else word if reviewer else f"{word}, exit {x.code}"
    how += " (out of time)" if x.timed_out == "hard" else ""
    return msgspec.structs.replace(
        begun,
        ended=True,
        seconds=x.seconds,
        how="interrupted" if interrupted else how,
        code=x.code,
        passed=None if interrupted else x.passed,
        verdict="" if interrupted else word,
        fault=x.fault,
        headline=x.headline,
        tokens=x.usage.tokens,
        cost_usd=x.usage.cost_usd,
        output=str(state_dir / x.output) if x.output else begun.output,
    )


def blob(state_dir: Path, name: str) -> str:
    return str(state_dir / "blobs" / name) if name else ""


def sized(one: LoggedOperation) -> LoggedOperation:
    sizes = []
    for path in (Path(one.output), Path(one.output + ".err")):
        try:
            sizes.append(path.stat().st_size)
        except OSError:
            continue
    return msgspec.structs.replace(one, size=sum(sizes)) if sizes else one


def run_reviews(repo: Repo, gate: str | None = None) -> list[LoggedOperation]:
    """Of the last run here that asked any, in the order of asking; all, or those of one reviewer."""
    found: list[LoggedOperation] = []
    here, base = False, ""
    for record in history(repo.state_dir):
        match f.decode(record.data) if record.kind.startswith("run.") else None:
            case f.RunStarted() as x:
                here = x.backlog == str(repo.root)
            case f.RunReviewStarted() as x if here:
                # A run that was cut short and the one that goes on with it have the same base.
                found = [*(found if x.base == base else ()), _review_begun(x, record, repo.state_dir)]
                base = x.base
            case f.RunReviewed() as x if here and found and found[-1].gate == x.gate:
                found[-1] = gate_ended(found[-1], x, repo.state_dir, reviewer=True)
    if not found:
        raise RalphError(
            "nobody has been asked about a whole run here",
            todo="`at_end:` in ralph.yml names who is, after a backlog's run: see docs/backlog.md.",
        )
    chosen = [one for one in found if gate in (None, one.gate)]
    if not chosen:
        names = ", ".join(dict.fromkeys(one.gate for one in found))
        raise RalphError(f"no reviewer {gate!r} was asked at the end of the run", todo=f"Asked: {names}.")
    return [sized(one) for one in chosen]


def _review_begun(x: f.RunReviewStarted, record: Record, state_dir: Path) -> LoggedOperation:
    return LoggedOperation(
        what="gate",
        op=f"at-end:{x.gate}",
        n=0,
        serial=0,
        at=record.at,
        run=record.run,
        output=str(state_dir / x.output),
        seq=record.seq,
        gate=x.gate,
        purpose="at-end",
        variant="as-is",
        prompt=blob(state_dir, x.prompt),
    )
