"""The fleet's nouns: a task of the server, who may claim it, what is kept of it. Plain values; JSON has seed 001's names.

Times of the server are milliseconds of the database's clock. As in core/facts.py, annotations are evaluated as they stand.
"""

from typing import Annotated, Literal

import msgspec

from ralph.core.exits import End
from ralph.core.facts import Usage
from ralph.core.policy import LandHow
from ralph.core.tasks.task import PRIORITY, Status

Phase = Literal["work", "land"]
PHASES: tuple[Phase, ...] = ("work", "land")
MessageKind = Literal["say", "pause", "continue", "answer", "accept", "stop", "cancel", "complete"]
HOLDING: frozenset[MessageKind] = frozenset({"pause", "stop"})  # any other lets a parked task continue
FaultKind = Literal["agent", "credentials", "clone", "push", "internal"]

PROTOCOL = 1  # of this program: a worker claims no task whose facts need a higher one
FOREVER = 2**53  # of `not_before`: until a message comes
LONGEST_TYPE = 50
MOST_ITERATIONS = 1000  # over HTTP; a tool may ask for up to 100


class TaskSpec(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """What a person asks for."""

    task: str
    title: str = ""  # the first line of `task` where none is given
    task_type: str = "ralph"  # "ralph" loops; any other: one iteration, then the gates
    ralph_promise: str = ""  # the criterion of a ralph task
    ralph_max_iterations: int = 50
    ralph_plan_path: str = ""
    criteria: tuple[str, ...] = ()
    priority: float = PRIORITY
    tags: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()  # that a worker must have
    dependencies: tuple[str, ...] = ()
    parent: str = ""
    repository: str = ""  # by its registered name; empty: the task stays with the worker that begins it
    target: str = ""  # the branch on which it lands; empty: the repository's own
    agent: str = ""
    assign_to: str = ""  # the only worker that may claim it

    @property
    def heading(self) -> str:
        return self.title or self.task.strip().partition("\n")[0]


class Repository(msgspec.Struct, frozen=True):
    """Registered by an admin. Tasks name it."""

    name: str
    url: str
    target: str = ""  # the branch on which work lands; empty: nothing lands


class Queue(msgspec.Struct, frozen=True, order=True):
    """Tasks with equal values here are claimed by the same workers: a claim looks at the heads of few queues."""

    repository: str = ""
    labels: tuple[str, ...] = ()  # sorted
    agent: str = ""
    assigned: str = ""


class Savepoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """From where a loop continues on another machine: a commit, and blobs by the paths at which they belong."""

    commit: str
    blobs: dict[str, str] = {}  # path -> hash
    fact: int = 0  # number of the fact with which it was accepted


class Vitals(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the open operation has used so far. If its worker dies, these figures close it."""

    op: str = ""
    seconds: float = 0.0
    usage: Usage = Usage()


class WorkerFault(msgspec.Struct, frozen=True):
    """A worker could not do its part. It says nothing about the task until three workers fail alike."""

    worker: str
    kind: FaultKind


class RequestedRetry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person wants it tried again. Given to the next worker, until a fact shows that the loop continues."""

    fresh: bool = False  # from: start, a new loop; else the same loop resumed
    limits: dict[str, float] = {}  # of LimitPolicy, those that become others


class OpenIntent(msgspec.Struct, frozen=True, omit_defaults=True):
    """A landing that may have happened. Who takes the task up looks at the remote before anything else."""

    commit: str
    tip: str = ""
    ref: str = ""
    how: LandHow = "merge"


class CompletedTask(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What the message `complete` holds: a claim, as seed 001's `ralph-complete` makes it."""

    summary: str
    promise_evidence: str
    artifact_paths: tuple[str, ...] = ()


class TaskProgress(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What the accepted facts come to. derive.py folds it; nothing else writes it."""

    loop: str = ""
    started_at: str = ""  # its first loop
    ended_at: str = ""  # the loop; empty while it continues
    unproven_ok: bool = False  # `gates: none`
    ralph_iterations: int = 0  # of the present loop, those that count
    ralph_last_checkpoint: str = ""
    attempts: int = 0  # landings that were sent back
    rejected: int = 0  # claims of the present loop that its gates rejected
    cost_usd: float = 0.0
    tokens: int = 0
    open: str = ""  # the agent or gate that runs: a death now counts against the task
    intent: OpenIntent | None = None
    landed: LandHow | Literal[""] = ""
    commit: str = ""  # that it landed as
    end: End | Literal[""] = ""  # of the loop; empty while it continues
    reason: str = ""
    stop_wanted: bool = False  # a person's message stopped it: it waits for the next one
    retry_seconds: float = 0.0  # until the quota is back
    summary: str = ""  # of `ralph-complete`
    promise_evidence: str = ""
    artifact_paths: tuple[str, ...] = ()


class FleetTask(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """A task as the server has it: one row. `epoch` fences: who sends an older one has lost the task."""

    id: str
    spec: TaskSpec
    born: int
    lane: str = ""  # repository and target: one landing at a time. Empty: nothing to land on
    status: Status = "pending"
    phase: Phase = "work"
    reason: str = ""  # why it failed, is blocked, waits
    waits: int = 0  # dependencies that are not complete
    failed_needs: tuple[str, ...] = ()  # dependencies that failed or were cancelled: they block it
    not_before: int = 0
    proposed_by: str = ""
    # the claim
    epoch: int = 0
    holder: str = ""
    claim_key: str = ""  # of the newest claim; kept after it is over, so that a late repeat is recognised
    lease_until: int = 0
    assigned: str = ""  # the only worker that may claim it
    saved: bool = False  # a savepoint was accepted since the claim
    vitals: Vitals = Vitals()
    # the facts
    facts: int = 0
    chain: str = ""
    savepoint: Savepoint | None = None
    protocol: int = 1
    progress: TaskProgress = TaskProgress()
    merged: bool = False  # the pull request it landed as is merged
    # what people and workers did to it
    deaths: int = 0  # in a row, without a savepoint in between
    faults: tuple[WorkerFault, ...] = ()
    retry: RequestedRetry | None = None
    cancel_wanted: bool = False  # said while a landing was open

    @property
    def queue(self) -> Queue:
        """Who works on it may be given by name; any lander lands it."""
        spec, assigned = self.spec, self.assigned if self.phase == "work" else ""
        return Queue(spec.repository, tuple(sorted(set(spec.labels))), spec.agent, assigned)

    @property
    def is_held(self) -> bool:
        return bool(self.holder)

    @property
    def awaits_merge(self) -> bool:
        return self.status == "complete" and self.progress.landed == "pr" and not self.merged

    @property
    def satisfies(self) -> bool:
        """Its dependants need not wait any more."""
        return self.status == "complete" and not self.awaits_merge


class SentFact(msgspec.Struct, frozen=True):
    """A fact of the task as it travels: numbered over all epochs, each chained to the one before."""

    n: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    loop: str
    kind: str
    at: str
    body: bytes  # the encoded fact, without its kind
    chain: str


class StoredFact(msgspec.Struct, frozen=True):
    """And as the server keeps it: with the epoch under which it was accepted."""

    epoch: int
    fact: SentFact


class PersonMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a person says to a task. Delivered with every answer until a fact that names it is accepted."""

    id: int
    task: str
    kind: MessageKind
    body: str = ""
    author: str = ""
    taken_by: int = 0  # number of the fact that names it

    @property
    def name(self) -> str:
        """As facts name it."""
        return f"server-{self.id}"


EventKind = Literal[
    "created",
    "updated",
    "claimed",
    "facts",
    "released",
    "died",
    "blocked",
    "unblocked",
    "cancelled",
    "retried",
    "message",
    "merged",
]


class FleetEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something changed a task. Written with the change; numbered after the commit, in the order of commits."""

    task: str
    kind: EventKind
    epoch: int = 0
    facts: int = 0  # how many the task had then
    holder: str = ""
    text: str = ""


Role = Literal["admin", "worker", "lander", "run", "read"]
ROLES: tuple[Role, ...] = ("admin", "worker", "lander", "run", "read")


class Token(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """Who may do what. The secret itself is shown once and kept nowhere: `hash` is its SHA-256."""

    id: str
    name: str
    role: Role
    hash: str = ""
    created_at: int = 0
    expires_at: int = 0  # 0: never
    revoked_at: int = 0
    # of workers and landers: what they may claim. None: everything
    labels: tuple[str, ...] | None = None
    repositories: tuple[str, ...] | None = None
    # of a run: the claim with which it lives and dies
    task: str = ""
    epoch: int = 0


class AuditRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who changed something, and what. Workers' facts are not in here: they are their own record."""

    at: int
    token: str  # its id
    name: str
    action: str
    subject: str = ""
    text: str = ""
    n: int = 0


Orders = Literal["", "cordon", "drain"]


class WorkerRecord(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """A worker as it registered itself. Whether it is busy is seen from the tasks it holds."""

    name: str
    version: str = ""
    phases: tuple[Phase, ...] = ("work",)
    labels: tuple[str, ...] = ()
    repositories: tuple[str, ...] | None = None  # None: every one
    concurrency: int = 1
    registered_at: int = 0
    seen_at: int = 0
    orders: Orders = ""  # cordon: it gets no new task; drain: and ends when it has none
    note: str = ""  # what it cannot do at present, in its own words


class KeptAnswer(msgspec.Struct, frozen=True):
    """What a request with an idempotency key was answered: the same request again gets it again."""

    digest: str  # of the request: another one under the same key is refused
    answer: bytes


class TaskQuery(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Which tasks, the newest first. An empty field asks for nothing."""

    statuses: tuple[Status, ...] = ()
    phase: Phase | Literal[""] = ""
    task_type: str = ""
    repository: str = ""
    worker: str = ""  # that holds it
    assign_to: str = ""
    parent: str = ""
    tag: str = ""
    label: str = ""
    search: str = ""  # in title and task, or the beginning of the id
    before: tuple[int, str] | None = None  # `born` and id of the last one of the page before
    repositories: tuple[str, ...] | None = None  # only these, and tasks without one; None: all
    most: int = 100


class FleetFigures(msgspec.Struct, frozen=True):
    """What /metrics reports for the whole store."""

    tasks: dict[tuple[str, str], int]  # status, phase -> how many
    oldest_ready_ms: int  # since when the longest waiting ready task exists
    parked: int
    lanes: dict[str, int]  # lane -> tasks that wait to land or are landing
    deaths: int
    outbox_ms: int  # since when the oldest event waits for its number; 0: none does


class ServerTick(msgspec.Struct, frozen=True):
    """Since when the server has been answering without a gap."""

    up_since: int = 0
    at: int = 0


class FleetSettings(msgspec.Struct, frozen=True):
    """The server's numbers. Clocks save money; they never protect: no safety depends on these."""

    lease_ms: int = 120_000
    abandoned_ms: int = 1_200_000  # after a lease ran out: the server gives the task back itself
    tick_gap_ms: int = 30_000  # between two ticks of a server that is up
    most_deaths: int = 3
    most_alike: int = 3  # workers that fail alike
    backoff_ms: int = 30_000  # after a worker's fault; doubled for each further one
    longest_backoff_ms: int = 1_800_000
    quota_ms: int = 900_000  # until a quota is looked at again when no one knows when it is back
    largest_fact: int = 1_000_000  # bytes
    kept_blob_ms: int = 86_400_000  # that no task uses: its fact may be on the way
    page: int = 500  # facts in one answer
