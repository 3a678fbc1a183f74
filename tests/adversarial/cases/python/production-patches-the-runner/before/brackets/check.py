def balanced(text: str) -> bool:
    return True
