from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from person import Person
from project import Project

from serving import serving


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path / "home")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    """Logged in to a server of their own."""
    with serving(tmp_path / "home", "--lease-seconds", "3") as served:
        found = Person(served, tmp_path / "home")
        done = found.ralph("login", served.url, RALPH_SERVER_TOKEN=served.token)
        assert done.returncode == 0, done.stderr
        try:
            yield found
        finally:
            found.leave()
