"""Which agent works, and what keeps it from working: crashes, quotas, overloads, credentials. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import BY_NAME
from ralph.core.loop import steering
from ralph.core.loop.state import Agents, Away, Due
from ralph.core.loop.step import Reducers, Step, gives_no_answer
from ralph.text import digest


def _resumed(step: Step, x: f.LoopResumed) -> Agents:
    """After an end what led to it is forgiven. After a death nothing had been decided, so nothing is forgiven."""
    a, ended = step.before.agents, step.before.judgement.ended
    if ended is None:
        return a
    # After a quota end the user says when to try again; after a stop or a crash the wait continues.
    due = None if BY_NAME[ended].ends_wait else a.wait_due
    return Agents(wait_due=due, crash_text=a.crash_text, login_hint=a.login_hint)


def _iteration_started(step: Step, x: f.IterationStarted) -> Agents:
    return replace(step.before.agents, wait_due=None, agent=x.agent)


def _iteration_ended(step: Step, x: f.IterationEnded) -> Agents:
    a = replace(
        step.before.agents, fault=x.fault, fault_text=x.fault_text, login_hint=x.login_hint, wait_due=None
    )
    match step.outcome.kind:
        case "interrupted":
            return a
        case "fault":
            return _next_agent(step, _faulted(step, a, x), x.fault, x.fault_text, x.back_at, x.retry_after)
    a = replace(a, overloads=0, waited=0.0)
    match step.outcome.kind:
        case "timed-out" | "cut":
            return a
        case "crashed":
            limits = step.policy.limits
            due = Due("crash", limits.crash_wait_seconds, f"the agent exited with {x.code}")
            a = replace(a, crashes=a.crashes + 1, crash_text=x.fault_text, wait_due=due)
            most = limits.max_consecutive_failures
            return _next_agent(step, a, "crashes", x.fault_text) if a.crashes >= most > 0 else a
    return replace(a, crashes=0)


def _gate_ended(step: Step, x: f.GateEnded) -> Agents:
    """A reviewer is an agent too."""
    a, gate = step.before.agents, step.before.gate(x.gate)
    if x.how == "interrupted" or gate is None or not gate.kind.asked_once or not gate.hard:
        return a
    noun = gate.kind.noun
    if x.fault:
        return _faulted(step, replace(a, fault=x.fault, fault_text=f"{noun} {x.gate}: {x.fault_text}"), x)
    if gives_no_answer(step, x):
        text = f"{noun} {x.gate} {'failed to run' if x.code else 'gives no verdicts'}: {x.headline}"
        return replace(a, fault="unusable", fault_text=text)
    return a


def _agent_back(step: Step, x: f.AgentBack) -> Agents:
    a = step.before.agents
    away = {n: why for n, why in a.away.items() if n != x.agent}
    free = [n for n in range(len(step.policy.agents)) if n not in away]
    return replace(a, away=away, agent=free[0] if free else a.agent)


def _wait_started(step: Step, x: f.WaitStarted) -> Agents:
    a = step.before.agents
    if steering.own(x.op) or a.wait_due is None:
        return a
    return replace(a, wait_due=replace(a.wait_due, until=x.until))


def _wait_ended(step: Step, x: f.WaitEnded) -> Agents:
    a = step.before.agents
    if steering.own(x.op) or not x.elapsed:
        return a
    seconds = a.wait_due.seconds if a.wait_due and a.wait_due.what != "crash" else 0.0
    return replace(a, wait_due=None, waited=a.waited + seconds, fault="", fault_text="")


def _continued(step: Step, x: f.Continued) -> Agents:
    """A person lets a wait end now. Of a paused loop it ends the pause, and the wait continues."""
    a, paused = step.before.agents, step.before.people.pause is not None
    return a if paused or a.wait_due is None else replace(a, wait_due=None, fault="", fault_text="")


def _faulted(step: Step, a: Agents, x: f.IterationEnded | f.GateEnded) -> Agents:
    """A quota or an overload is not the agent's work: it does not count as an iteration."""
    if x.fault == "quota":
        # Said to be back and found gone again: the word is not trusted twice, or the loop would never end.
        least = _backoff(step, a) if a.overloads else 0.0
        seconds = max(x.retry_after, least) if x.retry_after >= 0 else f.QUOTA_SECONDS
        due = Due("quota", seconds, a.fault_text or "the agent is out of quota")
    elif x.fault in ("overload", "rate-limit"):
        seconds = max(x.retry_after, _backoff(step, a))
        due = Due(x.fault, seconds, a.fault_text or "the service is overloaded")
    else:
        return a
    return replace(a, overloads=a.overloads + 1, wait_due=due)


def _next_agent(step: Step, a: Agents, what: str, why: str, until: str = "", seconds: float = -1.0) -> Agents:
    """The next agent of the policy continues when this one is out of quota or of no use. When all are, it stays as it is:
    the wait for the first that comes back, or the end."""
    agents = step.policy.agents
    if len(agents) == 1 or what in ("overload", "rate-limit"):
        return a
    away = {**a.away, a.agent: Away(why or what, until if what == "quota" else "", max(0.0, seconds))}
    free = [n for n in range(len(agents)) if n not in away]
    if free:
        fresh = Agents(agent=free[0], away=away, overloads=a.overloads, waited=a.waited)
        return replace(fresh, login_hint=a.login_hint)
    returning = sorted((gone.until, gone.seconds, n) for n, gone in away.items() if gone.until)
    if not returning:
        return replace(a, away=away)
    moment, wait, first = returning[0]
    # Said to be back and found gone again: the word is not trusted twice, or the loop would never end.
    least = _backoff(step, a) if a.overloads > len(away) else 0.0
    why = f"every agent is out of quota; {away[first].why}"
    due = Due("quota", max(wait, least), why, until=moment if wait >= least else "")
    return replace(a, away=away, agent=first, fault="quota", wait_due=due, crashes=0)


def _backoff(step: Step, a: Agents) -> float:
    return min(300.0, 5.0 * (1 << min(a.overloads, 10))) * _jitter(step)


def _jitter(step: Step) -> float:
    """Between 0.75 and 1.25, the same for the same loop and iteration: the core draws no random numbers."""
    now = step.now
    return 0.75 + int(digest("jitter", now.identity.loop, str(now.progress.serial)), 16) % 1000 / 2000


REDUCERS: Reducers = {
    f.LoopResumed: _resumed,
    f.IterationStarted: _iteration_started,
    f.IterationEnded: _iteration_ended,
    f.GateEnded: _gate_ended,
    f.AgentBack: _agent_back,
    f.WaitStarted: _wait_started,
    f.WaitEnded: _wait_ended,
    f.Continued: _continued,
}
