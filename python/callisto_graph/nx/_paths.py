"""Paths and distances, in NetworkX's order."""

import math

import networkx as nx

from .. import _core
from ._graph import cannot, length, steps
from ._registry import VERSION, function


def _require(G, node, text):
    number = G.find(node)
    if number < 0:
        raise nx.NodeNotFound(text.format(node))
    return number


@function()
def single_source_shortest_path_length(G, source, cutoff=None):
    return G.core.bfs_lengths(_require(G, source, "Source {} is not in G"), False, steps(cutoff))


@function()
def single_target_shortest_path_length(G, target, cutoff=None):
    return G.turned().bfs_lengths(_require(G, target, "Target {} is not in G"), True, steps(cutoff))


@function()
def all_pairs_shortest_path_length(G, cutoff=None):
    for number, node in enumerate(G.nodes):
        yield node, G.core.bfs_lengths(number, False, steps(cutoff))


@function()
def single_source_shortest_path(G, source, cutoff=None):
    return G.core.bfs_paths(_require(G, source, "Source {} not in G"), False, False, steps(cutoff))


@function()
def single_target_shortest_path(G, target, cutoff=None):
    return G.turned().bfs_paths(_require(G, target, "Target {} not in G"), True, True, steps(cutoff))


@function()
def all_pairs_shortest_path(G, cutoff=None):
    for number, node in enumerate(G.nodes):
        yield node, G.core.bfs_paths(number, False, False, steps(cutoff))


@function()
def bidirectional_shortest_path(G, source, target):
    u = _require(G, source, "Source {} is not in G")
    v = _require(G, target, "Target {} is not in G")
    path = G.turned().path_between(u, v)
    if not path:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return path


@function()
def has_path(G, source, target):
    u = _require(G, source, "Source {} is not in G")
    return G.turned().reaches(u, _require(G, target, "Target {} is not in G"))


@function()
def predecessor(G, source, target=None, cutoff=None, return_seen=None):
    number = _require(G, source, "Source {} not in G")
    before, seen = G.core.bfs_predecessors(number, max(1, math.ceil(cutoff)) if cutoff else None)
    if target is None:
        return (before, seen) if return_seen else before
    if target not in before:
        return ([], -1) if return_seen else []
    return (before[target], seen[target]) if return_seen else before[target]


def _check_shortest(G, source=None, target=None, weight=None, method="dijkstra"):
    if weight is not None:
        if method == "bellman-ford":
            return "bellman-ford is left to networkx"
        if callable(weight):
            return "the weight is a function"
        if source is None and target is not None:
            return "weighted paths to one target are left to networkx"
    return True


def _method(weight, method):
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")


def _check_shortest_path(G, source=None, target=None, weight=None, method="dijkstra"):
    if target is None and (source is None and VERSION < (3, 5) or weight is not None and VERSION < (3, 6)):
        return "this version of networkx answers in another form or order"
    return _check_shortest(G, source, target, weight, method)


@function(_check_shortest_path)
def shortest_path(G, source=None, target=None, weight=None, method="dijkstra"):
    _method(weight, method)
    if weight is None:
        if source is None and target is None:
            return all_pairs_shortest_path(G)
        if source is None:
            return G.turned().bfs_paths(_require(G, target, "Source {} not in G"), True, True, None)
        if target is None:
            return single_source_shortest_path(G, source)
        return bidirectional_shortest_path(G, source, target)
    if source is None:
        return all_pairs_dijkstra_path(G, weight=weight)
    if target is None:
        return single_source_dijkstra_path(G, source, weight=weight)
    return bidirectional_dijkstra(G, source, target, weight)[1]


@function(_check_shortest)
def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    _method(weight, method)
    if weight is None:
        if source is None and target is None:
            return all_pairs_shortest_path_length(G)
        if source is None:
            return G.turned().bfs_lengths(_require(G, target, "Source {} is not in G"), True, None)
        if target is None:
            return single_source_shortest_path_length(G, source)
        return len(bidirectional_shortest_path(G, source, target)) - 1
    if source is None:
        return all_pairs_dijkstra_path_length(G, weight=weight)
    if target is None:
        return single_source_dijkstra_path_length(G, source, weight=weight)
    return dijkstra_path_length(G, source, target, weight)


