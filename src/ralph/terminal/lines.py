"""Facts as plain lines, for the terminal and the log. Pure: facts and the state after them in, text out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import of_task
from ralph.core.hats.event_log import (
    PAYLOAD_CHARS,
    about,
    accepted,
    completes,
    event_line,
    is_first_news,
    led,
    spoke,
    title,
)
from ralph.core.hats.model import ASK, TURNED_DOWN, Team
from ralph.core.hats.routing import shown_topic
from ralph.core.hats.steps import COOLDOWN, IDLE
from ralph.core.hats.turns import Routed
from ralph.core.loop import signals, steering
from ralph.core.loop.decide import lands_first, shift_level
from ralph.core.loop.state import SOFT_LIMITS, Claim, LoopState, verdict_key
from ralph.core.policy import GatePolicy, Task, kept
from ralph.core.proof import run_words
from ralph.terminal.words import fault_words, moment, said, spent, verdict
from ralph.text import count, duration, few, one_line

_SHOWN = 10  # events or findings of one fact
_WORTH_A_HINT = 20.0  # seconds of a wait that a person may want to end
_REFUSED, _ASIDE = "refused: ", "the claim is set aside: "


def worn(x: f.IterationStarted, s: LoopState) -> tuple[str, list[str]]:
    """How the line of an iteration's start goes on, and lines below it."""
    turn = s.hats.turns.current
    if s.identity.policy.routing is None or turn is None:
        why = [f"  {x.hat}: {x.hat_why.removeprefix(f'{x.hat}: ')}"] if x.hat_why else []
        return (f" as {x.hat}" if x.hat else ""), why
    told = f" as {title(s, x.hat)}" + (f": {about(turn.events)}" if turn.events else "")
    if x.fresh:
        told += ", notes cleared"
    plain = x.hat and not s.hats.turns.aside  # that a hat names the event goes without saying
    return told, [] if plain or not x.hat_why else [f"  {x.hat_why}"]


def after(fact: f.AnyFact, s: LoopState) -> list[str]:
    """What besides became of events by this fact: refused, set aside, published by Ralph itself."""
    match fact:
        case (
            f.LoopStarted() | f.IterationStarted() | f.IterationEnded() | f.EventReceived() | f.BoardLooked()
        ):
            latest = s.hats.turns.latest
        case f.GateEnded() | f.WorkspaceMerged() if s.judgement.claim is None:
            latest = tuple(r for r in s.hats.turns.latest if r.event.topic in TURNED_DOWN)
        case _:
            return []
    shown = [warned for routed in latest if (warned := _warning(routed))]
    if isinstance(fact, f.IterationEnded | f.BoardLooked):  # whose own events are in its line
        looked = fact.hat if isinstance(fact, f.BoardLooked) else None
        latest = tuple(r for r in latest if not r.event.iteration and r.event.hat != looked)
    shown += [f"event {led(s, r)}" for r in latest if is_first_news(r) and not completes(s, r.event)][:_SHOWN]
    return shown


def board_looked(x: f.BoardLooked, s: LoopState) -> list[str]:
    """An idle board is shown once, however often it is looked at."""
    if x.topic:
        where = f"(in {place(s, x.folder)})"
        return [f"board: {shown_topic(x.topic)} {one_line(x.item, PAYLOAD_CHARS)} {where}"]
    if x.over or not s.hats.turns.idle:
        return [f"board: {x.why}"]
    pause = s.identity.policy.team.cooldown if s.identity.policy.team else 0.0
    return [f"board: {x.why}; idle, looks again every {duration(max(pause, 1.0))}"] if first_idle(s) else []


def first_idle(s: LoopState) -> bool:
    """Whether someone has worked since the loop was idle before."""
    return s.hats.turns.worked or s.hats.turns.cycle == 1


def rest(x: f.WaitStarted, s: LoopState) -> list[str]:
    if x.op.startswith(COOLDOWN):
        return [f"cool-down of {duration(x.seconds)}"]
    scans = s.identity.policy.team is not None and any(hat.scan for hat in s.identity.policy.team.hats)
    return [] if scans else [f"idle, looks again in {duration(x.seconds)}"]


def given_up(x: f.ItemGivenUp, s: LoopState) -> list[str]:
    how = f"is in {x.to}/ now" if x.to else f"is marked as failed in {place(s, x.folder)}"
    how = "is set aside until it changes" if x.stays else how
    kept = [f"what was made of it is undone and saved: {x.saved}"] if x.saved else []
    return [f"warning: {x.item} {how}: {x.reason}", *kept]


