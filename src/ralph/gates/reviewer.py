"""A reviewer gate: what its run amounts to. A fresh agent's opinion, read from what it finally says."""

from __future__ import annotations

import shlex
from typing import Any

from ralph.agents.registry import adapter
from ralph.core.digest import digest
from ralph.core.excerpt import excerpt
from ralph.core.gate_kinds import REVIEWER
from ralph.core.policy import GatePolicy
from ralph.core.review import Review, read
from ralph.core.state import LoopState
from ralph.gates.kinds import Asked, Finding, Program, Ran


class Reviewer:
    about = REVIEWER

    def check(self, options: dict[str, Any]) -> tuple[str, ...]:
        return ()

    def program(self, gate: GatePolicy, asked: Asked) -> Program:
        s = asked.state
        policy = s.agent_of(gate)
        prompt = asked.compose()
        name, file = asked.put(prompt)
        agent = adapter(policy)
        launch = agent.launch(policy, prompt, file, asked.tools())
        env = {**launch.env, "RALPH_ITERATION": str(s.iterations)}
        return Program(launch.argv, launch.stdin, env, agent.reader(policy), name)

    def find(self, gate: GatePolicy, ran: Ran) -> Finding:
        return find_review(
            gate,
            code=ran.code,
            said=ran.words.said,
            fault=ran.words.fault,
            fault_text=ran.words.fault_text or ran.trouble,
            timed_out=ran.timed_out,
        )

    def command(self, gate: GatePolicy, s: LoopState) -> str:
        """Its agent's: a program in the workspace may not be rewritten."""
        agent = s.agent_of(gate)
        words = agent.command or (agent.script,)
        return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)

    def evidence(self, gate: GatePolicy, s: LoopState) -> str:
        agent = s.agent_of(gate)
        return f"review by {shlex.join(agent.command) if agent.command else agent.backend}"


def find_review(
    gate: GatePolicy, *, code: int, said: str, fault: str, fault_text: str, timed_out: str
) -> Finding:
    """A reviewer passes what it says PASS of, in time and with exit code 0. A FAIL counts with any exit code: some
    say it by both."""
    review = read(said)
    shown = excerpt(review.text)
    if timed_out == "hard":
        why = f"reviewer {gate.name} ran out of time after {gate.hard_timeout:g} s"
        return Finding(False, f"{shown}\n{why}".strip(), digest(gate.name, "out of time"), why, unclear=True)
    if fault:
        return Finding(False, shown, digest(gate.name, fault), fault_text or fault, unclear=True)
    if review.verdict == "PASS" and code == 0:
        return Finding(True, shown, findings=review.findings)
    if review.verdict == "FAIL":
        headline = next(iter(review.findings), "the reviewer says FAIL")
        return Finding(False, shown, _hash(gate, review), headline, findings=review.findings)
    why = f"exit {code}: {fault_text}".rstrip(": ") if code else "the reviewer gave no verdict"
    return Finding(False, f"{shown}\n{why}".strip(), digest(gate.name, "no verdict"), why, unclear=True)


def _hash(gate: GatePolicy, review: Review) -> str:
    """The same findings, in whatever order and however numbered, are the same error."""
    return digest(gate.name, *sorted(" ".join(finding.lower().split()) for finding in review.findings))
