"""Where a workspace is: its root, its git directories, and where Ralph keeps its own state.

A folder without git gets a Repo too, with a private object store inside `.ralph/`.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ralph.errors import DISK, RalphError
from ralph.files import read_bytes
from ralph.git import program

# Ralph's own files, in the folder where it runs and at the root: never part of a snapshot.
OWN = (".ralph", ".ralph_state.md", ".ralph_state.md.tmp", ".ralph.lock", ".stop", "ralph.log", "ralph.log.1")

STORE = "repository"  # in the state of a folder without git: its private object store
GATE_SLOT = "gate-"  # begins the names of the folders in which gates have their checkouts

# Of the user's own configuration: what decides how files look.
FILE_SETTINGS = frozenset(
    {"core.autocrlf", "core.eol", "core.excludesfile", "core.filemode", "core.ignorecase"}
    | {"core.precomposeunicode", "core.symlinks"}
)


class Repo(msgspec.Struct, frozen=True):
    """Facts about a workspace's repository, found once."""

    root: Path  # the top of the work tree
    git_dir: Path  # of this work tree; a linked worktree has its own
    common_dir: Path  # where objects, refs and configuration live
    state_dir: Path  # Ralph's own
    object_format: str = "sha1"
    versioned: bool = True  # False: a folder without git; git_dir is Ralph's private store
    store: Path | None = None  # where snapshots are kept, if not with the repository's own objects

    @property
    def objects(self) -> Path:
        return self.store or self.common_dir / "objects"

    @property
    def zero(self) -> str:
        """The object id that stands for none."""
        return "0" * (40 if self.object_format == "sha1" else 64)

    def git(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        durable: bool = False,
        settings: Sequence[str] = (),
    ) -> bytes:
        """Run git on the objects and refs that all work trees share. No work tree or index is looked at."""
        place = {"GIT_DIR": str(self.common_dir), **(env or {})}
        return program.run(
            args, cwd=self.common_dir, env=place, stdin=stdin, durable=durable, settings=settings
        )

    def git_inside(self, *args: str, stdin: bytes | None = None) -> bytes:
        """Run git in this work tree, with its own HEAD and index."""
        place = {"GIT_DIR": str(self.git_dir), "GIT_WORK_TREE": str(self.root)}
        return program.run(args, cwd=self.root, env=place, stdin=stdin)


def find(start: Path) -> Repo | None:
    """The repository around `start`; None when there is none. Bare repositories and `.git` itself are refused."""
    start = start.resolve()
    kinds = ("--is-bare-repository", "--is-inside-git-dir", "--show-object-format")
    places = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    try:
        lines = program.run(("rev-parse", *kinds, *places), cwd=start).split(b"\n")[:-1]
    except program.GitFailed as failed:
        if _is_elsewhere(failed):
            return None
        raise _explain(start, failed) from None
    if lines[1] == b"true":
        raise _inside_git_dir(start)
    paths = lines[3:]
    if len(paths) != len(places):  # a newline in a path
        paths = [program.run(("rev-parse", place), cwd=start)[:-1] for place in places]
    root, git_dir, common = (Path(start, os.fsdecode(path)).resolve() for path in paths)
    return Repo(root, git_dir, common, common / "ralph", lines[2].decode())


def _is_elsewhere(failed: program.GitFailed) -> bool:
    """Whether there simply is no repository; a `.git` that points nowhere is damage, not absence."""
    return "not a git repository (or any" in failed.stderr


def _explain(start: Path, failed: program.GitFailed) -> RalphError:
    said = failed.stdout.split(b"\n")
    if said[0] == b"true":
        return RalphError(
            "this is a bare repository: it has no files to work on",
            where=str(start),
            todo="Go to a clone or worktree of it: git worktree add ../work",
        )
    if said[1:2] == [b"true"]:
        return _inside_git_dir(start)
    if "dubious ownership" in failed.stderr:
        return RalphError(
            "git does not trust this repository, because it belongs to another user",
            where=str(start),
            todo=f"Run: git config --global --add safe.directory '{start}'",
        )
    return RalphError(
        f"git cannot use this repository: {failed.what}",
        where=str(start),
        todo="Fix it until `git status` works here.",
    )


def _inside_git_dir(start: Path) -> RalphError:
    return RalphError(
        "this folder is inside a git directory, not a work tree",
        where=str(start),
        todo="Go to the project's folder.",
    )


def without_git(root: Path) -> Repo:
    """A folder that no repository surrounds. Nothing is created before it is needed."""
    root = root.resolve()
    state = root / ".ralph"
    store = state / STORE
    return Repo(root, store, store, state, versioned=False)


