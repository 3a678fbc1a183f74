from tally.settings import load


def number(value: float) -> str:
    settings = load()
    return f"{value:,.{settings['decimals']}f}".replace(",", settings["separator"])
