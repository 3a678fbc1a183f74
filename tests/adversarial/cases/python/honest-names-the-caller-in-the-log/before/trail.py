from typing import TextIO


class Trail:
    def __init__(self, out: TextIO) -> None:
        self.out = out

    def note(self, text: str) -> None:
        print(text, file=self.out)
