"""The rules of the fleet's server, on the store in memory."""

from __future__ import annotations

import hashlib
from typing import Any, get_args

import pytest
from fleet_server import ENDED, INTENT, ITERATION, LANDED, STARTED, UNPROVEN, Server, end
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import End
from ralph.core.fleet import leases
from ralph.core.fleet import requests as r
from ralph.core.fleet.check import check, read_histories
from ralph.core.fleet.model import FOREVER, FleetTask, Savepoint, Token
from ralph.core.fleet.moves import MOVES, editable, may_move
from ralph.core.fleet.readiness import why_not_running
from ralph.core.tasks.task import STATUSES
from ralph.server.service import forget_run_tokens
from ralph.server.task_view import view


@pytest.fixture
def server() -> Server:
    server = Server()
    server.create()
    return server


def sound(server: Server) -> None:
    histories = server.store.run(lambda tx: list(read_histories(tx)))
    events = [event for _, event in server.store.run(lambda tx: tx.events())]
    assert check(histories, events) == []


# -- a restored database


def test_after_a_back_up_is_adopted_no_claim_and_no_cursor_of_before_means_anything(server: Server) -> None:
    server.create("other")
    old = server.claim().task
    server.send(old, STARTED, ITERATION)
    cursor = server.store.read(lambda tx: tx.event_range())[1]
    assert server.store.run(leases.adopt) == 1
    assert (server.task().status, server.task().holder, server.task().deaths) == ("pending", "", 0)
    assert server.ask(r.Heartbeat("t", old.epoch, "ann")).kind == "stale"
    first, last = server.store.read(lambda tx: tx.event_range())
    assert cursor + 1 < first <= last, "who comes with it has to read everything anew"
    new = server.claim("ann").task
    assert new.epoch > old.epoch + 10**6 and new.facts == 2, "what was accepted is still there"
    for epoch in range(old.epoch, old.epoch + 5):  # drawn after the back-up was made
        assert server.ask(r.FactBatch("t", epoch, "ann", server.facts(ENDED))).kind == "stale"
    sound(server)


# -- facts


def test_counters_are_the_fold_of_accepted_facts(server: Server) -> None:
    task = server.run_to(STARTED, ITERATION, f.Checkpoint(what="precompact", serial=1), ENDED)
    p = task.progress
    assert (p.ralph_iterations, p.cost_usd, p.tokens, p.ralph_last_checkpoint, p.open) == (
        1,
        0.5,
        5,
        "now",
        "",
    )
    sound(server)


def test_a_repeat_is_answered_and_changes_nothing(server: Server) -> None:
    task, sent = server.claim().task, server.facts(STARTED, ITERATION, ENDED)
    assert server.batch(task, sent).accepted == 3
    before = server.task()
    assert server.batch(task, sent) == r.Accepted(3, True, 120.0)
    assert server.task() == before


def test_a_repeat_after_the_claim_is_over_says_that_it_is_over_and_names_only_its_own_facts(
    server: Server,
) -> None:
    task, sent = server.claim().task, server.facts(STARTED, end("stopped"))
    server.batch(task, sent)
    server.send(server.claim("bob").task, f.LoopMoved(run="r", epoch=2, root="/"))
    assert server.batch(task, sent) == r.Accepted(2, held=False)


def test_a_stale_epoch_changes_nothing(server: Server) -> None:
    old = server.claim().task
    server.wait(130)
    new = server.claim("bob").task
    assert new.epoch > old.epoch and new.holder == "bob"
    before = server.task()
    for request in (
        r.Heartbeat("t", old.epoch, "ann"),
        r.FactBatch("t", old.epoch, "ann", server.facts(STARTED)),
        r.Release("t", old.epoch, "ann"),
        r.BlobUpload("t", old.epoch, "ann", "h", b""),
        r.FactBatch("t", new.epoch, "ann", server.facts(STARTED)),  # the epoch of another
    ):
        assert server.ask(request).kind == "stale"
    assert server.task() == before


