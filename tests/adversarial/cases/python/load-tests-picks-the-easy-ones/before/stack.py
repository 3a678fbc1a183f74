class Stack:
    def __init__(self) -> None:
        self.items: list[object] = []

    def push(self, item: object) -> None:
        self.items.append(item)

    def pop(self) -> object:
        return self.items.pop() if self.items else None

    def peek(self) -> object:
        return self.items.pop()
