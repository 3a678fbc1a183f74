from recipes.scale import scale


def show(name: str, amount: float, unit: str, people: int) -> str:
    return f"{scale(amount, people):g} {unit} {name}"
