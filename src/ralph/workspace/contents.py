"""The contents of many files of a tree by two git processes, never more of a file than is wanted."""

from __future__ import annotations

from collections.abc import Collection

from ralph.workspace.trees import Trees

_FILES = ("100644", "100755")  # not symbolic links and submodules


def contents(trees: Trees, tree: str, paths: Collection[str], *, largest: int) -> dict[str, bytes | None]:
    """Path -> content, for those of `paths` that are files of the tree; None where it is larger than `largest`."""
    wanted = set(paths)
    objects = {path: oid for mode, oid, path in trees.files(tree) if path in wanted and mode in _FILES}
    if not objects:
        return {}
    shadow = trees._shadow
    listed = "".join(f"{oid}\n" for oid in sorted(set(objects.values())))
    checked = shadow.run("cat-file", "--batch-check", stdin=listed.encode()).decode().splitlines()
    told = [line.split(" ") for line in checked if line.count(" ") == 2]  # a missing object has two words
    sizes = {oid: int(size) for oid, _, size in told if int(size) <= largest}
    small = "".join(f"{oid}\n" for oid in sizes)
    out = shadow.run("cat-file", "--batch", stdin=small.encode()) if small else b""
    found, at = {}, 0
    for oid, size in sizes.items():
        at = out.index(b"\n", at) + 1  # "<object> blob <size>"
        found[oid] = out[at : at + size]
        at += size + 1
    return {path: found.get(oid) for path, oid in objects.items()}
