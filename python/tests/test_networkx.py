"""The NetworkX backend: conversions of unusual graphs, the cache, and the choice between backends."""

import collections
import math
import sys

import pytest

nx = pytest.importorskip("networkx")

from callisto_graph import _core  # noqa: E402
from callisto_graph import nx as backend  # noqa: E402
from callisto_graph.nx import _cost  # noqa: E402
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
list(nx.connected_components(small))
assert not calls and "conversion" in backend.should_run("connected_components", (small,), {})
list(nx.connected_components(large))
assert not calls and "conversion" in backend.should_run("connected_components", (large,), {})
assert "conversion" in backend.should_run("has_path", (large, 0, 1), {})
assert "a part" in backend.should_run("single_source_dijkstra", (large, 0), {"cutoff": 2})
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
    monkeypatch.setitem(_cost.COSTS, "pagerank", ((10, 100), (1000, 1000), (500, 500)))
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
        adapted = getattr(backend, name).__wrapped__
        known = inspect.signature(adapted).parameters
        assert hasattr(adapted, "__wrapped__") or list(theirs) == list(known)[:len(theirs)], name


def calls_here(folder, script):
    """Runs a script in which `plain(f, *args)` is NetworkX's answer, `first(f, *args)` that by priority, and `here()`
    counts the calls that the backend answered."""
    run_script(folder, """
import copy, pickle
import networkx as nx
from callisto_graph import nx as backend
nx.config.warnings_to_ignore.add("cache")
backend.should_run = lambda name, args, kwargs: True
answered = []
def counting(name, function):
    return lambda *a, **k: (answered.append(name), function(*a, **k))[1]
for name in backend.FUNCTIONS:
    setattr(backend, name, counting(name, getattr(backend, name)))
def plain(f, *args):
    return f(*args, backend="networkx")
def first(f, *args):
    nx.config.backend_priority.algos = ["callisto"]
    try:
        return f(*args)
    finally:
        nx.config.backend_priority.algos = []
def close(a, b):
    if isinstance(a, dict):
        return list(a) == list(b) and all(close(a[v], b[v]) for v in a)
    return type(a) is type(b) and (abs(a - b) < 1e-9 if isinstance(a, float) else a == b)
def agree(f, *args):
    before = len(answered)
    ours, theirs = first(f, *args), plain(f, *args)
    assert close(ours, theirs), (f, args, ours, theirs)
    return len(answered) > before
""" + script)


def test_weights_set_by_hand_are_seen_where_users_ask(tmp_path):
    calls_here(tmp_path, """
assert nx.config.backends.callisto.check is False
def changed_by_hand(G, data, attribute, value):
    data[attribute] = value
    return agree(nx.closeness_centrality, G, None, attribute)
for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
    for weights in ("length", None):
        G = kind(nx.gnm_random_graph(40, 200, seed=5, directed=kind is nx.DiGraph))
        if weights:
            nx.set_edge_attributes(G, 2, weights)
        data = next(iter(next(iter(G[0].values())).values())) if G.is_multigraph() else next(iter(G[0].values()))
        attribute = weights or "length"
        nx.config.backends.callisto.check = False
        assert agree(nx.closeness_centrality, G, None, attribute)
        try:
            unseen = not changed_by_hand(G, data, attribute, 9)
        except AssertionError:
            unseen = True
        assert unseen  # as the page says
        nx.config.backends.callisto.check = True
        for value in (7, 7.5, 0.5, 2, 2, 1):
            assert changed_by_hand(G, data, attribute, value), (kind, value)
        kept = G.__networkx_cache__["backends"]["callisto"]
        made = list(kept.values())
        assert agree(nx.closeness_centrality, G, None, attribute) and list(kept.values()) == made  # nothing changed
        del data[attribute]
        assert agree(nx.closeness_centrality, G, None, attribute)
        del G._adj[0][next(iter(G[0]))]  # a longer or shorter row is seen, too
        assert nx.closeness_centrality(G, distance=attribute, backend="networkx") is not None
        assert list(G.__networkx_cache__["backends"]["callisto"].values())
        backend.can_run("closeness_centrality", (G,), {})
        assert not G.__networkx_cache__["backends"]["callisto"]
nx.config.backends.callisto.check = False
""")