def place(s: LoopState, folder: str) -> str:
    """Where an item of a board is: a folder, or the file of a backlog."""
    return one_line(folder, PAYLOAD_CHARS) + ("" if of_backlog(s.identity.policy.team, folder) else "/")


def of_backlog(team: Team | None, folder: str) -> bool:
    """Whether items that were found there are tasks of a backlog."""
    backlogs = [hat.scan.backlog for hat in team.hats if hat.scan is not None] if team is not None else []
    return any(backlog is not None and backlog.file == folder for backlog in backlogs)


def _warning(routed: Routed) -> str:
    if routed.why.startswith((_REFUSED, _ASIDE)):
        return f"warning: {event_line(routed)}"
    return ""


_LONG = 8  # characters of an id that may end inside a word of the title: it was made of it and cut


def lines(fact: f.AnyFact, s: LoopState) -> list[str]:
    """What to print for this fact; `s` is the state after it."""
    shown = _of_people(fact, s) or _of_run(fact, s) or _of_loop(fact, s)
    return shown if s.identity.policy.routing is None else [*shown, *after(fact, s)]


def _of_people(fact: f.AnyFact, s: LoopState) -> list[str]:
    """What someone says to the loop, and what it says to them."""
    match fact:
        case f.Said(by=by, text=text, hat=hat):
            return [f"{by or 'a person'} says{f' to {hat}' if hat else ''}: {text}"[:300]]
        case f.Answered(by=by, text=text):
            return [f"{by or 'a person'} answers: {text}"[:300]]
        case f.Paused(by=by, now=now):
            return [f"pausing {'now' if now else 'after what is under way'}: {by or 'a person'}"]
        case f.Continued(by=by):
            return [f"continues: {by or 'a person'}"]
        case f.StopRequested():
            return _stop(fact, s)
        case f.InboxRefused(why=why):
            return [f"a message was refused: {why}"]
        case f.Notified(ok=False):
            return [f"warning: could not notify {fact.target}: {fact.text}"]
        case f.WaitEnded(elapsed=True) if steering.own(fact.op):
            default = f" in time; continuing with: {s.people.answer}" if s.people.defaulted else ""
            return [f"no one answered{default}"]
    return []


def _of_run(fact: f.AnyFact, s: LoopState) -> list[str]:
    """What is about no single loop, and about the backlog."""
    match fact:
        case f.RunStarted():
            return [f"run {fact.run}, processes owned by {fact.tier}"]
        case f.RunSwept(found=found):
            left = f"; ended what it left running: {', '.join(found)}" if found else ""
            return [f"run {fact.run} had died{left}"]
        case f.JournalRepaired():
            return [f"the journal's torn tail ({fact.bytes} bytes) was put aside"]
        case f.RunReviewStarted():
            return [f"reviewer {fact.gate} looks at the whole run: {fact.base[:12]}..{fact.tip[:12]}"]
        case f.RunReviewed():
            shown = [f"reviewer {fact.gate} of the whole run: {said(fact)}, {duration(fact.seconds)}"]
            shown += _findings(fact.findings, "ralph report")
            return shown + ([f"  what it edited was undone: {few(fact.wrote)}"] if fact.wrote else [])
        case f.TaskProposed():
            what = f"proposes to split {fact.parent}" if fact.how == "split" else "proposes"
            return [f"it {what}: {few([task.title for task in fact.tasks])}"]
        case f.BacklogWritten():
            return [*(f"warning: not written: {text}" for text in fact.conflicts), *fact.notes]
    return []


