def lookup(table: dict[str, str], name: str) -> int:
    return int(table.get(name, "0").strip() or 0)
