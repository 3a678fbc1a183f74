"""How a loop's proven work gets onto its target, and where the work goes that was not proven. Repeating any of it is harmless."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import DONE, FAILURES
from ralph.core.loop import decide as d
from ralph.core.loop.state import LoopState
from ralph.errors import RalphError
from ralph.git.landing.checkout_sync import Overlap
from ralph.git.landing.failure_branch import Failure, fail_branch, fail_commit, find_failure
from ralph.git.landing.remote import open_pull_request, push
from ralph.git.landing.squash import author, commit_aside, merge, message, squash
from ralph.git.landing.target import keep_base, land, move
from ralph.git.recovery import keep_tree, settle, tree_of
from ralph.git.refs import Raced, is_landed, is_whole, tip
from ralph.git.repo import Repo, printable
from ralph.git.workspaces.pool import (
    PooledWorkspace,
    as_repo,
    bring_home,
    hold,
    rebased,
    refuse_since,
    release,
    track,
)
from ralph.journal.record import now
from ralph.runner import view_files
from ralph.runner.loop_context import LoopContext
from ralph.runner.operations import Stopwatch

HEADS = "refs/heads/"
_BRANCH_TRIES = 20
_STAMP = len("20260121-103045")  # a loop's id begins with its start


class LandingOperation:
    def __init__(self, bench: LoopContext, record: Callable[[f.AnyFact], None]) -> None:
        self._b = bench
        self._home = bench.run.home
        self._record = record
        self._watch = Stopwatch()

    def start(self, op: d.Land, s: LoopState) -> None:
        before = s.landing.intended
        if before is not None and before.tree == op.tree and is_landed(self._home, before.ref, before.commit):
            # Cut short after the branch had moved: it goes on as it was begun, also if the target has moved since.
            if before.how == "merge":
                self._landed(before)
            else:
                self._publish(before, s)
            return
        if op.how == "merge" or op.how == "pr":
            at = tip(self._home, s.identity.policy.land.target)
            if not at:
                raise RalphError(
                    f"the branch {_short(s.identity.policy.land.target)} is gone",
                    where=str(self._home.root),
                    todo="Make it again, then `ralph resume`.",
                    code=70,
                )
            if at != s.workspace.base_commit:
                why = op.tired or self._no_merge(s, at)
                if why:
                    self._onto_branch(op, s, self._commit(op, s), why)
                else:
                    self._merge(op, s, at)
                return
        commit = self._commit(op, s)
        if op.how == "merge":
            self._onto_target(op, s, commit)
        else:
            self._onto_branch(op, s, commit, op.note)

    def _commit(self, op: d.Land, s: LoopState) -> str:
        """A commit that a ref holds. Of a landing that was cut short it is there already, unless it has been pruned; another
        date would make it another one."""
        workspace, base, before = self._workspace, s.workspace.base_commit, s.landing.intended
        same = before is not None and before.tree == op.tree and before.tip in ("", base)
        if before is not None and same and is_whole(self._home, before.commit, base):
            keep_base(self._home, workspace.loop, before.commit)
            return before.commit
        store = as_repo(self._home, workspace).objects
        made = squash(self._home, op.tree, base, _message(s), author(self._home), now(), into=store)
        hold(self._home, workspace, made, base)
        return made

    @property
    def _workspace(self) -> PooledWorkspace:
        assert self._b.workspace is not None
        return self._b.workspace

    def _onto_target(self, op: d.Land, s: LoopState, commit: str) -> None:
        b, ref = self._b, s.identity.policy.land.target
        intended = f.LandingIntended(
            op=op.id, how="merge", ref=ref, commit=commit, tree=op.tree, tip=s.workspace.base_commit
        )
        self._record(intended)
        b.run.journal.sync()
        found = land(self._home, ref, commit, s.workspace.base_commit, message=f"ralph: {s.identity.task.id}")
        match found:
            case Raced():
                return  # it is wanted still, and finds the new tip
            case Overlap():
                why = found.reason or f"your edits overlap: {', '.join(found.paths[:5])}"
                self._onto_branch(op, s, commit, f"{printable(found.root)}: {why}")
            case _:
                self._landed(intended, found.followed)

    def _onto_branch(self, op: d.Land, s: LoopState, commit: str, note: str) -> None:
        b = self._b
        ref = self._branch_for(self._workspace, commit)
        intended = f.LandingIntended(
            op=op.id,
            how=op.how if op.how == "pr" else "branch",
            ref=ref,
            commit=commit,
            tree=op.tree,
            note=note,
        )
        self._record(intended)
        b.run.journal.sync()
        moved = move(self._home, ref, commit, tip(self._home, ref), message=f"ralph: {s.identity.task.id}")
        if not isinstance(moved, Raced):  # else it is wanted still, and finds another name
            self._publish(intended, s)

    def _publish(self, x: f.LandingIntended, s: LoopState) -> None:
        """It is on its branch; from there to the remote and into a pull request. What of that fails is told."""
        url, trouble = "", ""
        if x.how == "pr":
            url, trouble = self._pull_request(x, s)
        elif s.identity.policy.land.push:
            trouble = _not_pushed(push(self._home, _short(x.ref), x.commit))
        self._landed(replace(x, note="; ".join(filter(None, (x.note, trouble)))), url=url)

    def _pull_request(self, x: f.LandingIntended, s: LoopState) -> tuple[str, str]:
        """Its address; or none, and why."""
        branch, target = _short(x.ref), _short(s.identity.policy.land.target)
        title, _, body = _message(s).partition("\n\n")
        try:
            request = open_pull_request(
                self._home, branch=branch, commit=x.commit, target=target, title=title, body=body
            )
        except RalphError as error:
            command = f"gh pr create --head {shlex.quote(branch)} --base {shlex.quote(target)}"
            return "", f"no pull request: {printable(error.what)}; once that is fixed: `{command}`"
        return request.url, ""

    def _branch_for(self, workspace: PooledWorkspace, commit: str) -> str:
        """A branch of that name may be the user's: what is not ours is left alone. A worktree is on its own."""
        name = workspace.branch
        if workspace.kind == "worktree":
            return HEADS + name
        for branch in (name, *(f"{name}-{n}" for n in range(2, _BRANCH_TRIES))):
            at = tip(self._home, HEADS + branch)
            if at in ("", commit):
                return HEADS + branch
        raise RalphError(
            f"no free name for the branch {name}",
            where=str(self._home.root),
            todo="Delete the branches of this name that are not needed, then `ralph run`.",
            code=70,
        )

    def _landed(self, x: f.LandingIntended, followed: tuple[str, ...] = (), url: str = "") -> None:
        self._record(
            f.Landed(
                op=x.op,
                how=x.how,
                ref=x.ref,
                commit=x.commit,
                note=x.note,
                followed=followed,
                url=url,
                seconds=self._watch.seconds(),
            )
        )
        self._b.run.journal.sync()

    def _no_merge(self, s: LoopState, at: str) -> str:
        """What the target has by now and no workspace can hold would be missing in the merge."""
        why = refuse_since(self._home, s.workspace.base_commit, at)
        return f"{_short(s.identity.policy.land.target)} has moved on, and {why}" if why else ""

    def _merge(self, op: d.Land, s: LoopState, at: str) -> None:
        """The target has moved on: the workspace is brought onto its tip, with the change on top."""
        b, store = self._b, as_repo(self._home, self._workspace).objects
        merged = merge(self._home, s.workspace.base_commit, at, op.tree, into=store)
        base_tree = tree_of(self._home, at) or ""
        intended = f.MergeIntended(
            op=op.id,
            commit=at,
            base_tree=base_tree,
            tree=merged.tree,
            conflicts=merged.conflicts,
            text=merged.text,
            same_patch=any(gate.kind.verdict_follows_patch for gate in s.gates)  # no one else wants to know
            and not merged.conflicts
            and b.snapshots.patch_id(s.workspace.base_tree, op.tree)
            == b.snapshots.patch_id(base_tree, merged.tree),
        )
        if merged.conflicts:  # of some git keeps one side only
            b.keep(s, op.tree, f"[{s.identity.task.id}] {s.identity.task.title}: before it was merged")
        self._hold_merge(intended, s.workspace.base_commit, op.tree)
        self._record(intended)
        b.run.journal.sync()
        self._bring_onto(intended)

    def _hold_merge(self, x: f.MergeIntended, base: str, tree: str) -> None:
        """Both sides of it and what comes of them, under one ref: whatever a death in the middle leaves, nothing is pruned."""
        store = as_repo(self._home, self._workspace).objects
        change = commit_aside(self._home, tree, base, into=store)
        merged = commit_aside(self._home, x.tree, x.commit, change, into=store)
        hold(self._home, self._workspace, merged, base, x.commit)

    def _bring_onto(self, x: f.MergeIntended) -> None:
        b = self._b
        b.snapshots.restore(x.tree)
        b.workspace = rebased(self._home, self._workspace, x.commit)
        b.snapshots.rebase(x.commit)
        # What is ignored and belongs to the change: nothing but the index of the workspace says so from here on.
        taken = b.snapshots.take().tree
        lost = {change.path for change in b.snapshots.diff(x.tree, taken) if change.status == "D"}
        if lost:
            track(
                as_repo(self._home, b.workspace), [one for one in b.snapshots.files(x.tree) if one[2] in lost]
            )
            taken = b.snapshots.take().tree
        self._record(
            f.WorkspaceMerged(
                op=x.op,
                commit=x.commit,
                base_tree=x.base_tree,
                tree=taken,
                conflicts=x.conflicts,
                text=x.text,
                same_patch=x.same_patch,
                seconds=self._watch.seconds(),
            )
        )
        b.run.journal.sync()

    def finish_merge(self, s: LoopState) -> None:
        """A merge that a death cut short is completed. What is in the workspace by neither side's doing is saved first."""
        b, x = self._b, s.landing.merge
        assert x is not None
        self._hold_merge(x, s.workspace.base_commit, s.workspace.tree)
        found = b.snapshots.take().tree
        ours, theirs = (
            {c.path for c in b.snapshots.diff(tree, found)} for tree in (s.workspace.tree, x.tree)
        )
        if ours & theirs:
            b.keep(s, found, f"[{s.identity.task.id}] {s.identity.task.title}: before a merge was completed")
        self._bring_onto(x)

    def failure(self, op: d.Finish, s: LoopState) -> tuple[str, str]:
        """Keep what does not land: what was not proven on a branch of its own, unless nothing was made; and what is to be
        said about it."""
        b = self._b
        if not s.workspace.prepared or s.workspace.tree == s.workspace.base_tree:
            return "", ""
        if b.workspace and op.end in DONE and s.identity.policy.land.how == "none":
            return "", f"; not landed, {self._set_aside(b.workspace, s, 'done, not landed')}"
        if b.workspace and op.end == "cancelled":
            return "", f"; {self._set_aside(b.workspace, s, 'cancelled')}"
        if op.end not in FAILURES or not s.workspace.base_commit:
            return "", ""
        base, store = s.workspace.base_commit, None
        if b.workspace:
            store = as_repo(self._home, b.workspace).objects
        else:
            settle(self._home, b.snapshots.new_objects([s.workspace.base_tree, s.workspace.tree], base))
            if (
                tree_of(self._home, base) != s.workspace.base_tree
            ):  # what the user had not committed is theirs alone
                base = commit_aside(self._home, s.workspace.base_tree, base)
        last = s.judgement.history[-1] if s.judgement.history else None
        failure = Failure(
            task=s.identity.task.id,
            iterations=s.progress.iterations,
            max_iterations=s.identity.policy.limits.max_iterations,
            attempts=s.judgement.attempts,
            max_attempts=s.identity.policy.limits.max_attempts,
            last_gate=last.gate if last else "",
            error_hash=last.error_hash if last else "",
        )
        judgement = replace(s.judgement, ended=op.end, end_reason=op.reason, end_limit=op.limit)
        ended = replace(s, judgement=judgement)
        paths = [printable(c.path) for c in b.snapshots.diff(s.workspace.base_tree, s.workspace.tree)]
        by = author(self._home)

        def commit(when: str) -> str:
            state = view_files.render(ended, timestamp=when, files_modified=paths)
            return fail_commit(self._home, s.workspace.tree, base, failure, state, by, when, into=store)

        made = find_failure(self._home, s.identity.task.id, s.identity.loop[:_STAMP], commit)
        if made is None:
            when = now()
            left = commit(when)
            if b.workspace:
                hold(self._home, b.workspace, left, base)
            made = fail_branch(self._home, s.identity.task.id, left, when)
        may_push = s.identity.policy.land.push and base == s.workspace.base_commit
        pushed = _not_pushed(push(self._home, made.branch, made.commit)) if may_push else ""
        return made.branch, f"; {pushed}" if pushed else ""

    def _set_aside(self, workspace: PooledWorkspace, s: LoopState, why: str) -> str:
        """It shall not land, and the workspace is used again: it is kept as a recovery ref."""
        bring_home(self._home, workspace, s.workspace.tree)
        reason = f"[{s.identity.task.id}] {s.identity.task.title}: {why}"
        saved = keep_tree(
            self._home,
            s.workspace.tree,
            s.workspace.base_commit,
            loop=s.identity.loop,
            reason=reason,
            when=now(),
        )
        return f"kept as {saved.ref}"


def leave(home: Repo, workspace: PooledWorkspace, s: LoopState) -> None:
    """Give back the workspace of a loop that is over. What it made is where its end says; a worktree's branch goes, unless
    that is where the work landed."""
    own = HEADS + workspace.branch
    on_it = s.landing.landed is not None and s.landing.landed.ref == own
    kept = on_it or workspace.kind == "clone"  # whose branch is its own
    release(home, workspace, tip="" if kept else tip(home, own))


def _not_pushed(why: str) -> str:
    return f"not pushed: {printable(why)}" if why else ""


def _message(s: LoopState) -> str:
    return message(s.identity.task.id, s.identity.task.title, _summary(s))


def _summary(s: LoopState) -> str:
    return s.judgement.claim.summary if s.judgement.claim else ""


def _short(ref: str) -> str:
    return ref.removeprefix(HEADS)
