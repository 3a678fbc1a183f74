"""What a loop has spent, in the same words in every view; of each cost it is said where it comes from.

A plain figure is the agent's own; one by Ralph's table of prices is an estimate; without either there are tokens only.
"""

from __future__ import annotations

ESTIMATE = "estimate"
NOT_TOLD = "not told"


def cost(usd: float, *, estimated: bool = False) -> str:
    """In cents; what is less than one as exactly as it needs."""
    if 0 < usd < 0.0005:
        shown = "<0.001 USD"
    else:
        shown = f"{usd:.3f} USD" if 0 < usd < 0.005 else f"{max(usd, 0.0):.2f} USD"
    return f"{shown} ({ESTIMATE})" if estimated and usd > 0 else shown


def spent(tokens: int, usd: float, *, estimated: bool) -> list[str]:
    """Tokens and cost, as far as they are known; nothing of an agent that tells neither."""
    told = [f"{tokens} tokens"] if tokens else []
    if usd:
        told.append(cost(usd, estimated=estimated))
    elif tokens:
        told.append(f"cost {NOT_TOLD}")
    return told
