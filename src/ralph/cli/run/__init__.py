"""`ralph run`, `ralph resume`, and the commands that steer a live run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

LIMITS = ("max_iterations", "max_attempts", "max_runtime_seconds", "max_cost_usd", "max_tokens")


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(
        (
            click.option("--max-iterations", type=int, help="End after this many iterations."),
            click.option("--max-attempts", type=int, help="End after this many rejected claims."),
            click.option(
                "--max-runtime-seconds", "--max-runtime", type=float, help="End after this active time."
            ),
            click.option("--max-cost-usd", "--max-cost", type=float, help="End when this much is spent."),
            click.option("--max-tokens", type=int, help="End when this many tokens are used."),
        )
    ):
        command = option(command)
    return command
