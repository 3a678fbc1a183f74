"""`ralph doctor`: can Ralph do its work here? Each finding says how to mend it. Changes nothing."""

from __future__ import annotations

import os
import sys
from itertools import chain

import click

from ralph.cli.checks.finding import Finding
from ralph.ui.terminal import one_line

_MARKS = {"ok": ("ok  ", "green"), "note": ("note", "yellow"), "fix": ("FIX ", "red")}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def doctor(as_json: bool) -> int:
    """Check git, agents, ownership of processes, sandbox, disk, journal and configuration.

    Each finding says how to mend it. Exit code 2 when something must be mended, else 0.

    \b
    Examples:
      ralph doctor
      ralph doctor --json
    """
    from ralph.cli.checks.machine import machine
    from ralph.cli.checks.place import place

    found: list[Finding] = []
    for one in chain(machine(), place()):
        found.append(one)
        if not as_json:
            _show(one)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(found).decode())
    return 0 if all(one.ok for one in found) else 2


def _show(one: Finding) -> None:
    mark, colour = _MARKS[one.level]
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    click.echo(f"{click.style(mark, fg=colour) if coloured else mark} {one.what:<10} {one_line(one.text)}")
    for line in one.mend.splitlines():
        click.echo(f"{'':<16}{one_line(line)}")
