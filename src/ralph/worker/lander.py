"""The engine of a claim in phase land, in a process of its own: drives the LandingProtocol with real git. `python -m
ralph.worker.lander FOLDER`; its driver is at the other end of stdin and stdout.

It never pushes without an intent that the server has accepted, nor without the values that it expects on the remote.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import CODES, DONE, REQUESTED, RESUMABLE, End
from ralph.core.fleet import lander as n
from ralph.core.fleet.model import PersonMessage, Vitals
from ralph.core.fleet.pull_request import pull_request_body
from ralph.core.loop.evidence import summary
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.errors import RalphError
from ralph.git.landing.fenced_push import FencedRemote
from ralph.git.landing.remote import request_pull
from ralph.git.landing.squash import one_line
from ralph.git.program import LIMIT, owned_children
from ralph.journal import inbox
from ralph.journal.record import now
from ralph.runner.requests import WAKE
from ralph.runner.run_request import raised
from ralph.worker import links, moving
from ralph.worker.claim_folder import ClaimFolder
from ralph.worker.landing_judge import CannotLand, LandingJudge, LandingOrder
from ralph.worker.listener import Listener
from ralph.worker.merges import branch_of
from ralph.worker.mirror import Mirror
from ralph.worker.reporter import PULSE, GitWatch, vitals_of
from ralph.worker.savepoints import unbundle

MOST_UNKNOWN = 3  # pushes without an answer in a row, after which this lander gives up
DRAINS = "the worker drains"


class LandingListener(Listener):
    """What the driver says: people's words are kept for the lander; what stops or holds a gate goes to the run that judges."""

    def __init__(self, fd: int, run: str) -> None:
        super().__init__(fd, run)
        self.stopping = False
        self._held = False
        self._said: list[PersonMessage] = []
        self._taken = threading.Condition()
        self._accepted = 0

    def said(self) -> list[PersonMessage]:
        with self._lock:
            said, self._said = self._said, []
            return said

    def wait_accepted(self, number: int, seconds: float) -> bool:
        with self._taken:
            return self._taken.wait_for(lambda: self._accepted >= number, seconds)

    def attend(self, inbox_dir: str) -> None:
        """A run judges, and listens there; empty: it has ended."""
        with self._lock:
            self._inbox = inbox_dir
            if inbox_dir and self._held:
                inbox.put(inbox_dir, self._hold(True))
            if inbox_dir and self.stopping:
                inbox.put(inbox_dir, _STOP)

    def _take(self, told: links.ToEngine) -> None:
        match told:
            case links.PeopleSaid():
                with self._lock:
                    self._said += told.messages
                if any(message.kind in ("pause", "stop") for message in told.messages):
                    self._to_run(_STOP)
            case links.FactsTaken():
                with self._taken:
                    self._accepted = max(self._accepted, told.n)
                    self._taken.notify_all()
            case links.EndLoop(how="now"):
                self.stopping = True
                self._to_run(_STOP)
            case links.HoldAgent():
                self._held = told.hold
                self._to_run(self._hold(told.hold))
            case _:
                pass  # a landing that is to end after what is under way ends by itself

    def _to_run(self, message: dict[str, object]) -> None:
        with self._lock:
            if not self._inbox:
                return
            inbox.put(self._inbox, message)
        os.kill(os.getpid(), WAKE)


_STOP: dict[str, object] = {"kind": "stop", "how": "now", "by": DRAINS}


