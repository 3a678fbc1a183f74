"""`ralph presets`: whole configurations to begin with."""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from ralph.cli.context import BY_INIT, LargeFolders, here, hide_own_files, refuse_inside
from ralph.config.load import found_above
from ralph.errors import RalphError
from ralph.git.repo import Repo, own_files
from ralph.git.uncommitted_changes import committed, large_folders, uncommitted_paths
from ralph.setup import plan, project
from ralph.setup.detect import Detected, dependency_folders, detect
from ralph.setup.plan import ChosenGate, SetupPlan, roles
from ralph.setup.presets import DEFAULT, Preset, preset
from ralph.setup.project import Agent, Machine
from ralph.setup.trial import SECONDS, Trials
from ralph.setup.write import Interrupts, Written, adds_only_ignores, missing_ignores
from ralph.terminal.words import one_line
from ralph.text import few


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the text of each.")
def presets(name: str | None, as_json: bool) -> None:
    """List the presets, or print the one that is named.

    `ralph init --preset NAME` writes it with your agent and your tests filled in.

    \b
    Examples:
      ralph presets
      ralph presets board
    """
    _list_presets(name, as_json)


def _list_presets(name: str | None, as_json: bool) -> None:
    from ralph.setup import presets as stock

    found = (stock.preset(name),) if name else stock.presets()
    if as_json:
        click.echo(msgspec.json.encode(found[0] if name else found).decode())
    elif name:
        click.echo(found[0].text, nl=False)
    else:
        width = max(len(one.name) for one in found)
        for one in found:
            click.echo(f"{one.name:<{width}}  {one.about}")


class InitRequest(msgspec.Struct, frozen=True):
    """What the command line says."""

    agent: str | None
    gates: tuple[str, ...]
    no_gates: bool
    no_trial: bool
    trial_timeout: float
    preset: str | None
    skill: bool
    roles: bool
    no_gitignore: bool
    force: bool
    asks: bool  # a person sits there and may be asked
    quiet: bool  # only the JSON object at the end

    @property
    def about_configuration(self) -> bool:
        """Whether more than skill and roles is asked for."""
        return bool(self.agent or self.gates or self.no_gates or self.preset)


class Setup(msgspec.Struct, frozen=True):
    """What was decided."""

    agent: Agent | None
    about_agent: str
    gates: tuple[ChosenGate, ...]
    detected: Detected
    ignore: tuple[str, ...]


@click.command()
@click.option("--agent", "--backend", metavar="NAME", help="The agent: a known name, or a command in quotes.")
@click.option("--gate", "gates", multiple=True, help="A command that must pass; may be repeated.")
@click.option("--no-gates", is_flag=True, help="Write that no proof is wanted.")
@click.option("--no-trial", is_flag=True, help="Do not run the gates now.")
@click.option(
    "--trial-timeout", type=float, default=SECONDS, show_default=True, help="Seconds for one run of a gate."
)
@click.option(
    "--preset", metavar="NAME", help=f"What to begin with; `ralph presets` lists them.  [default: {DEFAULT}]"
)
@click.option("--list-presets", is_flag=True, help="List them, as `ralph presets` does; write nothing.")
@click.option(
    "--skill",
    is_flag=True,
    help="Also write the skill files for coding agents; only these if ralph.yml exists.",
)
@click.option(
    "--roles",
    is_flag=True,
    help="Also write five roles and when they are worn; only these if ralph.yml exists.",
)
@click.option("--no-gitignore", is_flag=True, help="Leave .gitignore alone.")
@click.option("--force", is_flag=True, help="Replace files that are here; the old ones are kept as .bak.")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing; take what is found.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON object; ask nothing.")
def init(yes: bool, as_json: bool, list_presets: bool, **given: Any) -> None:
    """Look at this project and write a short ralph.yml: the agent on PATH, the tests that are here.

    Each gate is run once, to say whether it passes today. Nothing is replaced without --force.

    \b
    Examples:
      ralph init
      ralph init --yes --agent claude --gate "pytest -q"
      ralph init --preset gated
      ralph init --skill
      ralph init --roles
    """
    if list_presets:
        _list_presets("", as_json)
        return
    asks = not yes and not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    request = InitRequest(asks=asks, quiet=as_json, **given)
    _refuse_nonsense(request)
    folder, repo = Path.cwd(), here()
    refuse_inside(repo)
    if (request.skill or request.roles) and plan.existing(folder) and not request.about_configuration:
        written = _besides(request, folder).carry_out()
        _tell(request, folder, repo, None, written, preset(DEFAULT))
        return
    chosen = preset(request.preset or DEFAULT)
    plan.refuse_overwriting(folder, request.force)
    if above := _above(folder, repo):
        _say(request, f"There is {above} already; the one written here is for runs in this folder.")
    besides = _besides(request, folder)
    setup = _decide(request, folder, repo, chosen)
    configuration = plan.configuration(
        folder,
        preset=chosen,
        agent=setup.agent,
        gates=setup.gates,
        declined=request.no_gates,
        force=request.force,
        about_agent=setup.about_agent,
        ignore=setup.ignore,
        share=dependency_folders(repo.root),
    )
    moved = (*configuration.move_aside, *besides.move_aside)
    written = SetupPlan((*configuration.files, *besides.files), moved).carry_out()
    hide_own_files(repo, folder, written.kept)
    _tell(request, folder, repo, setup, written, chosen)


