def normalise(number: str, country: str = "49") -> str:
    return "".join(char for char in number if char.isdigit() or char == "+")
