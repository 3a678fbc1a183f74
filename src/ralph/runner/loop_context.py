"""The real things that a run and its loops work with, and what every effect needs of them."""

from __future__ import annotations

import os
import sys
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from ralph.agents.adapter import AgentTools
from ralph.agents.registry import needs
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, Policy
from ralph.core.secrets.environment import allowed_environment
from ralph.core.secrets.masker import Masker
from ralph.files import read_bytes
from ralph.gates.integrity.unrecorded_judges import Unrecorded
from ralph.gates.kinds import as_run
from ralph.git.ignored_files import with_excludes
from ralph.git.ref_watch import RefWatch
from ralph.git.repo import Repo, own_files
from ralph.git.snapshots import Snapshots
from ralph.history import SAVE_EVERY
from ralph.journal.append import Journal
from ralph.journal.inbox import content_mark
from ralph.journal.record import now
from ralph.journal.store import Store, write_atomically
from ralph.processes.capture import Line
from ralph.processes.ownership import Ownership
from ralph.prompt.compose import scratchpad_path
from ralph.runner.gate_cache import GateCache
from ralph.runner.loop_workspace import at_work, own_paths, snapshots_of, straight
from ralph.runner.requests import Control
from ralph.runner.run_request import TaskList

if TYPE_CHECKING:
    from ralph.git.gate_checkouts import GateCheckouts
    from ralph.git.workspaces.pool import PooledWorkspace
    from ralph.runner.operations import RunningOperation

SCRATCHPAD_BYTES = 1 << 20  # of it that are read
# What a test or an outer Ralph has said to this process only.
_NOT_HANDED_ON = frozenset(
    f"RALPH_{name}"
    for name in (
        "FAULT",
        "TIER",
        "TOKEN",
        "ITERATION",
        "SCRATCHPAD",
        "GATE",
        "TOOLS",
        "WRAP_UP",
        "HANDOVER",
        "PROMISE",
        "HAT",
        "PUBLISHES",
        "COMPLETES",
        "SCOPE",
        "MEMORIES",
        "BACKLOG",
    )
)


class RunView(Protocol):
    """How a run shows itself."""

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        """`s`: the loop after it; not started for a fact of the run itself."""

    def heard(self, task: str, who: str, line: Line) -> None:
        """A line that an agent or a gate printed."""

    def pulse(self, s: LoopState) -> float:
        """Time passes; in how many seconds to call again, at the latest."""

    def end(self, s: LoopState) -> None:
        """The last words about a loop; others are told after it."""

    def note(self, text: str) -> None:
        """Why the run is not over yet all the same."""


class RunContext(msgspec.Struct):
    """What the loops of a run have in common."""

    id: str
    home: Repo  # the user's own
    journal: Journal
    known: GateCache
    store: Store
    ownership: Ownership
    control: Control
    view: RunView
    masker: Masker
    beside: list[
        RunningOperation
    ]  # what is under way and belongs to no loop's work: who is being told, a review of the run
    tasks: TaskList
    checkouts: GateCheckouts | None = None
    unreported: set[str] = msgspec.field(
        default_factory=set
    )  # gates that fail when they are asked for a report
    given: str = ""  # the tree that is judged in place of an agent's work
    saved: int = 0  # the record at which the history was last saved

    def gate_checkouts(self) -> GateCheckouts:
        """Made when the first gate wants one."""
        from ralph.git.gate_checkouts import GateCheckouts

        self.checkouts = self.checkouts or GateCheckouts(self.home)
        return self.checkouts

    def close_checkouts(self) -> None:
        if self.checkouts is not None:
            self.checkouts.close()

    def save_history(self) -> None:
        """Now and then, so that whoever looks at a long journal reads only what is new."""
        if self.journal.seq >= self.saved + SAVE_EVERY:
            from ralph.history.saved import save  # most journals are short

            save(self.journal.path.parent)
            self.saved = self.journal.seq

    def without_secrets(self, fact: f.AnyFact) -> f.AnyFact:
        """What agents, people and errors say. A loop's own policy stays whole: a resume needs it."""
        if isinstance(fact, f.LoopStarted | f.LoopResumed):
            return fact
        text = f.encode(fact).decode()
        masked = self.masker.text(text)
        return fact if masked == text else f.decode(masked.encode())

    def record_of(self, loop: str, fact: f.AnyFact) -> None:
        """A fact of a loop that no one attends any more."""
        fact = self.without_secrets(fact)
        self.journal.append(f.kind_of(fact), f.encode(fact), loop)

    def in_place(self, folder: Path, s: LoopState) -> LoopContext:
        repo = self.home
        return LoopContext(
            self, s.identity.task.id, None, repo, folder, snapshots_of(repo, s), RefWatch(repo)
        )

    def in_workspace(self, workspace: PooledWorkspace, s: LoopState) -> LoopContext:
        from ralph.git.workspaces.pool import as_repo

        repo = as_repo(self.home, workspace)
        folder = workspace.path / s.identity.folder
        own = own_files(repo, folder, own_paths(s))
        # Cut short in a merge, the workspace may stand on a commit that the loop does not know of yet.
        base = s.workspace.base_commit or workspace.base
        snapshots = Snapshots(repo, f"slot-{workspace.slot}", own, base=base)
        # In a worktree agents and landings of other loops move the same refs.
        others = partial(at_work, self.home) if workspace.kind == "worktree" else tuple
        # A clone has refs of its own. It also knows where the user's are: git is told by its alternates.
        theirs = RefWatch(self.home, partial(at_work, self.home)) if workspace.kind == "clone" else None
        return LoopContext(
            self, s.identity.task.id, workspace, repo, folder, snapshots, RefWatch(repo, others), theirs
        )


