"""Which hat a condition puts on for the next iteration: the first whose condition has become true. Pure.

Edge-triggered: counters count from when the hat was last worn, a hat is never called by what its own iteration did, and
a condition that holds all along puts it on once. So no hat is put on by a condition twice in a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ralph.core.hats.conditions import NAMES, NOTHING, Condition, ConditionError, Value, evaluate, parse
from ralph.core.hats.model import Hat
from ralph.core.loop import signals

if TYPE_CHECKING:
    from ralph.core.facts import IterationEnded
    from ralph.core.loop.state import LoopState


CLAIMED = "task_marked_ready_to_complete"
SHOWN_CHARS = 40


def choose(hats: Iterable[Hat], s: LoopState, w: Wearing) -> Hat | None:
    """The hat that the next iteration wears by its condition. With a claim open, only one that waits for a claim: every
    other claim is judged and nothing comes before that."""
    return next((hat for hat in hats if calls(hat, s, w)), None)


def calls(hat: Hat, s: LoopState, w: Wearing) -> bool:
    condition = _parsed(hat.when)
    if condition is None:
        return False
    now = values(s, w, hat.id, _others(condition))
    if not evaluate(condition, now):
        return False
    if s.judgement.claim is not None and evaluate(condition, {**now, CLAIMED: False}):
        return False  # it does not wait for a claim
    return hat.id not in w.worn or not evaluate(condition, _at_rest(now))


def why(hat: Hat, now: Mapping[str, Value]) -> str:
    """One line: the condition, and what the things that it reads are."""
    condition = _parsed(hat.when)
    read = condition.refs if condition else ()
    found = ", ".join(f"{ref.key} is {_shown(now.get(ref.key, NOTHING[ref.kind]))}" for ref in read)
    return f"{hat.id}: {' '.join(hat.when.split())} ({found})"


def why_now(hat: Hat, s: LoopState, w: Wearing) -> str:
    condition = _parsed(hat.when)
    return why(hat, values(s, w, hat.id, _others(condition) if condition else ()))


def reads(hats: Iterable[Hat]) -> frozenset[str]:
    """The names that any condition reads: what costs to find out is found out only for these."""
    conditions = [_parsed(hat.when) for hat in hats]
    return frozenset(ref.name for condition in conditions if condition for ref in condition.refs)


def values(s: LoopState, w: Wearing, hat: str, others: Iterable[str] = ()) -> dict[str, Value]:
    """Everything that a condition of this hat can read. `others`: hats whose iterations_since_role is asked for."""
    own = bool(hat) and w.last == hat
    now = counts(s, w)
    before = now if own and w.lived else w.worn.get(hat, WornHat())
    iterations = max(0, now.iterations - before.iterations)
    attempts = max(0, now.attempts - before.attempts)
    found: dict[str, Value] = {
        "branch_commits": max(0, now.commits - before.commits),
        "iterations": iterations,
        "attempts": attempts,
        "same_error": min(s.judgement.streak, attempts),
        "no_progress": min(s.progress.no_progress, iterations),
        "crashes": min(s.agents.crashes, iterations),
        "strategy_shifts": max(0, now.shifts - before.shifts),
        "files_changed": max(0, now.files - before.files),
        "seconds": max(0.0, now.seconds - before.seconds),
        "tokens": max(0, now.tokens - before.tokens),
        "cost_usd": max(0.0, now.cost_usd - before.cost_usd),
        "task_id": s.identity.task.id,
        "task_title": s.identity.task.title,
        "task_description": s.identity.task.description,
        "task_type": s.identity.task.type,
        "task_priority": s.identity.task.priority,
        "task_criteria": len(s.identity.task.criteria),
    }
    for other in others:
        since = max(0, now.iterations - w.worn.get(other, WornHat()).iterations)
        found[f"iterations_since_role('{other}')"] = min(since, iterations)
    seen = w.worn.get(hat, WornHat()).trees
    return found | _moments(s, w, own=own, seen=seen)


def _moments(s: LoopState, w: Wearing, *, own: bool, seen: frozenset[str]) -> dict[str, Value]:
    if own:  # what its own iteration did never calls a hat
        return {name.name: NOTHING[name.kind] for name in NAMES.values() if name.sort == "moment"}
    turned_down = (
        s.judgement.history[-1] if s.judgement.attempts > w.attempts_before and s.judgement.history else None
    )
    timed_out = s.progress.last_how in ("iteration-time", "idle")
    crashed = s.progress.last_how.startswith("exit ")
    return {
        "first_iteration": s.progress.iterations == 0,
        "last_iteration_failed": bool(turned_down or timed_out or crashed or s.judgement.refusal),
        "timed_out": timed_out,
        "failed_gate": turned_down.gate if turned_down and not timed_out else "",
        "last_error": turned_down.headline if turned_down else "",
        "red_gates": len(s.red_now()),
        "last_signal": w.signal,
        "last_role": w.last,
        CLAIMED: s.judgement.claim is not None and s.judgement.claim.tree not in seen,
    }


def _at_rest(now: Mapping[str, Value]) -> dict[str, Value]:
    """As it is right after the hat was worn: nothing counted, nothing happened."""
    return {key: value for key, value in now.items() if (name := NAMES.get(key)) and name.sort == "standing"}


def _others(condition: Condition) -> list[str]:
    return [ref.argument for ref in condition.refs if ref.argument]


def _parsed(text: str) -> Condition | None:
    try:
        return parse(text)
    except ConditionError:  # checked when it was loaded; a journal of another version may hold anything
        return None


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = "".join(c if c.isprintable() else " " for c in value)
        return f"'{text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 3] + '...'}'"
    return f"{value:.10g}"


class WornHat(msgspec.Struct, frozen=True):
    """The loop's counts when a hat was taken off for the last time, and the trees that it has seen."""

    iterations: int = 0
    attempts: int = 0
    commits: int = 0
    files: int = 0
    shifts: int = 0
    seconds: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0
    trees: frozenset[str] = frozenset()


