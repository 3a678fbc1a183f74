"""What a run works through, as far as the run has to know: a prompt is a list of one task, and a backlog is one of many."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import FAILURES
from ralph.core.loop.state import LoopState
from ralph.core.policy import Task
from ralph.core.run import RunState, Work

if TYPE_CHECKING:
    from ralph.history.loops import Loop
    from ralph.runner.backlog_tasks import BacklogTasks

GONE = "its workspace is gone"  # with what was made there: the task begins anew


class TaskList(Protocol):
    @property
    def source(self) -> f.Source: ...

    @property
    def name(self) -> str:
        """What people and the journal call it; empty for a prompt."""

    def ready(self, s: RunState, work: Work, unfinished: Collection[str]) -> list[str]:
        """What could be worked on, the most urgent first. `unfinished`: tasks of loops that go on."""

    def whole(self, s: RunState) -> list[str]:
        """Tasks that are done without a loop of this run that says so."""

    def get(self, id: str) -> Task: ...

    def copy_in(self, top: str) -> str:
        """The file of a workspace at `top`, relative to it, in which agents find the list. Empty: there is none."""

    def began(self, task: str) -> None: ...

    def went_on(self, before: LoopState) -> None:
        """A loop that had ended like this is taken up again."""

    def heard(self, fact: f.AnyFact, task: str) -> None: ...

    def settle(self, s: LoopState) -> None:
        """This loop has ended."""

    def catch_up(self, loops: Collection[Loop], written: int) -> None:
        """What a dead run had recorded and not yet written. `written`: the record up to which the list has been told."""

    def give_back(self, begun: Collection[str]) -> None:
        """Nobody works on its tasks, apart from these."""

    def look(self) -> None:
        """Take up what people changed."""

    def look_at(self) -> float:
        """When to look again though nothing happened; inf: what it holds never changes."""

    def due(self) -> float:
        """When there is something to write; inf: nothing is."""

    def write(self, seq: int) -> f.BacklogWritten | None: ...


class PromptTask:
    """A prompt: what becomes of it is in the journal, and nowhere else. What its agents propose goes into the backlog beside
    it, where it waits for a person."""

    source: f.Source = "prompt"
    name = ""

    def __init__(self, task: Task, beside: Callable[[], BacklogTasks]) -> None:
        self._task = task
        self._beside = beside
        self._list: BacklogTasks | None = None
        self._split: list[f.TaskProposed] = []

    def ready(self, s: RunState, work: Work, unfinished: Collection[str]) -> list[str]:
        return [self._task.id]

    def whole(self, s: RunState) -> list[str]:
        return []

    def get(self, id: str) -> Task:
        return self._task

    def copy_in(self, top: str) -> str:
        return ""

    def began(self, task: str) -> None: ...

    def went_on(self, before: LoopState) -> None: ...

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

    def catch_up(self, loops: Collection[Loop], written: int) -> None: ...

    def give_back(self, begun: Collection[str]) -> None: ...

    def look(self) -> None: ...

    def look_at(self) -> float:
        return float("inf")

    def due(self) -> float:
        return float("inf")  # only at the end: in place, the list is in the tree that the loop works on

    def write(self, seq: int) -> f.BacklogWritten | None:
        return self._list.write(seq) if self._list else None