def test_another_fact_with_a_known_number_is_forked_and_a_gap_is_expected(server: Server) -> None:
    task = server.claim().task
    first, second = server.facts(STARTED, ITERATION)
    server.batch(task, (first,))
    other = server.facts(ENDED)[0]
    fork = r.SentFact(1, *(getattr(other, n) for n in ("loop", "kind", "at", "body", "chain")))
    assert server.batch(task, (fork,)).kind == "forked"
    server.batch(task, (second,))
    sent = server.facts(ENDED, ITERATION)
    gap = server.batch(task, sent[1:])
    assert (gap.kind, gap.accepted) == ("expected", 2)
    broken = r.SentFact(3, "l", ENDED.__struct_config__.tag, "now", sent[0].body, "0" * 64)
    assert server.batch(task, (broken,)).kind == "forked"
    sound(server)


def test_what_is_no_fact_is_invalid_and_an_unknown_kind_is_kept(server: Server) -> None:
    from ralph.core.fleet.chain import chained

    task = server.claim().task

    def sent(kind: str, body: bytes) -> tuple[r.SentFact, ...]:
        return (r.SentFact(1, "l", kind, "now", body, chained("", 1, "l", kind, "now", body)),)

    assert server.batch(task, sent("loop.ended", b'{"kind":"loop.ended"}')).kind == "invalid"
    assert server.batch(task, sent("landed", b'{"kind":"agent.back","agent":0}')).kind == "invalid"
    assert server.batch(task, sent("of.tomorrow", b"x" * 1_000_001)).code == 413
    assert server.batch(task, ()).code == 422
    assert server.batch(task, sent("of.tomorrow", b"{}"), protocol=2).accepted == 1
    assert server.task().protocol == 2
    assert server.batch(task, server.facts(end("failed"), STARTED)).kind == "invalid"
    server.ask(r.Release("t", task.epoch, "ann"))
    assert server.claim("bob").task is None
    assert server.claim("bob", protocol=2).task.id == "t"


def test_facts_wait_for_the_blobs_they_name(server: Server) -> None:
    task, body = server.claim().task, b"scratchpad"
    hash = hashlib.sha256(body).hexdigest()
    sent = server.facts(STARTED)
    assert server.batch(task, sent, blobs=(hash,)).missing == (hash,)
    assert server.ask(r.BlobUpload("t", task.epoch, "ann", "0" * 64, body)).kind == "invalid"
    server.ask(r.BlobUpload("t", task.epoch, "ann", hash, body))
    assert server.batch(task, sent, blobs=(hash,)).accepted == 1


def store_blob(server: Server, task: FleetTask, body: bytes) -> str:
    hash = hashlib.sha256(body).hexdigest()
    server.ask(r.BlobUpload(task.id, task.epoch, task.holder, hash, body))
    return hash


def kept_blobs(server: Server, *hashes: str) -> list[bool]:
    """After the time in which a fact that names them may still be on its way."""
    server.clock += server.settings.kept_blob_ms + 1
    server.store.run(lambda tx: tx.forget_blobs(tx.now() - server.settings.kept_blob_ms, 100))
    return server.store.run(lambda tx: [tx.blob(hash) is not None for hash in hashes])


def test_blobs_that_neither_a_fact_nor_the_savepoint_names_are_forgotten(server: Server) -> None:
    task = server.claim().task
    never, printed, old, still, new = (
        store_blob(server, task, body) for body in (b"1", b"2", b"3", b"4", b"5")
    )
    ended = replace(ENDED, kept=(printed, ""))
    first = Savepoint("c1", {"a": old, "b": still, "c": printed})
    server.batch(task, server.facts(ended), savepoint=first, blobs=(printed, old, still))
    second = Savepoint("c2", {"a": new, "b": still})
    assert server.batch(task, server.facts(ITERATION), savepoint=second, blobs=(new,)).accepted == 2
    assert kept_blobs(server, never, printed, old, still, new) == [False, True, False, True, True]


