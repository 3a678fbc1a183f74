"""`ralph run`: from the command line to one run."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from msgspec.structs import replace

from ralph.cli.context import (
    NO_RUN,
    LargeFolders,
    config_options,
    copies_of_configs,
    hide_files_of,
    hide_own_files,
    list_of_tasks,
    of_folder,
    refuse_inside,
    resumable,
)
from ralph.cli.run import LIMITS, limit_options
from ralph.cli.run.view import shown, view_options
from ralph.config.agents import check_agents
from ralph.config.load import Resolved, found_above, found_in, load
from ralph.config.settings import NAMED_BY, Overrides
from ralph.core.hats.model import Team
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy, Task
from ralph.core.secrets.environment import missed_names
from ralph.errors import RalphError
from ralph.git.repo import Repo, own_files, printable
from ralph.git.uncommitted_changes import LARGE, committed, large_folders, uncommitted_paths
from ralph.git.workspaces.shared_folders import DEPENDENCIES
from ralph.history.loop_records import is_same
from ralph.journal.lock import holder
from ralph.processes.output_files import is_piped, output_files
from ralph.processes.ownership import get_ready
from ralph.runner.loop_context import variables_for
from ralph.runner.run import run as start_run
from ralph.runner.run_request import Aside, PromptTask, RunRequest
from ralph.terminal.words import one_line
from ralph.text import few

if TYPE_CHECKING:
    from ralph.runner.backlog_tasks import BacklogTasks
    from ralph.setup.plan import Assumed

BACKLOG_FLAGS = ("task", "max_items", "parallel", "watch", "once")
_READER_STARTS = 1.0  # seconds: a shell begins all parts of a pipeline at once


class _AgentAfterDashes(click.Command):
    """What stands before `--` is no agent's command: someone forgot an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        explicit = "--" in args
        rest = super().parse_args(ctx, args)
        words: tuple[str, ...] = ctx.params.get("command") or ()
        if words and not explicit and not ctx.resilient_parsing:
            raise click.UsageError(f"{shlex.join(words)} belongs to no option. {_meant(words)}", ctx)
        return rest


def _meant(words: tuple[str, ...]) -> str:
    first, *others = words
    task = f"ralph run --task {shlex.quote(first)}"
    if len(words) == 2 and others[0].isdigit() and " " not in first:
        return f"For a task of the backlog: `{task} --max-iterations {others[0]}`."
    prompt = f'ralph run -p "{" ".join(words)}"'
    if shutil.which(first) is not None:
        return f"Did you mean `{prompt}`? Or, if it is the agent: `ralph run -- {shlex.join(words)}`?"
    if others or " " in first:
        return f"Did you mean `{prompt}`?"
    return f"Did you mean `{prompt}`? Or, for a task of the backlog, `{task}`?"


