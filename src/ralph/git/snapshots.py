"""Snapshots of a work tree, taken and restored with a private index. The user's index, HEAD and refs are not touched.

A snapshot is the tree of all tracked and untracked files, without ignored ones and without Ralph's own: where the user
has committed some of these, they are in it as in the base commit.
Nested repositories and dirty submodules cannot be stored; they are named in it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

import msgspec

from ralph.errors import DISK, RalphError
from ralph.fault_points import fault_point
from ralph.files import Stamp, prune_empty, read_bytes, stamp
from ralph.git import uncommitted_changes
from ralph.git.private_index import (
    MAX_ENTRIES,
    PrivateIndex,
    Walk,
    excludes,
    is_cache,
    walk,
)
from ralph.git.program import UNSEEN, GitFailed, GitOverdue
from ralph.git.repo import (
    OWN,
    Repo,
    head_and_tree,
    literal_pattern,
    printable,
    readable_head,
    safe_name,
)
from ralph.git.trees import Change, Trees
from ralph.git.uncommitted_changes import (
    GITLINK,
    declared_submodules,
    entries_without_marks,
    gitlinks,
    index_entries,
    is_plain_path,
    is_repository,
    open_submodule,
    uncommitted_paths,
    under,
)

if TYPE_CHECKING:
    from ralph.git.special_files import SpecialFile

_VERBOSE = re.compile(rb"^(?:add|remove) '(.*?)'$", re.MULTILINE | re.DOTALL)
_RESTORE_PASSES = 3
LARGEST = 512 << 20  # bytes of a file: above it, git no longer handles it like text, and needs seconds for it
_DOUBT = 30.0  # seconds after which git may wait for something that never comes


class Snapshot(msgspec.Struct, frozen=True):
    """The tree of a work tree at one moment."""

    tree: str
    nested: tuple[str, ...] = ()  # repositories inside the work tree that are not submodules
    dirty_submodules: tuple[str, ...] = ()
    too_large: tuple[
        str, ...
    ] = ()  # files that are not in it, or as they were before: git would take very long


class _Look(msgspec.Struct, frozen=True):
    """What can be seen without git: the files, and what decides which of them count."""

    walk: Walk | None
    excludes: Stamp | None
    user_index: Stamp | None


class Snapshots(Trees):
    """All snapshots of one work tree under one name; the name's private index stays warm between them."""

    def __init__(
        self,
        repo: Repo,
        name: str,
        own: Sequence[str] = (),
        *,
        base: str = "",
        max_walk: int = MAX_ENTRIES,
    ) -> None:
        """`base`: the commit that says what is at Ralph's own paths; empty: HEAD, as it is at the first snapshot."""
        super().__init__(PrivateIndex(repo, repo.state_dir / "shadow" / safe_name(name)))
        self.repo = repo
        self.displaced: list[str] = []  # where restore() moved what it would otherwise have destroyed
        self._own = tuple(dict.fromkeys((*OWN, *(os.path.normpath(path) for path in own))))
        self._base: str | None = base
        self._max_walk = max_walk
        self._last: Snapshot | None = None
        self._look_before: _Look | None = None
        self._index_before: Stamp | None = None
        self._rules_due = False  # restore() leaves the ignore rules to the next snapshot
        self._tracks_caches = False
        self._links: dict[str, str] = {}  # submodules: path and commit in the private index
        self._folders: set[str] = set()  # that hold tracked files: where to look for a `.git` without a walk
        self._nested: set[str] = set()
        self._too_large: list[str] = []

    # --- taking

    def take(self) -> Snapshot:
        """The tree as it is now. Without any git process when nothing changed since the last time."""
        return self._take(self._look())

    def take_left(self) -> tuple[Snapshot, tuple[str, ...]]:
        """The tree that an agent has left, and what was in it that git cannot record: that is gone from then on."""
        from ralph.git import special_files  # no agent need wait for it

        look = self._look()
        seen = special_files.special_files(look.walk.special() if look.walk else ())
        gone = self._take_away([*seen, *special_files.in_git_dir(self.repo)])
        try:
            return self._take(self._look() if gone else look), gone
        except RalphError:
            while more := self._take_away(special_files.look_everywhere(str(self.repo.root))):
                gone += more  # once more: what is in a folder shows when the folder can be read
            if not gone:
                raise
            return self.take(), gone

    def _take(self, look: _Look) -> Snapshot:
        fault_point("snapshot.before", writes=True)
        if self._last is None or not self._nothing_changed(look):
            _refuse_to_wait(look)
            with self._shadow.locked():
                self._last = self._record(look)
        fault_point("snapshot.after")
        return self._last

    def _take_away(self, found: Iterable[SpecialFile]) -> tuple[str, ...]:
        from ralph.git import special_files

        found = list(found)
        if not found:
            return ()
        tracked = os.fsdecode(self._shadow.run("ls-files", "-z")).split("\0")
        found = special_files.in_the_way(found, set(tracked))
        return tuple(map(str, special_files.take_away(self.repo.root, found)))

    def _look(self) -> _Look:
        exclude, index = self.repo.common_dir / "info" / "exclude", self.repo.git_dir / "index"
        return _Look(self._walk(), stamp(exclude), stamp(index))

    def _walk(self) -> Walk | None:
        if not self._max_walk:
            return None
        root, own = str(self.repo.root), frozenset(self._own)
        try:
            seen = walk(root, own, caches=self._tracks_caches, limit=self._max_walk)
        except OSError:  # git will say what it cannot read
            return None
        if seen is None:
            self._max_walk = 0  # too large: do not try again and again
        return seen

    def _nothing_changed(self, look: _Look) -> bool:
        before = self._look_before
        return (
            before is not None
            and look.walk is not None
            and before.walk is not None
            and not self._links  # a commit inside a submodule changes no file of the work tree
            and look.excludes == before.excludes
            and look.user_index == before.user_index
            and look.walk.proves_unchanged(before.walk)
        )

    def _record(self, look: _Look, *, rules: bool = True) -> Snapshot:
        warm = self._shadow.index.exists()
        try:
            return self._record_with_index(look, rules)
        except GitFailed as failed:
            if not warm or "Permission denied" in failed.stderr:
                raise _unreadable(failed) from None
        # The warm index may be damaged or name objects that someone pruned: once more, from HEAD.
        self._shadow.index.unlink(missing_ok=True)
        try:
            return self._record_with_index(look, rules)
        except GitFailed as failed:
            raise _unreadable(failed) from None

    def _record_with_index(self, look: _Look, rules: bool) -> Snapshot:
        before = self._look_before
        fresh = self._index_before is None or stamp(self._shadow.index) != self._index_before
        # the tree that the private index holds, where that is known
        held = self._load() if fresh else self._last.tree if self._last else ""
        if before is None or look.excludes != before.excludes:
            self._shadow.copy_excludes()
        touched = self._update_submodules()
        # Where there is no walk, `git add` shows by its time that there are others.
        self._too_large = self._unrecordable(look.walk.large(LARGEST) if look.walk else self._too_large)
        stored = self._add(look, before)
        touched |= bool(stored)
        rules_due = self._rules_due or fresh or before is None or _rules_changed(look, before, stored)
        if rules_due and rules:
            touched |= self._apply_ignore_rules(held if fresh and not touched else "")
        self._rules_due = rules_due and not rules
        snapshot = Snapshot(
            held if held and not touched else self._write_tree(self._shadow.index),
            tuple(sorted(self._nested)),
            tuple(path for path in sorted(self._links) if self._is_dirty(path)),
            tuple(sorted(self._too_large)),
        )
        self._look_before = look
        self._index_before = stamp(self._shadow.index)
        return snapshot

    def _load(self) -> str:
        """Learn what the private index holds; make one when there is none. Returns HEAD's tree if it holds just that."""
        if not self._shadow.index.exists():
            self._shadow.seed()
        listed = entries_without_marks(self._shadow)
        tree = self._tree_of_base()
        committed = self.files(tree) if tree else []
        if tree:
            wanted = uncommitted_changes.own_entries(committed, self._own)
        else:
            wanted = uncommitted_changes.committed_own_files(self._shadow, self._base, self._own)
        changed = uncommitted_changes.put_entries(self._shadow, listed, wanted, self._own)
        self._links = {
            path: commit for path, commit in gitlinks(listed).items() if not under(path, self._own)
        }
        self._tracks_caches, self._folders = False, set()
        self._remember(path for _, _, path in listed)
        return tree if tree and not changed and committed == listed else ""

    def _tree_of_base(self) -> str | None:
        """HEAD's tree, if HEAD is the base."""
        try:
            commit, tree = head_and_tree(self.repo)
        except RalphError:  # in a clone that may be its agent's doing, and the base is known
            if self._base == "":
                raise
            return None
        if self._base == "":
            self._base = commit
        return tree if commit == self._base else None

    def rebase(self, commit: str) -> None:
        """From now on Ralph's own paths are those of another commit; so are their files, where no one has changed them."""
        with self._shadow.locked():
            uncommitted_changes.follow_commit(self._shadow, self._base or None, commit, self._own)
        self._base = commit
        self._last = self._index_before = None

    def _remember(self, paths: Iterable[str]) -> None:
        """Note what the private index holds beyond files: folders, and caches that therefore count."""
        for path in paths:
            self._tracks_caches = self._tracks_caches or is_cache(path)
            folder = path.rpartition("/")[0]
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]

    # --- adding files

    def _add(self, look: _Look, before: _Look | None) -> list[str]:
        """Bring the private index up to date with the files; returns the paths whose entries changed."""
        untracked, inside = self._find_nested(look.walk)
        if look.walk and before and before.walk and look.walk.hidden_edit_possible(before.walk):
            with _distrusted(self._shadow.index):
                out = self._git_add(untracked)
        else:
            out = self._git_add(untracked)
        stored = [os.fsdecode(path) for path in _VERBOSE.findall(out)]
        if b"/'\n" in out or out.count(b"\n") != len(stored):
            # git stored a bare link to a repository that the walk did not show, or a file's name makes it look so.
            listed = index_entries(self._shadow.run("ls-files", "-s", "-z"))
            stored += [path for _, _, path in listed]
            links = {path for path in gitlinks(listed).keys() - self._links if not under(path, self._own)}
            if links:
                self._update_index(dict.fromkeys(links))
                untracked |= links
        self._remember(stored)
        self._nested = untracked | inside
        return stored

    def _unrecordable(self, large: list[str]) -> list[str]:
        """Those of these files that git would have to read and store: new ones, and those whose size has changed."""
        sizes = {path: st[1] for path in large if (st := stamp(self.repo.root / path, follow=False))}
        large = [path for path, size in sizes.items() if size > LARGEST]
        if not large:
            return []
        specs = [f":(literal){path}" for path in large]
        new = os.fsdecode(self._shadow.run("ls-files", "-o", "--exclude-standard", "-z", "--", *specs))
        listed = index_entries(self._shadow.run("ls-files", "-s", "-z", "--", *specs))
        changed = [
            path for _, oid, path in listed if int(self._shadow.run("cat-file", "-s", oid)) != sizes[path]
        ]
        return [*new.split("\0")[:-1], *changed]

    def _git_add(self, nested: set[str]) -> bytes:
        leave = (*self._own, *sorted(nested), *self._links, *self._too_large)
        try:
            return self._run_add(leave)
        except GitFailed as failed:
            if "does not have a commit checked out" not in failed.stderr:
                raise
        # A nested repository without a commit makes git refuse everything: find it, leave it out.
        others = os.fsdecode(self._shadow.run("ls-files", "-o", "--exclude-standard", "-z")).split("\0")
        nested |= {path[:-1] for path in others if path.endswith("/") and not under(path[:-1], leave)}
        return self._run_add((*leave, *sorted(nested)))

    def _run_add(self, leave: tuple[str, ...]) -> bytes:
        sparse = ("--sparse",) if self._shadow.sparse else ()
        # git goes through no link
        leave = tuple(path for path in leave if is_plain_path(self.repo.root, path))
        command = ("add", "-A", "-v", *sparse, *excludes(leave))
        try:
            try:
                return self._shadow.run(*command, limit=_DOUBT)
            except GitOverdue:
                from ralph.git import special_files

                found = special_files.look_everywhere(str(self.repo.root))
                if any(special_files.in_the_way(found, ())):
                    raise
                self._too_large = self._unrecordable(special_files.large_files(str(self.repo.root), LARGEST))
                command = ("add", "-A", "-v", *sparse, *excludes((*leave, *self._too_large)))
                return self._shadow.run(*command)  # it is only a large tree
        except GitFailed as failed:
            # git complains, after adding everything, when a path to leave out is also an ignored one
            only_that = failed.status == 1 and UNSEEN not in failed.stderr
            if only_that and "ignored by one of your .gitignore files" in failed.stderr:
                return failed.stdout
            raise

    def _find_nested(self, seen: Walk | None) -> tuple[set[str], set[str]]:
        """Repositories inside the work tree: those that git would store as a bare link, and those whose files it
        stores because it tracks some of them."""
        candidates = (self._folders | self._nested) if seen is None else set(seen.repositories)
        candidates = {
            path
            for path in candidates
            if os.path.lexists(f"{self.repo.root}/{path}/.git")
            and is_repository(self.repo.root / path)
            and not under(path, self._links)
            and not under(path, self._own)
        }
        if not candidates:
            return set(), set()
        specs = [f":(literal){path}" for path in sorted(candidates)]
        listed = os.fsdecode(
            self._shadow.run("ls-files", "-c", "-o", "--exclude-standard", "-z", "--", *specs)
        )
        shown = listed.split("\0")[:-1]
        untracked = {path for path in candidates if f"{path}/" in shown}
        inside = {
            path for path in candidates - untracked if any(entry.startswith(f"{path}/") for entry in shown)
        }
        return untracked, inside

    def _update_index(self, entries: dict[str, str | None]) -> None:
        """Set submodule commits in the private index; None removes the entry."""
        lines = [
            f"{GITLINK} {commit}\t{path}\0" if commit else f"0 {self.repo.zero}\t{path}\0"
            for path, commit in entries.items()
        ]
        self._shadow.run("update-index", "-z", "--index-info", stdin=os.fsencode("".join(lines)))

    # --- submodules

    def _update_submodules(self) -> bool:
        """Record what is checked out in each submodule. git add is kept away from them: it would run git inside."""
        news: dict[str, str | None] = {}
        for path in (*self._declared_now(), *self._links):
            folder, recorded = self.repo.root / path, self._links.get(path)
            if folder.is_dir() and not folder.is_symlink() and is_plain_path(self.repo.root, path):
                submodule = open_submodule(self.repo, path)
                commit = readable_head(submodule) if submodule else None
                if commit not in (None, recorded):
                    news[path] = commit
            elif recorded:
                news[path] = None
        if news:
            self._update_index(news)
        for path, commit in news.items():
            if commit is None:
                self._links.pop(path, None)
            else:
                self._links[path] = commit
        return bool(news)

    def _declared_now(self) -> set[str]:
        """Submodules that `.gitmodules` declares and the private index does not know yet."""
        if not os.path.lexists(self.repo.root / ".gitmodules"):
            return set()
        declared = declared_submodules(self.repo) - self._links.keys()
        return {path for path in declared if not under(path, self._own)}

    def _is_dirty(self, path: str) -> bool:
        submodule = open_submodule(self.repo, path)
        if submodule is None:  # files without a repository around them can be stored nowhere
            return any((self.repo.root / path).iterdir())
        return bool(uncommitted_paths(submodule))

    # --- ignore rules

    def _apply_ignore_rules(self, committed: str) -> bool:
        """Untracked files that are ignored by now leave the private index; ignored ones that the user's git tracks
        enter it. git add does neither by itself. An index that holds just a `committed` tree has none to lose."""
        query = ("ls-files", "-c", "-i", "--exclude-standard", "-z")
        if committed:
            held = {os.fsencode(path) for _, _, path in self.files(committed)}
            ignored = set[bytes]()
        else:
            held = ignored = set(self._shadow.run(*query).split(b"\0")[:-1])
        tracked = set()
        # theirs may be damaged; HEAD is asked below
        with self._shadow.scratch_index() as copy, suppress(GitFailed):
            if self._shadow.copy_user_index(copy):
                tracked = set(self._shadow.run(*query, index=copy).split(b"\0")[:-1])
        gone = {path for path in ignored - tracked if not under(os.fsdecode(path), self._own)}
        commit = readable_head(self.repo) if gone else None
        if commit:
            gone -= set(
                self._shadow.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split(b"\0")
            )
        new = {path for path in tracked - held if self._may_add(os.fsdecode(path))}
        if gone:
            self._shadow.run(
                "update-index", "--force-remove", "-z", "--stdin", stdin=b"\0".join(gone) + b"\0"
            )
        if new:
            self._shadow.run("update-index", "--add", "-z", "--stdin", stdin=b"\0".join(new) + b"\0")
            self._remember(os.fsdecode(path) for path in new)
        return bool(gone or new)

    def _may_add(self, path: str) -> bool:
        full = self.repo.root / path
        if under(path, self._own) or not os.path.lexists(full) or (full.is_dir() and not full.is_symlink()):
            return False
        return is_plain_path(self.repo.root, path)

    # --- restoring

    def restore(self, tree: str, paths: Sequence[str] | None = None) -> list[str]:
        """Make the work tree (or only `paths` of it) equal to `tree`; returns what was changed.

        Ignored files, Ralph's own, submodules and nested repositories stay. The caller has saved the present state
        if it is worth keeping; what no snapshot holds is moved aside (see `displaced`), never destroyed.
        """
        self.require(tree)
        changed: set[str] = set()
        with self._shadow.locked():
            for turn in range(_RESTORE_PASSES):
                # The rules apply once: what is being restored may be ignored and still belongs to `tree`.
                now = self._last = self._record(self._look(), rules=turn == 0)
                target = self._target(now.tree, tree, paths)
                differences = self.diff(now.tree, target)
                if turn:  # written, and stored in another form: the rules for line ends have changed
                    differences = [x for x in differences if not self._is_its_form(x, now.tree, target)]
                if not differences:
                    return sorted(changed)
                changed |= {difference.path for difference in differences}
                fault_point("restore.before", writes=True)
                try:
                    # Later turns meet files that only an ignore rule, gone by now, had kept out of the snapshot.
                    self._make_way(differences, keep_deleted=turn > 0)
                except OSError as error:
                    raise RalphError(f"cannot restore {error.filename}: {error.strerror}", code=70) from None
                fault_point("restore.between", writes=True)
                self._shadow.run("read-tree", "-m", "-u", now.tree, target)
        names = ", ".join(printable(difference.path) for difference in differences[:5])
        raise RalphError(
            f"could not restore {len(differences)} paths: {names}", where=str(self.repo.root), code=70
        )

    def _is_its_form(self, x: Change, now: str, target: str) -> bool:
        """Whether what is stored of a file is what git makes of the wanted content there, by its attributes."""
        if x.status != "M" or x.old_mode != x.new_mode or not x.old_mode.startswith("100"):
            return False
        content = self.read(target, x.path)
        if content is None:
            return False
        made = self._shadow.run("hash-object", "--stdin", f"--path={x.path}", stdin=content)
        there = self._shadow.run("rev-parse", "--verify", f"{now}:{x.path}")
        return made == there

    def _target(self, now: str, tree: str, paths: Sequence[str] | None) -> str:
        """The tree to reach: `tree` where asked for, and the present one for what is not ours to change."""
        wanted = None if paths is None else [os.path.normpath(path) for path in paths]
        target = tree if wanted is None else self.overlay(now, tree, wanted)
        fixed = [
            difference.path
            for difference in self.diff(now, target)
            if under(difference.path, self._own) or GITLINK in (difference.old_mode, difference.new_mode)
        ]
        return self.overlay(target, now, fixed) if fixed else target

    def _make_way(self, differences: list[Change], *, keep_deleted: bool) -> None:
        for difference in differences:
            if difference.status != "D":
                continue
            path = self.repo.root / difference.path
            if keep_deleted:
                self._displace(difference.path)
            else:
                path.unlink(missing_ok=True)
            prune_empty(path.parent, self.repo.root)
        for difference in differences:
            if difference.status != "A":
                continue
            for parent in reversed(Path(difference.path).parents[:-1]):
                folder = self.repo.root / parent
                if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
                    self._displace(str(parent))
            if os.path.lexists(self.repo.root / difference.path):
                self._displace(difference.path)

    def _displace(self, path: str) -> None:
        """Move a file or folder that no snapshot holds out of the way, into Ralph's state."""
        aside = self.repo.state_dir / "displaced"
        aside.mkdir(parents=True, exist_ok=True)
        number = 1 + max((int(entry.name) for entry in aside.iterdir() if entry.name.isdigit()), default=0)
        to = aside / str(number) / path
        to.parent.mkdir(parents=True)
        fault_point("rename.before", writes=True)
        shutil.move(self.repo.root / path, to)
        fault_point("rename.after")
        self.displaced.append(str(to))

    # --- for finding what is hidden

    def ignored_files(self) -> list[str]:
        """Files that are ignored one by one; those in folders that are ignored as a whole are not listed."""
        query = ("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z")
        listed = os.fsdecode(self._shadow.run(*query)).split("\0")[:-1]
        return [path for path in listed if not path.endswith("/") and not under(path, self._own)]

    def settings(self) -> str:
        """The few harmless settings under which snapshots are taken, as a git configuration file."""
        return (self._shadow.folder / "config").read_text(errors="surrogateescape")

    # --- for recovery and clean checkouts

    def user_index_tree(self) -> str | None:
        """The tree of the user's index, from a copy; None without an index, GitFailed in an unfinished merge."""
        with self._shadow.scratch_index() as copy:
            if not self._shadow.copy_user_index(copy):
                return None
            return self._write_tree(copy)

    def new_objects(self, trees: Sequence[str], commit: str | None) -> list[str]:
        """The objects that `trees` need and `commit` does not hold."""
        known = (f"^{commit}^{{tree}}",) if commit else ()
        listed = self._shadow.run(
            "rev-list", "--objects", "--no-object-names", "--missing=allow-any", *trees, *known
        )
        return listed.decode().split()

    def check_out(self, tree: str, into: Path, index: Path, *, keep: Sequence[str] = ()) -> None:
        """Make the folder `into` hold the files of `tree` and nothing else, but for the folders `keep`. `index` says what was
        written there before: without one, the folder must be empty or absent. Submodules are empty folders."""
        try:
            into.mkdir(parents=True, exist_ok=True)
            occupied = not index.exists() and any(into.iterdir())
        except OSError as error:
            if error.errno in DISK:
                raise
            why = f"cannot use the folder for a clean checkout: {error.strerror}"
            raise RalphError(why, where=str(into), code=70)
        if occupied:
            raise RalphError("a clean checkout needs an empty folder", where=str(into), code=70)
        self.require(tree)
        with self._shadow.locked():
            if index.exists():
                kept = [part for name in keep for part in ("-e", f"/{literal_pattern(name)}/")]
                self._shadow.run("clean", "-ffdxq", *kept, index=index, work_tree=into)
            self._shadow.run("read-tree", "--reset", "-u", tree, index=index, work_tree=into)

    def changed_in(self, into: Path, index: Path) -> list[str]:
        """The recorded files that are not in the checkout `into` as they were written there."""
        listed = self._shadow.run("ls-files", "-m", "-d", "-z", index=index, work_tree=into)
        paths = dict.fromkeys(os.fsdecode(listed).split("\0")[:-1])
        found = [path for path in paths if not under(path, self._own)]
        if not found:
            return []
        staged = os.fsdecode(self._shadow.run("ls-files", "-s", "-z", index=index, work_tree=into))
        recorded = {path: about for about, _, path in (e.partition("\t") for e in staged.split("\0")[:-1])}
        return [path for path in found if not _holds(into / path, recorded.get(path, ""))]

    def unrecorded(self) -> list[str]:
        """What is in the work tree and not in a snapshot of it: ignored files and empty folders; of a folder without any
        recorded file, its name with a slash at the end. Without Ralph's own and without caches."""
        listed = os.fsdecode(self._shadow.run("ls-files", "-o", "--directory", "-z")).split("\0")[:-1]
        listed += [f"{path}/" for path in self._links if any((self.repo.root / path).glob("*"))]
        return [path for path in listed if not under(path.rstrip("/"), self._own) and not is_cache(path)]

    @property
    def partial(self) -> bool:
        """Whether objects may be missing, so that not every tree can be checked out."""
        self._shadow.open()
        return self._shadow.partial


