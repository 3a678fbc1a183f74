"""How evidence and iterations are put into words, the same in Markdown and on the page."""

from __future__ import annotations

from ralph.report.figures import count
from ralph.report.story import GateRun, Iteration, Story

# What an end means, for somebody who does not know its name.
MEANING = {
    "completed-verified": "Done, and the gates prove it",
    "completed-unverified": "Claimed done; nothing proves it",
    "needs-review": "Needs your review",
    "failed": "Failed: every attempt was turned down",
    "stuck": "Stuck",
    "blocked-on-person": "Waits for your answer",
    "limit": "Stopped at a limit",
    "quota": "Out of quota",
    "agent-unusable": "The agent cannot be used",
    "no-route": "An event that no hat takes",
    "stopped": "Stopped",
    "cancelled": "Cancelled",
    "internal": "An error in Ralph, the disk or the journal",
    "interrupted": "Interrupted",
}
FATES = {
    "verified": "claim proven",
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


def meaning(story: Story) -> str:
    if story.standing != "ended":
        return {"running": "Under way", "died": "The run died"}[story.standing]
    if story.end == "completed-unverified" and story.done:
        return "Claimed done; you declined gates"
    return MEANING.get(story.end, story.end)


def looked_at(run: GateRun) -> str:
    """Which tree a gate looked at, in words."""
    where = {
        "base": "the start",
        "iteration": f"iteration {run.n}",
        "claim": f"the claim of iteration {run.n}",
    }
    text = where[run.purpose]
    if run.variant == "original":
        text += ", with original inputs"
    return text + (", asked again" if run.again else "")


def result(run: GateRun) -> str:
    if run.how in ("running", "interrupted"):
        return "under way" if run.how == "running" else "interrupted"
    if run.fault:
        return f"could not run ({run.fault})"
    word = "green" if run.passed else "red"
    if run.reviewer:
        word = "no verdict" if run.unclear else "PASS" if run.passed else "FAIL"
    if run.timed_out == "hard":
        word += ", out of time"
    return word + (", flaky" if run.flaky else "")


def notes(run: GateRun) -> list[str]:
    """What else is to be known about a run of a gate."""
    found = []
    if run.known:
        found.append(f"known from an earlier loop: {run.known}")
    if run.headline and not run.passed:
        found.append(run.headline)
    if run.fault_text:
        found.append(run.fault_text)
    if run.timed_out == "soft":
        found.append("took longer than its soft limit")
    if run.wrote:
        found.append(f"wrote without leave, undone: {', '.join(run.wrote)}")
    if run.swapped:
        found.append(f"ran with the original {', '.join(run.swapped)}")
    if run.refs_moved:
        found.append(f"refs moved while it ran: {', '.join(run.refs_moved)}")
    if run.stragglers:
        found.append(f"processes it left running were ended: {', '.join(run.stragglers)}")
    return found


def what_it_is(run: GateRun) -> str:
    kind = "reviewer" if run.reviewer else "command"
    return kind + ("" if run.hard else ", soft") + (", clean checkout" if run.hermetic else "")


def ending(it: Iteration) -> str:
    """How an iteration ended, in one line."""
    word = FATES[it.fate]
    detail = it.detail.removeprefix("claim refused: ").removeprefix("cut off: ")
    if it.fate == "worked":
        word = it.signal or "worked"
    return f"{word}: {detail}" if detail and detail != word else word


def changed_files(story: Story) -> str:
    if story.changed is None:
        return "not kept"
    if not story.changed:
        return "nothing"
    added = sum(max(0, c.added) for c in story.changed)
    deleted = sum(max(0, c.deleted) for c in story.changed)
    return f"{count(len(story.changed), 'file')}, +{added} −{deleted}"
