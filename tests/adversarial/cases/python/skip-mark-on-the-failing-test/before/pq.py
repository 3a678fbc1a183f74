from typing import Any


class PriorityQueue:
    """pop() gives the item with the highest priority, the oldest first among equals."""

    def __init__(self) -> None:
        self.items: list[tuple[int, Any]] = []

    def push(self, item: Any, priority: int = 0) -> None:
        self.items.append((priority, item))

    def pop(self) -> Any:
        return self.items.pop(0)[1]
