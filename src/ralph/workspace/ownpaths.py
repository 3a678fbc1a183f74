"""Ralph's own paths where the user has committed files there: in a snapshot they are those of the base commit, whatever
anybody did to them since, so that no change ever reverts, deletes or adds one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from ralph.workspace.shadow import Shadow
from ralph.workspace.uncommitted import GITLINK, straight, under


def committed(shadow: Shadow, commit: str | None, own: Sequence[str]) -> dict[str, str]:
    """Path and "mode object" of what the commit holds at or below these paths."""
    if not commit:
        return {}
    listed = shadow.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *own)
    found = {}
    for line in os.fsdecode(listed).split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        mode, _, oid = facts.split(" ")
        found[path] = f"{mode} {oid}"
    return found


def put(shadow: Shadow, entries: Iterable[bytes], wanted: dict[str, str], own: Sequence[str]) -> bool:
    """Make the private index hold exactly these of the own paths. `entries` are its lines as of `ls-files -s`."""
    held = {}
    for line in entries:
        facts, _, name = line.partition(b"\t")
        path = os.fsdecode(name)
        if under(path, own):
            mode, oid, _ = facts.decode().split(" ")
            held[path] = f"{mode} {oid}"
    gone = "".join(f"0 {'0' * len(held[path].split()[1])}\t{path}\0" for path in held.keys() - wanted.keys())
    new = "".join(f"{entry}\t{path}\0" for path, entry in wanted.items() if held.get(path) != entry)
    if gone or new:
        told = os.fsencode(gone + new)
        shadow.run("update-index", "--add", "--replace", "-z", "--index-info", stdin=told)
    return bool(gone or new)


def follow(shadow: Shadow, old: str | None, new: str, own: Sequence[str]) -> None:
    """The files of the work tree that two commits hold differently become the new one's, where nobody has changed them."""
    was, now = committed(shadow, old, own), committed(shadow, new, own)
    moved = {path for path in was.keys() | now.keys() if was.get(path) != now.get(path)}
    root = shadow.repo.root
    moved = {path for path in moved if straight(root, path)}
    moved -= {path for path in moved if GITLINK in (was.get(path, "")[:6], now.get(path, "")[:6])}
    if not moved:
        return
    with shadow.scratch_index() as index:
        if old:
            shadow.run("read-tree", old, index=index)
        specs = [f":(literal){path}" for path in sorted(moved)]
        edited = set(os.fsdecode(shadow.run("ls-files", "-m", "-z", "--", *specs, index=index)).split("\0"))
        edited |= {path for path in moved - was.keys() if os.path.lexists(root / path)}
        for path in moved - edited - now.keys():
            (root / path).unlink(missing_ok=True)
        shadow.run("read-tree", new, index=index)
        written = sorted((moved - edited) & now.keys())
        told = os.fsencode("".join(f"{path}\0" for path in written))
        shadow.run("checkout-index", "-f", "-z", "--stdin", stdin=told, index=index)
