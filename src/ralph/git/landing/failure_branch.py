"""Failure branches: what a task left when it failed, as a commit on its base, with its state file. Made by plumbing;
no checkout, no reset. A rerun of the task moves them to `refs/ralph/archive/`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.git.landing.checkouts import worktrees_on
from ralph.git.landing.lock import locked_landing
from ralph.git.landing.squash import Person, one_line, squash, writing
from ralph.git.landing.target import recover_held
from ralph.git.ref_watch import Update
from ralph.git.refs import HEADS, change, holds, tip
from ralph.git.repo import Repo, failure_name, safe_id

ARCHIVE = "refs/ralph/archive/"
STATE_FILE = ".ralph_state.md"
_TRIES = 50
_TIMESTAMP = re.compile(rb"^timestamp: (\d[0-9T:.Z-]+)$", re.MULTILINE)


class Failure(msgspec.Struct, frozen=True):
    """What the message of a failure branch says."""

    task: str
    iterations: int
    max_iterations: int
    attempts: int
    max_attempts: int
    last_gate: str
    error_hash: str


class FailureBranch(msgspec.Struct, frozen=True):
    branch: str  # short name
    commit: str


def failure_message(failure: Failure) -> str:
    return (
        f"Ralph Loop failed: {one_line(failure.task)}\n\n"
        f"Iterations: {failure.iterations}/{failure.max_iterations}\n"
        f"Attempts: {failure.attempts}/{failure.max_attempts or 'unlimited'}\n"
        f"Last gate: {one_line(failure.last_gate) or 'none'}\n"
        f"Error hash: {one_line(failure.error_hash) or 'none'}\n\n"
        f"See {STATE_FILE} for full history\n"
    )


def fail_commit(
    repo: Repo,
    tree: str,
    base: str,
    failure: Failure,
    state: str,
    by: Person,
    when: str,
    *,
    into: Path | None = None,
) -> str:
    """The workspace's tree with the state file, as a commit on its base. `when`: the loop's end, ISO 8601; the same arguments
    give the same commit. `into`: the object store that holds the tree, if that is not the repository's."""
    whole = with_file(repo, tree, STATE_FILE, state.encode("utf-8", "replace"), into=into)
    return squash(repo, whole, base, failure_message(failure), by, when, into=into)


def fail_branch(repo: Repo, task: str, commit: str, when: str) -> FailureBranch:
    """A branch with this commit, named after the task and the time; again: the one that is there."""
    stamp = datetime.fromisoformat(when.replace("Z", "+00:00")).astimezone(UTC).strftime("%Y%m%d-%H%M%S")
    name = failure_name(task, stamp)
    with locked_landing(repo) as guard:
        recover_held(guard)
        for branch in (name, *(f"{name}-{number}" for number in range(2, _TRIES))):
            at = tip(repo, HEADS + branch)
            if at == commit:
                return FailureBranch(branch, commit)
            if not at and not change(guard, [Update(HEADS + branch, commit, "")], "ralph: failed"):
                return FailureBranch(branch, commit)
    raise RalphError(f"no free name for a failure branch: {name}", where=str(repo.root), code=70)


def find_failure(repo: Repo, task: str, since: str, commit: Callable[[str], str]) -> FailureBranch | None:
    """The branch that this very loop made before it was cut short: it is not older than the loop (`since`, as in the
    branch's name), and its commit is what `commit` makes of the moment that its own state file names."""
    for old in failure_branches(repo, task):
        if old.branch.removeprefix(f"wip/ralph-fail-{safe_id(task)}-") < since:
            continue
        state = repo.git("cat-file", "blob", f"{old.commit}:{STATE_FILE}")
        named = _TIMESTAMP.search(state)
        if named and commit(named[1].decode()) == old.commit:
            return old
    return None


def failure_branches(repo: Repo, task: str) -> list[FailureBranch]:
    """Those of earlier attempts at the task, oldest first. One that someone committed to is theirs and is not listed."""
    mine = re.compile(re.escape(f"{HEADS}wip/ralph-fail-{safe_id(task)}-") + r"\d{8}-\d{6}(-\d+)?")
    fields = "%(objectname)%00%(refname)%00%(contents:subject)"
    listed = repo.git("for-each-ref", f"--format={fields}", f"{HEADS}wip/")
    found = []
    # Not by `splitlines`: a subject may hold other characters that Python takes for the end of a line.
    for line in os.fsdecode(listed).split("\n")[:-1]:
        commit, ref, subject = line.split("\0", 2)
        if mine.fullmatch(ref) and subject.startswith("Ralph Loop failed: "):
            found.append(FailureBranch(ref.removeprefix(HEADS), commit))
    return found


def make_tree_again(repo: Repo, task: str, tree: str) -> bool:
    """Whether the snapshot of a loop that failed is in the repository: its failure branch has it, with the state file."""
    if holds(repo, f"{tree}^{{tree}}"):
        return True
    return any(_without_file(repo, one.commit, STATE_FILE) == tree for one in failure_branches(repo, task))


def archive(repo: Repo, task: str) -> list[FailureBranch]:
    """Move earlier failure branches of the task to `refs/ralph/archive/`; one that is checked out somewhere stays."""
    moved = []
    with locked_landing(repo) as guard:
        recover_held(guard)
        for old in failure_branches(repo, task):
            ref = HEADS + old.branch
            if worktrees_on(repo, ref):
                continue
            to = ARCHIVE + old.branch
            updates = [Update(ref, "", old.commit)]
            if tip(repo, to) != old.commit:
                updates.insert(0, Update(to, old.commit, tip(repo, to)))
            if not change(guard, updates, "ralph: archived"):
                moved.append(old)
    return moved


def with_file(repo: Repo, tree: str, name: str, content: bytes, *, into: Path | None = None) -> str:
    """The tree with one file more (or another content of it) at its top."""
    env = writing(repo, into)
    made = repo.git("hash-object", "-w", "--stdin", env=env, stdin=content, durable=True)
    entry = b"100644 blob " + made.strip() + b"\t" + os.fsencode(name)
    return _make_tree(repo, (*_others(repo, tree, name, env), entry), env)


def _without_file(repo: Repo, tree: str, name: str) -> str:
    return _make_tree(repo, _others(repo, tree, name, {}), {})


def _others(repo: Repo, tree: str, name: str, env: Mapping[str, str]) -> list[bytes]:
    """The entries at the top of a tree, but for one."""
    listed = repo.git("ls-tree", "-z", tree, env=env).split(b"\0")[:-1]
    return [line for line in listed if line.partition(b"\t")[2] != os.fsencode(name)]


def _make_tree(repo: Repo, entries: Iterable[bytes], env: Mapping[str, str]) -> str:
    whole = b"".join(line + b"\0" for line in entries)
    return repo.git("mktree", "-z", env=env, stdin=whole, durable=True).decode().strip()
