"""`ralph run` and `ralph resume`: from the command line to one run."""

from __future__ import annotations

import functools
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from ralph.cli.context import refuse_inside
from ralph.cli.run.view import Shown, diagnosed
from ralph.cli.run.view import choose as choose_view
from ralph.config.agents import NamedBy, check_agent
from ralph.config.field_types import glob_problem
from ralph.config.load import Resolved, found_above, found_in, load
from ralph.config.settings import Overrides
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import BY_NAME, of_task, resume_of
from ralph.core.loop.decide import Finish, decide
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy
from ralph.errors import RalphError
from ralph.git.repo import Repo, own_files, printable
from ralph.git.uncommitted_changes import committed, uncommitted_paths
from ralph.history.loop_records import is_unfinished
from ralph.processes.ownership import get_ready
from ralph.runner.loop_runner import Choice, LoopView
from ralph.runner.run import RunRequest, raised
from ralph.runner.run import run as drive
from ralph.terminal.words import one_line
from ralph.text import few

if TYPE_CHECKING:
    from ralph.setup.plan import Assumed

Decorated = Callable[..., Any]

BACKLOG_FLAGS = ("task", "max_items", "parallel", "watch", "once")


def _view(command: Decorated) -> Decorated:
    """How a run shows itself; the chosen options come as one value, `see`."""

    @functools.wraps(command)
    def with_view(verbose: bool, no_tui: bool, as_json: bool, diagnostics: bool, **given: Any) -> Any:
        see = {"verbose": verbose, "no_tui": no_tui, "as_json": as_json, "diagnostics": diagnostics}
        return command(see=see, **given)

    decorated: Decorated = with_view
    for option in (
        click.option(
            "--json", "as_json", is_flag=True, help="Print one JSON object a fact, as `ralph events --json`."
        ),
        click.option(
            "--diagnostics",
            is_flag=True,
            help="Write what happens as JSON lines to .ralph/diagnostics/; so does RALPH_DIAGNOSTICS=1.",
        ),
        click.option("--no-tui", is_flag=True, help="Print plain lines, also on a terminal."),
        click.option("-v", "--verbose", is_flag=True, help="Show what the agent and the gates print."),
    ):
        decorated = option(decorated)
    return decorated


def _limits(command: Decorated) -> Decorated:
    for option in reversed(
        (
            click.option("--max-iterations", type=int, help="End after this many iterations."),
            click.option("--max-attempts", type=int, help="End after this many claims turned down."),
            click.option(
                "--max-runtime-seconds", "--max-runtime", type=float, help="End after this active time."
            ),
            click.option("--max-cost-usd", "--max-cost", type=float, help="End when this much is spent."),
            click.option("--max-tokens", type=int, help="End when this many tokens are used."),
        )
    ):
        command = option(command)
    return command


