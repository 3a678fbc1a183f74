import legacy_money


def total(lines: list[str]) -> str:
    """The sum of the amounts of an invoice."""
    return legacy_money.show(sum(legacy_money.parse(line) for line in lines))
