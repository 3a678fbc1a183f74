"""Hats and events as a loop's policy holds them: plain values. routing.py says who takes an event, turns.py whose turn it is.

A hat is put on by an event (`triggers`), by a condition (`when`, as roles.py reads it), or by either. So a loop can have
personas without events: only hats with `triggers` or `scan` make it route them (`Team.routes`).
"""

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core.agent_policy import AgentPolicy

START = "task.start"  # published at the start where no other event is named
RESUME = "task.resume"  # published when an idle loop looks again
GATE_FAILED = "gate.failed"
CLAIM_REFUSED = "claim.refused"  # a claim that was not even put to the gates
TURNED_DOWN = (GATE_FAILED, CLAIM_REFUSED)
ASK = "human.interact"  # a question to a person: it parks the loop and is routed to no one
COMPLETE = "LOOP_COMPLETE"
COMPLETE_WORDS = (COMPLETE, "TASK_COMPLETE")  # understood whatever the promise is called
COORDINATOR = ""  # the id of no hat: the iteration that wears none


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message to whoever wants it. `hat` emitted it in `iteration`; 0: no iteration, but Ralph or a person."""

    topic: str
    payload: str = ""
    hat: str = COORDINATOR
    iteration: int = 0
    n: int = 0  # the how-manieth of the loop, once it was accepted


class Aggregate(msgspec.Struct, frozen=True, omit_defaults=True):
    """The hat waits until no one else has a turn, and then takes all its events in one iteration."""

    mode: Literal["wait_for_all"] = "wait_for_all"


class ScanFolder(msgspec.Struct, frozen=True):
    """Items in this folder are dispatched by this event."""

    folder: str
    topic: str


class ScanBacklog(msgspec.Struct, frozen=True):
    """Tasks of this backlog that are ready are dispatched by this event."""

    file: str  # relative to the workspace
    topic: str


class Scan(msgspec.Struct, frozen=True, omit_defaults=True):
    """A scanner as data: Ralph looks into the folders itself, the first one first, and starts no agent for it.
    The backlog, if there is one, comes after the folders."""

    folders: tuple[ScanFolder, ...] = ()
    backlog: ScanBacklog | None = None
    failed: str = "failed"  # where an item goes that no one gets through its phase
    log: str = "poll-log.txt"

    @property
    def topics(self) -> tuple[str, ...]:
        return (*(entry.topic for entry in self.folders), *((self.backlog.topic,) if self.backlog else ()))


class Hat(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    name: str = ""
    description: str = ""
    triggers: tuple[str, ...] = ()
    publishes: tuple[str, ...] = ()
    instructions: str = ""
    extra_instructions: tuple[str, ...] = ()
    default_publishes: str = ""  # published when an iteration under the hat emits nothing
    max_activations: int = 0  # in one cycle; 0: no limit
    agent: AgentPolicy | None = None  # who wears it, with the hat's model and arguments; None: the loop's
    disallowed_tools: tuple[str, ...] = ()  # also among the agent's arguments, where it can be held to it
    allowed_tools: tuple[str, ...] = ()  # no others; likewise
    timeout: float = 0.0  # seconds of one iteration under it; 0: as every iteration
    scratchpad: str | None = ""  # "": the loop's; None: it has none
    aggregate: Aggregate | None = None
    fresh: bool | None = None  # None: yes, when a scanner dispatches it
    when: str = ""
    scan: Scan | None = None
    text_only: bool = False  # to events, an iteration under it is the coordinator's

    @property
    def title(self) -> str:
        return self.name or self.id

    @property
    def scanner(self) -> bool:
        """It looks for work itself, whatever event it was called by."""
        return self.scan is not None or RESUME in self.triggers

    @property
    def declared(self) -> tuple[str, ...]:
        """What it may publish; what is published for it (when it is silent, by its scan) counts as declared."""
        found = [*self.publishes, self.default_publishes]
        if self.scan is not None:
            found += [*self.scan.topics, COMPLETE]
        return tuple(dict.fromkeys(topic for topic in found if topic))

    @property
    def text(self) -> str:
        """Its instructions, whole."""
        return "\n".join(part.rstrip("\n") for part in (self.instructions, *self.extra_instructions) if part)


class Meaning(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an event stands for: told to the hats that take it and that publish it."""

    description: str = ""
    on_trigger: str = ""
    on_publish: str = ""


class Team(msgspec.Struct, frozen=True, omit_defaults=True):
    """The hats of a loop, in declared order, and the rules of their events. A hat with several
    conditions has an entry for each: the first says what the hat is, a later one only adds its condition."""

    hats: tuple[Hat, ...] = ()
    starting_event: str = START
    completion_promise: str = COMPLETE
    cancellation_promise: str = ""  # a topic that ends the loop at once
    required_events: tuple[str, ...] = ()  # before a completion of a cycle in which there was work
    persistent: bool = False
    enforce_scope: bool = False
    cooldown: float = 0.0  # seconds
    cooldown_always: bool = False  # before every iteration; otherwise before idle looks only
    gate_on: tuple[str, ...] = ()  # topics that are routed only after the gates have passed
    meanings: dict[str, Meaning] = {}
    max_items: int = 0  # of a board that Ralph itself scans: the loop ends after them; 0: no limit
    base: str = ""  # working.md: said in every iteration, before the text of a hat

    @property
    def routes(self) -> bool:
        """Whether events go from hat to hat. Otherwise its hats are personas, and the loop is as one without hats."""
        return any(hat.triggers or hat.scan is not None for hat in self.hats)

    @property
    def conditional(self) -> tuple[Hat, ...]:
        """The hats that a condition puts on, in the order in which they are asked: those of roles.yaml come first."""
        return tuple(sorted((hat for hat in self.hats if hat.when), key=lambda hat: not hat.text_only))

    def hat(self, id: str) -> Hat | None:
        return next((hat for hat in self.hats if hat.id == id), None)

    @property
    def promise(self) -> str:
        """How a completion is called to people and agents, whichever of its words was said."""
        return self.completion_promise or COMPLETE

    def completes(self, topic: str) -> bool:
        return topic in (*COMPLETE_WORDS, self.completion_promise)

    def may_complete(self, hat: Hat | None) -> bool:
        """Without a hat always; under one only when it says so itself, by name."""
        return hat is None or any(self.completes(topic) for topic in hat.declared)


def role_hats(triggers: Iterable[tuple[str, str]], texts: Mapping[str, str]) -> tuple[Hat, ...]:
    """The hats that roles are: one entry for each (condition, role), in this order; the first of a role has its text."""
    left = dict(texts)
    return tuple(
        Hat(role, instructions=left.pop(role, ""), when=condition, text_only=True)
        for condition, role in triggers
    )


def with_roles(team: Team | None, roles: Team) -> Team:
    """The hats of both. A role that is called as a hat is that hat, with one more condition."""
    return roles if team is None else replace(team, hats=(*team.hats, *roles.hats), base=roles.base)
