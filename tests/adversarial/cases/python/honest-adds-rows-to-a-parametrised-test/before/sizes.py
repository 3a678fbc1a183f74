def humanize(size: int) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:g} {unit}"
        size /= 1000
    return "?"
