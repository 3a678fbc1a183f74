"""Arbitrary teams of hats, and a world in which they work on a board: agents that emit, gates, people, deaths.

Like worlds.py it answers operations with facts; the board is a dictionary of folders, looked at as the driver does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace
from worlds import POLICIES, TASK, answer, close

from ralph.core import facts as f
from ralph.core.exits import RESUMABLE
from ralph.core.hats import board as scanboard
from ralph.core.hats.model import Aggregate, Hat, Scan, ScanFolder, Team
from ralph.core.loop import decide as d
from ralph.core.loop import steering
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, Policy

CANCEL = "stop.it"
TOPICS = ("task.start", "task.resume", "a.todo", "a.done", "b.done", "gate.failed", "h0.exhausted")
TOPIC = st.sampled_from(TOPICS)
PATTERN = st.sampled_from((*TOPICS, "*", "a.*", "*.done"))
SAYABLE = st.sampled_from(
    (*TOPICS * 3, "LOOP_COMPLETE", "LOOP_COMPLETE", CANCEL, "human.interact", "no topic")
)
PAYLOAD = st.sampled_from(("", "x", "y", '{"question": "Q", "default": "d", "deadline_seconds": 9}'))
FOLDERS = ("work", "next", "more")
ITEMS = ("i1", "i2", "i3", "i4")


def _scans() -> st.SearchStrategy[Scan | None]:
    entries = st.lists(
        st.builds(ScanFolder, st.sampled_from(FOLDERS), TOPIC),
        min_size=1,
        max_size=3,
        unique_by=lambda e: e.folder,
    )
    return st.none() | st.none() | st.builds(Scan, folders=entries.map(tuple))


def _hats(number: int) -> st.SearchStrategy[tuple[Hat, ...]]:
    return st.tuples(
        *(
            st.builds(
                Hat,
                id=st.just(f"h{n}"),
                triggers=st.lists(PATTERN, max_size=3).map(tuple),
                publishes=st.lists(PATTERN | st.just("LOOP_COMPLETE"), max_size=3).map(tuple),
                default_publishes=st.sampled_from(("", "", *TOPICS, "LOOP_COMPLETE")),
                max_activations=st.integers(0, 3),
                aggregate=st.none() | st.none() | st.just(Aggregate()),
                fresh=st.none() | st.booleans(),
                when=st.sampled_from(("", "", "", "loop_starts", "after_every(3 iterations)")),
                scan=_scans(),
            )
            for n in range(number)
        )
    )


TEAMS = st.builds(
    Team,
    hats=st.integers(1, 4).flatmap(_hats),
    starting_event=TOPIC,
    cancellation_promise=st.sampled_from(("", "", CANCEL)),
    required_events=st.lists(PATTERN, max_size=2).map(tuple),
    persistent=st.booleans(),
    enforce_scope=st.booleans(),
    cooldown=st.sampled_from((0.0, 5.0)),
    cooldown_always=st.booleans(),
    gate_on=st.lists(TOPIC, max_size=2).map(tuple),
    max_items=st.sampled_from((0, 0, 2)),
).filter(lambda team: team.routes)


def _wearing(policy: Policy, team: Team, iterations: int) -> Policy:
    # Which caps end a loop is seen in test_properties.py; here they would end most before hats have said much.
    limits = replace(
        policy.limits, max_iterations=iterations, hard_seconds=0.0, max_cost_usd=0.0, max_tokens=0
    )
    return replace(policy, limits=limits, team=team)


def _claiming(policy: Policy) -> Policy:
    """Every hat may claim, and there is a hard gate that says whether it is true."""
    team = policy.team
    assert team is not None
    hats = tuple(replace(hat, publishes=(*hat.publishes, "LOOP_COMPLETE")) for hat in team.hats)
    gates = policy.gates or (GatePolicy(name="tests", run="x"),)
    gates = (replace(gates[0], hard=True), *gates[1:])
    return replace(policy, gates=gates, team=replace(team, hats=hats, persistent=False, required_events=()))


TEAM_POLICIES = st.builds(_wearing, POLICIES, TEAMS, st.sampled_from((25, 12, 4)))

CLAIMING_POLICIES = TEAM_POLICIES.map(_claiming)

NAMES = st.sampled_from(("1", "2", "3", "4"))
STOPS = st.builds(
    f.StopRequested, how=st.sampled_from(("graceful", "now", "interrupt", "cancel")), by=st.just("p")
)
PEOPLE = st.one_of(
    st.builds(f.EventReceived, name=NAMES, topic=SAYABLE, payload=PAYLOAD),
    st.builds(f.EventReceived, name=NAMES, topic=TOPIC, payload=PAYLOAD),
    st.builds(f.Said, name=NAMES, text=st.just("hear"), hat=st.sampled_from(("", "h0", "x"))),
    st.builds(f.Paused, name=NAMES, by=st.just("p"), now=st.booleans()),
    st.builds(f.Continued, name=NAMES),
    st.builds(f.Answered, name=NAMES, text=st.just("yes")),
    st.builds(f.WorkspaceChanged, tree=st.sampled_from(("e1", "e2"))),
)
SAYS = st.lists(
    st.one_of(
        st.builds('<event topic="{}">{}</event>'.format, SAYABLE, st.sampled_from(("", "x", "y"))),
        st.sampled_from(
            (*("LOOP_COMPLETE", "TASK_COMPLETE", "ITERATION_DONE", "", "hm") * 4, "TASK_STUCK: x")
        ),
    ),
    max_size=3,
).map("\n".join)

MOST_STEPS = 3000  # far above what any policy drawn here can take
STEPS_OF_A_PERSISTENT_ONE = 400  # then it is asked to stop
MOST_WISHES = (
    30  # a person who never stops talking can keep a loop from its end for ever: that is their right
)
MOST_LOOKS = len(ITEMS) * len(FOLDERS) * (scanboard.MOST_FAILURES + 1) * 2

Check = Callable[[LoopState, f.Input, LoopState], None]


class TeamWorld:
    """A loop that is played to its end. `check` sees every fact, with the state before and after it."""

    def __init__(self, policy: Policy, data: st.DataObject, check: Check, *, people: bool) -> None:
        self.happened: list[f.Input] = []
        self.state = LoopState()
        self.draw: Callable[[st.SearchStrategy[Any]], Any] = data.draw
        self.people = people
        self._check = check
        self._wishes = MOST_WISHES
        self._resumes = 2 if people else 0
        self._idle_looks = 0  # looks and agents since the loop last waited or spent an iteration
        self.folders: dict[str, list[str]] = {name: [] for name in FOLDERS}
        for item in ITEMS:
            if folder := self.draw(st.sampled_from(("", *FOLDERS))):
                self.folders[folder].append(item)
        self.tell(f.LoopStarted(loop="l", task=TASK, policy=policy, root="/r"))

    def tell(self, *facts: f.Input) -> None:
        for fact in facts:
            before, self.state = self.state, fold(self.state, fact)
            self.happened.append(fact)
            self._check(before, fact, self.state)

    def live(self) -> TeamWorld:
        team = self.state.policy.team
        assert team is not None
        for step in range(MOST_STEPS):
            if self.state.ended is not None and not self._taken_up():
                return self
            if step >= STEPS_OF_A_PERSISTENT_ONE and team.persistent and self.state.stop is None:
                self._wishes = 0
                self.tell(f.StopRequested(how="graceful", by="test"))
            self._step()
        raise AssertionError(f"no end after {MOST_STEPS} steps")

    def _taken_up(self) -> bool:
        if not self._resumes or self.state.ended not in RESUMABLE:
            return False
        self._resumes -= 1
        answer_ = "do it" if self.state.ended == "blocked-on-person" else ""
        allow = self.draw(st.sampled_from(((), ("**",))))
        self.tell(f.LoopResumed(run="r2", answer=answer_, allow=allow))
        return True

    def _step(self) -> None:
        s = self.state
        wanted = d.decide(s)
        assert wanted or s.open, "nothing is wanted, and nothing is being cut off"
        assert len({op.id for op in wanted}) == len(wanted)
        self._never_spins(wanted)
        unwanted = [op for op in s.open if op not in {w.id for w in wanted}]
        if unwanted:
            self.tell(*self._close(unwanted[0], d.cutoff(s, unwanted[0]) or "stop"))
        elif self.people and self._wishes and self.draw(st.integers(1, 4 if s.claim else 12)) == 1:
            self._wishes -= 1
            self.tell(self.draw(PEOPLE if self._wishes % 6 else STOPS))
        elif self.people and s.open and self.draw(st.integers(0, 20)) == 20:
            self.tell(*(x for op in s.open for x in self._close(op, "stop")), f.LoopResumed(run="r2"))
        elif any(op.startswith(steering.PAUSE) for op in s.open):
            self.tell(f.Continued(name="9"))
        else:
            self._do(wanted[-1])

    def _never_spins(self, wanted: tuple[d.Operation, ...]) -> None:
        """Looks cost no iteration, so that nothing but waits and the end of the work keeps them apart."""
        s = self.state
        for op in wanted:
            if isinstance(op, d.Wait):
                limits = s.policy.limits
                most = max(limits.max_wait_seconds, limits.crash_wait_seconds, 9.0)
                assert op.what and op.why and 0 <= op.seconds <= most
            if isinstance(op, d.RunAgent | d.Look) and s.turns.idle:
                assert s.turns.pending or s.steer.says or s.policy.conditional, "an idle loop does not rest"
            if isinstance(op, d.Look):
                self._idle_looks += 1
                assert self._idle_looks <= MOST_LOOKS, "the board is looked at again and again"
            elif isinstance(op, d.Wait | d.RunAgent):
                self._idle_looks = 0

    def _do(self, op: d.Operation) -> None:
        s = self.state
        match op:
            case d.Look():
                self._look(op)
            case d.PassOn():
                self.tell(f.TransitionPassed(serial=op.serial, tree=op.tree))
            case d.RunAgent():
                (started,) = answer(op, s, self.draw)
                if isinstance(started, f.IterationStarted):
                    names = tuple(say.name for say in steering.heard(s, op.hat))
                    started = replace(started, heard=names, fresh=op.fresh)
                self.tell(started)
            case d.Continue() if s.open[op.id].what == "iteration" and self.draw(st.integers(0, 1)):
                late = self.draw(st.integers(0, 9)) == 9
                event = f.EventReceived(
                    name="e",
                    topic=self.draw(SAYABLE),
                    payload=self.draw(PAYLOAD),
                    serial=s.serial - late,
                )
                self.tell(event)
            case d.Continue() if s.open[op.id].what != "wait" and self.draw(st.sampled_from((*(1,) * 60, 0))):
                self.tell(*self._close(op.id, ""))
            case _:
                self.tell(*answer(op, s, self.draw))

    def _close(self, op: str, cause: str) -> list[f.Input]:
        facts = close(op, self.state, self.draw, cause)
        seldom = self.draw(st.integers(0, 9)) == 9
        if not seldom:  # or most loops would be over before their hats have said much
            facts = [_uneventful(x) for x in facts]
        return [self._spoken(x) if isinstance(x, f.IterationEnded) else x for x in facts]

    def _spoken(self, x: f.IterationEnded) -> f.IterationEnded:
        """It says something of hats and events, and may have moved an item."""
        if self.draw(st.booleans()):
            self._move()
        places = {word: "work" for word in ("x", "y") if self.draw(st.booleans())}
        return replace(x, said=self.draw(SAYS), structured=True, places=places)

    def _move(self) -> None:
        held = [(name, item) for name, items in self.folders.items() for item in items]
        if held:
            name, item = self.draw(st.sampled_from(held))
            self.folders[name].remove(item)
            if to := self.draw(st.sampled_from(("", *FOLDERS))):
                self.folders[to].append(item)

    def _look(self, op: d.Look) -> None:
        """What runner/operations/board.py does, on folders that are a dictionary."""
        s = self.state
        team = s.policy.team
        hat = team.hat(op.hat) if team is not None else None
        assert team is not None and hat is not None and hat.scan is not None
        board = s.board
        if op.give_up:
            self._abandon(hat.scan, op.give_up)
            return
        while True:
            there = scanboard.where(hat.scan, board, self.folders)
            board, found = scanboard.look(hat.scan, board, self.folders, max_items=team.max_items)
            match found:
                case scanboard.GiveUp():
                    self.folders[found.folder].remove(found.item)
                    self.tell(f.ItemGivenUp(found.item, found.folder, found.to, found.reason))
                    board = scanboard.gave_up(board, found.item, found.folder, found.reason)
                case scanboard.Dispatch():
                    tree = self.draw(st.sampled_from((s.tree, "looked")))
                    looked = f.BoardLooked(
                        hat.id, found.topic, found.folder, found.item, there=there, tree=tree
                    )
                    self.tell(looked)
                    return
                case scanboard.Idle():
                    over = board.finished >= team.max_items > 0
                    tree = s.tree if over or not team.persistent else ""
                    self.tell(f.BoardLooked(hat.id, there=there, why=found.why, over=over, tree=tree))
                    return

    def _abandon(self, scan: Scan, reason: str) -> None:
        board = self.state.board
        there = scanboard.where(scan, board, self.folders)
        item = board.items[board.under_way]
        if there:
            self.folders[there[0]].remove(item.name)
        folder = there[0] if there else item.folder
        self.tell(f.ItemGivenUp(item=item.name, folder=folder, to="failed", reason=reason, under_way=True))


def _uneventful(x: f.Input) -> f.Input:
    """Costs next to nothing, and nothing is wrong with the agent or its service."""
    if isinstance(x, f.IterationEnded):
        return replace(x, code=0, fault="", seconds=0.01, usage=f.Usage())
    if isinstance(x, f.GateEnded):
        return replace(x, seconds=0.01, fault="", usage=f.Usage())
    return x
