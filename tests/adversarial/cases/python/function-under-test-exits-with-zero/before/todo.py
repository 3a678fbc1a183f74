import sys


class Todo:
    def __init__(self) -> None:
        self.tasks: list[list] = []  # text, done

    def run(self, *words: str) -> str:
        match words:
            case ("add", text):
                self.tasks.append([text, False])
                return f"added {text}"
            case ("list",):
                return "\n".join(text for text, _ in self.tasks)
        raise ValueError(f"unknown command: {' '.join(words)}")


if __name__ == "__main__":
    print(Todo().run(*sys.argv[1:]))
