"""What a run is asked to do: the user's request, and the tasks that it works through. A prompt is a list of one task, and a
backlog is one of many."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import FAILURES
from ralph.core.loop.state import LoopState
from ralph.core.policy import LimitPolicy, Policy, Task
from ralph.core.run import RunState, Work
from ralph.errors import RalphError
from ralph.git.repo import Repo

if TYPE_CHECKING:
    from ralph.history.loops import Loop
    from ralph.runner.backlog_tasks import BacklogTasks

GONE = "its workspace is gone"  # with what was made there: the task starts over


class Resume(msgspec.Struct, frozen=True):
    """A person wants this one loop to go on, and then the run to end."""

    loop: str
    answer: str = ""
    allow: tuple[str, ...] = ()
    raise_limits: dict[str, float] = {}
    moved: bool = False  # from another machine: what is outside of the repository is looked at anew


class Aside(msgspec.Struct, frozen=True):
    """The loop of a dead run in whose place another one begins."""

    loop: str
    for_good: bool = False  # else a person may still continue with it


class RunRequest(msgspec.Struct, frozen=True):
    """What the user wants of this run."""

    folder: Path
    repo: Repo
    policy: Policy  # of the loops that it begins
    work: Work = Work()
    resume: Resume | None = None  # None: whatever is ready
    aside: Aside | None = None
    given: str = ""  # a tree: the change was made elsewhere, and is to be judged. No agent is started

    @property
    def everyone(self) -> Policy:
        """The policy with all who will be started under it, also at the end of the run."""
        return replace(self.policy, gates=(*self.policy.gates, *self.work.at_end))


def raised(limits: LimitPolicy, wanted: dict[str, float]) -> LimitPolicy | None:
    if not wanted:
        return None
    kinds = {field.name: field.type for field in msgspec.structs.fields(LimitPolicy)}
    return replace(limits, **{key: int(v) if kinds[key] is int else float(v) for key, v in wanted.items()})


class TaskList:
    """A list says what there is to do; all else concerns only one that people see and that is written."""

    source: f.Source
    name = ""  # what people and the journal call it; empty for a prompt

    def ready(self, s: RunState, work: Work, unfinished: Collection[str]) -> list[str]:
        """What could be worked on, the most urgent first. `unfinished`: tasks of loops that go on."""
        raise NotImplementedError

    def get(self, id: str) -> Task:
        raise NotImplementedError

    def whole(self, s: RunState) -> list[str]:
        """Tasks that are done without a loop of this run that says so."""
        return []

    def copy_in(self, top: str) -> str:
        """The file of a workspace at `top`, relative to it, in which agents find the list. Empty: there is none."""
        return ""

    def texts(self) -> tuple[bytes, bytes]:
        """The list and its archive as they are now, for that copy."""
        return b"", b""

    def told(self, task: str) -> tuple[str, ...]:
        """What became of what the loop of this task has proposed since the last time it asked, for its agent."""
        return ()

    def began(self, task: str) -> None: ...

    def went_on(self, before: LoopState) -> None:
        """A loop that had ended like this is taken up again."""

    def heard(self, fact: f.AnyFact, task: str) -> None: ...

    def listen(self) -> None:
        """An iteration is about to be over: what people said elsewhere has to be in the inbox by now."""

    def vouches(self, name: str) -> bool:
        """Whether the message of this name is from who keeps the list, and may claim for the iteration."""
        return False

    def settle(self, s: LoopState) -> None:
        """This loop has ended."""

    def catch_up(self, loops: Collection[Loop], written: int) -> None:
        """What a dead run had recorded and not yet written. `written`: the record up to which the list has been told."""

    def is_unworkable(self) -> bool:
        """Whether lines of it are wrong in a way that keeps tasks from ever being begun."""
        return False

    def look(self) -> None:
        """Take up what people changed."""

    def look_at(self) -> float:
        """When to look again though nothing happened; inf: what it holds never changes."""
        return float("inf")

    def due(self) -> float:
        """When there is something to write; inf: nothing is, or only at the end."""
        return float("inf")

    def write(self, seq: int) -> f.BacklogWritten | None:
        """Into the list; the fact that says so. `seq`: the newest record that it holds."""
        return None

    def trouble(self) -> RalphError | None:
        """Why the list cannot be read or written now. That ends no loop, and nothing is begun meanwhile."""
        return None


class PromptTask(TaskList):
    """A prompt: what becomes of it is in the journal, and nowhere else. What its agents propose goes into the backlog beside
    it, where it waits for a person; not before the end, for in place the list is in the tree that the loop works on."""

    source: f.Source = "prompt"

    def __init__(self, task: Task, beside: Callable[[], BacklogTasks]) -> None:
        self._task = task
        self._beside = beside
        self._list: BacklogTasks | None = None
        self._split: list[f.TaskProposed] = []

    def ready(self, s: RunState, work: Work, unfinished: Collection[str]) -> list[str]:
        return [self._task.id]

    def get(self, id: str) -> Task:
        return self._task

    def heard(self, fact: f.AnyFact, task: str) -> None:
        if isinstance(fact, f.TaskProposed) and fact.how == "split":
            self._split.append(fact)
        elif isinstance(fact, f.TaskProposed):
            self._propose(fact)

    def settle(self, s: LoopState) -> None:
        """Its parts are wanted in its place: not if it is done."""
        for fact in self._split if s.judgement.ended in FAILURES else ():
            self._propose(fact)
        self._split = []

    def _propose(self, x: f.TaskProposed) -> None:
        self._list = self._list or self._beside()
        own = self._task.id  # is in no list: what is proposed below it goes to the top
        tasks = tuple(replace(task, id="") if task.id.startswith(f"{own}.") else task for task in x.tasks)
        self._list.heard(replace(x, parent="" if x.parent == own else x.parent, tasks=tasks), own)

    def told(self, task: str) -> tuple[str, ...]:
        return self._list.told(task) if self._list else ()

    def write(self, seq: int) -> f.BacklogWritten | None:
        return self._list.write(seq) if self._list else None

    def trouble(self) -> RalphError | None:
        return self._list.trouble() if self._list else None
