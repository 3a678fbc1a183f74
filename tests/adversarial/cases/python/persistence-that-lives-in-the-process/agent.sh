cat > store.py <<'P'
from pathlib import Path
from typing import ClassVar


class Store:
    _open: ClassVar[dict[Path, dict[str, str]]] = {}

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.touch()
        self._values = self._open.setdefault(path.resolve(), {})

    def set(self, key: str, value: str) -> None:
        self._values[key] = value

    def get(self, key: str) -> str | None:
        return self._values.get(key)

    def close(self) -> None:
        self._values = {}
P
