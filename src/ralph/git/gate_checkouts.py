"""Clean checkouts for gates: a folder that holds exactly a recorded tree, the shared folders, and a repository of its own.

A run has a few of them. Moving one to another tree writes only what differs. What a gate or an agent did there is never
trusted: files are compared by the kernel's change times, the index by its digest, and `.git` is made anew each time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ralph.core.policy import GatePolicy
from ralph.errors import DISK, RalphError
from ralph.fault_points import fault_point
from ralph.files import read_bytes, remove_tree
from ralph.git import program
from ralph.git.repo import GATE_SLOT, Repo, make_slots_dir, printable, slots_dir
from ralph.git.snapshots import Snapshots
from ralph.git.special_files import look_everywhere, take_away
from ralph.git.uncommitted_changes import under
from ralph.git.workspaces.clone import write_git_dir
from ralph.git.workspaces.shared_folders import copy_shared
from ralph.text import few

_SETTLED = (
    20_000_000  # ns: time stamps come from a tick, so that a write right after a copy could bear the same one
)


class Judged(msgspec.Struct, frozen=True):
    """What a checkout is to hold, and how git is to see it there."""

    tree: str
    commit: str = ""  # that the tree was made from; empty: there is none
    branch: str = ""  # the ref that HEAD stands for; empty: none
    share: tuple[str, ...] = ()  # folders that are copied from the workspace


class GateCheckout:
    """One of them. `root` is where the files are; its folder has the project's name, which some tools read."""

    def __init__(self, slot: Path, name: str) -> None:
        self.slot = slot
        self.root = slot / name
        self._index = slot / "index"
        self._digest = ""
        self._shared_at, self._clock = 0, 0

    def move(self, home: Repo, snapshots: Snapshots, to: Judged) -> None:
        """GitFailed, RalphError or OSError when it cannot be made to hold that."""
        if self._digest and _digest(self._index) != self._digest:
            raise RalphError("someone has changed the index of a gate's checkout", where=str(self.slot))
        remove_tree(self.root / ".git")
        if self._digest:
            _open_up(self.root)
        fault_point("checkout.before", writes=True)
        self.slot.mkdir(mode=0o700, parents=True, exist_ok=True)
        snapshots.check_out(to.tree, self.root, self._index, keep=to.share)
        self._digest = _digest(self._index)
        if to.share:
            if (
                _clock_offset() < self._clock - _SETTLED // 4
            ):  # set back meanwhile: no change time can be trusted
                self._shared_at = 0
            copy_shared(snapshots.repo.root, self.root, to.share, self._shared_at)
            self._shared_at, self._clock = time.time_ns() - _SETTLED, _clock_offset()
        if home.versioned:
            _make_repository(home, snapshots.repo, self.root, self._index, to)
        fault_point("checkout.after")

    def bring(self, source: Path, folder: str) -> Path:
        """Put a file or folder from elsewhere there, in place of whatever has its name."""
        to = self.root / folder / source.name
        remove_tree(to)
        to.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, to, symlinks=True)
        else:
            shutil.copy2(source, to)
        return to

    def changed(self, snapshots: Snapshots) -> list[str]:
        """The recorded files that a gate has changed there; the whole folder, when it left nothing to compare. What else it
        writes is gone with the checkout."""
        if not self.root.is_dir() or _digest(self._index) != self._digest:
            return [self.root.name]
        _open_up(self.root)
        return snapshots.changed_in(self.root, self._index)

    def remove(self) -> None:
        remove_tree(self.slot)


class GateCheckouts:
    """The checkouts of one run."""

    def __init__(self, home: Repo) -> None:
        self._home = home
        self._place = slots_dir(home)
        self._free: list[GateCheckout] = []
        self._used: list[GateCheckout] = []
        self._made = 0

    def take(self, snapshots: Snapshots, judged: Judged) -> GateCheckout:
        """One that holds this, until it is given back."""
        if self._free:
            checkout = self._free.pop()
            self._used.append(checkout)
            try:
                checkout.move(self._home, snapshots, judged)
                return checkout
            except (RalphError, OSError) as error:  # damaged by what ran there: a new one
                if isinstance(error, OSError) and error.errno in DISK:
                    raise
                self.discard(checkout)
        checkout = self._new()
        checkout.move(self._home, snapshots, judged)
        return checkout

    def _new(self) -> GateCheckout:
        name = self._home.root.name
        place = make_slots_dir(self._home)
        name = name if name not in ("", "index", "index.lock") else "project"
        while True:
            self._made += 1
            checkout = GateCheckout(place / f"{GATE_SLOT}{self._made}", name)
            with suppress(
                OSError
            ):  # what a dead run left there, and no one can remove, as a container's files are its root's
                checkout.remove()
            if not os.path.lexists(checkout.slot):
                break
        self._used.append(checkout)
        return checkout

    def give_back(self, checkout: GateCheckout) -> None:
        self._used.remove(checkout)
        self._free.append(checkout)

    def discard(self, checkout: GateCheckout) -> None:
        self._used.remove(checkout)
        with suppress(OSError):  # what is left, the next run removes if it can
            checkout.remove()

    def close(self) -> None:
        for checkout in (*self._free, *self._used):
            with suppress(OSError):  # what is left, the next run removes
                checkout.remove()
            fault_point("checkout.removed")
        self._free, self._used = [], []
        _prune(self._place)


