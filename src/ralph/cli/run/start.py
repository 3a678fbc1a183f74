"""What the commands that start a run have in common: its options, whether its agents can run, and how a prompt is driven."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from ralph.cli.run.view import shown
from ralph.config.agents import NamedBy, check_agent
from ralph.core.agent_policy import AgentPolicy
from ralph.core.policy import Policy, Task
from ralph.errors import RalphError
from ralph.runner.run import RunRequest, run
from ralph.runner.task_list import PromptTask

Decorated = Callable[..., Any]


def view_options(command: Decorated) -> Decorated:
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


def limit_options(command: Decorated) -> Decorated:
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


def check_agents(policy: Policy, folder: Path, named_by: NamedBy) -> None:
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


def drive_prompt(request: RunRequest, task: Task, see: dict[str, bool]) -> int:
    with shown(request, see) as view:
        return run(request, PromptTask(task), view)