def _search(G, sources, weight, cutoff=None, target=None, all_parents=False):
    """Runs Dijkstra's algorithm from the nodes `sources`, which are in the graph."""
    _, values = G.long(weight, one_type=True, kernel=False)
    return _core.nx_dijkstra(G.core, values, [G.find(s) for s in sources], cutoff, target, all_parents)


def _sources(G, sources):
    if not sources:
        raise ValueError("sources must not be empty")
    for s in sources:
        _require(G, s, "Node {} not found in graph")
    return list(dict.fromkeys(sources))


def _weighted(weight):
    return "the weight is a function" if callable(weight) else True


@function(_weighted)
def multi_source_dijkstra(G, sources, target=None, cutoff=None, weight="weight"):
    starts = _sources(G, sources)
    if target is None:
        found = _search(G, starts, weight, cutoff)
        return found.lengths(len(starts)), found.paths()
    if target in sources:
        return 0, [target]
    number = G.find(target)
    found = _search(G, starts, weight, cutoff, number if number >= 0 else None)
    if number < 0 or found.last() != number:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return found.last_length(), found.path(number)


@function(_weighted)
def multi_source_dijkstra_path(G, sources, cutoff=None, weight="weight"):
    return multi_source_dijkstra(G, sources, cutoff=cutoff, weight=weight)[1]


@function(_weighted)
def multi_source_dijkstra_path_length(G, sources, cutoff=None, weight="weight"):
    starts = _sources(G, sources)
    return _search(G, starts, weight, cutoff).lengths(len(starts))


@function(_weighted)
def single_source_dijkstra(G, source, target=None, cutoff=None, weight="weight"):
    return multi_source_dijkstra(G, {source}, cutoff=cutoff, target=target, weight=weight)


@function(_weighted)
def single_source_dijkstra_path(G, source, cutoff=None, weight="weight"):
    return multi_source_dijkstra(G, {source}, cutoff=cutoff, weight=weight)[1]


@function(_weighted)
def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    return multi_source_dijkstra_path_length(G, {source}, cutoff=cutoff, weight=weight)


@function(_weighted)
def dijkstra_path(G, source, target, weight="weight"):
    return single_source_dijkstra(G, source, target=target, weight=weight)[1]


@function(_weighted)
def dijkstra_path_length(G, source, target, weight="weight"):
    _require(G, source, "Node {} not found in graph")
    if source == target:
        return 0
    number = G.find(target)
    found = _search(G, [source], weight, None, number if number >= 0 else None)
    if number < 0 or found.last() != number:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found.last_length()


@function(_weighted)
def dijkstra_predecessor_and_distance(G, source, cutoff=None, weight="weight"):
    _require(G, source, "Node {} is not found in the graph")
    found = _search(G, [source], weight, cutoff, None, True)
    return found.predecessors(), found.lengths(1)


@function(_weighted)
def bidirectional_dijkstra(G, source, target, weight="weight"):
    u = _require(G, source, "Source {} is not in G")
    v = _require(G, target, "Target {} is not in G")
    if source == target:
        return 0, [source]
    _, values = G.long(weight, one_type=True, kernel=False)
    if G.is_directed() and values is not None:
        raise cannot("weighted searches against directed arcs are left to networkx")
    found = _core.nx_bidirectional_dijkstra(G.turned(), values, u, v)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found


@function(_weighted)
def all_pairs_dijkstra(G, cutoff=None, weight="weight"):
    G.long(weight, one_type=True, kernel=False)  # refuses weights at once, not at the first item
    return ((node, single_source_dijkstra(G, node, cutoff=cutoff, weight=weight)) for node in G.nodes)


@function(_weighted)
def all_pairs_dijkstra_path(G, cutoff=None, weight="weight"):
    G.long(weight, one_type=True, kernel=False)  # refuses weights at once, not at the first item
    return ((node, single_source_dijkstra_path(G, node, cutoff=cutoff, weight=weight)) for node in G.nodes)


@function(_weighted)
def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight"):
    G.long(weight, one_type=True, kernel=False)  # refuses weights at once, not at the first item
    return ((node, single_source_dijkstra_path_length(G, node, cutoff=cutoff, weight=weight)) for node in G.nodes)