@click.command(cls=_AgentAfterDashes)
@click.option("-p", "--prompt", help="The task, as text.")
@click.option("-P", "--prompt-file", type=click.Path(path_type=Path), help="The task, as a file.")
@config_options
@click.option(
    "-b", "--backend", default="", metavar="NAME", help="This agent; what follows `--` are its arguments."
)
@click.option("--criteria", multiple=True, help="An acceptance criterion; may be repeated.")
@click.option("--task-id", help="A short name for the task.")
@click.option("--gate", "gates", multiple=True, help="A command that must pass; may be repeated.")
@click.option("--no-gates", is_flag=True, help="Complete on the agent's word alone.")
@click.option(
    "--allow",
    metavar="GLOB",
    multiple=True,
    help="Files that judge the work (tests, runner configuration) and may be changed without review; may be repeated.",
)
@click.option(
    "--require-verified",
    is_flag=True,
    help="Exit with 6 when nothing proves the work, even with `gates: none`.",
)
@click.option(
    "--sandbox",
    type=click.Choice(["none", "bwrap"]),
    help="Whether agents and gates run in a sandbox. Overrides sandbox.kind.",
)
@limit_options
@click.option("--completion-promise", metavar="TEXT", help="The line with which the agent claims to be done.")
@click.option(
    "--idle-timeout", type=float, help="End an agent that does nothing for this many seconds; 0: never."
)
@click.option(
    "--dry-run", is_flag=True, help="Say what would be done, as `ralph validate` does; start nothing."
)
@click.option("--task", help="Only this task of the backlog, or those below it.")
@click.option(
    "--max-items",
    type=int,
    help="Begin at most this many tasks of the backlog; with `scan:`, end after this many items.",
)
@click.option("--once", is_flag=True, help="Begin one task of the backlog.")
@click.option("--parallel", type=int, help="Work on this many tasks of the backlog at once.")
@click.option("--watch", is_flag=True, help="When the backlog is done, wait for more tasks.")
@click.option(
    "--cooldown-delay-seconds",
    "--cooldown",
    "cooldown",
    type=click.FloatRange(0, 86400),
    help="Seconds between two looks at an idle board; without hats, between iterations. "
    "Overrides event_loop.cooldown_delay_seconds.",
)
@click.option(
    "--timeout-multiplier", type=float, default=1.0, help="Multiply all time limits by this factor."
)
@click.option("--in-place", is_flag=True, help="Work here although there are uncommitted changes.")
@click.option(
    "--workspace",
    type=click.Choice(["in-place", "clone", "worktree"]),
    help="Where to work: here, or in its own clone or worktree, from which proven work lands.",
)
@click.option("--resume", "--continue", "choice", flag_value="resume", help="Continue the unfinished loop.")
@click.option("--fresh", "choice", flag_value="fresh", help="Start over; the unfinished loop is set aside.")
@view_options
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def run(
    config: Path | None,
    layers: dict[str, Any],
    choice: str | None,
    in_place: bool,
    dry_run: bool,
    see: dict[str, bool],
    command: tuple[str, ...],
    **given: Any,
) -> int:
    """Run an agent on a task until the gates prove it done.

    COMMAND is the agent, after `--`; it gets the prompt on standard input. Without it, ralph.yml says.
    Without a prompt, the tasks of tasks.jsonl are worked on, each in its own workspace, and what is proven
    lands on the branch that is checked out.

    \b
    Examples:
      ralph run
      ralph run -p "Make the tests pass" --gate "pytest -q" -- ./agent.sh
      ralph run -P task.md --max-iterations 20 --in-place
      ralph run -p "Speed up the parser" --workspace clone
      ralph run --parallel 3
      ralph run --task A.1
      ralph run -p "Drop Python 3.8" --allow tox.ini --allow "tests/compat/**"
      ralph run -b codex -H builtin:tdd -c event_loop.max_iterations=20 -p "Add a cache"
      ralph run --dry-run
    """
    from ralph.cli.context import here

    folder = Path.cwd()
    if choice == "resume":
        _refuse_with_resume({**given, **layers, "config": config, "dry_run": dry_run}, command)
        from ralph.cli.run.resume import go_on

        return go_on(see, "", given, task=given["task"] or "")
    repo = here()
    refuse_inside(repo, NO_RUN)
    config = config or _named_by_environment()
    if config is None:
        _refuse_one_above(folder, repo)
    if given["backend"] and command:
        layers["assigned"] = (*layers["assigned"], f"cli.args={json.dumps(command)}")
        command = ()
    get_ready(os.environ.get("RALPH_TIER", ""))
    assumed = _assumed(folder, repo, command, given) if config is None else None
    from ralph.cli import context

    cooldown = given.pop("cooldown")
    flags = {name: given.pop(name) for name in BACKLOG_FLAGS}
    text = assumed.text if assumed else ""

    def read(flags: dict[str, Any]) -> Resolved:
        overrides = Overrides(
            command=command, backlog=_backlog_flag(flags), in_place=in_place, **layers, **given
        )
        if dry_run:
            raise _DryRun(overrides)
        return load(folder, config, overrides, assumed=text, backlog=context.usual(repo.root))

    try:
        resolved = _board_items(read, flags)
    except _DryRun as only:
        from ralph.cli.validate import report

        return report(folder, config, only.overrides, assumed=assumed)
    if cooldown is not None:
        resolved = replace(resolved, policy=_cooled(resolved.policy, cooldown))
    for line in assumed.said if assumed else ():
        click.echo(line, err=True)
    at_end = resolved.work.at_end if resolved.policy.workspace != "in-place" else ()
    everyone = replace(resolved.policy, gates=(*resolved.policy.gates, *at_end))
    check_agents(everyone, folder, "command line" if command else "config")
    for warning in resolved.warnings:
        click.echo(f"warning: {warning}", err=True)
    if (team := resolved.policy.routing or resolved.policy.team) is not None:
        from ralph.cli.validate import warned

        for warning in warned(team):
            click.echo(f"warning: {one_line(warning)}", err=True)
    _say_what_is_withheld(resolved.policy)
    if resolved.task is None:
        from ralph.cli.run import backlog  # a prompt needs nothing of it

        work = backlog.work_of(flags, resolved.work)
        file = Path(resolved.backlog) if resolved.backlog else None
        return backlog.go_through(folder, repo, file, resolved.policy, work, see)
    known = _read_by_ralph(folder, config, resolved.prompt_file) | {
        path.resolve() for path in (*list_of_tasks(repo, folder), *copies_of_configs(folder), *output_files())
    }
    return _work_on(resolved, resolved.task, folder, repo, see, choice or "", in_place=in_place, known=known)


