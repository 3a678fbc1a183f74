"""What loops do on a machine: the work of an agent, and the landing. Each is a generator of what it waits for.

They stand in for the engine, and record its facts. What they do next depends on the accepted facts alone, as in the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import CODES, End
from ralph.core.fleet import lander
from ralph.core.fleet.model import Vitals
from ralph.core.policy import Policy, Task
from simulation.machine import AwaitAccepted, AwaitAllowed, GitCall, Script, SimLoop, Sleep
from simulation.remote import FENCE, TARGET

if TYPE_CHECKING:
    from simulation.fleet import Fleet

POLICY = Policy(agent=AgentPolicy())


class Plan(msgspec.Struct, frozen=True):
    """What a task is like: drawn once, the same on every machine."""

    iterations: int
    ends: tuple[End, ...]  # of its loops, one after the other; then completed-verified
    poison: bool = False  # it kills the machines that work on it
    conflicts: float = 0.1
    red: float = 0.1


class Past(msgspec.Struct):
    """What the facts say that matters here."""

    started: bool = False
    iterations: int = 0
    serial: int = 0
    open: str = ""
    ends: int = 0
    ended: bool = False
    paused: bool = False
    quota: int = 0

    def fold(self, kind: str, body: bytes) -> None:
        match kind:
            case "loop.started":
                self.started, self.iterations, self.ended, self.paused = True, 0, False, False
            case "loop.resumed":
                self.ended = False
            case "iteration.started":
                self.serial += 1
                self.open = "iteration"
            case "iteration.ended":
                fact = f.decode(body)
                assert isinstance(fact, f.IterationEnded)
                self.iterations += fact.how == "exited"
                self.open = ""
            case "gate.started":
                self.open = "gate"
            case "gate.ended":
                self.open = ""
            case "paused":
                self.paused = True
            case "continued":
                self.paused = False
            case "landing.returned":
                self.ended = True
                self.iterations -= 1
            case "loop.ended":
                self.ended = True
                self.ends += 1


class Loop:
    """Helpers that both scripts share."""

    def __init__(self, fleet: Fleet, loop: SimLoop) -> None:
        self.fleet = fleet
        self.loop = loop
        self.world = fleet.world
        self.dice = fleet.world.dice
        self.plan = fleet.plans.get(loop.id) or fleet.plan(loop.id)
        self.past = Past()
        for sent in loop.imported:
            self.past.fold(sent.kind, sent.body)

    def record(self, fact: f.AnyFact, *, save: bool = False) -> int:
        self.past.fold(f.kind_of(fact), f.encode(fact))
        return self.loop.record(fact, save=save)

    def take_over(self) -> None:
        """As the engine does: closes what is open, says where it is now, resumes."""
        past, task = self.past, self.loop.task
        if (task.retry is not None and task.retry.fresh) or not past.started:
            self.loop.loop = f"loop-{task.id}-{task.epoch}"
            self.record(
                f.LoopStarted(
                    loop=self.loop.loop, task=Task(task.id, task.spec.heading), policy=POLICY, root="/w"
                )
            )
            return
        if past.open == "iteration":
            usage = task.vitals.usage
            self.record(
                f.IterationEnded(
                    serial=past.serial,
                    n=past.iterations + 1,
                    how="interrupted",
                    code=-1,
                    seconds=task.vitals.seconds,
                    tree="",
                    usage=usage,
                )
            )
        elif past.open == "gate":
            self.record(gate_ended(how="interrupted", passed=False))
        self.record(
            f.LoopMoved(run=self.loop.machine.name, epoch=task.epoch, root=f"/{self.loop.machine.name}")
        )
        if past.ended or task.retry is not None:
            self.record(f.LoopResumed(run=self.loop.machine.name))

    def hear(self) -> str:
        """Records what people said; "stop" when one of them wants that."""
        wanted = ""
        for message in self.loop.inbox:
            if message.id in self.loop.taken:
                continue
            self.loop.taken.add(message.id)
            match message.kind:
                case "pause":
                    self.record(f.Paused(name=message.name))
                case "continue":
                    self.record(f.Continued(name=message.name))
                case "stop":
                    self.record(f.StopRequested(how="graceful", by=message.author, name=message.name))
                    wanted = "stop"
                case "answer":
                    self.record(f.Answered(name=message.name, text=message.body))
                case "complete":
                    self.record(
                        f.ClaimMade(name=message.name, serial=self.past.serial, summary="s", evidence="e")
                    )
                case "cancel":
                    wanted = wanted or "cancel"
                    self.record(f.StopRequested(how="cancel", by=message.author, name=message.name))
                case _:
                    self.record(f.Said(name=message.name, text=message.body))
        self.loop.inbox.clear()
        return wanted

    def end(self, end: End, reason: str) -> None:
        self.record(f.LoopEnded(end=end, reason=reason, code=CODES[end]), save=self.dice.random() < 0.3)


def gate_ended(*, passed: bool, how: f.How = "exited") -> f.GateEnded:
    return f.GateEnded(
        op="gate",
        gate="tests",
        purpose="claim",
        variant="as-is",
        tree="t",
        command="t",
        code=0,
        seconds=1,
        passed=passed,
        how=how,
    )


def work(fleet: Fleet, sim: SimLoop) -> Script:
    """Iterations, gates, an end."""
    loop = Loop(fleet, sim)
    machine, protocol = sim.machine, sim.machine.protocol
    assert protocol is not None
    if fleet.breaks_clone(sim):
        protocol.close_repository(sim.task.spec.repository, machine.clock.now() + 60)
        protocol.give_back(sim.id, "clone", "no route")
        return
    loop.take_over()
    while True:
        while sim.cut:
            yield AwaitAllowed()
        wanted = loop.hear()
        if wanted == "stop" or sim.stop:
            loop.end("stopped", "")
            return
        if loop.past.paused:
            yield Sleep(20)
            if not sim.inbox and not sim.cut:
                protocol.park(sim.id, -1, "paused")
                return
            continue
        if loop.past.iterations < loop.plan.iterations:
            if not (yield from iterate(loop)):
                return
        elif not (yield from judge(loop)):
            return


def iterate(loop: Loop) -> Any:
    """One agent run; False: the loop is over."""
    past, sim, dice = loop.past, loop.loop, loop.dice
    serial, n = past.serial + 1, past.iterations + 1
    loop.record(f.IterationStarted(serial=serial, n=n, prompt="", prompt_chars=0, tree=""))
    usage = f.Usage(tokens=100 * serial, cost_usd=0.01 * serial)
    assert sim.machine.protocol is not None
    now = sim.machine.clock.now()
    sim.machine.protocol.turn(sim.id, now, inside_until=now + 3600, vitals=Vitals("iteration", 3.0, usage))
    if loop.plan.poison and loop.world.chance(0.8):
        sim.machine.later(dice.uniform(1, 20), sim.machine.die, dice.uniform(1, 60))
    cut = yield Sleep(dice.uniform(2, 90) * loop.world.chaos.slowness)
    if loop.world.chance(0.1):
        loop.record(f.Checkpoint(what="precompact", serial=serial))
    quota = not cut and loop.world.chance(0.05)
    loop.record(
        f.IterationEnded(
            serial=serial,
            n=n,
            how="cut" if cut else "exited",
            code=0,
            seconds=3.0,
            tree="t",
            usage=usage,
            fault="quota" if quota else "",
            retry_after=40.0 if quota else -1.0,
        ),
        save=not cut,
    )
    if quota:
        loop.end("quota", "")
        return False
    if loop.world.chance(0.04):
        task = Task(f"{sim.id}.p", "more", criteria=("it is there",))
        loop.record(f.TaskProposed(name=f"p{serial}", serial=serial, how="add", tasks=(task,)))
    return True


def judge(loop: Loop) -> Any:
    loop.record(f.GateStarted(op="gate", gate="tests", purpose="claim", variant="as-is", tree="t"))
    cut = yield Sleep(loop.dice.uniform(1, 30) * loop.world.chaos.slowness)
    loop.record(gate_ended(passed=not cut, how="interrupted" if cut else "exited"))
    if cut:
        return True
    ends = loop.plan.ends
    end = ends[loop.past.ends] if loop.past.ends < len(ends) else "completed-verified"
    loop.end(end, f"the plan says {end}")
    return False


def land(fleet: Fleet, sim: SimLoop) -> Script:
    """The real LandingProtocol, with a remote and gates that take their time."""
    loop = Loop(fleet, sim)
    loop.take_over()
    protocol = fleet.landing(sim.task)
    while True:
        wanted = loop.hear()
        if wanted == "cancel":
            protocol.wish_cancel()
        step = protocol.step
        loop.world.log(sim.machine.name, "lands", sim.id, step)
        match step:
            case lander.RecordFact():
                n = loop.record(step.fact)
                yield AwaitAccepted(n)
                protocol.done(None)
            case lander.EndLanding():
                for fact in step.facts:
                    loop.record(fact)
                return
            case lander.LeaveLanding():
                assert sim.machine.protocol is not None
                sim.machine.protocol.give_back(sim.id, "push", "another lander has the fence")
                return
            case lander.RunLandingGates():
                loop.record(f.GateStarted(op="gate", gate="tests", purpose="land", variant="as-is", tree="t"))
                cut = yield Sleep(loop.dice.uniform(1, 40) * loop.world.chaos.slowness)
                red = loop.world.chance(loop.plan.red)
                loop.record(gate_ended(passed=not cut and not red, how="interrupted" if cut else "exited"))
                if cut:
                    while sim.cut:
                        yield AwaitAllowed()
                    continue
                returned = f.LandingReturned(op=f.BY_A_LANDER, why="red", tip=step.tip)
                protocol.done(lander.LandingJudged(returned if red else None))
            case _:
                protocol.done((yield from git_step(fleet, loop, step)))


def git_step(fleet: Fleet, loop: Loop, step: lander.LandStep) -> Any:
    remote, sim = fleet.remote, loop.loop
    who, branch = f"{sim.machine.name}/{sim.task.epoch}", f"refs/heads/ralph/{sim.id}"

    def push(changes: dict[str, tuple[str, str]]) -> Any:
        return GitCall(lambda: remote.push(who, changes))

    match step:
        case lander.LookAtRemote():
            while True:
                view = yield GitCall(lambda: look(fleet, sim.id, step.about))
                if view is not None:
                    return view
        case lander.MoveFence():
            parents = (step.expected,) if step.expected else ()
            fence = remote.commit(*parents, epoch=step.epoch).id
            return lander.FenceMoved(result((yield push({FENCE: (step.expected, fence)}))), fence)
        case lander.MergeOnTip():
            yield Sleep(loop.dice.uniform(0.1, 5))
            if loop.world.chance(loop.plan.conflicts):
                return lander.LandingMerge()
            return lander.LandingMerge(remote.commit(step.tip, task=sim.id, epoch=sim.task.epoch).id, "t")
        case lander.PushLanding():
            yield Sleep(0)
            return result((yield push({TARGET: (step.tip, step.commit), FENCE: (step.fence, step.commit)})))
        case lander.PushBranch():
            return result((yield push({branch: (step.expected, step.commit)})))
        case lander.OpenPullRequest():
            while (yield GitCall(lambda: True)) is None:
                pass
            fleet.requests[sim.id] = step.commit
            return f"https://example.org/{sim.id}"
    raise AssertionError(step)


def result(answer: bool | None) -> lander.PushResult:
    return "unknown" if answer is None else "done" if answer else "refused"


def look(fleet: Fleet, task: str, about: str) -> lander.RemoteView:
    remote = fleet.remote
    tip, fence = remote.refs[TARGET], remote.refs.get(FENCE, "")
    return lander.RemoteView(
        tip,
        fence,
        remote.commits[fence].epoch if fence else 0,
        bool(about) and remote.is_ancestor(about, tip),
        bool(about) and bool(fence) and remote.is_ancestor(about, fence),
        remote.refs.get(f"refs/heads/ralph/{task}", ""),
        remote.atomic,
    )
