"""The worker's bare copy of a remote, from which every claim gets a clone. Clones borrow its objects: nothing is removed from it
while someone uses it (`use`, `unused`)."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from msgspec.structs import replace

from ralph.core.fleet.lander import FENCES
from ralph.core.fleet.model import Repository
from ralph.errors import RalphError
from ralph.git import program
from ralph.git.program import GitFailed
from ralph.git.repo import Repo, configuration, make_git_dir, safe_name, shared_settings

_FETCHED = (
    "+refs/heads/*:refs/remotes/origin/*",
    "+refs/tags/*:refs/tags/*",
    f"+{FENCES}*:{FENCES}*",
)
_SETTINGS = {"core.bare": "true", "gc.auto": "0", "gc.pruneExpire": "never", "maintenance.auto": "false"}
_SAFE = ("protocol.ext.allow=never",)
_ORIGIN = "refs/remotes/origin/"


class Mirror:
    def __init__(self, folder: Path, repository: Repository) -> None:
        self.path = folder / f"{safe_name(repository.name)}.git"
        self.repository = repository

    @classmethod
    def found(cls, path: Path) -> Mirror:
        """One that is there, whatever it is a copy of: it cannot be fetched."""
        mirror = cls(path.parent, Repository(path.stem, "", ""))
        mirror.path = path
        return mirror

    def use(self) -> IO[str]:
        """Nothing is removed from it as long as this file is open."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = open(self._uses, "w")
        os.utime(self._uses)
        fcntl.flock(file, fcntl.LOCK_SH)
        return file

    @contextmanager
    def unused(self) -> Iterator[Mirror | None]:
        """Itself, and who wants to use it waits meanwhile; None: someone uses it."""
        with open(self._uses, "a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield None
                return
            with self._alone():
                yield self

    @property
    def used_at(self) -> float:
        """When someone last began to use it."""
        return self._uses.stat().st_mtime

    @property
    def _uses(self) -> Path:
        return self.path.with_suffix(".use")

    @property
    def repo(self) -> Repo:
        here = Repo(self.path, self.path, self.path, self.path / "ralph")
        return replace(here, object_format=shared_settings(here).get("extensions.objectformat", "sha1"))

    def fetch(self) -> None:
        """What the remote has now. One at a time; the others wait, and look again."""
        if self.repository.url.startswith("-"):
            raise RalphError(f"{self.repository.url} is no address of a repository", code=2)
        with self._alone():
            if not (self.path / "HEAD").exists():
                make_git_dir(self.path, configuration(self._format(), _SETTINGS))
            self._fetch("--prune", "--", self.repository.url, *_FETCHED)

    def _fetch(self, *what: str) -> None:
        how = ("--no-auto-gc", "--no-write-fetch-head", "--no-tags", "--quiet")
        self.repo.git("fetch", *how, *what, durable=True, settings=_SAFE)

    def tip(self, target: str = "") -> tuple[str, str]:
        """The branch on which work builds (short name), and its commit. RalphError: the remote has none."""
        branch = (target or self.repository.target or self._default()).removeprefix("refs/heads/")
        try:
            commit = self.repo.git("rev-parse", "--verify", "--quiet", f"{_ORIGIN}{branch}^{{commit}}")
        except GitFailed:
            raise RalphError(f"the remote of {self.repository.name} has no branch {branch}") from None
        return branch, commit.decode().strip()

    def bring(self, commit: str) -> bool:
        """Whether it is here, also if it is on no branch any more: someone may have rewound the one it was on. Many remotes give
        it all the same, as long as they have it."""
        if not self.holds(commit):
            try:
                with self._alone():
                    self._fetch("--", self.repository.url, commit)
            except GitFailed:
                return False
        return self.holds(commit)

    def holds(self, commit: str) -> bool:
        try:
            self.repo.git("cat-file", "-e", f"{commit}^{{commit}}")
        except GitFailed:
            return False
        return True

    def resolve(self, name: str) -> str:
        return self.repo.git("rev-parse", "--verify", "--quiet", name).decode().strip()

    def contains(self, branch: str, commit: str) -> bool:
        """Whether the remote's branch has it."""
        try:
            self.repo.git("merge-base", "--is-ancestor", commit, f"{_ORIGIN}{branch}")
        except GitFailed:
            return False
        return True

    def for_gh(self, place: Path) -> Repo:
        """A new repository there that has nothing but the remote: gh asks it where to go."""
        settings = {"core.bare": "true", "remote.origin.url": self.repository.url}
        make_git_dir(place, configuration(self.repo.object_format, settings))
        return replace(self.repo, root=place, git_dir=place, common_dir=place)

    def _default(self) -> str:
        """The branch that the remote's HEAD names."""
        said = self._ask("ls-remote", "--symref", "--", self.repository.url, "HEAD").splitlines()
        named = [line.split()[1] for line in said if line.startswith("ref: ")]
        return named[0] if named else "main"

    def _format(self) -> str:
        ids = [line.split()[0] for line in self._ask("ls-remote", "--", self.repository.url).splitlines()]
        return "sha256" if ids and len(ids[0]) == 64 else "sha1"

    def _ask(self, *args: str) -> str:
        return os.fsdecode(program.run(args, cwd=Path("/"), settings=_SAFE))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
