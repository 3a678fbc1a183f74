"""`ralph hats`: the hats of a configuration, how events lead from one to the other, and what is wrong with that.

Reads the file as `ralph validate` does; changes nothing and starts no agent.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ralph.cli.validate import (
    HatFinding,
    ValidationResult,
    agent_text,
    counted,
    examined,
    finding_lines,
    graph_findings,
    shown_name,
)
from ralph.core.hats import graph as hatgraph
from ralph.errors import RalphError
from ralph.terminal.words import one_line
from ralph.text import few

if TYPE_CHECKING:
    from ralph.core.hats.model import Hat, Team

_config = click.option(
    "-c", "--config", type=click.Path(path_type=Path), help="Use this file instead of ralph.yml."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_OF_HATS = ("hats", "events", "event_loop")  # sections whose warnings are about hats
_PROMPT = "event_loop.prompt_file"  # whether it is there is no matter of hats
NONE = "There are no hats: every iteration gets the whole task."


class Checked(ValidationResult, frozen=True):
    """What `validate --json` prints."""

    hats: int = 0


@click.group(invoke_without_command=True)
@click.pass_context
def hats(ctx: click.Context) -> None:
    """The hats of ralph.yml: what each does, which event leads to which hat, and whether that can work.

    Alone, it lists them.

    \b
    Examples:
      ralph hats
      ralph hats validate
      ralph hats graph --mermaid
    """
    if ctx.invoked_subcommand is None:
        _list(None, as_json=False)


@hats.command()
@_config
@_json
def validate(config: Path | None, as_json: bool) -> int:
    """Find hats that nothing reaches, events that no hat handles, and chains that cannot complete.

    The exit code is 2 when the hats cannot work, and 0 when there is at most something to look at.

    \b
    Examples:
      ralph hats validate
      ralph hats validate -c presets/board.yml --json
    """
    found = _checked(config)
    if as_json:
        click.echo(msgspec.json.encode(found).decode())
        return 0 if found.valid else 2
    for line in finding_lines(found):
        click.echo(one_line(line))
    if found.valid and not found.hats:
        click.echo(NONE)
        return 0
    verdict = "can work" if found.valid else "cannot work"
    click.echo(one_line(f"the hats of {found.file} {verdict}{counted(found)}"))
    return 0 if found.valid else 2


@hats.command()
@_config
@click.option("--mermaid", is_flag=True, help="As a Mermaid flow chart, which GitHub and others draw.")
def graph(config: Path | None, mermaid: bool) -> None:
    """Which event leads from which hat to which.

    \b
    Examples:
      ralph hats graph
      ralph hats graph --mermaid
    """
    team = _some_team(config)
    click.echo(hatgraph.mermaid(team) if mermaid else hatgraph.plain(team), nl=False)


@hats.command("list")
@_config
@_json
def list_(config: Path | None, as_json: bool) -> None:
    """The hats in the order in which they are declared.

    \b
    Examples:
      ralph hats list
      ralph hats list --json
    """
    _list(config, as_json=as_json)


@hats.command()
@click.argument("id")
@_config
@_json
def show(id: str, config: Path | None, as_json: bool) -> None:
    """One hat, by its id or its name: what puts it on, what it publishes, who wears it, its instructions.

    \b
    Examples:
      ralph hats show builder
      ralph hats show builder --json
    """
    team = _some_team(config)
    hat = team.hat(id) or next((one for one in team.hats if one.name == id), None)
    if hat is None:
        raise RalphError(f"there is no hat {id!r}", todo=f"Hats: {few([one.id for one in team.hats], 20)}.")
    if as_json:
        click.echo(msgspec.json.encode(_whole(hat)).decode())
        return
    for name, text in _rows(hat):
        click.echo(f"{name:<15} {one_line(text)}")
    if hat.text:
        click.echo()
        for line in hat.text.splitlines():
            click.echo(one_line(line))


# -- the file --------------------------------------------------------------------------------------------


def _team(config: Path | None) -> Team | None:
    found = examined(Path.cwd(), config)
    if found is None:
        return None
    found.settings.problems.raise_if_any()
    return found.policy.team


def _some_team(config: Path | None) -> Team:
    if team := _team(config):
        return team
    folder = Path.cwd()
    what = "has no hats" if examined(folder, config) else "does not exist, so there are no hats"
    todo = "Describe them under `hats:`; `ralph help hats` says how."
    raise RalphError(what, where=shown_name(folder, config), todo=todo)


def _checked(config: Path | None) -> Checked:
    from ralph.config.problems import Unreadable, findings

    shown = shown_name(Path.cwd(), config)
    try:
        found = examined(Path.cwd(), config)
    except Unreadable as error:
        return Checked(shown, False, (HatFinding(error.line, "", error.what, error.todo),))
    if found is None:
        return Checked(shown, True)
    problems = found.settings.problems
    errors = [HatFinding(one.line, one.key, one.what) for one in findings(problems.found)]
    warnings = [
        HatFinding(one.line, one.key, one.what)
        for one in findings(problems.noted)
        if one.key.partition(".")[0] in _OF_HATS and one.key != _PROMPT
    ]
    if not errors:
        for level, one in graph_findings(found):
            (errors if level == "error" else warnings).append(one)
    team = found.policy.team
    return Checked(shown, not errors, tuple(errors), tuple(warnings), len(team.hats) if team else 0)


# -- what is shown ---------------------------------------------------------------------------------------


def _list(config: Path | None, *, as_json: bool) -> None:
    team = _team(config)
    found = team.hats if team else ()
    if as_json:
        click.echo(msgspec.json.encode([_whole(hat) for hat in found]).decode())
        return
    if not found:
        click.echo(NONE)
        return
    width = min(30, max(len(hat.id) for hat in found))
    for hat in found:
        on = few([*hat.triggers, *([f"when {hat.when}"] if hat.when else [])]) or "nothing"
        said = few(hat.declared) or "nothing"
        click.echo(one_line(f"{hat.id:<{width}}  {on} → {said}"))
        if about := hat.description or (hat.name if hat.name != hat.id else ""):
            click.echo(f"{'':<{width}}  {one_line(about)}")


def _whole(hat: Hat) -> dict[str, Any]:
    """Its fields; of the agent, no variable's value."""
    found: dict[str, Any] = msgspec.to_builtins(hat)
    if hat.agent is not None and hat.agent.env:
        from ralph.core.secrets.masker import MASK

        found["agent"]["env"] = dict.fromkeys(hat.agent.env, MASK)
    return found


