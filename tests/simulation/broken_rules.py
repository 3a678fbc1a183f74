"""Rules with one fault each. The simulation has to find every one of them: else it proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from ralph.core.fleet import acceptance, dependants, derive, lander, leases, people
from ralph.core.fleet.lander import LandingProtocol, PushLanding
from ralph.core.fleet.model import FleetTask, MessageKind
from simulation import scripts
from simulation.fleet import Fleet
from simulation.remote import TARGET
from simulation.world import Chaos

Break = Callable[[pytest.MonkeyPatch], None]


# Landings that are cut off, arrive late, are cancelled and taken off again.
STORMY = Chaos(
    late_pushes=0.35,
    deaths=5.0,
    pauses=5.0,
    slowness=0.15,
    rewinds=8.0,
    people=25.0,
    cancels=0.3,
    seconds=400.0,
)

# People who talk all the time.
CHATTY = Chaos(people=300.0, cancels=0.0, lost=0.01, deaths=0.5, seconds=400.0)


class BrokenRule(msgspec.Struct, frozen=True):
    name: str
    apply: Break
    chaos: Chaos | None = None  # that brings it out; None: as each seed draws it
    seeds: int = 300


def _no_epoch_check(patch: pytest.MonkeyPatch) -> None:
    """Facts of a worker that lost its task are taken."""
    patch.setattr(acceptance, "is_stale", lambda task, epoch, worker: False)


def _facts_counted_twice(patch: pytest.MonkeyPatch) -> None:
    """A repeated batch is folded again."""
    real = acceptance.is_known

    def is_known(tx: Any, task: FleetTask, batch: Any) -> bool:
        known = real(tx, task, batch)
        if known:
            facts = [derive.read_fact(sent) for sent in batch.facts]
            tx.save_task(replace(task, progress=acceptance.with_facts(task, batch, facts, 0).progress))
        return known

    patch.setattr(acceptance, "is_known", is_known)


def _chain_not_checked(patch: pytest.MonkeyPatch) -> None:
    """Whatever comes is appended, also what overlaps."""
    patch.setattr(acceptance, "misfit", lambda task, batch: None)


def _cancel_ignores_landing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(people, "is_landing_open", lambda task: False)


def _cancel_without_epoch(patch: pytest.MonkeyPatch) -> None:
    """Cancelled, but its worker may go on."""
    real = people.cancel

    def cancel(tx: Any, request: Any) -> Any:
        before = tx.task(request.task)
        answer = real(tx, request)
        after = tx.task(request.task)
        if before is not None and after.status == "cancelled" and before.holder:
            tx.save_task(replace(after, epoch=before.epoch, holder=before.holder))
        return answer

    patch.setattr(people, "cancel", cancel)


def _message_taken_when_delivered(patch: pytest.MonkeyPatch) -> None:
    real = leases.heartbeat

    def heartbeat(tx: Any, beat: Any, s: Any) -> Any:
        answer = real(tx, beat, s)
        for message in getattr(answer, "messages", ()):
            tx.take_messages(beat.task, {message.id: 1})
        return answer

    patch.setattr(leases, "heartbeat", heartbeat)


def _dependants_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(dependants, "update_needs", lambda tx, id, changed=None: None)


def _parked_without_looking(patch: pytest.MonkeyPatch) -> None:
    """A message that came while the worker parked the loop wakes no one."""
    patch.setattr(leases, "HOLDING", frozenset(get_args(MessageKind)))


def _two_landings_in_a_lane(patch: pytest.MonkeyPatch) -> None:
    from ralph.server.stores.memory import MemoryTransaction

    patch.setattr(MemoryTransaction, "is_landing", lambda self, lane: False)
    patch.setattr(MemoryTransaction, "_check_one_landing", lambda self, task: None)


def _fence_not_moved(patch: pytest.MonkeyPatch) -> None:
    """The push names the fence, but leaves it where it is: git does not check a ref that does not change."""
    _pushes(patch, lambda step: {TARGET: (step.tip, step.commit), scripts.FENCE: (step.fence, step.fence)})


def _plain_push(patch: pytest.MonkeyPatch) -> None:
    """Without expected values."""
    real = scripts.git_step

    def git_step(fleet: Fleet, loop: Any, step: Any) -> Any:
        if isinstance(step, PushLanding):
            remote = fleet.remote
            yield scripts.Sleep(0)
            answer = yield scripts.GitCall(
                lambda: remote.push(
                    "plain",
                    {
                        TARGET: (remote.refs[TARGET], step.commit),
                        scripts.FENCE: (remote.refs[scripts.FENCE], step.commit),
                    },
                )
            )
            return scripts.result(answer)
        return (yield from real(fleet, loop, step))

    patch.setattr(scripts, "git_step", git_step)


def _pushes(patch: pytest.MonkeyPatch, changes: Callable[[PushLanding], Mapping[str, Any]]) -> None:
    real = scripts.git_step

    def git_step(fleet: Fleet, loop: Any, step: Any) -> Any:
        if isinstance(step, PushLanding):
            yield scripts.Sleep(0)
            answer = yield scripts.GitCall(lambda: fleet.remote.push("broken", changes(step)))
            return scripts.result(answer)
        return (yield from real(fleet, loop, step))

    patch.setattr(scripts, "git_step", git_step)


class _NoProbe(LandingProtocol):
    """Lands again what may have landed."""

    def probe(self, intent: Any) -> Any:
        return None


class _PushBeforeIntent(LandingProtocol):
    def _intend(self) -> Any:
        super()._intend()
        return self._push()


class _KeepsFenceAfterUnknown(LandingProtocol):
    """Takes a push without an answer for one that was refused."""

    def _pushed(self, result: str) -> Any:
        return super()._pushed("refused" if result == "unknown" else result)

    def _look(self) -> Any:
        return lander.LookAtRemote("")


def _landing(broken: type[LandingProtocol]) -> Break:
    return lambda patch: patch.setattr(Fleet, "landing_protocol", broken)


BROKEN: Sequence[BrokenRule] = (
    BrokenRule("no epoch check", _no_epoch_check),
    BrokenRule("a repeated batch is counted twice", _facts_counted_twice),
    BrokenRule("the chain is not checked", _chain_not_checked),
    BrokenRule("cancel ignores an open landing", _cancel_ignores_landing, STORMY),
    BrokenRule("cancel draws no epoch", _cancel_without_epoch, STORMY),
    BrokenRule("a message is taken when it is delivered", _message_taken_when_delivered),
    BrokenRule("dependants are forgotten", _dependants_forgotten),
    BrokenRule("parked without a look at messages", _parked_without_looking, CHATTY),
    BrokenRule("two landings in a lane", _two_landings_in_a_lane),
    BrokenRule("the push does not move the fence", _fence_not_moved, STORMY),
    BrokenRule("a push without expected values", _plain_push, STORMY),
    BrokenRule("no probe of an open intent", _landing(_NoProbe), STORMY),
    BrokenRule("a push before the intent is accepted", _landing(_PushBeforeIntent), STORMY),
    BrokenRule("an unanswered push is taken for a refused one", _landing(_KeepsFenceAfterUnknown), STORMY),
)
