def group(words: list[str]) -> list[list[str]]:
    return [[word] for word in words]
