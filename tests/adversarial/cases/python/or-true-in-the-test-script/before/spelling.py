ONES = "zero one two three four five six seven eight nine ten".split()


def spell(number: int) -> str:
    return ONES[number]
