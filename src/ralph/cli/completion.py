"""`ralph completion`, and the values that the TAB key offers: iterations, gates, loops, kinds of facts, agents,
presets.

Imported only when a shell asks. Whatever goes wrong here offers nothing: a person is in the middle of a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from ralph.errors import RalphError

if TYPE_CHECKING:
    from ralph.cli.show.operation_words import Operation as _Operation

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_RALPH_COMPLETE"

Offer = Callable[[click.Context, str], Iterable[CompletionItem]]


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that lets SHELL complete commands, options and values with the TAB key.

    \b
    Examples:
      mkdir -p ~/.local/share/bash-completion/completions
      ralph completion bash > ~/.local/share/bash-completion/completions/ralph
      mkdir -p ~/.zfunc
      ralph completion zsh > ~/.zfunc/_ralph
      mkdir -p ~/.config/fish/completions
      ralph completion fish > ~/.config/fish/completions/ralph.fish

    For bash and zsh, a line in ~/.bashrc or ~/.zshrc (there after `compinit`) does it as well:

    \b
      eval "$(ralph completion bash)"
      eval "$(ralph completion zsh)"

    The file for bash is read by the package bash-completion; without it, take the line. ~/.zfunc stands for any folder
    in zsh's fpath. bash must be 4.4 or newer.
    """
    from ralph.cli.app import app

    found = get_completion_class(shell)
    if found is None:
        raise RalphError(f"no completion for {shell} is known", todo=f"Shells: {', '.join(SHELLS)}.")
    # Not bash's own source(): it starts a bash to look at its version, and the one that is used may be another.
    click.echo(ShellComplete.source(found(app, {}, "ralph", VARIABLE)), nl=False)


# -- what is offered -----------------------------------------------------------------------------------


def attach(name: str, command: click.Command) -> None:
    """Give the parameters of this command their values. The commands themselves know nothing of completion."""
    for below, one in command.commands.items() if isinstance(command, click.Group) else ():
        attach(f"{name} {below}", one)
    for parameter in command.params:
        if offer := OFFERS.get((name, parameter.name or "")) or ANYWHERE.get(parameter.name or ""):
            # An instance attribute goes before the class's method; click has no public way to set it later.
            setattr(parameter, "shell_complete", _quietly(offer))  # noqa: B010 - mypy knows it as a method


