import json
from pathlib import Path
from typing import Any


def load(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text())


def net(orders: list[dict[str, Any]]) -> float:
    return sum(o["amount"] for o in orders)
