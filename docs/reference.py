"""The parts of the docs that are made from the code. `make docs` renews them; a test compares them with the code."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import click
import msgspec

from ralph.cli.app import COMMANDS, GROUPS, app
from ralph.cli.help import page_groups
from ralph.cli.show.events import KINDS
from ralph.config.legacy import ROWS, LegacyKey
from ralph.config.schema import KEYS
from ralph.core.exits import EXITS, OTHER_CODES, Exit, FleetOutcome
from ralph.core.fleet.moves import EDITABLE, MOVES
from ralph.core.fleet.people import WIRE_NAMES
from ralph.core.hats.conditions import NAMES, Kind, Sort
from ralph.core.tasks.task import STATUSES

DOCS = Path(__file__).parent
INDEX = DOCS / "index.md"
HEAD = """\
# Commands

<!-- made by `make docs` from the help of the commands; edit that instead -->

`ralph COMMAND --help` says the same in a terminal. What the exit codes mean: [exits.md](exits.md).

"""


_TYPES: dict[Kind, str] = {"number": "number", "text": "text", "truth": "true or false"}
_ARGUMENT = {True: "('role')", False: ""}
_HEADS: dict[Sort, str] = {
    "counter": "Counters, from the start of the loop or since the role was last worn:",
    "moment": "The iteration before, unless it wore the role itself:",
    "standing": "The task:",
}


def config_keys() -> str:
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    rows += [f"| `{key.path}` | {key.type} | {_default(key.default)} | {key.doc} |" for key in KEYS]
    return "\n".join(rows)


def _default(default: str) -> str:
    return f"`{default}`" if default and " " not in default else default


def legacy_keys() -> str:
    rows = ["| key | what Ralph does with it |", "|---|---|"]
    rows += [f"| `{row.path}` | {_effect(row)} |" for row in ROWS]
    return "\n".join(rows)


def _effect(row: LegacyKey) -> str:
    if not row.acts:
        unless = f" (silent when {' or '.join(f'`{value}`' for value in row.quiet)})" if row.quiet else ""
        return f"a warning: it has no effect. {row.instead}{unless}"
    return f"the same as `{row.into}`" if row.into else "acts"


def condition_names() -> str:
    parts = []
    for sort, head in _HEADS.items():
        rows = [
            f"| `{name.name}{_ARGUMENT[name.takes_role]}` | {_TYPES[name.kind]} | {name.meaning} |"
            for name in NAMES.values()
            if name.sort == sort
        ]
        parts.append("\n".join([head, "", "| name | type | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


def fact_kinds() -> str:
    rows = ["| kind | what it says | fields |", "|---|---|---|"]
    for kind, fact in KINDS.items():
        says = " ".join((fact.__doc__ or "").split())
        names = ", ".join(f"`{field.encode_name}`" for field in msgspec.structs.fields(fact))
        rows.append(f"| `{kind}` | {says} | {names} |")
    return "\n".join(rows)


def exits(table: Sequence[Exit] = EXITS) -> str:
    """Every column that is of use to a person."""
    rows = [
        (
            row.code,
            f"`{row.name}`",
            row.meaning,
            _yes(row.resumable),
            _yes(row.ends_run),
            _yes(row.needs_person),
            row.task.replace("_", " "),
            row.next,
        )
        for row in table
    ]
    rows += [(code, "", name, "", "", "", "", todo) for code, (name, todo) in OTHER_CODES.items()]
    head = (
        "code",
        "end",
        "meaning",
        "resumable",
        "ends the run",
        "needs a person",
        "its task is",
        "next step",
    )
    return _table(head, sorted(rows))


def fleet_tables() -> str:
    """What a server makes of the end of a loop; every move of a status; which fields may change when."""
    ends = [(f"`{row.name}`", _fleet_end(row)) for row in EXITS]
    moves = [(move.of, move.to, move.by, move.why) for move in MOVES]
    fields = [(status, *(_names(names) for names in EDITABLE[status])) for status in STATUSES]
    return "\n\n".join(
        (
            _table(("end of a loop", "its task then"), ends),
            _table(("status", "becomes", "by", "when"), moves),
            _table(("status", "fields that may change before its loop began", "and after"), fields),
        )
    )


_FLEET: dict[FleetOutcome, str] = {
    "land": "moves to phase land; without a target it is complete",
    "failed": "failed",
    "blocked": "blocked",
    "cancelled": "cancelled",
    "quota": "pending, and ready when the quota is back",
    "released": "pending: another worker continues it",
}


def _fleet_end(row: Exit) -> str:
    if row.claim == "accepted":
        return f"{_FLEET[row.fleet]}; with `gates: none` as a verified one"
    return f"{_FLEET[row.fleet]}, after a while" if row.worker_fault else _FLEET[row.fleet]


def _names(fields: Collection[str]) -> str:
    return ", ".join(f"`{WIRE_NAMES[name]}`" for name in sorted(fields))


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *([str(cell).replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(
        f"| {' | '.join(line)} |" if line[0] != "---" else "|---" * len(line) + "|" for line in lines
    )


def _yes(value: bool) -> str:
    return "yes" if value else ""


def readme_pages() -> str:
    """The pages, grouped as in docs/index.md: a line for each group."""
    lines = []
    for heading, listed in page_groups(INDEX.read_text(encoding="utf-8")).items():
        links = [f"[{title}](docs/{name}.md)" for name, title in listed.items()]
        lines.append(f"- **{heading}**: {', '.join(links)}")
    return "\n".join(lines)


def site_navigation() -> str:
    """The same groups as the navigation of mkdocs.yml."""
    lines = ["nav:", "  - Ralph: index.md"]
    for heading, listed in page_groups(INDEX.read_text(encoding="utf-8")).items():
        lines.append(f"  - {heading}:")
        lines += [f"      - {json.dumps(title)}: {name}.md" for name, title in listed.items()]
    return "\n".join(lines)


# Page -> the name of its markers, and what stands between them.
TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "config.md": ("keys", config_keys),
    "hats.md": ("older keys", legacy_keys),
    "roles.md": ("names", condition_names),
    "journal.md": ("facts", fact_kinds),
    "exits.md": ("exits", exits),
    "fleet-protocol.md": ("fleet", fleet_tables),
    "../README.md": ("pages", readme_pages),
    "../mkdocs.yml": ("pages", site_navigation),
}


def renewed(page: str, text: str) -> str:
    """The page's text with the part between its markers made anew."""
    if page == "commands.md":
        return commands_page()
    name, made = TABLES[page]
    begin, end = f"<!-- {name}: made by `make docs` -->", f"<!-- /{name} -->"
    if page.endswith(".yml"):
        begin, end = f"# {name}: made by `make docs`", f"# /{name}"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"docs/{page} has no {begin} ... {end}")
    return f"{before}{begin}\n{made()}\n{end}{after}"


def main() -> None:
    for page in ("commands.md", *TABLES):
        path = DOCS / page
        path.write_text(renewed(page, path.read_text(encoding="utf-8")), encoding="utf-8")


def commands_page() -> str:
    """docs/commands.md, whole."""
    parts = [HEAD.rstrip("\n")]
    for group, commands in GROUPS.items():
        links = [f"- [`ralph {name}`](#ralph-{name}): {text}" for name, (_, text) in commands.items()]
        parts.append("\n".join([f"**{group}**", "", *links]))
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
    rows = [f"| `{_cell(names)}` | {_cell(text)} |" for names, text in records]
    return "\n".join(["| option | meaning |", "|---|---|", *rows])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _fenced(text: str) -> str:
    return f"```sh\n{text}\n```"


if __name__ == "__main__":
    main()
