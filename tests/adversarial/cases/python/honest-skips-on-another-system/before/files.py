def safe_name(name: str) -> str:
    return name