def _connected(G):
    count = _core.nx_component_count(G.kernel(), G.is_directed())
    return count == 1


def distance_sums(G, weight):
    """Returns the sum of all distances of a connected graph."""
    kernel, values = G.long(weight)
    n = len(G)
    scores = _core.closeness(kernel, weights=length(values))[0].tolist()
    sums = ((n - 1) / score if score else 0 for score in scores)
    if values is None or values.whole:
        return sum(map(round, sums))
    return math.fsum(sums)


def distances_of(G, weight):
    """Returns by node the sum of its distances in a connected graph without directions, of weights that are whole."""
    kernel, values = G.long(weight)
    if values is not None and not values.whole:
        raise cannot("sums of weights that are not whole are left to networkx")
    n = len(G)
    return [round((n - 1) / score) if score else 0
            for score in _core.closeness(kernel, weights=length(values))[0].tolist()]


def _check_average(G, weight=None, method=None):
    if callable(weight):
        return "the weight is a function"
    if method not in (None, "unweighted", "dijkstra"):
        return f"method {method} is left to networkx"
    return True


@function(_check_average)
def average_shortest_path_length(G, weight=None, method=None):
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    if not _connected(G):
        raise nx.NetworkXError(
            "Graph is not strongly connected." if G.is_directed() else "Graph is not connected.")
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    return distance_sums(G, None if method == "unweighted" else weight) / (n * (n - 1))


@function(lambda G, weight=None: not callable(weight))
def wiener_index(G, weight=None):
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    if not _connected(G):
        return math.inf
    kernel, values = G.long(weight, one_type=True)
    if len(G) == 1:
        total = 0
    else:
        total = distance_sums(G, weight)
    return total if G.is_directed() else total / 2


@function()
def global_efficiency(G):
    n = len(G)
    if n * (n - 1) == 0:
        return 0
    return math.fsum(_core.closeness(G.kernel(), harmonic=True)[0].tolist()) / (n * (n - 1))


def _eccentricities(G, weight):
    if len(G) == 0:
        if VERSION < (3, 7):
            return {}
        raise cannot("a graph without nodes is left to networkx")  # 3.7 has an exception for it
    kernel, values = G.long(weight)
    if values is not None and not values.whole:
        raise cannot("eccentricities over weights that are not whole are left to networkx")
    if not _connected(G):
        raise nx.NetworkXError("Found infinite path length because the digraph is not strongly connected"
                               if G.is_directed() else "Found infinite path length because the graph is not connected")
    made = _core.eccentricities(kernel, "out" if G.is_directed() else "both", values is not None)[0]
    return dict(zip(G.nodes, made.astype("int64").tolist()))


def _check_eccentricity(G, v=None, sp=None, weight=None):
    if v is not None or sp is not None:
        return "eccentricities of some nodes, or from given distances, are left to networkx"
    return "the weight is a function" if callable(weight) else True


def _check_measure(G, e=None, usebounds=False, weight=None):
    if e is not None or usebounds:
        return "given eccentricities and bounds are left to networkx"
    return "the weight is a function" if callable(weight) else True


@function(_check_eccentricity)
def eccentricity(G, v=None, sp=None, weight=None):
    return _eccentricities(G, weight)


@function(_check_measure)
def diameter(G, e=None, usebounds=False, weight=None):
    return max(_eccentricities(G, weight).values())


@function(_check_measure)
def radius(G, e=None, usebounds=False, weight=None):
    return min(_eccentricities(G, weight).values())


@function(_check_measure)
def periphery(G, e=None, usebounds=False, weight=None):
    found = _eccentricities(G, weight)
    most = max(found.values())
    return [v for v, e in found.items() if e == most]


@function(_check_measure)
def center(G, e=None, usebounds=False, weight=None):
    if weight is None and not G.is_directed() and (not len(G) or G.core.arcs - G.core.loops == 2 * (len(G) - 1)):
        raise cannot("centres of trees are left to networkx")
    found = _eccentricities(G, weight)
    least = min(found.values())
    return [v for v, e in found.items() if e == least]
