"""Help is documentation: the page of commands is made from it, its examples work, and errors name the next step."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import click
import pytest
from reference import commands_page, examples

import ralph
from parsed import nodes
from ralph.agent_tools.commands import DEFINED, named
from ralph.cli import completion
from ralph.cli.app import COMMANDS, app
from ralph.cli.entry import AGENT_COMMANDS

ROOT = Path(__file__).parents[3]
SOURCE = Path(ralph.__file__).parent


def command(name: str) -> click.Command:
    found: click.Command | None = app
    for word in name.split():
        assert isinstance(found, click.Group)
        with click.Context(found, info_name="ralph") as ctx:
            found = found.get_command(ctx, word)
    assert found is not None
    return found


def below(name: str) -> list[str]:
    """The commands of a command that is a group of them."""
    found = command(name)
    return [f"{name} {sub}" for sub in found.commands] if isinstance(found, click.Group) else []


def test_the_page_of_commands_is_up_to_date() -> None:
    page = (ROOT / "docs/commands.md").read_text()
    assert page == commands_page(), "run: make docs"


def test_the_page_has_every_command_and_option() -> None:
    page = commands_page()
    for name in COMMANDS:
        section = page.partition(f"\n## ralph {name}\n")[2].partition("\n## ")[0]
        assert section, name
        for parameter in command(name).params:
            if isinstance(parameter, click.Option):
                assert max(parameter.opts, key=len) in section, (name, parameter.opts)
        for sub in below(name):
            part = section.partition(f"\n### ralph {sub}\n")[2].partition("\n### ")[0]
            assert part, sub
            for parameter in command(sub).params:
                if isinstance(parameter, click.Option):
                    assert max(parameter.opts, key=len) in part, (sub, parameter.opts)
        for example in examples(command(name)):
            assert example in " ".join(section.replace("\\\n", " ").split()), (name, example)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_parses(name: str) -> None:
    """Everything up to doing it: options, arguments and their kinds."""
    mine = [line for line in examples(command(name)) if line.split()[1:2] == [name]]
    assert mine, "there is no example"
    for line in examples(command(name)):
        words = shlex.split(re.split(r" [|>] | && ", line)[0])
        if words[1] in AGENT_COMMANDS:
            name, rest = named(words[1:])
            DEFINED[name].read(rest)
            continue
        other = command(words[1])
        with other.make_context(words[1], words[2:]) as ctx:
            assert ctx.command is other, line


@pytest.mark.parametrize("name", [sub for name in COMMANDS for sub in below(name)])
def test_every_example_of_a_command_within_a_command_parses(name: str) -> None:
    assert examples(command(name)), "there is no example"
    for line in examples(command(name)):
        words = shlex.split(line)
        assert " ".join(words[1:3]) == name
        with command(name).make_context(words[2], words[3:]) as ctx:
            assert ctx.command is command(name), line


def test_every_parameter_that_gets_values_exists() -> None:
    for name, parameter in completion.OFFERS:
        assert parameter in {p.name for p in command(name).params}, (name, parameter)
    everywhere = {p.name for name in COMMANDS for p in command(name).params}
    assert set(completion.ANYWHERE) <= everywhere


def test_the_first_example_needs_nothing_but_what_init_found() -> None:
    shown = examples(app)
    assert shown == ["ralph init", 'ralph run -p "Make the tests pass"']
    assert "claude -p" not in (app.help or ""), "it may not edit anything in that mode"


def test_the_extra_for_addresses_is_not_looked_for_under_a_name_of_others() -> None:
    """`ralph` on the package index is another project."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        assert not re.search(r"pip install '?ralph\b", page.read_text()), page.name
    assert "pip install '.[notify]'" in (ROOT / "docs/notify.md").read_text()


# A text file's problem is the end of a sentence that the caller begins, and ends with what to do.
FRAGMENTS = {"files.py", "config/tasks.py"}


def errors(room: str) -> list[tuple[str, ast.Call]]:
    found = []
    for path in sorted((SOURCE / room).rglob("*.py")):
        where = str(path.relative_to(SOURCE))
        if where in FRAGMENTS:
            continue
        for node in nodes(path):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "RalphError"
            ):
                found.append((f"{where}:{node.lineno}", node))
    return found


@pytest.mark.parametrize("room", ["cli", "config", "runner", "journal"])
def test_every_error_says_what_to_do(room: str) -> None:
    without = []
    for where, node in errors(room):
        todo = next((k.value for k in node.keywords if k.arg == "todo"), None)
        if todo is None or (isinstance(todo, ast.Constant) and not todo.value):
            without.append(where)
    assert errors(room) and not without


def test_commands_that_errors_and_help_name_exist() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        for name in re.findall(r"`ralph ([a-z]+)", path.read_text()):
            assert name in COMMANDS, f"{path.name}: `ralph {name}`"
