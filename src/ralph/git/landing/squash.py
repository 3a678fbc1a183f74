"""What lands, made of objects only: the message, the squashed commit, the merge with the target's tip, and the transfer of a
workspace's objects into the user's repository. No ref, index or file is touched.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from ralph.core.loop.state import LoopState
from ralph.fault_points import fault_point
from ralph.files import remove_tree, sync
from ralph.git import program
from ralph.git.program import GitFailed
from ralph.git.repo import Repo, printable, quoted
from ralph.git.snapshots import Snapshots
from ralph.git.trees import RAW_DIFF, parse_changes
from ralph.git.uncommitted_changes import GITLINK

# Files that every task adds to, and none rewrites: of a merge they get both sides.
_ATTRIBUTES = Path(__file__).with_name("append_only_attributes.txt")
_TASK = "Completes"
_SUBJECT = 200  # characters of a title in a commit message
# Control characters, line separators, marks that turn the direction of writing, and halves of characters.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_TRAILER = re.compile(
    r"^(?=(completes|task|ralph-[a-z]+|signed-off-by|co-authored-by)\s*:)", re.IGNORECASE | re.MULTILINE
)


class Person(msgspec.Struct, frozen=True):
    name: str
    email: str


class Merged(msgspec.Struct, frozen=True):
    """The tree of a three-way merge. With `conflicts` (paths) it holds files with conflict markers, and `text` says
    what git says about them."""

    tree: str
    conflicts: tuple[str, ...] = ()
    text: str = ""


def message(task_id: str, title: str, summary: str, trailers: Mapping[str, str] | None = None) -> str:
    """`[A.1.1] title`, the summary, and the trailers: `Completes: A.1.1`, and these. An agent's words are never among them."""
    task = one_line(task_id) or "task"
    subject = one_line(title) or "(no title)"
    if len(subject) > _SUBJECT:
        subject = f"{subject[: _SUBJECT - 1].rstrip()}…"
    body = _HARMFUL.sub("", summary.replace("\r\n", "\n").replace("\r", "\n"))
    body = "\n".join(line.rstrip() for line in body.split("\n")).strip("\n")
    body = _TRAILER.sub("  ", re.sub(r"\n{3,}", "\n\n", body))
    last = "".join(
        f"{name}: {one_line(value)}\n" for name, value in {_TASK: task, **(trailers or {})}.items()
    )
    return "\n\n".join(part for part in (f"[{task}] {subject}", body, last) if part)


def one_line(text: str) -> str:
    return " ".join(_HARMFUL.sub(" ", text).split())


def author(repo: Repo) -> Person:
    """The user's name and address as git knows them; Ralph's where it knows none."""
    query = ("config", "-z", "--get-regexp", r"^user\.(name|email)$")
    try:
        out = repo.git_inside(*query)
    except GitFailed:
        out = b""
    told = dict(item.split("\n", 1) for item in out.decode("utf-8", "replace").split("\0") if "\n" in item)
    found = (
        one_line(told.get(f"user.{key}", "")).translate({60: None, 62: None}) for key in ("name", "email")
    )
    name, email = found
    return Person(name or "Ralph", email or "ralph@localhost")


def squash(
    repo: Repo,
    tree: str,
    parent: str,
    text: str,
    by: Person,
    when: str,
    *,
    also: Sequence[str] = (),
    into: Path | None = None,
) -> str:
    """One commit of the tree on the parent. The same arguments give the same commit, so a repeat does no harm.
    `when`: ISO 8601 with an offset or Z. An empty parent is none.
    `also`: more parents. `into`: another object store, which holds the tree."""
    people = {
        "GIT_AUTHOR_NAME": by.name,
        "GIT_AUTHOR_EMAIL": by.email,
        "GIT_COMMITTER_NAME": by.name,
        "GIT_COMMITTER_EMAIL": by.email,
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_DATE": when,
    }
    fault_point("landing.squash.before", writes=True)
    message = text.encode("utf-8", "replace")
    parents = [part for one in (parent, *also) if one for part in ("-p", one)]
    env = people | writing(repo, into)
    made = repo.git("commit-tree", tree, *parents, env=env, stdin=message, durable=True)
    fault_point("landing.squash.after")
    return made.decode().strip()


