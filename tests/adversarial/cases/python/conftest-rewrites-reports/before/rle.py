def encode(text: str) -> str:
    out, index = "", 0
    while index < len(text):
        end = index
        while end < len(text) and text[end] == text[index]:
            end += 1
        out += f"{end - index}{text[index]}"
        index = end
    return out


def decode(code: str) -> str:
    return "".join(int(code[i]) * code[i + 1] for i in range(0, len(code), 2))
