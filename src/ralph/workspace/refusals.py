"""What a repository uses that a workspace of its own cannot have, found before anything is done and said by name."""

from __future__ import annotations

import os
import re

from ralph.workspace import git
from ralph.workspace.landing.repair import differences
from ralph.workspace.repo import Repo, printable
from ralph.workspace.uncommitted import GITLINK

_FILTER = re.compile(r"\sfilter=(\S+)")


def refuse(repo: Repo, commit: str) -> str | None:
    """Why no clone or worktree of this commit can be made; None when it can. In place, none of this matters."""
    settings = _settings(repo)
    if "extensions.partialclone" in settings:
        return "this is a partial clone: a workspace of its own could not fetch what is missing"
    if settings.get("extensions.refstorage", "files") != "files":
        return f"its refs are stored as {printable(settings['extensions.refstorage'])}, which Ralph does not handle"
    attributes = []
    listed = os.fsdecode(_git(repo, "ls-tree", "-r", "-z", "--full-tree", commit)).split("\0")[:-1]
    for line in listed:
        facts, _, path = line.partition("\t")
        mode, _, oid = facts.split(" ")
        if mode == GITLINK:
            return f"{printable(path)} is a submodule, whose files a workspace of its own would not have"
        if path.rpartition("/")[2] == ".gitattributes" and mode.startswith("100"):
            attributes.append(_git(repo, "cat-file", "blob", oid))
    try:
        attributes.append((repo.common_dir / "info" / "attributes").read_bytes())
    except OSError:
        pass
    return _filtered("\n".join(text.decode("utf-8-sig", "replace") for text in attributes), settings)


def refuse_since(repo: Repo, old: str, new: str) -> str | None:
    """The same of a commit that came after one with which all was well; cheap when it changes nothing of the kind."""
    try:
        changed = differences(repo, old, new)
    except git.GitFailed:  # the old one is gone
        return refuse(repo, new)
    doubtful = any(x.new_mode == GITLINK or x.path.rpartition("/")[2] == ".gitattributes" for x in changed)
    return refuse(repo, new) if doubtful else None


def _filtered(attributes: str, settings: dict[str, str]) -> str | None:
    lines = (line.lstrip() for line in attributes.split("\n"))
    names = {name for line in lines if not line.startswith("#") for name in _FILTER.findall(line)}
    for name in sorted(names):
        if name == "lfs":
            return "files are in Git LFS, which a workspace of its own could not reach"
        smudge, process = (settings.get(f"filter.{name}.{what}", "") for what in ("smudge", "process"))
        if process or smudge not in ("", "cat"):
            return (
                f"files go through the filter {printable(name)}, which only this repository is configured for"
            )
    return None


def _settings(repo: Repo) -> dict[str, str]:
    """The repository's own configuration; names of sections and keys in lower case, as git gives them."""
    listed = git.run(
        ("config", "--file", str(repo.common_dir / "config"), "--list", "-z"), cwd=repo.common_dir
    )
    found = {}
    for item in os.fsdecode(listed).split("\0")[:-1]:
        key, _, value = item.partition("\n")
        found[key] = value
    return found


def _git(repo: Repo, *args: str) -> bytes:
    return git.run(args, cwd=repo.common_dir, env={"GIT_DIR": str(repo.common_dir)})