class LandingEngine:
    def __init__(self, folder: ClaimFolder, writer: links.LineWriter, listener: LandingListener) -> None:
        self._folder = folder
        self._order = folder.order()
        self._task = self._order.task
        self._writer = writer
        self._listener = listener
        self._recorded = self._task.facts  # number of the last fact
        self._turned = 0.0
        self._unknown = 0
        self._trouble = ""
        self._tree = ""  # of the change
        self._accepted: tuple[str, ...] = ()  # by a person, of what a lander doubted
        self._problem = ""  # why it cannot be merged with anything
        self._refused: n.LandStep | None = None  # the last push, if it was
        self._loop = moving.continued(self._task, self._order.facts)
        self._state = moving.loop_in(self._order.facts, self._loop)

    # -- facts

    def _record(self, fact: f.AnyFact) -> int:
        self._state = fold(self._state, fact)
        self._writer.send(links.Recorded(self._loop, now(), fact))
        self._recorded += 1
        return self._recorded

    def _wait_accepted(self, number: int) -> None:
        while not self._listener.wait_accepted(number, PULSE):
            self._writer.send(links.Turned())

    def _gate(self, fact: f.AnyFact) -> None:
        """What the judging run's gates do, under a name that no gate of the loop has."""
        assert isinstance(fact, f.GateStarted | f.GateEnded)
        op = f"{f.BY_A_LANDER}:{self._task.epoch}:{fact.op}"
        if isinstance(fact, f.GateStarted):
            self._record(replace(fact, op=op, purpose="land", prompt="", scratchpad="", refs="", swapped=()))
            return
        where = "on the target's tip: " if fact.purpose == "base" else ""
        said = replace(fact, op=op, purpose="land", output="", report="", headline=where + fact.headline)
        self._record(said)

    def _pulse(self, s: LoopState) -> None:
        if time.monotonic() - self._turned >= PULSE:
            self._turned = time.monotonic()
            vitals = vitals_of(s)
            op = f"{f.BY_A_LANDER}:{self._task.epoch}:{vitals.op}" if vitals.op else ""
            self._writer.send(links.Turned(replace(vitals, op=op)))

    # -- from the claim to its end

    def go(self) -> int:
        try:
            with owned_children():
                self._prepare()
        except RalphError as error:
            raise CannotLand("clone", error) from None
        return self._drive() if self._take_up() else 0

    def _prepare(self) -> None:
        """What is to land, in the bare copy. Also without it can be found out whether it has landed."""
        order, point = self._order, self._task.savepoint
        if order.repository is None or point is None:
            raise CannotLand("internal", "the task has no repository, or nothing was saved of it")
        mirror = self._mirror = Mirror(Path(order.mirrors), order.repository)
        self._mirror_use = mirror.use()  # until this process ends
        mirror.fetch()
        self._target, _ = mirror.tip(self._task.spec.target)
        self._branch = f"refs/heads/{branch_of(self._task.id)}"
        target = f"refs/heads/{self._target}"
        self._remote = FencedRemote(mirror.repo, order.repository.url, target, self._branch)
        base = self._state.workspace.base_commit
        if mirror.bring(base):
            self._tree = unbundle(mirror.repo, point, self._folder.get)
        else:
            self._problem = moving.rewound(self._target, base)

    def _take_up(self) -> bool:
        """Closes what a dead lander left, and says that the loop continues. False: it goes back to work at once."""
        for running in self._state.progress.open.values():
            self._record(_interrupted(running.op, running.gate, running.tree, self._task.vitals))
        before = self._state.judgement
        accepted = any(message.kind == "accept" for message in self._order.messages)
        doubted = before.ended == "needs-review"
        if before.ended is not None or self._task.retry is not None:
            retry = self._task.retry
            limits = retry.limits if retry is not None else {}
            self._accepted = before.review_paths if doubted and accepted else ()
            wanted = raised(self._state.identity.policy.limits, limits)
            self._record(f.LoopResumed(run=self._order.run, limits=wanted, allow=self._accepted))
        if not doubted or accepted or self._task.progress.intent is not None:
            return True
        self._hear(self._order.messages)
        why = f"no one accepted it: {before.end_reason}"
        self._record(
            f.LandingReturned(op=f.BY_A_LANDER, why="red", gate="landing", headline=why, excerpt=why)
        )
        return False

    def _drive(self) -> int:
        self._protocol = n.LandingProtocol(
            self._task,
            f"refs/heads/{self._target}",
            branch=self._branch,
            most_merges=self._state.identity.policy.land.merges,
        )
        self._judge = LandingJudge(
            self._mirror.repo,
            self._folder.path / "land",
            self._task,
            self._order.run,
            self._gate,
            self._pulse,
            self._listener.attend,
        )
        said: Sequence[PersonMessage] = self._order.messages
        while True:
            if (halted := self._halted(self._hear(said))) is not None:
                return halted
            said = ()
            match step := self._protocol.step:
                case n.EndLanding():
                    for fact in step.facts:
                        self._record(self._in_words(fact))
                    return 0
                case n.LeaveLanding():
                    raise CannotLand("push", "another lander has the fence, with a newer claim")
                case n.RecordFact():
                    self._wait_accepted(self._record(step.fact))
                    self._protocol.done(None)
                case n.MergeOnTip() if self._problem:
                    self._record(_ended("blocked-on-person", self._problem))
                    return 0
                case n.RunLandingGates():
                    self._judged(step)
                case n.OpenPullRequest():
                    self._protocol.done(self._pull_request(step))
                case _:
                    with owned_children():
                        self._protocol.done(self._git(step))

    def _judged(self, step: n.RunLandingGates) -> None:
        order = LandingOrder(
            step.tip,
            self._protocol.tree,
            self._target,
            self._accepted,
            self._order.sandbox,
        )
        judged = self._judge.judge(order)
        if isinstance(judged.against, f.LoopEnded) and judged.against.end in REQUESTED & RESUMABLE:
            return  # people, or the driver, have said something: it is judged anew, if it is at all
        self._protocol.done(judged)

    # -- git

    def _git(self, step: n.LandStep) -> object:
        self._writer.send(links.InsideGit(LIMIT))
        remote, task, epoch = self._remote, self._task.id, self._task.epoch
        match step:
            case n.LookAtRemote():
                return self._look(step)
            case n.MoveFence():
                moved = remote.move_fence(
                    step.expected, task=task, epoch=epoch, attempt=step.attempt, when=now()
                )
                self._answered(step, moved.result)
                return moved
            case n.MergeOnTip():
                return remote.merge(self._state, self._tree, step.tip, epoch=epoch, when=now())
            case n.PushLanding():
                return self._answered(step, remote.land(step.commit, step.tip, step.fence))
            case n.PushBranch():
                return self._answered(step, remote.push_branch(step.commit, step.expected))
        raise AssertionError(step)

    def _look(self, step: n.LookAtRemote) -> n.RemoteView:
        try:
            self._mirror.fetch()
        except RalphError as error:
            raise CannotLand("clone", error) from None
        try:
            view = self._remote.look(step.about)
        except RalphError as error:
            raise CannotLand("push", error) from None
        if _is_as_expected(self._refused, view):  # no one else was quicker: it would be refused again
            raise CannotLand("push", f"the remote refuses the push: {self._remote.refusal}")
        return view

    def _answered(self, step: n.LandStep, result: n.PushResult) -> n.PushResult:
        self._refused = step if result == "refused" else None
        self._unknown = self._unknown + 1 if result == "unknown" else 0
        if self._unknown >= MOST_UNKNOWN:
            raise CannotLand("push", "the remote gives no answer to a push")
        return result

    def _pull_request(self, step: n.OpenPullRequest) -> str:
        repo = self._mirror.for_gh(self._folder.path / "remote.git")
        title = f"[{self._task.id}] {one_line(self._task.spec.heading)}"
        branch = self._branch.removeprefix("refs/heads/")
        try:
            found = request_pull(
                repo,
                branch=branch,
                commit=step.commit,
                target=self._target,
                title=title,
                body=lambda: self._body(step.commit),
            )
        except RalphError as error:
            self._trouble = error.what
            return ""
        return found.url

    def _body(self, commit: str) -> str:
        """A lander that finds the branch pushed by a dead one judges it again: a body without evidence would be none."""
        if self._judge.state.judgement.ended is None:
            tip, tree = (self._mirror.resolve(f"{commit}^{what}") for what in ("", "{tree}"))
            self._judge.judge(LandingOrder(tip, tree, self._target, self._accepted, self._order.sandbox))
        judged, claim = self._judge.state, self._state.judgement.claim
        tip = judged.workspace.base_commit
        return pull_request_body(self._task, claim.summary if claim else "", judged.judgement.evidence, tip)

    def _in_words(self, fact: f.AnyFact) -> f.AnyFact:
        """What the protocol says, with what is known here: the proof that the landing rests on, and why there was none."""
        if not isinstance(fact, f.LoopEnded):
            return fact
        if fact.end not in DONE:
            reason = f"{fact.reason}: {self._trouble}" if self._trouble else fact.reason
            return replace(fact, reason=reason[:500])
        landed, judged = self._state.landing.landed, self._judge.state.judgement
        known = judged if judged.ended is not None else self._state.judgement
        where = f"landed on {self._target}"
        if landed is not None and landed.how != "merge":
            where = landed.url or f"on the branch {landed.ref.removeprefix('refs/heads/')}"
        proven = summary(known.evidence, known.proof) if known.evidence else known.end_reason
        reason = f"{where}; {proven}" if proven else where
        return replace(
            fact,
            reason=reason,
            tree=self._state.workspace.tree,
            proof=known.proof,
            evidence=known.evidence,
        )

    # -- people

    def _hear(self, first: Sequence[PersonMessage]) -> str:
        """Records what people said; what of it stops the landing."""
        wanted = ""
        for message in (*first, *self._listener.said()):
            match message.kind:
                case "pause":
                    wanted = wanted or "pause"
                    self._record(f.Paused(name=message.name, by=message.author))
                case "continue":
                    self._record(f.Continued(name=message.name, by=message.author))
                case "stop":
                    wanted = "stop"
                    self._record(f.StopRequested(how="graceful", by=message.author, name=message.name))
                case "cancel":
                    self._protocol.wish_cancel()
                    self._record(f.StopRequested(how="cancel", by=message.author, name=message.name))
                case "answer" | "accept":
                    text = message.body or "accepted"
                    self._record(f.Answered(name=message.name, text=text, by=message.author))
                case _:
                    self._record(f.Said(name=message.name, text=message.body, by=message.author))
        return wanted

    def _halted(self, wanted: str) -> int | None:
        """A pause parks the task in its phase; a stop ends the claim. What may have been pushed is found out by who continues."""
        if wanted == "pause":
            self._writer.send(links.Waits(-1.0, "paused"))
            return 0
        if wanted == "stop" or self._listener.stopping:
            self._record(_ended("stopped", DRAINS if self._listener.stopping else "requested by a person"))
            return 0
        return None