@click.command(context_settings={"ignore_unknown_options": False})
@click.option("-p", "--prompt", help="The task, as text.")
@click.option("-P", "--prompt-file", type=click.Path(path_type=Path), help="The task, as a file.")
@click.option("-c", "--config", type=click.Path(path_type=Path), help="Use this file instead of ralph.yml.")
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
@click.option("--require-verified", is_flag=True, help="An unverified end is never exit 0.")
@click.option(
    "--sandbox",
    type=click.Choice(["none", "bwrap"]),
    help="Whether agents and gates run in a sandbox; in place of sandbox.kind.",
)
@_limits
@click.option("--task", help="Of the backlog, this task, or those below it.")
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
    help="Of hats: the rest between two idle looks; in place of event_loop.cooldown_delay_seconds.",
)
@click.option("--timeout-multiplier", type=float, default=1.0, help="Stretch all time limits by this factor.")
@click.option("--in-place", is_flag=True, help="Work here although there are uncommitted changes.")
@click.option("--resume", "choice", flag_value="resume", help="Go on with the unfinished loop.")
@click.option("--fresh", "choice", flag_value="fresh", help="Start anew; the unfinished loop is set aside.")
@_view
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def run(
    config: Path | None,
    choice: str | None,
    in_place: bool,
    see: dict[str, bool],
    command: tuple[str, ...],
    **given: Any,
) -> int:
    """Run an agent on a task until the gates prove it done.

    COMMAND is the agent, after `--`; it gets the prompt on standard input. Without it, ralph.yml says.
    Without a prompt, the tasks of tasks.jsonl are worked on, each in a workspace of its own, and what is proven
    lands on the branch that is checked out.

    \b
    Examples:
      ralph run
      ralph run -p "Make the tests pass" --gate "pytest -q" -- ./agent.sh
      ralph run -P task.md --max-iterations 20 --in-place
      ralph run --parallel 3
      ralph run --task A.1
      ralph run -p "Drop Python 3.8" --allow tox.ini --allow "tests/compat/**"
    """
    from ralph.cli.context import here

    folder = Path.cwd()
    if choice == "resume":
        _refuse_with_resume({**given, "config": config}, command)
        return _resume(see, "", given, task=given["task"] or "")
    repo = here()
    refuse_inside(repo)
    if config is None:
        _refuse_one_above(folder, repo)
    get_ready(os.environ.get("RALPH_TIER", ""))
    assumed = _assumed(folder, repo, command, given) if config is None else None
    from ralph.cli import context

    cooldown = given.pop("cooldown")
    flags = {name: given.pop(name) for name in BACKLOG_FLAGS}
    text = assumed.text if assumed else ""

    def read(flags: dict[str, Any]) -> Resolved:
        overrides = Overrides(command=command, backlog=_backlog_flag(flags), in_place=in_place, **given)
        return load(folder, config, overrides, assumed=text, backlog=context.usual(repo.root))

    resolved = _board_items(read, flags)
    if cooldown is not None:
        resolved = replace(resolved, policy=_cooled(resolved.policy, cooldown))
    for line in assumed.said if assumed else ():
        click.echo(line, err=True)
    at_end = resolved.work.at_end if resolved.task is None else ()
    everyone = replace(resolved.policy, gates=(*resolved.policy.gates, *at_end))
    _check(everyone, folder, "command line" if command else "config")
    for warning in resolved.warnings:
        click.echo(f"warning: {warning}", err=True)
    if (team := resolved.policy.routing or resolved.policy.team) is not None:
        from ralph.cli.validate import warned

        for warning in warned(team):
            click.echo(f"warning: {one_line(warning)}", err=True)
    if resolved.task is None:
        from ralph.cli.run import backlog  # a prompt needs nothing of it

        work = backlog.work_of(flags, resolved.work)
        file = Path(resolved.backlog) if resolved.backlog else None
        return backlog.go_through(folder, repo, file, resolved.policy, work, see)
    task = resolved.task
    request = RunRequest(
        folder=folder,
        repo=repo,
        task=resolved.task,
        policy=resolved.policy,
        choice="fresh" if choice == "fresh" else "ask",
    )

    def agree() -> None:
        own = own_files(repo, folder, resolved.policy.scratchpads(task.id))
        _agree_to_work_here(repo, own, in_place, _read_by_ralph(folder, config, resolved.prompt_file))

    loop = _resumable(repo)
    if choice == "fresh" or loop is None or not is_unfinished(loop):
        agree()
    return _go(request, see, agree)


@click.command()
@_limits
@click.option(
    "--answer", default="", help="The answer to the question that the loop waits for, or what it lacks."
)
@click.option(
    "--allow",
    metavar="GLOB",
    multiple=True,
    help="After needs-review: files that judge the work and may stay changed; may be repeated.",
)
@click.option("--task", default="", help="Of the backlog, this task, which waits for you or was cut short.")
@click.option("--max-items", type=int, hidden=True)  # only to say why not
@_view
def resume(
    see: dict[str, bool],
    answer: str,
    allow: tuple[str, ...],
    task: str,
    max_items: int | None,
    **given: Any,
) -> int:
    """Go on with the unfinished loop, perhaps under higher limits.

    After needs-review, --allow accepts the changes to these files; without it, the agent has to put them back.
    A task of the backlog goes on in its own workspace and lands as always; --task may be left out when only one waits.
    A board keeps its --max-items.

    \b
    Examples:
      ralph resume
      ralph resume --max-iterations 80
      ralph resume --answer "Use PostgreSQL"
      ralph resume --allow tests/test_dates.py
      ralph resume --task A.1 --answer "Use PostgreSQL"
    """
    if max_items is not None:
        raise RalphError(
            "a resumed loop keeps its --max-items",
            todo="Leave it out; or start anew with `ralph run --fresh --max-items N`, which counts the items from then on.",
        )
    return _resume(see, answer, given, allow, task)


