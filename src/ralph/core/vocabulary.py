"""The names that a condition may use: what each means, its type, and how it behaves once a role was worn.

The table in docs/roles.md is made from this one.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Value = int | float | str | bool
Kind = Literal["number", "text", "truth"]
# counter: counts since the role was last worn. moment: about the iteration before, unless that one wore the role itself.
# standing: the same all along.
Sort = Literal["counter", "moment", "standing"]

NOTHING: dict[Kind, Value] = {"number": 0, "text": "", "truth": False}


class Name(msgspec.Struct, frozen=True):
    name: str
    kind: Kind
    sort: Sort
    meaning: str
    takes_role: bool = False  # name('role')
    is_role: bool = False  # its value is a role's name
    values: tuple[str, ...] = ()  # all that it can be, where that is known


_ROWS = (
    # as in roles.yaml files since the first
    Name(
        "branch_commits",
        "number",
        "counter",
        "commits made; an iteration that changed files without a commit counts as one",
    ),
    Name("task_title", "text", "standing", "the task's title"),
    Name(
        "last_iteration_failed",
        "truth",
        "moment",
        "it crashed, ran out of time, or its claim was refused or turned down by a gate",
    ),
    Name(
        "iterations_since_role",
        "number",
        "counter",
        "iterations since the role in parentheses was worn, or since the start: `iterations_since_role('documenter')`",
        takes_role=True,
    ),
    Name(
        "task_marked_ready_to_complete",
        "truth",
        "moment",
        "a claim is about to complete the task; true for a role once for each tree",
    ),
    # counts
    Name("iterations", "number", "counter", "iterations"),
    Name(
        "attempts", "number", "counter", "claims that gates turned down, and iterations that ran out of time"
    ),
    Name("same_error", "number", "counter", "attempts in a row that failed with the same error"),
    Name("no_progress", "number", "counter", "iterations in a row that changed nothing"),
    Name("crashes", "number", "counter", "iterations in a row in which the agent crashed"),
    Name("strategy_shifts", "number", "counter", "strategy shifts given because an error repeated"),
    Name("files_changed", "number", "counter", "files that iterations changed, summed over the iterations"),
    Name("seconds", "number", "counter", "active time used, in seconds"),
    Name("tokens", "number", "counter", "tokens used, as far as the agent tells"),
    Name("cost_usd", "number", "counter", "US dollars spent, as far as the agent tells"),
    # the iteration before
    Name("first_iteration", "truth", "moment", "no iteration came before"),
    Name("timed_out", "truth", "moment", "it hit its time limit, or was idle for too long"),
    Name("failed_gate", "text", "moment", "the gate that turned its claim down; '' when none did"),
    Name("last_error", "text", "moment", "what that gate said, in one line"),
    Name("red_gates", "number", "moment", "`every: iteration` gates that fail on the tree as it is"),
    Name(
        "last_signal",
        "text",
        "moment",
        "its signal: ITERATION_DONE, TASK_COMPLETE, TASK_STUCK, or '' when it gave none",
        values=("ITERATION_DONE", "TASK_COMPLETE", "TASK_STUCK", ""),
    ),
    Name("last_role", "text", "moment", "the role that it wore; '' when none", is_role=True),
    # the task
    Name("task_id", "text", "standing", "the task's id"),
    Name("task_description", "text", "standing", "the task's description"),
    Name("task_type", "text", "standing", "the task's type, as the backlog has it"),
    Name("task_priority", "number", "standing", "the task's priority; 0 is the most urgent, 2 the usual"),
    Name("task_criteria", "number", "standing", "how many acceptance criteria the task has"),
)
NAMES: dict[str, Name] = {row.name: row for row in _ROWS}
