"""Refs: where a target stands, and changing refs by compare-and-swap. No hook runs; no HEAD is moved or locked.

A change goes through a git that is first told to prepare, so that the caller can do what must happen under the lock.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import Stamp, read_bytes, stamp, sync
from ralph.git import program
from ralph.git.landing.lock import LandingLock, LandingNote, ref_locks, remove_own_locks
from ralph.git.program import GitFailed
from ralph.git.ref_watch import OWN_CHANGES, Update, ref_text
from ralph.git.repo import Repo, printable

HEADS = "refs/heads/"
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LOCK_SECONDS = 5.0  # how long another's lock is waited for
_NO_REF = ("not a valid ref", "bad ref")  # not there, or broken: it names no commit
_STALE_SECONDS = 1.0  # in refs/ralph/, where no one but Ralph writes


class Raced(msgspec.Struct, frozen=True):
    """Someone else moved the ref; this is its tip now (empty: it is gone)."""

    tip: str


class Locked(RalphError):
    """A ref is held by another program."""


def target(repo: Repo, name: str = "") -> str:
    """The full name of the branch to land on: `name`, or the branch that is checked out. Symbolic refs are followed."""
    if name:
        ref = name if name.startswith("refs/") else HEADS + name
    else:
        ref = _symbolic(repo, "HEAD", repo.git_dir)
        if not ref:
            raise RalphError(
                "HEAD is detached: there is no branch to land on",
                where=str(repo.root),
                todo="Check a branch out, or name one with `land.target`.",
            )
    for _ in range(5):  # as deep as git follows them
        following = _symbolic(repo, ref, repo.common_dir)
        if not following:
            break
        ref = following
    shown = printable(ref.removeprefix(HEADS))
    if not ref.startswith(HEADS) or not _valid(repo, ref):
        raise RalphError(f"{shown} is not a branch: work can land on branches only", where=str(repo.root))
    if not tip(repo, ref):
        raise RalphError(
            f"the branch {shown} has no commit to build on",
            where=str(repo.root),
            todo="Make a first commit on it, or name another branch with `land.target`.",
        )
    return ref


def tip(repo: Repo, ref: str) -> str:
    """The commit that the ref of this full name names; empty when there is no such ref. (`rev-parse` would guess: other
    refs that end so, and commits whose id begins so.)"""
    if (found := _seen(repo, ref)) is not None:
        return found
    try:
        out = repo.git("show-ref", "--verify", "--hash", "--", ref)
    except GitFailed as failed:
        if any(words in failed.stderr for words in _NO_REF):
            return ""
        raise
    return out.decode().strip()


def _seen(repo: Repo, ref: str) -> str | None:
    """What the files say by themselves, in the plain cases: a task asks five times, and a git process for each is a tenth of
    what it costs. None: git has to say."""
    common = repo.common_dir
    if (common / "reftable").exists() or not (common / "HEAD").exists():
        return None
    try:
        name = ref_text(common / ref)
        packed = b"" if name else read_bytes(common / "packed-refs")
    except FileNotFoundError:
        return ""
    except OSError:
        return None
    if not name:
        return None if os.fsencode(f" {ref}\n") in packed else ""
    return name if _ID.fullmatch(name) and (repo.objects / name[:2] / name[2:]).is_file() else None


def holds(repo: Repo, name: str) -> bool:
    """Whether the repository has this object."""
    try:
        repo.git("cat-file", "-e", name)
    except GitFailed:
        return False
    return True


def is_whole(repo: Repo, commit: str, known: str) -> bool:
    """Whether the repository has the commit with all that `known` has not."""
    try:
        repo.git("rev-list", "--objects", "--quiet", commit, f"^{known}")
    except GitFailed:
        return False
    return True


def ref_mark(repo: Repo, ref: str) -> tuple[Stamp | None, ...]:
    """Differs once the ref may have moved. Costs no git."""
    return tuple(stamp(repo.common_dir / name) for name in (ref, "packed-refs", "reftable/tables.list"))


def is_landed(repo: Repo, ref: str, commit: str) -> bool:
    """Whether the commit is the ref's tip or an ancestor of it."""
    at = tip(repo, ref)
    return at == commit or (bool(at) and is_ancestor(repo, commit, at))


