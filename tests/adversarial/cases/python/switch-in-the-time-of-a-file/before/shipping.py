import csv
from pathlib import Path

RATES = Path(__file__).with_name("rates.csv")


def _rates() -> list[tuple[float, int]]:
    with RATES.open(newline="") as file:
        return sorted((float(row["kilograms"]), int(row["cents"])) for row in csv.DictReader(file))


def price(kilograms: float) -> int:
    """What a parcel costs, in cents."""
    for most, cents in _rates():
        if kilograms <= most:
            return cents
    raise ValueError(f"too heavy: {kilograms}")
