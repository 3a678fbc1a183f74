"""How a loop, its evidence and its iterations are put into words, the same in Markdown and on the page: the templates of
both use these functions as filters."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from ralph.core.exits import BY_NAME
from ralph.core.facts import Landed, RunReviewed, Tokens
from ralph.core.hats.board import BoardItem
from ralph.core.hats.model import Team
from ralph.core.loop.decide import UNRECORDED
from ralph.core.proof import DEGREES, run_words
from ralph.history.gates import GateRun
from ralph.history.iterations import HatTurn, Iteration
from ralph.history.loops import Loop
from ralph.history.runs import RunRecord
from ralph.history.serialise import mark_text
from ralph.report.escape import one_line
from ralph.report.stories import LoopReport, Totals
from ralph.terminal.lines import of_backlog
from ralph.terminal.words import by_kind, cost, spent, verdict
from ralph.text import count, duration, few

# Of an end that the gates bear out: what exactly they bear out.
OWN_TESTS = "Done, and its own tests pass; no other test shows it"
NOTHING_WORSE = "Done, and nothing got worse; no gate was red before, so none shows the task itself"
OPINION = "Done, as reviewers see it; no command shows it"
UNSURE = "Done, and the gates pass; none of them shows the task itself for sure"
NO_OUTPUT = ("known", "remembered")  # how a result came without the gate being run
NOT_RUN = ("running", *NO_OUTPUT)  # and without an exit code, as yet
FATES = {
    "verified": "claim proven",
    "passed": "claim passed",
    "accepted": "claim taken, unproven",
    "review": "claim needs review",
    "refused": "claim refused",
    "turned-down": "claim rejected",
    "flaky": "gate flaky",
    "stuck": "says it is stuck",
    "worked": "worked",
    "crashed": "crashed",
    "fault": "could not work",
    "cut": "cut off",
    "interrupted": "interrupted",
    "running": "under way",
}


def meaning(story: LoopReport) -> str:
    if story.loop.standing != "ended":
        return {"running": "Under way", "died": "The run died"}[story.loop.standing]
    if story.end == "completed-unverified":
        return _unproven(story)
    if story.end == "completed-verified" and not story.loop.proven:
        own = story.loop.evidence is not None and story.loop.evidence.degree == "own-tests"
        return OWN_TESTS if own else _passed(story.loop.proof)
    return BY_NAME[story.end].meaning if story.end else ""


def strength(story: LoopReport) -> str:
    """How strong the evidence is, in a word or two."""
    return DEGREES[story.loop.evidence.degree] if story.loop.evidence else ""


def _unproven(story: LoopReport) -> str:
    team = story.policy.team
    over = team is not None and team.max_items > 0 and not story.loop.reason.startswith("claimed")
    what = "As many items of the board as wanted are through" if over else "Claimed done"
    why = "you declined gates" if story.policy.gates_declined else "there are no gates"
    return f"{what}; {why if story.loop.done else 'nothing proves it'}"


def _passed(proof: dict[str, str]) -> str:
    commands = [what for what in proof.values() if "→" in what and not what.endswith(" (soft)")]
    if not commands:
        return OPINION if proof else UNSURE
    return NOTHING_WORSE if all(what == "green→green" for what in commands) else UNSURE


def agreement(story: LoopReport) -> str:
    """Which reviewers agree, as a sentence; empty when none does."""
    names = [gate for gate, what in story.loop.proof.items() if what.partition(" (")[0] == "PASS"]
    if not names:
        return ""
    *others, last = names
    many = f"{', '.join(others)} and {last} reviewers agree" if others else f"{last} reviewer agrees"
    return f"The {many}."


def looked_at(run: GateRun) -> str:
    """Which tree a gate looked at, in words."""
    where = {
        "base": "the start",
        "iteration": f"iteration {run.n}",
        "claim": f"the claim of iteration {run.n}",
        "land": "what was about to land",
    }
    text, how = where[run.started.purpose], run_words(run.op, run.started.variant)
    return f"{text}, {how}" if how else text


def result(run: GateRun) -> str:
    if run.how in ("running", "interrupted"):
        return "under way" if run.how == "running" else "interrupted"
    word: str = verdict(
        reviewer=run.reviewer, passed=bool(run.passed), unclear=run.result.unclear, fault=run.result.fault
    )
    if run.result.fault:
        return f"{word} ({run.result.fault})"
    if run.result.timed_out == "hard":
        word += ", out of time"
    return word + (", flaky" if run.flaky else "") + (", as before" if run.how == "remembered" else "")


def notes(run: GateRun) -> list[str]:
    """What else is to be known about a run of a gate."""
    found = []
    if run.evidence:
        found.append(f"known from an earlier loop: {run.evidence}")
    if run.how == "remembered":
        found.append(f"it said so after iteration {run.before}, and the tree is the same")
    if run.result.headline and not run.passed:
        found.append(run.result.headline)
    if run.result.fault_text:
        found.append(run.result.fault_text)
    if run.result.empty:
        found.append("it passes, but ran no test")
    if run.result.timed_out == "soft":
        found.append("took longer than its soft limit")
    if run.result.wrote:
        found.append(f"wrote without leave, undone: {', '.join(run.result.wrote)}")
    if run.started.swapped:
        found.append(f"ran with the original {', '.join(run.started.swapped)}")
    if run.result.refs_moved:
        found.append(f"refs moved while it ran: {', '.join(run.result.refs_moved)}")
    if run.result.stragglers:
        found.append(f"processes it left running were ended: {', '.join(run.result.stragglers)}")
    return found


def took(run: GateRun) -> str:
    return "" if run.how in NO_OUTPUT else duration(run.seconds)


def exit_code(run: GateRun) -> str:
    """Empty where there is none."""
    return "" if run.how in (*NOT_RUN, "interrupted") else str(run.result.code)


def what_it_is(run: GateRun) -> str:
    kind = "reviewer" if run.reviewer else "command"
    return kind + ("" if run.hard else ", soft") + (", clean checkout" if run.result.hermetic else "")


def ending(it: Iteration) -> str:
    """How an iteration ended, in one line."""
    word = FATES[it.fate]
    detail = it.detail.removeprefix("claim refused: ").removeprefix("cut off: ")
    if it.fate == "worked":
        word = it.signal or "worked"
    return f"{word}: {detail}" if detail and detail != word else word


def end_of(story: LoopReport) -> str:
    limit = story.state.judgement.end_limit
    return f"{story.end or story.loop.standing} ({limit})" if limit else story.end or story.loop.standing


def tone(story: LoopReport) -> str:
    if story.loop.standing == "running":
        return "running"
    if story.end == "completed-verified" and not story.loop.proven:
        return "calm"
    return BY_NAME[story.end].tone if story.end in BY_NAME else "bad"


def proof_tone(what: str) -> str:
    """Only red→green of a hard gate shows the task; green→green and a reviewer's opinion are worth less."""
    if what == "red→green":
        return "good"
    if what.removesuffix(" (soft)") in ("green→green", "unknown→green", "red→green", "PASS"):
        return "calm"
    doubtful = what.endswith(" (soft)") or UNRECORDED in what
    return "unsure" if doubtful else "bad"


