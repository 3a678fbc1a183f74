"""The history as JSON, for other programs: docs/history.md says what each key means. Keys are only ever added; a change of
meaning raises SCHEMA. Secrets are masked."""

from __future__ import annotations

from typing import Any

from ralph.core import facts as f
from ralph.core.loop.state import SOFT_LIMITS
from ralph.core.secrets import masked
from ralph.history.gates import GateRun
from ralph.history.iterations import Iteration
from ralph.history.loops import Loop, Mark, Wait
from ralph.history.runs import RunRecord
from ralph.history.texts import JournalTexts
from ralph.text import few

SCHEMA = 1
Json = dict[str, Any]


def loop_json(loop: Loop, texts: JournalTexts) -> Json:
    """A loop as it stands: of a snapshot."""
    s, last, landed = loop.state, loop.last_attempt, loop.state.landed
    return {
        "loop": s.loop,
        "task": s.task,
        "policy": masked.policy(s.policy),
        "standing": loop.standing,
        "span": loop.span,
        "end": s.ended or "",
        "reason": loop.reason,
        "next": loop.next_step,
        "done": loop.done,
        "code": loop.code,
        "limit": s.end_limit,
        "proof": loop.proof,
        "proven": loop.proven,
        "paths": loop.paths,
        "runs": loop.lives,
        "root": s.root,
        "folder": s.folder,
        "branch": s.branch,
        "base_commit": s.base_commit,
        "base_tree": s.base_tree,
        "tree": s.tree,
        "recovery": s.recovery,
        "landed_on": landed.ref.removeprefix("refs/heads/") if landed else "",
        "landed_as": landed.commit if landed else "",
        "landed_note": landed.note if landed else "",
        "url": landed.url if landed else "",
        "kept_on": s.end_branch,
        "counted": s.iterations,
        "turned_down": s.attempts,
        "active_seconds": s.active_seconds,
        "wall_seconds": loop.wall_seconds,
        "tokens": s.tokens,
        "cost_usd": s.cost_usd,
        "estimated": s.estimated,
        "last_gate": loop.last_gate,
        "last_error": loop.last_error,
        "error_hash": last.error_hash if last else "",
        "stuck": loop.stuck,
        "quality_warnings": quality_warnings(loop, texts),
        "evidence": [gate_json(run, texts) for run in loop.gates],
        "iterations": [iteration_json(it) for it in loop.iterations.values()],
        "attempts": [
            {
                "number": x.attempt.number,
                "gate": x.attempt.gate,
                "error_hash": x.attempt.error_hash,
                "shift": x.attempt.shift,
                "headline": x.attempt.headline,
                "serial": x.serial,
            }
            for x in loop.turned_down
        ],
        "waits": [_wait_json(wait) for wait in loop.waits],
        "pauses": loop.pauses,
        "marks": [{"kind": m.kind, "at": m.at.moment, "text": mark_text(m)} for m in loop.marks],
        "notices": [
            {
                "occasion": n.fact.occasion,
                "target": n.fact.target,
                "ok": n.fact.ok,
                "at": n.at.moment,
                "text": n.fact.text,
            }
            for n in loop.notices
        ],
        "messages": [
            {
                "text": m.said.text,
                "hat": m.said.hat,
                "by": m.said.by,
                "at": m.at.time,
                "iteration": m.iteration,
            }
            for m in loop.messages.values()
        ],
        "warnings": s.warnings,
        "worn": [_turn_json(it) for it in loop.iterations.values() if it.turn is not None],
        "items": list(s.board.items.values()),
        "changed_by": loop.last.seq,
    }


def iteration_json(it: Iteration) -> Json:
    x = it.result
    return {
        "serial": it.serial,
        "n": it.n,
        "span": it.span,
        "fate": it.fate,
        "detail": it.detail,
        "claimed": it.claimed,
        "signal": it.signal,
        "how": it.how,
        "cause": x.cause,
        "code": x.code,
        "seconds": it.seconds,
        "tokens": x.usage.tokens,
        "cost_usd": x.usage.cost_usd,
        "review_tokens": it.review_usage.tokens,
        "review_cost_usd": it.review_usage.cost_usd,
        "estimated": it.estimated,
        "shift": it.started.shift,
        "expand": it.started.expand,
        "prompt": it.started.prompt,
        "prompt_chars": it.started.prompt_chars,
        "tree_before": it.started.tree,
        "tree_after": x.tree,
        "output": it.output,
        "scratchpad": x.scratchpad,
        "fault": x.fault,
        "fault_text": x.fault_text,
        "stragglers": x.stragglers,
        "refs_moved": x.refs_moved,
        "cut": x.cut,
        "said": it.said,
        "changed_by": it.changed,
    }