def _besides(request: InitRequest, folder: Path) -> SetupPlan:
    """What is written beside the configuration."""
    skills = plan.skills(folder, force=request.force) if request.skill else SetupPlan(())
    worn = roles(folder, force=request.force) if request.roles else SetupPlan(())
    return SetupPlan((*skills.files, *worn.files), (*skills.move_aside, *worn.move_aside))


def _refuse_nonsense(request: InitRequest) -> None:
    if request.gates and request.no_gates:
        raise RalphError("--no-gates contradicts --gate", todo="Leave out one of them.")
    if not 0 < request.trial_timeout <= 86400:
        raise RalphError(
            "--trial-timeout: must be more than 0 and at most 86400 seconds", todo="Give another number."
        )
    if any(not gate.strip() for gate in request.gates):
        raise RalphError("--gate: must not be empty", todo="Give a command, or --no-gates.")


# -- deciding --------------------------------------------------------------------------------------


def _decide(request: InitRequest, folder: Path, repo: Repo, chosen: Preset) -> Setup:
    machine = Machine()
    agent, about = _agent(request, machine)
    own = request.gates or request.no_gates or not chosen.tests
    detected = Detected() if own else detect(folder, repo.root, machine)
    gates = _gates(request, detected, chosen)
    gates = _tried(request, folder, repo, gates)
    ignore = () if request.no_gitignore else missing_ignores(repo, folder)
    if (
        ignore
        and request.asks
        and not click.confirm("Have git ignore Ralph's own files (.gitignore)?", default=True)
    ):
        ignore = ()
    return Setup(agent, about, gates, detected, ignore)


def _agent(request: InitRequest, machine: Machine) -> tuple[Agent | None, str]:
    """The agent, and in a few words where it comes from."""
    found = project.agents_on_path(machine)
    if request.agent is not None:
        return _named(request.agent, machine)
    if request.asks:
        return _asked_for_agent(found, machine)
    return (found[0], f"{found[0].name}, found on PATH") if found else (None, "")


def _named(text: str, machine: Machine) -> tuple[Agent, str]:
    agent = project.wanted_agent(text, machine)
    missing = "/" not in agent.program and not machine.has(agent.program)
    return agent, f"{agent.name}, which is not on PATH yet" if missing else agent.name


def _asked_for_agent(found: tuple[Agent, ...], machine: Machine) -> tuple[Agent | None, str]:
    names = ", ".join(agent.name for agent in found)
    click.echo(
        f"Agents on PATH: {names}"
        if found
        else f"None of the known agents is on PATH ({project.agent_names()})."
    )
    while True:
        text = click.prompt(
            "Agent (a name, a command, or `none`)", default=found[0].name if found else "none"
        ).strip()
        if text == "none":
            return None, ""
        try:
            return _named(text, machine)
        except RalphError as error:
            click.echo(f"{one_line(error.what)}. {one_line(error.todo)}")


