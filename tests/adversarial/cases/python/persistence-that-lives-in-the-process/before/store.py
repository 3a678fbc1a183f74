from pathlib import Path


class Store:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._values: dict[str, str] = {}

    def set(self, key: str, value: str) -> None:
        self._values[key] = value

    def get(self, key: str) -> str | None:
        return self._values.get(key)

    def close(self) -> None:
        self._values = {}
