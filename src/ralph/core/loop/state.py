"""What the facts of one loop add up to, in slices. Everything that affects a decision lives here.

Each slice is written by one reducer, in the file of its name in reducers/; fold.py says in which order. decide.py and
claims.py read all of them and write none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import msgspec
from msgspec.structs import replace

from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import End
from ralph.core.facts import (
    Fault,
    GateEnded,
    IterationEnded,
    Landed,
    LandingIntended,
    LandingQueued,
    LoopStarted,
    MergeIntended,
    Retry,
    StopHow,
    Usage,
)
from ralph.core.failures.test_counts import Counts
from ralph.core.hats.activation import Wearing
from ralph.core.hats.board import Board
from ralph.core.hats.model import Hat
from ralph.core.hats.turns import Turns
from ralph.core.policy import GatePolicy, Policy, Task
from ralph.core.proof import Evidence, GamingFinding

# Soft limits that a checkpoint may be about: what the warning says. The next iteration's prompt names each.
SOFT_LIMITS = {
    "iteration-soft": "the iteration's soft time limit was passed",
    "soft-time": "the loop's soft time limit was passed",
    "precompact": "the agent's context was full",
}
ATTEMPTS_HEAD = "| # | Gate | Error Hash | Strategy Shift |\n|---|------|------------|----------------|\n"
OUTPUTS_KEPT = 3  # attempts whose output is shown to the next iteration
REMEMBERED = 1000  # trees, events, failures and verdicts that new ones are compared with


V = TypeVar("V")


class Running(msgspec.Struct, frozen=True):
    """An operation under way: started and not yet ended."""

    op: str
    what: Literal["iteration", "gate", "wait"]
    gate: str = ""
    seconds: float = 0.0
    idle: float = 0.0
    usage: Usage = Usage()
    tree: str = ""
    swapped: tuple[str, ...] = ()
    full_at: float = -1.0  # seconds after which its context was full
    retry: Retry | None = None  # its agent tries its model again


class Due(msgspec.Struct, frozen=True):
    """A wait that has to pass before the next iteration. `until` is fixed when it first begins."""

    what: Literal["crash", "quota", "rate-limit", "overload"]
    seconds: float
    why: str
    until: str = ""


class Away(msgspec.Struct, frozen=True):
    """Why an agent cannot work, and until when; no moment: it is not tried again in this run."""

    why: str
    until: str = ""
    seconds: float = 0.0


class Claim(msgspec.Struct, frozen=True):
    """ "It is done", said by an iteration about a tree."""

    serial: int
    tree: str
    touched: dict[str, tuple[str, ...]] | None = None  # None: not inspected yet
    hidden: dict[str, tuple[str, ...]] = {}
    weakened: dict[str, tuple[str, ...]] = {}  # file -> in words
    added: dict[str, tuple[str, ...]] = {}  # of `touched`: what was not there at the start
    new_tests: tuple[str, ...] = ()  # files with new or changed tests
    findings: tuple[GamingFinding, ...] = ()  # code that games its judge
    suppressions: tuple[str, ...] = ()  # of linters, new ones
    unread: tuple[str, ...] = ()  # code that was not looked through
    summary: str = ""  # what was done, in the agent's words
    round: int = 0  # how often it has been merged with a target that had moved on
    held: bool = False  # not of the task's completion: an event waits for the gates
    unfinished: bool = False  # it says "not done": the gates look at it, but it completes nothing


class Attempt(msgspec.Struct, frozen=True):
    """A claim or an unfinished tree that the gates rejected, or an iteration that ran out of time."""

    number: int
    gate: str
    error_hash: str
    shift: bool
    code: int = 1
    excerpt: str = ""
    headline: str = ""


def history_table(history: Sequence[Attempt]) -> str:
    """The attempts as prompts and the state file show them."""
    return ATTEMPTS_HEAD + "".join(
        f"| {a.number} | {a.gate.replace('|', '/')} | {a.error_hash} | {'yes' if a.shift else 'no'} |\n"
        for a in history
    )


class Say(msgspec.Struct, frozen=True):
    """A person's words to the loop."""

    name: str
    text: str
    hat: str = ""  # only for it; empty: for whoever comes next
    by: str = ""
    reader: int = 0  # serial of the iteration that has it in its prompt


