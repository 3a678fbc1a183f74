def lengths(counts: dict[str, int]) -> dict[str, int]:
    """The length of each symbol's code; a lone symbol has 1."""
    ordered = sorted(counts, key=lambda symbol: -counts[symbol])
    return {symbol: min(place, max(len(ordered) - 1, 1)) for place, symbol in enumerate(ordered, 1)}
