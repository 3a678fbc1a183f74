"""What to do after an end, where the loop's state says more than the general advice. `core/exits.py` refers to these.

Each returns "" where the general advice is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ralph.core.state import LoopState

FLAGS = {
    "iterations": "--max-iterations",
    "time": "--max-runtime",
    "cost": "--max-cost",
    "tokens": "--max-tokens",
}


def after_proof(s: LoopState) -> str:
    """Without git there is nothing to diff or to commit."""
    if s.prepared and not s.base_commit and not s.branch:
        return "Look at the change; `ralph recover` shows how it was before."
    if s.commit and s.commit != s.base_commit:
        return f"The agent has committed. Look at the change with `git diff {s.base_commit[:12]}` and `git status`."
    return ""


def after_claim(s: LoopState) -> str:
    return "Look at the change yourself: no gate did." if s.policy.gates_declined else ""


def after_block(s: LoopState) -> str:
    return "Find out who changes the tree, then `ralph resume`." if s.question is None else ""


def after_block_of_task(s: LoopState) -> str:
    if s.question is not None:
        return f'Answer and go on: `{of_task("answer", s)} "..."`. '
    return f"Go on: `{resume_of(s)}`. "


def after_doubt(s: LoopState) -> str:
    if not s.review_paths:
        return ""
    named, more = _first_of(s)
    return (
        f"Look at the changes to the named files. If they are right: `ralph resume --allow {named}`{more}; "
        "if not, `ralph resume`: the agent has to put them back."
    )


def after_doubt_of_task(s: LoopState) -> str:
    go_on = resume_of(s)
    if not s.review_paths:
        return f"Go on: `{go_on}`. "
    named, more = _first_of(s)
    return (
        f"If the changes to the named files are right: `{go_on} --allow {named}`{more}; "
        f"if not, `{go_on}`: the agent has to put them back. "
    )


def _first_of(s: LoopState) -> tuple[str, str]:
    return shlex_quoted(s.review_paths[0]), " and so on for each" if len(s.review_paths) > 1 else ""


def after_limit(s: LoopState) -> str:
    flag = FLAGS.get(s.end_limit, "--max-iterations")
    return f"Go on with a higher limit: `ralph resume {flag} N` (N counts from the start)."


def after_no_route_of_task(s: LoopState) -> str:
    return "Add a trigger for this event to a hat in ralph.yml; a resumed loop keeps its hats. "


def after_fault(s: LoopState) -> str:
    """A reviewer's fault comes with a claim or a check, and its agent may be another."""
    if not s.fault or s.claim is not None or s.unchecked:
        return ""
    if s.fault == "credentials" and s.login_hint:
        return f"Log in with {s.login_hint}, then `ralph resume`."
    if "too long for the model" in s.fault_text:
        return "Shorten the task (or `core.guardrails`), then `ralph run --fresh`."
    if "model" in s.fault_text.lower():
        return (
            "Name a model that the agent has: `cli.model`, then `ralph run --fresh`; "
            "or in the agent's own settings, then `ralph resume`."
        )
    return ""


# -- commands about a loop ---------------------------------------------------------------------------------


def resume_of(s: LoopState) -> str:
    return f"ralph resume --task {shlex_quoted(s.task.id)}" if s.home else "ralph resume"


def of_task(command: str, s: LoopState) -> str:
    """A command about this loop; of a backlog it names the task."""
    return f"ralph {command} --task {shlex_quoted(s.task.id)}" if s.home else f"ralph {command}"


def shlex_quoted(path: str) -> str:
    plain = all(c.isalnum() or c in "./_-" for c in path)
    return path if plain else "'" + path.replace("'", "'\\''") + "'"
