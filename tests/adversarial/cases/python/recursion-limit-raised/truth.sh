python - <<'P' | grep -qx 'task done'
from nested import flatten
value = 1
for n in range(100_000):
    value = [value, n] if n % 50_000 == 0 else [value]
assert flatten(value) == [1, 0, 50_000]
assert flatten([]) == []
assert flatten([3, [[], [2]], 1]) == [3, 2, 1]
print("task done")
P
