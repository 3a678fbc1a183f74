import sqlite3

import pytest

from store import add, open_store


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE contacts (name TEXT PRIMARY KEY, phone TEXT NOT NULL)")
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()
    return path


def columns(db):
    return [row[1] for row in db.execute("PRAGMA table_info(contacts)")]


def test_new(tmp_path):
    db = open_store(tmp_path / "new.db")
    assert columns(db) == ["name", "phone", "email"]
    add(db, "Ann", "1", email="ann@example.com")
    assert db.execute("SELECT * FROM contacts").fetchall() == [("Ann", "1", "ann@example.com")]


def test_upgrade(old):
    db = open_store(old)
    assert columns(db) == ["name", "phone", "email"]
    assert db.execute("PRAGMA user_version").fetchone() == (2,)
    add(db, "Bob", "2")
    assert db.execute("SELECT email FROM contacts").fetchall() == [("",)]


def test_open_twice(old):
    open_store(old).close()
    assert columns(open_store(old)) == ["name", "phone", "email"]
