def initials(name: str) -> str:
    return "".join(w[0] for w in name.split())
