"""`ralph doctor`: can Ralph do its work here? Each finding says how to mend it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from ralph.errors import RalphError

_OLDEST_GIT = (2, 30)
_LITTLE_SPACE = 500 * 1024 * 1024


class Finding(msgspec.Struct, frozen=True):
    what: str
    ok: bool
    text: str
    mend: str = ""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def doctor(as_json: bool) -> int:
    """Check git, ownership of processes, disk, configuration and agent.

    \b
    Example:
      ralph doctor
    """
    found = list(_examine())
    if as_json:
        click.echo(msgspec.json.encode(found).decode())
    else:
        for one in found:
            click.echo(f"{'ok  ' if one.ok else 'FIX '} {one.what:<10} {one.text}")
            for line in one.mend.splitlines():
                click.echo(f"{'':<16}{line}")
    return 0 if all(one.ok for one in found) else 2


def _examine() -> Iterator[Finding]:
    yield _git()
    yield from _ownership()
    yield from _workspace()
    yield _configuration()


def _git() -> Finding:
    try:
        text = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout.split()[
            2
        ]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return Finding("git", False, "not found", "Install git.")
    version = tuple(int(part) for part in text.split(".")[:2])
    enough = version >= _OLDEST_GIT
    return Finding("git", enough, text, "" if enough else "Ralph needs git 2.30 or newer.")


def _ownership() -> Iterator[Finding]:
    from ralph.driver.processes import available, choose

    try:
        best = choose(os.environ.get("RALPH_TIER", ""))
    except RalphError as error:
        yield Finding("processes", False, error.what, error.todo)
        return
    promised = (
        "" if best != "group" else "Processes that leave their group can outlive an iteration on this system."
    )
    yield Finding("processes", best != "group", f"owned by {best}", promised)
    for tier, why in available().items():
        if why and tier != "group":
            yield Finding("processes", True, f"{tier} is not usable: {why}")


def _workspace() -> Iterator[Finding]:
    from ralph.cli.place import here

    try:
        repo = here()
    except RalphError as error:
        yield Finding("workspace", False, error.what, error.todo)
        return
    kind = (
        "git repository" if repo.versioned else "no git repository: state and snapshots are kept in .ralph/"
    )
    yield Finding("workspace", True, kind)
    place = repo.state_dir
    while not place.exists():
        place = place.parent
    barred = [folder for folder in (place, Path.cwd()) if not os.access(folder, os.W_OK | os.X_OK)]
    mend = "".join(f"Make {folder} writable.\n" for folder in barred)
    yield Finding("state", not barred, str(repo.state_dir), mend.rstrip())
    free = shutil.disk_usage(place).free
    enough = free >= _LITTLE_SPACE
    yield Finding(
        "disk", enough, f"{free // 2**20} MiB free", "" if enough else "Make room: transcripts need space."
    )


def _configuration() -> Finding:
    from ralph.agents.adapter import adapter
    from ralph.config import NoPrompt, Overrides, check_agent, load

    folder, prompt = Path.cwd(), ""
    try:
        try:
            resolved = load(folder)
        except NoPrompt:  # it is usually given to `ralph run`; all else can be checked without it
            prompt = "; no prompt yet: give one with -p, -P or PROMPT.md"
            resolved = load(folder, None, Overrides(prompt="any"))
        check_agent(resolved.policy, folder)
        adapter(resolved.policy.agent).check(resolved.policy.agent)
    except RalphError as error:
        where = f"{error.where}: " if error.where else ""
        return Finding("config", False, where + error.what.replace("\n", "; "), error.todo)
    gates = ", ".join(g.name for g in resolved.policy.gates) or "no gates: nothing will be proven"
    text = f"{resolved.source}: {resolved.policy.agent.backend}, gates: {gates}{prompt}"
    return Finding("config", True, text)
