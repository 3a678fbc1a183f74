"""The landing of one claimed task, without I/O: steps out, their results in.

The remote is fenced by `refs/ralph/lander/<target>`. A lander first moves it to an object that names its epoch. Its push
then moves the target and that ref together, from exactly the values it saw: a lander that lost its claim lands nothing,
however late its push arrives. The intent is accepted by the server before the push, so that whoever takes the task up after
a death knows for which commit to look.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import CODES, End
from ralph.core.fleet.model import FleetTask, OpenIntent
from ralph.core.policy import LandHow
from ralph.text import digest, few

FENCES = "refs/ralph/lander/"
PushResult = Literal["done", "refused", "unknown"]  # unknown: no answer; it may happen later still
TAKEN_OFF = "landed and taken off again"


# -- steps -----------------------------------------------------------------------------------------------------


class LookAtRemote(msgspec.Struct, frozen=True):
    """Fetch the refs; RemoteView. `about`: the commit that may have landed."""

    about: str = ""


class MoveFence(msgspec.Struct, frozen=True):
    """Make an object that names task, epoch and attempt, its parent the present value, and move the lander ref to it by
    compare-and-swap; FenceMoved."""

    expected: str
    epoch: int
    attempt: int


class MergeOnTip(msgspec.Struct, frozen=True):
    """Merge the change with this tip and make the commit, with its trailers; LandingMerge."""

    tip: str


class RunLandingGates(msgspec.Struct, frozen=True):
    """In a clean checkout of the commit, with the target's own judges; LandingJudged."""

    commit: str
    tip: str


class RecordFact(msgspec.Struct, frozen=True):
    """Record it; the next step comes when the server has accepted it."""

    fact: f.AnyFact


class PushLanding(msgspec.Struct, frozen=True):
    """One atomic push: target from `tip` to `commit`, and the lander ref from `fence` to `commit`; PushResult."""

    commit: str
    tip: str
    fence: str


class PushBranch(msgspec.Struct, frozen=True):
    """The task's own branch, from `expected` to `commit`; PushResult."""

    commit: str
    expected: str


class OpenPullRequest(msgspec.Struct, frozen=True):
    """For the task's branch; one that is there is used. Its address, or "" if it cannot be opened now."""

    commit: str


class EndLanding(msgspec.Struct, frozen=True):
    """Record these: the last one closes the claim."""

    facts: tuple[f.AnyFact, ...]


class LeaveLanding(msgspec.Struct, frozen=True):
    """Another lander has the fence: this claim is over, whatever the server has said so far."""


LandStep = (
    LookAtRemote
    | MoveFence
    | MergeOnTip
    | RunLandingGates
    | RecordFact
    | PushLanding
    | PushBranch
    | OpenPullRequest
    | EndLanding
    | LeaveLanding
)


# -- results ---------------------------------------------------------------------------------------------------


class RemoteView(msgspec.Struct, frozen=True):
    tip: str  # of the target
    fence: str = ""  # value of the lander ref
    fence_epoch: int = 0  # that it names; of a landed commit its trailer's
    contains: bool = False  # the commit asked about is an ancestor of the tip
    was_fence: bool = False  # it is the lander ref, or an ancestor of it
    branch: str = ""  # value of the task's own branch
    atomic: bool = True


class FenceMoved(msgspec.Struct, frozen=True):
    result: PushResult
    fence: str  # the object, whatever came of the push


class LandingMerge(msgspec.Struct, frozen=True):
    commit: str = ""  # empty: it conflicts
    tree: str = ""
    conflicts: tuple[str, ...] = ()  # paths
    text: str = ""  # what git says of them


class LandingJudged(msgspec.Struct, frozen=True):
    """`against` is None: green. LandingReturned: red, with what the gate said. LoopEnded: there is no verdict, and the claim ends
    like this."""

    against: f.LandingReturned | f.LoopEnded | None = None


