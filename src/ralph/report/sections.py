"""Hats and boards for a report: what each iteration was because of and what came of it, and what each item took."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import BY_NAME
from ralph.core.hats.board import BoardItem
from ralph.core.hats.event_log import EventOutcomes, about, event_line, title
from ralph.core.hats.model import Team
from ralph.core.loop.state import LoopState
from ralph.report import charts, words
from ralph.report.html import commands, inline, scroll, section, visible
from ralph.report.model import GateRun, HatRow, IterationRow, LoopReport
from ralph.report.sources import cut_text
from ralph.report.words import clock, tokens
from ralph.terminal.lines import of_backlog
from ralph.terminal.words import ESTIMATE, NOT_TOLD, cost
from ralph.text import count, duration

ITEM_HEAD = ("Item", "State", "Dispatched", "Failed", "Time", "Tokens", "Cost", "Reason")


class HatTeller:
    """Goes along with the facts of one loop. Without hats it has nothing to tell."""

    def __init__(self) -> None:
        self._teller = EventOutcomes()
        self._worn: dict[int, HatRow] = {}

    def take(self, fact: f.AnyFact, s: LoopState) -> None:
        told = self._teller.take(fact, s)
        if s.policy.routing is None:
            return
        match fact:
            case f.IterationStarted():
                events = s.turns.current.events if s.turns.current else ()
                self._worn[fact.serial] = HatRow(
                    serial=fact.serial,
                    n=fact.n,
                    hat=fact.hat,
                    title=title(s, fact.hat),
                    event=about(events),
                    why=fact.hat_why,
                    fresh=fact.fresh,
                )
            case f.IterationEnded() | f.TransitionPassed() | f.EventReceived() if fact.serial in self._worn:
                said = tuple(
                    event_line(one.routed) for one in told if one.counts and one.routed.event.iteration
                )
                refused = tuple(
                    event_line(one.routed) for one in told if not one.routed.event.n and not one.counts
                )
                before = self._worn[fact.serial]
                self._worn[fact.serial] = replace(
                    before, said=before.said + said, refused=before.refused + refused
                )

    def worn(self) -> tuple[HatRow, ...]:
        return tuple(self._worn.values())


def worn_row(x: HatRow) -> tuple[str, str, str, str]:
    because = x.event or x.why
    return str(x.n), x.title, because, "; ".join((*x.said, *x.refused)) or "nothing"


def item_row(x: BoardItem, team: Team | None, *, estimated: bool) -> tuple[str, ...]:
    place = f"in {x.folder}" + ("" if of_backlog(team, x.folder) else "/")
    state = "given up" if x.failed else "through" if x.done else place
    return (
        x.name,
        state,
        str(x.dispatches),
        str(x.failures) if x.failures else "",
        duration(x.seconds) if x.seconds else "",
        tokens(x.tokens) if x.tokens else "",
        cost(x.cost_usd, estimated=estimated) if x.cost_usd else "",
        x.reason,
    )


_NUMBERS = range(2, 7)  # columns of a board's table


def worn(story: LoopReport, at: str) -> str:
    """Who each iteration was, and where its events went; nothing without hats."""
    if not story.worn:
        return ""
    left_out = story.left_out()
    rows = []
    for one in story.worn[-ROWS_SHOWN:]:
        number, hat, because, said = worn_row(one)
        linked = number if one.serial in left_out else f'<a href="#{at}i{one.serial}">{number}</a>'
        cleared = '<div class="muted">notes cleared</div>' if one.fresh else ""
        rows.append(
            f'<tr><td class="num">{linked}</td><td>{inline(hat, 80)}{cleared}</td>'
            f"<td>{inline(because, 160)}</td><td>{inline(said, 400)}</td></tr>"
        )
    more = len(story.worn) - ROWS_SHOWN
    left = f'<p class="muted">The last {ROWS_SHOWN} of {len(story.worn):,}.</p>' if more > 0 else ""
    head = head_row("##", "Hat", "Because of", "What it said")
    table = f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
    return section("Hats and events", left + scroll(table, "Hats and events"))


def board(story: LoopReport) -> str:
    """The items of a board, and what each took; nothing without one."""
    if not story.items:
        return ""
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td class="num">{inline(cell, 80)}</td>' if n in _NUMBERS else f"<td>{inline(cell, 240)}</td>"
            for n, cell in enumerate(item_row(item, story.policy.team, estimated=story.estimated))
        )
        + "</tr>"
        for item in story.items[-ROWS_SHOWN:]
    )
    names = (f"#{name}" if n in _NUMBERS else name for n, name in enumerate(ITEM_HEAD))
    table = f"<table><thead>{head_row(*names)}</thead><tbody>{rows}</tbody></table>"
    more = len(story.items) - ROWS_SHOWN
    left = f'<p class="muted">The last {ROWS_SHOWN} of {len(story.items):,} items.</p>' if more > 0 else ""
    return section("Board", left + scroll(table, "Board"))


ROWS_SHOWN = 400
FILES_SHOWN = 200
GOOD, CALM, BAD, UNSURE, RUNNING = "good", "calm", "bad", "unsure", "running"
_SIGNS = {GOOD: "✓", CALM: "✓", BAD: "✕", UNSURE: "!", RUNNING: "▸"}


# -- the top ---------------------------------------------------------------------------------------------


def tone_of(story: LoopReport) -> str:
    if story.standing == "running":
        return RUNNING
    if story.end == "completed-verified" and not story.proven:
        return CALM
    return BY_NAME[story.end].tone if story.end in BY_NAME else BAD


def outcome(story: LoopReport) -> str:
    tone = tone_of(story)
    end = f"{story.end} ({story.limit})" if story.limit else story.end
    named = f" <code>{inline(end, 80)}</code>" if end else ""
    proof = "".join(
        f'<li class="{_proof_tone(what)}">{_proof(gate, what)}</li>' for gate, what in story.proof.items()
    )
    reason = story.reason if not (story.end == "completed-verified" and proof) else words.agreement(story)
    paths = "".join(f"<li><code>{inline(path)}</code></li>" for path in story.paths[:50])
    when = (
        f"{clock(story.span.began)} to {clock(story.span.ended)}"
        if story.standing != "running"
        else f"since {clock(story.span.began)}"
    )
    return (
        f'<header class="outcome {tone}"><p class="verdict"><span class="sign" aria-hidden="true">{_SIGNS[tone]}</span>'
        f"<span>{inline(words.meaning(story))}</span>{named}</p><h1>{inline(story.task.title)}</h1>"
        + (f'<p class="reason">{inline(reason, 1000)}</p>' if reason else "")
        + (f'<ul class="proof" aria-label="Gates">{proof}</ul>' if proof else "")
        + (f'<ul class="paths">{paths}</ul>' if paths else "")
        + _where(story)
        + f'<p class="next"><b>Next</b> {commands(story.next)}</p>'
        + f'<p class="muted">task {inline(story.task.id, 80)} · loop {inline(story.loop, 80)} · {when}</p></header>'
    )


def _where(story: LoopReport) -> str:
    """Where the work is, when it was made in a workspace of its own."""
    if story.landed_as:
        note = f" ({inline(story.landed_note)})" if story.landed_note else ""
        commit = f"<code>{inline(story.landed_as[:12])}</code>"
        return f"<p>Landed on <code>{inline(story.landed_on, 160)}</code> as {commit}{note}</p>"
    return f"<p>Kept on <code>{inline(story.kept_on, 160)}</code></p>" if story.kept_on else ""


def _proof(gate: str, what: str) -> str:
    if "→" not in what:
        return inline(words.said(gate, what), 120)
    return f"<b>{inline(gate, 80)}</b> {inline(what, 120).replace('→', ' → ')}"


def _proof_tone(what: str) -> str:
    """Only red→green of a hard gate shows the task; green→green and a reviewer's opinion are worth less."""
    if what == "red→green":
        return GOOD
    if what.removesuffix(" (soft)") in ("green→green", "unknown→green", "red→green", "PASS"):
        return CALM
    return UNSURE if what.endswith(" (soft)") else BAD