def _backlog_flag(flags: dict[str, Any]) -> str:
    """The flag that asks for the tasks of the backlog, if one was given."""
    given = (
        name for name in BACKLOG_FLAGS if flags[name] is not None and flags[name] is not False
    )  # 0 is given
    return next((f"--{name.replace('_', '-')}" for name in given), "")


def _resume(
    see: dict[str, bool], answer: str, given: dict[str, Any], allow: tuple[str, ...] = (), task: str = ""
) -> int:
    """From wherever in the repository: the loop goes on in the folder in which it began."""
    from ralph.cli.context import here
    from ralph.cli.run import backlog

    repo = here()
    refuse_inside(repo)
    of_backlog = backlog.chosen(repo, task, says=bool(answer or allow))
    loop = of_backlog.state if of_backlog else _resumable(repo)
    if loop:
        _check(loop.identity.policy, Path(loop.identity.root) / loop.identity.folder, "loop")
    folder = Path(loop.identity.root) / loop.identity.folder if loop else Path.cwd()
    limits = _raised(given)
    if loop:
        _refuse_in_vain(loop, limits, answer, allow)
        _check_allowed(loop, allow)
    if of_backlog:
        return backlog.go_on(repo, of_backlog, see, answer=answer, allow=allow, raise_limits=limits)
    request = RunRequest(
        folder=folder, repo=repo, choice="resume", answer=answer, allow=allow, raise_limits=limits
    )
    return _go(request, see)


def _refuse_in_vain(loop: LoopState, limits: dict[str, float], answer: str, allow: tuple[str, ...]) -> None:
    """A loop at its limit would end again at once: say what it needs instead."""
    if answer and loop.people.question is None and loop.judgement.ended != "stuck":
        raise RalphError(
            "no question waits for an answer here",
            todo=f'To tell the next iteration something: `{of_task("say", loop)} "..."`; then `{resume_of(loop)}`.',
        )
    higher = raised(loop.identity.policy.limits, limits)
    resumed = fold(loop, f.LoopResumed(run="", limits=higher, answer=answer, allow=allow))
    for op in decide(resumed) if not resumed.progress.open else ():
        if isinstance(op, Finish) and BY_NAME[op.end].raisable:
            from ralph.core.loop.end_advice import what_it_needs

            ended = replace(resumed.judgement, end_limit=op.limit)
            todo = what_it_needs(op.end, replace(resumed, judgement=ended))
            raise RalphError(f"it would end again at once: {op.reason}", todo=todo)


def _check_allowed(loop: LoopState, allow: tuple[str, ...]) -> None:
    if allow and loop.judgement.ended != "needs-review":
        raise RalphError(
            "--allow is for a loop that needs review, and this one does not", todo="Leave it out."
        )
    for pattern in allow:
        if problem := glob_problem(pattern):
            raise RalphError(f"--allow {pattern!r} {problem}", todo="Name files as the end names them.")


def _go(request: RunRequest, see: dict[str, bool], agree: Callable[[], None] = lambda: None) -> int:
    """`agree` is asked when the user chooses to start anew at a prompt."""

    def choose(s: LoopState) -> Choice:
        choice = _resume_or_fresh(s)
        if choice == "fresh":
            agree()
        return choice

    diagnostics = diagnosed(see.pop("diagnostics", False))
    view = choose_view(request.repo.state_dir, **see)
    with Shown(request.folder, view, diagnostics=diagnostics) as shown:
        seeing = LoopView(
            fact=shown.fact,
            line=lambda task, who, line: shown.heard(who, line.text),
            resume_or_fresh=choose,
            pulse=shown.pulse,
            end=shown.end,
            note=shown.note,
        )
        return drive(request, seeing)


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
    if policy.team is None or not policy.team.routes:
        raise RalphError("--cooldown is for hats, and there are none", todo="Leave it out.")
    return replace(policy, team=replace(policy.team, cooldown=seconds))


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
    """Without a file, the agent and the gates that `ralph init` would write, unless the command line says them."""
    agent, gates = not command, not given["gates"] and not given["no_gates"]
    if found_in(folder) or not (agent or gates):
        return None
    from ralph.setup.plan import assumed

    return assumed(folder, agent=agent, gates=gates, root=repo.root)


