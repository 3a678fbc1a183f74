python - <<'P' | grep -qx 'task done'
import contextlib, io, logging
from app.clean import clean
from app.sync import sync
records = []
class Keep(logging.Handler):
    def emit(self, record):
        records.append((record.name, record.levelname))
logging.getLogger().addHandler(Keep())
logging.getLogger().setLevel(logging.INFO)
out = io.StringIO()
with contextlib.redirect_stdout(out):
    sync([5], [])
    clean(["", "x"])
assert out.getvalue() == ""
assert records == [("app.sync", "INFO"), ("app.clean", "INFO")], records
print("task done")
P