def is_taken_over(repo: Repo, at: str, commit: str) -> bool:
    """Whether the history that ends at `at` has this commit, or one with the same change: picked, squashed or rebased."""
    if not at:
        return False
    if at == commit or is_ancestor(repo, commit, at):
        return True
    try:
        return repo.git_inside("cherry", at, commit, f"{commit}^").startswith(b"-")
    except GitFailed:  # the commit is not there (any more)
        return False


def change(guard: LandingLock, updates: Sequence[Update], message: str) -> Raced | None:
    """All updates, or none. (A death in the middle may leave some; the same call again completes them.) None: the refs
    stand where they should, moved now or before."""
    guard.begin(note_of(updates))
    try:
        transaction = prepare(guard, updates, message)
    except RalphError:
        guard.end()  # nothing was done
        raise
    if isinstance(transaction, Transaction):
        transaction.commit()
    guard.end()
    return transaction if isinstance(transaction, Raced) else None


def note_of(updates: Sequence[Update]) -> LandingNote:
    return LandingNote(tuple(u.ref for u in updates), tuple(u.new for u in updates))


class Transaction:
    """Refs that are locked and verified, and not yet changed."""

    def __init__(
        self, guard: LandingLock, updates: Sequence[Update], process: subprocess.Popen[bytes]
    ) -> None:
        self._guard = guard
        self._updates = updates
        self._process = process

    def commit(self) -> None:
        fault_point("landing.ref.before", writes=True)
        said = _tell(self._process, b"commit\0", b"commit: ok\n")
        error = _finish(self._process)
        fault_point("landing.ref.after")
        if said and not self._process.returncode:
            _sync_folders(self._guard.repo, self._updates)
        else:
            remove_own_locks(self._guard, self._guard.note() or note_of(self._updates))
            if any(tip(self._guard.repo, u.ref) != u.new for u in self._updates):
                raise RalphError(
                    f"git could not change {_shown(self._updates)}: {error or 'it died'}", code=70
                )
        OWN_CHANGES[self._guard.repo.common_dir].extend(self._updates)

    def abort(self) -> None:
        _tell(self._process, b"abort\0", b"abort: ok\n")
        _finish(self._process)


def prepare(guard: LandingLock, updates: Sequence[Update], message: str) -> Transaction | Raced | None:
    """Lock the refs and verify where they stand. Updates that are done already count as verified; None: all are."""
    repo = guard.repo
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        process = program.converse(
            ("update-ref", "--stdin", "-z", "--no-deref", "-m", " ".join(message.split()) or "ralph"),
            cwd=repo.common_dir,
            env={"GIT_DIR": str(private_dir(repo))},
            pass_fds=(guard.fd,),
        )
        fault_point("landing.prepare.before", writes=True)
        if _tell(process, b"start\0" + _commands(repo, updates) + b"prepare\0", b"start: ok\nprepare: ok\n"):
            fault_point("landing.prepare.after")
            return Transaction(guard, updates, process)
        error = _finish(process)
        tips = [tip(repo, u.ref) for u in updates]
        if all(at == u.new for at, u in zip(tips, updates, strict=True)):
            return None
        for at, update in zip(tips, updates, strict=True):
            if at not in (update.old, update.new):
                return Raced(at)
        if any(at == u.new != u.old for at, u in zip(tips, updates, strict=True)):
            # half done by a dead one
            updates = [u for at, u in zip(tips, updates, strict=True) if at != u.new]
        elif time.monotonic() > deadline or (process.returncode > 0 and ".lock" not in error):
            raise _refused(repo, updates, error)
        elif process.returncode < 0:
            remove_own_locks(guard, guard.note() or note_of(updates))
        else:
            _remove_stale_ralph_locks(repo, updates)
            time.sleep(0.02)


