def encode(text: str) -> str:
    raise NotImplementedError


def decode(code: str) -> str:
    raise NotImplementedError