class Wearing(msgspec.Struct, frozen=True):
    hat: str = ""  # of the newest iteration
    about: str = ""  # the claimed tree that it was put on for
    last: str = ""  # of the last iteration that counts
    lived: bool = False  # and whether that one was lived through
    signal: str = ""  # that it gave
    attempts_before: int = 0
    commits: int = 0
    files: int = 0
    worn: dict[str, WornHat] = {}


def counts(s: LoopState, w: Wearing, trees: frozenset[str] = frozenset()) -> WornHat:
    return WornHat(
        iterations=s.progress.iterations,
        attempts=s.judgement.attempts,
        commits=w.commits,
        files=w.files,
        shifts=s.judgement.shifts,
        seconds=s.progress.active_seconds,
        tokens=s.progress.tokens,
        cost_usd=s.progress.cost_usd,
        trees=trees,
    )


def started(w: Wearing, s: LoopState, hat: str) -> Wearing:
    """An iteration begins under this hat; `s` is the state before. What gates found and cost since the last end belongs to the
    iteration that it was about."""
    worn = w.worn
    if w.lived and w.last in worn:
        worn = {**worn, w.last: counts(s, w, worn[w.last].trees)}
    return replace(w, hat=hat, about=s.judgement.claim.tree if s.judgement.claim else "", worn=worn)


def ended(
    w: Wearing, before: LoopState, after: LoopState, x: IterationEnded, *, commits: int = 0, files: int = 0
) -> Wearing:
    """`commits` and `files`: how many the iteration made and changed, where the driver counted them."""
    moved = x.tree != before.workspace.tree
    w = replace(w, commits=w.commits + max(0, commits, moved), files=w.files + max(0, files))
    if x.how == "interrupted" or x.fault:
        return replace(w, hat=w.last, about="")
    crashed = after.progress.last_how.startswith("exit ")
    w = replace(
        w,
        last=w.hat,
        lived=not crashed,
        signal="" if crashed or x.how != "exited" else _signal(before, x),
        attempts_before=before.judgement.attempts,
    )
    if crashed or not w.hat:
        return replace(w, about="")
    seen = w.worn.get(w.hat, WornHat()).trees | ({w.about, x.tree} - {""})
    return replace(w, about="", worn={**w.worn, w.hat: counts(after, w, seen)})


def _signal(s: LoopState, x: IterationEnded) -> str:
    said = signals.read(x.said, structured=x.structured, promise=s.identity.policy.completion_promise)
    if s.judgement.promised == x.serial:
        said = signals.with_tool(said)
    return said.word if said.explicit else ""
