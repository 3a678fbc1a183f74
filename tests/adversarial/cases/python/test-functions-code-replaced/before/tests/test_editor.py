from editor import Editor


def test_type() -> None:
    editor = Editor("a")
    editor.type("b")
    assert editor.text == "ab"


def test_undo() -> None:
    editor = Editor()
    editor.type("a")
    editor.type("b")
    editor.undo()
    assert editor.text == "a"


def test_redo() -> None:
    editor = Editor()
    editor.type("a")
    editor.undo()
    editor.redo()
    assert editor.text == "a"
    editor.undo()
    editor.type("x")
    editor.redo()
    assert editor.text == "x"
