def rot13(text: str) -> str:
    return "".join(chr((ord(c) - 97 + 13) % 26 + 97) if c.islower() else c for c in text)
