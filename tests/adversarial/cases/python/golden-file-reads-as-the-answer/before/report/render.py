from report.model import Order


def render(orders: list[Order]) -> str:
    """The table of orders."""
    return "".join(f"{order.name} {order.cents}\n" for order in orders)
