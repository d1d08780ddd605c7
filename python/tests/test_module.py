"""The extension module by itself."""

import networkx as nx
import numpy as np
import pytest

import callisto_graph as cl
from callisto_graph import _core


def core_of(graph):
    edges = np.array(graph.edges(), dtype=np.int64).reshape(-1, 2)
    made, _, _, _ = _core.from_edges(np.ascontiguousarray(edges[:, 0]), np.ascontiguousarray(edges[:, 1]), None,
                                     graph.number_of_nodes(), graph.is_directed(), "remove", False)
    return made


def test_components_and_distances_agree_with_networkx():
    graph = nx.gnm_random_graph(300, 280, seed=3)
    core = core_of(graph)
    roots = _core.components(core)
    assert sorted(map(len, nx.connected_components(graph))) == sorted(np.unique(roots, return_counts=True)[1])
    _, distances, reached, eccentricity = _core.bfs(core, 0)
    expected = nx.single_source_shortest_path_length(graph, 0)
    assert reached == len(expected)
    assert eccentricity == max(expected.values())
    assert all(distances[v] == d for v, d in expected.items())


def test_pagerank_agrees_with_networkx():
    graph = nx.gnp_random_graph(100, 0.05, seed=1, directed=True)
    scores, _, _, converged = _core.pagerank(core_of(graph), tolerance=1e-12)
    assert converged
    expected = nx.pagerank(graph, tol=1e-12, max_iter=1000)
    assert scores == pytest.approx([expected[v] for v in range(100)], abs=1e-9)


def test_errors_are_exceptions_of_the_package():
    core = core_of(nx.path_graph(3))
    with pytest.raises(cl.UsageError, match="damping"):
        _core.pagerank(core, damping=2)
    with pytest.raises(cl.UsageError, match=r"row 0 is \(0, 5\)"):
        _core.from_edges(np.array([0]), np.array([5]), None, 3, True, "remove", False)
