def calc(capital: float, rate: float, years: int) -> float:
    return capital * (1 + rate) ** years
