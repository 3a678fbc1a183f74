"""What an end leaves to be done, and the one line that says so."""

from __future__ import annotations

from ralph.core.exits import BY_NAME, DONE, FLAGS, End, resume_of, shlex_quoted
from ralph.core.hats.board import through
from ralph.core.loop.state import LoopState
from ralph.text import few

_HEADS = "refs/heads/"
GONE = "its workspace is gone: someone removed it"  # a reason after which there is nothing to continue with


def what_next(end: End, s: LoopState) -> str:
    if s.identity.home:
        return _apart(end, s)
    row = BY_NAME[end]
    if end in DONE and (failed := [item.name for item in s.hats.board.items.values() if item.failed]):
        return (
            f"Failed: {few(failed)}; `ralph status` says why. Correct it, put it back, and `ralph run` again."
        )
    return (row.next_here(s) if row.next_here else "") or row.next


def why_it_ended(s: LoopState) -> str:
    """The reason of its end. A board that ended after as many items as were wanted was claimed done by no one."""
    most = s.identity.policy.team.max_items if s.identity.policy.team is not None else 0
    if (
        s.judgement.ended in DONE
        and s.judgement.end_reason.startswith(_CLAIMED)
        and s.hats.board.finished >= most > 0
    ):
        return through(s.hats.board, most) + s.judgement.end_reason.removeprefix(_CLAIMED)
    return s.judgement.end_reason


def _apart(end: End, s: LoopState) -> str:
    """In a workspace of its own: what was proven has landed; a later run over the backlog takes up the rest."""
    row, of_backlog = BY_NAME[end], s.identity.of_backlog
    again = f"`ralph task reopen {shlex_quoted(s.identity.task.id)}`, then `ralph run`"
    again = again if of_backlog else "the same `ralph run` with --fresh"
    if s.landing.landed and s.landing.landed.url:
        return f"Look at the pull request: {s.landing.landed.url}"
    if s.landing.landed and s.landing.landed.how == "branch" and s.identity.policy.land.how == "merge":
        branch, target = landed_apart(s)
        return f"It is not on {target}. Look at it, then `git merge {shlex_quoted(branch)}` on {target}."
    if s.landing.landed:
        return f"Look at it with `git show {s.landing.landed.commit[:12]}`."
    if s.judgement.end_branch:
        look = f"Look at it with `git log -p {shlex_quoted(s.judgement.end_branch)}`; "
        return f"{look}to continue: `{resume_of(s)}`; to start over: {again}."
    match row.task:
        case "blocked" if s.judgement.end_reason == GONE:
            return f"What was saved of it: `ralph recover`. To start over: {again}."
        case "blocked":
            first = row.next_of_task(s) if row.next_of_task else ""
            return f"{first}Its work is in {s.identity.root}. To start over: {again}."
        case "cancelled":
            return f"What it had made: `ralph recover`. To start over: {again}."
        case "complete":
            return "Nothing."
        case "failed":
            return f"It left no change. To continue: `{resume_of(s)}`; to start over: {again}."
        case "in_progress":
            return f"`{'ralph run' if of_backlog else 'ralph resume'}` continues it."


def landed_apart(s: LoopState) -> tuple[str, str]:
    """The branch that it landed on when that is not the target; and the target, if that is where it was to land."""
    landed, land = s.landing.landed, s.identity.policy.land
    if landed is None or landed.how == "merge":
        return "", ""
    return landed.ref.removeprefix(_HEADS), land.target.removeprefix(_HEADS) if land.how == "merge" else ""


def lacks(s: LoopState) -> bool:
    """Whether it is done and something that was asked for is still missing: its pull request, or that it is on the target."""
    if s.landing.landed is None:
        return False
    return (s.landing.landed.how == "pr" and not s.landing.landed.url) or bool(landed_apart(s)[1])


def what_it_needs(end: End, s: LoopState) -> str:
    """To continue with a loop that would end like this at once."""
    if not s.identity.home:
        return what_next(end, s)
    flag = "--max-attempts" if end == "failed" else FLAGS.get(s.judgement.end_limit, "--max-iterations")
    return f"Give it a higher limit: `{resume_of(s)} {flag} N` (N counts from the start)."


_CLAIMED = "claimed"