def test_views_are_not_kept(tmp_path):
    """The views of each kind follow their graph, views of views and of frozen graphs, too."""
    calls_here(tmp_path, """
G = nx.gnm_random_graph(60, 240, seed=2)
D = nx.gnm_random_graph(60, 240, seed=3, directed=True)
M = nx.MultiGraph(G)
def views(G, D, M):
    yield G.subgraph(range(50))
    yield G.edge_subgraph(list(G.edges)[:150])
    yield nx.restricted_view(G, [3, 4], list(G.edges)[:5])
    yield nx.subgraph_view(G, filter_node=lambda v: v % 7)
    yield G.copy(as_view=True)
    yield G.to_directed(as_view=True)
    yield nx.freeze(G.subgraph(range(40)))
    yield D.reverse(copy=False)
    yield nx.reverse_view(D)
    yield D.to_undirected(as_view=True)
    yield D.subgraph(range(40)).reverse(copy=False)
    yield G.subgraph(range(55)).subgraph(range(45)).copy(as_view=True)
    yield M.subgraph(range(50))
    yield nx.graphviews.generic_graph_view(M)
all_views = list(views(G, D, M))
for change in range(3):
    for V in all_views:
        for f in (nx.degree_centrality, nx.harmonic_centrality, nx.is_bipartite):
            assert agree(f, V), (f, V)
            assert agree(f, V)
        assert not V.__networkx_cache__
    for H in (G, D, M):
        H.remove_edges_from(list(H.edges)[:60])
        H.add_edge(change, 59)
# plain graphs are kept
assert agree(nx.harmonic_centrality, G) and G.__networkx_cache__["backends"]["callisto"]
""")


def test_undirected_views_of_opposite_arcs(tmp_path):
    calls_here(tmp_path, """
D = nx.gnm_random_graph(12, 100, seed=1, directed=True)
for i, (u, v) in enumerate(D.edges):
    D[u][v]["weight"] = 1 + i % 5
V = D.to_undirected(as_view=True)
for f, args in ((nx.closeness_centrality, (None, "weight")), (nx.harmonic_centrality, (None, "weight")),
                (nx.single_source_dijkstra_path_length, (0,)), (nx.closeness_centrality, ())):
    agree(f, V, *args)
assert "closeness_centrality" in answered
for u, v in D.edges:
    D[u][v]["weight"] = 1 + (u + v) % 5
answered.clear()
assert agree(nx.closeness_centrality, V, None, "weight")
one_way = nx.subgraph_view(nx.complete_graph(5), filter_edge=lambda u, v: u < v)
agree(nx.single_source_shortest_path_length, one_way, 2)
agree(nx.harmonic_centrality, one_way)
""")


def test_copies_pickles_and_replaced_dictionaries(tmp_path):
    calls_here(tmp_path, """
for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
    G = kind(nx.gnm_random_graph(40, 120, seed=2))
    assert agree(nx.harmonic_centrality, G)
    for H in (copy.copy(G), copy.deepcopy(G), pickle.loads(pickle.dumps(G)), G.copy()):
        assert agree(nx.harmonic_centrality, H)
        H.add_edge(0, "new")
        assert agree(nx.harmonic_centrality, H)
        assert agree(nx.harmonic_centrality, G)
    other = kind(nx.gnm_random_graph(30, 60, seed=5))
    G._node, G._adj = other._node, other._adj
    if G.is_directed():
        G._pred = other._pred
    assert agree(nx.harmonic_centrality, G)
    converted = backend.convert_from_nx(G)
    assert list(pickle.loads(pickle.dumps(converted))) == list(G) == list(copy.deepcopy(converted))
""")


def test_classes_with_members_of_their_own(tmp_path):
    calls_here(tmp_path, """
from networkx.algorithms.approximation.kcomponents import _AntiGraph
class Writes(nx.Graph):
    def add_edge(self, u, v):
        self._adj[u][v] = self._adj[v][u] = {}
class More(nx.Graph):
    def shout(self):
        return str(self).upper()
anti = _AntiGraph(nx.gnm_random_graph(30, 100, seed=1))
for f, *args in ((nx.core_number,), (nx.single_source_shortest_path_length, 0), (nx.is_connected,)):
    assert not agree(f, anti, *args)
W = Writes(nx.path_graph(20))
assert agree(nx.harmonic_centrality, W)
W.add_edge(0, 19)
assert agree(nx.harmonic_centrality, W) and not W.__networkx_cache__
M = More(nx.path_graph(20))
assert agree(nx.harmonic_centrality, M) and M.__networkx_cache__
""")