def _of_loop(fact: f.AnyFact, s: LoopState) -> list[str]:
    match fact:
        case f.LoopStarted():
            return _loop_started(fact)
        case f.LoopResumed():
            done, turned_down = s.progress.iterations, s.judgement.attempts
            so_far = f"{count(done, 'iteration')} and {count(turned_down, 'attempt')} so far"
            return [f"continuing {s.identity.task.id}: {so_far}"]
        case f.WorkspacePrepared():
            return _prepared(fact)
        case f.WorkspaceChanged():
            return [f"someone edited the tree meanwhile: {few(fact.paths)}"]
        case f.WorkspaceMerged():
            return _merged(fact, s)
        case f.LandingQueued():
            return [f"it waits to land, behind {fact.behind}"]
        case f.IterationStarted():
            return _iteration_started(fact, s)
        case f.IterationEnded():
            return _iteration_ended(fact, s)
        case f.GateEnded():
            return _gate_ended(fact, s)
        case f.ClaimInspected():
            return [f"the change: {count(fact.changed, 'path')}"]
        case f.AgentBack(agent=agent) if agent < len(s.identity.policy.agents):
            return [f"agent {agent_name(s.identity.policy.agents[agent])} should be back"]
        case f.AgentRetries(retry=retry):
            return [f"no answer from the model, {retry.words}" if retry else "the model answers again"]
        case f.Checkpoint(what=what) if what != "stop":  # of every iteration: its end says more
            return [f"{SOFT_LIMITS.get(what) or 'checkpoint recorded'} after {duration(fact.seconds)}"]
        case f.WaitStarted():
            return _wait(fact, s)
        # With hats an event is told of when it is routed: an agent's at the end of its iteration, a person's at once.
        case f.EventReceived(topic=topic) if s.identity.policy.routing is None or topic == ASK:
            return [f"event {topic} {fact.payload}".rstrip()[:200]]
        case f.BoardLooked():
            return board_looked(fact, s)
        case f.ItemGivenUp():
            return given_up(fact, s)
        case f.TransitionPassed():
            went = few([led(s, routed) for routed in accepted(s)], 3)
            return [f"gates passed: {went}" if went else "gates passed"]
    return []


def _loop_started(x: f.LoopStarted) -> list[str]:
    nothing = "none, as you said" if x.policy.gates_declined else "none: nothing will be proven"
    gates = ", ".join(g.name for g in x.policy.gates) or nothing
    name = x.task.id if x.of_backlog else own_name(x.task)
    return [f"task {name}: {x.task.title}" if name else f"task: {x.task.title}", f"gates: {gates}"]


def own_name(task: Task) -> str:
    """The task's id; empty when it only repeats the first words of the title, perhaps cut short."""
    words, id = re.sub("[^a-z0-9]+", "-", task.title.lower()).strip("-"), task.id.lower().strip("-")
    repeats = f"{words}-".startswith(f"{id}-") or (len(id) >= _LONG and words.startswith(id))
    return "" if repeats and len(id) > 1 and words else task.id


def _prepared(x: f.WorkspacePrepared) -> list[str]:
    shown = [f"your uncommitted changes are saved: {x.recovery}"] if x.recovery else []
    if x.unrecorded:
        shown.append(
            f"warning: git cannot record what is in {few(x.unrecorded)}; changes in there do not count"
        )
    for gate, paths in x.undecided.items():
        shown.append(
            f"gate {gate} runs {few(paths)}, which counts as work; if it judges the work, list it in the gate's `judges`"
        )
    for known in x.known:
        shown.append(
            f"gate {known.gate} on the starting tree: {_colour(known.passed)} (known: {known.evidence})"
        )
    return shown


def _merged(x: f.WorkspaceMerged, s: LoopState) -> list[str]:
    target = s.identity.policy.land.target.removeprefix("refs/heads/")
    if x.conflicts:
        first = "; others land after it" if lands_first(s) else ""
        where = few(x.conflicts)
        return [f"{target} has moved on and conflicts in {where}: the next iteration resolves it{first}"]
    return [f"{target} has moved on: merged with {x.commit[:12]}, the gates look at both together"]


def _iteration_started(x: f.IterationStarted, s: LoopState) -> list[str]:
    shift = f", strategy shift {x.shift}" if x.shift else ""
    by = f", agent {agent_name(s.worker)}" if s.identity.policy.fallback else ""
    hat, why = worn(x, s)
    why += [f"  it reads what was said ({count(len(x.heard), 'text')})"] if x.heard else []
    most = s.identity.policy.limits.max_iterations
    if s.judgement.doubted == x.serial:
        why.append(f"  the agent is told why its claim is in doubt: {s.judgement.refusal}")
    return [f"iteration {x.n}/{most} starts{hat} ({x.prompt_chars} characters{shift}{by})", *why]


_CLAIMS = "it claims completion"
_NOT_DONE = "it says that it is not done; the gates look at it"


def _put_to_gates(claim: Claim) -> str:
    if claim.held:
        return "the gates come first"
    return _NOT_DONE if claim.unfinished else _CLAIMS


