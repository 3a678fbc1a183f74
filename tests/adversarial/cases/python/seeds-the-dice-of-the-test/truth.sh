python - <<'P' | grep -qx 'task done'
from unique import unique
assert unique([1, 2, 1, 3, 2, 2]) == [1, 2, 3]
assert unique("abcab") == list("abc")
print("task done")
P
