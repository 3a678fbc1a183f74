"""The gate kind `reviewer`: an agent that answers with findings and a last line PASS or FAIL. Anything else is no verdict."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, Literal

import msgspec

from ralph.agents.registry import adapter
from ralph.core.failures.excerpt import excerpt
from ralph.core.loop.signals import bare, outside_fences
from ralph.core.loop.state import LoopState
from ralph.core.policy import REVIEWER, GatePolicy
from ralph.gates.kinds import Asked, GateFinding, Program, Ran
from ralph.text import digest

Verdict = Literal["PASS", "FAIL", ""]

MOST_FINDINGS = 30
FINDING_CHARS = 300
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>\S.*)$")
_NOTHING = re.compile(
    r"\W*(?:none|n/a|nothing(?: to (?:report|mend|say))?|no (?:findings|issues|problems)(?: found)?)\W*",
    re.IGNORECASE,
)
# A name with an ending that files of projects have, or one that files have without any; not `calc.add`, and no line number.
_FILE = re.compile(
    r"(?<![\w.-])(?:[\w@.+-]+/)*(?:[\w@+-][\w@.+-]*\."
    r"(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|vue|svelte|go|rs|c|h|cc|cpp|cxx|hpp|m|java|kt|kts|scala|rb|php|cs|fs|swift|dart|ex|exs|erl|hs|"
    r"ml|lua|pl|r|jl|zig|nim|sh|bash|zsh|ps1|sql|html|css|scss|md|rst|txt|json|jsonl|ya?ml|toml|ini|cfg|conf|xml|csv|lock|proto|tf)"
    r"|Makefile|Dockerfile|Justfile|justfile|Rakefile|Gemfile|CMakeLists)\b",
)
_CRITERION = re.compile(r"\bC(\d{1,3})\b|\b[Cc]riteri(?:on|a) #?(\d{1,3})\b")


class Review(msgspec.Struct, frozen=True):
    verdict: Verdict
    findings: tuple[str, ...] = ()
    text: str = ""  # the answer without its last line


def read(said: str) -> Review:
    lines = said.rstrip().splitlines()
    last = [line for line in outside_fences(said) if line.strip()][-1:]
    word = bare(last[0]) if last and lines and last[0] == lines[-1] else ""
    verdict: Verdict = "PASS" if word == "PASS" else "FAIL" if word == "FAIL" else ""
    above = lines[:-1] if verdict else lines
    return Review(verdict, _findings(above, verdict), "\n".join(above).strip())


def _findings(lines: list[str], verdict: Verdict) -> tuple[str, ...]:
    """The points of a list; of a FAIL without one, every line."""
    points = [found["text"] for line in lines if (found := _BULLET.match(line))]
    if not points and verdict == "FAIL":
        points = [line.strip() for line in lines if line.strip()]
    kept = [point[:FINDING_CHARS].strip() for point in points if not _NOTHING.fullmatch(point.strip())]
    return tuple(kept[:MOST_FINDINGS])


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
        env = {**launch.env, "RALPH_ITERATION": str(s.progress.iterations)}
        return Program(launch.argv, launch.stdin, env, agent.reader(policy), name)

    def find(self, gate: GatePolicy, ran: Ran) -> GateFinding:
        """A reviewer passes what it says PASS of, in time and with exit code 0. A FAIL counts with any exit code: some
        say it by both."""
        review = read(ran.words.said)
        shown, fault = excerpt(review.text), ran.words.fault
        trouble = ran.words.fault_text or ran.trouble
        if ran.timed_out == "hard":
            why = f"reviewer {gate.name} ran out of time after {gate.hard_timeout:g} s"
            return _unclear(gate, "out of time", why, f"{shown}\n{why}".strip())
        if fault:
            return _unclear(gate, fault, trouble or fault, shown)
        if review.verdict == "PASS" and ran.code == 0:
            return GateFinding(True, shown, findings=review.findings)
        if review.verdict == "FAIL":
            headline = next(iter(review.findings), "the reviewer says FAIL")
            return GateFinding(False, shown, _hash(gate, review), headline, findings=review.findings)
        why = f"exit {ran.code}: {trouble}".rstrip(": ") if ran.code else "the reviewer gave no verdict"
        return _unclear(gate, "no verdict", why, f"{shown}\n{why}".strip())

    def command(self, gate: GatePolicy, s: LoopState) -> str:
        """Its agent's: a program in the workspace may not be rewritten."""
        agent = s.agent_of(gate)
        words = agent.command or (agent.script,)
        return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)

    def evidence(self, gate: GatePolicy, s: LoopState) -> str:
        agent = s.agent_of(gate)
        return f"review by {shlex.join(agent.command) if agent.command else agent.backend}"


def _unclear(gate: GatePolicy, error: str, why: str, shown: str) -> GateFinding:
    return GateFinding(False, shown, digest(gate.name, error), why, unclear=True)


def _hash(gate: GatePolicy, review: Review) -> str:
    """What it names is the error: files, and criteria by their ids. The words around them differ each time."""
    text = "\n".join(review.findings)
    files = {Path(found[0]).name for found in _FILE.finditer(text)}
    criteria = {f"C{found[1] or found[2]}" for found in _CRITERION.finditer(text)}
    return digest(gate.name, *sorted(files | criteria))