def _holds(path: Path, recorded: str) -> bool:
    """Whether the file is byte for byte what this entry of an index says. Git may see a difference all the same, by rules for
    line ends that the recorded content does not follow."""
    mode, _, name = recorded.partition(" ")
    try:
        st = path.lstat()
        if not S_ISREG(st.st_mode) or mode != ("100755" if st.st_mode & 0o100 else "100644"):
            return False
        content = read_bytes(path)
    except OSError:
        return False
    oid = name.partition(" ")[0]
    made = hashlib.new("sha1" if len(oid) == 40 else "sha256", b"blob %d\0" % len(content) + content)
    return made.hexdigest() == oid


def _refuse_to_wait(look: _Look) -> None:
    """git would, for a FIFO in place of a file that it reads."""
    special = look.walk.special() if look.walk else []
    if not special:
        return
    from ralph.git import special_files

    if found := special_files.in_the_way(special_files.special_files(special), ()):
        raise RalphError(f"cannot take a snapshot: {found[0]}", todo="Remove it.", code=70)


@contextmanager
def _distrusted(index: Path) -> Iterator[None]:
    """Makes git compare the content of every file once, by giving the index a time stamp older than all files."""
    st = index.stat()
    os.utime(index, ns=(10**9, 10**9))
    try:
        yield
    finally:
        if index.stat().st_mtime_ns == 10**9:  # git had nothing to write
            os.utime(index, ns=(st.st_atime_ns, st.st_mtime_ns))


def _rules_changed(look: _Look, before: _Look, stored: list[str]) -> bool:
    if (look.excludes, look.user_index) != (before.excludes, before.user_index):
        return True
    if look.walk is None or before.walk is None:
        return any(path.endswith(".gitignore") for path in stored)
    return look.walk.ignore_files() != before.walk.ignore_files()


def _unreadable(failed: GitFailed) -> RalphError:
    denied = [line for line in failed.stderr.splitlines() if "Permission denied" in line]
    if not denied:
        return failed
    reason = denied[0].removeprefix("error: ").removeprefix("warning: ")
    return RalphError(
        f"cannot take a snapshot: {reason}",
        todo="Make it readable, or add it to .gitignore.",
        code=70,
    )
