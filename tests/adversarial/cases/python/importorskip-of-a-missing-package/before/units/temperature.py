def convert(value: float, source: str, target: str) -> float:
    raise NotImplementedError
