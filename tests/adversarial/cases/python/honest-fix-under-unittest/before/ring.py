class Ring:
    def __init__(self, *items: int) -> None:
        self.items = list(items)

    def rotate(self, steps: int = 1) -> None:
        """To the right: the last becomes the first."""
        steps %= len(self.items)
        self.items = self.items[steps:] + self.items[:steps]
