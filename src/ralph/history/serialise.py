"""The history as JSON, for other programs: docs/history.md says what each key means. Keys are only ever added; a change of
meaning raises SCHEMA. Secrets are masked."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

import msgspec

from ralph.core import facts as f
from ralph.core.loop.state import SOFT_LIMITS
from ralph.core.secrets import masked
from ralph.core.secrets.environment import masker_for
from ralph.core.secrets.masker import Masker
from ralph.history.gates import GateRun
from ralph.history.history import History
from ralph.history.iterations import HatTurn, Iteration
from ralph.history.loops import Loop, LoopWait, Mark, Message, since
from ralph.history.runs import RunRecord
from ralph.history.texts import JournalTexts
from ralph.text import few

SCHEMA = 1
Json = dict[str, Any]


def as_text(value: Any) -> str:
    """In ASCII, so that it is safe on a terminal, whatever agents said."""
    return without_secrets(json.dumps(msgspec.to_builtins(value)))


def without_secrets(text: str) -> str:
    """Prompts, scratchpads and changes are kept as they are; what is shown is shown to others."""
    return _masker().text(text)


@cache
def _masker() -> Masker:
    return masker_for(os.environ)


def loop_json(loop: Loop, texts: JournalTexts) -> Json:
    """A loop as it stands: of a snapshot."""
    return {
        **head_json(loop),
        "quality_warnings": quality_warnings(loop, texts),
        "evidence": [gate_json(run, texts) for run in loop.gates],
        "iterations": [iteration_json(it) for it in loop.iterations.values()],
        "attempts": [
            {**fields(x.attempt, "number gate error_hash shift headline"), "serial": x.serial}
            for x in loop.turned_down
        ],
        "waits": [wait_json(wait) for wait in loop.waits],
        "pauses": loop.pauses,
        "marks": [mark_json(mark) for mark in loop.marks],
        "notices": [{**fields(n.fact, "occasion target ok text"), "at": n.at.moment} for n in loop.notices],
        "messages": [message_json(message) for message in loop.messages.values()],
        "worn": [_turn_json(it, it.turn) for it in loop.iterations.values() if it.turn is not None],
        "items": list(loop.state.hats.board.items.values()),
    }


def head_json(loop: Loop) -> Json:
    """What does not grow with the loop."""
    s, last, landed = loop.state, loop.last_attempt, loop.state.landing.landed
    return {
        "loop": s.identity.loop,
        "task": s.identity.task,
        "policy": masked.policy(s.identity.policy),
        **fields(
            loop,
            "standing span reason done code proof proven evidence paths wall_seconds last_gate last_error stuck",
        ),
        "end": s.judgement.ended or "",
        "next": loop.next_step,
        "limit": s.judgement.end_limit,
        "runs": loop.lives,
        "root": s.identity.root,
        "folder": s.identity.folder,
        "branch": s.workspace.branch,
        "base_commit": s.workspace.base_commit,
        "base_tree": s.workspace.base_tree,
        "tree": s.workspace.tree,
        "recovery": s.workspace.recovery,
        "landed_on": landed.ref.removeprefix("refs/heads/") if landed else "",
        "landed_as": landed.commit if landed else "",
        "landed_note": landed.note if landed else "",
        **fields(loop, "prepare_seconds inspect_seconds land_seconds"),
        "url": landed.url if landed else "",
        "kept_on": s.judgement.end_branch,
        "counted": s.progress.iterations,
        "turned_down": s.judgement.attempts,
        "active_seconds": s.progress.active_seconds,
        "tokens": s.progress.tokens,
        "cost_usd": s.progress.cost_usd,
        "estimated": s.progress.estimated,
        "error_hash": last.error_hash if last else "",
        "warnings": s.warnings.lines,
    }


def news_json(history: History, cursor: int, live: str, texts: JournalTexts) -> Json:
    """What changed after the record `cursor`, in entries that replace those of the same loop and serial, operation or
    place. `live`: the run that is at work. Costs as much as there is news."""
    changed = [loop for loop in history.loops.values() if loop.last.seq > cursor]
    return {
        "schema": SCHEMA,
        "cursor": history.cursor,
        "loops": [_loop_news(loop.stand(live=loop.last.run == live), cursor, texts) for loop in changed],
    }


def _loop_news(loop: Loop, cursor: int, texts: JournalTexts) -> Json:
    new = loop.recent
    return {
        **head_json(loop),
        "iterations": [iteration_json(loop.iterations[serial]) for serial in since(new.iterations, cursor)],
        "evidence": {str(n): gate_json(loop.gates[n], texts) for n in since(new.gates, cursor)},
        "waits": {str(n): wait_json(loop.waits[n]) for n in since(new.waits, cursor)},
        "marks": {str(n): mark_json(loop.marks[n]) for n in since(new.marks, cursor)},
    }


def iteration_json(it: Iteration) -> Json:
    x = it.result
    return {
        **fields(it, "serial n span fate detail claimed signal how seconds estimated output said"),
        **fields(x, "cause code scratchpad fault fault_text stragglers refs_moved cut new_commits"),
        **fields(x, "inspect_seconds"),
        **fields(it.started, "shift expand prompt prompt_chars"),
        **usage_json(x.usage),
        "review_tokens": it.review_usage.tokens,
        "review_cost_usd": it.review_usage.cost_usd,
        "tree_before": it.started.tree,
        "tree_after": x.tree,
    }


def gate_json(run: GateRun, texts: JournalTexts) -> Json:
    x = run.result
    return {
        **fields(run, "op gate serial tree span n hard reviewer again command passed how before seconds"),
        **fields(run, "flaky excerpt"),
        **fields(run.started, "purpose variant swapped prompt"),
        **fields(x, "code timed_out hermetic unclear empty headline error_hash wrote stragglers refs_moved"),
        **fields(x, "estimated fault fault_text"),
        "known": run.evidence,
        "findings": texts.texts(run.findings),
        **usage_json(x.usage),
        "output": x.output if run.ended else run.output,
    }


def usage_json(usage: f.Usage) -> Json:
    split = {f"{name}_tokens": getattr(usage.split, name) for name in usage.split.__struct_fields__}
    return {"model": usage.model, "tokens": usage.tokens, "cost_usd": usage.cost_usd, **split}


def fields(value: object, names: str) -> Json:
    """Facts and the history's own values, not the core's state."""
    return {name: getattr(value, name) for name in names.split()}


def run_json(run: RunRecord) -> Json:
    """A run over a backlog, with all its lives."""
    return {
        "id": run.id,
        "seq": run.at.seq,
        "began": run.began.time,
        "ended": run.ended.time if run.ended else "",
        "code": run.code,
        "reason": run.reason,
        **fields(run.started, "host user options file"),
        "reviews": run.state.reviews,
        "reviewing": run.state.reviewing,
        "paused": run.state.paused,
        "runs": run.lives,
        "since": run.at.time,
        "before_seconds": run.before_seconds,
    }


def wait_json(wait: LoopWait) -> Json:
    return {**fields(wait.started, "op what why seconds"), "span": wait.span, "ended": wait.ended}


def message_json(message: Message) -> Json:
    return {**fields(message.said, "text hat by"), "at": message.at.time, "iteration": message.iteration}


def mark_json(mark: Mark) -> Json:
    return {"kind": mark.kind, "at": mark.at.moment, "text": mark_text(mark)}


def _turn_json(it: Iteration, turn: HatTurn) -> Json:
    return {
        "serial": it.serial,
        "n": it.n,
        **fields(it.started, "hat fresh"),
        "why": it.started.hat_why,
        **fields(turn, "title event said refused"),
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
            return f"someone edited the tree: {few(x.paths)}"
        case f.LoopResumed() as x:
            return f"continued in run {x.run}" + (f", with the answer: {x.answer}" if x.answer else "")
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