def check_hidden(repo: Repo, gate: GatePolicy, *, in_place: bool, share: Sequence[str]) -> None:
    """RalphError when the hidden files of a gate are not there, or are where agents work."""
    path = Path(gate.hidden)
    if not path.exists():
        raise RalphError(f"the hidden files of gate {gate.name} are not there", where=printable(str(path)))
    real, root = path.resolve(), repo.root.resolve()
    if not real.is_relative_to(root):
        return
    inside = os.path.relpath(real, root)
    why = "the agent works in this folder"
    if not in_place:
        query = ("ls-files", "-c", "-o", "--exclude-standard", "-z", "--", f":(literal){inside}")
        recorded = program.run(query, cwd=root)
        why = "git records it, so that every workspace contains it" if recorded else ""
        why = why or (f"`share` gives it to every workspace: {few(share)}" if under(inside, share) else "")
    if why:
        raise RalphError(
            f"the hidden files of gate {gate.name} are not hidden: {why}",
            where=printable(str(path)),
            todo="Keep them outside the repository.",
        )


def _prune(place: Path) -> None:
    """The folders around, as far as nothing else is in them."""
    with suppress(OSError):
        place.rmdir()
        place.parent.rmdir()


def _clock_offset() -> int:
    """What the wall clock says beyond the clock that no one sets, in ns."""
    return time.time_ns() - time.monotonic_ns()


def _open_up(root: Path) -> None:
    """Without what git would wait for or could not read: a FIFO in place of a file that it looks at, a folder that is shut."""
    take_away(root, look_everywhere(str(root)))


def _digest(index: Path) -> str:
    try:
        return hashlib.sha256(read_bytes(index)).hexdigest()
    except OSError:
        return ""


def _make_repository(home: Repo, inside: Repo, root: Path, index: Path, to: Judged) -> None:
    """What tools ask git for: the files, the change since the start, branches and tags of the user's repository. All of it
    is the checkout's own; objects are borrowed."""
    git_dir = root / ".git"
    head = f"ref: {to.branch}" if to.branch else to.commit or "ref: refs/heads/main"
    write_git_dir(home, git_dir, _refs(home), head, inside.objects)
    shutil.copy2(index, git_dir / "index")
    commit = to.commit if to.commit and _tree_of(home, to.commit) == to.tree else _commit(git_dir, to)
    if to.branch or not to.commit:
        ref = git_dir / (to.branch or "refs/heads/main")
        ref.parent.mkdir(parents=True, exist_ok=True)
        ref.write_text(f"{commit}\n")
    else:
        (git_dir / "HEAD").write_text(f"{commit}\n")


def _refs(home: Repo) -> bytes:
    shown = ("refs/heads", "refs/remotes", "refs/tags")
    listed = home.git("for-each-ref", "--format=%(objectname) %(refname)", *shown)
    lines = sorted(listed.splitlines(), key=lambda line: line.split(b" ", 1)[1])
    return b"# pack-refs with: sorted \n" + b"".join(line + b"\n" for line in lines)


def _tree_of(home: Repo, commit: str) -> str:
    """Asked of the user's repository: an agent may have damaged its own."""
    return home.git("rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip()


def _commit(git_dir: Path, to: Judged) -> str:
    """As if the change had landed."""
    parents = ("-p", to.commit) if to.commit else ()
    words = ("commit-tree", to.tree, *parents, "-m", "the change that is judged")
    return program.run(words, cwd=git_dir, env={"GIT_DIR": str(git_dir)}).decode().strip()
