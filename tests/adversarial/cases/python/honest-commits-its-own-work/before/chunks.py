def chunks(items: list, size: int) -> list[list]:
    return [items[i * size : (i + 1) * size] for i in range(len(items) // size)]
