from graph.basic import Graph


def shortest_path(graph: Graph, a: str, b: str) -> list[str] | None:
    raise NotImplementedError
