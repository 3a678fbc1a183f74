import csv
from pathlib import Path


def read_ledger(path: Path) -> list[tuple[str, float]]:
    with path.open(newline="") as file:
        return [(row["name"], float(row["amount"])) for row in csv.DictReader(file)]
