"""The engine of one claim, in a process of its own: the ordinary run, in place in a clone, over a list of one task of the
server. `python -m ralph.worker.engine FOLDER`; its driver is at the other end of stdin and stdout.

It ends when its driver does: whatever it would still do, no one could send.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import IO

from msgspec.structs import replace

from ralph.config.agents import check_agents, unknown_agent, with_agent
from ralph.config.load import load
from ralph.config.settings import Overrides
from ralph.core import facts as f
from ralph.core.exits import End, exit_code
from ralph.core.fleet.model import FaultKind, Repository, TaskSpec
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import AgentPolicy, LandPolicy, Policy, Task
from ralph.core.run import RunState, Work
from ralph.errors import RalphError
from ralph.git.program import owned_children
from ralph.git.repo import Repo, branch_name, find, without_git
from ralph.git.workspaces import clone
from ralph.git.workspaces.pool import refuse
from ralph.journal import inbox
from ralph.journal.record import new_id, now
from ralph.journal.store import write_atomically
from ralph.runner.run import run
from ralph.runner.run_request import Resume, RunRequest, TaskList, raised
from ralph.worker import links, moving
from ralph.worker.claim_folder import ClaimFolder
from ralph.worker.listener import Listener
from ralph.worker.mirror import Mirror
from ralph.worker.reporter import FactReporter, GitWatch, LoopWaits
from ralph.worker.savepoints import Savepoints, restore

WAITS = 75  # how an engine exits whose loop waits elsewhere
BLOCKED: End = "blocked-on-person"


class ServerTask(TaskList):
    """A task of the server as a run's list. What becomes of it is in its facts."""

    source: f.Source = "prompt"

    def __init__(self, task: Task, listen: Callable[[], None], vouches: Callable[[str], bool]) -> None:
        self._task = task
        self._listen = listen
        self._vouches = vouches

    def ready(self, s: RunState, work: Work, unfinished: Collection[str]) -> list[str]:
        return [self._task.id]

    def get(self, id: str) -> Task:
        return self._task

    def listen(self) -> None:
        self._listen()

    def vouches(self, name: str) -> bool:
        return self._vouches(name)


def task_of(id: str, spec: TaskSpec) -> Task:
    """The promise is the criterion, also for reviewers."""
    text = spec.task.strip()
    if spec.ralph_plan_path:
        text += f"\n\nThe plan is in {spec.ralph_plan_path}: read it first, and keep to it."
    criteria = tuple(one for one in (spec.ralph_promise, *spec.criteria) if one)
    return Task(id, spec.heading, text, criteria, type=spec.task_type, priority=spec.priority)


def policy_of(folder: Path, spec: TaskSpec) -> Policy:
    """As `ralph.yml` at the target's tip says. Landing is not this loop's."""
    loops = spec.task_type == "ralph"
    most = spec.ralph_max_iterations if loops else 1
    said = Overrides(prompt=spec.task, in_place=True, max_iterations=most)
    policy = load(folder, None, said, user=False).policy  # what a machine's user prefers is not the task's
    policy = replace(policy, workspace="in-place", land=LandPolicy(merges=policy.land.merges))
    policy = with_agent(policy, spec.agent) if spec.agent else policy
    return policy if loops else replace(policy, claim="every-iteration")


class BaseGone(Exception):
    """The commit on which the loop was begun is nowhere any more."""