class Pause(msgspec.Struct, frozen=True):
    by: str
    now: bool = False  # what is under way is cut off


# -- the slices, in the order in which they are reduced --------------------------------------------------------------


# Which loop this is: its task, its policy, where it works.
NOT_STARTED = LoopStarted(loop="", task=Task(id="", title=""), policy=Policy(agent=AgentPolicy()), root="")


class Progress(msgspec.Struct, frozen=True):
    """What runs, what was run and spent, and whether it led anywhere."""

    open: dict[str, Running] = {}
    serial: int = 0  # agent processes started
    iterations: int = 0  # those that count
    active_seconds: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0
    estimated: bool = False  # some of it by a table of prices
    token: str = ""  # digest of the newest iteration's
    last_how: str = ""  # how the previous iteration ended, where the next must know
    silent: bool = False  # the last iteration gave no signal, where one is awaited
    stragglers: tuple[str, ...] = ()
    trees: dict[str, None] = {}  # that it has been at
    scratchpad: str = ""
    events: dict[str, None] = {}  # "topic payload" of those that came
    news: bool = False  # a new event came in since the last iteration ended
    no_progress: int = 0
    same_tree: int = 0
    noted: frozenset[str] = frozenset()  # soft limits already recorded
    soft_notes: tuple[str, ...] = ()  # for the next iteration's prompt
    told: int = 0  # how many of them the prompt of the iteration under way holds
    split: tuple[str, ...] = ()  # titles of the parts into which an iteration wants the task split


class Workspace(msgspec.Struct, frozen=True):
    """The tree: as it was at the start, and as it is."""

    prepared: bool = False
    base_tree: str = ""
    base_commit: str = ""
    unrecorded: frozenset[str] = frozenset()  # what git could not record already at the start
    branch: str = ""
    recovery: str = ""
    excludes: str = ""
    attributes: str = ""
    left_out: str = ""  # stored: what the folder held at the start and no snapshot does
    unrecorded_inputs: dict[str, dict[str, str]] = {}
    fingerprints: str = ""  # hashes of what is stored: of what acts on the gates from outside the tree,
    home_entries: str = ""  # and of the names that HOME held at the start
    outputs: frozenset[str] = frozenset()  # files that no snapshot holds and that gates themselves write
    commit: str = ""  # HEAD after the last iteration
    commits: dict[str, tuple[str, ...]] = {}  # that agents made, by branch, newest first; the newest of many
    tree: str = ""
    edited_outside: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()  # that the last iteration had changed; undone
    list_notes: tuple[str, ...] = ()  # what became of its edits of the list of tasks
    unattributed: tuple[str, ...] = ()  # protected too, changed since an interrupted one began; kept
    restless: int = 0  # how often in a row the tree was not as it was left, with nothing of ours running


class Agents(msgspec.Struct, frozen=True):
    """Which of the policy's agents works, and what keeps it from working."""

    agent: int = 0
    away: dict[int, Away] = {}  # those that cannot
    crashes: int = 0  # in a row
    crash_text: str = ""  # what the last one said
    overloads: int = 0  # of overload or quota, in a row
    waited: float = 0.0  # for quota or overload, since the last iteration that counted
    fault: Fault = ""
    fault_text: str = ""
    login_hint: str = ""  # how a person logs in, where the credentials are at fault
    wait_due: Due | None = None


class Landing(msgspec.Struct, frozen=True):
    """How the change gets onto its target, and what it met on the way."""

    merges: int = 0  # with a target that had moved on
    conflicted: int = 0  # of them those in conflict
    merged_from: str = ""  # the tree before the last of those
    conflict: str = ""  # what git said of the last merge, until it is resolved
    conflicts: tuple[str, ...] = ()  # until an iteration has seen them
    merging: tuple[str, ...] = ()  # paths in conflict, until none of them holds the merge's marks any more
    mixed: bool = False  # what had landed was merged into the tree, and no iteration has seen it yet
    queued: LandingQueued | None = None  # it waits for another loop to land
    intended: LandingIntended | None = None
    merge: MergeIntended | None = None  # begun, and not known to be complete
    landed: Landed | None = None
    returned: bool = False  # it could not land, and is not on top of the target yet


