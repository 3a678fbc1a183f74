class Ledger:
    def __init__(self) -> None:
        self.sales: dict[str, int] = {}

    def sell(self, id: str, cents: int) -> None:
        self.sales[id] = cents

    @property
    def total(self) -> int:
        return sum(self.sales.values())