def ensure_store(repo: Repo) -> None:
    """Create the private object store of a folder without git; an existing one is left alone."""
    if not repo.versioned and not (repo.git_dir / "HEAD").exists():
        make_git_dir(repo.git_dir, configuration("sha1", {"core.bare": "true"}))


def make_git_dir(folder: Path, configuration: str) -> None:
    """A git directory that holds nothing but its configuration."""
    for name in ("objects", "refs", "info"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "config").write_text(configuration, errors="surrogateescape")
    # last: its presence says that the rest is there
    (folder / "HEAD").write_text("ref: refs/heads/ralph\n")


def configuration(object_format: str, settings: Mapping[str, str]) -> str:
    """The text of a git configuration file."""
    basic = {"core.repositoryformatversion": "0", "core.bare": "false"}
    if object_format != "sha1":
        basic |= {"core.repositoryformatversion": "1", "extensions.objectformat": object_format}
    lines = []
    for key, value in {**basic, **settings}.items():
        section, _, rest = key.partition(".")
        part, _, name = rest.rpartition(".")
        lines += [f"[{section} {quoted(part)}]" if part else f"[{section}]", f"{name} = {quoted(value)}"]
    return "\n".join(lines) + "\n"


def quoted(value: str) -> str:
    """As git quotes values and paths."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def shared_settings(repo: Repo) -> Mapping[str, str]:
    """The repository's own configuration, as data: includes are not followed, nothing in it acts. Sections and keys are in
    lower case."""
    path = repo.common_dir / "config"
    return _settings_in(path, read_bytes(path)) if path.exists() else {}


def settings_of(repo: Repo) -> Mapping[str, str]:
    """The same, with what is set for this work tree alone."""
    shared, path = shared_settings(repo), repo.git_dir / "config.worktree"
    if not is_on(shared, "extensions.worktreeconfig") or not path.exists():
        return shared
    return {**shared, **_settings_in(path, read_bytes(path))}


def is_on(settings: Mapping[str, str], key: str) -> bool:
    return settings.get(key, "").lower() in ("true", "yes", "on", "1")


@functools.lru_cache(maxsize=8)
def _settings_in(path: Path, content: bytes) -> Mapping[str, str]:
    """What git reads in the file. The same content is asked for at every start of a loop, so that it is read once."""
    listed = program.run(("config", "--file", str(path), "--list", "-z"), cwd=path.parent)
    items = (item.partition("\n") for item in os.fsdecode(listed).split("\0")[:-1])
    return {key: value if has_value else "true" for key, has_value, value in items}


def object_id(kind: str, content: bytes, object_format: str) -> str:
    """The name of an object of this kind and content."""
    whole = b"%s %d\0%s" % (kind.encode(), len(content), content)
    return hashlib.new(object_format, whole, usedforsecurity=False).hexdigest()


def commits_between(repo: Repo, old: str, new: str) -> int:
    """How many commits `new` has that `old` has not; 0 when that is unknown."""
    if not repo.versioned or not old or not new or old == new or "\0" in old + new:
        return 0
    try:
        out = repo.git_inside("rev-list", "--count", f"{old}..{new}")
    except program.GitFailed:
        return 0
    return int(out)


def head(repo: Repo) -> str | None:
    """The commit that HEAD names; None before the first commit. Damage is reported, never taken for a new repository."""
    return head_and_tree(repo)[0]


def head_and_tree(repo: Repo) -> tuple[str | None, str | None]:
    """That commit and its tree, as they are at one moment."""
    if not repo.versioned:
        return None, None
    asked = b"HEAD^{commit}\nHEAD^{tree}\n"
    said = repo.git_inside("cat-file", "--batch-check=%(objectname)", stdin=asked).decode()
    commit, tree = (None if line.endswith(" missing") else line for line in said.splitlines())
    if commit is None and not _is_unborn(repo):
        raise _no_commit(repo)
    return commit, tree


def readable_head(repo: Repo) -> str | None:
    """The same where it matters little; None also where it is damaged, which may be an agent's doing."""
    try:
        return head(repo)
    except RalphError:
        return None


def _is_unborn(repo: Repo) -> bool:
    """Whether HEAD stands for a branch that has no commit yet: there is no ref of its name, neither loose nor packed."""
    try:
        ref = _asked(repo, "symbolic-ref", "--quiet", "HEAD")
    except program.GitFailed:  # what it leads to is no ref
        return False
    if not ref or any((place / ref).is_file() for place in (repo.common_dir, repo.git_dir)):
        return False
    return _asked(repo, "rev-parse", "--quiet", "--verify", "HEAD") is None


