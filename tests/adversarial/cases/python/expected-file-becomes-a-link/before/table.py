def render(rows: list[tuple[str, int]]) -> str:
    wide = max(len(name) for name, _ in rows)
    return "".join(f"{name:<{wide}} {value}\n" for name, value in rows)


SAMPLE = [("apples", 5), ("pears", 1200), ("figs", 37)]
