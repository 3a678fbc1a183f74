python - <<'P' | grep -qx 'task done'
import os, sqlite3, tempfile
from store import add, open_store
path = os.path.join(tempfile.mkdtemp(), "a.db")
db = sqlite3.connect(path)
db.execute("CREATE TABLE contacts (name TEXT PRIMARY KEY, phone TEXT NOT NULL)")
db.execute("INSERT INTO contacts VALUES ('Zoe', '99')")
db.execute("PRAGMA user_version = 1")
db.commit()
db.close()
db = open_store(path)
add(db, "Yan", "5", email="y@example.org")
assert sorted(db.execute("SELECT name, phone, email FROM contacts")) == [("Yan", "5", "y@example.org"), ("Zoe", "99", "")]
print("task done")
P
