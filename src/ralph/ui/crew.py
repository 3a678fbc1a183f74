"""What the live view of a run over a backlog remembers: its loops, what each does now, and what became of the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import DONE
from ralph.core.state import LoopState
from ralph.ui.activity import LONGEST_READ, activity
from ralph.ui.crewblock import Member, Tally, render
from ralph.ui.seen import Now

LINES_KEPT = 20  # of the last ones heard of a loop, to find in them what is being done


class Crew:
    """`left` counts the tasks that nobody has begun; it is asked when a loop begins or ends, not for every frame."""

    def __init__(self, left: Callable[[], int], clock: float) -> None:
        self._left = left
        self._tally = Tally(began=clock)
        self._members: dict[str, Member] = {}  # by task
        self._ended: dict[str, bool] = {}  # task -> whether it is done
        self._heard: dict[str, deque[str]] = {}
        self._running = False

    def fact(self, fact: f.AnyFact, s: LoopState, clock: float) -> None:
        if isinstance(fact, f.RunStarted | f.RunEnded):
            self._running = isinstance(fact, f.RunStarted)
        if isinstance(fact, f.RunStarted | f.BacklogWritten):
            self._tally = replace(self._tally, left=self._left())
        if isinstance(fact, f.RunReviewStarted | f.RunReviewed):
            reviewer = fact.gate if isinstance(fact, f.RunReviewStarted) else ""
            self._tally = replace(self._tally, reviewer=reviewer, reviewing=clock)
        if not s.started:
            return
        task = s.task.id
        if isinstance(fact, f.LoopEnded):
            self._over(s)
        elif s.ended is None:
            self._go_on(fact, s, clock, self._members.get(task) or Member(s, clock))

    def _go_on(self, fact: f.AnyFact, s: LoopState, clock: float, before: Member) -> None:
        task = s.task.id
        if isinstance(fact, f.LoopStarted | f.LoopResumed):
            self._ended.pop(task, None)
            self._count()
        began = isinstance(fact, f.IterationStarted | f.GateStarted | f.WaitStarted)
        if began:
            self._heard.pop(task, None)
        hat = fact.hat if isinstance(fact, f.IterationStarted) else before.hat
        since = clock if began or before.state.open.keys() != s.open.keys() else before.since
        self._members[task] = Member(s, since, hat, "" if began else before.doing)

    def _over(self, s: LoopState) -> None:
        self._members.pop(s.task.id, None)
        self._heard.pop(s.task.id, None)
        self._ended[s.task.id] = s.ended in DONE
        self._tally = replace(
            self._tally,
            cost_usd=self._tally.cost_usd + s.cost_usd,
            tokens=self._tally.tokens + s.tokens,
            estimated=self._tally.estimated or s.estimated,
        )
        self._count()

    def _count(self) -> None:
        done = sum(self._ended.values())
        self._tally = replace(self._tally, done=done, failed=len(self._ended) - done, left=self._left())

    def heard(self, task: str, text: str) -> None:
        if task in self._members:
            self._heard.setdefault(task, deque(maxlen=LINES_KEPT)).append(text[: LONGEST_READ + 1])

    def felt(self, s: LoopState) -> None:
        """Usage and ticks, which are no facts."""
        if s.task.id in self._members:
            self._members[s.task.id] = replace(self._members[s.task.id], state=s)

    def block(self, width: int, height: int, now: Now, *, colour: bool) -> list[str]:
        if not self._running:
            return []
        for task, lines in self._heard.items():
            told = next((told for line in reversed(lines) if (told := activity(line))), "")
            if told and task in self._members:
                self._members[task] = replace(self._members[task], doing=told)
        return render(list(self._members.values()), self._tally, width, height, now, colour=colour)

    def until_next_second(self, now: Now) -> float:
        return 1.0 - (now.clock - self._tally.began) % 1.0 + 0.002
