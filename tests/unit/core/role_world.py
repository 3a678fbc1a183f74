"""A loop whose iterations wear roles: what the driver does with them, without a driver."""

from __future__ import annotations

from pathlib import Path

import yaml
from msgspec.structs import replace
from worlds import World

from ralph.core import facts as f
from ralph.core.hats.activation import Wearing, choose, ended, started
from ralph.core.hats.model import Hat, role_hats
from ralph.core.loop import decide as d
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState

FILE = Path(__file__).parents[2] / "fixtures/roles/roles.yaml"


def roles(*triggers: tuple[str, str]) -> tuple[Hat, ...]:
    """(condition, role), in order."""
    return role_hats(triggers, {role: role for _, role in triggers})


def of_file() -> tuple[Hat, ...]:
    """The triggers of the file as it stands; that it loads is tested where it is loaded."""
    given = yaml.safe_load(FILE.read_text())["triggers"]
    return roles(*((one["condition"], one["role"]) for one in given))


def worn_next(roles_: tuple[Hat, ...], s: LoopState, w: Wearing) -> Hat | None:
    """The role of the iteration that is due now; with a claim that would complete the task, the one that comes before that."""
    wanted = d.decide(s)
    if not wanted:
        return None
    completes = isinstance(wanted[0], d.Finish) and wanted[0].end.startswith("completed")
    if completes and s.claim and isinstance(d.decide(replace(s, claim=None))[0], d.RunAgent):
        return choose(roles_, s, w)
    return choose(roles_, s, w) if isinstance(wanted[0], d.RunAgent) else None


class RoleWorld(World):
    """World, with the roles that `worn` lists in order; '' for none."""

    def __init__(self, roles_: tuple[Hat, ...], *args: object, **more: object) -> None:
        self.roles = roles_
        self.wearing = Wearing()
        self.worn: list[str] = []
        super().__init__(*args, **more)  # type: ignore[arg-type]

    def next_role(self) -> str:
        hat = worn_next(self.roles, self.state, self.wearing)
        return hat.id if hat else ""

    def wants(self) -> d.Operation:
        op = super().wants()
        if isinstance(op, d.Finish) and self.next_role():
            return d.RunAgent(
                id=f"iteration:{self.state.serial + 1}",
                serial=self.state.serial + 1,
                n=self.state.iterations + 1,
            )
        return op

    def tell(self, *facts: f.Input) -> RoleWorld:
        for fact in facts:
            before = self.state
            if isinstance(fact, f.IterationStarted):
                self.worn.append(self.next_role())
                self.wearing = started(self.wearing, before, self.worn[-1])
            super().tell(fact)
            if isinstance(fact, f.IterationEnded):
                counted = {"commits": self.commits, "files": self.files}
                self.wearing = ended(self.wearing, before, self.state, fact, **counted)
        return self

    commits = 0
    files = 0

    def work(self, times: int = 1) -> RoleWorld:
        """Iterations that each leave a new tree."""
        for _ in range(times):
            self.iterate(f"tree {self.state.serial + 1}", "ITERATION_DONE")
        return self

    def idle(self) -> RoleWorld:
        self.iterate("", "ITERATION_DONE")
        return self


def fold_both(s: LoopState, w: Wearing, fact: f.Input, hat: str) -> tuple[LoopState, Wearing]:
    after = fold(s, fact)
    if isinstance(fact, f.IterationStarted):
        w = started(w, s, hat)
    if isinstance(fact, f.IterationEnded):
        w = ended(w, s, after, fact)
    return after, w
