"""A recorded loop, decided again: what the journal says was begun next is held against what decide wants at that point.

Outcomes and what people wanted are taken as they are. So is what the clock alone decided: how long something took before
it was cut off is felt while it runs and is in no journal. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState

MOMENT = 0.001  # seconds: figures in the journal are rounded to it
TREE_CHARS = 12  # of a tree's name that are shown and compared


class JournalEntry(msgspec.Struct, frozen=True):
    """A record of the loop. `run`: who wrote it."""

    seq: int
    fact: f.AnyFact
    run: str = ""


class ReplayStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """One point at which something was begun."""

    seq: int
    what: str
    same: bool = True
    expected: str = ""  # where it is not the same: by the rules as they are now
    found: str = ""  # and by the journal
    note: str = ""


class Replayed(msgspec.Struct, frozen=True):
    steps: tuple[ReplayStep, ...]
    state: LoopState
    next: str = ""  # what would be begun now, where the loop has not ended

    @property
    def same(self) -> bool:
        return all(step.same for step in self.steps)


class Prompted(msgspec.Struct, frozen=True):
    """A prompt that was composed again."""

    same: bool
    note: str = ""


Compose = Callable[[LoopState, d.RunAgent, f.IterationStarted], Prompted]


class _Act(msgspec.Struct, frozen=True):
    short: str
    whole: str = ""  # all that is compared

    @property
    def words(self) -> str:
        return self.whole or self.short


def replay(entries: Iterable[JournalEntry], compose: Compose | None = None) -> Replayed:
    """`entries` are those of one loop, in order. After a difference the journal is believed, so that later ones show."""
    s, by, steps = LoopState(), "", list[ReplayStep]()
    for entry in entries:
        fact = entry.fact
        if isinstance(fact, f.LoopStarted | f.LoopResumed):
            by = entry.run
        elif isinstance(fact, f.Checkpoint):
            s = _felt(s, fact)
        if (found := _act(fact)) is not None:
            steps.append(_step(entry, found, s, compose, taken_up=entry.run == by))
        s = fold(s, fact)
    wanted = _wanted(d.decide(s))
    return Replayed(tuple(steps), s, wanted.short if wanted else "")


def _step(
    entry: JournalEntry, found: _Act, s: LoopState, compose: Compose | None, *, taken_up: bool
) -> ReplayStep:
    fact, wanted = entry.fact, d.decide(s)
    if not taken_up:
        return ReplayStep(entry.seq, found.short, note="by a run that did not continue the loop")
    if isinstance(fact, f.LoopEnded) and fact.trouble:
        return ReplayStep(entry.seq, found.short, note="by trouble that no rule decides about")
    if _belongs(fact, wanted, s):
        return ReplayStep(entry.seq, found.short)
    expected = next((act for op in wanted if (act := _act(op)) and act.words == found.words), None)
    if expected is None:
        other = _wanted(wanted)
        return ReplayStep(entry.seq, found.short, False, other.words if other else "nothing", found.words)
    if compose is None or not isinstance(fact, f.IterationStarted):
        return ReplayStep(entry.seq, found.short)
    agent = next(op for op in wanted if isinstance(op, d.RunAgent))
    again = compose(s, agent, fact)
    if again.same:
        return ReplayStep(entry.seq, found.short, note=again.note)
    return ReplayStep(entry.seq, found.short, False, again.note, f"the prompt {fact.prompt[:TREE_CHARS]}")


def _felt(s: LoopState, x: f.Checkpoint) -> LoopState:
    """A soft limit was passed: what the clock said then is in the fact."""
    if x.what not in _SOFT or not x.seconds:
        return s
    before = s.progress.active_seconds if x.what == "soft-time" else 0.0
    op = next((op for op, running in s.progress.open.items() if running.what != "wait"), "")
    return fold(s, f.Tick(op=op, seconds=x.seconds - before + MOMENT))


def _belongs(fact: f.AnyFact, wanted: tuple[d.Operation, ...], s: LoopState) -> bool:
    """Facts that an operation leads to, though it is not named in them."""
    match fact:
        case f.AgentBack():
            return fact.agent in s.agents.away and any(isinstance(op, d.RunAgent) for op in wanted)
        case f.ItemGivenUp():
            return any(isinstance(op, d.Look) for op in wanted)
        case f.LoopEnded():
            return any(isinstance(op, d.Finish) and _ends_so(op, fact, s) for op in wanted)
    return False


def _ends_so(op: d.Finish, x: f.LoopEnded, s: LoopState) -> bool:
    """The end also says what became of the branch, and fails when the landing lacks something."""
    if (op.end, op.limit, op.proof) != (x.end, x.limit, x.proof):
        return False
    once = (
        (0,) if op.code == 1 else ()
    )  # a board with failed items ended with 0 in journals of earlier versions
    return x.reason.startswith(op.reason) and x.code in (op.code, op.code or 1, *once)


def _wanted(wanted: tuple[d.Operation, ...]) -> _Act | None:
    return next((act for op in wanted if (act := _act(op))), None)


# -- in words: the same for a fact and for the operation that leads to it ---------------------------------------


_VARIANTS = {"as-is": "", "original": ", with the originals", "new-tests": ", new tests on the starting code"}


def _act(x: f.AnyFact | d.Operation) -> _Act | None:
    """What is begun. None: the fact tells an outcome, or what someone wanted; the operation is under way already."""
    match x:
        case f.WorkspacePrepared() | d.Prepare():
            return _Act("prepare")
        case f.GateStarted(purpose="land") | f.LandingIntended(op=f.BY_A_LANDER) | f.Landed(op=f.BY_A_LANDER):
            return None  # a lander decides by rules of its own
        case f.WorkspaceMerged(op=f.BY_A_LANDER):
            return None
        case f.IterationStarted() | d.RunAgent():
            return _iteration(x)
        case f.GateStarted() | d.RunGate():
            short = f"gate {x.gate} ({x.purpose}{_VARIANTS[x.variant]})"
            return _on_tree(short, x.tree, f" as {_name(x)}")
        case f.ClaimInspected() | d.InspectClaim():
            return _on_tree("inspect the claim", x.tree)
        case f.TransitionPassed() | d.PassOn():
            return _on_tree(f"pass on the event of process {x.serial}", x.tree)
        case f.BoardLooked() | d.Look():
            return _Act(f"look as {x.hat}")
        case f.ItemGivenUp():
            return _Act(f"give up {x.item}")
        case f.AgentBack():
            return _Act(f"agent {x.agent + 1} is back")
        case f.Checkpoint() if x.what not in _SOFT or not x.seconds:
            return None
        case f.Checkpoint() | d.Note():
            return _Act(f"note {x.what}", f"note {x.what} of process {x.serial}")
        case f.WaitStarted() | d.Wait():
            return _Act(f"wait: {x.what}", f"wait: {x.what} ({_name(x)}) for {x.seconds!r} s")
        case f.LandingIntended() | f.Landed() | f.MergeIntended() | f.WorkspaceMerged() | d.Land():
            return _Act(f"land ({_name(x)})")
        case f.LoopEnded() | d.Finish():
            return _end(x)
    return None


def _name(x: Any) -> str:
    """Of an operation, which the facts about it carry."""
    return str(x.id if isinstance(x, d.Operation) else x.op)


def _iteration(x: f.IterationStarted | d.RunAgent) -> _Act:
    short = f"iteration {x.n}" + (f" as {x.hat}" if x.hat else "")
    more = [f"process {x.serial}", f"agent {x.agent + 1}"]
    more += [f"shift {x.shift}"] if x.shift else []
    more += [text for yes, text in ((x.expand, "with more context"), (x.fresh, "afresh")) if yes]
    return _Act(short, f"{short} ({', '.join(more)})")


def _on_tree(short: str, tree: str, named: str = "") -> _Act:
    return _Act(short, f"{short}{named} on {tree[:TREE_CHARS]}")


def _end(x: f.LoopEnded | d.Finish) -> _Act:
    limit = f" ({x.limit})" if x.limit else ""
    proof = f"; {', '.join(f'{gate} {what}' for gate, what in x.proof.items())}" if x.proof else ""
    return _Act(f"end {x.end}", f"end {x.end}{limit} with {x.code}: {x.reason}{proof}")


_SOFT = ("iteration-soft", "soft-time")
