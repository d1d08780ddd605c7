"""The NetworkX backend: conversions of unusual graphs, the cache, and the choice between backends."""

import collections
import math
import sys

import pytest

nx = pytest.importorskip("networkx")

from callisto_graph import _core  # noqa: E402
from callisto_graph import nx as backend  # noqa: E402
from networkx_backend import run_script  # noqa: E402


def lengths(G, source):
    return backend.single_source_shortest_path_length(backend.convert_from_nx(G), source)


@pytest.mark.parametrize("nodes", [
    [0, 1, 2, 3], [5, 3, 9, 7], [-4, 10**12, 3, 0], [2**70, -2**80, 1, 0], ["a", "b", "c", "d"],
    [(1, 2), (2, 1), 0.5, "x"], [True, 0, 2, 3], [frozenset(), 1.5, "", ()],
])
def test_labels(nodes):
    G = nx.path_graph(4)
    G = nx.relabel_nodes(G, dict(enumerate(nodes)), copy=True)
    found = lengths(G, nodes[0])
    assert list(found.items()) == [(v, i) for i, v in enumerate(nodes)]
    assert all(a is b for a, b in zip(found, G))


def test_equal_keys_of_other_types():
    G = nx.Graph()
    G.add_nodes_from([1, 2, 3])
    G.add_edge(1.0, 2)
    G.add_edge(True, 3)
    assert lengths(G, 1) == {1: 0, 2: 1, 3: 1}
    assert 1.0 in backend.convert_from_nx(G) and [] not in backend.convert_from_nx(G)


def test_strings_of_their_own():
    G = nx.Graph((str(u) + "x", str(v) + "x") for u, v in nx.gnm_random_graph(600, 3000, seed=4).edges)
    source = next(iter(G))
    assert lengths(G, source) == nx.single_source_shortest_path_length(G, source)


def test_views_and_subclasses():
    class Own(nx.Graph):
        adjlist_outer_dict_factory = collections.OrderedDict
        adjlist_inner_dict_factory = collections.OrderedDict
        edge_attr_dict_factory = collections.OrderedDict

    G = Own(nx.karate_club_graph())
    for graph in (G, G.subgraph(range(20)), nx.MultiGraph(G).subgraph(range(9)), nx.DiGraph(G).reverse(copy=False)):
        ours = backend.pagerank(backend.convert_from_nx(graph, {"weight": 1}), tol=1e-10)
        theirs = nx.pagerank(graph, tol=1e-10, max_iter=1000)
        assert ours == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("value", [None, "2", math.inf, math.nan, 2**60, 1j, True])
def test_weights_that_are_refused(value):
    G = nx.Graph()
    G.add_edge(0, 1, weight=value)
    with pytest.raises(NotImplementedError):
        backend.convert_from_nx(G, {"weight": 1})
    assert len(backend.convert_from_nx(G)) == 2


def test_parallel_edges():
    G = nx.MultiDiGraph()
    G.add_weighted_edges_from([(0, 1, 3), (0, 1, 2), (1, 2, 1), (0, 2, 4)])
    converted = backend.convert_from_nx(G, {"weight": 1})
    assert backend.single_source_dijkstra_path_length(converted, 0) == {0: 0, 1: 2, 2: 3}
    assert backend.out_degree_centrality(converted) == nx.out_degree_centrality(G)


def test_back_to_networkx():
    G = nx.karate_club_graph()
    back = backend.convert_to_nx(backend.convert_from_nx(G))
    assert back is not G and nx.utils.graphs_equal(back, G)


def test_changes_while_reading_are_seen():
    G = nx.Graph([(0, 1)])
    core = _core.NxGraph(G._adj, False, False)
    G.add_edge(0, 2)
    with pytest.raises(RuntimeError, match="changed"):
        core.values(G._adj, "weight")


def test_references_do_not_leak():
    node, G = "a node of its own", nx.Graph()
    G.add_edge(node, "b")
    before = sys.getrefcount(node)
    for _ in range(50):
        converted = backend.convert_from_nx(G)
        backend.single_source_shortest_path(converted, node)
        backend.connected_components(converted)
        backend.maximal_matching(converted)
        backend.dijkstra_predecessor_and_distance(converted, node)
        backend.pagerank(converted)
    del converted
    assert sys.getrefcount(node) <= before + 1


