"""How it stands here: what the journal and the live run add up to, as one value. `ralph status --json` prints it.

Reads only. Fields are only ever added: scripts depend on their names.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ralph.cli.figures import cut, seconds_since
from ralph.cli.hatstanding import HatStanding, hat_standing
from ralph.cli.operations import Loop, Operation, operations
from ralph.cli.place import BY_INIT
from ralph.core import facts as f
from ralph.core import steering
from ralph.core.hatfold import IDLE
from ralph.core.next import what_next, why_it_ended
from ralph.core.next_steps import of_task
from ralph.core.state import LoopState
from ralph.driver.resume import last_loop
from ralph.journal.lock import holder
from ralph.journal.read import NAME, scan
from ralph.journal.record import Record
from ralph.journal.runs import backlog_runs, meant
from ralph.ui.verdicts import Verdict, verdict
from ralph.workspace import Repo

if TYPE_CHECKING:
    from ralph.cli.backlogstanding import BacklogStanding

_SAID_CHARS = 300
_SAID_LINES = 3
_TAIL = 1 << 16  # bytes of a transcript in which to look for the last words


class Gate(msgspec.Struct, frozen=True):
    """A gate of the policy with what it said last."""

    name: str
    hard: bool
    verdict: Verdict = ""
    about: str = ""  # which tree
    seconds: float | None = None
    headline: str = ""
    running_since: str = ""


class UnderWay(msgspec.Struct, frozen=True):
    op: str
    name: str
    since: str
    seconds: float


class Waiting(msgspec.Struct, frozen=True, rename={"what": "for"}):
    what: str
    why: str
    until: str


class Said(msgspec.Struct, frozen=True):
    iteration: int
    text: str
    final: bool


class Paused(msgspec.Struct, frozen=True):
    since: str  # empty: it pauses after what is under way
    by: str


class Told(msgspec.Struct, frozen=True):
    """What a person said to the loop."""

    text: str
    hat: str
    by: str
    at: str
    iteration: int | None  # that read it; None: none yet


State = Literal["working", "waiting", "idle", "paused", "stopping", "died", "blocked", "ended"]


class Standing(msgspec.Struct, frozen=True):
    """The newest loop of this workspace."""

    loop: str
    task: str
    title: str
    state: State
    started: str
    end: str | None
    reason: str
    limit: str
    question: str | None
    iterations: int
    max_iterations: int
    iteration: int | None  # the one under way
    attempts: int
    max_attempts: int
    under_way: list[str]
    operations: list[UnderWay]
    waiting: Waiting | None
    paused: Paused | None
    told: list[Told]
    stopping: str | None
    gates: list[Gate]
    said: Said | None
    active_seconds: float
    max_seconds: float
    tokens: int
    cost_usd: float
    estimated: bool  # some of the cost is from a table of prices, not from the agent
    proof: dict[str, str]
    recovery: str
    warnings: list[str]
    next: str
    hats: HatStanding | None = None  # when it has any


class Place(msgspec.Struct, frozen=True):
    """This workspace: the run that holds its repository, if one does, and its newest loop, if there was one."""

    live: dict[str, object] | None
    elsewhere: str = ""  # the root of the other workspace in which the live run works
    loop: Standing | None = None
    backlog: BacklogStanding | None = None  # when the newest run here works through one

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"running": self.live is not None}
        if self.live:
            found |= {key: self.live.get(key) for key in ("pid", "since", "run")}
        if self.elsewhere:
            found["elsewhere"] = self.elsewhere
        if self.backlog:
            return found | {"backlog": msgspec.to_builtins(self.backlog), "next": self.backlog.next}
        return found | (msgspec.to_builtins(self.loop) if self.loop else {})


def look(repo: Repo) -> Place:
    live = holder(repo.state_dir)
    live = None if live and live.get("run") == BY_INIT else live
    records = scan(repo.state_dir / NAME).records
    newest = last_loop(records, repo.root)
    elsewhere = _elsewhere(records, live, repo) if live else ""
    working = str(live.get("run", "")) if live else ""
    worked = {record.run for record in records if record.loop}
    run = meant(backlog_runs(records, repo.root).all, worked, working)
    if run and (newest is None or newest[1][-1].seq < run.seq):
        from ralph.cli.backlogstanding import backlog_standing

        going = live is not None and live.get("run") == run.id
        return Place(live, elsewhere, backlog=backlog_standing(run, records, repo, live=going))
    if newest is None:
        return Place(live, elsewhere)
    return Place(live, elsewhere, standing(*newest, repo, live=live is not None and not elsewhere))


def _elsewhere(records: list[Record], live: dict[str, object], repo: Repo) -> str:
    """It holds the journal of the whole repository, but may work in another work tree than this."""
    loop = next((r.loop for r in reversed(records) if r.loop and r.run == live.get("run")), "")
    for record in reversed(records) if loop else ():
        if record.loop == loop and record.kind == "loop.started":
            started = f.decode(record.data)
            if isinstance(started, f.LoopStarted):
                where = started.home or started.root
                return where if where != str(repo.root) else ""
    return ""


def standing(s: LoopState, own: list[Record], repo: Repo, *, live: bool) -> Standing:
    started = f.decode(own[0].data)
    assert isinstance(started, f.LoopStarted)  # a loop's records begin with it
    ran = operations(Loop(started, own[0].at, own), repo.state_dir)
    now = [x for x in ran if live and not x.ended and x.op in s.open]
    return Standing(
        loop=s.loop,
        task=s.task.id,
        title=s.task.title,
        state=_state(s, live),
        started=own[0].at,
        end=s.ended,
        reason=why_it_ended(s),
        limit=s.end_limit,
        question=s.question,
        iterations=s.iterations,
        max_iterations=s.policy.limits.max_iterations,
        iteration=next((x.n for x in now if x.what == "iteration"), None),
        attempts=s.attempts,
        max_attempts=s.policy.limits.max_attempts,
        under_way=sorted(s.open) if live else [],
        operations=[UnderWay(x.op, x.name, x.at, round(seconds_since(x.at), 1)) for x in now],
        waiting=_waiting(s) if live else None,
        paused=_paused(s, own) if live else None,
        told=told(own),
        stopping=s.stop,
        gates=[
            _gate(gate.name, gate.hard, s, [x for x in ran if x.gate == gate.name], now) for gate in s.gates
        ],
        said=_last_words(s, ran),
        active_seconds=round(s.active_seconds, 1),
        max_seconds=s.policy.limits.hard_seconds,
        tokens=s.tokens,
        cost_usd=s.cost_usd,
        estimated=s.estimated,
        proof=s.proof,
        recovery=s.recovery,
        warnings=list(s.warnings),
        next=_next(s, live),
        hats=hat_standing(s, own, live=live),
    )


def _waiting(s: LoopState) -> Waiting | None:
    if steering.asks(s) and s.steer.until:
        return Waiting("answer", s.question or "", s.steer.until)
    due = s.wait_due if s.wait_due and s.wait_due.until else None
    return Waiting(due.what, due.why, due.until) if due else None


def _paused(s: LoopState, own: list[Record]) -> Paused | None:
    if s.steer.pause is None:
        return None
    now = steering.pause_id(s) in s.open
    since = next((r.at for r in reversed(own) if r.kind == "wait.started"), "") if now else ""
    return Paused(since, s.steer.pause.by)


def told(own: list[Record]) -> list[Told]:
    """What people said, and which iteration read it: the last that began with it in its prompt."""
    found: dict[str, Told] = {}
    for record in own:
        match f.decode(record.data) if record.kind in ("said", "iteration.started") else None:
            case f.Said() as x:
                found[x.name] = Told(x.text, x.hat, x.by, record.at, None)
            case f.IterationStarted() as x:
                for name in x.heard:
                    if name in found:
                        found[name] = msgspec.structs.replace(found[name], iteration=x.n)
    return list(found.values())


def _state(s: LoopState, live: bool) -> State:
    if s.ended:
        return "blocked" if s.ended == "blocked-on-person" else "ended"
    if not live:
        return "died"
    if s.stop:
        return "stopping"
    if steering.pause_id(s) in s.open:
        return "paused"
    if any(op.startswith(IDLE) for op in s.open):
        return "idle"
    return "waiting" if _waiting(s) else "working"


def _gate(name: str, hard: bool, s: LoopState, runs: list[Operation], now: list[Operation]) -> Gate:
    running = next((x.at for x in now if x.gate == name), "")
    last = next((x for x in reversed(runs) if x.passed is not None), None)
    if last is None and name in s.base:
        about = "on the starting tree, known from before"
        word = verdict(reviewer=False, passed=s.base[name])  # of reviewers nothing is known from before
        return Gate(name, hard, word, about, running_since=running)
    if last is None:
        return Gate(name, hard, running_since=running)
    about = last.name.removeprefix(f"gate {name} ")
    headline = "" if last.passed else last.headline
    return Gate(name, hard, last.verdict, about, last.seconds, headline, running)


def _last_words(s: LoopState, ran: list[Operation]) -> Said | None:
    """Of the agent that works, or worked last: the end of what it said, or else the last line it printed."""
    for x in reversed(ran):
        if x.what == "iteration" and (text := x.said if x.ended else _so_far(s, x)).strip():
            last = " ".join([line.strip() for line in text.splitlines() if line.strip()][-_SAID_LINES:])
            return Said(x.n, cut(last[-_SAID_CHARS:], _SAID_CHARS), x.ended)
    return None


def _so_far(s: LoopState, x: Operation) -> str:
    from ralph.agents.registry import adapter

    try:
        with open(x.output, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            lines = file.read(_TAIL).decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    reader = adapter(s.worker).reader(s.worker)
    for line in lines:
        reader.feed(line)
    return reader.words().said.strip().rpartition("\n")[2]


def _next(s: LoopState, live: bool) -> str:
    if s.ended:
        return what_next(s.ended, s)
    if not live:
        return "The run died. Go on with `ralph resume`."
    if s.stop:
        return "It ends by itself. `ralph stop --now` does not wait for the iteration."
    if steering.pause_id(s) in s.open:
        ask = f'Answer it: `{of_task("answer", s)} "..."`. ' if s.question is not None else ""
        return f"{ask}`{of_task('continue', s)}` lets it go on; `ralph stop` ends it."
    if s.question is not None:
        return f'Answer it: `{of_task("answer", s)} "..."`.'
    if s.wait_due and s.wait_due.until:
        return "It goes on by itself then; `ralph stop` ends it."
    if any(op.startswith(IDLE) for op in s.open):
        return "It goes on by itself when there is work; `ralph stop` ends it."
    return "`ralph logs --follow` shows what happens; `ralph stop` ends it after the iteration."
