"""A lander looks whether the pull requests of landed tasks are merged, and reports those that are: their dependants wait for it.
It changes nothing but that, and nothing depends on when it looks."""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from ralph.core.fleet.requests import Offer, UnmergedTask
from ralph.errors import RalphError
from ralph.git.landing.remote import is_merged
from ralph.git.repo import safe_id
from ralph.worker.mirror import Mirror
from ralph.worker.transport import Transport, Unreachable


def branch_of(task: str) -> str:
    """On which a task's pull request is: of the task, not of the claim."""
    return f"ralph/{safe_id(task)}"


def report_merges(transport: Transport, offer: Offer, mirrors: Path, say: Callable[[str], None]) -> None:
    """Of the repositories for which this lander works."""
    by_repository: dict[str, list[UnmergedTask]] = defaultdict(list)
    try:
        for task in transport.unmerged():
            if offer.repositories is None or task.repository in offer.repositories:
                by_repository[task.repository].append(task)
        for name, tasks in by_repository.items():
            _report(transport, name, tasks, mirrors, say)
    except Unreachable:
        return  # it is asked again later


def _report(
    transport: Transport, name: str, tasks: Sequence[UnmergedTask], mirrors: Path, say: Callable[[str], None]
) -> None:
    repository = transport.repository(name)
    if repository is None:
        return
    mirror = Mirror(mirrors, repository)
    try:
        with mirror.use(), tempfile.TemporaryDirectory(prefix="ralph-merges-") as place:
            mirror.fetch()
            for task in tasks:
                if _is_merged(mirror, task, Path(place, "remote.git")):
                    transport.report_merged(task)
                    say(f"{task.task}: its pull request is merged")
    except (RalphError, OSError) as error:
        say(f"whether pull requests of {name} are merged is not known: {' '.join(str(error).split())[:500]}")


def _is_merged(mirror: Mirror, task: UnmergedTask, place: Path) -> bool:
    """The target has its commit; or, where it was merged in another form, gh says so."""
    target, _ = mirror.tip(task.target)
    if mirror.contains(target, task.commit):
        return True
    return shutil.which("gh") is not None and is_merged(mirror.for_gh(place), branch_of(task.task))