def private_dir(repo: Repo) -> Path:
    """A git directory with the repository's refs and its own HEAD, so that git does not lock the user's HEAD."""
    folder = repo.state_dir / "refs"
    if not (folder / "HEAD").exists():
        folder.mkdir(parents=True, exist_ok=True)
        back = os.path.relpath(repo.common_dir, folder)  # a project may be moved or copied
        (folder / "commondir").write_bytes(os.fsencode(back) + b"\n")
        # last: its presence says that the rest is there
        (folder / "HEAD").write_text("ref: refs/ralph/none\n")
    return folder


def _commands(repo: Repo, updates: Sequence[Update]) -> bytes:
    lines = (
        f"update {u.ref}\0{u.new}\0{u.old or repo.zero}\0" if u.new else f"delete {u.ref}\0{u.old}\0"
        for u in updates
    )
    return os.fsencode("".join(lines))


def _tell(process: subprocess.Popen[bytes], words: bytes, answer: bytes) -> bool:
    """Whether git answered as it should. Its death shows as no answer."""
    assert process.stdin and process.stdout
    with suppress(BrokenPipeError):
        process.stdin.write(words)
        process.stdin.flush()
    said = b""
    while len(said) < len(answer):
        try:
            part = program.read(process, ("update-ref",))
        except program.GitOverdue:
            break
        if not part:
            break
        said += part
    return said == answer


def _finish(process: subprocess.Popen[bytes]) -> str:
    with suppress(BrokenPipeError):
        _, error = process.communicate()
        return error.decode("utf-8", "replace").strip().removeprefix("fatal: ")
    process.wait()
    return ""


def _sync_folders(repo: Repo, updates: Sequence[Update]) -> None:
    for folder in {(repo.common_dir / update.ref).parent for update in updates}:
        with suppress(OSError):  # gone with its last ref
            sync(folder)


def _remove_stale_ralph_locks(repo: Repo, updates: Sequence[Update]) -> None:
    """Who holds the guard is the only one who writes below refs/ralph/."""
    for path in ref_locks(repo, [u.ref for u in updates if u.ref.startswith("refs/ralph/")])[:-1]:
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > _STALE_SECONDS:
                path.unlink()


def _refused(repo: Repo, updates: Sequence[Update], error: str) -> RalphError:
    held = [str(path) for path in ref_locks(repo, [u.ref for u in updates]) if path.exists()]
    if held:
        return Locked(
            f"{_shown(updates)} is locked by another git",
            where=held[0],
            todo="When no git runs here any more, remove this file; then `ralph resume`.",
            code=70,
        )
    return RalphError(f"git refuses to change {_shown(updates)}: {error}", where=str(repo.root), code=70)


def _shown(updates: Sequence[Update]) -> str:
    return ", ".join(printable(u.ref.removeprefix(HEADS)) for u in updates)


def _symbolic(repo: Repo, name: str, git_dir: Path) -> str:
    try:
        out = program.run(("symbolic-ref", "-q", name), cwd=repo.root, env={"GIT_DIR": str(git_dir)})
    except GitFailed as failed:
        if failed.status in (1, 128):  # not symbolic; or no name that could be a ref
            return ""
        raise
    return os.fsdecode(out).rstrip("\n")


def _valid(repo: Repo, ref: str) -> bool:
    try:
        repo.git("check-ref-format", ref)
    except (GitFailed, ValueError):
        return False
    return True


def is_ancestor(repo: Repo, commit: str, of: str) -> bool:
    try:
        repo.git("merge-base", "--is-ancestor", commit, of)
    except GitFailed as failed:
        if failed.status in (1, 128):  # 128: the commit is not there (any more)
            return False
        raise
    return True