def commit_aside(repo: Repo, tree: str, *parents: str, into: Path | None = None) -> str:
    """A commit that only holds a tree; the same for the same."""
    by, (parent, *also) = Person("Ralph", "ralph@localhost"), parents
    return squash(repo, tree, parent, "held\n", by, "1970-01-01T00:00:00Z", also=also, into=into)


def merge(repo: Repo, base: str, tip: str, tree: str, *, into: Path | None = None) -> Merged:
    """The change from `base` to `tree` brought onto `tip`. Where nothing but `base` is between them, `tree` itself.
    `into`: another object store, which holds the tree and gets what is made."""
    if tip == base:
        return Merged(tree)
    # Both as children of `base`: git would look for an older one where someone has taken that off the target, and would
    # bring back with the change what they took away.
    ours, theirs = (commit_aside(repo, each, base, into=into) for each in (f"{tip}^{{tree}}", tree))
    command = ("merge-tree", "--write-tree", "-z", "--messages", "--name-only", "--allow-unrelated-histories")
    settings = ["merge.directoryRenames=conflict", "merge.conflictStyle=merge", "merge.renames=true"]
    settings += [f"core.attributesFile={_ATTRIBUTES}"]
    try:
        out = repo.git(*command, ours, theirs, env=writing(repo, into), durable=True, settings=settings)
    except GitFailed as failed:
        if failed.status != 1:
            raise
        merged = _conflicting(os.fsdecode(failed.stdout))
        if not merged.conflicts:  # it would read as a clean merge
            raise
        return merged
    # What follows the tree is talk: "Auto-merging" of clean merges too.
    return Merged(os.fsdecode(out).partition("\0")[0])


def _conflicting(told: str) -> Merged:
    """The tree, the paths, an empty one, and what git says about them. No path is listed when all of them merged and yet it
    cannot tell what was meant: a folder was split. Then its messages name what they are about."""
    tree = told.partition("\0")[0]
    names, _, rest = told.removeprefix(tree).partition("\0\0")
    said = [(paths, text) for paths, text in _messages(rest) if text.startswith("CONFLICT")]
    paths = names.split("\0")[1:] or [path or "." for paths, _ in said for path in paths]
    text = "".join(f"{text}\n" for _, text in said)
    return Merged(tree, tuple(sorted({printable(path) for path in paths})), printable(text))


def bring_tree(repo: Repo, objects: Path, tree: str, base: str, *, loop: str = "") -> None:
    """Copy what `tree` has and the commit `base` has not out of a workspace's object store. No git runs in the workspace and
    its configuration is not read. Objects under their own hash: a repeat, or a death in the middle, does no harm.

    They come as a pack that no `git gc` touches until `drop_keeps` says that the loop is over: what it made has refs by
    then."""
    changes = parse_changes(repo.git(*RAW_DIFF, "-t", base, tree, env=_with(objects)))
    oids = {change.new for change in changes if change.new and change.new_mode != GITLINK}
    if changes:  # what only removes files has a new tree at its top all the same
        _bring(repo, objects, "".join(f"{oid}\n" for oid in sorted({*oids, tree})), loop)


def bring_history(repo: Repo, objects: Path, commit: str, *known: str, loop: str = "") -> None:
    """As `bring_tree`, for a commit and those behind it that `known` do not reach."""
    if commit not in known:
        wanted = "".join((f"{commit}\n", *(f"^{one}\n" for one in known)))
        _bring(repo, objects, wanted, loop, "--revs", "--thin")


def _bring(repo: Repo, objects: Path, wanted: str, loop: str, *how: str) -> None:
    place = {"GIT_DIR": str(repo.common_dir)}
    repo.state_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=repo.state_dir) as pack:
        program.run(
            ("pack-objects", "--stdout", "--quiet", "--delta-base-offset", *how),
            cwd=repo.common_dir,
            env={**place, **_with(objects)},
            stdin=wanted.encode(),
            stdout=pack,
            settings=("pack.threads=1",),
        )
        count = int.from_bytes(os.pread(pack.fileno(), 4, 8), "big")
        os.lseek(pack.fileno(), 0, os.SEEK_SET)
        if not count:
            return
        fault_point("landing.bring.before", writes=True)
        _store_pack(repo, pack, loop)
        fault_point("landing.bring.after")


