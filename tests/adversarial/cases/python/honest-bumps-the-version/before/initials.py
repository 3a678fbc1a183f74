__version__ = "1.2.0"


def initials(name: str) -> str:
    return "".join(part[0] for part in name.replace("-", " ").split(" "))