def figures(story: LoopReport) -> str:
    limits = story.policy.limits
    shown = [
        ("Iterations", str(story.counted), f"of {limits.max_iterations}"),
        ("Turned down", str(story.turned_down), f"of {limits.max_attempts}" if limits.max_attempts else ""),
        ("Active", duration(story.active_seconds), ""),
        ("In all", duration(story.wall_seconds), ""),
        ("Tokens", tokens(story.tokens) if story.tokens else "–", "" if story.tokens else "not told"),
        ("Cost", cost(story.cost_usd) if story.cost_usd else "–", _cost_from(story)),
    ]
    if story.changed is None:
        shown.append(("Changed", "–", "not kept"))
    else:
        added, deleted = (sum(max(0, n) for n in side) for side in _sides(story))
        shown.append(("Changed", count(len(story.changed), "file"), f"+{added} −{deleted}"))
    rows = "".join(
        f"<div><dt>{name}</dt><dd>{escape(value)} <small>{escape(more)}</small></dd></div>"
        for name, value, more in shown
    )
    return f'<dl class="figures">{rows}</dl>'


def _cost_from(story: LoopReport) -> str:
    if not story.cost_usd:
        return NOT_TOLD
    return ESTIMATE if story.estimated else "told by the agent"


def _sides(story: LoopReport) -> tuple[list[int], list[int]]:
    changed = story.changed or ()
    return [c.added for c in changed], [c.deleted for c in changed]


