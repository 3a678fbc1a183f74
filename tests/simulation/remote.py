"""A git remote: commits, refs, compare-and-swap, atomic pushes or none. It remembers what was ever put onto the target."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ralph.core.fleet.check import LandedCommit
from simulation.world import World

TARGET = "refs/heads/main"
FENCE = "refs/ralph/lander/main"


class Commit(msgspec.Struct, frozen=True):
    id: str
    parents: tuple[str, ...]
    task: str = ""  # trailers
    epoch: int = 0


class GitRemote:
    def __init__(self, world: World, *, atomic: bool = True) -> None:
        self._world = world
        self.atomic = atomic
        self.commits: dict[str, Commit] = {}
        self.refs: dict[str, str] = {}
        self.landed: list[LandedCommit] = []
        self.refs[TARGET] = self.commit().id

    def commit(self, *parents: str, task: str = "", epoch: int = 0) -> Commit:
        made = Commit(f"c{len(self.commits) + 1}", parents, task, epoch)
        self.commits[made.id] = made
        return made

    def is_ancestor(self, id: str, of: str) -> bool:
        seen, left = set(), [of]
        while left:
            one = left.pop()
            if one == id:
                return True
            if one in self.commits and one not in seen:
                seen.add(one)
                left += self.commits[one].parents
        return False

    def push(self, who: str, changes: Mapping[str, tuple[str, str]]) -> bool:
        """ref -> (expected, new). All or nothing. A ref whose expected and new value are equal is not checked: so it was
        measured with git."""
        changed = {ref: change for ref, change in changes.items() if change[0] != change[1]}
        if any(self.refs.get(ref, "") != expected for ref, (expected, _) in changed.items()):
            self._world.log(who, "push refused", dict(changes), "is", dict(self.refs))
            return False
        for ref, (_, new) in changed.items():
            self.refs[ref] = new
        if TARGET in changed:
            self._note_landed(changed[TARGET][1])
        self._world.log(who, "push", dict(changes))
        return True

    def _note_landed(self, id: str) -> None:
        commit = self.commits[id]
        if commit.task:
            self.landed.append(LandedCommit(commit.id, commit.task, commit.epoch))

    # -- people

    def advance(self) -> None:
        self.refs[TARGET] = self.commit(self.refs[TARGET]).id
        self._world.log("person", "commits", self.refs[TARGET])

    def rewind(self) -> None:
        """Takes the newest commit off the target again."""
        if parents := self.commits[self.refs[TARGET]].parents:
            self.refs[TARGET] = parents[0]
            self._world.log("person", "rewinds to", parents[0])
