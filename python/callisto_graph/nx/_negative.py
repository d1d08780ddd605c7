"""Shortest paths over lengths that may be negative."""

import networkx as nx

from .. import _core
from ._graph import cannot
from ._paths import _require, _weighted, single_source_dijkstra_path
from ._registry import function


def _search(G, source, weight, heuristic=True):
    """Runs Bellman and Ford's algorithm from a node of the graph."""
    found = _core.nx_bellman_ford(G.core, G.values(weight, one_type=True), [G.find(source)], heuristic)
    if found.negative_cycle:
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    if not found.exact:
        raise cannot("a sum is beyond 2^53")
    return found


def _one(G, source, target, weight):
    """Returns (search, number of the target), which it reaches."""
    _require(G, source, "Source {} not in G")
    found = _search(G, source, weight)
    number = G.find(target)
    if number < 0 or not found.reaches(number):
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return found, number


@function(_weighted)
def single_source_bellman_ford(G, source, target=None, weight="weight"):
    if source == target:
        _require(G, source, "Node {} is not found in the graph")
        return 0, [source]
    if target is not None:
        found, number = _one(G, source, target, weight)
        return found.length(number), found.path(number)
    _require(G, source, "Source {} not in G")
    found = _search(G, source, weight)
    return found.lengths(), found.paths()


@function(_weighted)
def single_source_bellman_ford_path(G, source, weight="weight"):
    _require(G, source, "Source {} not in G")
    return _search(G, source, weight).paths()


@function(_weighted)
def single_source_bellman_ford_path_length(G, source, weight="weight"):
    _require(G, source, "Source {} not in G")
    return _search(G, source, weight).lengths()


@function(_weighted)
def bellman_ford_path(G, source, target, weight="weight"):
    return single_source_bellman_ford(G, source, target, weight)[1]


def _check_predecessors(target=None, weight="weight"):
    return _weighted(weight) if target is None else "one target is left to networkx"


@function(_check_predecessors)
def bellman_ford_predecessor_and_distance(G, source, target=None, weight="weight", heuristic=False):
    _require(G, source, "Node {} is not found in the graph")
    values = G.values(weight)
    if G.core.loops and values is not None and values.smallest < 0:
        raise cannot("loops beside negative weights are left to networkx")
    if len(G) == 1:
        return {source: []}, {source: 0}
    found = _search(G, source, weight, bool(heuristic))
    return found.predecessors(), found.lengths()


@function(_weighted)
def all_pairs_bellman_ford_path(G, weight="weight"):
    G.values(weight, one_type=True)  # refuses weights at once, not at the first item
    return ((node, single_source_bellman_ford_path(G, node, weight)) for node in G.nodes)


@function(_weighted)
def all_pairs_bellman_ford_path_length(G, weight="weight"):
    G.values(weight, one_type=True)  # refuses weights at once, not at the first item
    return ((node, single_source_bellman_ford_path_length(G, node, weight)) for node in G.nodes)


@function(_weighted)
def negative_edge_cycle(G, weight="weight", heuristic=True):
    if nx.is_frozen(G.source) or G.is_multigraph():
        raise cannot("views and graphs that cannot change, and parallel edges, are left to networkx")
    if not G.core.arcs:
        return False
    return _core.nx_has_negative_cycle(G.core, G.values(weight, one_type=True), bool(heuristic))


@function(_weighted)
def johnson(G, weight="weight"):
    values = G.values(weight, one_type=True)
    if values is not None and (values.smallest < 0 or not values.whole):
        raise cannot("weights that are negative or not whole are left to networkx")
    return {node: single_source_dijkstra_path(G, node, weight=weight) for node in G.nodes}
