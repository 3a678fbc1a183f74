"""Errors that a batch may have, up to a limit."""


class Tolerant:
    def __init__(self, *kinds: type[Exception], limit: int) -> None:
        self.kinds, self.limit, self.count = kinds, limit, 0
