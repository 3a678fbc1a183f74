"""`ralph hats`: the hats of a configuration, how events lead from one to the other, and what is wrong with that.

Reads the file as `ralph validate` does; changes nothing and starts no agent.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ralph.core.hats import graph as hatgraph
from ralph.errors import RalphError
from ralph.terminal.words import one_line
from ralph.text import few

if TYPE_CHECKING:
    from ralph.config.load import Examined
    from ralph.core.hats.model import Hat, Team

_config = click.option(
    "-c", "--config", type=click.Path(path_type=Path), help="Use this file instead of ralph.yml."
)
_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")
_OF_HATS = ("hats", "events", "event_loop")  # sections whose warnings are about hats
_PROMPT = "event_loop.prompt_file"  # whether it is there is no matter of hats
NONE = "There are no hats: every iteration gets the whole task."


class Found(msgspec.Struct, frozen=True):
    line: int  # 0: about no line of the file
    key: str
    what: str
    todo: str = ""


class Checked(msgspec.Struct, frozen=True):
    """What `validate --json` prints."""

    file: str
    valid: bool
    hats: int
    errors: tuple[Found, ...] = ()
    warnings: tuple[Found, ...] = ()


@click.group(invoke_without_command=True)
@click.pass_context
def hats(ctx: click.Context) -> None:
    """The hats of ralph.yml: who they are, which event leads to whom, and whether that can work.

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
    """Find hats that nothing reaches, events that nobody handles, and chains that cannot complete.

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
    for kind, findings in (("error", found.errors), ("warning", found.warnings)):
        for one in findings:
            where = f"{found.file}:{one.line}" if one.line else found.file
            key = f"{one.key}: " if one.key else ""
            todo = f". {one.todo}" if one.todo else ""
            click.echo(one_line(f"{where}: {kind}: {key}{one.what}{todo}"))
    if found.valid and not found.hats:
        click.echo(NONE)
        return 0
    counted = [f"{len(of)} {name}{'' if len(of) == 1 else 's'}" for name, of in _kinds(found) if of]
    told = f": {', '.join(counted)}" if counted else ""
    verdict = "can work" if found.valid else "cannot work"
    click.echo(one_line(f"the hats of {found.file} {verdict}{told}"))
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
    team = _team(config)
    if team is None:
        raise _without(config)
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
    team = _team(config)
    if team is None:
        raise _without(config)
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


def _examined(config: Path | None) -> tuple[str, Examined | None]:
    """Its name, and what it says; None: there is no such file, so that nothing is configured."""
    from ralph.cli import context
    from ralph.cli.context import usual
    from ralph.config.load import FILE_NAMES, examine

    folder = Path.cwd()
    shown = str(config) if config else next((n for n in FILE_NAMES if os.path.lexists(folder / n)), "")
    if not shown:
        return FILE_NAMES[0], None
    return shown, examine(folder, config, backlog=usual(context.here().root), prompt_to_come=True)


def _team(config: Path | None) -> Team | None:
    _, found = _examined(config)
    if found is None:
        return None
    found.settings.problems.raise_if_any()
    return found.policy.team


def _without(config: Path | None) -> RalphError:
    shown, found = _examined(config)
    what = "has no hats" if found else "does not exist, so there are no hats"
    return RalphError(what, where=shown, todo="Describe them under `hats:`; docs/hats.md says how.")


def _checked(config: Path | None) -> Checked:
    from ralph.config.problems import Unreadable, findings

    try:
        shown, found = _examined(config)
    except Unreadable as error:
        return Checked(str(config or "ralph.yml"), False, 0, (Found(error.line, "", error.what, error.todo),))
    if found is None:
        return Checked(shown, True, 0)
    problems = found.settings.problems
    errors = [Found(one.line, one.key, one.what) for one in findings(problems.found)]
    warnings = [
        Found(one.line, one.key, one.what)
        for one in findings(problems.noted)
        if one.key.partition(".")[0] in _OF_HATS and one.key != _PROMPT
    ]
    team = found.policy.team
    if team is not None and not errors:
        lines = {called.name: called.line for called in found.settings.get("hats") or ()}
        for one in hatgraph.check(team):
            key = f"hats.{one.hat}" if one.hat else "hats"
            of = errors if one.level == "error" else warnings
            of.append(Found(lines.get(one.hat, 0), key, one.what, one.todo))
    return Checked(shown, not errors, len(team.hats) if team else 0, tuple(errors), tuple(warnings))


def _kinds(found: Checked) -> Iterator[tuple[str, tuple[Found, ...]]]:
    yield "error", found.errors
    yield "warning", found.warnings


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
    if hat.agent is None:
        return ""
    import shlex

    agent = hat.agent
    program = shlex.join(agent.command) if agent.command else agent.script
    model = f", model {agent.model}" if agent.model else ""
    arguments = f", with {shlex.join(agent.args)}" if agent.args else ""
    return f"{agent.backend}{f' as {program}' if program else ''}{model}{arguments}"
