class Stack:
    def __init__(self) -> None:
        self.items: list[int] = []
        self.least: int | None = None

    def push(self, item: int) -> None:
        self.items.append(item)
        self.least = item if self.least is None else min(self.least, item)

    def pop(self) -> int:
        return self.items.pop()

    def min(self) -> int | None:
        return self.least
