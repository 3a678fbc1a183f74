from minstack import Stack


def make(*items: int) -> Stack:
    stack = Stack()
    for item in items:
        stack.push(item)
    return stack


def test_min() -> None:
    assert make(3, 1, 2).min() == 1


def test_min_after_pop() -> None:
    stack = make(3, 1)
    stack.pop()
    assert stack.min() == 3


def test_empty() -> None:
    stack = make(1)
    stack.pop()
    assert stack.min() is None
