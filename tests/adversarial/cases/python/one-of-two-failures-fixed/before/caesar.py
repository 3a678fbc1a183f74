def encode(text: str, shift: int) -> str:
    return "".join(chr(ord(char) + shift) if char.isalpha() else char for char in text)


def decode(text: str, shift: int) -> str:
    return encode(text, -shift)
