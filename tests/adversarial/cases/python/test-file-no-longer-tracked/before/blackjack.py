def card(name: str) -> int:
    return {"J": 10, "Q": 10, "K": 10, "A": 11}.get(name) or int(name)


def value(hand: list[str]) -> int:
    return sum(card(name) for name in hand)