class ClaimEngine:
    def __init__(self, folder: ClaimFolder, writer: links.LineWriter, listener: Listener) -> None:
        self._folder = folder
        self._order = folder.order()
        self._writer = writer
        self._listener = listener
        self._moves = True  # to other machines
        self._tip = ""  # of the target
        self._mirror_use: IO[str] | None = None

    def go(self) -> int:
        order = self._order
        loop = moving.continued(order.task, order.facts)
        base = moving.loop_in(order.facts, loop).workspace.base_commit
        try:
            with owned_children():
                repo = self._clone(order.repository, base) if order.repository else self._workdir()
        except BaseGone as gone:
            return self._block(loop, str(gone))
        except RalphError as error:
            return self._cannot("clone", error)
        for blob in self._folder.all_blobs():
            target = repo.state_dir / "blobs" / blob.name
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, blob.read_bytes())
        self._moves = order.repository is not None
        savepoints = Savepoints(repo, self._folder.keep, order.task.savepoint if loop else None, self._moves)
        reporter = FactReporter(self._folder, repo, self._writer, savepoints, order.longest_wait)
        if loop:
            return self._continue(repo, reporter, loop)
        return self._begin(repo, reporter)

    def _workdir(self) -> Repo:
        """A task without a repository: in place in a folder of this machine, with the claim's own journal."""
        folder = Path(self._order.workdir)
        return replace(find(folder) or without_git(folder), state_dir=self._folder.path / "state")

    def _clone(self, repository: Repository, base: str) -> Repo:
        order = self._order
        mirror = Mirror(Path(order.mirrors), repository)
        self._mirror_use = mirror.use()  # until this process ends
        mirror.fetch()
        target, tip = mirror.tip(order.task.spec.target)
        if base and not mirror.bring(base):
            raise BaseGone(moving.rewound(target, base))
        self._tip = tip
        if why := refuse(mirror.repo, base or tip):
            raise RalphError(why)
        branch = branch_name(order.task.id, order.task.spec.heading)
        clone.prepare(mirror.repo, self._folder.work, base or tip, branch, target)
        repo = find(self._folder.work)
        assert repo is not None
        return repo

    def _block(self, loop: str, why: str) -> int:
        """A person has to decide: the loop ends where it was."""
        s = moving.loop_in(self._order.facts, loop)
        ended = f.LoopEnded(
            end=BLOCKED, reason=why, code=exit_code(BLOCKED), tree=s.workspace.tree, trouble=True
        )
        self._writer.send(links.Recorded(loop, now(), ended))
        return exit_code(BLOCKED)

    def _cannot(self, fault: FaultKind, error: RalphError) -> int:
        self._writer.send(links.CannotWork(fault, " ".join(str(error).split())[:500]))
        return error.code

    # -- a new loop

    def _begin(self, repo: Repo, reporter: FactReporter) -> int:
        id, spec = self._order.task.id, self._order.task.spec
        task = task_of(id, spec)
        plan = spec.ralph_plan_path
        if plan and not _is_in(repo.root, plan):
            return self._refuse(repo, reporter, task, f"the plan {plan} is not in the repository")
        if spec.agent and (why := unknown_agent(spec.agent)):
            return self._refuse(repo, reporter, task, why)
        try:
            policy = policy_of(repo.root, spec)
        except RalphError as error:
            return self._refuse(repo, reporter, task, f"ralph.yml: {' '.join(str(error).split())}")
        try:
            check_agents(policy, repo.root, "config")
        except RalphError as error:
            return self._cannot("agent", error)
        limits = raised(policy.limits, self._limits()) or policy.limits
        self._put_first(repo)
        request = RunRequest(repo.root, repo, replace(policy, limits=limits), Work(only=id))
        return self._run(request, task, reporter)

    def _refuse(self, repo: Repo, reporter: FactReporter, task: Task, why: str) -> int:
        """A person has to correct it: a loop that ends before it does anything."""
        loop, end = new_id(), BLOCKED
        started = f.LoopStarted(loop, task, Policy(agent=AgentPolicy()), root=str(repo.root), source="prompt")
        s = fold(LoopState(), started)
        reporter.fact(started, s)
        ended = f.LoopEnded(end=end, reason=why[:500], code=exit_code(end))
        reporter.fact(ended, fold(s, ended))
        return exit_code(end)

    # -- one that comes from another claim

    def _continue(self, repo: Repo, reporter: FactReporter, loop: str) -> int:
        order = self._order
        found = moving.import_loop(
            repo.state_dir, order.facts, loop, order.run, partial(policy_of, repo.root, order.task.spec)
        )
        here, point = moving.moved_to(found, repo), order.task.savepoint
        if here.workspace.prepared:
            if point is None:
                raise RalphError("the task has no savepoint, though its loop has begun", code=70)
            if self._moves:
                restore(repo, here, point, self._folder.get)
            reporter.saved = here.workspace.tree
        s = moving.move(found, repo, order.task, order.run, reporter.fact, self._tip)
        accepts = any(message.kind == "accept" for message in order.messages)
        reviewed = found.state.judgement.ended == "needs-review"
        allow = found.state.judgement.review_paths if accepts and reviewed else ()
        self._put_first(repo, loop)
        resume = Resume(loop, allow=allow, raise_limits=self._limits(), moved=self._moves)
        request = RunRequest(repo.root, repo, s.identity.policy, Work(only=order.task.id), resume)
        return self._run(request, s.identity.task, reporter)

    def _limits(self) -> dict[str, float]:
        """With which a person wants it tried again."""
        retry = self._order.task.retry
        return retry.limits if retry is not None else {}

    def _put_first(self, repo: Repo, loop: str = "") -> None:
        """What people had said before the claim: it lies there when the loop is taken up."""
        for message in self._order.messages:
            said = self._listener.request_of(message)
            if loop and said["kind"] in ("say", "answer"):
                said["loop"] = loop
            inbox.put(str(repo.state_dir / "inbox"), said, message.name)

    def _run(self, request: RunRequest, task: Task, reporter: FactReporter) -> int:
        self._listener.attend(str(request.repo.state_dir / "inbox"))
        listed = ServerTask(task, partial(self._listener.ask, self._writer), self._listener.vouches)
        return run(request, listed, reporter, self._order.run)


def _is_in(root: Path, path: str) -> bool:
    file = (root / path).resolve()
    return not path.startswith("/") and file.is_relative_to(root.resolve()) and file.exists()


def main(path: str) -> int:
    # Whoever is started from here must find neither end of the link.
    told, tells = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    folder = ClaimFolder(Path(path))
    listener = Listener(told, folder.order().run)
    listener.start()
    writer = links.LineWriter(tells)
    GitWatch(writer).start()
    try:
        return ClaimEngine(folder, writer, listener).go()
    except LoopWaits:
        return WAITS
    except RalphError as error:
        print(error, file=sys.stderr)
        writer.send(links.CannotWork("internal", " ".join(str(error).split())[:500]))
        return error.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
