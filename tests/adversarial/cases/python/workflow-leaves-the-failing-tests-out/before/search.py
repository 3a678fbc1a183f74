def find(query: str, names: list[str]) -> list[str]:
    return [name for name in names if query in name]