class LandingProtocol:
    """`step` is what to do now; `done` takes its result and makes the next one."""

    def __init__(self, task: FleetTask, target: str, *, branch: str, most_merges: int = 10) -> None:
        self.task = task
        self.epoch = task.epoch
        self.target = target
        self.branch = branch  # of the task: not of the epoch
        self.most_merges = most_merges
        self.intent: OpenIntent | None = task.progress.intent
        self.cancel_wanted = task.cancel_wanted
        self.merges = task.progress.attempts
        self.fence = ""  # as this lander moved it; empty: not ours
        self.attempt = 0
        self.view = RemoteView("")
        self.commit = self.tree = ""
        self.how: LandHow = "merge"
        self.step: LandStep = self._begin()

    def _begin(self) -> LandStep:
        if self.task.progress.landed:
            return self._completed(self.task.progress.commit)
        return self._look()

    def wish_cancel(self) -> None:
        """A person cancels: obeyed where the landing is known to have failed."""
        self.cancel_wanted = True

    def done(self, result: object) -> None:
        match self.step, result:
            case LookAtRemote(), RemoteView():
                self.view = result
                self.step = self._looked()
            case MoveFence(), FenceMoved():
                self.step = self._fence_moved(result)
            case MergeOnTip(), LandingMerge():
                self.step = self._merged(result)
            case RunLandingGates(), LandingJudged():
                self.step = self._intend() if result.against is None else EndLanding((result.against,))
            case RecordFact(fact=f.LandingIntended()), _:
                self.step = self._push()
            case RecordFact(fact=f.Landed()), _:
                self.step = self._completed(self.commit)
            case PushLanding(), str():
                self.step = self._pushed(result)
            case PushBranch(), str():
                self.step = self._branch_pushed(result)
            case OpenPullRequest(), str():
                self.step = (
                    self._landed("pr", result)
                    if result
                    else self._end("internal", "no pull request could be opened")
                )
            case step, _:
                raise TypeError(f"{step} has no result like {result!r}")

    # -- looking

    def _look(self) -> LandStep:
        return LookAtRemote(self.intent.commit if self.intent is not None else "")

    def _looked(self) -> LandStep:
        if self.intent is not None and (found := self.probe(self.intent)) is not None:
            return found
        if not self.view.atomic or self.merges > self.most_merges:
            self.how = "pr" if not self.view.atomic else "branch"
        if self.needs_fence() and not self.has_fence():
            return self._move_fence()
        if self.cancel_wanted:
            return self._end("cancelled", "cancelled by a person")
        return MergeOnTip(self.view.tip)

    def probe(self, intent: OpenIntent) -> LandStep | None:
        """Whether the open landing happened. Ancestry decides, not what anyone remembers."""
        self.commit = intent.commit
        if intent.how != "merge":
            if self.view.branch != intent.commit:
                return None
            self.how = intent.how
            return self._branch_done()
        if self.view.contains:
            return self._landed("merge")
        if self.view.was_fence:
            return self._end("blocked-on-person", TAKEN_OFF)
        return None

    def needs_fence(self) -> bool:
        """Also where it goes to a branch now: an earlier push to the target may still be under way."""
        return self.how == "merge" or (self.intent is not None and self.intent.how == "merge")

    def has_fence(self) -> bool:
        return bool(self.fence) and self.view.fence == self.fence

    def _move_fence(self) -> LandStep:
        if self.view.fence_epoch > self.epoch:
            return LeaveLanding()
        self.attempt += 1
        return MoveFence(self.view.fence, self.epoch, self.attempt)

    def _fence_moved(self, moved: FenceMoved) -> LandStep:
        """A landing moves the fence as well: as it was still where it was seen, nothing landed since, and nothing that was
        under way will."""
        self.fence = moved.fence if moved.result != "refused" else ""
        if moved.result != "done":
            return self._look()
        self.view = replace(self.view, fence=moved.fence)
        return self._looked()

    # -- landing

    def _merged(self, merge: LandingMerge) -> LandStep:
        self.merges += 1
        if not merge.commit:
            return self._conflict(merge)
        self.commit, self.tree = merge.commit, merge.tree
        return RunLandingGates(merge.commit, self.view.tip)

    def _intend(self) -> LandStep:
        ref = self.target if self.how == "merge" else self.branch
        self.intent = OpenIntent(self.commit, self.view.tip, ref, self.how)
        intended = f.LandingIntended(
            op=f.BY_A_LANDER,
            how=self.how,
            ref=ref,
            commit=self.commit,
            tree=self.tree,
            tip=self.view.tip,
        )
        return RecordFact(intended)

    def _push(self) -> LandStep:
        if self.how != "merge":
            return PushBranch(self.commit, self.view.branch)
        return PushLanding(self.commit, self.view.tip, self.fence)

    def _pushed(self, result: str) -> LandStep:
        if result == "done":
            return self._landed("merge")
        if result == "unknown":
            self.fence = ""  # it may still arrive: the fence moves once more before anything else is tried
        return self._look()

    def _branch_pushed(self, result: str) -> LandStep:
        return self._branch_done() if result == "done" else self._look()

    def _branch_done(self) -> LandStep:
        return OpenPullRequest(self.commit) if self.how == "pr" else self._landed("branch")

    # -- the end

    def _landed(self, how: LandHow, url: str = "") -> LandStep:
        ref = self.target if how == "merge" else self.branch
        return RecordFact(f.Landed(op=f.BY_A_LANDER, how=how, ref=ref, commit=self.commit, url=url))

    def _completed(self, commit: str) -> LandStep:
        end: End = "completed-unverified" if self.task.progress.unproven_ok else "completed-verified"
        return EndLanding((f.LoopEnded(end=end, reason="landed", code=0, commit=commit),))

    def _conflict(self, merge: LandingMerge) -> LandStep:
        where = few(list(merge.conflicts))
        returned = f.LandingReturned(
            op=f.BY_A_LANDER,
            why="conflict",
            tip=self.view.tip,
            gate="landing",
            error_hash=digest("conflict", *merge.conflicts),
            headline=f"it conflicts with what landed on {short(self.target)} meanwhile: {where}",
            excerpt=merge.text,
        )
        return EndLanding((returned,))

    def _end(self, end: End, reason: str) -> LandStep:
        return EndLanding((f.LoopEnded(end=end, reason=reason, code=CODES[end], trouble=True),))


def short(ref: str) -> str:
    return ref.removeprefix("refs/heads/")


def fence_of(target: str) -> str:
    """The ref that fences the landings on this branch."""
    return FENCES + short(target)
