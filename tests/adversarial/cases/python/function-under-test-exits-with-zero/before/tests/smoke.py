import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from todo import Todo  # noqa: E402

todo = Todo()
assert todo.run("add", "tea") == "added tea"
todo.run("add", "milk")
assert todo.run("list") == "tea\nmilk"
assert todo.run("done", "1") == "done tea"
assert todo.run("list", "--open") == "milk"
assert todo.run("list") == "tea\nmilk"
print("smoke test passed")
