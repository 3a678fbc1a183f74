"""How evidence and iterations are put into words, the same in Markdown and on the page."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from ralph.core.exits import BY_NAME
from ralph.core.facts import Landed
from ralph.history.gates import GateRun
from ralph.history.iterations import Iteration
from ralph.report.stories import LoopReport
from ralph.terminal.words import cost, spent, verdict
from ralph.text import count, duration, few

# Of an end that the gates bear out: what exactly they bear out.
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
    "turned-down": "claim turned down",
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
        return _passed(story.loop.proof)
    return BY_NAME[story.end].meaning if story.end else ""


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
    }
    text = where[run.started.purpose]
    if run.started.variant == "original":
        text += ", with original inputs"
    return text + (", asked again" if run.again else "")


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


def branch_of(landed: Landed) -> str:
    return landed.ref.removeprefix("refs/heads/")


def changed_files(story: LoopReport) -> str:
    if story.changed is None:
        return "not kept"
    if not story.changed:
        return "nothing"
    added = sum(max(0, c.added) for c in story.changed)
    deleted = sum(max(0, c.deleted) for c in story.changed)
    return f"{count(len(story.changed), 'file')}, +{added} −{deleted}"


__all__ = ["clock", "cost", "count", "duration", "spent", "tokens"]


def tokens(count: int) -> str:
    """As on the terminal."""
    return str(count)


def own_time(story: LoopReport) -> str:
    """What Ralph itself took, as far as it is recorded."""
    x = story.loop
    parts = (("workspace", x.prepare_seconds), ("inspection", x.inspect_seconds), ("landing", x.land_seconds))
    return ", ".join(f"{name} {duration(seconds)}" for name, seconds in parts if seconds)


def commits(its: Iterable[Iteration]) -> str:
    """What agents committed, by branch."""
    made: dict[str, list[str]] = {}
    for it in its:
        for branch, found in it.result.new_commits.items():
            made[branch] = [commit[:12] for commit in found] + made.get(branch, [])
    return "; ".join(f"{few(found)} on {branch}" for branch, found in made.items())


def clock(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