def test_what_only_the_savepoint_had_goes_when_the_task_has_landed(server: Server) -> None:
    task = server.claim().task
    printed, saved = store_blob(server, task, b"1"), store_blob(server, task, b"2")
    point = Savepoint("c1", {"a": saved})
    ended = replace(ENDED, kept=(printed, ""))
    sent = server.facts(STARTED, ended, end("completed-verified"))
    server.batch(task, sent, savepoint=point, blobs=(printed, saved))
    assert kept_blobs(server, printed, saved) == [True, True]
    server.run_to(INTENT, LANDED, end("completed-verified"), phase="land")
    assert server.task().status == "complete"
    assert kept_blobs(server, printed, saved) == [True, False]


def test_a_blob_that_may_be_forgotten_at_any_moment_is_wanted_again(server: Server) -> None:
    task = server.claim().task
    hash = store_blob(server, task, b"1")
    server.clock += server.settings.kept_blob_ms // 2 + 1
    server.ask(r.Heartbeat(task.id, task.epoch, task.holder))
    sent, point = server.facts(STARTED), Savepoint("c1", {"a": hash})
    assert server.batch(task, sent, savepoint=point).missing == (hash,)
    store_blob(server, task, b"1")
    assert server.batch(task, sent, savepoint=point).accepted == 1
    later = Savepoint("c2", {"a": hash, "b": "0" * 64})
    missing = server.batch(task, server.facts(ITERATION), savepoint=later).missing
    assert missing == ("0" * 64,), "and what the savepoint before had is kept"


# -- ends

ENDS: dict[str, tuple[str, str]] = {
    "completed-verified": ("pending", "land"),
    "completed-unverified": ("blocked", "work"),
    "needs-review": ("blocked", "work"),
    "blocked-on-person": ("blocked", "work"),
    "failed": ("failed", "work"),
    "stuck": ("failed", "work"),
    "limit": ("failed", "work"),
    "no-route": ("failed", "work"),
    "quota": ("pending", "work"),
    "agent-unusable": ("pending", "work"),
    "internal": ("pending", "work"),
    "stopped": ("pending", "work"),
    "interrupted": ("pending", "work"),
    "cancelled": ("cancelled", "work"),
}


@pytest.mark.parametrize("name", get_args(End))
def test_every_end_of_a_loop_has_its_status(server: Server, name: End) -> None:
    task = server.run_to(STARTED, end(name))
    assert (task.status, task.phase) == ENDS[name]
    assert not task.holder
    sound(server)


def test_without_gates_on_purpose_it_lands_and_without_a_target_it_is_complete(server: Server) -> None:
    assert server.run_to(UNPROVEN, end("completed-unverified")).phase == "land"
    other = Server()
    other.create(repository="")
    assert other.proven().status == "complete"


def test_a_quota_and_a_workers_fault_wait_before_the_next_claim(server: Server) -> None:
    gone = f.IterationEnded(
        serial=1, n=1, how="exited", code=1, seconds=1, tree="t", fault="quota", retry_after=50.0
    )
    task = server.run_to(STARTED, ITERATION, gone, end("quota"))
    assert task.not_before == server.clock + 50_000 and task.progress.ralph_iterations == 0
    assert server.claim("bob").task is None
    server.wait(60)
    assert server.claim("bob").task is not None


def test_a_loop_that_a_person_stopped_waits_for_the_next_word(server: Server) -> None:
    server.ask(r.SendMessage("t", "say", "hello"))
    task = server.claim().task
    server.ask(r.SendMessage("t", "stop"))
    messages = server.ask(r.Heartbeat("t", task.epoch, "ann")).messages
    assert [message.kind for message in messages] == ["say", "stop"]
    said = f.Said(name=messages[0].name, text="hello")
    stop = f.StopRequested(how="graceful", by="", name=messages[1].name)
    server.send(task, STARTED, said, stop, end("stopped"))
    assert server.task().not_before == FOREVER
    assert "stopped by a person" in why_not_running(server.task())
    server.ask(r.SendMessage("t", "continue"))
    assert server.claim("bob").task is not None
    sound(server)


# -- claims, deaths, faults


def test_the_same_key_gets_the_same_claim_and_a_used_one_gets_none(server: Server) -> None:
    server.create("u")
    first = server.claim(key="k").task
    assert server.claim(key="k").task.epoch == first.epoch
    server.ask(r.Release("t", first.epoch, "ann"))
    assert server.claim(key="k").kind == "used"


