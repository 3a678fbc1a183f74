def sort_names(names: list[str]) -> list[str]:
    return sorted(names)
