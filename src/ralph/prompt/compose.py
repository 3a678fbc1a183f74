"""What came of the tries so far, as a prompt shows it: conflicts, attempts that gates turned down, gates that are red now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.core.hats.model import Team
from ralph.core.loop import steering
from ralph.core.loop.claims import advice, doubts_of
from ralph.core.loop.decide import RunAgent
from ralph.core.loop.signals import defuse
from ralph.core.loop.state import ATTEMPTS_HEAD, LoopState, history_table, verdict_key
from ralph.core.policy import put_back
from ralph.text import fenced, few

if TYPE_CHECKING:
    from ralph.core.failures.missing_context import MissingContext
    from ralph.core.hats.turns import Turn
    from ralph.prompt.hats import Around


CONFLICT_CHARS = 6_000
REFUSAL_CHARS = 1_500
Quote = Callable[[str], str]  # marks text that is not Ralph's own


def conflict(s: LoopState, quoted: Quote, wording: int) -> str:
    """Until it is resolved: the marks alone do not say what both sides did."""
    paths = s.landing.conflicts or (s.landing.merging if wording > 1 else ())
    if not paths:
        return ""
    text = s.landing.conflict or "\n".join(paths)
    note = "In marks what has landed is first, yours second."
    if s.landing.merged_from:
        note += f" Yours from before the merge: `git show {s.landing.merged_from}:PATH`."
    return f"\n## Conflict\n{note}\n{quoted(fenced(text[:CONFLICT_CHARS]))}\n"


def attempts(s: LoopState, quoted: Quote) -> str:
    if not s.judgement.history:
        return ""
    # The same error is paid for once: its newest output stands for the earlier ones.
    newest = {a.error_hash: a.number for a in s.judgement.history}
    shown = [a for a in s.judgement.history if a.excerpt and newest[a.error_hash] == a.number]
    blocks = "".join(
        f"\n### Attempt {a.number}: {a.gate}, exit {a.code}\n{quoted(fenced(a.excerpt))}\n" for a in shown
    )
    rows = history_table(s.judgement.history).removeprefix(ATTEMPTS_HEAD)
    return f"\n## Attempts so far\n{ATTEMPTS_HEAD}{quoted(rows)}{blocks}"


def red_now(s: LoopState, quoted: Quote) -> str:
    """What gates found in the tree after the last iteration, unless an attempt shows it already."""
    shown = {a.error_hash for a in s.judgement.history if a.excerpt}
    return "".join(
        f"\n## Gate {quoted(r.gate)} on the tree as it is: exit {r.code}\n{quoted(fenced(r.excerpt))}\n"
        for r in s.red_now()
        if r.error_hash not in shown
    )


def red_start(s: LoopState, op: RunAgent, quoted: Quote) -> str:
    """What gates found before any work: the first iteration need not run them to learn it."""
    if op.n > 1 or s.judgement.history:
        return ""
    return "".join(
        f"\n## Gate {quoted(r.gate)} before any work: exit {r.code}\n{quoted(fenced(r.excerpt))}\n"
        for r in s.judgement.base_red.values()
        if r.excerpt
    )


WORDING = 2  # of Ralph's own texts here and in templates/; raised when they change, so that replay does not compare them
SCRATCHPAD_CHARS = 16_000
FIRST = "First iteration: there is no earlier work."
NONE_LEFT = "The iteration before left none."


class Prompt(msgspec.Struct, frozen=True):
    text: str
    own_chars: int  # Ralph's own text: all but task, guidance, scratchpad, gate output and file context
    data: tuple[str, ...] = ()  # the rest of it, piece by piece


class Context(msgspec.Struct, frozen=True):
    """What the prompt shows beyond the state: read by the runner at the start of the iteration."""

    scratchpad: str = ""
    files: tuple[tuple[str, str], ...] = ()  # path, content: for an information gap
    there: tuple[str, ...] = ()  # of prompt.roles.NAMED_FILES
    memories: str = ""  # what earlier loops found worth keeping, as it is shown
    todos: str = ""  # the open ones, as they are shown
    tools: bool = False  # the agent has Ralph's MCP tools
    wording: int = WORDING  # of an older one, only the data is right


def compose(s: LoopState, op: RunAgent, context: Context) -> Prompt:
    promise = s.identity.policy.completion_promise

    def quoted(text: str) -> str:
        theirs.append(text)
        return text

    theirs: list[str] = []
    team = s.identity.policy.routing
    standing = template("standing" if team is None else "hat").format(
        task=_task(s, context, quoted) if team is None else quoted(task_text(s)),
        criteria=_criteria(s, quoted),
        scratchpad=_scratchpad_place(s, context),
        gates=_gates(s, quoted),
        guidance=_guidance(s, quoted),
        end=template("end-signal" if s.identity.policy.claim == "signal" else "end-exit").strip(),
    )
    now = template("now" if team is None else "turn").format(
        n=op.n,
        m=s.identity.policy.limits.max_iterations,
        notes=_notes(s, op, quoted, context.wording) + _said(s, op, quoted),
        scratchpad=_scratchpad(s, op, context, quoted),
        kept=_kept(context, quoted),
        attempts=_findings(s, op, quoted, context.wording),
        shift=_shift(s, op, quoted),
        context=_expansion(s, op, context.files, quoted),
    )
    persona = _persona(s, op, context, quoted) + (_team(s, team, op, quoted) if team is not None else "")
    text = defuse(f"{standing}{persona}\n{now}".rstrip(), promise) + "\n"
    return Prompt(text=text, own_chars=len(text) - sum(len(t) for t in theirs), data=tuple(theirs))


def _findings(s: LoopState, op: RunAgent, quoted: Quote, wording: int) -> str:
    first = red_start(s, op, quoted) if wording > 1 else ""
    return conflict(s, quoted, wording) + attempts(s, quoted) + first + red_now(s, quoted)


def _task(s: LoopState, context: Context, quoted: Quote) -> str:
    """A task of a list has an id, by which it is named there."""
    task = s.identity.task
    if not s.identity.of_backlog or context.wording < 2:
        return f"# Task\n{quoted(task_text(s))}"
    about = task.description.strip() if task.description.strip() != task.title.strip() else ""
    return f"# Task {quoted(task.id)}: {quoted(task.title)}\n" + quoted(about)


def _scratchpad_place(s: LoopState, context: Context) -> str:
    return f"`{scratchpad_path(s)}`" + (" (tool: `write_scratchpad`)" if context.tools else "")


# file -> what the prompt says of it when it is there
NAMED_FILES = {
    "idea.md": "`idea.md` says what the project is for.",
    "learnings.md": "`learnings.md` holds what was learnt; read it, and add what the next iterations should know.",
}
_NO_TEAM = Team()


def nameable(s: LoopState) -> tuple[str, ...]:
    """The files that prompts of this loop name when they are there. Event hats are told what to read by their own text."""
    return tuple(NAMED_FILES) if s.identity.policy.conditional or s.identity.policy.routing is None else ()


def named_files(there: Collection[str]) -> str:
    return " ".join(sentence for file, sentence in NAMED_FILES.items() if file in there)


def _persona(s: LoopState, op: RunAgent, context: Context, quoted: Quote) -> str:
    """After what never changes and before what always does: another hat costs no more of the cache than it must."""
    team, routing = s.identity.policy.team or _NO_TEAM, s.identity.policy.routing
    if not (team.conditional or team.base or context.there):
        return ""
    from ralph.prompt.hats import instructions, role_text, tool_lines  # most loops have no hats

    hat = team.hat(op.hat)
    if routing is not None and routing.hat(op.hat) is not None:
        hat = None  # its text comes with its turn
    own = role_text(team.base, instructions(hat) if hat is not None else "")
    tools = tool_lines(hat, quoted) if hat is not None else []
    parts = [named_files(context.there), quoted(own) if own else "", *tools]
    return "".join(f"\n{part}\n" for part in parts if part)


def _guidance(s: LoopState, quoted: Quote) -> str:
    policy = s.identity.policy
    specs = f"The specifications are in `{quoted(policy.specs_dir)}`." if policy.specs_dir else ""
    rules = f"# Rules\n{quoted(policy.guidance)}" if policy.guidance else ""
    return "".join(f"\n{part}\n" for part in (specs, rules) if part)


def _team(s: LoopState, team: Team, op: RunAgent, quoted: Quote) -> str:
    from ralph.prompt.hats import coordinator_text, hat_text  # most loops route no events

    turn, around, hat = _turn(s, team, op), _around(s, team), team.hat(op.hat)
    if hat is not None:
        return f"\n{hat_text(team, hat, turn, around, quoted)}\n"
    judged = "" if team.persistent else _gates(s, quoted)
    return f"\n{coordinator_text(template('coordinator'), team, turn, around, quoted, judged)}\n"


def _turn(s: LoopState, team: Team, op: RunAgent) -> Turn:
    from ralph.core.hats.turns import Turn, picked

    turn = picked(team, s.hats.turns)[0]
    return turn if turn.hat == op.hat else Turn(op.hat, (), op.hat_why)  # put on by its condition


def _around(s: LoopState, team: Team) -> Around:
    from ralph.prompt.hats import Around, begins_afresh

    path, memories = scratchpad_path(s), s.identity.policy.memories
    cleared = (scratchpad_path(s.under_hat(h.id)) for h in team.hats if begins_afresh(team, h))
    return Around(
        gates=_gate_names(s),
        promise=s.identity.policy.completion_promise or team.completion_promise,
        scratchpad=path,
        cleared=path in cleared,
        memories=memories.enabled and memories.inject == "auto",
    )


def _kept(context: Context, quoted: Quote) -> str:
    return "".join(
        f"\n{quoted(text.strip())}\n" for text in (context.memories, context.todos) if text.strip()
    )


def scratchpad_path(s: LoopState) -> str:
    """Empty when the hat that is on has none. Where no events are routed, every iteration hands over by one."""
    hat = s.worn
    if hat is not None and hat.scratchpad is None and s.identity.policy.routing is not None:
        return ""
    return s.identity.policy.scratchpad_path(
        s.identity.task.id, (hat.scratchpad or "") if hat is not None else ""
    )


def files_wanted(s: LoopState, op: RunAgent) -> tuple[str, ...]:
    """The files that the trace names, when the error says that the agent lacks information."""
    if not op.expand or not s.judgement.history:
        return ()
    gap = _gap(s)
    return gap.files[:3] if gap else ()


def _gap(s: LoopState) -> MissingContext | None:
    from ralph.core.failures.missing_context import (
        missing_context,  # a table of patterns that most iterations do not need
    )

    folder = s.identity.root if s.identity.folder in (".", "") else f"{s.identity.root}/{s.identity.folder}"
    return missing_context(s.judgement.history[-1].excerpt, folder)


def task_text(s: LoopState) -> str:
    title, description = s.identity.task.title, s.identity.task.description
    if not description or description.strip() == title.strip():
        return title
    return description.strip() if title in description else f"{title}\n\n{description.strip()}"


def _criteria(s: LoopState, quoted: Quote) -> str:
    reviewed = any(gate.kind.runs_agent for gate in s.gates)  # whose findings name them
    return criteria(s, "Criteria (all must hold)", quoted, ids=reviewed)


def criteria(s: LoopState, heading: str, quoted: Quote = str, *, ids: bool = True) -> str:
    numbered = enumerate(s.identity.task.criteria, 1)
    listed = "".join(f"- [ ] {f'C{n}: ' if ids else ''}{quoted(criterion)}\n" for n, criterion in numbered)
    return f"\n# {heading}\n{listed}" if listed else ""


def _gates(s: LoopState, quoted: Quote) -> str:
    if not s.gates:
        return ""
    text = template("gates").format(names=quoted(_gate_names(s))).strip()
    red = s.identity.policy.baseline == "allow-red"
    return f"{text} Tests that failed at the start may fail still; no others." if red else text


def _gate_names(s: LoopState) -> str:
    return ", ".join(f"{g.name}: {f'`{g.run}`' if g.run else 'a reviewer reads the change'}" for g in s.gates)


def _notes(s: LoopState, op: RunAgent, quoted: Quote, wording: int) -> str:
    return "".join(f"- {note}\n" for note in _of_the_one_before(s, op, quoted, wording))


def _of_the_one_before(s: LoopState, op: RunAgent, quoted: Quote, wording: int) -> Iterator[str]:
    """What the iteration has to know of how things stand, a sentence each."""
    if s.progress.last_how in _HOW_NOTES:
        yield _HOW_NOTES[s.progress.last_how]
    elif s.progress.last_how.startswith("exit "):
        yield f"The iteration before ended with {s.progress.last_how}."
    if (team := s.identity.policy.routing) is not None:
        from ralph.prompt.hats import item_notes, refused_notes

        yield from item_notes(team, s.hats.board, _turn(s, team, op), quoted)
        yield from refused_notes(s.hats.turns.refused, quoted)
    elif s.progress.silent:
        yield "The iteration before gave no signal. End yours with one."
    if s.progress.serial and _unclaimed_green(s):
        yield "The gates pass on the tree as it is, but it was not claimed. If nothing is missing, end with exit 0."
    if refused := s.judgement.refusal or advice(doubts_of(s)):
        yield f"Its claim was refused: {refused[:REFUSAL_CHARS]}."
    if s.landing.conflicts:
        yield "It was proven, but conflicts with what has landed meanwhile. Your files hold the merge: resolve it."
    elif s.landing.merging and not s.judgement.refusal:
        yield f"Of the merge, conflict marks are still in {quoted(few(s.landing.merging))}: resolve them."
    if s.landing.mixed:
        yield "What has landed meanwhile was merged into your files; the gates looked at both together."
    if s.progress.stragglers:
        yield f"It left processes running; they were ended: {quoted(', '.join(s.progress.stragglers[:5]))}."
    if s.workspace.protected:
        yield f"Its {put_back([quoted(path) for path in s.workspace.protected[:5]])}. Do without."
    if s.workspace.list_notes:
        yield f"Your edits of the task list: {quoted('; '.join(s.workspace.list_notes))}."
    if s.workspace.unattributed:
        named = quoted(", ".join(s.workspace.unattributed[:20]))
        yield f"Protected files changed since it began, by an unknown author: {named}. Leave them as they are."
    if s.workspace.edited_outside:
        yield f"Somebody edited these files meanwhile: {quoted(', '.join(s.workspace.edited_outside[:20]))}."
    if "soft-time" in (s.progress.noted if wording > 1 else s.progress.soft_notes):
        yield "Most of the loop's time is used. Bring the work to an end."
    if "iteration-soft" in s.progress.soft_notes and s.progress.last_how != "iteration-time":
        yield "The iteration before took too long. Do less in one iteration."
    if "precompact" in s.progress.soft_notes and s.progress.last_how != "context":
        yield "The context of the iteration before was full. Do less in one iteration."
    if s.progress.no_progress >= s.identity.policy.stuck.no_progress_nudge > 0:
        yield (
            f"The last {s.progress.no_progress} iterations changed nothing. "
            "Do something else, or say that you are stuck."
        )
    if s.people.answer:
        by = "Nobody answered in time; your default holds for" if s.people.defaulted else "A person answered"
        yield f'{by} the question "{quoted(s.people.asked)}": {quoted(s.people.answer)}'


def _unclaimed_green(s: LoopState) -> bool:
    """The iteration before said "not done" of a tree on which every hard gate passes."""
    if s.identity.policy.claim != "exit-zero" or s.workspace.tree == s.workspace.base_tree:
        return False
    asked = (gate for gate in s.gates if gate.hard and not gate.decides_doubts)
    hard = [verdict_key(gate.name, "as-is", s.workspace.tree) for gate in asked]
    return bool(hard) and all(s.judgement.verdicts.get(key, (False,))[-1] for key in hard)


def _said(s: LoopState, op: RunAgent, quoted: Quote) -> str:
    """Once: whoever comes after knows of it by the scratchpad only."""
    said = steering.heard(s, op.hat)
    if not said:
        return ""
    keep = "write into the scratchpad what they must know of it"
    if (team := s.identity.policy.routing) is not None:
        from ralph.prompt.hats import where_to_keep

        keep = where_to_keep(_around(s, team))
    texts = "\n\n".join(quoted(say.text.strip()) for say in said)
    return f"\n## A person says\n{texts}\n\nLater iterations are not told: {keep}.\n"


_HOW_NOTES = {
    "interrupted": "The iteration before was cut off by an interruption; its edits are still here. Check them.",
    "moved": "The iteration before was cut off with the machine it ran on; its edits are lost. Notes from before it are here.",
    "iteration-time": "The iteration before hit its time limit and was stopped. Do less in one iteration.",
    "context": "The iteration before was ended because its context was full; you start fresh. Do less in one iteration.",
    "idle": "The iteration before was stopped because nothing happened for too long. Do not start what waits for input.",
}


def _shift(s: LoopState, op: RunAgent, quoted: Quote) -> str:
    if not op.shift or not s.judgement.history:
        return ""
    last = s.judgement.history[-1]
    return template("shift").format(
        times=s.judgement.streak, headline=quoted(last.headline), number=last.number
    )


def _expansion(s: LoopState, op: RunAgent, found: Sequence[tuple[str, str]], quoted: Quote) -> str:
    if not op.expand or not s.judgement.history:
        return ""
    gap = _gap(s)
    if gap is None:
        return ""
    text = f"\n## What the error is about\nMissing: {quoted(', '.join(gap.names))}\n"
    if gap.files:
        text += f"Files in the trace: {quoted(', '.join(gap.files))}\n"
    return text + "".join(f"\n`{quoted(path)}`:\n{quoted(fenced(content))}\n" for path, content in found)


def _scratchpad(s: LoopState, op: RunAgent, context: Context, quoted: Quote) -> str:
    none = FIRST if op.serial == 1 else NONE_LEFT
    text = quoted(_cut(context.scratchpad)) if context.scratchpad.strip() else none
    if s.identity.policy.routing is None:
        return text
    return f"\n## Scratchpad (as it was left)\n{text}\n" if scratchpad_path(s) else ""


def _cut(text: str) -> str:
    if len(text) <= SCRATCHPAD_CHARS:
        return text.strip()
    return text[:SCRATCHPAD_CHARS].strip() + f"\n[... {len(text) - SCRATCHPAD_CHARS} characters cut ...]"


@cache
def template(name: str) -> str:
    return (Path(__file__).parent / "templates" / f"{name}.md").read_text(encoding="utf-8")