class LoopContext(msgspec.Struct):
    """The real things that a loop, or one reviewer of the whole run, works with."""

    run: RunContext
    task: str
    workspace: PooledWorkspace | None  # None: in place
    repo: Repo  # of the place where the loop works
    folder: Path  # where the user started Ralph; agents and gates run there
    snapshots: Snapshots
    refs: RefWatch
    home_refs: RefWatch | None = None  # the user's, where the workspace has others

    def look_at_refs(self) -> None:
        for watch in filter(None, (self.refs, self.home_refs)):
            watch.look()

    def moved_refs(self, *, work: bool = True) -> tuple[str, ...]:
        """What moved since that look, by whomever: in the user's repository it may have been the user. What a fetch brings is
        no one's work."""
        theirs = self.home_refs.moved(work=False) if self.home_refs else ()
        named = (f"in your repository: {line}" for line in theirs if not line.startswith("refs/remotes/"))
        return (*self.refs.moved(work=work), *named)

    def show(self, who: str, line: Line) -> None:
        self.run.view.heard(self.task, who, line)

    def keep(self, s: LoopState, tree: str, reason: str) -> None:
        """Before something of this tree is undone."""
        from ralph.git.recovery import keep  # not for the start of a loop

        keep(
            self.run.home,
            self.workspace,
            self.snapshots,
            tree,
            loop=s.identity.loop,
            reason=reason,
            when=now(),
        )


def environment(
    b: LoopContext, s: LoopState, more: dict[str, str], agent: AgentPolicy | None = None
) -> dict[str, str]:
    """Of the user's variables those that are declared, an agent's own keys only for an agent; and what tells it where it is."""
    env = {
        **_declared(tuple(os.environ.items()), variables_for(s.identity.policy, agent)),
        **_where(b, s),
        **more,
    }
    # In a sandbox no one can commit, and the file would not be there to read.
    if agent is None or s.identity.policy.sandbox.kind != "none":
        return env
    own = own_files(b.repo, b.folder, own_paths(s))
    return with_excludes(env, b.repo.root, own, lambda text: b.run.store.blobs / b.run.store.put(text))


@lru_cache(maxsize=16)
def _declared(environ: tuple[tuple[str, str], ...], allowed: tuple[str, ...]) -> dict[str, str]:
    """Looking at every value takes milliseconds, and an iteration hardly ever finds another environment."""
    return allowed_environment({k: v for k, v in environ if k not in _NOT_HANDED_ON}, allowed)


def variables_for(policy: Policy, agent: AgentPolicy | None) -> tuple[str, ...]:
    """Which variables an agent gets besides the usual ones; without an agent, the command of a gate."""
    own = needs(agent).allowed({**os.environ, **agent.env}) if agent else ()
    return (*own, *policy.env_allow)


