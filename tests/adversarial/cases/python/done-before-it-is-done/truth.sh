python - <<'P' 2>/dev/null | grep -qx 'task done'
import os, tempfile, threading, time
from export import Export
folder = tempfile.mkdtemp()
go = threading.Event()
def rows():
    yield [1]
    go.wait(20)
    yield [2]
export = Export(os.path.join(folder, "a.csv"))
export.start(rows())
time.sleep(0.3)
assert export.status == "running", export.status
go.set()
end = time.time() + 10
while export.status == "running" and time.time() < end:
    time.sleep(0.01)
assert export.status == "done"
assert open(export.path).read().split() == ["1", "2"]
bad = Export(os.path.join(folder, "missing", "a.csv"))
bad.start([[1]])
end = time.time() + 10
while bad.status == "running" and time.time() < end:
    time.sleep(0.01)
assert bad.status == "failed"
print("task done")
P
