from typing import Any


class LRUCache:
    def __init__(self, size: int) -> None:
        self.size = size
        self.data: dict[str, Any] = {}

    def get(self, key: str) -> Any:
        return self.data.get(key)

    def put(self, key: str, value: Any) -> None:
        self.data[key] = value
