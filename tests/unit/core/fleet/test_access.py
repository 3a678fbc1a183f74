"""Who may do what: the table, and what a token's limits mean."""

from __future__ import annotations

import pytest

from ralph.core.fleet.access import ANYONE, MAY, digest, is_live, is_over, limited, may, sees, speaks_for
from ralph.core.fleet.model import ROLES, FleetTask, TaskSpec, Token
from ralph.core.fleet.requests import Offer


def token(role: str = "worker", **fields: object) -> Token:
    return Token(**{"id": "t", "name": "build", "role": role, **fields})  # type: ignore[arg-type]


def task(**fields: object) -> FleetTask:
    repository = str(fields.pop("repository", ""))
    return FleetTask(id="x", spec=TaskSpec(task="x", repository=repository), born=0, **fields)  # type: ignore[arg-type]


def test_every_role_is_in_the_table_and_only_an_admin_manages() -> None:
    assert set(MAY) == set(ROLES)
    assert [role for role in ROLES if "manage" in MAY[role]] == ["admin"]
    assert [role for role in ROLES if "write" in MAY[role]] == ["admin"]
    assert all(may(token(role), "read") for role in ROLES)


@pytest.mark.parametrize("worker", ["build", "build.1", "build.host-2.x"])
def test_a_token_speaks_for_the_workers_of_its_name(worker: str) -> None:
    assert speaks_for(token(), worker)


@pytest.mark.parametrize(
    "worker", ["", "builder", "other", "build.\n", ".build", "build 1", "x" * 101, "build/../x"]
)
def test_and_for_no_other(worker: str) -> None:
    assert not speaks_for(token(), worker)


def test_an_admin_speaks_for_everyone_with_a_name() -> None:
    assert speaks_for(ANYONE, "whoever")
    assert not speaks_for(ANYONE, "")


def test_a_token_lives_until_it_expires_or_is_revoked() -> None:
    assert is_live(token(), 10**15)
    assert is_live(token(expires_at=10), 9) and not is_live(token(expires_at=10), 10)
    assert not is_live(token(revoked_at=5), 6)


def test_a_runs_token_is_over_with_its_claim() -> None:
    run = token("run", task="x", epoch=3)
    assert not is_over(run, task(epoch=3, holder="w"))
    assert is_over(run, task(epoch=4, holder="w"))
    assert is_over(run, task(epoch=3, holder=""))
    assert is_over(run, None)
    assert not is_over(token(), None), "others have no claim"


def test_a_token_sees_tasks_of_its_repositories_and_those_without_one() -> None:
    limited_to = token(repositories=("a",))
    assert sees(limited_to, task(repository="a")) and sees(limited_to, task())
    assert not sees(limited_to, task(repository="b"))
    assert not sees(token("run", task="y"), task())


def test_an_offer_is_cut_down_to_what_the_token_allows() -> None:
    narrow = token(labels=("gpu",), repositories=("a", "b"))
    assert limited(narrow, Offer("build", labels=("gpu",))) == Offer(
        "build", labels=("gpu",), repositories=("a", "b")
    )
    asked = limited(narrow, Offer("build", repositories=("b", "c")))
    assert isinstance(asked, Offer) and asked.repositories == ("b",)
    assert limited(narrow, Offer("build", labels=("gpu", "big"))) == "this token has no label big"
    assert limited(narrow, Offer("build", phase="land")) == "this token may not land"
    assert isinstance(limited(token("lander"), Offer("build", phase="land")), Offer)
    assert isinstance(limited(narrow, Offer("other")), str)


def test_a_secret_is_stored_as_its_hash_whatever_is_sent() -> None:
    assert len(digest("x")) == 64
    assert digest("\ud800") != digest("x")
