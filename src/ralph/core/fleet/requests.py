"""What workers and people ask of the server, and what it answers. HTTP carries these values; so does the simulation."""

from typing import Annotated, Literal

import msgspec

from ralph.core.fleet.model import (
    PROTOCOL,
    FaultKind,
    FleetTask,
    MessageKind,
    PersonMessage,
    Phase,
    RequestedRetry,
    Savepoint,
    SentFact,
    TaskSpec,
    Vitals,
)

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]  # whoever sends it: what a database can hold
Wait = Annotated[float, msgspec.Meta(ge=-1, le=1e8)]

RefusalKind = Literal[
    "stale",  # another epoch, or no claim at all: stop, nothing that was sent changed anything
    "forked",  # another fact has this number
    "expected",  # a gap or an overlap: `accepted` says where to continue
    "missing",  # blobs that are named and not stored
    "landing",  # a landing is open: the wish is kept, and obeyed if it fails
    "held",  # a worker has the task
    "move",  # the status does not allow it
    "used",  # the key of a claim that is over
    "unknown",  # no such task
    "invalid",  # 422
    "too-large",  # 413
]
HTTP_CODES: dict[RefusalKind, int] = {"unknown": 404, "invalid": 422, "too-large": 413}


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """The server does not do it, and nothing has changed (but for the wish that `landing` keeps)."""

    kind: RefusalKind
    text: str = ""
    field: str = ""  # that is wrong
    accepted: int = 0  # facts that the server has
    chain: str = ""  # of the last of them
    missing: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        return HTTP_CODES.get(self.kind, 409)


# -- workers ---------------------------------------------------------------------------------------------------


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a worker can do."""

    worker: str
    phase: Phase = "work"
    labels: tuple[str, ...] = ()
    repositories: tuple[str, ...] | None = None  # None: every one
    closed_repositories: tuple[str, ...] = ()  # it cannot reach them at present
    closed_agents: tuple[str, ...] = ()  # it cannot run them at present
    protocol: Number = PROTOCOL


class ClaimRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """Give me a task. The same key again gets the same claim while its lease lives: a lost answer loses nothing."""

    offer: Offer
    key: str
    task: str = ""  # this one, which the worker held under `epoch` before it restarted
    epoch: Number = 0


class ClaimGrant(msgspec.Struct, frozen=True, omit_defaults=True):
    """The worker holds the task. Without one there was nothing to do."""

    task: FleetTask | None = None
    lease_seconds: float = 0.0
    messages: tuple[PersonMessage, ...] = ()
    drain: bool = False  # a person wants this worker to end when it has no task


class FactsRequest(msgspec.Struct, frozen=True):
    """The facts of a task that was claimed, from `after` on."""

    task: str
    after: Number = 0


class FactsPage(msgspec.Struct, frozen=True):
    facts: tuple[SentFact, ...]
    total: int


class Heartbeat(msgspec.Struct, frozen=True, omit_defaults=True):
    task: str
    epoch: Number
    worker: str
    vitals: Vitals = Vitals()


class FactBatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """Facts that are synced, with all that they name stored: `facts[0].n` is the first number."""

    task: str
    epoch: Number
    worker: str
    facts: tuple[SentFact, ...]
    savepoint: Savepoint | None = None
    blobs: tuple[str, ...] = ()  # that the facts and the savepoint name
    protocol: Number = PROTOCOL


class BlobUpload(msgspec.Struct, frozen=True):
    task: str
    epoch: Number
    worker: str
    hash: str
    body: bytes


class Release(msgspec.Struct, frozen=True, omit_defaults=True):
    """The worker gives the task back without an end of its loop: to wait, or because it cannot do its part."""

    task: str
    epoch: Number
    worker: str
    park_seconds: Wait = 0.0  # negative: until a message comes
    fault: FaultKind | Literal[""] = ""
    text: str = ""


class Accepted(msgspec.Struct, frozen=True, omit_defaults=True):
    """Done; or it had been done before."""

    accepted: int = 0  # facts that the server has
    held: bool = True  # the worker still holds the task
    lease_seconds: float = 0.0
    messages: tuple[PersonMessage, ...] = ()
    drain: bool = False  # as in a grant


WorkerRequest = ClaimRequest | FactsRequest | Heartbeat | FactBatch | BlobUpload | Release
WorkerAnswer = ClaimGrant | FactsPage | Accepted | Refusal


# -- people ----------------------------------------------------------------------------------------------------


class CreateTask(msgspec.Struct, frozen=True):
    id: str  # a UUID, drawn by who received the request
    spec: TaskSpec


class UpdateTask(msgspec.Struct, frozen=True):
    """The whole specification anew. moves.EDITABLE says which fields may differ when."""

    task: str
    spec: TaskSpec


class CancelTask(msgspec.Struct, frozen=True, omit_defaults=True):
    task: str
    author: str = ""


class RetryTask(msgspec.Struct, frozen=True, omit_defaults=True):
    task: str
    fresh: bool = False  # from: start
    limits: dict[str, float] = {}  # of LimitPolicy, those that become others
    author: str = ""

    @property
    def retry(self) -> RequestedRetry:
        return RequestedRetry(self.fresh, self.limits)


class SendMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    task: str
    kind: MessageKind
    body: str = ""
    author: str = ""


class ReportMerged(msgspec.Struct, frozen=True):
    """A lander saw that the pull request as which the task landed is merged."""

    task: str
    commit: str


class UnmergedTask(msgspec.Struct, frozen=True):
    """It landed as a pull request, of this commit, that no one has reported as merged."""

    task: str
    repository: str
    target: str  # empty: the repository's own
    commit: str


class UnmergedTasks(msgspec.Struct, frozen=True):
    tasks: tuple[UnmergedTask, ...]


class TaskAnswer(msgspec.Struct, frozen=True):
    """The task as it is now."""

    task: FleetTask


PersonRequest = CreateTask | UpdateTask | CancelTask | RetryTask | SendMessage | ReportMerged