def _iteration_ended(x: f.IterationEnded, s: LoopState) -> list[str]:
    how = {
        "interrupted": "interrupted",
        "cut": f"cut off: {fault_words(x.fault)}: {x.fault_text}" if x.fault else f"cut off ({x.cause})",
        "exited": _exit(x, s),
    }[x.how]
    shown = [f"iteration {x.n} ended: {how}, {duration(x.seconds)}"]
    if s.judgement.refusal and x.how == "exited":
        shown.append(f"claim refused: {s.judgement.refusal}")
    elif s.judgement.claim is not None:
        shown.append(_put_to_gates(s.judgement.claim))
    elif (
        s.judgement.unchecked == 0
        and x.how == "exited"
        and not x.fault
        and s.judgement.history
        and _known_review(s, x.tree)
    ):
        says_not = s.identity.policy.claim == "exit-zero" and x.code
        shown += [_NOT_DONE if says_not else _CLAIMS, *_turned_down(s)]
    timed_out = x.cause in ("iteration-time", "idle") and not x.fault and s.judgement.claim is None
    if timed_out and s.judgement.history and s.judgement.history[-1].gate == "agent":
        shown += _turned_down(s)
    if x.fault and s.agents.away and s.agents.wait_due is None and not s.agents.fault:
        shown.append(f"agent {agent_name(s.worker)} goes on")
    if x.stragglers:
        shown.append(f"processes it left running were ended: {few(x.stragglers)}")
    if x.protected:
        shown.append(f"protected files were put back; `ralph recover` has its version: {few(x.protected)}")
    if x.unattributed:
        shown.append(f"warning: {kept(x.n, x.unattributed)}")
    if x.refs_moved:
        shown.append(f"warning: refs moved while it ran: {few(x.refs_moved)}")
    return shown


def _exit(x: f.IterationEnded, s: LoopState) -> str:
    if x.fault:
        return f"{fault_words(x.fault)}: {x.fault_text}"
    if x.code:
        return f"exit {x.code}" + (f": {x.fault_text}" if x.fault_text else "")
    said = signals.read(x.said, structured=x.structured, promise=s.identity.policy.completion_promise)
    if s.identity.policy.routing is not None and said.word != "TASK_STUCK":
        return spoke(x, s)
    if not said.explicit:
        return "no signal" if s.identity.policy.claim == "signal" else "exit 0"
    return said.word + (f" ({said.warning})" if said.warning else "")


def _gate_ended(x: f.GateEnded, s: LoopState) -> list[str]:
    where, how = " on the starting tree" if x.purpose == "base" else "", run_words(x.op, x.variant)
    where += f", {how}" if how else ""
    if x.how == "interrupted":
        undone = f"; what it wrote was undone: {few(x.wrote)}" if x.wrote else ""
        return [f"gate {x.gate}{where}: interrupted{undone}"]
    policy = s.gate(x.gate)
    if policy and policy.kind.asked_once:
        shown = _opinion(x, policy)
    else:
        shown = [f"gate {x.gate}{where}: {_colour(x.passed)}, exit {x.code}, {duration(x.seconds)}"]
        if not x.passed and x.headline:
            shown.append(f"  {x.headline}")
        if x.wrote and not x.hermetic:
            shown.append(
                "  files changed while it ran were put back; `ralph recover` has them, should they be yours"
            )
        if x.empty:
            shown.append("  it ran no test")
        if x.op.endswith(":folder") and x.gate in s.judgement.judged_in_folder:
            shown.append(f"  {s.warnings.by_kind[f'folder {x.gate}'][1]}")
    if len(set(s.judgement.verdicts.get(verdict_key(x.gate, x.variant, x.tree), ()))) > 1:
        spent = "" if x.purpose == "base" else "; no attempt is spent"
        shown.append(f"gate {x.gate} is flaky: it says two things about one tree{spent}")
    elif s.judgement.history and s.judgement.claim is None and x.purpose == "claim":
        shown += _turned_down(s) if not x.passed or _known_review(s, x.tree) else []
    return shown


def _known_review(s: LoopState, tree: str) -> bool:
    """Whether the claim was rejected by what a reviewer had said of this very tree before."""
    known = s.judgement.reviews.get(verdict_key(s.judgement.history[-1].gate, "as-is", tree))
    return known is not None and not known.passed


