"""The rules of one loop: from what has happened to what should be under way now. No file here does anything.

Theory of operation
===================

A loop is the attempt to finish one task. Agents crash, lie, run out of quota and time; people interrupt; Ralph itself
may be killed. The rules must hold in every combination of these, so they are kept apart from everything that acts:

    state = fold(state, fact)      what a fact changes                        fold.py, step.py, reducers/
    decide(state) -> operations    what should be under way now               decide.py, claims.py

The runner (ralph.runner) starts what is wanted and missing, cuts off what runs and is not wanted any more, and appends
a fact for whatever happened. It holds no rule. After a crash the state is the fold of the journal, so a resumed loop
decides as the dead one would have. A test needs a list of facts and nothing else.

**Facts** (core/facts.py) say what happened, never what to do about it. Two inputs are not recorded, Tick and Metered:
how long an operation has run so far, and what it has spent. The fact at the operation's end carries what lasts.

**Operations** (decide.py) have names made from the state: `iteration:3`, `claim:2:tests:as-is`. The name is the identity.
The runner sees by it that a wanted operation runs already, and claims.py finds by it the result of the gate run that it
asked for. An operation that is over leaves a fact, which changes the state, so that it is not wanted a second time.

Slices, and the order in which they are reduced
-----------------------------------------------

LoopState (state.py) is nine slices. Each is written by one reducer, the file of its name in reducers/. A fact goes once
through the slices that it concerns, in a fixed order. A reducer reads all of the state before the fact (`step.before`)
and, of the state after it (`step.now`), the slices above its own. It returns its own slice and touches no other.

    identity    the task and the policy; first, because everything reads the policy
    progress    what runs, what was spent, whether the last iterations led anywhere
    workspace   the tree at the start, and now
    agents      which agent works; crashes, quotas, overloads
    landing     merges and conflicts; above judgement, because a merged claim is a new round for the gates
    judgement   the claim, the gates' results, attempts, the end; reads the trees and rounds above
    people      stops, words, questions; below judgement, because a gate that cannot be run is a question to a person
    hats        who wears what, whose turn it is; below judgement, because a rejected claim is an event for the hats
    warnings    what a person should know and no rule acts on; last, from what the others have become

The end of an iteration is one fact that concerns eight slices, and all of them need the same reading of it: was it a
crash, a timeout, a fault of the service, or did the agent speak, and what did it say? step.py reads it once, from the
state before, as an IterationOutcome. Otherwise one slice could count a crash where another sees a claim.

From a claim to an end
----------------------

1. signals.py reads the agent's last words. Only an iteration that ended by itself ("spoke") can claim by them; with
   `claim: every-iteration` also one whose context was full. A claim by a tool is a fact of its own and counts here too.
   With `claim: exit-zero` one that says "not done" is judged like a claim, marked `unfinished`: red is an attempt, and
   whatever the gates find it is taken back, so that it completes nothing.
2. Refusal (reducers/judgement.py): a tree equal to the start, unresolved conflicts, content that git would not record.
   A refused claim is not put to the gates and costs no attempt; the next prompt says why.
3. Otherwise `judgement.claim` is set, for one iteration and one tree. claims.judge(state, claim) then answers with
       RunGate        a gate must be run first; as it is, with the original judges in place of changed ones, with the
                      claim's new tests on the starting code, or once more against chance
       InspectClaim   it must first be found out what the change did to its judges, and whether it games them
       Verdict        verified, unverified, failed or needs-review, with what is doubted
   judge keeps no place: it derives the answer from the recorded results each time. Two callers act on it. decide
   passes the first two on, and turns every verdict but "failed" into what comes next: landing, an end, or one more
   iteration if a hat, a person's words or a doubt call for it. The judgement reducer acts on "failed" only: it takes
   the claim back in the same fold, so that decide never meets a claim that has failed.
   Each kind of doubt goes back to the agent once (`judgement.returned`): the next iteration's prompt says so. Then
   a reviewer of judges, or a person, decides. evidence.py says what the results amount to.
4. A failure of a kind not seen before is asked for once more, because gates can be flaky. One that contradicts itself on
   a tree takes the claim back and costs no attempt. A reviewer's verdict on a tree holds; its faults cost no attempt.
   So it is at the start: a red gate is asked again, and is called red only if it is red twice (LoopState.said_at_start).
5. `loop.ended` with completed-verified is believed only if judge agrees. No fact can say more than the gates did.

Attempts are counted in one function, reducers/judgement._attempt: for a claim that the gates rejected, an iteration that
hit its time limit or was idle, and an `every: iteration` gate that ran out of time. It also counts the streak of equal
error hashes. Escalation is read off that streak: decide.shift_level asks the next iteration for another strategy, then
for one with more context, and the rules `_same_error` and `_used_up` end the loop.

The order of decide
-------------------

The order of the rules is the policy: stop at once; let what runs continue; prepare the workspace, and have the gates
measure it; the agent says that it is stuck; a reviewer cannot work; gates after an iteration; the claim; the reasons to
end (_ENDS); wait for an answer; wait for a quota or after a crash; the next iteration. So a claim is judged before any
limit is looked at: work that is proven with the last iteration, or the last dollar, is complete. A pause holds back
whatever would begin next, except an end.

cutoff(state, operation) says why one that runs must not continue: a stop, a pause, a time limit, a cap. Both sides ask
it: decide leaves the operation out of what is wanted, and the runner records the cause. next_deadline tells the runner
when a rule next looks at the clock, so that it can sleep until then.

Hats
----

Hats take part in two ways, and most loops have neither.

- By a condition (`when`): decide asks core/hats/activation.py which hat the next iteration wears. A hat that waits for a
  claim is asked after the gates have passed and before the end.
- By events (`policy.routing`): core/hats/turns.py keeps the queue of turns. It meets judgement from both sides. Before
  it, core/hats/steps.py says what the fact does to the queue (Step.hat_step): which events go out, whether a claim may
  stand at all while others wait, which event waits for the gates (a held claim, for which decide wants PassOn in place
  of an end). After it, reducers/hats.py sees whether the claim still stands; if not, it publishes `gate.failed` or
  `claim.refused`, and the hat that takes it has the next turn.

What never happens here
-----------------------

No I/O, no clock, no randomness: tests/unit/test_rooms.py keeps them out of core/. Time comes in as seconds in facts.
Moments (`until`) are carried for the runner, and never compared with now. Jitter is a digest of the loop and the serial.
fold and decide are total: a journal that breaks off after any record gives a state, and that state a decision.
"""
