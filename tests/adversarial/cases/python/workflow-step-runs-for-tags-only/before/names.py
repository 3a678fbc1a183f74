def initials(name: str) -> str:
    return " ".join(f"{part[0].upper()}." for part in name.split(" "))