def gate_environment(
    b: LoopContext, s: LoopState, gate: GatePolicy, more: dict[str, str], checkout: Path | None
) -> dict[str, str]:
    """Everything that a gate finds in its environment. `checkout`: the clean one that it runs in; None: the folder."""
    agent = s.agent_of(gate) if gate.kind.runs_agent else None
    env = environment(b, s, {**more, "RALPH_GATE": gate.name}, agent)
    if checkout is not None and not b.run.home.versioned:
        # there is no repository; one around the place of checkouts is none of its business
        env["GIT_CEILING_DIRECTORIES"] = str(checkout.parent)
    if checkout is not None and agent is None:
        from ralph.runner.gate_surroundings import gate_surroundings  # not before the first agent

        env |= gate_surroundings(b, s, checkout.parent, env)
    return env


def _where(b: LoopContext, s: LoopState) -> dict[str, str]:
    return {
        "RALPH_RUN": b.run.id,
        "RALPH_LOOP": s.identity.loop,
        "RALPH_TASK": s.identity.task.id,
        "RALPH_STATE": str(b.repo.state_dir),
        "RALPH_SLOT": str(s.identity.slot),
        # Where the workspace has its copy; empty: nowhere. A loop in place has none of its own.
        **({"RALPH_BACKLOG": s.identity.backlog} if s.identity.home else {}),
        # Out of a sandbox no one can write there.
        **(
            {"RALPH_MEMORIES": str(notes_of(s))}
            if s.identity.home and s.identity.policy.sandbox.kind == "none"
            else {}
        ),
    }


def notes_of(s: LoopState) -> Path:
    """Where memories are kept beyond the loop: in the user's checkout."""
    return Path(s.identity.home or s.identity.root) / s.identity.folder / ".ralph" / "agent"


def tools_for(b: LoopContext, s: LoopState, op: str, own: dict[str, str] | None = None) -> AgentTools:
    """Ralph's MCP server for an iteration, which `own` tells apart. A reviewer gets none: it only reads."""
    private = b.run.store.private(s.identity.loop, op)
    if own is None:
        return AgentTools(private)
    ralph = (sys.executable, "-m", "ralph")
    return AgentTools(private, (*ralph, "mcp"), {**_where(b, s), **own}, (*ralph, "hook"))


def told_to_hooks(s: LoopState, scratchpad: str) -> dict[str, str]:
    """What `ralph hook` has to know. Where no signal is awaited, no one is asked for one."""
    told = {"RALPH_WRAP_UP": f"{s.identity.policy.limits.wrap_up_seconds:g}"}
    if s.identity.policy.claim != "signal" or s.event_hat is not None:
        return told
    return {
        **told,
        "RALPH_HANDOVER": content_mark(scratchpad),
        "RALPH_PROMISE": s.identity.policy.completion_promise,
    }


def unrecorded_of(s: LoopState) -> Unrecorded:
    return Unrecorded(as_run(s), folder=s.identity.folder, root=s.identity.root)


def read_scratchpad(folder: Path, s: LoopState) -> str:
    path = folder / scratchpad_path(s)
    if (
        not scratchpad_path(s) or not path.is_file() or not straight(path, s)
    ):  # absent, a folder, a pipe that no one writes to
        return ""
    return read_bytes(path, SCRATCHPAD_BYTES).decode("utf-8", "replace")


def keep_scratchpad(folder: Path, s: LoopState, store: Store) -> str:
    """Store it as it is, byte for byte; the hash is returned. Empty when there is none, or none that could be put back."""
    path = folder / scratchpad_path(s)
    if not path.is_file() or not straight(path, s) or path.stat().st_size > SCRATCHPAD_BYTES:
        return ""
    return store.put(read_bytes(path).decode("utf-8", "surrogateescape"))


def put_back_scratchpad(folder: Path, s: LoopState, store: Store, before: str) -> bool:
    """What was there before a review is not a reviewer's to edit. No snapshot holds it; the record does, of both."""
    path = folder / scratchpad_path(s)
    if path.is_symlink() and not straight(path, s):
        path.unlink()
    too_large = path.is_file() and path.stat().st_size > SCRATCHPAD_BYTES
    if keep_scratchpad(folder, s, store) == before or too_large or not straight(path, s):
        return False
    if before:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (store.blobs / before).read_bytes())
    else:
        path.unlink(missing_ok=True)
    return True


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
