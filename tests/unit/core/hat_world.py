"""A board of folders and a team of hats, worked on without a driver: the turns of a loop, one after another."""

from __future__ import annotations

from ralph.core.hats import turns as t
from ralph.core.hats.model import Event, Hat, Team
from ralph.core.hats.turns import Routed, Turn, Turns


def hat(id: str, *triggers: str, publishes: tuple[str, ...] = (), **more: object) -> Hat:
    return Hat(id=id, triggers=triggers, publishes=publishes, **more)  # type: ignore[arg-type]


def spike(**more: object) -> Team:
    """The hats of the seed's ralph.yml, with its triggers, publishes and defaults."""
    return Team(
        hats=(
            hat(
                "board_scanner",
                "board.scan",
                "board.rescan",
                "task.resume",
                publishes=("work.propose", "work.finish", "LOOP_COMPLETE"),
                default_publishes="LOOP_COMPLETE",
                name="Board Scanner",
            ),
            hat(
                "proposal_writer",
                "work.propose",
                publishes=("board.rescan",),
                default_publishes="board.rescan",
                name="Proposal Writer",
            ),
            hat(
                "finisher",
                "work.finish",
                publishes=("board.rescan",),
                default_publishes="board.rescan",
                name="Finisher",
            ),
        ),
        starting_event="board.scan",
        persistent=True,
        cooldown=30.0,
        **more,  # type: ignore[arg-type]
    )


class HatWorld:
    """Goes from turn to turn. `worn` are the hats in order ("" for the coordinator), `log` is what was routed."""

    def __init__(self, team: Team, state: Turns | None = None) -> None:
        self.team = team
        self.state = state or t.start(team)
        self.log: list[Routed] = list(self.state.latest)
        self.worn: list[str] = []
        self.serial = 0

    @property
    def next(self) -> t.Next:
        return t.next_turn(self.team, self.state)

    @property
    def turn(self) -> Turn:
        found = self.next
        assert isinstance(found, t.Wear), found
        return found.turn

    def step(self, state: Turns) -> HatWorld:
        self.state = state
        self.log += state.latest
        return self

    def began(self, hat_: str | None = None) -> Turn:
        turn = self.turn
        self.serial += 1
        self.worn.append(turn.hat if hat_ is None else hat_)
        self.step(t.began(self.team, self.state, self.serial, self.worn[-1]))
        assert self.state.current is not None
        return self.state.current

    def emit(self, topic: str, payload: str = "", serial: int | None = None) -> HatWorld:
        iteration = self.serial if serial is None else serial
        return self.step(t.emitted(self.team, self.state, Event(topic, payload, iteration=iteration)))

    def end(self, how: t.How = "lived", **more: object) -> HatWorld:
        return self.step(t.ended(self.team, self.state, how, **more))  # type: ignore[arg-type]

    def work(self, *topics: str, claimed: bool = False, moved: bool = False) -> HatWorld:
        """One iteration that emits these; "topic payload" for one with a payload."""
        self.began()
        for one in topics:
            topic, _, payload = one.partition(" ")
            self.emit(topic, payload)
        return self.end(claimed=claimed, moved=moved)

    def topics(self) -> list[str]:
        return [routed.event.topic for routed in self.log if routed.event.n]


class Folders:
    """What the agents of the spike do with the files."""

    def __init__(self, *items: str) -> None:
        self.folders: dict[str, list[str]] = {"work": list(items), "proposed": [], "done": []}
        self.headers: list[str] = []

    def scan(self) -> list[str]:
        for folder, topic in (("work", "work.propose"), ("proposed", "work.finish")):
            if self.folders[folder]:
                return [f"{topic} {sorted(self.folders[folder])[0]}"]
        return ["LOOP_COMPLETE"]

    def move(self, item: str, source: str, to: str) -> list[str]:
        self.folders[source].remove(item)
        self.folders[to].append(item)
        return ["board.rescan"]

    def act(self, turn: Turn) -> list[str]:
        item = turn.events[0].payload
        return {
            "board_scanner": self.scan,
            "proposal_writer": lambda: self.move(item, "work", "proposed"),
            "finisher": lambda: self.move(item, "proposed", "done"),
        }[turn.hat]()