def gate_json(run: GateRun, texts: JournalTexts) -> Json:
    x = run.result
    return {
        "op": run.op,
        "gate": run.gate,
        "serial": run.serial,
        "purpose": run.started.purpose,
        "variant": run.started.variant,
        "tree": run.tree,
        "span": run.span,
        "n": run.n,
        "hard": run.hard,
        "reviewer": run.reviewer,
        "again": run.again,
        "known": run.evidence,
        "command": run.command,
        "passed": run.passed,
        "how": run.how,
        "before": run.before,
        "code": x.code,
        "seconds": run.seconds,
        "timed_out": x.timed_out,
        "hermetic": x.hermetic,
        "flaky": run.flaky,
        "unclear": x.unclear,
        "empty": x.empty,
        "findings": texts.texts(run.findings),
        "headline": x.headline,
        "error_hash": x.error_hash,
        "wrote": x.wrote,
        "swapped": run.started.swapped,
        "stragglers": x.stragglers,
        "refs_moved": x.refs_moved,
        "tokens": x.usage.tokens,
        "cost_usd": x.usage.cost_usd,
        "estimated": x.estimated,
        "fault": x.fault,
        "fault_text": x.fault_text,
        "prompt": run.started.prompt,
        "output": run.ended.output if run.ended else run.output,
        "excerpt": run.excerpt,
        "changed_by": run.changed,
    }


def run_json(run: RunRecord) -> Json:
    """A run over a backlog, with all its lives."""
    return {
        "id": run.id,
        "seq": run.at.seq,
        "began": run.began.time,
        "ended": run.ended.time if run.ended else "",
        "code": run.code,
        "file": run.started.file,
        "reviews": run.state.reviews,
        "reviewing": run.state.reviewing,
        "paused": run.state.paused,
        "runs": run.lives,
        "since": run.at.time,
        "before_seconds": run.before_seconds,
    }


def _wait_json(wait: Wait) -> Json:
    x = wait.started
    return {
        "op": x.op,
        "what": x.what,
        "why": x.why,
        "seconds": x.seconds,
        "span": wait.span,
        "ended": wait.ended,
    }


def _turn_json(it: Iteration) -> Json:
    assert it.turn is not None
    return {
        "serial": it.serial,
        "n": it.n,
        "hat": it.started.hat,
        "title": it.turn.title,
        "event": it.turn.event,
        "why": it.started.hat_why,
        "fresh": it.started.fresh,
        "said": it.turn.said,
        "refused": it.turn.refused,
    }


def quality_warnings(loop: Loop, texts: JournalTexts) -> tuple[str, ...]:
    """What soft gates had to say, each thing once, however often they said it."""
    found: dict[str, None] = {}
    for run in loop.gates:
        if run.hard or run.started.purpose == "base" or not (run.findings or run.passed is False):
            continue
        for text in texts.texts(run.findings) or (run.result.headline or f"exit {run.result.code}",):
            found[f"{run.gate}: {text}"] = None
    return tuple(found)


def mark_text(mark: Mark) -> str:
    match mark.fact:
        case f.WorkspaceChanged() as x:
            return f"somebody edited the tree: {few(x.paths)}"
        case f.LoopResumed() as x:
            return f"went on in run {x.run}" + (f", with the answer: {x.answer}" if x.answer else "")
        case f.IterationStarted() as x:
            more = ", with more context" if x.expand else ""
            return f"strategy shift {x.shift} before iteration {x.n}{more}"
        case f.Checkpoint() as x:
            return f"{SOFT_LIMITS.get(x.what) or 'checkpoint recorded'} after {x.seconds:.0f} s"
        case f.StopRequested() as x:
            return f"{x.by} asked to {_STOPS[x.how]}"
        case f.EventReceived() as x:
            return f"event {x.topic} {x.payload}".rstrip()
        case f.InboxRefused() as x:
            return f"a message was refused: {x.why}"
        case f.LoopEnded() as x:
            return f"{x.end}{f' ({x.limit})' if x.limit else ''}: {x.reason}"
    return f.kind_of(mark.fact)


_STOPS = {
    "graceful": "stop after the iteration",
    "now": "stop at once",
    "interrupt": "interrupt",
    "cancel": "cancel",
}
