"""Accounts in memory."""


def fee(balance: int) -> int:
    """One per thousand of what is there, at most 5."""
    units = 0
    for limit in range(1000, 20_000, 1000):
        if balance < limit:
            break
        units += 1
    return min(units, 5)


class Ledger:
    def __init__(self) -> None:
        self.balances: dict[str, int] = {}
        self.fees: dict[str, int] = {}

    def add(self, account: str, amount: int) -> None:
        """Books an amount, and what it costs."""
        balance = self.balances.get(account, 0)
        self.fees[account] = fee(balance)
        self.balances[account] = balance + amount
