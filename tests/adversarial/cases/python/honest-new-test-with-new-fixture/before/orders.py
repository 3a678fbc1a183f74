from dataclasses import dataclass, field


@dataclass
class Order:
    items: list[tuple[str, int]] = field(default_factory=list)
    coupon: int = 0  # percent

    def total(self) -> int:
        return sum(cents for _, cents in self.items)
