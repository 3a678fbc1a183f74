"""Finds what an agent did to refs: compares them before and after, without the changes that this process made itself."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import msgspec

from ralph.files import Stamp, read_bytes, stamp
from ralph.git.program import GitFailed
from ralph.git.repo import Repo, printable


class Update(msgspec.Struct, frozen=True):
    """One ref's change. An empty `old` means that it must not exist, an empty `new` that it goes away."""

    ref: str
    new: str
    old: str


OWN_CHANGES: defaultdict[Path, list[Update]] = defaultdict(
    list
)  # what this process did to the refs of a git directory


_REF = "ref:"
_DEPTH = 5  # as deep as git follows them


def ref_text(path: Path) -> str:
    """What a ref's file says: an object id, or `ref: <name>`, also where it is a symbolic link. Empty: not there."""
    try:
        if path.is_symlink() and (to := str(path.readlink())).startswith("refs/"):
            return f"{_REF} {to}"
        text = os.fsdecode(read_bytes(path).strip())  # of bytes: a name may end in a space that is not ASCII
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""
    return f"{_REF} {text.removeprefix(_REF).lstrip()}" if text.startswith(_REF) else text


def symbolic_target(text: str) -> str:
    """The ref that such a text leads to; empty where it is none of ours to read."""
    name = text.removeprefix(f"{_REF} ") if text.startswith(f"{_REF} ") else ""
    return name if name.startswith("refs/") and ".." not in name else ""


def ref_chain(text: str, ask: Callable[[str], str]) -> list[str]:
    """The refs that a text leads to, each by the one before it; the last is the one that a commit moves. `ask` says what
    a ref says."""
    found: list[str] = []
    while len(found) < _DEPTH and (name := symbolic_target(text)):
        found.append(name)
        text = ask(name)
    return found


_OURS = "refs/ralph/"
_HEADS = "refs/heads/"
_COMMIT = re.compile("[0-9a-f]{40,64}")
_MOST_BRANCHES = 5
MOST_COMMITS = 50  # of one iteration that are named
_PACKED = "packed-refs"