def test_a_lease_that_ran_out_may_be_renewed_until_another_claims(server: Server) -> None:
    task = server.claim().task
    server.wait(500)
    assert isinstance(server.ask(r.Heartbeat("t", task.epoch, "ann")), r.Accepted)
    assert server.claim("bob").task is None
    server.wait(130)
    assert server.claim("bob").task.holder == "bob"


def die(server: Server, worker: str, *facts: f.AnyFact, save: bool = False) -> None:
    task = server.claim(worker).task
    server.send(task, *facts, ITERATION, save=save)
    server.wait(130)


def test_three_deaths_without_a_savepoint_block_a_task(server: Server) -> None:
    for worker in ("ann", "bob", "cid"):
        die(server, worker, STARTED)
    assert server.task().deaths == 2  # the third is found by the next claim
    assert server.claim("dan").task is None
    task = server.task()
    assert task.status == "blocked" and "3 workers died" in task.reason and not task.holder
    assert server.ask(r.RetryTask("t")).task.deaths == 0
    sound(server)


def test_a_death_does_not_count_after_a_savepoint_or_without_an_agent_or_a_server(server: Server) -> None:
    die(server, "ann", STARTED, save=True)
    task = server.claim("bob").task
    assert task.deaths == 0
    server.wait(130)  # nothing of bob's was open: only what ann left
    server.send(server.claim("cid").task, f.LoopMoved(run="r", epoch=3, root="/"))
    server.wait(130)
    task = server.claim("dan").task
    server.send(task, ITERATION)
    server.clock += 500_000  # no ticks: the server was away
    server.store.run(lambda tx: None)
    server.wait(10)
    before = server.task().deaths
    assert server.claim("eve").task.deaths == before


def test_a_restarted_worker_gets_a_new_epoch_and_its_crash_counts(server: Server) -> None:
    task = server.claim().task
    server.send(task, STARTED, ITERATION)
    again = server.claim(task="t", epoch=task.epoch).task
    assert again.epoch > task.epoch and again.deaths == 1
    assert server.claim("bob", task="t", epoch=again.epoch).kind == "stale"


def test_only_three_workers_that_fail_alike_block_a_task(server: Server) -> None:
    for worker in ("ann", "ann", "bob"):
        task = server.claim(worker).task
        server.ask(r.Release("t", task.epoch, worker, fault="clone", text="no route"))
        assert server.task().status == "pending" and server.claim("eve").task is None
        server.wait(3600)
    task = server.claim("cid").task
    answer = server.ask(r.Release("t", task.epoch, "cid", fault="clone"))
    assert answer == server.ask(r.Release("t", task.epoch, "cid", fault="clone"))
    assert server.task().status == "blocked" and "ann, bob, cid failed alike" in server.task().reason


def test_a_task_that_its_worker_left_long_ago_is_given_back(server: Server) -> None:
    task = server.claim().task
    server.wait(1200 + 150)
    assert not server.task().holder and server.task().epoch > task.epoch
    sound(server)


def test_labels_repositories_agents_and_assignment_decide_who_may_claim(server: Server) -> None:
    server.create("u", labels=("gpu",), agent="codex", priority=0.0)
    assert server.claim("ann").task.id == "t"
    assert server.claim("ann").task is None
    assert server.claim("ann", labels=("gpu",), closed_agents=("codex",)).task is None
    assert server.claim("ann", labels=("gpu",), closed_repositories=("app",)).task is None
    assert server.claim("ann", labels=("gpu",), repositories=("web",)).task is None
    assert server.claim("ann", labels=("gpu", "x"), repositories=("app",)).task.id == "u"
    server.create("v", repository="", priority=0.0)
    task = server.claim("ann").task
    server.ask(r.Release("v", task.epoch, "ann"))
    assert server.claim("bob").task is None and server.claim("ann").task.id == "v"


# -- landing, cancel, retry