class _DryRun(Exception):
    """What is wanted is known, and nothing is to be begun."""

    def __init__(self, overrides: Overrides) -> None:
        self.overrides = overrides


def _named_by_environment() -> Path | None:
    named = os.environ.get(NAMED_BY, "")
    return Path(named) if named else None


def _work_on(
    resolved: Resolved,
    task: Task,
    folder: Path,
    repo: Repo,
    see: dict[str, bool],
    choice: str,
    *,
    in_place: bool,
    known: set[Path],
) -> int:
    """A prompt: a list of one task, in the user's folder unless it has a workspace of its own."""
    before = resumable(repo) if holder(repo.state_dir) is None else None
    again = before is not None and is_same(before.identity.task, task)
    if before and again and choice != "fresh" and _resume_or_fresh(before) == "resume":
        from ralph.cli.run.resume import go_on

        return go_on(see, "", {}, task=before.identity.task.id)
    policy, work = resolved.policy, replace(resolved.work, only=task.id, most=1, share=(), at_end=())
    own = own_files(repo, folder, policy.scratchpads(task.id))
    uncommitted = _uncommitted(repo, own, known)
    if uncommitted and is_piped():
        uncommitted = _without_output(repo, own, known)
    if policy.workspace == "in-place":
        _name_large_folders(repo, own, uncommitted, in_place)
        _agree_to_work_here(uncommitted, in_place)
        if policy.share and repo.versioned:
            from ralph.cli.run.backlog import warn_of_missing

            warn_of_missing(repo, policy.share)
    else:
        from ralph.cli.run.backlog import landing

        policy = landing(repo, policy, resolved.work)
        work = replace(work, share=resolved.work.share, at_end=resolved.work.at_end)
        if uncommitted:
            left = few([printable(path) for path in uncommitted])
            click.echo(f"warning: uncommitted changes here are not in the workspace: {left}", err=True)
    aside: Aside | None = None
    if before and before.judgement.ended is None:
        aside = Aside(before.identity.loop, for_good=again or choice == "fresh")
    if before and not again and choice != "fresh":
        how = f"{before.judgement.ended or 'died'}, {before.progress.iterations} iterations"
        later = f"ralph resume --task {shlex.quote(before.identity.task.id)}"
        click.echo(f"note: {before.identity.task.id} is not done ({how}); `{later}` continues it", err=True)
    request = RunRequest(folder=folder, repo=repo, policy=policy, work=work, aside=aside)
    return drive_prompt(request, task, see)


