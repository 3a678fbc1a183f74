"""What reviewers say of a whole run, in words: for the terminal, the log and `ralph status`. Pure."""

from __future__ import annotations

from ralph.core import facts as f
from ralph.core.figures import count, duration
from ralph.core.state import LoopState
from ralph.core.text import few
from ralph.ui.verdicts import verdict

_SHOWN = 10


def review_started(x: f.RunReviewStarted, s: LoopState) -> list[str]:
    return [f"reviewer {x.gate} looks at the whole run: {x.base[:12]}..{x.tip[:12]}"]


def reviewed(x: f.RunReviewed, s: LoopState) -> list[str]:
    shown = [f"reviewer {x.gate} of the whole run: {said(x)}, {duration(x.seconds)}"]
    shown += [f"  - {finding}" for finding in x.findings[:_SHOWN]]
    if len(x.findings) > _SHOWN:
        shown.append(f"  ... and {len(x.findings) - _SHOWN} more: `ralph report`")
    if x.wrote:
        shown.append(f"  what it edited was undone: {few(x.wrote)}")
    return shown


def said(x: f.RunReviewed) -> str:
    """The verdict, and what there is to say besides the findings themselves."""
    if x.how == "interrupted":
        return "interrupted"
    word: str = verdict(reviewer=True, passed=x.passed, unclear=x.unclear, fault=x.fault)
    if x.unclear and x.headline:
        return f"{word}: {x.headline}"
    late = ", later than it should have" if x.timed_out == "soft" else ""
    return f"{word}{late}" + (f", {count(len(x.findings), 'finding')}" if x.findings else "")