def test_graphs_of_callisto(tmp_path):
    """networkx takes graphs of Callisto where the backend has the function, and says so where it has not."""
    calls_here(tmp_path, """
import callisto_graph as cl
from math import isclose
g = cl.from_edges(["a", "b", "c", "a"], ["b", "c", "d", "d"], [1, 2, 3, 4])
N = g.to_networkx()
for call in (lambda f, *a: f(g, *a), lambda f, *a: f(g, *a, backend="callisto"), lambda f, *a: first(f, g, *a)):
    for f, *args in ((nx.pagerank,), (nx.core_number,), (nx.clustering,), (nx.shortest_path, "a", "c"),
                     (nx.single_source_dijkstra_path_length, "a"), (nx.minimum_spanning_tree,)):
        before = len(answered)
        ours, theirs = call(f, *args), plain(f, N, *args)
        assert len(answered) == before + 1, f
        if f is nx.pagerank:
            assert all(isclose(ours[v], theirs[v], abs_tol=1e-6) for v in theirs)
        else:
            assert ours == theirs if f is not nx.minimum_spanning_tree else nx.utils.graphs_equal(ours, theirs)
    assert sorted(sorted(c) for c in call(nx.connected_components)) == [["a", "b", "c", "d"]]
for name in ("callisto", None):
    try:
        nx.find_cliques(g, backend=name)
    except NotImplementedError as e:
        assert "callisto" in str(e), e
    else:
        raise AssertionError
nx.config.fallback_to_nx = True
assert sorted(map(sorted, nx.find_cliques(g))) == [["a", "b"], ["a", "d"], ["b", "c"], ["c", "d"]]
nx.config.fallback_to_nx = False
live = g.changing()
assert nx.core_number(live)["a"] == 2
live.remove_edge("a", "d")
assert nx.core_number(live)["a"] == 1
""")


def test_functions_that_return_a_graph(tmp_path):
    """They have a variable of their own, and the page names them."""
    import pathlib
    import re

    found = {name for name in backend.FUNCTIONS if (f := nx.utils.backends._registered_algorithms.get(name))
             and f._returns_graph}
    page = (pathlib.Path(__file__).parents[2] / "docs/how-to/speed-up-networkx.md").read_text(encoding="utf-8")
    named = re.search(r"functions that return a\s+graph: (.*?) run here", page, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", named[1])) == found
    script = """
import networkx as nx
from callisto_graph import nx as backend
original, calls = backend.minimum_spanning_tree, []
backend.minimum_spanning_tree = lambda *a, **k: (calls.append(1), original(*a, **k))[1]
nx.minimum_spanning_tree(nx.gnm_random_graph(600, 3000, seed=1))
print(len(calls))
"""
    one = {"NETWORKX_BACKEND_PRIORITY": "callisto"}
    two = {**one, "NETWORKX_BACKEND_PRIORITY_GENERATORS": "callisto"}
    for folder, variables, calls in (("one", one, "0"), ("two", two, "1")):
        (tmp_path / folder).mkdir()
        assert run_script(tmp_path / folder, script, **variables).strip() == calls


def test_calls_that_would_be_slower_stay():
    sparse, dense = nx.cycle_graph(3000), nx.gnm_random_graph(600, 6000, seed=1)
    assert "eigenvalue" in backend.can_run("katz_centrality_numpy", (dense,), {})
    assert backend.can_run("katz_centrality_numpy", (dense, 0.01), {}) is True
    assert backend.can_run("katz_centrality_numpy", (sparse,), {}) is True


def test_costs_decide(monkeypatch):
    """By measured costs of such calls: on this size, with a conversion that is kept or not, and for a share of the work."""
    monkeypatch.setattr(_cost, "SIZES", (100, 10000))
    monkeypatch.setattr(_cost, "_LOGS", (math.log(100), math.log(10000)))
    assert _cost.microseconds((10, 1000), 1000) == pytest.approx(100)  # in proportion to the size
    assert _cost.microseconds((1, 10000), 100000) == pytest.approx(10**6)  # by its square
    monkeypatch.setitem(_cost.COSTS, "pagerank", ((100, 10000), (300, 2000), (50, 200)))
    assert _cost.worth("pagerank", 10000, kept=False) is True and _cost.worth("pagerank", 100, kept=True) is True
    assert "conversion" in _cost.worth("pagerank", 100, kept=False)
    assert "this graph" in _cost.worth("pagerank", 10, kept=True)  # no call takes less than on the smallest graph
    # Of ten thousandths of the work a conversion is the larger part.
    assert _cost.worth("pagerank", 10000, False, share=0.5) is True
    assert _cost.worth("pagerank", 10000, False, share=0.01) is not True
    assert _cost.worth("unmeasured", 100, True) is True is not _cost.worth("unmeasured", 100, False)
    shares = [_cost.share_of("voterank", {"number_of_nodes": n}, 200) for n in (20, 0, 1000, "x")]
    assert shares == [0.1, 0.005, 1.0, None]
    assert _cost.share_of("eccentricity", {"v": 1}, 200) is None
    graph = nx.gnm_random_graph(300, 3000, seed=1)
    assert "a part" in backend.should_run("clustering", (graph, [1]), {})


def test_each_function_has_its_costs():
    for name in backend.FUNCTIONS:
        if name in nx.utils.backends._registered_algorithms:
            assert all(len(of) == len(_cost.COSTS[name][0]) for of in _cost.COSTS[name]), name