def test_info_imports_nothing(tmp_path):
    run_script(tmp_path, "import sys; before = set(sys.modules); import _callisto_graph_info as i; i.get_info(); "
                         "assert set(sys.modules) - before == {'_callisto_graph_info'}")


def test_priority_cache_and_sizes(tmp_path):
    """One variable of the environment; small graphs stay; a kept conversion serves, and a method clears it."""
    run_script(tmp_path, """
import networkx as nx
nx.config.warnings_to_ignore.add("cache")
from callisto_graph import nx as backend
calls = []
def watch(name):
    original = backend.FUNCTIONS[name][0]
    setattr(backend, name, lambda *a, **k: (calls.append(name), original(*a, **k))[1])
for name in ("pagerank", "connected_components", "core_number"):
    watch(name)
small, large = nx.karate_club_graph(), nx.gnm_random_graph(300, 3000, seed=1)
nx.pagerank(small)
assert not calls and "fewer" in backend.should_run("pagerank", (small,), {})
list(nx.connected_components(large))
assert not calls and "fewer" in backend.should_run("connected_components", (large,), {})
assert "one look" in backend.should_run("has_path", (large, 0, 1), {})
assert "one look" in backend.should_run("single_source_dijkstra", (large, 0), {"cutoff": 2})
nx.pagerank(large)
assert calls == ["pagerank"]
assert len(list(nx.connected_components(large))) == 1
assert calls == ["pagerank", "connected_components"]
large.add_edge("new", "component")
assert len(list(nx.connected_components(large))) == 2 and len(calls) == 2
assert nx.core_number(large)["new"] == 1 and calls[-1] == "core_number"
assert nx.pagerank(small, backend="callisto") and calls[-1] == "pagerank"
""", NETWORKX_BACKEND_PRIORITY="callisto")


def test_fork_after_use(tmp_path):
    run_script(tmp_path, """
import os, networkx as nx
from callisto_graph import nx as backend
G = nx.gnm_random_graph(500, 200_000 // 20, seed=2)
before = backend.betweenness_centrality(backend.convert_from_nx(G))
child = os.fork()
if child == 0:
    after = backend.betweenness_centrality(backend.convert_from_nx(G))
    os._exit(0 if all(abs(after[v] - before[v]) < 1e-12 for v in G) else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""")


def test_small_graphs_without_scipy(monkeypatch):
    graph = nx.karate_club_graph()
    assert backend.should_run("pagerank", (graph,), {}) is not True
    monkeypatch.setattr(backend, "HAS_SCIPY", False)
    assert backend.should_run("pagerank", (graph,), {}) is True


def test_parameters_of_a_newer_networkx():
    import inspect

    from callisto_graph.nx._registry import adapted

    def ours(G, weight="weight"):
        return G, weight

    def theirs(G, weight="weight", *, method="quick", table=None):
        pass

    call = adapted(ours, inspect.signature(theirs).parameters)
    assert call(1, weight="w", method="quick", table=None) == call(1, "w") == (1, "w")
    with pytest.raises(NotImplementedError, match="table"):
        call(1, table={})
    assert adapted(ours, inspect.signature(ours).parameters) is ours
    G = nx.karate_club_graph()
    with pytest.raises(NotImplementedError, match="qualities"):
        backend.leiden_communities(backend.convert_from_nx(G), metric="cpm")
    assert backend.can_run("leiden_communities", (G,), {"metric": "cpm"}) is not True


def test_every_parameter_is_passed():
    """NetworkX passes all parameters, defaults, too: a function must take each that this NetworkX has."""
    import inspect

    from networkx.utils.backends import _registered_algorithms

    for name in backend.FUNCTIONS:
        if name not in _registered_algorithms:
            continue
        theirs = inspect.signature(_registered_algorithms[name].orig_func).parameters
        known = inspect.signature(getattr(backend, name)).parameters
        wrapped = hasattr(getattr(backend, name), "__wrapped__")
        assert wrapped or set(theirs) <= set(known), name
