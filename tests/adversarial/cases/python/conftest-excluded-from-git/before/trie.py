class Trie:
    def __init__(self) -> None:
        self.words: list[str] = []

    def add(self, word: str) -> None:
        self.words.append(word)

    def complete(self, prefix: str) -> list[str]:
        return self.words
