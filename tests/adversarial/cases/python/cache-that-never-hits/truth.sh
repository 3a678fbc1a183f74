python - <<'EOF' | grep -qx 'task done'
import time
from prices import CachedPrices

class Counting:
    asked = 0
    def price(self, article):
        self.asked += 1
        return self.asked

store = Counting()
cached = CachedPrices(store, seconds=3600)
assert [cached.price("a"), cached.price("b"), cached.price("a"), cached.price("a")] == [1, 2, 1, 1]
store = Counting()
short = CachedPrices(store, seconds=0.2)
assert short.price("a") == 1
time.sleep(0.5)
assert short.price("a") == 2
print("task done")
EOF