def _quietly(offer: Offer) -> Callable[[click.Context, str], list[CompletionItem]]:
    def complete(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        try:
            found = [item for item in offer(ctx, incomplete) if item.value.startswith(incomplete)]
            return [item for item in found if item.value.isprintable()]  # a line is what shells read
        except Exception:
            return []

    return complete


def _iterations(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    numbers: dict[int, str] = {}
    for one in _operations(ctx):
        numbers[one.n] = "the starting tree" if one.n == 0 else _ended(one)
    return [CompletionItem(str(n), help=text) for n, text in sorted(numbers.items())]


def _serials(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    wanted = _iteration(ctx)
    for one in _operations(ctx):
        if not one.gate and wanted in (None, one.n):
            yield CompletionItem(str(one.serial), help=f"iteration {one.n}: {_ended(one)}")


def _gates(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """Those that ran for the iteration on the line; without one, all that ran."""
    wanted = _iteration(ctx)
    for one in {x.gate: x for x in _operations(ctx) if x.gate and wanted in (None, x.n)}.values():
        yield CompletionItem(one.gate, help=_ended(one))


def _loops(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    from ralph.cli.context import here
    from ralph.history.history import survey
    from ralph.journal.read import history

    for one in reversed(survey(history(here().state_dir)).starts.values()):
        yield CompletionItem(one.id, help=_short(f"{one.task}: {one.title}"))


def _runs(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    from ralph.cli.context import here
    from ralph.journal.read import history

    for record in history(here().state_dir):
        if record.kind == "run.started":
            yield CompletionItem(record.run, help=record.at)


def _kinds(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    from ralph.cli.show.events import KINDS

    return [CompletionItem(kind, help=_short(fact.__doc__ or "")) for kind, fact in KINDS.items()]


def _saved(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    from ralph.cli.context import here
    from ralph.git.recovery import saved

    for number, one in enumerate(saved(here()), 1):
        yield CompletionItem(str(number), help=_short(f"{one.when} {one.reason}"))


def _presets(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    from ralph.setup.presets import presets

    return [CompletionItem(one.name, help=_short(one.about)) for one in presets()]


def _agents(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """Those on PATH first: the others would have to be installed."""
    from ralph.setup.project import Machine, agents_on_path, known_agents

    here = agents_on_path(Machine())
    return [CompletionItem(one.name, help="on PATH") for one in here] + [
        CompletionItem(one.name, help="not on PATH") for one in known_agents() if one not in here
    ]


def _tasks(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """Those that are open; the archive only for what begins with the letters that are there."""
    from ralph.cli.task.view import opened

    for task in opened().all():
        if task.id.startswith(incomplete) and (incomplete or not task.archived):
            yield CompletionItem(task.id, help=_short(task.title))


def _statuses(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    from ralph.core.tasks.task import STATUSES

    return [CompletionItem(word) for word in STATUSES]


def _files(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """The shell knows files better."""
    return [CompletionItem(incomplete, type="file")]


def _hat_sources(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    if not incomplete.startswith("builtin:"):
        return _files(ctx, incomplete)
    from ralph.setup.presets import presets

    found = (one for one in presets() if "\nhats:" in one.text)
    return [CompletionItem(f"builtin:{one.name}", help=_short(one.about)) for one in found]


# (command, parameter) -> what to offer
OFFERS: dict[tuple[str, str], Offer] = {
    ("logs", "iteration"): _iterations,
    ("logs", "gate"): _gates,
    ("logs", "serial"): _serials,
    ("events", "kinds"): _kinds,
    ("init", "agent"): _agents,
    ("presets", "name"): _presets,
    ("recover", "which"): _saved,
    ("recover", "paths"): _files,
    ("run", "command"): _files,
    ("run", "backend"): _agents,
    ("task add", "parent"): _tasks,
    ("task add", "depends_on"): _tasks,
    ("task list", "under"): _tasks,
    ("task list", "statuses"): _statuses,
    ("task edit", "depends_on"): _tasks,
    ("task edit", "word"): _statuses,
    ("task import", "file"): _files,
    **{(name, "task"): _tasks for name in ("say", "answer", "pause", "continue")},
    ("task export", "output"): _files,
    **{("task " + name, "id"): _tasks for name in ("show", "split", "complete", "block", "reopen", "edit")},
}
# parameters that mean the same wherever they are
ANYWHERE: dict[str, Offer] = {
    "loop": _loops,
    "run_id": _runs,
    "preset": _presets,
    "sources": _files,
    "hats": _hat_sources,
}


def _iteration(ctx: click.Context) -> int | None:
    """The one on the line. Before an option that still lacks its value, click leaves arguments as they are."""
    given = ctx.params.get("iteration") or next(iter(ctx.args), None)
    return int(given) if given is not None and str(given).isdigit() else None


def _operations(ctx: click.Context) -> Sequence[_Operation]:
    from ralph.cli.context import here
    from ralph.history.choose import load_one

    loop = load_one(here(), ctx.params.get("loop") or "")
    return loop.operations() if loop else []


def _ended(one: _Operation) -> str:
    from ralph.cli.show.operation_words import how_it_ended
    from ralph.history.iterations import Iteration

    signal = one.signal if isinstance(one, Iteration) else ""
    return _short(f"{how_it_ended(one)} {signal}")


def _short(text: str) -> str:
    """Agents' and people's words, fit for a list in a terminal; click's script for fish ends a text at a comma."""
    from ralph.cli.output import cut
    from ralph.terminal.words import one_line

    return one_line(cut(text, 60)).strip().replace(",", ";")