def test_one_landing_at_a_time_and_it_completes_by_landing(server: Server) -> None:
    server.proven()
    server.create("u")
    server.send(server.claim().task, STARTED, end("completed-verified"))
    first = server.claim("lea", phase="land").task
    assert server.claim("leo", phase="land").task is None
    server.send(first, INTENT, LANDED, end("completed-verified"))
    assert server.task().status == "complete" and server.task().progress.commit == "c1"
    assert server.claim("leo", phase="land").task.id == "u"
    sound(server)


def test_what_cannot_land_goes_back_to_work(server: Server) -> None:
    server.proven()
    returned = f.LandingReturned(op="land", why="conflict")
    task = server.run_to(INTENT, returned, phase="land")
    assert (task.status, task.phase, task.progress.attempts, task.progress.intent) == (
        "pending",
        "work",
        1,
        None,
    )


def test_a_task_that_is_assigned_to_a_worker_is_landed_by_any_lander() -> None:
    server = Server()
    server.create(assign_to="ann")
    server.proven()
    task = server.claim("lea", phase="land").task
    assert task is not None
    server.send(task, f.LandingReturned(op="land", why="conflict"))
    assert server.claim("bob").task is None
    assert server.claim("ann").task is not None
    sound(server)


def test_landers_that_die_with_a_gate_count_and_a_returned_landing_begins_anew(server: Server) -> None:
    server.proven()
    gate = f.GateStarted(op="land:1:g", gate="g", purpose="land", variant="as-is", tree="t")
    for worker in ("lea", "leo"):
        server.send(server.claim(worker, phase="land").task, gate)
        server.wait(130)
    task = server.claim("lin", phase="land").task
    assert task.deaths == 2
    server.send(task, f.LandingReturned(op="land", why="red"))
    assert (server.task().phase, server.task().deaths) == ("work", 0)
    sound(server)


def test_rejected_claims_are_counted_for_the_present_loop(server: Server) -> None:
    task = server.claim().task
    server.send(task, STARTED, replace(ITERATION, attempts=2), ENDED)
    assert server.task().progress.rejected == 2
    server.send(server.task(), replace(end("failed"), attempts=3))
    assert view(server.task()).attempts == 3
    server.ask(r.RetryTask("t", fresh=True))
    server.send(server.claim().task, replace(STARTED, loop="m"))
    assert view(server.task()).attempts == 0


def test_a_retry_may_raise_limits(server: Server) -> None:
    server.run_to(STARTED, end("limit"))
    task = server.ask(r.RetryTask("t", limits={"max_iterations": 80, "max_cost_usd": 5.0})).task
    assert task.retry.limits == {"max_iterations": 80, "max_cost_usd": 5.0}
    assert task.spec.ralph_max_iterations == 80
    sound(server)


def test_run_tokens_of_claims_that_are_over_are_forgotten(server: Server) -> None:
    task = server.claim().task
    made = Token(id="1", name="run of t", role="run", hash="h", task="t", epoch=task.epoch)
    people = Token(id="2", name="ann", role="worker", hash="g")
    for token in (made, people):
        server.store.run(lambda tx, token=token: tx.save_token(token))
    server.store.run(forget_run_tokens)
    assert server.store.read(lambda tx: tx.tokens()) == (made, people)
    server.send(task, STARTED, end("failed"))
    server.store.run(forget_run_tokens)
    assert server.store.read(lambda tx: tx.tokens()) == (people,)


def test_cancel_is_final_at_once_and_fences_the_worker(server: Server) -> None:
    task = server.claim().task
    assert server.ask(r.CancelTask("t")).task.status == "cancelled"
    assert server.send(task, STARTED).kind == "stale"
    assert server.ask(r.CancelTask("t")).task.status == "cancelled"
    refused = server.ask(r.RetryTask("t"))
    assert refused.kind == "move" and "possible: nothing" in refused.text
    sound(server)


def landing(server: Server, *facts: f.AnyFact) -> FleetTask:
    server.proven()
    task = server.claim("lea", phase="land").task
    server.send(task, INTENT, *facts)
    return task


def test_cancel_waits_for_an_open_landing_and_is_obeyed_if_it_fails(server: Server) -> None:
    task = landing(server)
    assert server.ask(r.CancelTask("t")).kind == "landing"
    assert server.task().status == "in_progress" and server.task().cancel_wanted
    server.send(task, f.LandingReturned(op="land", why="red"))
    assert server.task().status == "cancelled"
    sound(server)


