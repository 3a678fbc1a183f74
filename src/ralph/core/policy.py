"""What a run obeys, as plain values: the policy of a loop and its parts (gates, limits, landing, notifications), and the task.

A policy is recorded with the loop, so that a journal folds in the same way wherever it is read.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from ralph.core.agent_policy import AgentPolicy as AgentPolicy
from ralph.core.agent_policy import OutputFormat as OutputFormat
from ralph.core.agent_policy import PromptMode as PromptMode
from ralph.core.gate_names import gate_name
from ralph.core.hats.model import Hat, Team, role_hats, with_roles
from ralph.text import few

# -- kinds of gates: how a kind is run is in `ralph.gates` ---------------------------------------

# The traits of a kind that is not built in are recorded with the gate.


class GateKind(msgspec.Struct, frozen=True, omit_defaults=True):
    """A kind either measures or gives an opinion. What measures is also asked about the starting tree and says green or
    red; a failure of a new kind is asked for again, and one that contradicts itself is flaky."""

    name: str
    asked_once: bool = False  # an opinion: PASS, FAIL or no verdict, which is asked for once more. Its verdict on a tree holds
    verdict_follows_patch: bool = False  # it holds after a merge which leaves the patch as it is
    runs_agent: bool = False  # it spends tokens, may have a quota, and could write notes or move refs

    @property
    def measures(self) -> bool:
        return not self.asked_once

    @property
    def noun(self) -> str:
        """What messages call a gate of this kind."""
        return "reviewer" if self.runs_agent else "gate"


COMMAND = GateKind("command")
REVIEWER = GateKind("reviewer", asked_once=True, verdict_follows_patch=True, runs_agent=True)


# -- protected files: Ralph's own, and what a CI service runs with its rights --------------------

# A pattern with a slash counts from the root and means all below it: services look there and nowhere else.
CI = (
    *("/.github/workflows", "/.github/actions", "/.forgejo/workflows", "/.gitea/workflows"),
    *("/.gitlab-ci.yml", "/.gitlab/ci", "/.circleci", "/.buildkite", "/.woodpecker", "/.woodpecker.yml"),
    *("Jenkinsfile", "/azure-pipelines.yml", "/.azure-pipelines", "/.travis.yml", "/bitbucket-pipelines.yml"),
    *("/.drone.yml", "/.cirrus.yml", "/appveyor.yml", "/.appveyor.yml", "/.semaphore", "/.teamcity"),
    *("/buildspec.yml", "/cloudbuild.yaml", "/.builds", "/.build.yml"),
)
PROTECTED = ("ralph.yml", *CI)


def put_back(paths: Sequence[str]) -> str:
    """For the agent and for people: what was undone, and what would let it stay."""
    more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
    named = ", ".join(paths[:5]) + more
    return f"changes to protected files were undone: {named} (only `allow` in the task or in ralph.yml lets them stay)"


def kept(n: int, paths: Sequence[str]) -> str:
    """For people: after a death no one knows who changed these files of theirs."""
    return f"protected files changed since iteration {n} began, which was interrupted; kept: {few(paths)}"


ClaimRule = Literal["signal", "exit-zero", "every-iteration"]
GateTime = Literal["claim", "iteration"]
# auto: required of a task of type `bug`, reported of others
Reproduce = Literal["off", "report", "require", "auto"]
Baseline = Literal["green", "allow-red"]
Occasion = Literal["end", "block", "wait"]
SandboxKind = Literal["none", "bwrap"]
Network = Literal["host", "none"]
JUDGES = "judges"  # a reviewer that is asked only about contradicted tests and changed judges
REVIEWS = ("spec", "quality", JUDGES)  # what Ralph has instructions for
WorkspaceKind = Literal["in-place", "worktree", "clone"]
Injection = Literal["auto", "manual", "none"]
LandHow = Literal["none", "merge", "branch", "pr"]
OCCASIONS: tuple[Occasion, ...] = ("end", "block", "wait")


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """A unit of work with acceptance criteria."""

    id: str
    title: str
    description: str = ""
    criteria: tuple[str, ...] = ()
    no_change_ok: bool = False  # a claim on the unchanged starting tree may be right
    allow: tuple[str, ...] = ()  # gate inputs (globs) that this task may change
    type: str = ""
    priority: float = 2.0  # 0 is the most urgent
    gates: tuple[str, ...] = ()  # that judge it in place of the usual commands: their names, or commands


# What counts the code that tests reach, as gates and programs are called.
COVERAGE = re.compile(
    r"(?<![\w-])(?:c8|nyc|tarpaulin|istanbul|[\w:-]*(?<![a-z])cov(?:er(?:age)?)?)(?![a-z])", re.IGNORECASE
)


class GatePolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """A check that the orchestrator runs: a command, a reviewer (a fresh agent that reads the change), or another kind."""

    name: str
    run: str = ""  # the command; empty for another kind
    review: str = ""  # what the reviewer looks for: "spec", "quality", or instructions of one's own
    agent: AgentPolicy | None = None  # the reviewer's; None: the loop's own agent
    hard: bool = True
    every: GateTime = "claim"
    soft_timeout: float = 600.0
    hard_timeout: float = 1800.0
    may_write: tuple[str, ...] = ()  # globs of paths it may change; ("**",) for all
    hermetic: bool = False  # run in a clean checkout of the tree
    setup: str = ""  # before the command in a clean checkout
    hidden: str = ""  # a file or folder that is brought into that checkout, and that no agent may see
    # more files (globs) that judge the work; with a `!`, such as do not. Older journals call it so.
    judges: tuple[str, ...] = msgspec.field(default=(), name="inputs")
    other_kind: GateKind | None = msgspec.field(default=None, name="kind")  # neither a command nor a reviewer
    options: dict[str, Any] = {}  # of that kind, as configured

    @property
    def kind(self) -> GateKind:
        return self.other_kind or (REVIEWER if self.review else COMMAND)

    @property
    def decides_doubts(self) -> bool:
        """It reads no claim: it says whether the task calls for what a claim did to its judges."""
        return self.review == JUDGES

    @property
    def complete(self) -> bool:
        """A clean checkout holds all that it needs, by its own configuration."""
        return bool(self.setup or self.hidden)

    @property
    def counts_coverage(self) -> bool:
        """It judges the tests: how much of the work they reach."""
        return COVERAGE.search(f"{self.name} {self.run}") is not None

    @property
    def question(self) -> str:
        """What is asked, for people."""
        if self.other_kind is not None:
            given = ", ".join(f"{name}: {value}" for name, value in self.options.items())
            return f"{self.other_kind.name} ({given})" if given else self.other_kind.name
        return f"review: {self.review}" if self.review else self.run


class LimitPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a loop ends. Seconds are active time, summed over resumes; 0 means no limit where allowed."""

    max_iterations: int = 50
    max_attempts: int = 5
    soft_seconds: float = 21600.0
    hard_seconds: float = 28800.0
    iteration_soft_seconds: float = 2400.0
    iteration_hard_seconds: float = 3600.0
    idle_seconds: float = 900.0
    max_cost_usd: float = 0.0
    max_tokens: int = 0
    max_consecutive_failures: int = 5  # crashes in a row before the agent is called unusable
    crash_wait_seconds: float = 10.0
    max_wait_seconds: float = 21600.0  # the longest wait for a quota to reset
    stop_grace_seconds: float = 5.0  # between asking a process to end and killing it
    wrap_up_seconds: float = 300.0  # that an iteration goes on after its context was full
    human_timeout_seconds: float = 0.0  # of waiting for an answer; 0: as long as the question itself says


class StuckPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two separate rules: the same error again, and nothing happening."""

    same_error_shift: int = 3  # this many equal error hashes in a row: strategy shift
    same_error_stop: int = 5  # and this many: hard stop
    no_progress_nudge: int = 3  # iterations in a row that changed nothing: say so
    no_progress_stop: int = 5  # and this many: stuck; 0 turns the rule off


class NotifyPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whom to tell, and of what: a command that gets JSON on standard input, or an apprise URL."""

    run: str = ""
    url: str = ""
    when: tuple[Occasion, ...] = OCCASIONS


class SandboxPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """What agents and gates can reach. Paths are absolute, or start at the home folder."""

    kind: SandboxKind = "none"
    network: Network = "host"
    credentials: tuple[str, ...] | None = None  # None: those that the agent is known to need
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()


class LandPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where finished work goes. Without a target it stays in the workspace."""

    how: LandHow = "none"
    target: str = ""  # the branch, e.g. refs/heads/main
    push: bool = False  # whether failure branches and branches that it lands on are pushed
    merges: int = (
        10  # how often it is merged with a target that has moved on before it lands on a branch instead
    )


class MemoryPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """What agents keep for later loops, `.ralph/agent/memories.md`, and how it reaches their prompts."""

    enabled: bool = True
    inject: Injection = "auto"  # manual: the agent looks them up itself; none: it is told nothing of them
    budget: int = 2000  # tokens of memories in one prompt, the most relevant first; 0: no limit


class Policy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything the core needs to know beyond the facts."""

    agent: AgentPolicy
    fallback: tuple[AgentPolicy, ...] = ()  # who goes on, in this order, when the agent cannot
    gates: tuple[GatePolicy, ...] = ()
    gates_declined: bool = False  # `gates: none`: the user wants no proof and says so
    limits: LimitPolicy = LimitPolicy()
    stuck: StuckPolicy = StuckPolicy()
    claim: ClaimRule = "signal"
    rules: int = 1  # by which claims are judged. 1: those of journals before doubts went back to the agent
    flaky_passes: int = 1  # how often a red→green claim must pass; 0: three times, six where a pass is quick
    reproduce: Reproduce = "off"  # whether new tests must fail on the starting code
    baseline: Baseline = (
        "green"  # allow-red: of tests that failed at the start none has to pass; only new failures count
    )
    completion_promise: str = "LOOP_COMPLETE"
    scratchpad: str = ".ralph/agent/scratchpad.md"
    specs_dir: str = ""  # the folder of specifications that every prompt names; empty: none
    guidance: str = ""  # the user's own text for every prompt: `core.guardrails`
    memories: MemoryPolicy = MemoryPolicy()
    todos: bool = True  # whether the open todos of the agent's own list are in its prompts
    team: Team | None = None  # the hats: who an iteration may be, and how events go from one to the other
    require_verified: bool = False
    unverified_ok: bool = (
        False  # a file of the older family, which knows no gates: an end without proof is no failure
    )
    allow: tuple[str, ...] = ()  # gate inputs and protected paths (globs) that any task may change
    protect: tuple[str, ...] = PROTECTED  # paths (globs) of which an iteration's changes are undone
    notify: tuple[NotifyPolicy, ...] = ()
    env_allow: tuple[
        str, ...
    ] = ()  # variables (patterns) for agents and gates, beyond ralph.core.secrets.environment's
    sandbox: SandboxPolicy = SandboxPolicy()
    workspace: WorkspaceKind = "in-place"
    share: tuple[str, ...] = ()  # ignored folders that clean checkouts get a copy of
    land: LandPolicy = LandPolicy()

    def for_task(self, task: Task) -> "Policy":
        """With the task's own gates in place of the commands that judge every task. Reviewers stay."""
        if not task.gates:
            return self
        known = {gate.name: gate for gate in self.gates}
        like = next((g for g in self.gates if g.hard and g.kind == COMMAND), GatePolicy("", hermetic=True))
        like = replace(like, every="claim", hidden="")
        own: dict[str, GatePolicy] = {}
        for told in task.gates:
            name = told if told in known else gate_name(told, own.keys() | known.keys())
            own[name] = known.get(told) or replace(like, name=name, run=told)
        others = (gate for gate in self.gates if not gate.kind.measures and gate.name not in own)
        return replace(self, gates=(*own.values(), *others), gates_declined=False)

    @property
    def asks_twice(self) -> bool:
        """A red start is asked for once more, so that chance has no part in red→green."""
        return self.rules > 1 and self.flaky_passes != 1

    @property
    def routing(self) -> Team | None:
        """The team as events know it; None: no events are routed, whatever hats there are."""
        team = self.team
        if team is None or not team.routes:
            return None
        if not any(hat.text_only for hat in team.hats):
            return team
        return replace(team, hats=tuple(hat for hat in team.hats if not hat.text_only))

    @property
    def conditional(self) -> tuple[Hat, ...]:
        """The hats that a condition puts on, in the order in which they are asked."""
        return self.team.conditional if self.team is not None else ()

    @property
    def agents(self) -> tuple[AgentPolicy, ...]:
        return (self.agent, *self.fallback)

    @property
    def everyone(self) -> tuple[AgentPolicy, ...]:
        """All agents that may have a turn: those who work, under whatever hat, and those who review."""
        hats = self.team.hats if self.team is not None else ()
        more = (*(gate.agent for gate in self.gates), *(hat.agent for hat in hats))
        return (*self.agents, *(agent for agent in more if agent is not None))

    def scratchpad_path(self, task_id: str, own: str = "") -> str:
        """`own`: a hat's, in place of the loop's."""
        return (own or self.scratchpad).replace("{taskId}", task_id)

    def scratchpads(self, task_id: str) -> tuple[str, ...]:
        """The loop's and those of its hats: Ralph's own files, and no part of the work."""
        hats = self.team.hats if self.team is not None else ()
        return tuple(
            dict.fromkeys(
                self.scratchpad_path(task_id, own or "") for own in ("", *(h.scratchpad for h in hats))
            )
        )


# -- policies in journals of earlier versions; nothing is written in this shape any more ---------

_KEY = b'"roles":'


class _Trigger(msgspec.Struct, frozen=True):
    condition: str
    role: str


class _Roles(msgspec.Struct, frozen=True):
    """The triggers of roles.yaml, then those of hats with a condition, which the team holds as well."""

    texts: dict[str, str] = {}
    triggers: tuple[_Trigger, ...] = ()
    base: str = ""


class _Policy(msgspec.Struct, frozen=True):
    roles: _Roles | None = None


class _Started(msgspec.Struct, frozen=True):
    policy: _Policy


_decoder = msgspec.json.Decoder(_Started)


def with_recorded_roles(policy: Policy, started: bytes | msgspec.Raw) -> Policy:
    """The policy of an encoded `loop.started`. Roles were a part of their own there: they become hats."""
    if _KEY not in bytes(started) or (roles := _decoder.decode(started).policy.roles) is None:
        return policy
    own = roles.triggers[: len(roles.triggers) - len(policy.conditional)]
    hats = role_hats(((trigger.condition, trigger.role) for trigger in own), roles.texts)
    return replace(policy, team=with_roles(policy.team, Team(hats=hats, base=roles.base)))
