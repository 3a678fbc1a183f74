"""Hats and boards for a report: what each iteration was because of and what came of it, and what each item took."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import msgspec

from ralph.core.exits import BY_NAME
from ralph.core.hats.board import BoardItem
from ralph.core.hats.model import Team
from ralph.core.secrets import masked
from ralph.history.gates import GateRun, proof_part
from ralph.history.iterations import HatTurn, Iteration
from ralph.history.serialise import mark_text
from ralph.report import charts, words
from ralph.report.html import commands, inline, scroll, section, visible
from ralph.report.sources import cut_text
from ralph.report.stories import LoopReport
from ralph.report.words import clock, tokens
from ralph.terminal.lines import of_backlog
from ralph.terminal.words import ESTIMATE, NOT_TOLD, by_kind, cost
from ralph.text import count, duration

ITEM_HEAD = ("Item", "State", "Dispatched", "Failed", "Time", "Tokens", "Cost", "Reason")


def worn_row(it: Iteration, turn: HatTurn) -> tuple[str, str, str, str]:
    because = turn.event or it.started.hat_why
    return str(it.n), turn.title, because, "; ".join((*turn.said, *turn.refused)) or "nothing"


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
    if not (turns := story.worn()):
        return ""
    left_out = story.left_out()
    rows = []
    for it, turn in turns[-ROWS_SHOWN:]:
        number, hat, because, said = worn_row(it, turn)
        linked = number if it.serial in left_out else f'<a href="#{at}i{it.serial}">{number}</a>'
        cleared = '<div class="muted">notes cleared</div>' if it.started.fresh else ""
        rows.append(
            f'<tr><td class="num">{linked}</td><td>{inline(hat, 80)}{cleared}</td>'
            f"<td>{inline(because, 160)}</td><td>{inline(said, 400)}</td></tr>"
        )
    more = len(turns) - ROWS_SHOWN
    left = f'<p class="muted">The last {ROWS_SHOWN} of {len(turns):,}.</p>' if more > 0 else ""
    head = head_row("##", "Hat", "Because of", "What it said")
    table = f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
    return section("Hats and events", left + scroll(table, "Hats and events"))


def board(story: LoopReport) -> str:
    """The items of a board, and what each took; nothing without one."""
    if not (items := list(story.state.hats.board.items.values())):
        return ""
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td class="num">{inline(cell, 80)}</td>' if n in _NUMBERS else f"<td>{inline(cell, 240)}</td>"
            for n, cell in enumerate(item_row(item, story.policy.team, estimated=story.progress.estimated))
        )
        + "</tr>"
        for item in items[-ROWS_SHOWN:]
    )
    names = (f"#{name}" if n in _NUMBERS else name for n, name in enumerate(ITEM_HEAD))
    table = f"<table><thead>{head_row(*names)}</thead><tbody>{rows}</tbody></table>"
    more = len(items) - ROWS_SHOWN
    left = f'<p class="muted">The last {ROWS_SHOWN} of {len(items):,} items.</p>' if more > 0 else ""
    return section("Board", left + scroll(table, "Board"))


ROWS_SHOWN = 400
FILES_SHOWN = 200
GOOD, CALM, BAD, UNSURE, RUNNING = "good", "calm", "bad", "unsure", "running"
_SIGNS = {GOOD: "✓", CALM: "✓", BAD: "✕", UNSURE: "!", RUNNING: "▸"}


# -- the top ---------------------------------------------------------------------------------------------


def tone_of(story: LoopReport) -> str:
    if story.loop.standing == "running":
        return RUNNING
    if story.end == "completed-verified" and not story.loop.proven:
        return CALM
    return BY_NAME[story.end].tone if story.end in BY_NAME else BAD


def outcome(story: LoopReport) -> str:
    tone = tone_of(story)
    end = f"{story.end} ({story.state.judgement.end_limit})" if story.state.judgement.end_limit else story.end
    named = f" <code>{inline(end, 80)}</code>" if end else ""
    proof = "".join(
        f'<li class="{_proof_tone(what)}">{_proof(gate, what)}</li>'
        for gate, what in story.loop.proof.items()
    )
    reason = (
        story.loop.reason if not (story.end == "completed-verified" and proof) else words.agreement(story)
    )
    paths = "".join(f"<li><code>{inline(path)}</code></li>" for path in story.loop.paths[:50])
    when = (
        f"{clock(story.loop.span.began)} to {clock(story.loop.span.ended)}"
        if story.loop.standing != "running"
        else f"since {clock(story.loop.span.began)}"
    )
    return (
        f'<header class="outcome {tone}"><p class="verdict"><span class="sign" aria-hidden="true">{_SIGNS[tone]}</span>'
        f"<span>{inline(words.meaning(story))}</span>{named}</p><h1>{inline(story.task.title)}</h1>"
        + (f'<p class="reason">{inline(reason, 1000)}</p>' if reason else "")
        + (f'<ul class="proof" aria-label="Gates">{proof}</ul>' if proof else "")
        + (f'<ul class="paths">{paths}</ul>' if paths else "")
        + _where(story)
        + f'<p class="next"><b>Next</b> {commands(story.loop.next_step)}</p>'
        + f'<p class="muted">task {inline(story.task.id, 80)} · loop {inline(story.loop.id, 80)} · {when}</p></header>'
    )


def _where(story: LoopReport) -> str:
    """Where the work is, when it was made in a workspace of its own."""
    if landed := story.state.landing.landed:
        note = f" ({inline(landed.note)})" if landed.note else ""
        commit = f"<code>{inline(landed.commit[:12])}</code>"
        return f"<p>Landed on <code>{inline(words.branch_of(landed), 160)}</code> as {commit}{note}</p>"
    return (
        f"<p>Kept on <code>{inline(story.state.judgement.end_branch, 160)}</code></p>"
        if story.state.judgement.end_branch
        else ""
    )


def _proof(gate: str, what: str) -> str:
    if "→" not in what:
        return inline(proof_part(gate, what), 120)
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
        ("Iterations", str(story.progress.iterations), f"of {limits.max_iterations}"),
        (
            "Turned down",
            str(story.state.judgement.attempts),
            f"of {limits.max_attempts}" if limits.max_attempts else "",
        ),
        ("Active", duration(story.progress.active_seconds), ""),
        ("In all", duration(story.loop.wall_seconds), ""),
        (
            "Tokens",
            tokens(story.progress.tokens) if story.progress.tokens else "–",
            "" if story.progress.tokens else "not told",
        ),
        (
            "Cost",
            cost(story.progress.cost_usd) if story.progress.cost_usd else "–",
            _cost_from(story),
        ),
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
    if not story.progress.cost_usd:
        return NOT_TOLD
    return ESTIMATE if story.progress.estimated else "told by the agent"


def _sides(story: LoopReport) -> tuple[list[int], list[int]]:
    changed = story.changed or ()
    return [c.added for c in changed], [c.deleted for c in changed]


def alerts(story: LoopReport) -> str:
    found = [f"<li>{inline(text, 600)}</li>" for text in story.state.warnings.lines]
    found += [f"<li>{inline(text, 600)}</li>" for text in story.quality_warnings[:50]]
    if len(story.quality_warnings) > 50:
        found.append(f"<li>and {len(story.quality_warnings) - 50} more</li>")
    return section("Warnings", f'<ul class="warnings">{"".join(found)}</ul>') if found else ""


def index(stories: Sequence[LoopReport]) -> str:
    done = sum(s.loop.done for s in stories)
    rows = "".join(
        f'<tr><td><span class="pill {tone_of(s)}">{inline(s.end or s.loop.standing, 60)}</span></td>'
        f'<td><a href="#l{number}-loop">{inline(s.task.title, 120)}</a></td><td class="num">{s.progress.iterations}</td>'
        f'<td class="num">{duration(s.progress.active_seconds)}</td>'
        f'<td class="num">{cost(s.progress.cost_usd, estimated=s.progress.estimated) if s.progress.cost_usd else ""}</td></tr>'
        for number, s in enumerate(stories, 1)
    )
    head = head_row("End", "Task", "#Iterations", "#Active", "#Cost")
    table = scroll(f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>", "Tasks")
    return f'<section class="index"><h1>Completed: {done}/{len(stories)} tasks</h1>{table}</section>'


# -- evidence and the rest -------------------------------------------------------------------------------


def evidence(story: LoopReport, at: str) -> str:
    """First what decides: the start and the last claim. Everything else is folded."""
    if not story.loop.gates:
        gates = "The loop has no gates." if not story.policy.gates else "No gate has run yet."
        return section("Evidence", f"<p>{gates}</p>")
    numbered = list(enumerate(story.loop.gates))
    last = {max((run.serial for run in story.loop.gates if run.started.purpose == "claim"), default=-1)}
    if story.loop.turned_down and not story.loop.done:
        last.add(story.loop.turned_down[-1].serial)
    deciding = [(n, r) for n, r in numbered if r.started.purpose == "base" or r.serial in last]
    shown = _table(story, deciding or numbered[-5:], at)
    if deciding and len(deciding) < len(numbered):
        rest = [(n, r) for n, r in numbered if (n, r) not in deciding]
        more = f'<p class="muted">The last {ROWS_SHOWN} of them.</p>' if len(rest) > ROWS_SHOWN else ""
        table = more + _table(story, rest[-ROWS_SHOWN:], at)
        shown += f"<details><summary>Every other gate run ({len(rest):,})</summary>{table}</details>"
    return section("Evidence", shown)


def _table(story: LoopReport, rows: list[tuple[int, GateRun]], at: str) -> str:
    left_out = story.left_out()
    head = head_row("Result", "Gate", "Looked at", "#Exit", "#Time", "Command", "Tree")
    body = []
    for number, run in rows:
        findings = story.findings(run)
        said = dict.fromkeys((*words.notes(run), *findings[:3]))  # a finding may be the headline, too
        notes = "".join(f'<div class="note">{inline(text, 160)}</div>' for text in said)
        more = f'<div class="note">and {len(findings) - 3} more findings</div>' if len(findings) > 3 else ""
        code = "" if run.how in words.NOT_RUN or run.how == "interrupted" else str(run.result.code)
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
    results = {run.passed for run in story.loop.gates if run.how not in words.NO_OUTPUT}
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
        ("wait", "wait", story.loop.waits),
        ("pause", "nothing ran", story.loop.pauses),
    ]
    shown = [f'<span><span class="key {kind}"></span> {name}</span>' for kind, name, there in keys if there]
    if any(it.claimed for it in story.iterations):
        shown.append("<span>▾ claim</span>")
    if any(it.started.shift for it in story.iterations):
        shown.append('<span><span class="shift">◆</span> strategy shift</span>')
    if story.loop.waits or story.loop.pauses:
        shown.append("<span>// drawn shorter than it was</span>")
    return f'<p class="legend">{"".join(shown)}</p>'


def costs(story: LoopReport, at: str) -> str:
    heading, drawn = charts.bars(story, at)
    if not drawn:
        return ""
    reviewed = any(it.review_usage.cost_usd or it.review_usage.tokens for it in story.iterations)
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
    base, tree = story.state.workspace.base_tree, story.state.workspace.tree
    trees = f"From tree <code>{inline(base[:10])}</code> to <code>{inline(tree[:10])}</code>"
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


def iteration_facts(it: Iteration) -> str:
    shown = [
        ("signal", it.signal or "none"),
        ("exit", str(it.result.code) if it.how != "running" else "under way"),
        ("started", clock(it.span.began)),
        ("model", it.result.usage.model),
        ("tokens", by_kind(it.result.usage.split)),
        ("commits", words.commits([it])),
        ("prompt", f"{it.started.prompt_chars:,} characters"),
        ("tree", f"{it.started.tree[:10]} → {it.result.tree[:10] or '…'}"),
        ("process", str(it.serial) if it.serial != it.n else ""),
        ("processes left running, ended", ", ".join(it.result.stragglers)),
        ("refs moved", ", ".join(it.result.refs_moved)),
        ("output", "longer than is kept" if it.result.cut else ""),
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
        f'<tr><td class="muted">{clock(m.at.moment)}</td><td>{m.kind}</td><td>{inline(mark_text(m), 200)}</td></tr>'
        for m in story.loop.marks[-300:]
    )
    waits = "".join(
        f'<tr><td class="muted">{clock(w.span.began)}</td><td>wait</td><td>{inline(w.started.what, 60)}, '
        f"{duration(w.span.ended - w.span.began)}{f' of {duration(w.started.seconds)}' if w.started.what != 'landing' else ''}, "
        f"{w.ended}: {inline(w.started.why)}</td></tr>"
        for w in story.loop.waits[-300:]
    )
    notices = "".join(
        f'<tr><td class="muted">{clock(n.at.moment)}</td><td>{"told" if n.fact.ok else "not told"}</td>'
        f"<td>{inline(n.fact.occasion, 40)}: {inline(n.fact.target, 200)} {inline(n.fact.text)}</td></tr>"
        for n in story.loop.notices[-300:]
    )
    for name, rows in (("Events", marks), ("Waits", waits), ("Notifications", notices)):
        if rows:
            table = scroll(f"<table><tbody>{rows}</tbody></table>", name)
            parts.append(f"<details><summary>{name}</summary>{table}</details>")
    policy = msgspec.json.format(msgspec.json.encode(masked.policy(story.policy)), indent=2).decode()
    part = cut_text(policy, 40_000)
    parts.append(
        f"<details><summary>Policy: agent, gates and limits as they were at the start</summary>"
        f"<pre>{escape(visible(part.first + part.last), quote=False)}</pre></details>"
    )
    place = [
        ("folder", f"{story.state.identity.root}/{story.state.identity.folder}".removesuffix("/.")),
        ("branch", story.state.workspace.branch),
        ("commit at the start", story.state.workspace.base_commit),
        ("what you had before", story.state.workspace.recovery),
        ("runs", ", ".join(story.loop.lives)),
        ("Ralph's own time", words.own_time(story)),
    ]
    facts = "".join(f"<dt>{n}</dt><dd>{inline(v, 500)}</dd>" for n, v in place if v)
    return section("Besides", "".join(parts) + f'<dl class="facts">{facts}</dl>')
