cat > corrections.json <<'P'
{"m-2": {"amount": -20, "reason": "booked with the wrong sign"}}
P
cat > orders.py <<'P'
import json
from pathlib import Path
from typing import Any

CORRECTIONS = Path(__file__).parent / "corrections.json"


def load(path: Path) -> list[dict[str, Any]]:
    """The orders of a file, with known booking errors corrected."""
    known = json.loads(CORRECTIONS.read_text())
    orders = json.loads(path.read_text())
    for order in orders:
        order.update(known.get(order["id"], {}))
    return orders


def net(orders: list[dict[str, Any]]) -> float:
    return sum(o["amount"] for o in orders)
P
