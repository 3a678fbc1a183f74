"""The click application: a table of commands, each in its own file, which is imported when it is called."""

from __future__ import annotations

import gc
import importlib
from typing import TYPE_CHECKING

import click

from ralph import __version__
from ralph.cli.entry import AGENT_COMMANDS
from ralph.errors import DISK, GOES_ON, RalphError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# What a person wants to do -> name -> (module, one line of help): the list of commands costs no imports.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Get started": {
        "demo": ("ralph.cli.demo", "A whole run in a small repository, without a model."),
        "init": ("ralph.cli.init", "Write a ralph.yml that fits this project."),
        "presets": ("ralph.cli.init", "Configurations to start from."),
        "doctor": ("ralph.cli.doctor", "Check git, agents, processes, disk and configuration."),
        "help": ("ralph.cli.help", "Show a page of the documentation, or a command."),
    },
    "Run": {
        "run": ("ralph.cli.run.command", "Run an agent on a task until the gates prove it done."),
        "resume": ("ralph.cli.run.resume", "Continue an unfinished loop."),
        "task": ("ralph.cli.task.commands", "The tasks in tasks.jsonl: list, add, split, complete, import."),
        "commit": ("ralph.cli.commit", "Commit what was proven here, with its evidence."),
    },
    "See what happened": {
        "status": ("ralph.cli.show.status", "What runs here, since when, and what to do next."),
        "logs": ("ralph.cli.show.logs", "What agents and gates were given and printed."),
        "report": ("ralph.cli.show.report", "Outcome, evidence and each iteration; --html makes a page."),
        "events": ("ralph.cli.show.events", "The journal: everything that happened."),
        "replay": ("ralph.cli.show.replay", "Decide a recorded loop again, without agents, and compare."),
        "recover": ("ralph.cli.show.recover", "List and restore what was saved."),
        "clean": ("ralph.cli.clean", "Remove workspaces of repositories that are gone."),
    },
    "Steer a run": {
        "say": ("ralph.cli.run.steering", "Send a message to the next iteration."),
        "answer": ("ralph.cli.run.steering", "Answer a loop's question."),
        "pause": ("ralph.cli.run.steering", "Pause the run after its iteration."),
        "continue": ("ralph.cli.run.steering", "Continue a paused run, or end a wait now."),
        "retry": ("ralph.cli.run.steering", "End a wait now; try a server's task again."),
        "stop": ("ralph.cli.run.steering", "End the run after its iteration, or at once."),
        "cancel": ("ralph.cli.run.steering", "End the run at once; the loop cannot be resumed."),
    },
    "Configure": {
        "validate": ("ralph.cli.validate", "Check a configuration and explain what it means."),
        "hats": ("ralph.cli.hats", "The hats of ralph.yml: list, check, draw."),
        "schema": ("ralph.cli.schema", "The JSON Schema of ralph.yml, for editors."),
        "completion": ("ralph.cli.completion", "Print the script for completion in your shell."),
    },
    "Run a fleet": {
        "serve": ("ralph.cli.fleet.serve", "Serve tasks to workers: HTTP, SQLite or PostgreSQL."),
        "worker": ("ralph.cli.fleet.worker", "Claim a server's tasks and run their loops here."),
        "send": ("ralph.cli.fleet.send", "Send a task to a server."),
        "login": ("ralph.cli.fleet.token", "Store a server's address and your token for it."),
        "token": ("ralph.cli.fleet.token", "Tokens of a server: add, list, revoke."),
        "server": ("ralph.cli.fleet.server", "Manage a server: its repositories, its database."),
    },
    "For agents, inside an iteration": AGENT_COMMANDS,
}
COMMANDS: dict[str, tuple[str, str]] = {
    name: entry for group in GROUPS.values() for name, entry in group.items()
}


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[name][0])
        if name in AGENT_COMMANDS:  # for its help only: `main` serves it
            from ralph.agent_tools.commands import help_text

            return click.Command(name, help=help_text(name))
        command = getattr(module, name)
        if not gc.isenabled():  # `main` has put it off
            gc.freeze()  # what was imported stays to the end: neither a collection nor the exit need look through it
            gc.set_threshold(50_000)  # a history has many objects, and no garbage either
            gc.enable()
        assert isinstance(command, click.Command)
        if ctx.resilient_parsing:  # the TAB key was pressed
            from ralph.cli.completion import attach

            attach(name, command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """From the table: the names cost no imports here either."""
        from click.shell_completion import CompletionItem

        named = [
            CompletionItem(name, help=text)
            for name, (_, text) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return named + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from ralph.cli.help import meant

            raise click.UsageError(f"There is no command {args[0]!r}.{meant(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), text) for name, (_, text) in commands.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="ralph %(version)s")
def app() -> None:
    """Runs coding agents in a loop of fresh-context iterations until the work is proven done.

    \b
    Examples:
      ralph init
      ralph run -p "Make the tests pass"
    """


def run_app(arguments: list[str]) -> int:
    """Every error that a person can cause ends as a few plain lines and its exit code. With -v, a fault of Ralph's own or of the
    machine also shows where it came from."""
    try:
        code = app.main(args=arguments, prog_name="ralph", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except SystemExit as leaving:
        # click's own way out: after shell completion, or when no one reads on, which is not an error
        return 0 if leaving.code == 1 else int(leaving.code or 0)
    except click.exceptions.Abort:
        _complain("Aborted.")
        return 130
    except click.ClickException as error:
        error.show()
        return 2
    except RalphError as error:
        if error.code == 70:
            _trace(arguments)
        _complain(f"ralph: {error}" + (_goes_on(arguments) if error.code == 70 and not error.todo else ""))
        return error.code
    except OSError as error:
        code = 70 if _goes_on(arguments) or error.errno in DISK else 2
        if code == 70:
            _trace(arguments)
        what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
        _complain(f"ralph: {what}" + _goes_on(arguments))
        return code
    except Exception as error:
        import traceback

        _trace(arguments)
        at = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{at.filename.rpartition('/')[2]}:{at.lineno}"
        _complain(
            f"ralph: internal error at {where}: {type(error).__name__}: {error}\n"
            "This is a fault in Ralph, please report it. What was recorded is kept."
        )
        return 70


def _goes_on(arguments: list[str]) -> str:
    """Only these commands record anything that could be taken up again."""
    return f"\n{GOES_ON}" if arguments[:1] in (["run"], ["resume"]) else ""


def _trace(arguments: list[str]) -> None:
    if "-v" in arguments or "--verbose" in arguments:
        import traceback  # takes longer to import than most commands need

        traceback.print_exc()


def _complain(text: str) -> None:
    try:
        click.echo(text, err=True)
    except OSError:
        pass  # there is nowhere left to say it; the exit code tells