def _is_as_expected(push: n.LandStep | None, view: n.RemoteView) -> bool:
    match push:
        case n.PushLanding():
            return (view.tip, view.fence) == (push.tip, push.fence)
        case n.PushBranch():
            return view.branch == push.expected
        case n.MoveFence():
            return view.fence == push.expected
    return False


def _ended(end: End, why: str) -> f.LoopEnded:
    return f.LoopEnded(end=end, reason=why[:500], code=CODES[end], trouble=True)


def _interrupted(op: str, gate: str, tree: str, vitals: Vitals) -> f.GateEnded:
    known = vitals if vitals.op == op else Vitals()
    return f.GateEnded(
        op=op,
        gate=gate,
        purpose="land",
        variant="as-is",
        tree=tree,
        command="",
        code=-9,
        seconds=known.seconds,
        passed=False,
        how="interrupted",
        usage=known.usage,
    )


def main(path: str) -> int:
    told, tells = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    folder = ClaimFolder(Path(path))
    listener = LandingListener(told, folder.order().run)
    listener.start()
    writer = links.LineWriter(tells)
    GitWatch(writer).start()
    try:
        return LandingEngine(folder, writer, listener).go()
    except CannotLand as error:
        print(error, file=sys.stderr)
        writer.send(links.CannotWork(error.fault, str(error)))
        return 70
    except RalphError as error:
        print(error, file=sys.stderr)
        writer.send(links.CannotWork("internal", " ".join(str(error).split())[:500]))
        return error.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