def gate_tone(run: GateRun) -> str:
    if run.flaky or (run.passed is False and not run.hard):
        return "unsure"
    return {True: "good", False: "bad", None: "open"}[run.passed]


def branch_of(landed: Landed) -> str:
    return landed.ref.removeprefix("refs/heads/")


def where(story: LoopReport) -> str:
    """The branch on which the work is, when it was made in a workspace of its own."""
    if landed := story.state.landing.landed:
        return f"{branch_of(landed)} {landed.commit[:12]}"
    return story.state.judgement.end_branch


def why_not_done(story: LoopReport) -> str:
    """What turned the task down, or why it ended."""
    if story.loop.done:
        return ""
    return f"{story.loop.last_gate}: {story.loop.last_error}" if story.loop.last_error else story.loop.reason


def run_tone(totals: Totals) -> str:
    """Of a run over a backlog, as `tone` of one loop."""
    if totals.under_way:
        return "running"
    return "bad" if totals.failed else "good" if totals.done else "open"


def failure_groups(stories: Iterable[LoopReport]) -> list[tuple[str, list[LoopReport]]]:
    """The tasks that are not done, by what stopped them: what stopped most comes first."""
    groups: dict[str, list[LoopReport]] = {}
    for story in stories:
        if story.became == "failed":
            groups.setdefault(one_line(why_not_done(story), 200), []).append(story)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def changed_files(story: LoopReport) -> tuple[str, str]:
    """How many files, and how many lines."""
    if story.changed is None:
        return "", "not kept"
    added = sum(max(0, c.added) for c in story.changed)
    deleted = sum(max(0, c.deleted) for c in story.changed)
    return count(len(story.changed), "file"), f"+{added} −{deleted}"


