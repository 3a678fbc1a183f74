"""How a loop can end: one name, one exit code, one line saying what to do next."""

from __future__ import annotations

from typing import Literal

from ralph.core.policy import Policy

End = Literal[
    "completed-verified",
    "completed-unverified",
    "needs-review",
    "failed",
    "stuck",
    "blocked-on-person",
    "limit",
    "quota",
    "agent-unusable",
    "no-route",
    "stopped",
    "cancelled",
    "internal",
    "interrupted",
]

CODES: dict[End, int] = {
    "completed-verified": 0,
    "failed": 3,
    "stuck": 4,
    "blocked-on-person": 5,
    "completed-unverified": 6,
    "needs-review": 7,
    "limit": 8,
    "quota": 9,
    "agent-unusable": 10,
    "no-route": 11,
    "stopped": 12,
    "cancelled": 13,
    "internal": 70,
    "interrupted": 130,
}
SOME_TASKS_FAILED = 1

DONE: frozenset[End] = frozenset({"completed-verified", "completed-unverified"})

# A loop that ended like this can be taken up again; the others are over.
RESUMABLE: frozenset[End] = frozenset(
    {
        "blocked-on-person",
        "needs-review",
        "failed",
        "stuck",
        "limit",
        "quota",
        "agent-unusable",
        "no-route",
        "stopped",
        "internal",
        "interrupted",
    }
)
# These say something about the work: a new task may begin without a word about them.
SETTLED: frozenset[End] = frozenset({"failed", "stuck", "needs-review"})

NEXT: dict[End, str] = {
    "completed-verified": "Look at the change with `git status` and `git diff`, then commit it.",
    "completed-unverified": "No gate proved this. Add `gates:` to ralph.yml to have the work checked.",
    "needs-review": "Look at the named files: `ralph resume --allow FILE` if they are right, else `ralph resume`.",
    "failed": "Read .ralph_state.md, then `ralph resume --max-attempts N`, or sharpen the task and `ralph run --fresh`.",
    "stuck": 'Give the agent what it lacks: `ralph answer "..."`; or sharpen the task and `ralph run --fresh`.',
    "blocked-on-person": 'Answer and go on: `ralph answer "..."`.',
    "limit": "Go on with a higher limit: `ralph resume --max-iterations N` (or --max-runtime, --max-cost, --max-tokens).",
    "quota": "Go on when the quota is back: `ralph resume`.",
    "agent-unusable": "Run the agent by hand to see why it fails, then `ralph resume`; with another agent: `ralph run --fresh`.",
    "no-route": "Add a trigger for this event to a hat in ralph.yml, then `ralph run --fresh`: a resumed loop keeps its hats.",
    "stopped": "Go on with `ralph resume`.",
    "cancelled": "Your tree is as the agent left it; `ralph recover` shows how it was before.",
    "internal": "Fix the cause named above, then `ralph resume`.",
    "interrupted": "Go on with `ralph resume`.",
}


def exit_code(end: End, policy: Policy | None = None) -> int:
    """The exit code of an end. Declining gates on purpose makes an unverified end a success, and so does a file of the
    older family, which knows no gates; unless proof is required."""
    if end == "completed-unverified" and policy and not policy.require_verified:
        return 0 if policy.gates_declined or policy.unverified_ok else CODES[end]
    return CODES[end]