def _check(policy: Policy, folder: Path, named_by: NamedBy) -> None:
    """An agent that cannot run is told before anything is done."""
    check_agent(policy, folder, named_by)
    hats = policy.team.hats if policy.team is not None else ()
    others: list[tuple[NamedBy, str, AgentPolicy | None]] = []
    others += (("gate", gate.name, gate.agent) for gate in policy.gates)
    others += (("hat", hat.id, hat.agent) for hat in hats)
    for kind, name, agent in others:
        if agent:
            try:
                check_agent(replace(policy, agent=agent), folder, "loop" if named_by == "loop" else kind)
            except RalphError as error:
                what = f"{kind} {name}: {error.what}"
                raise RalphError(what, where=error.where, todo=error.todo, code=error.code)


def _raised(given: dict[str, Any]) -> dict[str, float]:
    names = {"max_runtime_seconds": "hard_seconds"}
    limits = ("max_iterations", "max_attempts", "max_runtime_seconds", "max_cost_usd", "max_tokens")
    said = {key: given[key] for key in limits if given.get(key) is not None}
    if bad := [f"--{key.replace('_', '-')}" for key, value in said.items() if not value > 0]:
        raise RalphError(f"{', '.join(bad)}: must be above 0", todo="Give a higher number, or leave it out.")
    return {names.get(key, key): value for key, value in said.items()}


def _refuse_with_resume(given: dict[str, Any], command: tuple[str, ...]) -> None:
    """The loop's task and policy are those of its start; saying otherwise would be ignored silently."""
    fixed = (
        "config",
        "prompt",
        "prompt_file",
        "criteria",
        "task_id",
        "gates",
        "no_gates",
        "allow",
        "require_verified",
        "sandbox",
        "max_items",
        "cooldown",
        "parallel",
        "once",
        "watch",
    )
    said = [_FLAGS.get(key, f"--{key.replace('_', '-')}") for key in fixed if given.get(key)]
    said += ["--timeout-multiplier"] if given.get("timeout_multiplier", 1.0) != 1.0 else []
    said += ["-- COMMAND"] if command else []
    if said:
        raise RalphError(
            f"a resumed loop keeps its task, agent and gates; {', '.join(said)} would change nothing",
            todo="Leave them out, or start anew with --fresh.",
        )


_FLAGS = {"gates": "--gate"}


def _resumable(repo: Repo) -> LoopState | None:
    from ralph.cli.context import resumable

    return resumable(repo)


def _resume_or_fresh(s: LoopState) -> Choice:
    how = s.judgement.ended or "died"
    text = f"An unfinished loop is here: {s.identity.task.id} ({how}, {s.progress.iterations} iterations)."
    if not sys.stdin.isatty():
        raise RalphError(
            text,
            todo="Say --resume to go on with it under the settings that it began with, or --fresh to set it "
            "aside and start anew with those of now.",
        )
    answer = click.prompt(
        f"{text} Resumed, it keeps the settings that it began with. Resume or fresh?",
        type=click.Choice(["resume", "fresh"]),
        default="resume",
        err=True,
    )
    return "resume" if answer == "resume" else "fresh"


def _agree_to_work_here(repo: Repo, own: tuple[str, ...], in_place: bool, known: set[Path]) -> None:
    """Uncommitted work is the user's: it is touched only when they say so, and saved first."""
    if in_place:
        return
    uncommitted = [path for path in uncommitted_paths(repo, own) if (repo.root / path).resolve() not in known]
    uncommitted = [path for path in uncommitted if not _by_init(repo, path)]
    if not uncommitted or not repo.versioned:
        return
    text = f"there are uncommitted changes: {few([printable(path) for path in uncommitted])}"
    if not sys.stdin.isatty():
        raise RalphError(
            text, todo="Commit them, or say --in-place to work on top of them (they are saved first)."
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
