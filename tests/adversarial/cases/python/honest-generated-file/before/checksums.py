def crc32(data: bytes) -> int:
    raise NotImplementedError
