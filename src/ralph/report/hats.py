"""Hats and boards for a report: what each iteration was because of and what came of it, and what each item took."""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.eventview import Teller, line
from ralph.core.hats import Team
from ralph.core.scanboard import Item
from ralph.core.state import LoopState
from ralph.report.figures import cost, duration, tokens
from ralph.report.story import Worn
from ralph.ui.hatlines import about, of_backlog, title

ITEM_HEAD = ("Item", "State", "Dispatched", "Failed", "Time", "Tokens", "Cost", "Reason")


class HatTeller:
    """Goes along with the facts of one loop. Without hats it has nothing to tell."""

    def __init__(self) -> None:
        self._teller = Teller()
        self._worn: dict[int, Worn] = {}

    def take(self, fact: f.AnyFact, s: LoopState) -> None:
        told = self._teller.take(fact, s)
        if s.policy.routing is None:
            return
        match fact:
            case f.IterationStarted():
                events = s.turns.current.events if s.turns.current else ()
                self._worn[fact.serial] = Worn(
                    serial=fact.serial,
                    n=fact.n,
                    hat=fact.hat,
                    title=title(s, fact.hat),
                    event=about(events),
                    why=fact.hat_why,
                    fresh=fact.fresh,
                )
            case f.IterationEnded() | f.TransitionPassed() | f.EventReceived() if fact.serial in self._worn:
                said = tuple(line(one.routed) for one in told if one.counts and one.routed.event.iteration)
                refused = tuple(line(one.routed) for one in told if not one.routed.event.n and not one.counts)
                before = self._worn[fact.serial]
                self._worn[fact.serial] = replace(
                    before, said=before.said + said, refused=before.refused + refused
                )

    def worn(self) -> tuple[Worn, ...]:
        return tuple(self._worn.values())


def worn_row(x: Worn) -> tuple[str, str, str, str]:
    because = x.event or x.why
    return str(x.n), x.title, because, "; ".join((*x.said, *x.refused)) or "nothing"


def item_row(x: Item, team: Team | None, *, estimated: bool) -> tuple[str, ...]:
    place = f"in {x.folder}" + ("" if of_backlog(team, x.folder) else "/")
    state = "given up" if x.failed else "through" if x.done else place
    return (
        x.name,
        state,
        str(x.dispatches),
        str(x.failures) if x.failures else "",
        duration(x.seconds) if x.seconds else "",
        tokens(x.tokens) if x.tokens else "",
        cost(x.cost_usd, estimated=estimated) if x.cost_usd else "",
        x.reason,
    )
