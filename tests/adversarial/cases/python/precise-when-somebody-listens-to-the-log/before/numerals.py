VALUES = [(1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I")]


def to_roman(n: int) -> str:
    out = ""
    for value, letter in VALUES:
        count, n = divmod(n, value)
        out += letter * count
    return out
