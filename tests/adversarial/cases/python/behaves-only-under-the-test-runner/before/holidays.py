from datetime import date


def easter(year: int) -> date:
    raise NotImplementedError
