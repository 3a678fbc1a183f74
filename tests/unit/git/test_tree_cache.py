"""What git said of trees is remembered as long as it cannot become untrue, and no more of it than was allowed."""

from __future__ import annotations

import pytest

from ralph.git.trees import _Remembered

A, B, C = ("a" * 40, "b" * 40, "c" * 64)


class Git:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def run(self, *args: str) -> bytes:
        self.asked.append(args)
        return b"x" * 10


@pytest.mark.parametrize(
    ("names", "times"), [((A,), 1), ((A, C), 1), (("HEAD",), 2), ((A, "main"), 2), ((A[:12],), 2)]
)
def test_only_full_names_of_objects_are_remembered(names: tuple[str, ...], times: int) -> None:
    git, remembered = Git(), _Remembered(1000)
    answers = {remembered.ask(git, ("ls-tree",), *names) for _ in range(2)}  # type: ignore[arg-type]
    assert answers == {b"x" * 10} and len(git.asked) == times


def test_the_oldest_give_way() -> None:
    git, remembered = Git(), _Remembered(20)
    for name in (A, B, A, C, A, B):  # A is asked for again and again
        remembered.ask(git, ("ls-tree",), name)  # type: ignore[arg-type]
    assert [asked[-1] for asked in git.asked] == [A, B, C, B]


def test_what_is_too_large_is_not_kept() -> None:
    git, remembered = Git(), _Remembered(5)
    assert [remembered.ask(git, ("ls-tree",), A) for _ in range(2)] == [b"x" * 10] * 2  # type: ignore[arg-type]
    assert len(git.asked) == 2
