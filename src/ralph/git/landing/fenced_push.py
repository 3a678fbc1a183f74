"""The remote as a fleet's lander sees and changes it. Every push names the values that it expects, and a landing moves the
target and its fence in one: who has lost the fence lands nothing, however late the push arrives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ralph.core.fleet.lander import FenceMoved, LandingMerge, PushResult, RemoteView, fence_of
from ralph.core.loop.state import LoopState
from ralph.errors import RalphError
from ralph.git.landing.squash import Person, author, merge, message, squash
from ralph.git.program import GitFailed
from ralph.git.refs import is_ancestor
from ralph.git.repo import Repo

_NO_ATOMIC = "does not support --atomic"
_TASK, _EPOCH, _ATTEMPT = "Ralph-Task", "Ralph-Epoch", "Ralph-Attempt"
_ORIGIN = "refs/remotes/origin/"
_HEADS = "refs/heads/"


class FencedRemote:
    """`here` is a bare copy that is fetched before each look; what lands is made in it, and pushed from it."""

    def __init__(self, here: Repo, url: str, target: str, branch: str) -> None:
        self._here = here
        self._url = url
        self._target = target
        self._branch = branch
        self._atomic: bool | None = None
        self.refusal = (
            ""  # why the last push was refused, where that is for another reason than a ref that has moved
        )

    # -- looking

    def look(self, about: str) -> RemoteView:
        """As the last fetch found it. RalphError: the target is gone, or nothing can be pushed."""
        tip, fence = self._value(_origin(self._target)), self._value(fence_of(self._target))
        if not tip:
            raise RalphError(f"the remote has no branch {self._target.removeprefix(_HEADS)}")
        return RemoteView(
            tip,
            fence,
            self._epoch_of(fence),
            contains=bool(about) and is_ancestor(self._here, about, tip),
            was_fence=bool(about and fence) and is_ancestor(self._here, about, fence),
            branch=self._value(_origin(self._branch)),
            atomic=self._is_atomic(tip),
        )

    def _value(self, ref: str) -> str:
        try:
            return self._here.git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").decode().strip()
        except GitFailed:
            return ""

    def _epoch_of(self, fence: str) -> int:
        if not fence:
            return 0
        form = f"--format=%(trailers:key={_EPOCH},valueonly)"
        said = self._here.git("log", "-1", form, fence).decode("utf-8", "replace").split()
        return int(said[-1]) if said and said[-1].isascii() and said[-1].isdigit() else 0

    def _is_atomic(self, tip: str) -> bool:
        """Asked by a push that would change nothing. RalphError: this machine may not push."""
        if self._atomic is None:
            try:
                self._push({self._target: (tip, tip)}, "--dry-run", "--atomic")
            except GitFailed as failed:
                if _NO_ATOMIC not in failed.stderr and not _refusals(failed.stdout):
                    raise
                self._atomic = _NO_ATOMIC not in failed.stderr
            else:
                self._atomic = True
        return self._atomic

    # -- what lands

    def merge(self, s: LoopState, tree: str, tip: str, *, epoch: int, when: str) -> LandingMerge:
        """The loop's change on top of this tip, as one commit."""
        merged = merge(self._here, s.workspace.base_commit, tip, tree)
        if merged.conflicts:
            return LandingMerge(conflicts=merged.conflicts, text=merged.text)
        summary = s.judgement.claim.summary if s.judgement.claim else ""
        task = s.identity.task
        trailers = {_TASK: task.id, _EPOCH: str(epoch)}
        text = message(task.id, task.title, summary, trailers)
        commit = squash(self._here, merged.tree, tip, text, author(self._here), when)
        return LandingMerge(commit, merged.tree)

    # -- pushing

    def move_fence(self, expected: str, *, task: str, epoch: int, attempt: int, when: str) -> FenceMoved:
        empty = self._here.git("mktree", stdin=b"").decode().strip()
        trailers = {_TASK: task, _EPOCH: str(epoch), _ATTEMPT: str(attempt)}
        text = f"ralph: a lander of {self._target}\n\n{lines(trailers)}"
        by = Person("Ralph", "ralph@localhost")
        fence = squash(self._here, empty, expected, text, by, when)
        return FenceMoved(self._try({fence_of(self._target): (expected, fence)}), fence)

    def land(self, commit: str, tip: str, fence: str) -> PushResult:
        """Both refs change, always: one that does not is not checked by the remote."""
        refs = {self._target: (tip, commit), fence_of(self._target): (fence, commit)}
        return self._try(refs, "--atomic")

    def push_branch(self, commit: str, expected: str) -> PushResult:
        return self._try({self._branch: (expected, commit)})

    def _try(self, refs: Mapping[str, tuple[str, str]], *how: str) -> PushResult:
        self.refusal = ""
        try:
            self._push(refs, *how)
        except GitFailed as failed:
            refused = _refusals(failed.stdout)
            self.refusal = next((line for line in refused if "stale info" not in line), "")
            return "refused" if refused else "unknown"
        return "done"

    def _push(self, refs: Mapping[str, tuple[str, str]], *how: str) -> None:
        """ref -> (expected, new). An empty expected value: it must not be there."""
        leases = [f"--force-with-lease={ref}:{expected}" for ref, (expected, _) in refs.items()]
        specs = [f"{new}:{ref}" for ref, (_, new) in refs.items()]
        quiet = ("--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
        self._here.git("push", *quiet, *how, *leases, "--", self._url, *specs, settings=_SAFE)


_SAFE = ("protocol.ext.allow=never", "push.gpgSign=false")


def lines(trailers: Mapping[str, str]) -> str:
    return "".join(f"{name}: {value}\n" for name, value in trailers.items())


def _origin(ref: str) -> str:
    return ref.replace(_HEADS, _ORIGIN, 1)


def _refusals(said: bytes) -> Sequence[str]:
    """What the remote, or git for it, has refused. Empty: it gave no answer, so that it may have happened, or happen yet."""
    found = [line.split("\t") for line in said.decode("utf-8", "replace").splitlines()]
    words = [parts[2] for parts in found if parts[0] == "!" and len(parts) > 2]
    return [] if any(word.startswith("[remote failure]") for word in words) else words