def drive_prompt(request: RunRequest, task: Task, see: dict[str, bool]) -> int:
    def beside() -> BacklogTasks:
        from ralph.backlog.jsonl import JsonlBacklog  # most prompts propose nothing
        from ralph.runner.backlog_tasks import BacklogTasks

        backlog = JsonlBacklog(of_folder(request.repo, request.folder), request.repo.state_dir)
        return BacklogTasks(backlog, request.repo, request.policy.land, generations=0)

    with shown(request, see) as view:
        code = start_run(request, PromptTask(task, beside), view, begins=partial(hide_files_of, request))
    if list_of_tasks(request.repo, request.folder):  # of tasks that agents proposed, perhaps
        hide_own_files(request.repo, request.folder)
    return code


def _say_what_is_withheld(policy: Policy) -> None:
    """Variables that are set, look wanted and reach no agent. Whoever has written `env_allow` knows of them."""
    names = () if policy.env_allow else missed_names(os.environ, variables_for(policy, policy.agent))
    if names:
        named = one_line(", ".join(names))
        click.echo(
            f"note: neither agents nor gates get {named}. If they need that, say in ralph.yml: env_allow: [{named}]",
            err=True,
        )


def _backlog_flag(flags: dict[str, Any]) -> str:
    """The flag that asks for the tasks of the backlog, if one was given."""
    given = (
        name for name in BACKLOG_FLAGS if flags[name] is not None and flags[name] is not False
    )  # 0 is given
    return next((f"--{name.replace('_', '-')}" for name in given), "")


def _board_items(read: Callable[[dict[str, Any]], Resolved], flags: dict[str, Any]) -> Resolved:
    """--max-items is about the items of a board that Ralph scans itself, where there is one, else about tasks."""
    most, others = flags["max_items"], {**flags, "max_items": None}
    if most is None or any(value not in (None, False) for value in others.values()):
        return read(flags)
    try:
        resolved = read(others)
    except RalphError:  # it is about tasks, or wrong in a way that is told the same way then
        return read(flags)
    team = resolved.policy.team
    if resolved.task is None or team is None or not any(hat.scan is not None for hat in team.hats):
        return read(flags)
    if most < 1:
        raise RalphError("--max-items: must be at least 1", todo="Give a higher number, or leave it out.")
    return replace(resolved, policy=replace(resolved.policy, team=replace(team, max_items=most)))


def _cooled(policy: Policy, seconds: float) -> Policy:
    return replace(policy, team=replace(policy.team or Team(), cooldown=seconds))


def _refuse_one_above(folder: Path, repo: Repo) -> None:
    """Neither ignored nor used in silence: the gates would not be its own, or would run in another folder."""
    if not found_in(folder) and (above := found_above(folder, repo.root)):
        file = os.path.relpath(above, folder)
        raise RalphError(
            f"there is no ralph.yml here, but there is {file}",
            todo=f"Run it there: `cd {shlex.quote(str(Path(file).parent))}`. "
            f"Or use it here, so that agent and gates run in this folder: `-c {shlex.quote(file)}`.",
        )


def _assumed(folder: Path, repo: Repo, command: tuple[str, ...], given: dict[str, Any]) -> Assumed | None:
    """Without a file, what `ralph init` would write: the agent and the gates, unless the command line says them, and the folders
    that gates need a copy of."""
    if found_in(folder):
        return None
    from ralph.config.layers import user_values

    theirs = user_values()[0]
    agent = not command and not given["backend"] and not {"cli.backend", "cli.command"} & theirs.keys()
    gates = not given["gates"] and not given["no_gates"] and "gates" not in theirs
    needs = given["gates"] and any((repo.root / name).is_dir() for name in DEPENDENCIES)
    if not (agent or gates or needs):
        return None
    from ralph.setup.plan import assumed

    return assumed(folder, agent=agent, gates=gates, root=repo.root)


