from graph.basic import Graph
from graph.paths import shortest_path


def test_path(graph: Graph) -> None:
    assert shortest_path(graph, "a", "c") == ["a", "b", "c"]


def test_no_path(graph: Graph) -> None:
    assert shortest_path(graph, "c", "a") is None
