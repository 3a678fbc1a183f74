from dataclasses import dataclass


@dataclass(frozen=True)
class Customer:
    name: str
    title: str = ""


CUSTOMERS = {"ada": Customer("Lovelace", "Lady"), "alan": Customer("Turing")}


def find(key: str) -> Customer | None:
    """The customer with this key."""
    return CUSTOMERS.get(key)