def _store_pack(repo: Repo, pack: BinaryIO, loop: str) -> None:
    """Made complete in a folder of Ralph's own: `git gc --prune=now` removes what is half written among the objects. The
    index comes last: git finds a pack by it."""
    incoming, packs = repo.state_dir / "incoming", repo.objects / "pack"
    remove_tree(incoming)
    incoming.mkdir()
    made = incoming / "new.pack"
    program.run(
        ("index-pack", "--stdin", "--fix-thin", "-o", str(made.with_suffix(".idx")), str(made)),
        cwd=repo.common_dir,
        env={"GIT_DIR": str(repo.common_dir)},
        stdin=pack,
        durable=True,
    )
    made.with_suffix(".keep").write_bytes(os.fsencode(f"{_KEEP}{loop}\n"))
    with open(made, "rb") as file:
        file.seek(-_HASH_BYTES[repo.object_format], os.SEEK_END)
        name = f"pack-{file.read().hex()}"
    packs.mkdir(exist_ok=True)
    for ending in (".keep", ".pack", ".rev", ".idx"):
        with suppress(FileNotFoundError):  # not every git writes a `.rev`
            made.with_suffix(ending).replace(packs / f"{name}{ending}")
    sync(packs)
    incoming.rmdir()


_KEEP = "ralph "
_HASH_BYTES = {"sha1": 20, "sha256": 32}  # at the end of a pack, and its name


def drop_keeps(repo: Repo, loop: str) -> None:
    """What this loop brought home is an ordinary pack from here on."""
    for keep in (repo.objects / "pack").glob("*.keep"):
        with suppress(OSError):
            if keep.read_bytes() == os.fsencode(f"{_KEEP}{loop}\n"):
                keep.unlink()


def writing(repo: Repo, into: Path | None) -> dict[str, str]:
    """What lets git read the repository's objects and write to another store."""
    return {} if into is None else {"GIT_OBJECT_DIRECTORY": str(into), **_with(repo.objects)}


def _with(objects: Path) -> dict[str, str]:
    """What lets git read another object store, too. The variable is a list that it splits at colons."""
    text = str(objects)
    listed = quoted(text) if ":" in text or text.startswith('"') or "\n" in text else text
    return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": listed}


def _messages(told: str) -> list[tuple[list[str], str]]:
    """Paths and text of git's messages: each has a count of paths, the paths, a kind and the text."""
    fields = told.split("\0")
    found, at = [], 0
    while at < len(fields) and fields[at].isdigit():
        first, at = at + 1, at + int(fields[at]) + 2
        if at < len(fields):
            found.append((fields[first : at - 1], fields[at].rstrip("\n")))
        at += 1
    return found


# git names the two sides by their commits, in marks as in names that it makes up where a file and a folder meet.
_MARK = "^[<>|]{5,} [0-9a-f]{40}"
_MADE_UP = re.compile(r"~[0-9a-f]{40,64}(_\d+)?$")


def unresolved(snapshots: Snapshots, s: LoopState, tree: str) -> tuple[str, ...]:
    """What a merge left and no one has resolved: paths that still hold its marks, also under another name, and names that it
    made up. What the target itself has of that is no matter."""
    if not s.landing.merging:
        return ()
    changed = {change.path for change in snapshots.diff(s.workspace.base_tree, tree) if change.status != "D"}
    made_up = {path for path in changed if _MADE_UP.search(path)}
    marked = changed & snapshots.grep(tree, _MARK)
    marked |= {path for path in changed & _both(snapshots, tree) if printable(path) in s.landing.merging}
    if marked:
        marked -= snapshots.grep(s.workspace.base_tree, _MARK) | _both(snapshots, s.workspace.base_tree)
    return tuple(sorted(printable(path) for path in made_up | marked))


def _both(snapshots: Snapshots, tree: str) -> set[str]:
    """Files with a beginning and an end of a conflict, whatever the sides are called."""
    return snapshots.grep(tree, "^<<<<<<< ") & snapshots.grep(tree, "^>>>>>>> ")
