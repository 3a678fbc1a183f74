"""The page of all commands, made from their help. `python -m ralph.cli.reference docs/commands.md` renews it."""

from __future__ import annotations

import inspect
import re

import click

from ralph.cli.app import COMMANDS, app

HEAD = """\
# Commands

<!-- made by `python -m ralph.cli.reference docs/commands.md` from the help of the commands; edit that instead -->

`ralph COMMAND --help` says the same in a terminal. Exit codes are in the [README](../README.md#exit-codes).

"""


def reference() -> str:
    parts = [
        HEAD + "\n".join(f"- [`ralph {name}`](#ralph-{name}): {text}" for name, (_, text) in COMMANDS.items())
    ]
    with click.Context(app, info_name="ralph") as parent:
        for name in COMMANDS:
            command = app.get_command(parent, name)
            assert command is not None
            parts.append(_section(name, command, parent))
    return "\n\n".join(parts) + "\n"


def examples(command: click.Command) -> list[str]:
    """The command lines of its help's examples, continued lines joined."""
    text = inspect.cleandoc(command.help or "").replace("\\\n", " ")
    return [" ".join(line.split()) for line in re.findall(r"(?m)^ +(ralph .*)$", text)]


def _section(name: str, command: click.Command, parent: click.Context) -> str:
    usage, text = _usage(name, command, parent)
    parts = [f"## ralph {name}", _fenced(usage), *_prose(text)]
    if options := _options(command, parent):
        parts.append(options)
    if isinstance(command, click.Group):
        ctx = click.Context(command, parent=parent, info_name=name)
        below = [_section(f"{name} {sub}", one, ctx) for sub, one in command.commands.items()]
        parts += [f"#{part}" for part in below]
    return "\n\n".join(parts)


def _usage(name: str, command: click.Command, parent: click.Context) -> tuple[str, str]:
    """The usage line and the text below it. Agents' commands have both in one text of their own."""
    text = inspect.cleandoc(command.help or "")
    if text.startswith("Usage: "):
        first, _, rest = text.partition("\n")
        return first.removeprefix("Usage: "), rest.strip()
    ctx = click.Context(command, parent=parent, info_name=name)
    return f"ralph {name} {' '.join(command.collect_usage_pieces(ctx))}".strip(), text


def _prose(text: str) -> list[str]:
    """Paragraphs as they are; what is indented is for the terminal: a block of code."""
    parts = []
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.splitlines() if line.strip() != "\b"]
        code = [line[2:] for line in lines if line.startswith("  ")]
        prose = [line for line in lines if not line.startswith("  ")]
        parts += [" ".join(prose)] if prose else []
        parts += [_fenced("\n".join(code))] if code else []
    return parts


def _options(command: click.Command, parent: click.Context) -> str:
    ctx = click.Context(command, parent=parent)
    records = [r for p in command.params if isinstance(p, click.Option) and (r := p.get_help_record(ctx))]
    if not records:
        return ""
    rows = [f"| `{names}` | {_cell(text)} |" for names, text in records]
    return "\n".join(["| option | meaning |", "|---|---|", *rows])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _fenced(text: str) -> str:
    return f"```sh\n{text}\n```"


if __name__ == "__main__":
    import sys
    from pathlib import Path

    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