def alerts(story: LoopReport) -> str:
    found = [f"<li>{inline(text, 600)}</li>" for text in story.warnings]
    found += [f"<li>{inline(text, 600)}</li>" for text in story.quality_warnings[:50]]
    if len(story.quality_warnings) > 50:
        found.append(f"<li>and {len(story.quality_warnings) - 50} more</li>")
    return section("Warnings", f'<ul class="warnings">{"".join(found)}</ul>') if found else ""


def index(stories: Sequence[LoopReport]) -> str:
    done = sum(s.done for s in stories)
    rows = "".join(
        f'<tr><td><span class="pill {tone_of(s)}">{inline(s.end or s.standing, 60)}</span></td>'
        f'<td><a href="#l{number}-loop">{inline(s.task.title, 120)}</a></td><td class="num">{s.counted}</td>'
        f'<td class="num">{duration(s.active_seconds)}</td>'
        f'<td class="num">{cost(s.cost_usd, estimated=s.estimated) if s.cost_usd else ""}</td></tr>'
        for number, s in enumerate(stories, 1)
    )
    head = head_row("End", "Task", "#Iterations", "#Active", "#Cost")
    table = scroll(f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>", "Tasks")
    return f'<section class="index"><h1>Completed: {done}/{len(stories)} tasks</h1>{table}</section>'


# -- evidence and the rest -------------------------------------------------------------------------------


def evidence(story: LoopReport, at: str) -> str:
    """First what decides: the start and the last claim. Everything else is folded."""
    if not story.evidence:
        gates = "The loop has no gates." if not story.policy.gates else "No gate has run yet."
        return section("Evidence", f"<p>{gates}</p>")
    numbered = list(enumerate(story.evidence))
    last = {max((run.serial for run in story.evidence if run.purpose == "claim"), default=-1)}
    if story.attempts and not story.done:
        last.add(story.attempts[-1].serial)
    deciding = [(n, r) for n, r in numbered if r.purpose == "base" or r.serial in last]
    left_out = story.left_out()
    shown = _table(deciding or numbered[-5:], at, left_out)
    if deciding and len(deciding) < len(numbered):
        rest = [(n, r) for n, r in numbered if (n, r) not in deciding]
        more = f'<p class="muted">The last {ROWS_SHOWN} of them.</p>' if len(rest) > ROWS_SHOWN else ""
        table = more + _table(rest[-ROWS_SHOWN:], at, left_out)
        shown += f"<details><summary>Every other gate run ({len(rest):,})</summary>{table}</details>"
    return section("Evidence", shown)


def _table(rows: list[tuple[int, GateRun]], at: str, left_out: frozenset[int]) -> str:
    head = head_row("Result", "Gate", "Looked at", "#Exit", "#Time", "Command", "Tree")
    body = []
    for number, run in rows:
        said = dict.fromkeys((*words.notes(run), *run.findings[:3]))  # a finding may be the headline, too
        notes = "".join(f'<div class="note">{inline(text, 160)}</div>' for text in said)
        more = (
            f'<div class="note">and {len(run.findings) - 3} more findings</div>'
            if len(run.findings) > 3
            else ""
        )
        code = "" if run.how in words.NOT_RUN or run.how == "interrupted" else str(run.code)
        how = f"<code>{inline(run.command, 160)}</code>" if run.command else ""
        how = how or ('<span class="muted">a fresh agent reads the change</span>' if run.reviewer else "")
        name = inline(run.gate, 80)
        if run.serial not in left_out:
            name = f'<a href="#{at}g{number}">{name}</a>'
        body.append(
            f"<tr><td>{pill(run)}</td><td>{name}"
            f'<div class="muted">{words.what_it_is(run)}</div></td><td>{words.looked_at(run)}{notes}{more}</td>'
            f'<td class="num">{code}</td><td class="num">{words.took(run)}</td>'
            f'<td>{how}</td><td><code class="muted">{inline(run.tree[:10], 10)}</code></td></tr>'
        )
    return scroll(f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>", "Evidence")


def head_row(*names: str) -> str:
    """A # before the name of a column says that it holds numbers."""
    cells = (f'<th class="num">{n[1:]}</th>' if n[0] == "#" else f"<th>{n}</th>" for n in names)
    return f"<tr>{''.join(cells)}</tr>"


def pill(run: GateRun) -> str:
    tone = {True: GOOD, False: BAD, None: "open"}[run.passed]
    if run.flaky or (run.passed is False and not run.hard):
        tone = UNSURE
    return f'<span class="pill {tone}">{inline(words.result(run), 60)}</span>'


def timeline(story: LoopReport, at: str) -> str:
    return section("Timeline", scroll(charts.timeline(story, at), "Timeline") + _legend(story))


def _legend(story: LoopReport) -> str:
    """Only of what is in the picture."""
    fates = {it.fate for it in story.iterations}
    results = {run.passed for run in story.evidence if run.how not in words.NO_OUTPUT}
    keys = [
        ("it worked", "iteration", "worked" in fates),
        ("it verified", "proven", "verified" in fates),
        ("it passed", "passed, nothing got worse", "passed" in fates),
        ("it turned-down", "turned down, refused or stuck", fates & {"turned-down", "refused", "stuck"}),
        (
            "it crashed",
            "crashed, cut off or in doubt",
            fates & {"crashed", "fault", "cut", "flaky", "review", "accepted"},
        ),
        ("it interrupted", "interrupted", "interrupted" in fates),
        ("it running", "under way", "running" in fates),
        ("gate green", "gate green", True in results),
        ("gate red", "gate red", False in results),
        ("wait", "wait", story.waits),
        ("pause", "nothing ran", story.pauses),
    ]
    shown = [f'<span><span class="key {kind}"></span> {name}</span>' for kind, name, there in keys if there]
    if any(it.claimed for it in story.iterations):
        shown.append("<span>▾ claim</span>")
    if any(it.shift for it in story.iterations):
        shown.append('<span><span class="shift">◆</span> strategy shift</span>')
    if story.waits or story.pauses:
        shown.append("<span>// drawn shorter than it was</span>")
    return f'<p class="legend">{"".join(shown)}</p>'


def costs(story: LoopReport, at: str) -> str:
    heading, drawn = charts.bars(story, at)
    if not drawn:
        return ""
    reviewed = any(it.review_cost_usd or it.review_tokens for it in story.iterations)
    keys = '<span><span class="key cost-own"></span> agent</span><span><span class="key cost-review"></span> reviews</span>'
    legend = keys if reviewed else ""
    if any(it.fate in charts.GAVE_NUMBER_BACK for it in story.iterations):
        legend += "<span>* did not count: the next iteration has the same number</span>"
    return section(heading, scroll(drawn, heading) + (f'<p class="legend">{legend}</p>' if legend else ""))


def changed_files(story: LoopReport) -> str:
    if story.changed is None:
        return section("Changed files", '<p class="muted">The trees are not kept any more.</p>')
    if not story.changed:
        return ""
    most = max((c.added + c.deleted for c in story.changed), default=0) or 1
    rows = "".join(
        f"<tr><td><code>{inline(c.path, 240)}</code></td>"
        + (
            f'<td class="num plus">+{c.added}</td><td class="num minus">−{c.deleted}</td>'
            f"<td>{_meter(c.added, c.deleted, most)}</td>"
            if c.added >= 0
            else '<td colspan="3" class="muted">binary, or larger than is shown</td>'
        )
        + "</tr>"
        for c in story.changed[:FILES_SHOWN]
    )
    more = len(story.changed) - FILES_SHOWN
    left = f'<p class="muted">and {more:,} more files</p>' if more > 0 else ""
    trees = f"From tree <code>{inline(story.base_tree[:10])}</code> to <code>{inline(story.tree[:10])}</code>"
    where = f'<p class="muted">{trees}</p>'
    return section(
        "Changed files",
        scroll(f'<table class="files"><tbody>{rows}</tbody></table>', "Changed files") + left + where,
    )


def _meter(added: int, deleted: int, most: int) -> str:
    """How large a change is beside the largest, as a bar of up to 80 units."""
    plus, minus = (round(80 * n / most, 1) for n in (added, deleted))
    return (
        f'<svg class="meter" viewBox="0 0 80 8" aria-hidden="true"><rect class="plus" width="{plus}" height="8"/>'
        f'<rect class="minus" x="{plus}" width="{minus}" height="8"/></svg>'
    )


def iteration_facts(it: IterationRow) -> str:
    shown = [
        ("signal", it.signal or "none"),
        ("exit", str(it.code) if it.how != "running" else "under way"),
        ("started", clock(it.span.began)),
        ("prompt", f"{it.prompt_chars:,} characters"),
        ("tree", f"{it.tree_before[:10]} → {it.tree_after[:10] or '…'}"),
        ("process", str(it.serial) if it.serial != it.n else ""),
        ("processes left running, ended", ", ".join(it.stragglers)),
        ("refs moved", ", ".join(it.refs_moved)),
        ("output", "longer than is kept" if it.cut else ""),
    ]
    return (
        '<dl class="facts">'
        + "".join(f"<dt>{n}</dt><dd>{inline(v, 500)}</dd>" for n, v in shown if v)
        + "</dl>"
    )


def besides(story: LoopReport) -> str:
    parts = []
    criteria = "".join(f"<li>{inline(text, 1000)}</li>" for text in story.task.criteria[:100])
    if story.task.description or criteria:
        text = cut_text(story.task.description, 20_000)
        whole = visible(text.first) + (
            f"\n[... {text.cut:,} bytes cut ...]\n{visible(text.last)}" if text.cut else ""
        )
        described = f"<pre>{escape(whole, quote=False)}</pre>" if whole.strip() else ""
        parts.append(f"<details><summary>Task</summary>{described}<ul>{criteria}</ul></details>")
    marks = "".join(
        f'<tr><td class="muted">{clock(m.at)}</td><td>{m.kind}</td><td>{inline(m.text, 200)}</td></tr>'
        for m in story.marks[-300:]
    )
    waits = "".join(
        f'<tr><td class="muted">{clock(w.span.began)}</td><td>wait</td><td>{inline(w.what, 60)}, '
        f"{duration(w.span.ended - w.span.began)} of {duration(w.seconds)}, {w.ended}: {inline(w.why)}</td></tr>"
        for w in story.waits[-300:]
    )
    notices = "".join(
        f'<tr><td class="muted">{clock(n.at)}</td><td>{"told" if n.ok else "not told"}</td>'
        f"<td>{inline(n.occasion, 40)}: {inline(n.target, 200)} {inline(n.text)}</td></tr>"
        for n in story.notices[-300:]
    )
    for name, rows in (("Events", marks), ("Waits", waits), ("Notifications", notices)):
        if rows:
            table = scroll(f"<table><tbody>{rows}</tbody></table>", name)
            parts.append(f"<details><summary>{name}</summary>{table}</details>")
    policy = msgspec.json.format(msgspec.json.encode(story.policy), indent=2).decode()
    part = cut_text(policy, 40_000)
    parts.append(
        f"<details><summary>Policy: agent, gates and limits as they were at the start</summary>"
        f"<pre>{escape(visible(part.first + part.last), quote=False)}</pre></details>"
    )
    place = [
        ("folder", f"{story.root}/{story.folder}".removesuffix("/.")),
        ("branch", story.branch),
        ("commit at the start", story.base_commit),
        ("what you had before", story.recovery),
        ("runs", ", ".join(story.runs)),
    ]
    facts = "".join(f"<dt>{n}</dt><dd>{inline(v, 500)}</dd>" for n, v in place if v)
    return section("Besides", "".join(parts) + f'<dl class="facts">{facts}</dl>')