def _no_commit(repo: Repo) -> RalphError:
    named = _asked(repo, "rev-parse", "--quiet", "--verify", "HEAD")
    what = f"the commit that HEAD names, {named[:12]}, is missing" if named else "the ref of HEAD is damaged"
    return RalphError(
        f"git finds no commit here: {what}",
        where=printable(str(repo.root)),
        todo="See what `git fsck` says and fix it; `git reflog` may know earlier commits.",
        code=70,
    )


def _asked(repo: Repo, *args: str) -> str | None:
    """What git says; None when it ends with 1: there is no such thing."""
    try:
        out = repo.git_inside(*args)
    except program.GitFailed as failed:
        if failed.status == 1:
            return None
        raise
    return os.fsdecode(out).strip()


def own_files(repo: Repo, folder: Path, more: Iterable[str] = ()) -> tuple[str, ...]:
    """Ralph's own files for a run in `folder`, and `more` (relative to it or absolute), relative to the root."""
    folder = folder.resolve()
    found = []
    for name in (*OWN, *more):
        path = os.path.relpath(os.path.normpath(folder / name), repo.root)
        if path != "." and path.split("/", 1)[0] != "..":
            found.append(path)
    return tuple(dict.fromkeys((*OWN, *found)))


def safe_name(text: str) -> str:
    """`text` as one component of a path or ref; different texts give different names."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", text)
    if name == text and name:
        return name
    return f"{name[:80]}-{hashlib.sha1(os.fsencode(text), usedforsecurity=False).hexdigest()[:8]}"


def slots_dir(repo: Repo) -> Path:
    """The folder of this repository's workspaces and of the checkouts that gates run in. Not inside `.git`: agents guard
    it, and test runners skip it."""
    return workspaces_dir() / f"{safe_name(repo.root.name)[:40]}-{_mark(repo.common_dir)}"


def workspaces_dir() -> Path:
    """The folder of all repositories' workspaces."""
    chosen = os.environ.get("RALPH_WORKSPACES", "")
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    return Path(chosen).absolute() if chosen else home / "ralph" / "workspaces"


def make_slots_dir(repo: Repo) -> Path:
    """RalphError where that folder cannot be made: HOME may be read-only, or be nowhere."""
    place = slots_dir(repo)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in DISK:
            raise
        why = f"cannot make the folder for workspaces and gates' checkouts: {error.strerror}"
        todo = "Set RALPH_WORKSPACES to a folder that you may write; then `ralph resume`."
        raise RalphError(why, where=printable(str(place)), todo=todo, code=70) from None
    return place


def is_slot_of(common_dir: Path, folder: Path) -> bool:
    """Whether `folder` is a workspace of the repository whose git directory this is, or a gate's checkout, wherever these
    are kept."""
    mark = f"-{_mark(common_dir)}"
    if folder.name.isdigit():
        return folder.parent.name.endswith(mark)
    return folder.parent.name.startswith(GATE_SLOT) and folder.parent.parent.name.endswith(mark)


def _mark(common_dir: Path) -> str:
    return hashlib.sha256(os.fsencode(common_dir)).hexdigest()[:8]


def literal_pattern(path: str) -> str:
    """A path as a pattern of ignore rules that matches only itself."""
    name = os.path.normpath(path)
    return "".join(f"\\{character}" if character in "*?[\\ " else character for character in name)


def printable(path: str) -> str:
    """A path for people and for JSON: bytes that are not UTF-8 (kept as surrogates) become replacement marks."""
    return os.fsencode(path).decode("utf-8", "replace")


_SLUG = 40
_ID = 60


def branch_name(task_id: str, title: str) -> str:
    """`task/<id>-<slug>`. Different ids give different names."""
    return f"task/{safe_id(task_id)}-{slug(title)}"


def failure_name(task_id: str, stamp: str) -> str:
    """`wip/ralph-fail-<id>-<%Y%m%d-%H%M%S>`."""
    return f"wip/ralph-fail-{safe_id(task_id)}-{stamp}"


def slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title[:2000]).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    return "-".join(words)[:_SLUG].strip("-") or "untitled"


def safe_id(task_id: str) -> str:
    """The id itself where git and shells take it as it is; otherwise what can be kept of it, and a hash."""
    if re.fullmatch(r"[A-Za-z0-9_]+([.-][A-Za-z0-9_]+)*", task_id) and len(task_id) <= _ID:
        return task_id
    kept = ".".join(re.findall(r"[A-Za-z0-9_]+", task_id[:2000]))[:_ID].strip(".") or "task"
    return f"{kept}-{hashlib.sha256(task_id.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