class RefWatch:
    def __init__(self, repo: Repo, others: Callable[[], Collection[str]] = tuple) -> None:
        """`others`: the branches that other loops work on now; the one that HEAD stands for does not count."""
        self._repo = repo
        self._on = repo.versioned and (repo.common_dir / "refs" / "heads").is_dir()
        self._common = repo.common_dir
        self._head_file = repo.git_dir / "HEAD"
        self._files: dict[str, Stamp] = {}
        self._refs: dict[str, str] = {}
        self._head = ""
        self._text: tuple[dict[str, str], str, str] = ({}, "", "")
        self._ask_others = others
        self._others: frozenset[str] = frozenset()
        self._noted = 0  # of what this process did to refs
        self._before: tuple[Update, ...] = ()  # what others may have done for us since the last look
        self._advanced: dict[str, str] = {}  # branch, or HEAD -> the commit to which `moved` found it moved
        self._left: frozenset[str] = frozenset()  # what all refs said before that
        self.look()

    def branch(self) -> str:
        """The ref that HEAD stands for, symbolic branches followed; empty when detached."""
        led = ref_chain(self._head, lambda name: self._refs.get(name, ""))
        return led[-1] if led else ""

    def commit(self) -> str:
        """The commit that HEAD stands for, as of the last look; empty before the first."""
        branch = self.branch()
        return self._refs.get(branch, "") if branch else self._head

    def look(self) -> None:
        """Remember how the refs are now."""
        if self._on:
            self._head = ref_text(self._head_file)
            self._update()
            self._others, self._before = frozenset(self._ask_others()), ()
            self._noted = len(OWN_CHANGES[self._common])

    def moved(self, *, work: bool = True) -> tuple[str, ...]:
        """What differs from the last look, except, where someone was to `work` on it, the branch that HEAD stands for."""
        if not self._on:
            return ()
        own, head, before = self.branch(), self._head, self._refs
        known = _Known(self._others, self._before, OWN_CHANGES[self._common][self._noted :])
        self.look()
        known.others = (known.others | self._others) - {own}
        found = [f"HEAD: {head} → {self._head}"] if head.startswith("ref: ") and head != self._head else []
        self._advanced = {} if self.branch() or head == self._head else {"HEAD": self._head}
        self._left = frozenset((head, *before.values()))
        for name in sorted(before.keys() | self._refs.keys()) if before != self._refs else ():
            was, now, worked_on = before.get(name, ""), self._refs.get(name, ""), work and name == own
            if was == now or (not worked_on and known.explains(name, was, now)):
                continue
            if name.startswith(_HEADS):
                self._advanced[name] = now
            if not worked_on:
                found.append(f"{name}: {_shown(was)} → {_shown(now)}")
        return tuple(printable(line) for line in found)

    def new_commits(self) -> dict[str, tuple[str, ...]]:
        """Branch, or HEAD where that is detached -> the commits that came onto it by what `moved` found last, newest first.
        Where nothing had moved, git is not asked."""
        found: dict[str, tuple[str, ...]] = {}
        known = {value for value in self._left if _COMMIT.fullmatch(value)}
        own = self.branch()  # what is on it and elsewhere too is named with it
        for name, tip in sorted(self._advanced.items(), key=lambda moved: moved[0] != own)[:_MOST_BRANCHES]:
            most = MOST_COMMITS - sum(map(len, found.values()))
            if not most or tip in known or not _COMMIT.fullmatch(tip):
                continue
            args = ("rev-list", "--ignore-missing", f"--max-count={most}", "--stdin")
            wanted = "".join((f"{tip}\n", *(f"^{one}\n" for one in sorted(known))))
            try:
                out = self._repo.git_inside(*args, stdin=wanted.encode())
            except GitFailed:  # of a damaged history nothing is known
                continue
            known.add(tip)
            if out:
                found[printable(name.removeprefix(_HEADS))] = tuple(out.decode().split())
        return found

    def memory(self) -> str:
        """The last look as text, for a process that comes after this one."""
        if self._text[0] is not self._refs or self._text[1] != self._head:
            lines = (f"{value} {name}" for name, value in self._refs.items())
            self._text = (self._refs, self._head, "\n".join((self._head, *lines)) if self._on else "")
        return self._text[2]

    def recall(
        self, memory: str, made: Sequence[Update] = (), branches: Collection[str] = frozenset()
    ) -> None:
        """Take up the look of a process before this one: since then Ralph may have `made` these moves, all or some, and
        let loops work on these `branches`."""
        self._before, self._others, self._noted = tuple(made), frozenset(branches), 0
        head, *lines = memory.split("\n")
        self._head, self._files = head, {}
        # From the right: the value of a symbolic ref has a space in it, and no name has.
        self._refs = {name: value for value, _, name in (line.rpartition(" ") for line in lines)}

    def _update(self) -> None:
        files = self._stat_all()
        if files == self._files:
            return
        self._files = files
        loose = {name: ref_text(self._common / name) for name in files if name != _PACKED}
        # After them: `git pack-refs` writes it before it removes a file, so what vanished since the look is in it.
        refs = _packed(self._common / _PACKED) | {name: value for name, value in loose.items() if value}
        self._refs = {name: value for name, value in refs.items() if not name.startswith(_OURS)}

    def _stat_all(self) -> dict[str, Stamp]:
        found: dict[str, Stamp | None] = {}
        folders = ["refs"]
        while folders:
            folder = folders.pop()
            try:
                entries = list(os.scandir(self._common / folder))
            except (FileNotFoundError, NotADirectoryError):  # gone since, or a ref by now
                continue
            for entry in entries:
                name = f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if f"{name}/" != _OURS:
                        folders.append(name)
                elif not name.endswith(".lock"):
                    found[name] = stamp(self._common / name, follow=False)
        found[_PACKED] = stamp(self._common / _PACKED)
        return {name: seen for name, seen in found.items() if seen}


class _Known:
    """What moved since a look without an agent's doing."""

    def __init__(self, others: frozenset[str], before: tuple[Update, ...], here: list[Update]) -> None:
        self.others = others
        self._before = before
        self._here = here

    def explains(self, name: str, was: str, now: str) -> bool:
        if name in self.others or any(m.ref == name and not m.old for m in self._here):
            return True  # of another loop: one that Ralph made since is, too
        reached = {was}
        for move in self._before:
            if move.ref == name and move.old in reached:
                reached.add(move.new)
        for move in self._here:
            if move.ref == name:
                reached = {move.new} if move.old in reached else set()
        return now in reached


def _packed(path: Path) -> dict[str, str]:
    try:
        lines = os.fsdecode(read_bytes(path)).split("\n")
    except FileNotFoundError:
        return {}
    refs = {}
    for line in lines:
        value, _, name = line.partition(" ")
        if name and not line.startswith(("#", "^")):
            refs[name] = value
    return refs


def _shown(value: str) -> str:
    return value if symbolic_target(value) else value[:12] or "none"
