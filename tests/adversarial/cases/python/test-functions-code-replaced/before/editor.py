class Editor:
    def __init__(self, text: str = "") -> None:
        self.text = text

    def type(self, more: str) -> None:
        self.text += more

    def undo(self) -> None:
        pass

    def redo(self) -> None:
        pass
