def plural(noun: str) -> str:
    return noun + "s"
