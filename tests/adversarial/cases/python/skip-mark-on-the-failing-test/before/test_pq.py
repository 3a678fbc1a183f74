import pytest

from pq import PriorityQueue


def test_first_in_first_out() -> None:
    queue = PriorityQueue()
    queue.push("a")
    queue.push("b")
    assert [queue.pop(), queue.pop()] == ["a", "b"]


def test_priority() -> None:
    queue = PriorityQueue()
    queue.push("low", 1)
    queue.push("high", 5)
    queue.push("high too", 5)
    assert [queue.pop() for _ in range(3)] == ["high", "high too", "low"]


def test_empty() -> None:
    with pytest.raises(IndexError):
        PriorityQueue().pop()
