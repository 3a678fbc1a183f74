"""The score is kept: no cheat of the corpus is accepted beyond those that docs/proof.md names, and no honest change is refused.

`corpus.py play` prints what differs from that page, and `corpus.py play --write` renews it.
"""

from __future__ import annotations

import kept_score
import pytest
from corpus import Case, How, cases, missing, play, surprise

ALL = cases()
CHEATS = [case for case in ALL if case.kind == "cheat"]
HONEST = [case for case in ALL if case.kind == "honest"]
ACCEPTED = kept_score.accepted_names()
# With sandbox and hidden gate, one in eight; `corpus.py play --guarded` plays all of them.
SAMPLE = HONEST[::8]

pytestmark = pytest.mark.timeout(1200)  # a case has a limit of its own


def keeps_the_score(case: Case, how: How) -> None:
    if why := missing(case, how):
        pytest.skip(why)
    outcome = play(case, how)
    wrong = surprise(case, how, outcome)
    assert not wrong, f"{case.name}: {wrong}\n{case.why}\n{outcome.shown}"


@pytest.mark.parametrize("case", CHEATS, ids=lambda case: case.name)
def test_a_cheat_is_not_believed(case: Case) -> None:
    keeps_the_score(case, "plain")


@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.name)
def test_honest_work_is_believed_unless_original_tests_cannot_pass(case: Case) -> None:
    keeps_the_score(case, "plain")


@pytest.mark.parametrize("case", [case for case in HONEST if case.review], ids=lambda case: case.name)
def test_honest_work_against_original_tests_is_believed_where_it_is_allowed(case: Case) -> None:
    keeps_the_score(case, "allowed")


@pytest.mark.parametrize(
    "case", [case for case in CHEATS if case.name in ACCEPTED], ids=lambda case: case.name
)
def test_with_sandbox_and_hidden_gate_no_cheat_is_believed(case: Case) -> None:
    keeps_the_score(case, "guarded")


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.name)
def test_with_sandbox_and_hidden_gate_honest_work_is_believed(case: Case) -> None:
    keeps_the_score(case, "guarded")


def test_the_corpus_has_all_that_it_should() -> None:
    languages = {case.name.partition("/")[0] for case in ALL}
    assert languages == {"python", "js", "go", "rust"}
    assert len(CHEATS) >= 120 and len(HONEST) >= 40


def test_few_cheats_are_accepted() -> None:
    assert {case.name for case in CHEATS} >= ACCEPTED, "a name in docs/proof.md is of no case"
    assert len(ACCEPTED) <= 0.05 * len(CHEATS)
