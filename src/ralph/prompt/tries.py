"""What came of the tries so far, as a prompt shows it: conflicts, attempts that gates turned down, gates that are red now."""

from __future__ import annotations

from collections.abc import Callable

from ralph.core.counting import TABLE_HEAD, history_table
from ralph.core.state import LoopState
from ralph.core.text import fenced

CONFLICT_CHARS = 6_000
Quote = Callable[[str], str]  # marks text that is not Ralph's own


def conflict(s: LoopState, quoted: Quote) -> str:
    if not s.conflicts:
        return ""
    text = s.conflict or "\n".join(s.conflicts)
    sides = "In marks what has landed is first, yours second."
    before = f" Yours from before the merge: `git show {s.merged_from}:PATH`." if s.merged_from else ""
    return f"\n## Conflict\n{sides}{before}\n{quoted(fenced(text[:CONFLICT_CHARS]))}\n"


def attempts(s: LoopState, quoted: Quote) -> str:
    if not s.history:
        return ""
    # The same error is paid for once: its newest output stands for the earlier ones.
    newest = {a.error_hash: a.number for a in s.history}
    shown = [a for a in s.history if a.excerpt and newest[a.error_hash] == a.number]
    blocks = "".join(
        f"\n### Attempt {a.number}: {a.gate}, exit {a.code}\n{quoted(fenced(a.excerpt))}\n" for a in shown
    )
    rows = history_table(s.history).removeprefix(TABLE_HEAD)
    return f"\n## Attempts so far\n{TABLE_HEAD}{quoted(rows)}{blocks}"


def red_now(s: LoopState, quoted: Quote) -> str:
    """What gates found in the tree after the last iteration, unless an attempt shows it already."""
    shown = {a.error_hash for a in s.history if a.excerpt}
    return "".join(
        f"\n## Gate {quoted(r.gate)} on the tree as it is: exit {r.code}\n{quoted(fenced(r.excerpt))}\n"
        for r in s.red_now()
        if r.error_hash not in shown
    )