def _rows(hat: Hat) -> Iterator[tuple[str, str]]:
    rows = [
        ("hat", hat.id),
        ("name", hat.name),
        ("description", hat.description),
        ("triggers", ", ".join(hat.triggers)),
        ("when", hat.when),
        ("publishes", ", ".join(hat.publishes)),
        ("by default", hat.default_publishes),
        ("scans", ", ".join(_scanned(hat))),
        ("agent", _wearer(hat)),
        ("at most", f"{hat.max_activations} times in a cycle" if hat.max_activations else ""),
        ("time", f"{hat.timeout:g} s" if hat.timeout else ""),
        ("only tools", ", ".join(hat.allowed_tools)),
        ("not tools", ", ".join(hat.disallowed_tools)),
        ("scratchpad", "none" if hat.scratchpad is None else hat.scratchpad),
        ("fresh", {True: "always", False: "never", None: ""}[hat.fresh]),
        ("aggregate", "waits for the others, and takes its events together" if hat.aggregate else ""),
    ]
    return ((name, text) for name, text in rows if text)


def _scanned(hat: Hat) -> Iterator[str]:
    if hat.scan is None:
        return
    for entry in hat.scan.folders:
        yield f"{entry.folder}/ → {entry.topic}"
    if hat.scan.backlog:
        yield f"{hat.scan.backlog.file} → {hat.scan.backlog.topic}"


def _wearer(hat: Hat) -> str:
    if hat.scan is not None:
        return "none: Ralph looks itself"
    return agent_text(hat.agent) if hat.agent else ""
