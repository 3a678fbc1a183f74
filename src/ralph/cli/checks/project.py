"""The place: the workspace, Ralph's state in it, the disk, the journal, what a dead run left, the configuration."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ralph.cli.checks import Finding, broken, fix, good, note
from ralph.core.policy import Policy
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.text import few, size

LITTLE_SPACE = 500 * 1024 * 1024
_NAMES = 40


def place() -> Iterator[Finding]:
    from ralph.cli.context import here

    try:
        repo = here()
    except RalphError as error:
        yield broken("workspace", error)
        repo = None
    if repo:
        yield from _workspace(repo)
        yield from _disk(repo)
        yield from _journal(repo)
        yield from _lock(Path.cwd())
    yield from _configuration(Path.cwd(), repo.root if repo else Path.cwd())


def _workspace(repo: Repo) -> Iterator[Finding]:
    if repo.versioned:
        yield good("workspace", f"git repository {repo.root}")
    else:
        yield good("workspace", "no git repository: state and snapshots are kept in .ralph/")
    barred = [
        folder
        for folder in (_existing(repo.state_dir), Path.cwd())
        if not os.access(folder, os.W_OK | os.X_OK)
    ]
    if barred:
        yield fix("state", str(repo.state_dir), "\n".join(f"Make {folder} writable." for folder in barred))
    else:
        yield good("state", str(repo.state_dir))


def _existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path


def _disk(repo: Repo) -> Iterator[Finding]:
    """Transcripts go to the state folder; clean checkouts for gates to the temporary one."""
    yield _room(_existing(repo.state_dir), "transcripts")
    try:
        temporary = tempfile.gettempdir()
    except FileNotFoundError:
        yield fix("disk", "no temporary folder is writable", "Set TMPDIR to a folder that is.")
        return
    wanted = os.environ.get("TMPDIR", "")
    if wanted and os.path.realpath(wanted) != os.path.realpath(temporary):
        mend = f"Make it a folder that you may write; {temporary} is used instead."
        yield note("disk", f"TMPDIR={wanted} cannot be used", mend)
    yield _room(Path(temporary), "clean checkouts")


def _room(folder: Path, used_for: str) -> Finding:
    free = shutil.disk_usage(folder).free
    text = f"{free // 2**20} MiB free in {folder}"
    return (
        good("disk", text)
        if free >= LITTLE_SPACE
        else fix("disk", text, f"Make room: {used_for} need space.")
    )


# -- what was before -----------------------------------------------------------------------------------


def _journal(repo: Repo) -> Iterator[Finding]:
    from ralph.history.loop_records import dead_runs
    from ralph.journal.lock import holder
    from ralph.journal.read import NAME, history, segments
    from ralph.journal.read import scan as scan_file

    files = [path for path in (*segments(repo.state_dir), repo.state_dir / NAME) if path.exists()]
    if not files:
        yield good("journal", "none yet")
        return
    live = holder(repo.state_dir)
    try:
        count = sum(1 for _ in history(repo.state_dir))
        current = scan_file(repo.state_dir / NAME)
    except RalphError as error:
        yield broken("journal", error)
        return
    text = f"{count} records, {size(sum(path.stat().st_size for path in files))}"
    if current.torn and live is None:
        yield note(
            "journal", f"{text}; its last line is torn", "The next run puts it aside; nothing is lost."
        )
    else:
        yield good("journal", text)
    if live:
        yield note("run", f"one is under way (pid {live.get('pid')})", "`ralph status` says how it stands.")
    for dead in dead_runs(current.records):
        if live is None or dead.run != live.get("run"):
            yield _dead(dead.run, dead.residue)


def _dead(run: str, residue: str) -> Finding:
    if left := left_by(run, residue):
        text = f"run {run} died and left processes: {few(left)}"
        return fix(
            "run",
            text,
            "`ralph resume` ends them and goes on; `ralph run --fresh` ends them and starts anew.",
        )
    return note(
        "run", f"run {run} died", "Go on with `ralph resume`, or start anew with `ralph run --fresh`."
    )


def left_by(run: str, residue: str) -> list[str]:
    """The processes of a dead run that are still there. They are only looked at."""
    from ralph.processes import marks
    from ralph.processes.keeper import cgroup

    prefix = residue.split(" ", 3)[3] if residue.count(" ") >= 3 else ""
    found = marks.marked(marks.RUN, run) + [p for x in cgroup.places(prefix) for p in marks.held(x)]
    return list(dict.fromkeys(str(process) for process in found))


def _lock(folder: Path) -> Iterator[Finding]:
    """`.ralph.lock` names one process; what else may be there would stop a run."""
    path = folder / ".ralph.lock"
    try:
        text = path.read_text(errors="replace")[:100].strip() if path.is_file() else ""
    except OSError as error:
        yield fix("lock", f"{path} cannot be read: {error.strerror}", "Make it readable, or remove it.")
        return
    if os.path.lexists(path) and not text.isdigit():
        yield fix(
            "lock", f"{path} holds no process id", "Remove or rename it: a run takes it for another tool's."
        )
    elif text and not Path(f"/proc/{text}").exists() and Path("/proc/self").exists():
        yield note("lock", f"{path} names {text}, which is dead", "The next run takes it over.")


# -- the configuration ---------------------------------------------------------------------------------


def _configuration(folder: Path, root: Path) -> Iterator[Finding]:
    from ralph.cli.context import usual
    from ralph.config.agents import check_agent
    from ralph.config.load import FILE_NAMES, NoPrompt, found_above, load
    from ralph.config.overrides import Overrides

    if not any(os.path.lexists(folder / name) for name in FILE_NAMES):
        if above := found_above(folder, root):
            file = os.path.relpath(above, folder)
            mend = f"Go to its folder, or use it from here: `ralph run -c {file}`."
            yield note("config", f"there is no {FILE_NAMES[0]} here, but there is {file}", mend)
            return
        mend = '`ralph init` writes one; or say it all: ralph run -p "..." --gate "..." -- AGENT'
        yield note("config", f"there is no {FILE_NAMES[0]} here", mend)
        return
    prompt = ""
    try:
        try:
            resolved = load(folder, backlog=usual(root))
        except NoPrompt:  # it is usually given to `ralph run`; all else can be checked without it
            prompt = "; no prompt yet: give one with -p, -P or PROMPT.md"
            resolved = load(folder, None, Overrides(prompt="any", in_place=True))
        check_agent(resolved.policy, folder)
    except RalphError as error:
        yield broken("config", error)
        return
    gates = ", ".join(g.name for g in resolved.policy.gates) or "no gates: nothing will be proven"
    yield good("config", f"{resolved.source}: {resolved.policy.agent.backend}, gates: {gates}{prompt}")
    yield _confinement(resolved.policy, folder)
    yield from _environment(resolved.policy)
    for warning in resolved.warnings:
        yield note("config", warning, "Correct it, or leave it: it changes nothing that runs.")


def _confinement(policy: Policy, folder: Path) -> Finding:
    """What the configured sandbox gives, as it would be made now."""
    from ralph.cli.context import here
    from ralph.runner import sandboxing

    sandbox = policy.sandbox
    if sandbox.kind == "none":
        mend = "`sandbox: bwrap` in ralph.yml confines them to the workspace."
        return note("sandbox", "not configured: agents and gates have your rights", mend)
    try:
        sandboxing.check(policy, here(), folder)
    except RalphError as error:
        return broken("sandbox", error)
    return good("sandbox", sandboxing.described(policy))


def _environment(policy: Policy) -> Iterator[Finding]:
    """The names of what is not handed on: when a gate or an agent misses something, here it is."""
    from ralph.core.secrets.environment import held_back
    from ralph.runner.loop_context import variables_for

    mend = 'What they need is named in `env_allow`; `env_allow: ["*"]` hands on everything.'
    for who, agent in ((f"the agent {policy.agent.backend}", policy.agent), ("gates", None)):
        if names := held_back(os.environ, variables_for(policy, agent)):
            yield note("variables", f"not for {who}: {few(names, _NAMES)}", mend)
        else:
            yield good("variables", f"all of yours reach {who}")
