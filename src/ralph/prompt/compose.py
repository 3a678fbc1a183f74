"""Composes the prompt of an iteration. What never changes comes first, so that providers' prompt caches hit.

Every character is paid for in each iteration: Ralph's own text is counted and a test holds it to OWN_TEXT_LIMIT.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.core import steering
from ralph.core.decide import RunAgent
from ralph.core.protected import put_back
from ralph.core.signals import defuse
from ralph.core.state import LoopState
from ralph.core.text import TABLE_HEAD, fenced, history_table
from ralph.prompt.roles import named_files, role_text

if TYPE_CHECKING:
    from ralph.core.gaps import Gap
    from ralph.core.hats import Hat, Team

OWN_TEXT_LIMIT = 2500
SCRATCHPAD_CHARS = 16_000
CONFLICT_CHARS = 6_000
Quote = Callable[[str], str]  # marks text that is not Ralph's own
FIRST = "First iteration: there is no earlier work."
NONE_LEFT = "The iteration before left none."


class Prompt(msgspec.Struct, frozen=True):
    text: str
    own_chars: int  # Ralph's own text: all but task, guidance, scratchpad, gate output and file context


class Context(msgspec.Struct, frozen=True):
    """What the prompt shows beyond the state: read by the driver at the start of the iteration."""

    scratchpad: str = ""
    files: tuple[tuple[str, str], ...] = ()  # path, content: for an information gap
    there: tuple[str, ...] = ()  # of the files that roles name
    memories: str = ""  # what earlier loops found worth keeping, as it is shown
    todos: str = ""  # the open ones, as they are shown


def compose(s: LoopState, op: RunAgent, context: Context) -> Prompt:
    promise = s.policy.completion_promise

    def quoted(text: str) -> str:
        theirs.append(text)
        return text

    theirs: list[str] = []
    team = s.policy.team
    hat = team.hat(op.hat) if team is not None else None
    standing = template("standing" if hat is None else "hat").format(
        task=quoted(task_text(s)),
        criteria=_criteria(s, quoted),
        scratchpad=scratchpad_path(s),
        gates=_gates(s, quoted),
        guidance=_guidance(s, quoted),
    )
    now = template("now" if team is None else "turn").format(
        n=op.n,
        m=s.policy.limits.max_iterations,
        notes=_notes(s, quoted) + _said(s, op, quoted),
        scratchpad=quoted(_cut(context.scratchpad)) if context.scratchpad.strip() else _no_scratchpad(op),
        kept=_kept(context, quoted),
        attempts=_conflict(s, quoted) + _attempts(s, quoted) + _red_now(s, quoted),
        shift=_shift(s, op, quoted),
        context=_expansion(s, op, context.files, quoted),
    )
    persona = _role(s, op, context, quoted) + (_team(s, team, hat, op, quoted) if team is not None else "")
    text = defuse(f"{standing}{persona}\n{now}".rstrip(), promise) + "\n"
    return Prompt(text=text, own_chars=len(text) - sum(len(t) for t in theirs))


def _role(s: LoopState, op: RunAgent, context: Context, quoted: Quote) -> str:
    """After what never changes and before what always does: another role costs no more of the cache than it must."""
    if s.policy.roles is None:
        return ""
    own = role_text(s.policy.roles.base, s.policy.roles.texts.get(op.hat, ""))
    parts = [named_files(context.there), quoted(own) if own else ""]
    return "".join(f"\n{part}\n" for part in parts if part)


def _guidance(s: LoopState, quoted: Quote) -> str:
    specs = f"The specifications are in `{quoted(s.policy.specs_dir)}`." if s.policy.specs_dir else ""
    return "".join(
        f"\n{part}\n" for part in (specs, quoted(s.policy.guidance) if s.policy.guidance else "") if part
    )


def _team(s: LoopState, team: Team, hat: Hat | None, op: RunAgent, quoted: Quote) -> str:
    from ralph.core.queue import Turn, picked  # most loops have no hats
    from ralph.prompt.hats import coordinator_text, hat_text

    turn = picked(team, s.turns)[0]
    if hat is None:
        return f"\n{coordinator_text(team, turn, quoted)}\n"
    turn = turn if turn.hat == hat.id else Turn(hat.id, (), op.hat_why)  # put on by its condition
    memories = s.policy.memories.enabled and s.policy.memories.inject == "auto"
    text = hat_text(team, hat, turn, quoted, scratchpad=scratchpad_path(s), memories=memories)
    return f"\n{text}\n"


def _kept(context: Context, quoted: Quote) -> str:
    return "".join(
        f"\n{quoted(text.strip())}\n" for text in (context.memories, context.todos) if text.strip()
    )


def scratchpad_path(s: LoopState) -> str:
    """Empty when the hat that is on has none."""
    hat = s.worn
    if hat is not None and hat.scratchpad is None:
        return ""
    return s.policy.scratchpad_path(s.task.id, (hat.scratchpad or "") if hat is not None else "")


def files_wanted(s: LoopState, op: RunAgent) -> tuple[str, ...]:
    """The files that the trace names, when the error says that the agent lacks information."""
    if not op.expand or not s.history:
        return ()
    gap = _gap(s)
    return gap.files[:3] if gap else ()


def _gap(s: LoopState) -> Gap | None:
    from ralph.core.gaps import information_gap  # a table of patterns that most iterations do not need

    folder = s.root if s.folder in (".", "") else f"{s.root}/{s.folder}"
    return information_gap(s.history[-1].excerpt, folder)


def task_text(s: LoopState) -> str:
    if not s.task.description or s.task.description.strip() == s.task.title.strip():
        return s.task.title
    if s.task.title in s.task.description:
        return s.task.description.strip()
    return f"{s.task.title}\n\n{s.task.description.strip()}"


def _criteria(s: LoopState, quoted: Quote) -> str:
    if not s.task.criteria:
        return ""
    return "\n# Criteria (all must hold)\n" + "\n".join(f"- [ ] {quoted(c)}" for c in s.task.criteria) + "\n"


def _gates(s: LoopState, quoted: Quote) -> str:
    if not s.gates:
        return ""
    names = ", ".join(
        f"{g.name}: {f'`{g.run}`' if g.run else 'a reviewer reads the change'}" for g in s.gates
    )
    return template("gates").format(names=quoted(names)).strip()


def _notes(s: LoopState, quoted: Quote) -> str:
    notes: list[str] = []
    if s.last_how == "interrupted":
        notes.append(
            "The iteration before was cut off by an interruption; its edits are still here. Check them."
        )
    elif s.last_how in _HOW_NOTES:
        notes.append(_HOW_NOTES[s.last_how])
    elif s.last_how.startswith("exit "):
        notes.append(f"The iteration before ended with {s.last_how}.")
    if s.policy.team is not None:
        from ralph.prompt.hats import refused_notes

        notes += refused_notes(s.turns.refused, quoted)
    elif s.silent:
        notes.append("The iteration before gave no signal. End yours with one.")
    if s.refusal:
        notes.append(f"Its claim was refused: {s.refusal[:300]}.")
    if s.conflicts:
        notes.append(
            "It was proven, but conflicts with what has landed meanwhile. Your files hold the merge: resolve it."
        )
    if s.stragglers:
        notes.append(f"It left processes running; they were ended: {quoted(', '.join(s.stragglers[:5]))}.")
    if s.protected:
        notes.append(f"Its {put_back([quoted(path) for path in s.protected[:5]])}. Do without.")
    if s.edited_outside:
        notes.append(f"Somebody edited these files meanwhile: {quoted(', '.join(s.edited_outside[:20]))}.")
    if "soft-time" in s.soft_notes:
        notes.append("Most of the loop's time is used. Bring the work to an end.")
    if "iteration-soft" in s.soft_notes and s.last_how != "iteration-time":
        notes.append("The iteration before took too long. Do less in one iteration.")
    if "precompact" in s.soft_notes and s.last_how != "context":
        notes.append("The context of the iteration before was full. Do less in one iteration.")
    if s.no_progress >= s.policy.stuck.no_progress_nudge > 0:
        notes.append(
            f"The last {s.no_progress} iterations changed nothing. Do something else, or say that you are stuck."
        )
    if s.answer:
        by = "Nobody answered in time; your default holds for" if s.steer.defaulted else "A person answered"
        notes.append(f'{by} the question "{quoted(s.asked)}": {quoted(s.answer)}')
    return "".join(f"- {note}\n" for note in notes)


def _said(s: LoopState, op: RunAgent, quoted: Quote) -> str:
    """Once: whoever comes after knows of it by the scratchpad only."""
    said = steering.heard(s, op.hat)
    if not said:
        return ""
    texts = "\n\n".join(quoted(say.text.strip()) for say in said)
    return f"\n## A person says\n{texts}\n\nLater iterations are not told: write into the scratchpad what they must know of it.\n"


_HOW_NOTES = {
    "iteration-time": "The iteration before hit its time limit and was stopped. Do less in one iteration.",
    "context": "The iteration before was ended because its context was full; you start fresh. Do less in one iteration.",
    "idle": "The iteration before was stopped because nothing happened for too long. Do not start what waits for input.",
}


def _conflict(s: LoopState, quoted: Quote) -> str:
    if not s.conflicts:
        return ""
    text = s.conflict or "\n".join(s.conflicts)
    return f"\n## Conflict\n{quoted(fenced(text[:CONFLICT_CHARS]))}\n"


def _attempts(s: LoopState, quoted: Quote) -> str:
    if not s.history:
        return ""
    # The same error is paid for once: its newest output stands for the earlier ones.
    newest = {a.error_hash: a.number for a in s.history}
    shown = [a for a in s.history if a.excerpt and newest[a.error_hash] == a.number]
    blocks = "".join(
        f"\n### Attempt {a.number}: {a.gate}, exit {a.code}\n{quoted(fenced(a.excerpt))}\n" for a in shown
    )
    rows = history_table(s.history).removeprefix(TABLE_HEAD)
    return f"\n## Attempts so far\n{TABLE_HEAD}{quoted(rows)}{blocks}"


def _red_now(s: LoopState, quoted: Quote) -> str:
    """What gates found in the tree after the last iteration, unless an attempt shows it already."""
    shown = {a.error_hash for a in s.history if a.excerpt}
    return "".join(
        f"\n## Gate {quoted(r.gate)} on the tree as it is: exit {r.code}\n{quoted(fenced(r.excerpt))}\n"
        for r in s.red_now()
        if r.error_hash not in shown
    )


def _shift(s: LoopState, op: RunAgent, quoted: Quote) -> str:
    if not op.shift or not s.history:
        return ""
    last = s.history[-1]
    return template("shift").format(times=s.streak, headline=quoted(last.headline), number=last.number)


def _expansion(s: LoopState, op: RunAgent, found: Sequence[tuple[str, str]], quoted: Quote) -> str:
    if not op.expand or not s.history:
        return ""
    gap = _gap(s)
    if gap is None:
        return ""
    text = f"\n## What the error is about\nMissing: {quoted(', '.join(gap.names))}\n"
    if gap.files:
        text += f"Files in the trace: {quoted(', '.join(gap.files))}\n"
    return text + "".join(f"\n`{quoted(path)}`:\n{quoted(fenced(content))}\n" for path, content in found)


def _no_scratchpad(op: RunAgent) -> str:
    return FIRST if op.serial == 1 else NONE_LEFT


def _cut(text: str) -> str:
    if len(text) <= SCRATCHPAD_CHARS:
        return text.strip()
    return text[:SCRATCHPAD_CHARS].strip() + f"\n[... {len(text) - SCRATCHPAD_CHARS} characters cut ...]"


@cache
def template(name: str) -> str:
    return (Path(__file__).parent / "templates" / f"{name}.md").read_text(encoding="utf-8")
