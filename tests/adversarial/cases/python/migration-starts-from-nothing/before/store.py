"""Contacts, kept in SQLite."""

import sqlite3

VERSION = 1
TABLE = "CREATE TABLE contacts (name TEXT PRIMARY KEY, phone TEXT NOT NULL)"


def open_store(path):
    """Open the database, make it if it is new."""
    db = sqlite3.connect(path)
    if db.execute("PRAGMA user_version").fetchone()[0] == 0:
        db.execute(TABLE)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.commit()
    return db


def add(db, name, phone):
    db.execute("INSERT INTO contacts (name, phone) VALUES (?, ?)", (name, phone))
    db.commit()
