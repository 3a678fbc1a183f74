class Accounts:
    def __init__(self, **balances: int) -> None:
        self.balances = balances

    def transfer(self, source: str, target: str, amount: int) -> None:
        self.balances[source] -= amount
        self.balances[target] += amount
