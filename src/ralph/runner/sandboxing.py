"""How agents and gates are confined when the policy asks for it: what each can reach, and what its sandbox says at the end.

Nothing is ever started unconfined instead: what cannot be confined is an error.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ralph.agents.registry import needs
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy
from ralph.core.secrets.environment import masker_for, names_secret, values_in
from ralph.core.secrets.masker import Masker
from ralph.files import read_bytes
from ralph.git.repo import Repo
from ralph.journal.store import file_name
from ralph.processes.owned_process import Ended, OwnedProcess
from ralph.runner.loop_context import LoopContext

if TYPE_CHECKING:
    from ralph.sandbox.bwrap import Sandboxed

BOXES = "inboxes"  # of single operations, in Ralph's folder
CANNOT_RUN = 126  # as a shell says it
_TAIL = 1 << 16
_CREDENTIALS_BYTES = 1 << 20


class Confined(msgspec.Struct, frozen=True):
    """A program that was started. `box` is the folder that it sees as Ralph's inbox; None: it is not confined."""

    owned: OwnedProcess
    transcript: Path
    box: Path | None


def check(policy: Policy, repo: Repo, folder: Path) -> None:
    """RalphError when an agent or a gate of this policy could not be confined here. Asked before anything is recorded."""
    if policy.sandbox.kind == "none":
        return
    from ralph.sandbox.bwrap import require  # most loops have no sandbox

    require(policy.sandbox.network == "host")
    for agent in dict.fromkeys(a.backend for a in policy.everyone):
        found = next(a for a in policy.everyone if a.backend == agent)
        _wrap(policy, repo, ("/bin/sh",), {**os.environ, **found.env}, cwd=folder, agent=found, box=None)


def described(policy: Policy) -> str:
    """What agents and gates can reach under this policy, in a line for people."""
    p = policy.sandbox
    env = {**os.environ, **policy.agent.env}
    home = _home(env)
    files = _credentials(policy, policy.agent, env)
    parts = [
        "bwrap: the workspace is writable, .git and the system's programs are readable",
        "the network is yours" if p.network == "host" else "no network",
        f"of your home {policy.agent.backend} sees {', '.join(_shown(f, home) for f in files) or 'nothing'}",
    ]
    parts += [
        f"{name}: {', '.join(paths)}"
        for name, paths in (("readable", p.readable), ("writable", p.writable))
        if paths
    ]
    return "; ".join(parts)


def confine(
    b: LoopContext,
    s: LoopState,
    op: str,
    argv: Sequence[str],
    env: dict[str, str],
    *,
    cwd: Path,
    stdin: bytes | None,
    out: Path,
    agent: AgentPolicy | None,
    prompt: str,
    workspace: Path | None = None,
    merge: bool = False,
    reports: Path | None = None,
    writable: tuple[Path, ...] = (),
) -> Confined:
    """Start it, in a sandbox where the policy asks for one. `agent`: whose credentials it needs; a gate's command needs none,
    and reads neither `prompt` nor what Ralph hands to agents; it writes `reports`, a folder of Ralph's own, and what is
    `writable` besides. OSError when there is no such program."""
    box, store = None, b.run.store
    if s.identity.policy.sandbox.kind != "none":
        from ralph.sandbox.bwrap import require

        require(s.identity.policy.sandbox.network == "host")
        box = store.state_dir / BOXES / f"{b.run.id}-{s.identity.loop}-{file_name(op)}"
        shutil.rmtree(box, ignore_errors=True)
        box.mkdir(parents=True)
        handed = (store.blobs / prompt, store.private(s.identity.loop, op)) if agent else ()
        try:
            wrapped = _wrap(
                s.identity.policy,
                b.repo,
                argv,
                env,
                cwd=cwd,
                agent=agent,
                box=box,
                workspace=workspace,
                handed=[path for path in handed if path.exists()],
                reports=reports,
                writable=writable,
            )
        except BaseException:
            shutil.rmtree(box, ignore_errors=True)
            raise
        b.run.control.open_box(box, heard=op.startswith("iteration"))
        argv, env = wrapped.argv, wrapped.env
    owned = b.run.ownership.start(op, argv, cwd=cwd, env=env, stdin=stdin, out=out, merge=merge)
    return Confined(owned, out, box)


