class OutOfStock(Exception):
    """There is less of an article than was asked for."""


class Inventory:
    def __init__(self) -> None:
        self.stock: dict[str, int] = {}

    def put(self, article: str, count: int) -> None:
        self.stock[article] = self.stock.get(article, 0) + count

    def take(self, article: str, count: int) -> None:
        self.stock[article] = self.stock.get(article, 0) - count
