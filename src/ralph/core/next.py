"""The one line that says what to do after an end."""

from __future__ import annotations

from ralph.core.ends import DONE, NEXT, End
from ralph.core.scanboard import through
from ralph.core.state import LoopState


def what_next(end: End, s: LoopState) -> str:
    """Without git there is nothing to diff or to commit."""
    if s.home:
        return _of_backlog(end, s)
    without_git = s.prepared and not s.base_commit and not s.branch
    if end == "completed-verified" and without_git:
        return "Look at the change; `ralph recover` shows how it was before."
    if end == "completed-unverified" and s.policy.gates_declined:
        return "Look at the change yourself: no gate did."
    if end == "completed-verified" and s.commit and s.commit != s.base_commit:
        return f"The agent has committed. Look at the change with `git diff {s.base_commit[:12]}` and `git status`."
    if end == "blocked-on-person" and s.question is None:
        return "Find out who changes the tree, then `ralph resume`."
    if end == "limit":
        flag = _FLAGS.get(s.end_limit, "--max-iterations")
        return f"Go on with a higher limit: `ralph resume {flag} N` (N counts from the start)."
    if end == "needs-review" and s.review_paths:
        named = shlex_quoted(s.review_paths[0])
        more = " and so on for each" if len(s.review_paths) > 1 else ""
        return (
            f"Look at the changes to the named files. If they are right: `ralph resume --allow {named}`{more}; "
            "if not, `ralph resume`: the agent has to put them back."
        )
    if end == "agent-unusable" and s.fault and s.claim is None and not s.unchecked:
        return _mended(s)  # a reviewer's fault comes with a claim or a check, and its agent may be another
    return NEXT[end]


def why_it_ended(s: LoopState) -> str:
    """The reason of its end. A board that ended after as many items as were wanted was claimed done by nobody."""
    most = s.policy.team.max_items if s.policy.team is not None else 0
    if s.ended in DONE and s.end_reason.startswith(_CLAIMED) and s.board.finished >= most > 0:
        return through(s.board, most) + s.end_reason.removeprefix(_CLAIMED)
    return s.end_reason


def _of_backlog(end: End, s: LoopState) -> str:
    """In a workspace of its own: what was proven has landed; a later run over the backlog takes up the rest."""
    again = f"`ralph task reopen {shlex_quoted(s.task.id)}`, then `ralph run`"
    if s.landed and s.landed.url:
        return f"Look at the pull request: {s.landed.url}"
    if s.landed and s.landed.how == "branch" and s.policy.land.how == "merge":
        branch, target = (ref.removeprefix("refs/heads/") for ref in (s.landed.ref, s.policy.land.target))
        return f"It is not on {target}. Look at it, then `git merge {shlex_quoted(branch)}` on {target}."
    if s.landed:
        return f"Look at it with `git show {s.landed.commit[:12]}`."
    if s.end_branch:
        return f"Look at it with `git log -p {shlex_quoted(s.end_branch)}`; to try again: {again}."
    if end in ("needs-review", "blocked-on-person", "no-route"):
        return f"{_with_a_word(end, s)}Its work is in {s.root}. To begin anew: {again}."
    if end == "cancelled":
        return f"What it had made: `ralph recover`. To begin anew: {again}."
    if end in ("completed-verified", "completed-unverified"):
        return "Nothing."
    if end in ("failed", "stuck", "limit"):
        return f"It left no change. To try again: {again}."
    return "`ralph run` goes on with it."


def _with_a_word(end: End, s: LoopState) -> str:
    """How a person gets a task of the backlog on that waits for them."""
    go_on = resume_of(s)
    if end == "blocked-on-person":
        return (
            f'Answer and go on: `{of_task("answer", s)} "..."`. '
            if s.question is not None
            else f"Go on: `{go_on}`. "
        )
    if end == "needs-review" and s.review_paths:
        more = " and so on for each" if len(s.review_paths) > 1 else ""
        return (
            f"If the changes to the named files are right: `{go_on} --allow {shlex_quoted(s.review_paths[0])}`{more}; "
            f"if not, `{go_on}`: the agent has to put them back. "
        )
    if end == "no-route":
        return "Add a trigger for this event to a hat in ralph.yml; a resumed loop keeps its hats. "
    return f"Go on: `{go_on}`. " if end == "needs-review" else ""


def resume_of(s: LoopState) -> str:
    return f"ralph resume --task {shlex_quoted(s.task.id)}" if s.home else "ralph resume"


def of_task(command: str, s: LoopState) -> str:
    """A command about this loop; of a backlog it names the task."""
    return f"ralph {command} --task {shlex_quoted(s.task.id)}" if s.home else f"ralph {command}"


def what_it_needs(end: End, s: LoopState) -> str:
    """To go on with a loop that would end like this at once."""
    if not s.home:
        return what_next(end, s)
    flag = "--max-attempts" if end == "failed" else _FLAGS.get(s.end_limit, "--max-iterations")
    return f"Give it a higher limit: `{resume_of(s)} {flag} N` (N counts from the start)."


def _mended(s: LoopState) -> str:
    if s.fault == "credentials" and s.login_hint:
        return f"Log in with {s.login_hint}, then `ralph resume`."
    if "too long for the model" in s.fault_text:
        return "Shorten the task (or `core.guardrails`), then `ralph run --fresh`."
    if "model" in s.fault_text.lower():
        return (
            "Name a model that the agent has: `cli.model`, then `ralph run --fresh`; "
            "or in the agent's own settings, then `ralph resume`."
        )
    return NEXT["agent-unusable"]


_CLAIMED = "claimed"
_FLAGS = {
    "iterations": "--max-iterations",
    "time": "--max-runtime",
    "cost": "--max-cost",
    "tokens": "--max-tokens",
}


def shlex_quoted(path: str) -> str:
    plain = all(c.isalnum() or c in "./_-" for c in path)
    return path if plain else "'" + path.replace("'", "'\\''") + "'"