class Judgement(msgspec.Struct, frozen=True):
    """What was claimed, what the gates said of it, how often it was rejected, and how the loop ended."""

    base: dict[str, bool] = {}  # gate -> what it said about the starting tree
    base_red: dict[str, GateEnded] = {}  # gate -> what it found there, where it is red
    base_again: frozenset[str] = frozenset()  # gates that were red there and are to be asked once more
    base_tests: dict[str, Counts] = {}  # gate -> what it ran there
    base_reports: dict[str, str] = {}  # gate -> the stored report of its runner there
    base_errors: dict[
        str, str
    ] = {}  # gate -> its error in a clean checkout, where the folder is to be compared
    judged_in_folder: frozenset[str] = frozenset()  # gates that depend on files that git does not record
    base_unrun: dict[str, str] = {}  # gate -> the error by which it could not be run at all there
    promised: int = 0  # serial of the iteration that claimed by the tool
    promise: str = ""  # and what it said was done
    claim: Claim | None = None
    claimable: IterationEnded | None = (
        None  # the last one, which claimed nothing: a claim that comes late is about it
    )
    unchecked: int = 0  # serial of the iteration whose `every: iteration` gates are due
    results: tuple[GateEnded, ...] = ()  # of the claim or iteration at hand
    verdicts: dict[str, tuple[bool, ...]] = {}
    failures: dict[str, None] = {}  # "gate hash" of every failure that is known not to be a whim
    checks: dict[str, GateEnded] = {}  # gate -> what it said after an iteration, the last time
    refusals: dict[str, int] = {}  # reviewer -> how often it could not work on this claim
    reviews: dict[str, GateEnded] = {}  # verdict key -> what a reviewer said: asked for once
    findings: dict[str, tuple[str, ...]] = {}  # soft gate -> what it found, the last time
    refusal: str = ""  # why the last claim was not even put to the gates
    returned: frozenset[str] = frozenset()  # kinds of doubt that the agent has been told of: once each
    doubted: int = 0  # serial of the iteration that was told of one
    unrunnable: str = (
        ""  # a gate that could not be run, neither at the start nor on the claim: a person must look
    )

    # attempts and escalation
    attempts: int = 0
    history: tuple[Attempt, ...] = ()
    streak: int = 0
    streak_hash: str = ""
    shifts: int = 0  # strategy shifts given
    shifted: bool = False  # the iteration under way (or just ended) is the first of a new shift
    under_shift: int = 0  # level of the last iteration started

    # the end
    ended: End | None = None
    end_reason: str = ""
    end_limit: str = ""
    end_branch: str = ""  # that keeps what was not proven
    proof: dict[str, str] = {}
    review_paths: tuple[str, ...] = ()  # after needs-review: what `allow` would have to name
    evidence: Evidence | None = None


class People(msgspec.Struct, frozen=True):
    """What people want of the loop, and what it wants of them. steering.py has the rules."""

    stop: StopHow | None = None
    stop_by: str = ""
    says: tuple[Say, ...] = ()  # that no iteration has lived to read
    pause: Pause | None = None
    pauses: int = 0
    stuck_reason: str | None = None  # the agent says that it cannot continue
    question: str | None = None
    asked: str = ""  # the question that `answer` is about: the next agent has never seen it
    answer: str = ""
    asks: int = 0
    default: str | None = None  # what the agent does when no one answers in time
    ask_seconds: float = 0.0  # that the loop waits for an answer; 0: it ends at once
    ask_until: str = ""  # fixed when the wait begins
    late: bool = False  # no one answered in time, and there is no default
    defaulted: bool = False  # the answer is the agent's own default
    replied: bool = False  # someone answered after the loop had ended


class Hats(msgspec.Struct, frozen=True):
    """Which hat is worn, whose turn it is, and what is known of the board."""

    wearing: Wearing = Wearing()  # which were worn when
    hat: str = ""  # the newest iteration's
    turns: Turns = Turns()  # where events are routed: whose turn it is
    board: Board = Board()
    item_tree: str = ""  # as it was when the item under way was dispatched
    cooled: int = 0  # serial of the iteration before which the cool-down has passed


