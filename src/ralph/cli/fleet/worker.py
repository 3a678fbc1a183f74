"""`ralph worker`: a run over a server's tasks."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

import click

from ralph import __version__
from ralph.errors import RalphError
from ralph.text import is_loopback


@click.command()
@click.option("--server", default="", envvar="RALPH_SERVER", help="The server, like http://127.0.0.1:3013.")
@click.option("--name", default="", help="This worker's name. Default: that of the machine.")
@click.option(
    "--labels",
    default="",
    help="Labels of this machine, like gpu,linux. Tasks with other labels are not claimed.",
)
@click.option("--repositories", default="", help="Only tasks of these repositories.")
@click.option(
    "--concurrency", default=1, show_default=True, type=click.IntRange(1, 64), help="Loops at once."
)
@click.option(
    "--workdir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Where tasks without a repository are done, in place. Without it they are not claimed.",
)
@click.option(
    "--state", type=click.Path(path_type=Path), help="Where it keeps copies of repositories and its claims."
)
@click.option(
    "--land",
    is_flag=True,
    help="Land proven work on its target instead of working on tasks. Needs permission to push.",
)
@click.option("--once", is_flag=True, help="End after one task.")
@click.option(
    "--drain-seconds",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0),
    help="After SIGTERM: how long an iteration may take to end. A second SIGTERM: at once.",
)
def worker(
    server: str,
    name: str,
    labels: str,
    repositories: str,
    concurrency: int,
    workdir: Path | None,
    state: Path | None,
    land: bool,
    once: bool,
    drain_seconds: float,
) -> int:
    """Claim tasks of a server, and run their loops here; or land what is proven.

    The token is read from RALPH_SERVER_TOKEN; agents never see it.

    \b
    Examples:
      ralph worker --server http://127.0.0.1:3013 --workdir .
      ralph worker --server https://ralph.example --labels gpu --concurrency 2
      ralph worker --server https://ralph.example --name lander --land
    """
    from ralph.core.fleet.model import Phase, WorkerRecord
    from ralph.core.fleet.requests import Offer
    from ralph.core.fleet.worker import WorkerTiming
    from ralph.worker.claim_runner import WorkerSettings
    from ralph.worker.driver import Worker
    from ralph.worker.http import HttpClient, HttpTransport

    if not server:
        raise RalphError("which server?", todo="ralph worker --server http://127.0.0.1:3013")
    sandbox = land and _needs_sandbox(server)
    token = _token()
    name = name or re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname()).lstrip("._-") or "worker"
    phase: Phase = "land" if land else "work"
    offer = Offer(name, phase, labels=_words(labels), repositories=_words(repositories) or None)
    transport = HttpTransport(HttpClient(server, token))
    lease = transport.register(
        WorkerRecord(
            name=name,
            version=__version__,
            phases=(phase,),
            labels=offer.labels,
            repositories=offer.repositories,
            concurrency=concurrency,
            note="" if workdir or land else "takes no tasks without a repository: it has no --workdir",
        )
    )
    folder = state or default_folder() / name
    timing = WorkerTiming.for_lease(lease)
    settings = WorkerSettings(
        folder,
        (offer,),
        slots=concurrency,
        once=once,
        timing=timing,
        workdir=workdir.resolve() if workdir else None,
        drain_seconds=drain_seconds,
        sandbox=sandbox,
    )
    made = Worker(transport, settings, lambda text: click.echo(text, err=True))
    times = 0

    def end(*_: object) -> None:
        nonlocal times
        made.drain(drain_seconds if times == 0 else 0)
        times += 1

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    click.echo(f"{name} {'lands' if land else 'works'} for {server}; its copies and claims are in {folder}")
    made.run()
    return 0


def _needs_sandbox(server: str) -> bool:
    """What others' agents wrote is run here, on a machine that may push: across machines only in a sandbox."""
    if is_loopback(urlsplit(server if "://" in server else f"http://{server}").hostname or ""):
        return False
    from ralph.sandbox.bwrap import usable

    if why := usable():
        raise RalphError(
            f"--land for a server on another machine needs a sandbox, and there is none: {why}",
            todo="Install bubblewrap here, or let the lander run on the server's own machine.",
        )
    return True


def _token() -> str:  # noqa: RET503
    """From RALPH_SERVER_TOKEN, which must not stay in this process's environment, where its agents could read it: it begins
    again without it, and finds the token in a pipe."""
    if descriptor := os.environ.pop(_TOKEN_FD, ""):
        with open(int(descriptor), closefd=True) as pipe:
            return pipe.read()
    token = os.environ.pop("RALPH_SERVER_TOKEN", "")
    if not token:
        return ""
    reader, writer = os.pipe()
    os.write(writer, token.encode())
    os.close(writer)
    os.set_inheritable(reader, True)
    environment = {**os.environ, _TOKEN_FD: str(reader)}
    os.execve(sys.executable, [sys.executable, "-m", "ralph", *sys.argv[1:]], environment)


_TOKEN_FD = "RALPH_SERVER_TOKEN_FD"


def default_folder() -> Path:
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    return Path(data) / "ralph" / "workers"


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[,\s]+", text) if word)
