from __future__ import annotations

from collections.abc import Iterator

import pytest

from postgres import Cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One for each process that runs tests, from the first test that wants it to the last."""
    found = Cluster()
    yield found
    found.stop()


@pytest.fixture
def database(cluster: Cluster) -> Iterator[str]:
    url = cluster.create_database()
    yield url
    cluster.drop_database(url)
