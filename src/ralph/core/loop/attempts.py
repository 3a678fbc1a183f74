"""What every kind of fact may lead to: a warning, an attempt, a wait after a fault, the turn of another agent. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.state import OUTPUTS_KEPT, Attempt, Away, Due, LoopState, failure_key
from ralph.text import digest

TABLE_HEAD = "| # | Gate | Error Hash | Strategy Shift |\n|---|------|------------|----------------|\n"

ALWAYS_A_CRASH = (126, 127)  # the shell could not run the program at all


def moved_refs(who: str, x: f.IterationEnded | f.GateEnded) -> str:
    when = f"since {who} began, which was interrupted" if x.how == "interrupted" else f"while {who} ran"
    return f"refs moved {when}: {', '.join(x.refs_moved)}"


def warn(s: LoopState, kind: str, text: str) -> LoopState:
    count = s.warned[kind][0] if kind in s.warned else 0
    return replace(s, warned={**s.warned, kind: (count + 1, text)})


def faulted(s: LoopState, x: f.IterationEnded | f.GateEnded) -> LoopState:
    """A quota or an overload is not the agent's work: it does not count as an iteration."""
    if x.fault == "quota":
        # Said to be back and found gone again: the word is not trusted twice, or the loop would never end.
        least = _backoff(s) if s.overloads else 0.0
        seconds = max(x.retry_after, least) if x.retry_after >= 0 else f.QUOTA_SECONDS
        return replace(
            s,
            overloads=s.overloads + 1,
            wait_due=Due("quota", seconds, s.fault_text or "the agent is out of quota"),
        )
    if x.fault == "overload":
        seconds = max(x.retry_after, _backoff(s))
        return replace(
            s,
            overloads=s.overloads + 1,
            wait_due=Due("overload", seconds, s.fault_text or "the service is overloaded"),
        )
    return s


def moved_on(s: LoopState, what: str, why: str, until: str = "", seconds: float = -1.0) -> LoopState:
    """The next agent of the policy goes on when this one is out of quota or of no use; when all are, it stays as it is:
    the wait for the first that comes back, or the end."""
    if len(s.policy.agents) == 1 or what == "overload":
        return s
    away = {**s.away, s.agent: Away(why or what, until if what == "quota" else "", max(0.0, seconds))}
    free = [n for n in range(len(s.policy.agents)) if n not in away]
    if free:
        return replace(
            s, away=away, agent=free[0], fault="", fault_text="", wait_due=None, crashes=0, crash_text=""
        )
    returning = sorted((a.until, a.seconds, n) for n, a in away.items() if a.until)
    if not returning:
        return replace(s, away=away)
    moment, wait, first = returning[0]
    # Said to be back and found gone again: the word is not trusted twice, or the loop would never end.
    least = _backoff(s) if s.overloads > len(away) else 0.0
    why = f"every agent is out of quota; {away[first].why}"
    due = Due("quota", max(wait, least), why, until=moment if wait >= least else "")
    return replace(s, away=away, agent=first, fault="quota", wait_due=due, crashes=0)


def _backoff(s: LoopState) -> float:
    return min(300.0, 5.0 * (1 << min(s.overloads, 10))) * _jitter(s)


def _jitter(s: LoopState) -> float:
    """Between 0.75 and 1.25, the same for the same loop and iteration: the core draws no random numbers."""
    return 0.75 + int(digest("jitter", s.loop, str(s.serial)), 16) % 1000 / 2000


def attempt(
    s: LoopState, gate: str, hash_: str, *, code: int, excerpt: str = "", headline: str = ""
) -> LoopState:
    streak = s.streak + 1 if hash_ == s.streak_hash else 1
    made = Attempt(
        number=s.attempts + 1,
        gate=gate,
        error_hash=hash_,
        shift=s.under_shift > 0,
        code=code,
        excerpt=excerpt,
        headline=headline,
    )
    # Only the last outputs are shown again; the table keeps every row.
    older = tuple(replace(a, excerpt="") for a in s.history[: 1 - OUTPUTS_KEPT or None])
    recent = s.history[len(older) :]
    return replace(
        s,
        attempts=s.attempts + 1,
        history=(*older, *recent, made),
        failures=s.failures | {failure_key(gate, hash_)},
        streak=streak,
        streak_hash=hash_,
        under_shift=s.under_shift if streak > 1 else 0,
        claim=None,
        unchecked=0,
    )


def history_table(history: Sequence[Attempt]) -> str:
    return TABLE_HEAD + "".join(
        f"| {a.number} | {a.gate.replace('|', '/')} | {a.error_hash} | {'yes' if a.shift else 'no'} |\n"
        for a in history
    )
