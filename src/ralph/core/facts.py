"""What can have happened. Every record of the journal is one of these; docs/journal.md lists them.

Facts are plain values. They carry durations and waits as numbers, never a clock reading that a rule would compare.
Here and in the modules of their fields, annotations are evaluated as they stand (no `from __future__ import annotations`):
from text, msgspec would compile each one anew at every start.
"""

from typing import Literal, get_args

import msgspec
from msgspec.structs import replace

from ralph.core.exits import End
from ralph.core.failures.test_counts import Counts
from ralph.core.policy import LandHow, LimitPolicy, Occasion, Policy, Task, with_recorded_roles
from ralph.core.proof import Account, Evidence, GamingFinding

Purpose = Literal["base", "claim", "iteration", "land"]  # land: a lander's, on what it is about to land
Variant = Literal["as-is", "original", "new-tests"]
How = Literal["exited", "interrupted", "cut"]
Cause = Literal["", "iteration-time", "idle", "time", "cost", "tokens", "context", "credentials", "stop"]
StopHow = Literal["graceful", "now", "interrupt", "cancel"]
QUOTA_SECONDS = 900.0  # until a quota is looked at again when the agent does not say when it is back
Fault = Literal["", "quota", "rate-limit", "overload", "credentials", "unusable"]

Source = Literal["prompt", "backlog"]  # where a task comes from