def _gates(request: InitRequest, detected: Detected, chosen: Preset) -> tuple[ChosenGate, ...]:
    taken = re.findall(r"(?m)^  - name: (\S+)(?=\n    review:)", chosen.text)
    if request.gates:
        return tuple(ChosenGate(gate, own=True) for gate in plan.own_gates(request.gates, taken))
    if request.no_gates:
        return ()
    if not request.asks or not chosen.tests:
        return tuple(ChosenGate(gate) for gate in detected.gates)
    _show_detected(detected)
    everything = ",".join(str(n) for n in range(1, len(detected.gates) + 1)) or "none"
    while True:
        text = click.prompt("Gates (numbers, a command of your own, or `none`)", default=everything).strip()
        if text == "none":
            return ()
        if not re.fullmatch(r"[\d\s,]+", text):
            return tuple(ChosenGate(gate, own=True) for gate in plan.own_gates([text], taken))
        numbers = dict.fromkeys(int(word) for word in re.findall(r"\d+", text))
        if numbers and all(1 <= number <= len(detected.gates) for number in numbers):
            return tuple(ChosenGate(detected.gates[number - 1]) for number in numbers)
        click.echo(f"There is no such number; {len(detected.gates)} were found.")


def _show_detected(detected: Detected) -> None:
    click.echo("Tests found:" if detected.gates else "No tests were recognised here.")
    for number, gate in enumerate(detected.gates, 1):
        click.echo(f"  {number}. {one_line(gate.run)}  ({one_line(gate.why)})")
    for left in detected.left_out:
        click.echo(f"  not {one_line(left.run)}: {one_line(left.why)}")


def _tried(
    request: InitRequest, folder: Path, repo: Repo, gates: tuple[ChosenGate, ...]
) -> tuple[ChosenGate, ...]:
    if request.no_trial or not gates:
        return gates
    from ralph.git.loose_objects import packed_objects
    from ralph.journal.lock import Busy

    if folders := large_folders(repo, own_files(repo, folder)):
        raise LargeFolders(folders, "Then `ralph init` again. Or leave the gates untried: --no-trial.")
    found = []
    with ExitStack() as stack:
        interrupts = stack.enter_context(Interrupts())
        try:  # what a gate writes would be undone under the hands of the agent
            _keep_runs_away(repo, folder, stack)
        except Busy:
            _say(request, "A run is under way here, so the gates are not tried.")
            return gates
        stack.enter_context(packed_objects(repo))
        trials = stack.enter_context(Trials(repo, folder, request.trial_timeout, interrupts.heeded))
        for one in gates:
            _say(request, f"Running {one_line(one.gate.run)} ... ", nl=False)
            trial = trials.run(one.gate.run)
            _say(request, one_line(trial.verdict))
            if trial.wrote:
                _say(
                    request,
                    f"  It wrote {one_line(few(trial.wrote))}; that was undone (`ralph recover` has it).",
                )
            found.append(replace(one, trial=trial))
    return tuple(_confirmed(request, one) for one in found)


def _confirmed(request: InitRequest, one: ChosenGate) -> ChosenGate:
    """Someone who typed a command that cannot be run is asked; what a flag says is taken at its word."""
    if not request.asks or request.gates or not one.own or not _cannot_run(one):
        return one
    wanted = click.confirm("It cannot be run now. Write it as a gate all the same?", default=False)
    return one if wanted else replace(one, own=False)


def _cannot_run(one: ChosenGate) -> bool:
    return one.trial is not None and one.trial.how == "not runnable"


def _keep_runs_away(repo: Repo, folder: Path, stack: ExitStack) -> None:
    """The same locks as a run takes, until the stack ends; Busy if one is under way."""
    from ralph.journal.lock import Lock, WorkLock

    stack.callback(Lock.acquire(repo.state_dir, BY_INIT).release)
    work_lock = WorkLock(folder / ".ralph.lock")
    work_lock.take()
    stack.callback(work_lock.release)


# -- telling ---------------------------------------------------------------------------------------


def _tell(
    request: InitRequest, folder: Path, repo: Repo, setup: Setup | None, written: Written, chosen: Preset
) -> None:
    names = [_shown(path, folder) for path in written.paths]
    next_commands = _next(folder, repo, setup, written, chosen)
    if request.quiet:
        click.echo(msgspec.json.encode(_facts(folder, repo, setup, written, names, next_commands)).decode())
        return
    click.echo("")
    if setup is not None:
        for line in _summary(setup, chosen):
            click.echo(one_line(line))
    click.echo(
        f"Wrote {', '.join(names)}." if names else "Nothing to write: the files are as they should be."
    )
    for path in written.kept:
        click.echo(f"The old file is kept as {_shown(path, folder)}.")
    click.echo("Next:")
    for command in next_commands:
        click.echo(f"  {command}")


