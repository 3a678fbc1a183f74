Graph = dict[str, dict[str, int]]


def nodes(graph: Graph) -> set[str]:
    return set(graph) | {target for edges in graph.values() for target in edges}