class Fact(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind"):
    pass


class Tokens(msgspec.Struct, frozen=True, omit_defaults=True):
    """`input` is what was read anew, beside both cache figures."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def all(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an agent consumed, and of which model, as far as it tells."""

    tokens: int = 0
    cost_usd: float = 0.0
    split: Tokens = Tokens()  # the tokens by kind
    model: str = ""  # that did the work, whatever was asked for


class Retry(msgspec.Struct, frozen=True, omit_defaults=True):
    """An agent's CLI tries its model again, in its own words."""

    attempt: int
    most: int = 0  # 0: it does not say
    status: int = 0  # of HTTP
    why: str = ""

    @property
    def words(self) -> str:
        of = f"/{self.most}" if self.most else ""
        status = str(self.status or "")
        why = self.why if status in self.why else f"{status} {self.why}".rstrip()
        return f"retry {self.attempt}{of}" + (f": {why}" if why else "")


class RunStarted(Fact, frozen=True, tag="run.started"):
    """A process of Ralph begins a run. `residue` is how its processes are found should it die."""

    run: str
    pid: int
    version: str
    tier: str
    residue: str = ""
    tasks: tuple[str, ...] = ()
    backlog: str = ""  # the checkout whose backlog it works through
    file: str = ""  # and where that is
    target: str = ""  # the branch on which its work lands
    tip: str = ""  # and the commit at which that stands
    host: str = ""
    user: str = ""
    options: tuple[str, ...] = ()  # the command line as given, bounded and without secrets


class RunReviewStarted(Fact, frozen=True, tag="run.review.started"):
    """Every task of the backlog is over: a reviewer is about to look at the whole change of the run."""

    gate: str
    base: str  # the target's tip before the run
    tip: str  # the last commit that the run landed on it
    prompt: str = ""  # hash of the stored prompt
    output: str = ""  # where the transcript will be, relative to the state folder


class RunReviewed(Fact, frozen=True, tag="run.reviewed"):
    """What one reviewer says of the whole change of a run. How the run ends does not depend on it."""

    gate: str
    base: str
    tip: str
    asked: tuple[str, ...]  # all who are asked at the end of the run
    command: str  # who reviewed
    code: int
    seconds: float
    passed: bool
    how: How = "exited"
    timed_out: Literal["", "soft", "hard"] = ""
    unclear: bool = False  # it gave no verdict
    findings: tuple[str, ...] = ()
    headline: str = ""
    excerpt: str = ""
    output: str = ""  # where the transcript is, relative to the state folder
    wrote: tuple[str, ...] = ()  # paths it changed; undone
    stragglers: tuple[str, ...] = ()
    usage: Usage = Usage()
    estimated: bool = False
    fault: Fault = ""
    fault_text: str = ""


class RunEnded(Fact, frozen=True, tag="run.ended"):
    """The run left nothing open. A run without this fact died."""

    run: str
    code: int
    reason: str = ""


class RunSwept(Fact, frozen=True, tag="run.swept"):
    """A dead run's processes were looked for and ended before anything else was done."""

    run: str
    found: tuple[str, ...] = ()


class JournalRepaired(Fact, frozen=True, tag="journal.repaired"):
    """A torn tail was cut off; its bytes are kept beside the journal."""

    bytes: int


class LoopStarted(Fact, frozen=True, tag="loop.started"):
    """The attempt to finish one task begins. Its policy is fixed here."""

    loop: str
    task: Task
    policy: Policy
    root: str  # of the workspace
    folder: str = "."
    home: str = ""  # the user's own checkout, where that is another
    slot: int = 0  # which of the workspaces side by side
    backlog: str = ""  # the backlog's file, relative to the root; empty when it is outside
    source: Source | Literal[""] = ""  # empty in old journals: only a backlog's loops had a home then

    @property
    def of_backlog(self) -> bool:
        return self.source == "backlog" or (not self.source and bool(self.home))


class LoopResumed(Fact, frozen=True, tag="loop.resumed"):
    """The loop continues in a new run, perhaps with higher limits or with an answer."""

    run: str
    limits: LimitPolicy | None = None
    answer: str = ""
    allow: tuple[str, ...] = ()  # gate inputs that may be changed after all
    root: str = ""  # of a workspace that was made anew; empty: the one that it has
    slot: int = 0
    fingerprints: str = ""  # taken anew, with what is in it; or before the first iteration
    home_entries: str = ""  # as well


class LoopMoved(Fact, frozen=True, tag="loop.moved"):
    """The loop continues on another machine, or after its worker restarted. What was open has been closed before this."""

    run: str
    epoch: int  # of the claim under which it continues
    root: str  # of the workspace there
    home: str = ""
    slot: int = 0
    excludes: str = ""  # hash of the stored ignore rules there that are not part of the tree
    unrecorded_inputs: dict[str, dict[str, str]] = {}  # measured anew: gate -> input -> its content, in short
    clock_offset: float = 0.0  # seconds that this machine's clock is ahead of the server's


class BaseResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """A gate's result on the starting tree, known from an earlier loop."""

    gate: str
    passed: bool
    evidence: str = ""  # where it was measured, e.g. "journal seq 41"
    tests: Counts | None = None
    report: str = ""


class WorkspacePrepared(Fact, frozen=True, tag="workspace.prepared"):
    """The starting tree is recorded; what the user had uncommitted is safe in a recovery ref."""

    tree: str
    commit: str = ""
    branch: str = ""
    recovery: str = ""
    known: tuple[BaseResult, ...] = ()
    unrecorded: tuple[str, ...] = ()  # nested repositories, dirty submodules, too large files: there already
    excludes: str = ""  # hash of the stored ignore rules that are not part of the tree
    attributes: str = ""  # and of such attributes
    # gate -> input that no snapshot holds -> its content, in short
    left_out: str = ""  # where the list of all that the folder held and no snapshot does is stored
    unrecorded_inputs: dict[str, dict[str, str]] = {}
    undecided: dict[
        str, tuple[str, ...]
    ] = {}  # gate -> what it runs and what counts as work, as nothing says otherwise
    # hash of the stored fingerprints of what else acts on the gates and is in no snapshot
    fingerprints: str = ""
    home_entries: str = ""  # hash of the stored names that HOME holds
    seconds: float = 0.0  # that this took, with making the workspace


class WorkspaceChanged(Fact, frozen=True, tag="workspace.changed"):
    """The tree was not as Ralph left it: someone edited it while no iteration ran."""

    tree: str
    paths: tuple[str, ...] = ()


class _Merge(Fact, frozen=True):
    op: str
    commit: str  # the tip
    base_tree: str  # and its tree
    tree: str  # the change on top of it, merged
    conflicts: tuple[str, ...] = ()
    text: str = ""  # what git says about them
    same_patch: bool = False  # the change itself is the one that was reviewed


class MergeIntended(_Merge, frozen=True, tag="merge.intended"):
    """The target has moved on: the workspace is about to be brought onto its tip, with the claimed change on top."""


class WorkspaceMerged(_Merge, frozen=True, tag="workspace.merged"):
    """The target had moved on: the claimed change now stands on its new tip, merged, perhaps with conflicts."""

    seconds: float = 0.0


class LandingQueued(Fact, frozen=True, tag="landing.queued"):
    """The claim is proven and could land, but another loop is ahead: it waits from here until its turn comes."""

    op: str
    behind: str  # the other loop's task


class LandingIntended(Fact, frozen=True, tag="landing.intended"):
    """The commit exists; the branch is about to be moved from `tip` to it."""

    op: str
    how: LandHow
    ref: str
    commit: str
    tree: str
    tip: str = ""
    note: str = ""  # why it does not land as was wanted


BY_A_LANDER = "land"  # operation of a fleet's lander; that of a loop itself is named after its claim


class LandingReturned(Fact, frozen=True, tag="landing.returned"):
    """The change cannot land as it is: it conflicts with the target, or is red on top of it. The loop goes back to work, and
    nothing of this landing can reach the target any more."""

    op: str
    why: Literal["conflict", "red"]
    tip: str = ""  # of the target
    # as a rejected claim has it
    gate: str = ""
    code: int = 1
    error_hash: str = ""
    headline: str = ""
    excerpt: str = ""


class Landed(Fact, frozen=True, tag="landed"):
    """The commit is on the branch."""

    op: str
    how: LandHow
    ref: str
    commit: str
    note: str = ""
    followed: tuple[str, ...] = ()  # checkouts of the branch that were brought along
    url: str = ""  # of the pull request
    seconds: float = 0.0


class IterationStarted(Fact, frozen=True, tag="iteration.started"):
    """`serial` counts every agent process of the loop; `n` is the iteration's number, which an interrupted one gives back."""

    serial: int
    n: int
    prompt: str  # hash of the stored prompt
    prompt_chars: int
    tree: str
    own_chars: int = 0  # of them, Ralph's own
    shift: int = 0
    expand: bool = False
    agent: int = 0  # which of the policy's agents
    refs: str = ""  # hash of the stored refs: what an interrupted iteration moved is found by it
    token: str = ""  # digest of what only its processes know: by it their messages are recognised
    hat: str = ""  # that it wears
    hat_why: str = ""  # by which event or condition
    heard: tuple[str, ...] = ()  # names of what people said that its prompt holds
    fresh: bool = False  # scratchpad and todos were cleared for it
    scratchpad: str = ""  # hash of the scratchpad that it found, where it was cleared
    wording: int = 1  # which of Ralph's own texts its prompt has: replay compares those of the same only
    attempts: int = 0  # claims that were rejected until then


class IterationEnded(Fact, frozen=True, tag="iteration.ended"):
    """The agent and everything it started are gone; this is the tree it left and what it said last."""

    serial: int
    n: int
    how: How
    code: int
    seconds: float
    tree: str
    cause: Cause = ""
    said: str = ""  # the agent's last words, bounded
    structured: bool = False
    output: str = ""  # where the transcript is, relative to the state folder
    scratchpad: str = ""  # hash of the stored scratchpad
    usage: Usage = Usage()
    estimated: bool = False  # the cost is from a table of prices, not from the agent
    session: str = ""  # as the agent calls it
    fault: Fault = ""
    fault_text: str = ""
    login_hint: str = ""  # how a person logs in, where the credentials are at fault
    retry_after: float = -1.0  # seconds until a quota is back, as the agent said
    back_at: str = ""  # and when that is
    nested: tuple[str, ...] = ()
    dirty_submodules: tuple[str, ...] = ()
    stragglers: tuple[str, ...] = ()
    refs_moved: tuple[str, ...] = ()
    commit: str = ""  # HEAD at its end
    commits: int = 0  # that it made
    files: int = 0  # that it changed, where a hat's condition asks
    cut: bool = False  # output was longer than is kept
    protected: tuple[str, ...] = ()  # protected paths that it had changed; undone
    list_notes: tuple[str, ...] = ()  # what became of the tasks that it proposed and of its edits of the list
    unattributed: tuple[
        str, ...
    ] = ()  # protected paths that differ after a death, no one knows by whom; kept
    places: dict[str, str] = {}  # where the items are that a scanner dispatches, or has dispatched
    contents: dict[str, str] = {}  # a digest of each
    unresolved: tuple[str, ...] = ()  # paths that a merge left in conflict and that still hold its marks
    new_commits: dict[str, tuple[str, ...]] = {}  # branch -> what it committed there, newest first, bounded
    inspect_seconds: float = 0.0  # that Ralph then took to look at what it left
    too_large: tuple[str, ...] = ()  # files that are not in the tree, for their size
    special: tuple[str, ...] = ()  # what it left that git cannot record, such as a FIFO; taken away
    kept: tuple[
        str, ...
    ] = ()  # at a server: hashes of the output and of its standard error, or of their ends


class ClaimInspected(Fact, frozen=True, tag="claim.inspected"):
    """What the claimed change touches of the gates' inputs, what of them no snapshot holds and is new, changed or gone,
    and how many paths it changes at all."""

    tree: str
    changed: int
    touched: dict[str, tuple[str, ...]] = {}
    hidden: dict[str, tuple[str, ...]] = {}  # gate -> files that judge the work and are in no snapshot
    ignored: tuple[str, ...] = ()  # other files that are in no snapshot because of the new rules
    weakened: dict[str, tuple[str, ...]] = {}  # file -> how it tests less than at the start
    seconds: float = 0.0
    added: dict[str, tuple[str, ...]] = {}  # of `touched`: what was not there at the start
    new_tests: tuple[str, ...] = ()  # files with tests that were not there, or that were and have changed
    findings: tuple[GamingFinding, ...] = ()  # code that games its judge
    suppressions: tuple[str, ...] = ()  # of linters and type checkers, that are new
    unread: tuple[str, ...] = ()  # code that was not looked through, and why


class GateStarted(Fact, frozen=True, tag="gate.started"):
    """A gate is about to run on this tree, perhaps with some paths swapped for their originals."""

    op: str
    gate: str
    purpose: Purpose
    variant: Variant
    tree: str
    # a reviewer's: hashes of what is stored
    prompt: str = ""
    scratchpad: str = ""  # as it was before
    refs: str = ""
    swapped: tuple[str, ...] = ()  # paths that hold their original content while this gate runs


class GateEnded(Fact, frozen=True, tag="gate.ended"):
    """The evidence: which command said what about which tree."""

    op: str
    gate: str
    purpose: Purpose
    variant: Variant
    tree: str
    command: str
    code: int
    seconds: float
    passed: bool
    how: How = "exited"
    timed_out: Literal["", "soft", "hard"] = ""
    hermetic: bool = False  # it ran in a clean checkout of the tree
    in_folder: bool = False  # it did not, because it depends on files that git does not record
    unrecorded: tuple[str, ...] = ()  # it failed there, and these were in the folder and not in the checkout
    wrote: tuple[str, ...] = ()  # paths it changed without leave; undone
    outputs: tuple[str, ...] = ()  # files named in gates' commands that no snapshot holds and that it wrote
    excerpt: str = ""
    output: str = ""
    error_hash: str = ""
    headline: str = ""
    stragglers: tuple[str, ...] = ()
    empty: bool = False  # it passed, and its output says that there was no test to run
    tests: Counts | None = None  # how many it ran, where its output says so
    cannot_run: str = (
        ""  # at the start: what its command lacks, e.g. a program, and no work on the task could bring
    )
    report: str = ""  # hash of the stored report of its runner: each test, by name
    cut_short: bool = False  # exit 0, but its runner did not come to its own end, or reports failures
    account: Account | None = None  # of the tests that ran at the start
    new_tests: int = 0  # on the starting code: how many of the claim's new tests ran
    idle_tests: tuple[str, ...] = ()  # and which of them pass there
    known_red: int = (
        0  # tests that fail as they did at the start, where that is allowed: it passes with these
    )
    kept: tuple[
        str, ...
    ] = ()  # at a server: hashes of the output and of its standard error, or of their ends
    # a reviewer's
    unclear: bool = False  # it gave no verdict
    findings: tuple[str, ...] = ()
    usage: Usage = Usage()
    estimated: bool = False
    fault: Fault = ""
    fault_text: str = ""
    retry_after: float = -1.0
    refs_moved: tuple[str, ...] = ()


class TransitionPassed(Fact, frozen=True, tag="transition.passed"):
    """The gates passed on the tree of an event that waited for them: it is passed on to its hat."""

    serial: int
    tree: str


class BoardLooked(Fact, frozen=True, tag="board.looked"):
    """A scanner that is data looked into its folders. Without a topic there was nothing to do."""

    hat: str
    topic: str = ""
    folder: str = ""
    item: str = ""
    payload: str = ""  # of the event, where it is more than the item
    there: tuple[str, ...] = ()  # the folders in which the item dispatched before was found
    why: str = ""  # there is nothing to do
    over: bool = False  # and nothing will be: as many items as were wanted are through
    tree: str = ""  # as it was then, where there is something to do


class ItemGivenUp(Fact, frozen=True, tag="item.failed"):
    """An item of a board failed its phase too often: it is in another folder now, with its reason beside it; a task of a
    backlog (no `to`) is marked as failed; what an agent had dispatched `stays`, and is not dispatched again as it is."""

    item: str
    folder: str
    to: str
    reason: str
    under_way: bool = False  # it was being worked on: nothing of that goes on
    tree: str = ""  # as it is now: what was made of the item is undone
    saved: str = ""  # the recovery ref that keeps it
    stays: bool = False
    content: str = ""  # a digest of what stays


class AgentBack(Fact, frozen=True, tag="agent.back"):
    """The moment has come at which an agent said that its quota would be back."""

    agent: int


class AgentRetries(Fact, frozen=True, tag="agent.retries"):
    """The agent of an operation under way tries its model again; without a `retry` it has an answer again."""

    op: str
    retry: Retry | None = None


class Checkpoint(Fact, frozen=True, tag="checkpoint"):
    """A soft limit was passed, and the next prompt says so; or an iteration's state was worth keeping: its context was full
    (precompact), it is about to end (stop), on request (manual)."""

    what: str
    serial: int = 0
    seconds: float = 0.0
    name: str = ""  # the inbox file's name, if it came by one


class WaitStarted(Fact, frozen=True, tag="wait.started"):
    """A named, bounded wait. `until` holds over a restart."""

    op: str
    what: str
    seconds: float
    why: str = ""
    until: str = ""


class WaitEnded(Fact, frozen=True, tag="wait.ended"):
    """The wait is over, by itself or cut short."""

    op: str
    elapsed: bool


class StopRequested(Fact, frozen=True, tag="stop.requested"):
    """A person or signal ends the run: after the iteration, at once, for good."""

    how: StopHow
    by: str
    name: str = ""  # the inbox file's name, if it came by one


class Said(Fact, frozen=True, tag="said"):
    """A person says something to the loop. `heard` of an iteration says which one read it."""

    name: str  # the inbox file's name
    text: str
    hat: str = ""  # only for an iteration that wears it
    by: str = ""


class Paused(Fact, frozen=True, tag="paused"):
    """A person wants the loop to wait: after what is under way, or at once."""

    name: str
    by: str = ""
    now: bool = False
    task: str = ""  # only this one's loop; empty: the whole run


class Continued(Fact, frozen=True, tag="continued"):
    """A person continues a paused loop."""

    name: str
    by: str = ""
    task: str = ""


class Answered(Fact, frozen=True, tag="answered"):
    """A person answers what the loop asks."""

    name: str
    text: str
    by: str = ""


class EventReceived(Fact, frozen=True, tag="event.received"):
    """An agent or a person emitted an event."""

    name: str  # the inbox file's name: a repeat is harmless
    topic: str
    payload: str = ""
    serial: int = 0


class ClaimMade(Fact, frozen=True, tag="claim.made"):
    """An iteration called the tool `ralph-complete`, here or at the server. A claim and nothing more, judged when the iteration
    has ended; at once if it has."""

    name: str
    serial: int
    summary: str
    evidence: str
    artifacts: tuple[str, ...] = ()


class TaskProposed(Fact, frozen=True, tag="task.proposed"):
    """An iteration wants tasks added, or the one named by `parent` split into these."""

    name: str
    serial: int
    how: Literal["add", "split"]
    tasks: tuple[Task, ...]
    parent: str = ""
    # A split ends the loop unless a claim completes it; in old journals it waited until the loop failed.
    at_once: bool = False


class BacklogWritten(Fact, frozen=True, tag="backlog.written"):
    """The backlog's file says what loops have come to, up to this record of the journal."""

    seq: int
    conflicts: tuple[str, ...] = ()  # what was not written because a person's edit says otherwise
    notes: tuple[str, ...] = ()  # which proposed tasks were added, and which were not


class InboxRefused(Fact, frozen=True, tag="inbox.refused"):
    """Something in the inbox was no message, or not for this run."""

    name: str
    why: str


class Notified(Fact, frozen=True, tag="notified"):
    """A notification of an end, a block or a wait was sent; or failed, and why."""

    occasion: Occasion
    about: str  # the operation or the end it was about: no one is told twice
    target: str  # without secrets
    ok: bool
    text: str = ""


class LoopEnded(Fact, frozen=True, tag="loop.ended"):
    """The loop is over, or parked: one named end, one reason, one exit code."""

    end: End
    reason: str
    code: int
    tree: str = ""
    limit: str = ""
    proof: dict[str, str] = {}
    paths: tuple[str, ...] = ()
    commit: str = ""  # that it landed as
    branch: str = ""  # that keeps what was not proven
    evidence: Evidence | None = None  # None: in journals of earlier versions, and where nothing was claimed
    trouble: bool = False  # no rule decided it: something outside kept the runner from continuing
    attempts: int = 0  # claims that were rejected


AnyFact = (
    RunStarted
    | RunReviewStarted
    | RunReviewed
    | RunEnded
    | RunSwept
    | JournalRepaired
    | LoopStarted
    | LoopResumed
    | LoopMoved
    | WorkspacePrepared
    | WorkspaceChanged
    | MergeIntended
    | WorkspaceMerged
    | LandingQueued
    | LandingIntended
    | LandingReturned
    | Landed
    | IterationStarted
    | IterationEnded
    | ClaimInspected
    | GateStarted
    | GateEnded
    | TransitionPassed
    | BoardLooked
    | ItemGivenUp
    | AgentBack
    | AgentRetries
    | Checkpoint
    | WaitStarted
    | WaitEnded
    | StopRequested
    | Said
    | Paused
    | Continued
    | Answered
    | EventReceived
    | ClaimMade
    | TaskProposed
    | BacklogWritten
    | InboxRefused
    | Notified
    | LoopEnded
)


# Felt by the runner while an operation is under way. Never journaled: the operation's own end carries what lasts.
class Tick(msgspec.Struct, frozen=True):
    op: str
    seconds: float
    idle: float = 0.0


class Metered(msgspec.Struct, frozen=True):
    op: str
    usage: Usage


Input = AnyFact | Tick | Metered

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyFact] = msgspec.json.Decoder(AnyFact)
BY_KIND: dict[str, type[Fact]] = {str(t.__struct_config__.tag): t for t in get_args(AnyFact)}


def kind_of(fact: AnyFact) -> str:
    return str(fact.__struct_config__.tag)


def encode(fact: AnyFact) -> bytes:
    return _encoder.encode(fact)


def decode(data: bytes | msgspec.Raw) -> AnyFact:
    fact = _decoder.decode(data)
    if isinstance(fact, LoopStarted):
        policy = with_recorded_roles(fact.policy, data)
        return fact if policy is fact.policy else replace(fact, policy=policy)
    return fact
