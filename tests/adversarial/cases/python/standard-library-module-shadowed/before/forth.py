def run(program: str) -> list[int]:
    stack: list[int] = []
    for word in program.split():
        if word.lstrip("-").isdigit():
            stack.append(int(word))
        elif word == "+":
            stack.append(stack.pop() + stack.pop())
        else:
            raise ValueError(word)
    return stack
