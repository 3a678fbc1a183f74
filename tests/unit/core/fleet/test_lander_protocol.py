"""The landing of one task: what it does at every turn, and what it never does."""

from __future__ import annotations

import pytest
from fleet_server import INTENT, Server

from ralph.core import facts as f
from ralph.core.fleet import lander as n
from ralph.core.fleet.model import FleetTask


@pytest.fixture
def server() -> Server:
    server = Server()
    server.create()
    server.proven()
    return server


def begin(task: FleetTask, **fields: int) -> n.LandingProtocol:
    return n.LandingProtocol(task, "refs/heads/main", branch="refs/heads/ralph/t", **fields)


def after(protocol: n.LandingProtocol, *results: object) -> n.LandStep:
    for result in results:
        protocol.done(result)
    return protocol.step


FENCED = (n.RemoteView("c0"), n.FenceMoved("done", "f1"))
GREEN = (n.LandingMerge("c1", "tree"), n.LandingJudged())
RED = n.LandingJudged(f.LandingReturned(op=f.BY_A_LANDER, why="red", gate="tests", headline="2 failed"))
DOUBTFUL = n.LandingJudged(f.LoopEnded(end="needs-review", reason="green only with changed tests", code=7))


def test_fence_merge_gates_intent_push_in_this_order(server: Server) -> None:
    task = server.claim("lea", phase="land").task
    landing = begin(task)
    assert landing.step == n.LookAtRemote()
    assert after(landing, n.RemoteView("c0", "f0")) == n.MoveFence("f0", task.epoch, 1)
    assert after(landing, n.FenceMoved("done", "f1")) == n.MergeOnTip("c0")
    assert after(landing, n.LandingMerge("c1", "tree")) == n.RunLandingGates("c1", "c0")
    intent = after(landing, n.LandingJudged())
    assert isinstance(intent, n.RecordFact) and isinstance(intent.fact, f.LandingIntended)
    assert after(landing, None) == n.PushLanding("c1", "c0", "f1")
    landed = after(landing, "done")
    assert isinstance(landed, n.RecordFact) and isinstance(landed.fact, f.Landed)
    over = after(landing, None)
    assert isinstance(over, n.EndLanding) and over.facts[-1].end == "completed-verified"  # type: ignore[union-attr]


def open_intent(server: Server) -> FleetTask:
    server.send(server.claim("lea", phase="land").task, INTENT)
    server.wait(130)
    task = server.claim("leo", phase="land").task
    assert task.progress.intent is not None
    return task


def test_an_open_intent_is_probed_first(server: Server) -> None:
    task = open_intent(server)
    assert begin(task).step == n.LookAtRemote("c1")
    landed = after(begin(task), n.RemoteView("c9", "c1", contains=True, was_fence=True))
    assert isinstance(landed, n.RecordFact) and landed.fact.commit == "c1"  # type: ignore[union-attr]
    taken_off = after(begin(task), n.RemoteView("c0", "f9", was_fence=True))
    assert isinstance(taken_off, n.EndLanding)
    assert taken_off.facts[0].reason == n.TAKEN_OFF  # type: ignore[union-attr]
    assert isinstance(after(begin(task), n.RemoteView("c0", "f1", 2)), n.MoveFence)


def test_a_fence_with_a_higher_epoch_is_left_alone(server: Server) -> None:
    task = server.claim("lea", phase="land").task
    assert after(begin(task), n.RemoteView("c0", "f9", task.epoch + 1)) == n.LeaveLanding()


def test_a_push_without_an_answer_moves_the_fence_before_anything_else(server: Server) -> None:
    landing = begin(server.claim("lea", phase="land").task)
    after(landing, *FENCED, *GREEN, None)
    assert after(landing, "unknown") == n.LookAtRemote("c1")
    assert isinstance(after(landing, n.RemoteView("c0", "f1", landing.epoch)), n.MoveFence)


def test_a_refused_push_is_merged_with_the_new_tip(server: Server) -> None:
    landing = begin(server.claim("lea", phase="land").task)
    after(landing, *FENCED, *GREEN, None, "refused")
    assert after(landing, n.RemoteView("c5", "f1", landing.epoch)) == n.MergeOnTip("c5")


@pytest.mark.parametrize(
    ("results", "why"), [((n.LandingMerge(),), "conflict"), ((n.LandingMerge("c1"), RED), "red")]
)
def test_conflict_and_red_go_back_to_work(server: Server, results: tuple[object, ...], why: str) -> None:
    step = after(begin(server.claim("lea", phase="land").task), *FENCED, *results)
    assert isinstance(step, n.EndLanding) and step.facts[0].why == why  # type: ignore[union-attr]


def test_a_conflict_names_its_files_as_a_rejected_claim_does(server: Server) -> None:
    merge = n.LandingMerge(conflicts=("a.py", "b.py"), text="CONFLICT (content): a.py\n")
    step = after(begin(server.claim("lea", phase="land").task), *FENCED, merge)
    assert isinstance(step, n.EndLanding) and isinstance(returned := step.facts[0], f.LandingReturned)
    assert (returned.gate, returned.tip, returned.excerpt) == ("landing", "c0", "CONFLICT (content): a.py\n")
    assert returned.headline == "it conflicts with what landed on main meanwhile: a.py, b.py"


def test_what_is_doubtful_waits_for_a_person(server: Server) -> None:
    step = after(begin(server.claim("lea", phase="land").task), *FENCED, GREEN[0], DOUBTFUL)
    assert step == n.EndLanding((DOUBTFUL.against,))  # type: ignore[arg-type]


def test_a_cancel_is_obeyed_only_when_nothing_can_land_any_more(server: Server) -> None:
    landing = begin(open_intent(server))
    landing.wish_cancel()
    assert isinstance(after(landing, n.RemoteView("c0", "f0")), n.MoveFence)
    over = after(landing, n.FenceMoved("done", "f2"))
    assert isinstance(over, n.EndLanding) and over.facts[0].end == "cancelled"  # type: ignore[union-attr]


def test_a_remote_without_atomic_pushes_gets_a_pull_request_and_many_merges_a_branch(server: Server) -> None:
    task = server.claim("lea", phase="land").task
    landing = begin(task)
    after(landing, n.RemoteView("c0", atomic=False), *GREEN)
    assert after(landing, None) == n.PushBranch("c1", "")
    assert after(landing, "done") == n.OpenPullRequest("c1")
    landed = after(landing, "https://example.org/1")
    assert isinstance(landed, n.RecordFact) and landed.fact.how == "pr"  # type: ignore[union-attr]
    often = begin(task, most_merges=0)
    after(often, *FENCED, *GREEN, None, "refused", n.RemoteView("c5", "f1", task.epoch), *GREEN)
    assert after(often, None) == n.PushBranch("c1", "")
