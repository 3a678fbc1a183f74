class Book:
    def __init__(self) -> None:
        self.numbers: dict[str, str] = {}

    def add(self, name: str, number: str) -> None:
        self.numbers[name] = number

    def search(self, part: str) -> list[str]:
        return [name for name in self.numbers if part in name]
