"""How the hats of a loop stand: who is worn, what waits, since when nobody finds work, and what each item has cost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ralph.cli.context import BY_INIT
from ralph.cli.output import cut, seconds_since
from ralph.cli.show.operations import LoggedOperation, LoopListing, operations
from ralph.core import facts as f
from ralph.core.exits import of_task
from ralph.core.hats.board import Board, BoardItem
from ralph.core.hats.event_log import about, named, title
from ralph.core.hats.fold import IDLE
from ralph.core.loop import steering
from ralph.core.loop.end_advice import what_next, why_it_ended
from ralph.core.loop.state import LoopState
from ralph.git.repo import Repo
from ralph.history.loops import last_loop
from ralph.history.runs import backlog_runs, meant
from ralph.journal.lock import holder
from ralph.journal.read import NAME, scan
from ralph.journal.record import Record
from ralph.terminal.lines import of_backlog
from ralph.terminal.words import Verdict, spent, verdict
from ralph.text import count, duration, few

if TYPE_CHECKING:
    from ralph.cli.show.backlog_status import BacklogStatus


class ItemStatus(msgspec.Struct, frozen=True):
    name: str
    state: Literal["under way", "waiting", "through", "given up"]
    folder: str  # where it was found last; of a task, the file of the backlog
    task: bool  # of a backlog
    dispatches: int
    failures: int  # of the phase that it is in
    reason: str
    tokens: int
    cost_usd: float
    seconds: float


class HatStatus(msgspec.Struct, frozen=True):
    hat: str | None  # of the iteration under way; None: none is, or it wears none
    title: str
    event: str  # what it is about; empty: no iteration is under way
    queue: int  # turns that wait
    waiting: list[str]  # events, in the order in which their turn comes
    idle_since: str | None
    idle_until: str | None
    cycle: int
    items: list[ItemStatus]
    finished: int  # items that are through or given up


def hat_status(s: LoopState, own: list[Record], *, live: bool) -> HatStatus | None:
    """None: the loop routes no events."""
    if s.policy.routing is None:
        return None
    turn = s.turns.current if live else None
    since, until = _idle(s, own) if live else ("", "")
    return HatStatus(
        hat=(turn.hat or None) if turn else None,
        title=title(s, turn.hat) if turn else "",
        event=about(turn.events) if turn else "",
        queue=len(s.turns.pending),
        waiting=[named(event) for waits in s.turns.pending for event in waits.events],
        idle_since=since or None,
        idle_until=until or None,
        cycle=s.turns.cycle,
        items=items(s),
        finished=s.board.finished,
    )


def items(s: LoopState) -> list[ItemStatus]:
    board = s.board
    return [
        ItemStatus(
            name=item.name,
            state=_item_state(board, item),
            folder=item.folder,
            task=of_backlog(s.policy.team, item.folder),
            dispatches=item.dispatches,
            failures=item.failures,
            reason=item.reason,
            tokens=item.tokens,
            cost_usd=item.cost_usd,
            seconds=round(item.seconds, 1),
        )
        for item in board.items.values()
    ]


def worn_text(x: HatStatus) -> str:
    """Whose turn it is, in words; empty when no iteration is under way."""
    return f"{x.title}: {x.event}" if x.event else x.title


def queue_text(x: HatStatus) -> str:
    return f"{count(x.queue, 'turn')} to come: {few(x.waiting)}" if x.queue else ""


def item_text(x: ItemStatus, *, estimated: bool) -> str:
    place = x.folder if x.task else f"{x.folder}/"
    told = {
        "under way": f"under way, from {place}",
        "waiting": f"in {place}",
        "through": "through",
        "given up": "given up",
    }[x.state]
    figures = [duration(x.seconds), *spent(x.tokens, x.cost_usd, estimated=estimated)] if x.seconds else []
    # Why it was given up says how often it failed.
    failed = [f"failed {count(x.failures, 'time')}"] if x.failures and x.state != "given up" else []
    why = f": {x.reason}" if x.reason else ""
    return ", ".join([told, *failed, *figures]) + why


def _item_state(board: Board, item: BoardItem) -> Literal["under way", "waiting", "through", "given up"]:
    if item.failed:
        return "given up"
    if item.done:
        return "through"
    return "under way" if item.name == board.under_way else "waiting"


def _idle(s: LoopState, own: list[Record]) -> tuple[str, str]:
    """Since when nobody has found work, and when is looked again; nothing while somebody works."""
    if not any(op.startswith(IDLE) for op in s.open):
        return "", ""
    since = until = ""
    for record in own:
        match f.decode(record.data) if record.kind in _OF_IDLENESS else None:
            case f.WaitStarted() as x if x.op.startswith(IDLE):
                since, until = since or record.at, x.until
            case f.BoardLooked(topic=""):
                pass
            case f.IterationStarted() as x if _looks(s, x):
                pass
            case None:
                pass
            case _:
                since = ""
    return since, until


_OF_IDLENESS = ("wait.started", "board.looked", "iteration.started")


def _looks(s: LoopState, x: f.IterationStarted) -> bool:
    """The iteration only looked whether there is work."""
    hat = s.policy.team.hat(x.hat) if s.policy.team else None
    return hat is not None and hat.scanner


_SAID_CHARS = 300
_SAID_LINES = 3
_TAIL = 1 << 16  # bytes of a transcript in which to look for the last words


class GateStatus(msgspec.Struct, frozen=True):
    """A gate of the policy with what it said last."""

    name: str
    hard: bool
    verdict: Verdict = ""
    about: str = ""  # which tree
    seconds: float | None = None
    headline: str = ""
    running_since: str = ""


class RunningStatus(msgspec.Struct, frozen=True):
    op: str
    name: str
    since: str
    seconds: float


class WaitStatus(msgspec.Struct, frozen=True, rename={"what": "for"}):
    what: str
    why: str
    until: str


class MessageStatus(msgspec.Struct, frozen=True):
    iteration: int
    text: str
    final: bool


class PauseStatus(msgspec.Struct, frozen=True):
    since: str  # empty: it pauses after what is under way
    by: str


class NotificationStatus(msgspec.Struct, frozen=True):
    """What a person said to the loop."""

    text: str
    hat: str
    by: str
    at: str
    iteration: int | None  # that read it; None: none yet


State = Literal["working", "waiting", "idle", "paused", "stopping", "died", "blocked", "ended"]


class Status(msgspec.Struct, frozen=True):
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
    operations: list[RunningStatus]
    waiting: WaitStatus | None
    paused: PauseStatus | None
    told: list[NotificationStatus]
    stopping: str | None
    gates: list[GateStatus]
    said: MessageStatus | None
    active_seconds: float
    max_seconds: float
    tokens: int
    cost_usd: float
    estimated: bool  # some of the cost is from a table of prices, not from the agent
    proof: dict[str, str]
    recovery: str
    warnings: list[str]
    next: str
    hats: HatStatus | None = None  # when it has any


class StatusPlace(msgspec.Struct, frozen=True):
    """This workspace: the run that holds its repository, if one does, and its newest loop, if there was one."""

    live: dict[str, object] | None
    elsewhere: str = ""  # the root of the other workspace in which the live run works
    loop: Status | None = None
    backlog: BacklogStatus | None = None  # when the newest run here works through one

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"running": self.live is not None}
        if self.live:
            found |= {key: self.live.get(key) for key in ("pid", "since", "run")}
        if self.elsewhere:
            found["elsewhere"] = self.elsewhere
        if self.backlog:
            return found | {"backlog": msgspec.to_builtins(self.backlog), "next": self.backlog.next}
        return found | (msgspec.to_builtins(self.loop) if self.loop else {})


def look(repo: Repo) -> StatusPlace:
    live = holder(repo.state_dir)
    live = None if live and live.get("run") == BY_INIT else live
    records = scan(repo.state_dir / NAME).records
    newest = last_loop(records, repo.root)
    elsewhere = _elsewhere(records, live, repo) if live else ""
    working = str(live.get("run", "")) if live else ""
    worked = {record.run for record in records if record.loop}
    run = meant(backlog_runs(records, repo.root).all, worked, working)
    if run and (newest is None or newest[1][-1].seq < run.seq):
        from ralph.cli.show.backlog_status import backlog_status

        going = live is not None and live.get("run") == run.id
        return StatusPlace(live, elsewhere, backlog=backlog_status(run, records, repo, live=going))
    if newest is None:
        return StatusPlace(live, elsewhere)
    return StatusPlace(live, elsewhere, status_of(*newest, repo, live=live is not None and not elsewhere))


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


def status_of(s: LoopState, own: list[Record], repo: Repo, *, live: bool) -> Status:
    started = f.decode(own[0].data)
    assert isinstance(started, f.LoopStarted)  # a loop's records begin with it
    ran = operations(LoopListing(started, own[0].at, own), repo.state_dir)
    now = [x for x in ran if live and not x.ended and x.op in s.open]
    return Status(
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
        operations=[RunningStatus(x.op, x.name, x.at, round(seconds_since(x.at), 1)) for x in now],
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
        hats=hat_status(s, own, live=live),
    )


def _waiting(s: LoopState) -> WaitStatus | None:
    if steering.asks(s) and s.steer.until:
        return WaitStatus("answer", s.question or "", s.steer.until)
    due = s.wait_due if s.wait_due and s.wait_due.until else None
    return WaitStatus(due.what, due.why, due.until) if due else None


def _paused(s: LoopState, own: list[Record]) -> PauseStatus | None:
    if s.steer.pause is None:
        return None
    now = steering.pause_id(s) in s.open
    since = next((r.at for r in reversed(own) if r.kind == "wait.started"), "") if now else ""
    return PauseStatus(since, s.steer.pause.by)


def told(own: list[Record]) -> list[NotificationStatus]:
    """What people said, and which iteration read it: the last that began with it in its prompt."""
    found: dict[str, NotificationStatus] = {}
    for record in own:
        match f.decode(record.data) if record.kind in ("said", "iteration.started") else None:
            case f.Said() as x:
                found[x.name] = NotificationStatus(x.text, x.hat, x.by, record.at, None)
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


def _gate(
    name: str, hard: bool, s: LoopState, runs: list[LoggedOperation], now: list[LoggedOperation]
) -> GateStatus:
    running = next((x.at for x in now if x.gate == name), "")
    last = next((x for x in reversed(runs) if x.passed is not None), None)
    if last is None and name in s.base:
        about = "on the starting tree, known from before"
        word = verdict(reviewer=False, passed=s.base[name])  # of reviewers nothing is known from before
        return GateStatus(name, hard, word, about, running_since=running)
    if last is None:
        return GateStatus(name, hard, running_since=running)
    about = last.name.removeprefix(f"gate {name} ")
    headline = "" if last.passed else last.headline
    return GateStatus(name, hard, last.verdict, about, last.seconds, headline, running)


def _last_words(s: LoopState, ran: list[LoggedOperation]) -> MessageStatus | None:
    """Of the agent that works, or worked last: the end of what it said, or else the last line it printed."""
    for x in reversed(ran):
        if x.what == "iteration" and (text := x.said if x.ended else _so_far(s, x)).strip():
            last = " ".join([line.strip() for line in text.splitlines() if line.strip()][-_SAID_LINES:])
            return MessageStatus(x.n, cut(last[-_SAID_CHARS:], _SAID_CHARS), x.ended)
    return None


def _so_far(s: LoopState, x: LoggedOperation) -> str:
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
