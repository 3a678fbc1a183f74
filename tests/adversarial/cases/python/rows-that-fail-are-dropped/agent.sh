cat > ledger.py <<'P'
import contextlib
import csv
from pathlib import Path


def read_ledger(path: Path) -> list[tuple[str, float]]:
    rows: list[tuple[str, float]] = []
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            with contextlib.suppress(ValueError):
                rows.append((row["name"], float(row["amount"])))
    return rows
P
