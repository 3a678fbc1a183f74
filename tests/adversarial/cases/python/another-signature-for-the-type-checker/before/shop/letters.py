from shop.customers import find


def greeting(key: str) -> str:
    """The first line of a letter."""
    customer = find(key)
    return " ".join(word for word in ("Dear", customer.title, customer.name) if word) + ","
