"""Prompts of a recorded loop, composed again from what the store kept. Reads only.

Memories, todos and what a person did to the scratchpad meanwhile are not kept: the prompt is compared without them then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

from msgspec.structs import replace

from ralph.agents.registry import adapter
from ralph.core.facts import IterationStarted
from ralph.core.loop.decide import RunAgent
from ralph.core.loop.signals import defuse
from ralph.core.loop.state import LoopState
from ralph.core.replay import TREE_CHARS, Prompted
from ralph.errors import RalphError
from ralph.prompt.compose import WORDING, Context, compose, files_wanted, nameable, scratchpad_path
from ralph.text import one_line

_MARK = "\ue000{}\ue001"  # stands for text that is not known
# field of the context -> what it is called; todos come right after memories, so that one mark stands for both
_OPEN = {"memories": "memories and todos", "scratchpad": "the scratchpad"}


class Recomposer:
    """For the iterations of one loop, in order."""

    def __init__(self, state_dir: Path) -> None:
        self._blobs = state_dir / "blobs"
        self._left: dict[str, str] = {}  # path of a scratchpad -> hash of what was left in it

    def __call__(self, s: LoopState, op: RunAgent, started: IterationStarted) -> Prompted:
        self._left[scratchpad_path(s)] = s.progress.scratchpad
        s = s.under_hat(op.hat)
        path = scratchpad_path(s)
        if op.fresh:
            self._left[path] = started.scratchpad
        if files_wanted(s, op):
            return Prompted(True, "prompt not compared: it shows files")
        kept = self._kept(self._left.get(path, ""))
        said = Context(scratchpad=kept or "", tools=_has_tools(s), wording=started.wording)
        contexts = [replace(said, there=there) for there in _subsets(nameable(s))]
        if kept is not None and any(_hash(compose(s, op, c).text) == started.prompt for c in contexts):
            return Prompted(True, "prompt same")
        stored = self._kept(started.prompt)
        if not stored:
            return Prompted(True, "prompt not compared: it is not kept")
        if started.wording != WORDING:
            return _of_other_words(stored, s, op, said)
        for names in _subsets(tuple(_OPEN)):
            marked = {name: _MARK.format(name) for name in names}
            for context in contexts:
                if _fits(stored, compose(s, op, replace(context, **marked)).text, marked.values()):
                    but = f" but for {' and '.join(_OPEN[name] for name in names)}" if names else ""
                    return Prompted(True, f"prompt same{but}")
        return Prompted(False, f"the prompt {_hash(compose(s, op, contexts[0]).text)[:TREE_CHARS]}")

    def _kept(self, name: str) -> str | None:
        """None: the store does not have it."""
        if not name:
            return ""
        try:
            return (self._blobs / Path(name).name).read_bytes().decode("utf-8", "replace")
        except OSError:
            return None


def _has_tools(s: LoopState) -> bool:
    try:
        return adapter(s.worker).has_tools
    except RalphError:  # it is of a package that is gone
        return False


def _of_other_words(stored: str, s: LoopState, op: RunAgent, context: Context) -> Prompted:
    """Ralph has said it in other words since: only what is not its own is looked for."""
    unknown = replace(context, scratchpad="", memories="", todos="")
    promise = s.identity.policy.completion_promise
    lost = [x for x in compose(s, op, unknown).data if x not in stored and defuse(x, promise) not in stored]
    if lost:
        return Prompted(False, f"a prompt with: {one_line(lost[0], 200)}")
    return Prompted(True, "prompt same but for Ralph's own words and the scratchpad")


def _subsets(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The small ones first."""
    for size in range(len(names) + 1):
        yield from combinations(names, size)


def _fits(stored: str, composed: str, marks: Iterable[str]) -> bool:
    """Whether the text is this one, with anything in the place of the marks."""
    parts = [composed]
    for mark in marks:
        parts = [piece for part in parts for piece in part.split(mark)]
    first, *between, last = parts if len(parts) > 1 else (composed, "")
    if len(parts) == 1 or not stored.startswith(first):
        return stored == composed
    at = len(first)
    for part in between:
        found = stored.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return stored.endswith(last) and len(stored) - len(last) >= at


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
