from graph.basic import Graph, nodes


def test_nodes(graph: Graph) -> None:
    assert nodes(graph) == {"a", "b", "c"}