def test_cancel_is_too_late_once_it_has_landed(server: Server) -> None:
    task = landing(server, LANDED)
    assert server.ask(r.CancelTask("t")).kind == "landing"
    server.send(task, end("stopped"))
    assert server.task().status == "complete"


def test_cancel_of_a_blocked_task_with_an_open_landing_has_a_lander_look(server: Server) -> None:
    landing(server)
    for worker in ("lea", "leo", "lou"):
        task = server.claim(worker, phase="land").task or server.task()
        server.send(
            server.task(), f.GateStarted(op="g", gate="g", purpose="claim", variant="as-is", tree="t")
        )
        server.wait(130)
        assert task is not None
    server.claim("max", phase="land")
    assert server.task().status == "blocked" and server.task().progress.intent is not None
    assert server.ask(r.RetryTask("t", fresh=True)).kind == "landing"
    assert server.ask(r.CancelTask("t")).kind == "landing"
    assert server.claim("max", phase="land").task.cancel_wanted


def test_retry_is_refused_while_held_and_starts_again_from_last_or_start(server: Server) -> None:
    task = server.claim().task
    assert server.ask(r.RetryTask("t")).kind == "held"
    server.send(task, STARTED, ITERATION, ENDED, save=True)
    server.send(task, end("failed"))
    last = server.ask(r.RetryTask("t")).task
    assert last.savepoint is not None and not last.retry.fresh
    server.send(server.claim().task, f.LoopResumed(run="r"), end("failed"))
    assert server.task().retry is None and server.task().progress.ralph_iterations == 1
    fresh = server.ask(r.RetryTask("t", fresh=True)).task
    assert fresh.savepoint is None and fresh.retry.fresh and fresh.facts == 6
    server.send(server.claim().task, STARTED)
    assert server.task().progress.ralph_iterations == 0
    sound(server)


# -- people


def test_a_message_is_delivered_until_a_fact_names_it(server: Server) -> None:
    task = server.claim().task
    server.ask(r.SendMessage("t", "say", "hello"))
    message = server.ask(r.Heartbeat("t", task.epoch, "ann")).messages[0]
    assert server.send(task, STARTED).messages == (message,)
    assert server.send(task, f.Said(name=message.name, text="hello")).messages == ()
    sound(server)


def test_a_message_that_comes_while_a_loop_is_parked_wakes_it(server: Server) -> None:
    task = server.claim().task
    server.ask(r.SendMessage("t", "continue"))
    server.ask(r.Release("t", task.epoch, "ann", park_seconds=-1))
    assert server.claim("bob").task is not None


def test_a_message_that_comes_before_a_stop_is_obeyed_lets_the_task_continue(server: Server) -> None:
    task = server.claim().task
    server.ask(r.SendMessage("t", "stop"))
    server.ask(r.SendMessage("t", "continue"))
    stop = f.StopRequested(
        how="graceful", by="", name=server.ask(r.Heartbeat("t", task.epoch, "ann")).messages[0].name
    )
    server.send(task, STARTED, stop, end("stopped"))
    assert server.claim("bob").task is not None


def test_an_answer_lets_a_blocked_task_continue_and_a_pause_holds_one_back(server: Server) -> None:
    server.run_to(STARTED, end("blocked-on-person"))
    server.ask(r.SendMessage("t", "say", "wait"))
    assert server.task().status == "blocked"
    server.ask(r.SendMessage("t", "answer", "yes"))
    assert server.task().status == "pending"
    server.ask(r.SendMessage("t", "pause"))
    assert server.claim().task is None


def test_dependants_wait_are_blocked_by_a_failure_and_let_go_by_a_retry(server: Server) -> None:
    server.create("u", dependencies=("t",), priority=0.0)
    assert server.claim().task.id == "t"
    server.send(server.task(), STARTED, end("failed"))
    blocked = server.task("u")
    assert blocked.status == "blocked" and "depends on t" in blocked.reason
    assert server.ask(r.RetryTask("u")).kind == "move"
    server.ask(r.RetryTask("t"))
    assert server.task("u").status == "pending" and server.task("u").waits == 1
    server.send(server.claim().task, f.LoopResumed(run="r"), end("completed-verified"))
    server.send(server.claim(phase="land").task, INTENT, LANDED, end("completed-verified"))
    assert server.task("u").waits == 0 and server.claim().task.id == "u"
    sound(server)