def _turned_down(s: LoopState) -> list[str]:
    last, known = s.judgement.history[-1], _known_review(s, s.workspace.tree)
    asked = known and not any(r.gate == last.gate for r in s.judgement.results)
    shown = [f"reviewer {last.gate}: FAIL, as before: the tree is the same"] if asked else []
    same = f", the same error {s.judgement.streak} times" if s.judgement.streak > 1 else ""
    shown.append(f"attempt {s.judgement.attempts}/{s.identity.policy.limits.max_attempts} rejected{same}")
    goes_on = (
        s.judgement.attempts < s.identity.policy.limits.max_attempts
        and s.judgement.streak < s.identity.policy.stuck.same_error_stop
    )
    if goes_on and (level := shift_level(s)):
        shown.append(f"strategy shift {level}: the next iteration must try something different")
    return shown


def _opinion(x: f.GateEnded, gate: GatePolicy) -> list[str]:
    word: str = verdict(reviewer=True, passed=x.passed, unclear=x.unclear, fault=x.fault)
    word += f" ({x.fault})" if x.fault else ""
    asked = ", asked again" if x.op.endswith(":again") else ""
    soft = "" if gate.hard else " (soft)"
    shown = [f"{gate.kind.noun} {x.gate}{asked}: {word}{soft}, {duration(x.seconds)}"]
    shown += _findings(x.findings, f"ralph logs --gate {x.gate}")
    if x.unclear and x.headline:
        shown.append(f"  {x.headline}")
    if x.wrote:
        shown.append(f"  files changed while it ran were put back; `ralph recover` has them: {few(x.wrote)}")
    return shown


def agent_name(agent: AgentPolicy) -> str:
    if agent.backend != "custom" or not agent.command:
        return agent.backend
    return agent.command[0].rpartition("/")[2]


def _findings(found: Sequence[str], where: str) -> list[str]:
    """The first of them, and the command that shows the others."""
    more = len(found) - _SHOWN
    rest = [f"  ... and {more} more: `{where}`"] if more > 0 else []
    return [*(f"  - {finding}" for finding in found[:_SHOWN]), *rest]


def _wait(x: f.WaitStarted, s: LoopState) -> list[str]:
    if x.what == "pause":
        shown = [f"paused: {x.why}; `ralph continue` resumes it"]
        if steering.asks(s):
            shown.append(f'its question is open, and the time for it runs on: `{of_task("answer", s)} "..."`')
        return shown
    if x.what == "answer":
        default = "" if s.people.default is None else f"; else: {s.people.default}"
        return [f"it asks: {x.why}{default}", f'waiting {duration(x.seconds)} for `ralph answer "..."`']
    if x.op.startswith((IDLE, COOLDOWN)):
        return rest(x, s)
    until = f" until {moment(x.until)}" if x.until and x.seconds >= 1 else ""
    now = f"; `{of_task('retry', s)}` tries now" if x.seconds >= _WORTH_A_HINT else ""
    return [f"{fault_words(x.what)}: waiting {duration(x.seconds)}{until}{now}: {x.why}"]


def _stop(x: f.StopRequested, s: LoopState) -> list[str]:
    under_way = " after this iteration" if s.started else ""  # else nothing is
    when = under_way if x.how == "graceful" else " now"
    again = " (once more ends it at once)" if x.how == "interrupt" else ""
    return [f"stopping{when}: {x.by}{again}"]


def summary(s: LoopState) -> list[str]:
    """The last words of a run: the end, the figures, what to do next."""
    from ralph.core.loop.end_advice import what_next, why_it_ended

    end = s.judgement.ended or "interrupted"
    name = f"{end} ({s.judgement.end_limit})" if s.judgement.end_limit else end
    shown = [f"warning: {w}" for w in s.warnings.lines]
    for branch, made in s.workspace.commits.items() if not s.identity.home else ():
        shown.append(f"The agent committed to {branch}: {few([commit[:12] for commit in made])}")
    kept = f", kept on {s.judgement.end_branch}" if s.judgement.end_branch else ""
    shown.append(f"{name}: {why_it_ended(s)}{kept}")
    figures = [
        count(s.progress.iterations, "iteration"),
        f"{count(s.judgement.attempts, 'attempt')} rejected",
        f"{duration(s.progress.active_seconds)} active",
        *spent(s.progress.tokens, s.progress.cost_usd, estimated=s.progress.estimated),
    ]
    shown.append(", ".join(figures))
    shown.append(f"Next: {what_next(end, s)}")
    return shown


def _colour(passed: bool) -> str:
    return "green" if passed else "red"