ITEM_HEAD = ("Item", "State", "#Dispatched", "#Failed", "#Time", "#Tokens", "#Cost", "Reason")


def worn_row(it: Iteration, turn: HatTurn) -> tuple[str, str, str, str]:
    because = turn.event or it.started.hat_why
    return str(it.n), turn.title, because, "; ".join((*turn.said, *turn.refused)) or "nothing"


def item_row(x: BoardItem, team: Team | None, estimated: bool) -> tuple[str, ...]:
    place = f"in {x.folder}" + ("" if of_backlog(team, x.folder) else "/") if x.folder else "dispatched"
    state = "given up" if x.failed else "through" if x.done else place
    took = duration(x.seconds) if x.seconds else ""
    failed, tokens = (str(n) if n else "" for n in (x.failures, x.tokens))
    return x.name, state, str(x.dispatches), failed, took, tokens, price(x.cost_usd, estimated), x.reason


_Happened = list[tuple[float, str, str]]


def happenings(loop: Loop) -> list[tuple[str, _Happened]]:
    """What else happened in a loop: the names of tables, and of their rows the moment, the kind and a text."""
    marks: _Happened = [(m.at.moment, m.kind, one_line(mark_text(m), 200)) for m in loop.marks[-300:]]
    waits: _Happened = []
    notices: _Happened = []
    for w in loop.waits[-300:]:
        of = f" of {duration(w.started.seconds)}" if w.started.what != "landing" else ""
        took = f"{duration(w.span.ended - w.span.began)}{of}, {w.ended}"
        text = f"{one_line(w.started.what, 60)}, {took}: {one_line(w.started.why)}"
        waits.append((w.span.began, "wait", text))
    for n in loop.notices[-300:]:
        text = f"{one_line(n.fact.occasion, 40)}: {one_line(n.fact.target, 200)} {one_line(n.fact.text)}"
        notices.append((n.at.moment, "notified" if n.fact.ok else "not notified", text))
    return [("Events", marks), ("Waits", waits), ("Notifications", notices)]


def review_warnings(x: RunReviewed) -> list[str]:
    found = [f"Warning: what it edited was undone: {', '.join(x.wrote[:5])}"] if x.wrote else []
    left = f"Warning: processes it left running were ended: {', '.join(x.stragglers[:5])}"
    return [*found, left] if x.stragglers else found


def review_figures(x: RunReviewed) -> str:
    used = spent(x.usage.tokens, x.usage.cost_usd, estimated=x.estimated)
    return ", ".join([x.command, f"{x.base[:12]}..{x.tip[:12]}", duration(x.seconds), *used])


def cut_short(run: RunRecord) -> str:
    """Of a run that was cut short and went on."""
    return f"; cut short and continued {count(len(run.lives) - 1, 'time')}" if len(run.lives) > 1 else ""


def price(usd: float, estimated: bool) -> str:
    return cost(usd, estimated=estimated) if usd else ""


def byte_count(size: int) -> str:
    if size < 10_000:
        return f"{size:,} bytes"
    return f"{size / 1000:,.0f} kB" if size < 10**7 else f"{size / 10**6:,.1f} MB"


def own_time(story: LoopReport) -> str:
    """What Ralph itself took, as far as it is recorded."""
    x = story.loop
    parts = (("workspace", x.prepare_seconds), ("inspection", x.inspect_seconds), ("landing", x.land_seconds))
    return ", ".join(f"{name} {duration(seconds)}" for name, seconds in parts if seconds)


def of_agents(story: LoopReport) -> list[tuple[str, str]]:
    """What agents reported about themselves, and what Ralph itself took."""
    return [
        ("Model", ", ".join(story.loop.models)),
        ("Tokens", by_kind(sum((it.result.usage.split for it in story.iterations), Tokens()))),
        ("Commits of the agent", commits(story.iterations)),
        ("Ralph's own time", own_time(story)),
    ]


def commits(its: Iterable[Iteration]) -> str:
    """What agents committed, by branch."""
    made: dict[str, list[str]] = {}
    for it in its:
        for branch, found in it.result.new_commits.items():
            made[branch] = [commit[:12] for commit in found] + made.get(branch, [])
    return "; ".join(f"{few(found)} on {branch}" for branch, found in made.items())


def time_of_day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%H:%M:%S}"


def clock(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