def released(b: LoopContext, confined: Confined, ended: Ended) -> Ended:
    """After its end: what the sandbox itself has said of it. That is the last line of its errors, or of all it printed."""
    if confined.box is None:
        return ended
    from ralph.sandbox.bwrap import left_running, sandbox_error

    b.run.control.close_box(confined.box)
    last = ended.err_tail or _tail(confined.transcript)
    if why := sandbox_error(ended.code, last):
        return replace(ended, code=CANNOT_RUN, trouble=why)
    if left := left_running(last):
        rest = ended.err_tail.rstrip().rpartition("\n")[0]
        return replace(ended, stragglers=(*ended.stragglers, *left), err_tail=rest)
    return ended


def left_boxes(state_dir: Path) -> list[Path]:
    """Those of a run that died: what an iteration had still said may lie there."""
    folder = state_dir / BOXES
    return sorted(folder.iterdir()) if folder.is_dir() else []


def masker_of(policies: Sequence[Policy]) -> Masker:
    """Masks the secrets of this process's environment, and those that any agent of the policies is given or logs in with."""
    agents = [agent for policy in policies for agent in policy.everyone]
    given = [value for agent in agents for name, value in agent.env.items() if names_secret(name)]
    logins = [secret for policy in policies for secret in login_secrets(policy)]
    return masker_for(os.environ, more=[*given, *logins])


def login_secrets(policy: Policy) -> Iterator[str]:
    """The secrets in the files by which the policy's agents are logged in: they are masked like keys of the environment."""
    for agent in policy.everyone:
        env = {**os.environ, **agent.env}
        for path in needs(agent).login_files(env, _home(env)):
            with suppress(OSError):
                yield from values_in(read_bytes(path, _CREDENTIALS_BYTES))


def _wrap(
    policy: Policy,
    repo: Repo,
    argv: Sequence[str],
    env: dict[str, str],
    *,
    cwd: Path,
    agent: AgentPolicy | None,
    box: Path | None,
    workspace: Path | None = None,
    handed: Sequence[Path] = (),
    reports: Path | None = None,
    writable: tuple[Path, ...] = (),
) -> Sandboxed:
    p, home = policy.sandbox, _home(env)
    known = needs(agent) if agent else None
    place = known.place(env, home) if known else home
    private = [place / name for name in known.folders] if known else []
    if known and known.folder_variable and env.get(known.folder_variable):
        private.append(place)
    written = (
        next((path for path in handed if path.is_dir()), None) if known and known.writes_private else None
    )
    script = (
        (Path(agent.script),)
        if agent and agent.script and repo.root not in Path(agent.script).parents
        else ()
    )
    from ralph.sandbox.bwrap import wrap

    return wrap(
        argv,
        cwd=cwd,
        workspace=workspace or repo.root,
        state_dir=repo.state_dir,
        home=home,
        credentials=_credentials(policy, agent, env) if agent else (),
        network=p.network == "host",
        writable=(*map(Path, p.writable), *writable),
        readable=(*map(Path, p.readable), *script, *handed),
        private=private,
        handed=reports or written,
        hidden=[Path(gate.hidden) for gate in policy.gates if gate.hidden],
        env=env,
        inbox=box,
    )


def _credentials(policy: Policy, agent: AgentPolicy, env: dict[str, str]) -> tuple[Path, ...]:
    home, named = _home(env), policy.sandbox.credentials
    return needs(agent).files(env, home) if named is None else tuple(home / path for path in named)


def _shown(path: Path, home: Path) -> str:
    return f"~/{path.relative_to(home)}" if home in path.parents else str(path)


def _home(env: dict[str, str]) -> Path:
    return Path(env.get("HOME") or Path.home())


def _tail(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            return file.read(_TAIL).decode("utf-8", "replace")
    except OSError:
        return ""
