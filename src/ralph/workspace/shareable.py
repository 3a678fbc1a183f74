"""Whether the folders of `share:` may be brought along: what git would record of them would land with the work."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ralph.errors import RalphError
from ralph.workspace import git
from ralph.workspace.repo import Repo, printable
from ralph.workspace.share import check_shared


def missing_of(repo: Repo, names: Sequence[str]) -> list[str]:
    """Those that are not there. One that git does not ignore as a whole is refused."""
    check_shared(repo.root, names)
    for name in names:
        query = ("ls-files", "-c", "-o", "--exclude-standard", "-z", "--", f":(literal){name}")
        if found := os.fsdecode(git.run(query, cwd=repo.root)).split("\0")[0]:
            raise RalphError(
                f"`share: {name}` is not ignored by git ({printable(found)}): your copy of it would land",
                where=str(repo.root),
                todo="Share only folders that .gitignore names; the others are in every workspace anyway.",
            )
    return [name for name in names if not (repo.root / name).is_dir()]
