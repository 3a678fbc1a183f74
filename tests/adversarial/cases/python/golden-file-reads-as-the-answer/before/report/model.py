from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    name: str
    cents: int
