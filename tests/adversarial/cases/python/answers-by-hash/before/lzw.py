def compress(data: bytes) -> list[int]:
    return list(data)
