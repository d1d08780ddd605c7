"""What the tests share: graphs of many shapes, in Callisto's form and in NetworkX's."""

import random

import networkx as nx
import numpy as np
import pytest

import callisto_graph as cl


def columns(graph, weight=None):
    """The edges of a networkx graph as columns of labels, and of weights."""
    edges = list(graph.edges(data=True))
    source, target = [u for u, _, _ in edges], [v for _, v, _ in edges]
    return source, target, None if weight is None else [data[weight] for _, _, data in edges]


def graph_of(graph, weight=None):
    """The same graph, by way of columns; isolated nodes stay."""
    source, target, weights = columns(graph, weight)
    return cl.from_edges(source, target, weights, directed=graph.is_directed(), vertices=list(graph))


def random_graphs(seed, directed=None, weighted=False):
    """Pairs of a networkx graph and the same graph of Callisto: sparse, dense, with loops, with isolated nodes."""
    number = random.Random(seed)
    for n, m in ((1, 0), (2, 1), (12, 14), (40, 60), (60, 400)):
        for kind in (nx.Graph, nx.DiGraph):
            if directed is not None and kind().is_directed() != directed:
                continue
            graph = kind()
            graph.add_nodes_from(range(n))
            for _ in range(m):
                u, v = number.randrange(n), number.randrange(n)
                graph.add_edge(u, v, weight=number.choice([1, 2, 3.5, 700, 1e6]) if weighted else 1)
            yield graph, graph_of(graph, "weight" if weighted else None)


@pytest.fixture(scope="session")
def large():
    """A graph on which slow kernels take seconds."""
    return cl.kronecker(17, 16, seed=2)


@pytest.fixture
def karate():
    return nx.karate_club_graph()


def same(result, expected, tolerance=1e-9):
    """True if the values of a result are those of a dict by label."""
    made = result.to_dict()
    return made.keys() == expected.keys() and np.allclose([made[v] for v in expected], list(expected.values()),
                                                          rtol=tolerance, atol=tolerance)