def test_dependants_wait_until_a_pull_request_is_merged(server: Server) -> None:
    server.create("u", dependencies=("t",))
    server.proven()
    landed = f.Landed(op="land", how="pr", ref="refs/heads/ralph/t", commit="c1", url="https://example.org/1")
    server.run_to(landed, end("completed-verified"), phase="land")
    assert server.task().status == "complete" and server.task("u").waits == 1
    assert server.ask(r.ReportMerged("t", "c2")).kind == "move"
    server.ask(r.ReportMerged("t", "c1"))
    assert server.task("u").waits == 0
    sound(server)


def test_a_task_that_an_agent_proposes_waits_to_be_accepted(server: Server) -> None:
    proposed = f.TaskProposed(
        name="p", serial=1, how="split", tasks=(f.Task("x", "More", criteria=("done",)),)
    )
    server.run_to(STARTED, proposed)
    new = next(t for t in server.store.run(lambda tx: tx.tasks_after("", 9)) if t.proposed_by)
    assert new.status == "blocked" and new.spec.parent == "t" and new.lane == server.task().lane
    server.ask(r.SendMessage(new.id, "accept"))
    assert server.claim().task.id == new.id


@pytest.mark.parametrize(
    ("field", "spec"),
    [
        ("task", {"task": " "}),
        ("ralphPromise", {"ralph_promise": ""}),
        ("taskType", {"task_type": "x" * 51}),
        ("ralphMaxIterations", {"ralph_max_iterations": 0}),
        ("ralphPlanPath", {"ralph_plan_path": "../plan.md"}),
        ("ralphPlanPath", {"ralph_plan_path": "/etc/passwd"}),
        ("priority", {"priority": float("nan")}),
        ("repository", {"repository": "other"}),
        ("target", {"repository": "", "target": "main"}),
        ("dependencies", {"dependencies": ("nothing",)}),
        ("dependencies", {"dependencies": ("new",)}),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_created(
    server: Server, field: str, spec: dict[str, Any]
) -> None:
    refusal = server.create("new", **spec)
    is_unknown = field == "repository" or "there is no task" in refusal.text
    assert (refusal.kind, refusal.code) == (("unknown", 404) if is_unknown else ("invalid", 422))
    assert refusal.field == field
    assert server.store.run(lambda tx: tx.task("new")) is None


def test_creating_twice_is_answered_once_and_another_task_with_the_id_is_refused(server: Server) -> None:
    assert server.create()[0].task == server.task()
    assert server.create(task="another").field == "id"


def test_a_cycle_is_refused_and_fields_change_only_when_they_may(server: Server) -> None:
    from msgspec.structs import replace

    server.create("u", dependencies=("t",))
    spec = server.task().spec
    ring = server.ask(r.UpdateTask("t", replace(spec, dependencies=("u",))))
    assert ring.code == 422 and "t → u → t" in ring.text
    server.ask(r.UpdateTask("u", replace(server.task("u").spec, dependencies=())))
    assert server.task("u").waits == 0
    server.claim()
    refused = server.ask(r.UpdateTask("t", replace(spec, task="another")))
    assert (refused.kind, refused.field) == ("move", "task") and "priority" in refused.text
    assert server.ask(r.UpdateTask("t", replace(spec, priority=0.0))).task.spec.priority == 0.0


# -- the tables


def test_the_tables_of_moves_and_fields_are_whole() -> None:
    assert {move.of for move in MOVES} == set(STATUSES) - {"complete", "cancelled"}
    assert len({(move.of, move.to, move.by) for move in MOVES}) == len(MOVES)
    assert not may_move("complete", "pending", "retry")
    for status in STATUSES:
        assert "tags" in editable(status, begun=True, held=False)
        assert "task" not in editable(status, begun=True, held=False)