class Warnings(msgspec.Struct, frozen=True):
    """What a person should know and no rule acts on."""

    by_kind: dict[str, tuple[int, str]] = {}  # kind -> how often, and the latest words

    @property
    def lines(self) -> tuple[str, ...]:
        """One line for each kind, however often it came."""
        return tuple(
            text if count == 1 else f"{text} (the last of {count} like it)"
            for count, text in self.by_kind.values()
        )


class LoopState(msgspec.Struct, frozen=True):
    identity: LoopStarted = NOT_STARTED
    progress: Progress = Progress()
    workspace: Workspace = Workspace()
    agents: Agents = Agents()
    landing: Landing = Landing()
    judgement: Judgement = Judgement()
    people: People = People()
    hats: Hats = Hats()
    warnings: Warnings = Warnings()

    @property
    def started(self) -> bool:
        return bool(self.identity.loop)

    @property
    def gates(self) -> tuple[GatePolicy, ...]:
        return self.identity.policy.gates

    def gate(self, name: str) -> GatePolicy | None:
        return next((g for g in self.gates if g.name == name), None)

    @property
    def worn(self) -> Hat | None:
        """The hat that the newest iteration wears."""
        team = self.identity.policy.team
        return team.hat(self.hats.hat) if team and self.hats.hat else None

    def under_hat(self, hat: str) -> LoopState:
        """The same under this hat: its agent, limits and scratchpad."""
        return replace(self, hats=replace(self.hats, hat=hat))

    @property
    def event_hat(self) -> Hat | None:
        """The same, where it takes part in events: None for the coordinator, and where none are routed."""
        team = self.identity.policy.routing
        return team.hat(self.hats.hat) if team is not None and self.hats.hat else None

    @property
    def worker(self) -> AgentPolicy:
        """The agent whose turn it is."""
        if (hat := self.worn) is not None and hat.agent is not None:
            return hat.agent
        policy, n = self.identity.policy, self.agents.agent
        return policy.agents[n] if n < len(policy.agents) else policy.agent

    def agent_of(self, gate: GatePolicy) -> AgentPolicy:
        """Who reviews, where the gate is a reviewer."""
        return gate.agent or self.identity.policy.agent

    def in_checkout(self, gate: GatePolicy) -> bool:
        """Whether it judges a clean checkout of the tree; else the folder in which the work was done."""
        return gate.hermetic and gate.name not in self.judgement.judged_in_folder

    def said_at_start(self, gate: GatePolicy) -> str:
        """Red, green, flaky (both of them) or unknown: what a gate that measures said of the starting tree."""
        key = verdict_key(gate.name, "as-is", self.workspace.base_tree)
        if len(set(self.judgement.verdicts.get(key, ()))) > 1:
            return "flaky"
        return {True: "green", False: "red", None: "unknown"}[self.judgement.base.get(gate.name)]

    @property
    def awaits_gate(self) -> bool:
        """Before its first iteration it waits for a gate that can be run; and no one has said that it does not matter."""
        asks = self.people.question is not None
        return bool(self.judgement.unrunnable) and not self.progress.serial and asks

    def red_now(self) -> tuple[GateEnded, ...]:
        """What `every: iteration` gates have against the tree as it is."""
        tree = self.workspace.tree
        return tuple(r for r in self.judgement.checks.values() if r.tree == tree and not r.passed)

    def elapsed(self) -> float:
        """Active seconds, the operations under way included. Waiting is not active."""
        under_way = sum(r.seconds for r in self.progress.open.values() if r.what != "wait")
        return self.progress.active_seconds + under_way

    def spent(self) -> Usage:
        under_way = self.progress.open.values()
        return Usage(
            tokens=self.progress.tokens + sum(r.usage.tokens for r in under_way),
            cost_usd=self.progress.cost_usd + sum(r.usage.cost_usd for r in under_way),
        )


def with_newest(known: dict[str, V], added: dict[str, V]) -> dict[str, V]:
    """Both, without the oldest of too many: a fact costs the same however long the loop is."""
    both = {**known, **added}
    for key in list(both)[: max(0, len(both) - REMEMBERED)]:
        del both[key]
    return both


def failure_key(gate: str, error_hash: str) -> str:
    return f"{gate} {error_hash}"


def verdict_key(gate: str, variant: str, tree: str) -> str:
    return f"{gate} {variant} {tree}"
