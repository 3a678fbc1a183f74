"""`ralph commit`: the change that was proven in place becomes a commit of the user's, by the user's own git.

Only files that the loop changed are committed, and only as the gates saw them. What else is staged stays staged.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import click
import msgspec

from ralph.cli.context import here, latest, refuse_inside
from ralph.core.exits import DONE
from ralph.core.loop.end_advice import what_next
from ralph.core.loop.state import LoopState
from ralph.errors import RalphError
from ralph.git.landing.squash import one_line
from ralph.git.loose_objects import packed_objects
from ralph.git.repo import Repo, head, printable
from ralph.journal.lock import Lock
from ralph.journal.record import new_id
from ralph.runner.loop_workspace import snapshots_of
from ralph.text import few

_SUBJECT = 72


class ProvenWork(msgspec.Struct, frozen=True):
    """What a loop changed, as it is to be committed."""

    paths: tuple[str, ...]
    subject: str
    trailers: tuple[str, ...]


@click.command()
@click.option("-m", "--message", default="", help="The subject, instead of the task's title.")
def commit(message: str) -> None:
    """Commit what the last prompt's run has proven here: the files that it changed, as the gates saw them.

    The subject is the task's title, and the evidence follows as trailers. Your hooks and your signature apply, and
    whatever else is staged stays staged.

    \b
    Examples:
      ralph commit
      ralph commit -m "Read leap years"
    """
    repo = here()
    refuse_inside(repo)
    loop = latest(repo)
    if loop is None:
        raise RalphError("no prompt was worked on here", todo='Start with `ralph run -p "..."`.')
    work = _proven_work(repo, loop)
    if work is None:
        click.echo("Nothing to commit: HEAD holds the change already.")
        return
    make_commit(repo, work, message)


def _proven_work(repo: Repo, loop: LoopState) -> ProvenWork | None:
    """None: HEAD holds it. RalphError where committing it would commit something else than what was proven."""
    _refuse_unproven(repo, loop)
    lock = Lock.acquire(repo.state_dir, new_id())
    try:
        with packed_objects(repo):
            return _compared(repo, loop)
    finally:
        lock.release()


def _compared(repo: Repo, loop: LoopState) -> ProvenWork | None:
    snapshots, at = snapshots_of(repo, loop), loop.workspace
    changed = [change.path for change in snapshots.diff(at.base_tree, at.tree)]
    now = snapshots.take().tree
    since = {change.path for change in snapshots.diff(at.tree, now)}
    if edited := [printable(path) for path in changed if path in since]:
        raise RalphError(
            f"changed since the gates passed: {few(edited)}",
            todo="Commit it yourself with `git commit`, or have it proven again with `ralph run`.",
        )
    if at.base_commit:
        before = {change.path for change in snapshots.diff(f"{at.base_commit}^{{tree}}", at.base_tree)}
        if mixed := [printable(path) for path in changed if path in before]:
            raise RalphError(
                f"also holds changes that you made before the run: {few(mixed)}",
                todo="Choose what to commit with `git add -p`.",
            )
    tip = head(repo)
    if tip:
        open_ = {change.path for change in snapshots.diff(f"{tip}^{{tree}}", now)}
        changed = [path for path in changed if path in open_]
    if not changed:
        return None
    proof = [f"Ralph-Proof: {one_line(f'{gate} {how}')}" for gate, how in loop.judgement.proof.items()]
    trailers = (*(proof or ["Ralph-Proof: none"]), f"Ralph-Loop: {loop.identity.loop}")
    return ProvenWork(tuple(changed), _subject(loop.identity.task.title), trailers)


def _refuse_unproven(repo: Repo, loop: LoopState) -> None:
    end = loop.judgement.ended
    name = one_line(loop.identity.task.id)
    if not repo.versioned:
        raise RalphError("this folder is not in git", todo="Run `git init` first.")
    if end is None:
        raise RalphError(f"{name} is not over", todo="`ralph status` says where it is.")
    if loop.identity.home:
        raise RalphError(f"{name} had a workspace of its own: {what_next(end, loop)}", todo="See `git log`.")
    if end not in DONE:
        raise RalphError(f"{name} ended as {end}: nothing is proven", todo=what_next(end, loop))


def _subject(title: str) -> str:
    subject = one_line(title) or "Work of an agent"
    return subject if len(subject) <= _SUBJECT else f"{subject[: _SUBJECT - 1].rstrip()}…"


def make_commit(repo: Repo, work: ProvenWork, subject: str = "") -> None:
    """By the user's own git, with its hooks: this is the user's commit."""
    text = f"{one_line(subject) or work.subject}\n\n" + "".join(f"{line}\n" for line in work.trailers)
    paths = b"".join(os.fsencode(path) + b"\0" for path in work.paths)
    with tempfile.NamedTemporaryFile(prefix="ralph-commit-") as message:
        Path(message.name).write_text(text)
        _git(repo, paths, "add", "-A")
        _git(repo, paths, "commit", "--only", "--cleanup=verbatim", "-F", message.name)


def _git(repo: Repo, paths: bytes, *command: str) -> None:
    env = {k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}
    done = subprocess.run(
        ["git", *command, "--pathspec-from-file=-", "--pathspec-file-nul"],
        cwd=repo.root,
        env={**env, "GIT_LITERAL_PATHSPECS": "1"},
        input=paths,
    )
    if done.returncode:
        raise RalphError(
            f"`git {command[0]}` ended with {done.returncode}; nothing was committed",
            todo="See what it says above, then try again.",
            code=1,
        )