def _refuse_with_resume(given: dict[str, Any], command: tuple[str, ...]) -> None:
    """The loop's task and policy are those of its start; saying otherwise would be ignored silently."""
    as_they_are = {"timeout_multiplier": 1.0}
    said = [
        "--gate" if key == "gates" else f"--{key.replace('_', '-')}"
        for key, value in given.items()
        if key not in (*LIMITS, "task") and value and value != as_they_are.get(key)
    ]
    said += ["-- COMMAND"] if command else []
    if said:
        raise RalphError(
            f"a resumed loop keeps its task, agent and gates; {', '.join(said)} would change nothing",
            todo="Leave them out, or start over with --fresh.",
        )


def _resume_or_fresh(s: LoopState) -> Literal["resume", "fresh"]:
    """This very prompt was begun before and did not come to a good end."""
    how = s.judgement.ended or "died"
    text = f"An unfinished loop is here: {s.identity.task.id} ({how}, {s.progress.iterations} iterations)."
    if not sys.stdin.isatty():
        raise RalphError(
            text,
            todo="Use --resume to continue it with the settings it began with, or --fresh to set it "
            "aside and start over with the current ones.",
        )
    answer = click.prompt(
        f"{text} Resumed, it keeps the settings that it began with. Resume or fresh?",
        type=click.Choice(["resume", "fresh"]),
        default="resume",
        err=True,
    )
    return "resume" if answer == "resume" else "fresh"


def _uncommitted(repo: Repo, own: tuple[str, ...], known: set[Path]) -> list[str]:
    """The user's work; not the files that describe this run, nor what `ralph init` wrote."""
    if not repo.versioned:
        return []
    found = [path for path in uncommitted_paths(repo, own) if (repo.root / path).resolve() not in known]
    return [path for path in found if not _by_init(repo, path)]


def _without_output(repo: Repo, own: tuple[str, ...], known: set[Path]) -> list[str]:
    """Who reads what we print, `tee` perhaps, may have opened its file only now."""
    deadline = time.monotonic() + _READER_STARTS
    while uncommitted := _uncommitted(repo, own, known | set(output_files())):
        if time.monotonic() > deadline:
            return uncommitted
        time.sleep(0.05)
    return []


def _name_large_folders(repo: Repo, own: tuple[str, ...], uncommitted: list[str], in_place: bool) -> None:
    """Before the first snapshot, which would hold all of them."""
    if len(uncommitted) < LARGE or not (folders := large_folders(repo, own)):
        return
    found = LargeFolders(folders, "Or commit them, or use --in-place to have them in every snapshot.")
    if not in_place:
        raise found
    click.echo(f"warning: {found.what}: every snapshot holds them", err=True)


def _agree_to_work_here(uncommitted: list[str], in_place: bool) -> None:
    """Uncommitted work is the user's: it is touched only when they say so, and saved first."""
    if in_place or not uncommitted:
        return
    text = f"there are uncommitted changes: {few([printable(path) for path in uncommitted])}"
    if not sys.stdin.isatty():
        raise RalphError(
            text, todo="Commit them, or use --in-place to work on top of them (they are saved first)."
        )
    if not click.confirm(f"{text[0].upper()}{text[1:]}. They will be saved first. Work here?", err=True):
        raise RalphError(
            "not started; nothing was changed", todo="Commit or stash your changes, then `ralph run`."
        )


def _by_init(repo: Repo, path: str) -> bool:
    """The lines that `ralph init` adds to .gitignore are no work of the user's."""
    file = repo.root / path
    if file.name != ".gitignore" or file.is_symlink() or not file.is_file():  # or it was removed or replaced
        return False
    from ralph.setup.write import adds_only_ignores

    try:
        return adds_only_ignores(committed(repo, path), file.read_bytes())
    except OSError:
        return False


def _read_by_ralph(folder: Path, config: Path | None, prompt_file: str) -> set[Path]:
    """The files that describe this run need not be committed for it."""
    named = (config, prompt_file, "ralph.yml", "ralph.yaml", "PROMPT.md")
    return {(folder / path).resolve() for path in named if path}
