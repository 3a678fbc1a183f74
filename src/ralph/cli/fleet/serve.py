"""`ralph serve`: the server of a fleet, from one laptop on."""

from __future__ import annotations

import click

from ralph.errors import RalphError


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    default=3013,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port; 0: any free one.",
)
@click.option(
    "--db", default="", help="postgresql://..., or a file for SQLite. Default: in your data folder."
)
@click.option("--no-auth", is_flag=True, help="No tokens. Only on a loopback address.")
@click.option(
    "--worker", is_flag=True, help="Also start a worker and a lander here: one command for one machine."
)
@click.option("--tls-cert", default="", help="A certificate, in PEM.")
@click.option("--tls-key", default="", help="Its key, in PEM.")
@click.option(
    "--lease-seconds",
    default=120.0,
    show_default=True,
    type=click.FloatRange(1, 3600),
    help="Seconds without a heartbeat before another worker may take the task.",
)
def serve(
    host: str,
    port: int,
    db: str,
    no_auth: bool,
    worker: bool,
    tls_cert: str,
    tls_key: str,
    lease_seconds: float,
) -> int:
    """Keep tasks for workers: over HTTP, with SQLite or PostgreSQL.

    \b
    Examples:
      ralph serve --no-auth --worker
      ralph serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --db postgresql://ralph@db/ralph
    """
    try:
        from ralph.server import serve as server
    except ImportError as error:
        raise RalphError(
            f"the server needs a package that is not installed: {error.name}",
            todo="Install Ralph with its extra `server`: pip install '.[server]'",
        )
    options = server.ServeOptions(
        host=host,
        port=port,
        db=db,
        no_auth=no_auth,
        worker=worker,
        tls_cert=tls_cert,
        tls_key=tls_key,
        lease_seconds=lease_seconds,
    )
    return server.serve(options, click.echo)
