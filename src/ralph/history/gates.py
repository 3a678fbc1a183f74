"""One run of a gate: its facts, the iteration that it looked at, and whether it was run at all or its result was known."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.state import verdict_key
from ralph.core.policy import GatePolicy
from ralph.history.iterations import lasted_until
from ralph.history.moments import At, TimeSpan
from ralph.history.texts import TextRef, text_ref

Origin = Literal["ran", "known", "remembered"]


class GateRun(msgspec.Struct, frozen=True):
    """The evidence. A result is known from an earlier loop, or remembered: a reviewer has seen the same tree before."""

    at: At
    started: f.GateStarted
    until: float
    output: str = ""  # the transcript, relative to the state folder
    serial: int = 0  # of the iteration it came after; 0 on the starting tree
    n: int = 0  # that iteration's number
    hard: bool = True
    reviewer: bool = False
    command: str = ""
    origin: Origin = "ran"
    evidence: str = ""  # known: where it was measured
    before: int = 0  # remembered: the iteration after which it said so
    ended: f.GateEnded | None = None  # without excerpt and findings
    excerpt: TextRef | None = None
    findings: TextRef | None = None
    died: bool = False  # its run died while it ran
    flaky: bool = False

    @property
    def op(self) -> str:
        return self.started.op

    @property
    def gate(self) -> str:
        return self.started.gate

    @property
    def tree(self) -> str:
        return self.started.tree

    @property
    def again(self) -> bool:
        return self.op.endswith(":again")

    @property
    def span(self) -> TimeSpan:
        return TimeSpan(self.at.moment, self.until)

    @property
    def seconds(self) -> float:
        return self.ended.seconds if self.ended else round(self.until - self.at.moment, 3)

    @property
    def passed(self) -> bool | None:
        """None: it did not end."""
        return None if self.ended is None or self.ended.how == "interrupted" else self.ended.passed

    @property
    def how(self) -> f.How | Literal["running", "known", "remembered"]:
        if self.origin != "ran":
            return self.origin
        if self.ended is None:
            return "interrupted" if self.died else "running"
        return self.ended.how

    @property
    def result(self) -> f.GateEnded:
        """What it ended with; a blank result while it runs."""
        return self.ended or replace(_BLANK, op=self.op, gate=self.gate, tree=self.tree)

    @property
    def verdict_of(self) -> str:
        """Whose verdict on which tree it is; empty for a run that gave none."""
        x = self.ended
        given = x is not None and x.how != "interrupted" and not x.unclear and not x.fault
        return verdict_key(self.gate, self.started.variant, self.tree) if given else ""

    def end(self, x: f.GateEnded, at: At) -> GateRun:
        lean = replace(
            x,
            excerpt="",
            findings=(),
            op=self.op,
            gate=self.gate,
            tree=self.tree,
            command=sys.intern(x.command),
            headline=sys.intern(x.headline),
            error_hash=sys.intern(x.error_hash),
        )
        return replace(
            self,
            ended=lean,
            excerpt=text_ref(at.seq, "excerpt", x.excerpt),
            findings=text_ref(at.seq, "findings", x.findings),
            until=lasted_until(self.at, x.seconds, at),
            output=x.output or self.output,
            command=lean.command,
        )

    def closed(self, now: float, *, live: bool) -> GateRun:
        """As it stands now, where it has not ended."""
        return self if self.ended else replace(self, until=now, died=not live)


def begun(x: f.GateStarted, at: At, output: str, serial: int, n: int, policy: GatePolicy | None) -> GateRun:
    return GateRun(
        at=at,
        started=replace(x, op=sys.intern(x.op), gate=sys.intern(x.gate), tree=sys.intern(x.tree)),
        until=at.moment,
        output=output,
        serial=serial,
        n=n,
        hard=policy.hard if policy else True,
        reviewer=bool(x.prompt or (policy and policy.kind.asked_once)),
        command=policy.run if policy else "",
    )


def known(x: f.BaseResult, tree: str, at: At, policy: GatePolicy | None) -> GateRun:
    """On the starting tree, measured by an earlier loop."""
    op = f"known:{x.gate}"
    started = f.GateStarted(op=op, gate=x.gate, purpose="base", variant="as-is", tree=tree)
    run = begun(started, at, "", 0, 0, policy)
    ended = replace(_BLANK, op=op, gate=x.gate, tree=tree, command=run.command, passed=x.passed)
    return replace(run, reviewer=False, origin="known", evidence=x.evidence, ended=ended)


def remembered(said: GateRun, at: At, serial: int, n: int) -> GateRun:
    """What a reviewer said of an earlier claim with the same tree is evidence about this one too."""
    assert said.ended is not None
    op = f"remembered:{serial}:{said.gate}"
    return replace(
        said,
        at=at,
        started=replace(said.started, op=op, purpose="claim"),
        ended=replace(said.ended, seconds=0.0, usage=f.Usage()),
        until=at.moment,
        serial=serial,
        n=n,
        origin="remembered",
        before=said.before or said.n,
    )


_BLANK = f.GateEnded(
    op="", gate="", purpose="base", variant="as-is", tree="", command="", code=0, seconds=0.0, passed=False
)


def shows_the_task(proof: dict[str, str], in_vain: Collection[str] = ()) -> bool:
    """Whether a hard gate was red before and is green now. A reviewer's PASS is someone's opinion; and a gate that ran
    no test, one of `in_vain`, shows nothing."""
    return any(what == "red→green" and gate not in in_vain for gate, what in proof.items())


def proof_line(proof: dict[str, str]) -> str:
    return ", ".join(proof_part(gate, what) for gate, what in proof.items())


def proof_part(gate: str, what: str) -> str:
    """A gate's part of the proof: a command's is a fact, a reviewer's what someone thinks of it."""
    word, _, soft = what.partition(" (")
    heard = {"PASS": "agrees", "FAIL": "does not agree", "no verdict": "gave no verdict"}.get(word)
    if heard is None:
        return f"{gate} {what}"
    return f"the {gate} reviewer {heard}" + (f" ({soft}" if soft else "")