def _summary(setup: Setup, chosen: Preset) -> list[str]:
    lines = [
        f"Agent: {setup.about_agent}"
        if setup.agent
        else f"Agent: none was found on PATH (looked for {project.agent_names()}); ralph.yml says where to set one."
    ]
    for one in setup.gates:
        if one.trial is None:
            lines.append(f"Gate {one.gate.name}: {one.gate.run} (not tried)")
        elif not one.active:
            lines.append(f"Gate {one.gate.name} is written as a comment: it {one.trial.verdict}")
        if one.gate.hint and one.trial and one.trial.how != "green":
            lines.append(f"Perhaps {one.gate.hint}.")
    if chosen.tests and not any(one.active for one in setup.gates):
        lines.append("Gates: no command checks the work; add one under `gates:` in ralph.yml.")
    lines += [f"Not proposed: {left.run} ({left.why})" for left in setup.detected.left_out]
    return lines


def _next(folder: Path, repo: Repo, setup: Setup | None, written: Written, chosen: Preset) -> tuple[str, ...]:
    commands = _first(setup, folder) if setup else []
    new = [path for path in written.paths if ".ralph" not in path.relative_to(folder).parts]
    # The configuration itself need not be committed for a run; anything else would count as uncommitted work.
    if repo.versioned and {path.name for path in new} - {plan.CONFIG, ".gitignore"}:
        names = [shlex.quote(_shown(path, folder)) for path in (*_by_earlier(folder, repo, new), *new)]
        commands.append(f'git add {" ".join(names)} && git commit -m "Set up Ralph"')
    return (*commands, *chosen.first)


def _first(setup: Setup, folder: Path) -> list[str]:
    """What has to be done by hand before a run can work."""
    steps = []
    if setup.agent is None:
        steps.append("edit ralph.yml: set cli.command, or install an agent and run `ralph init --force`")
    elif missing := _missing(setup.agent.program, folder):
        steps.append(missing)
    for one in setup.gates:
        name, run = one.gate.name, one_line(one.gate.run)
        if _cannot_run(one) and one.active:
            steps.append(f"see to it that `{run}` can be run: until then gate {name} turns every claim down")
        elif not one.active:
            steps.append(f"when `{run}` can be run, make gate {name} of its comment in ralph.yml")
    return steps


def _missing(program: str, folder: Path) -> str:
    shown = one_line(program)
    if "/" in program:
        there = os.access(folder / program, os.X_OK)
        return "" if there else f"make {shown}: it is not there, or may not be executed"
    return (
        ""
        if Machine().has(program)
        else f"install {shown}, which is not on PATH; `ralph doctor` looks for it"
    )


def _by_earlier(folder: Path, repo: Repo, new: list[Path]) -> list[Path]:
    """What an earlier `ralph init` wrote and no one has committed. Other changes of .gitignore are the user's to commit."""
    unsaved = set(uncommitted_paths(repo))
    found = []
    for path in (*plan.existing(folder), folder / ".gitignore"):
        name = os.path.relpath(path.resolve(), repo.root.resolve())
        if path in new or name not in unsaved:
            continue
        if path.name != ".gitignore" or adds_only_ignores(committed(repo, name), path.read_bytes()):
            found.append(path)
    return found


def _facts(
    folder: Path,
    repo: Repo,
    setup: Setup | None,
    written: Written,
    names: list[str],
    next_commands: tuple[str, ...],
) -> dict[str, object]:
    found: dict[str, object] = {
        "folder": str(folder),
        "above": _above(folder, repo) or None,
        "written": names,
        "kept": [_shown(path, folder) for path in written.kept],
        "next": next_commands,
    }
    if setup is None:
        return found
    return found | {
        "agent": setup.agent.name if setup.agent else None,
        "gates": [
            {
                "name": one.gate.name,
                "run": one.gate.run,
                "why": one.gate.why,
                "active": one.active,
                "trial": one.trial,
            }
            for one in setup.gates
        ],
        "left_out": setup.detected.left_out,
        "gitignore": setup.ignore,
    }


def _above(folder: Path, repo: Repo) -> str:
    """The configuration of a folder above this one, as seen from here."""
    above = found_above(folder, repo.root)
    return one_line(_shown(above, folder)) if above else ""


def _shown(path: Path, folder: Path) -> str:
    return os.path.relpath(path, folder)


def _say(request: InitRequest, text: str, *, nl: bool = True) -> None:
    if not request.quiet:
        click.echo(text, nl=nl)
