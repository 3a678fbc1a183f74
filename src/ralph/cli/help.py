"""`ralph help`: the pages of the documentation, which are installed with Ralph and grouped as docs/index.md has them; and what
someone may have meant by a word that is not a command."""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path

import click

import ralph
from ralph.errors import RalphError

PAGES = Path(ralph.__file__).parent / "docs"
# What other tools call it. Nothing here is a command of Ralph's.
_ELSEWHERE = {
    "config": "`ralph validate` says what ralph.yml means, `ralph init` writes one, `ralph help config` lists its keys.",
    "start": "Did you mean `ralph run`?",
    "tasks": "Did you mean `ralph task list`?",
    "test": "Gates are tests: `ralph help gates`.",
    "update": "Install it again to update it.",
    "version": "Did you mean `ralph --version`?",
}


@click.command()
@click.argument("topic", required=False)
@click.pass_context
def help(ctx: click.Context, topic: str | None) -> None:
    """Show a page of the documentation, or what a command does. Without TOPIC: the commands and the pages.

    \b
    Examples:
      ralph help
      ralph help gates
      ralph help resume
    """
    group = ctx.find_root()
    if topic is None:
        click.echo(group.get_help())
        click.echo("\nPages, with `ralph help PAGE`:")
        width = max(map(len, pages()), default=0)
        for heading, listed in page_groups((PAGES / "index.md").read_text()).items():
            click.echo(f"\n{heading}:")
            for name, title in listed.items():
                click.echo(f"  {name:{width}}  {title}")
        return
    name = topic.removeprefix("docs/").removesuffix(".md")
    assert isinstance(group.command, click.Group)
    command = group.command.get_command(group, name)
    if (page := pages().get(name)) is not None:
        note = f"\nThe command: `ralph {name} --help`.\n" if command else ""
        _show(page.read_text() + note)
    elif command is not None:
        with click.Context(command, info_name=f"ralph {name}") as of:
            click.echo(command.get_help(of))
    else:
        known = [*pages(), *group.command.list_commands(group)]
        near = difflib.get_close_matches(name, known, 1)
        todo = (
            f"Did you mean `ralph help {near[0]}`?" if near else "`ralph help` lists the pages and commands."
        )
        raise RalphError(f"there is no page and no command {topic!r}", todo=todo)


def pages() -> dict[str, Path]:
    return {page.stem: page for page in sorted(PAGES.glob("*.md")) if page.stem != "index"}


def page_groups(index: str) -> dict[str, dict[str, str]]:
    """Heading -> name of a page -> its title, from the text of docs/index.md: the one place that groups the pages."""
    groups: dict[str, dict[str, str]] = {}
    for heading, title, name in re.findall(r"(?m)^## (.+)$|^- \[(.+?)\]\((\S+)\.md\)", index):
        if heading:
            groups[heading] = {}
        else:
            groups[next(reversed(groups))][name] = title
    return groups


def meant(word: str) -> str:
    """After a full stop: which command someone may have meant by this one."""
    if word in _ELSEWHERE:
        return f" {_ELSEWHERE[word]}"
    from ralph.cli.app import COMMANDS
    from ralph.cli.task.commands import task

    if word in task.commands:
        return f" Did you mean `ralph task {word}`?"
    near = difflib.get_close_matches(word, COMMANDS, 1)
    return f" Did you mean `ralph {near[0]}`?" if near else " `ralph help` lists them."


def _show(text: str) -> None:
    if sys.stdout.isatty():
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)
