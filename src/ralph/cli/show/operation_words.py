"""What iterations, gate runs and reviews of a run are called, how they ended, and where their files are; for `logs`,
`status` and completion."""

from __future__ import annotations

import re
from pathlib import Path

from ralph.core import facts as f
from ralph.core.proof import run_words
from ralph.history.gates import GateRun
from ralph.history.iterations import Iteration
from ralph.history.runs import RunReview
from ralph.history.serialise import usage_json
from ralph.history.texts import JournalTexts
from ralph.terminal.words import Verdict, verdict

Operation = Iteration | GateRun | RunReview
UNDER_WAY = "under way"
_WHERE: dict[str, str] = {
    "base": " on the starting tree",
    "claim": " on the claim of iteration {n}",
    "iteration": " after iteration {n}",
    "land": " on what is about to land",
}


def name_of(x: Operation) -> str:
    return f"iteration {x.n}" if isinstance(x, Iteration) else f"gate {x.gate}{about(x)}"


def about(x: GateRun | RunReview) -> str:
    """Which tree a gate looks at."""
    if isinstance(x, RunReview):
        return " on the whole run"
    where, how = _WHERE[x.started.purpose].format(n=x.n), run_words(x.op, x.started.variant)
    return f"{where}, {how}" if how else where


def how_it_ended(x: Operation) -> str:
    ended = x.ended
    if ended is None:
        return UNDER_WAY
    if ended.how == "interrupted":
        return "interrupted"
    if isinstance(ended, f.IterationEnded):
        if ended.how == "cut":
            return f"cut off ({ended.cause})"
        return f"{ended.fault}: {ended.fault_text}" if ended.fault else f"exit {ended.code}"
    word = verdict_of(x)
    how = f"{word} ({ended.fault})" if ended.fault else word if _reviews(x) else f"{word}, exit {ended.code}"
    return how + (" (out of time)" if ended.timed_out == "hard" else "")


def verdict_of(x: Operation) -> Verdict:
    """Empty while it runs, when it was interrupted, and of an iteration."""
    ended = x.ended
    if ended is None or isinstance(ended, f.IterationEnded) or ended.how == "interrupted":
        return ""
    return verdict(reviewer=_reviews(x), passed=ended.passed, unclear=ended.unclear, fault=ended.fault)


def _reviews(x: Operation) -> bool:
    return isinstance(x, RunReview) or (isinstance(x, GateRun) and x.reviewer)


def output_of(x: Operation, state_dir: Path) -> str:
    """The transcript; what it said on standard error is beside it, in OUTPUT.err."""
    return str(state_dir / x.output)


def size_of(x: Operation, state_dir: Path) -> int | None:
    """Bytes kept of both; None: the files are not there."""
    output, sizes = output_of(x, state_dir), []
    for path in (Path(output), Path(output + ".err")):
        try:
            sizes.append(path.stat().st_size)
        except OSError:
            continue
    return sum(sizes) if sizes else None


def blob(state_dir: Path, name: str) -> str:
    """Where a stored text is. What is no hash names none: facts may come from another machine."""
    return str(state_dir / "blobs" / name) if re.fullmatch("[0-9a-f]{64}", name) else ""


def as_json(x: Operation, state_dir: Path, texts: JournalTexts) -> dict[str, object]:
    """As `ralph logs --json` prints it. Keys are only ever added: scripts depend on their names."""
    ended = x.ended
    gate = ended if isinstance(ended, f.GateEnded | f.RunReviewed) else None
    agent = ended if isinstance(ended, f.IterationEnded) else None
    return {
        "what": "iteration" if isinstance(x, Iteration) else "gate",
        "op": x.op,
        "n": x.n,
        "serial": x.serial,
        "at": x.at.time,
        "run": x.at.run,
        "output": output_of(x, state_dir),
        "size": size_of(x, state_dir),
        "seq": x.at.seq,
        "ended": ended is not None,
        "seconds": ended.seconds if ended else None,
        "how": how_it_ended(x),
        "code": ended.code if ended else None,
        "signal": x.signal if isinstance(x, Iteration) else "",
        "gate": x.gate,
        "purpose": x.started.purpose if isinstance(x, GateRun) else "at-end" if x.gate else "",
        "variant": x.started.variant if isinstance(x, GateRun) else "as-is" if x.gate else "",
        "passed": gate.passed if gate and gate.how != "interrupted" else None,
        "verdict": verdict_of(x),
        "fault": gate.fault if gate else "",
        "headline": gate.headline if gate else "",
        "said": texts.text(x.said) if isinstance(x, Iteration) else "",
        "session": agent.session if agent else "",
        **usage_json(ended.usage if ended else f.Usage()),
        "new_commits": agent.new_commits if agent else {},
        "prompt": blob(state_dir, x.started.prompt),
        "scratchpad": blob(state_dir, agent.scratchpad) if agent else "",
        "tree_before": x.started.tree if not isinstance(x, RunReview) else "",
        "tree_after": agent.tree if agent else "",
    }
