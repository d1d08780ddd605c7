"""Functions that follow from what other kernels find: trees, attracting components, all shortest paths, sums."""

import math

import networkx as nx
from networkx.algorithms.shortest_paths.generic import _build_paths_from_predecessors

from .. import _core
from ._graph import cannot, refuse
from ._paths import _connected, _require, _search, _weighted, dijkstra_predecessor_and_distance, distances_of, predecessor
from ._registry import function


def _simple(G):
    return "parallel edges are left to networkx" if G.is_multigraph() else True


def _edges(G):
    """Returns the number of edges of a graph without parallel ones."""
    arcs, loops = G.core.arcs, G.core.loops
    return arcs if G.is_directed() else (arcs - loops) // 2 + loops


def _degrees(G, outgoing=True, incoming=True):
    return G.core.degrees(None, outgoing, incoming)


# Trees


def _some_nodes(G):
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")


@function(_simple)
def is_tree(G):
    _some_nodes(G)
    return len(G) - 1 == _edges(G) and _core.nx_component_count(G.kernel(), False) == 1


@function(_simple)
def is_forest(G):
    _some_nodes(G)
    if hasattr(G.source, "_graph"):
        raise cannot("networkx counts the edges of subgraphs of a view, which may have more than the view")
    return _edges(G) == len(G) - _core.nx_component_count(G.kernel(), False)


@function(_simple)
def is_arborescence(G):
    return is_tree(G) and max(_degrees(G, outgoing=False)) <= 1


@function(_simple)
def is_branching(G):
    return is_forest(G) and max(_degrees(G, outgoing=False)) <= 1


@function(_simple)
def is_eulerian(G):
    if G.is_directed():
        balanced = list(_degrees(G, incoming=False)) == list(_degrees(G, outgoing=False))
    else:
        balanced = all(degree % 2 == 0 for degree in _degrees(G))
    if not balanced:
        return False
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _connected(G)


# Strong components


@function()
def attracting_components(G):
    for component in G.core.strong_components():
        if all(component.issuperset(G._adjacency[v]) for v in component):
            yield component


@function()
def number_attracting_components(G):
    return sum(1 for _ in attracting_components(G))


@function()
def is_attracting_component(G):
    found = list(attracting_components(G))
    return len(found) == 1 and len(found[0]) == len(G)


@function(check=lambda G, weight=None: _simple(G) if weight is None else "weights are left to networkx")
def flow_hierarchy(G, weight=None):
    if not G.core.arcs:
        raise nx.NetworkXError("flow_hierarchy not applicable to empty graphs")
    if not G.is_directed():
        raise nx.NetworkXError("G must be a digraph in flow_hierarchy")
    inside = sum(w in component for component in G.core.strong_components() for v in component for w in G._adjacency[v])
    return 1 - inside / G.core.arcs


# Paths


def _check_all(weight=None, method="dijkstra"):
    if weight is None or method == "dijkstra":
        return _weighted(weight)
    return f"method {method} is left to networkx"


@function(_check_all)
def all_shortest_paths(G, source, target, weight=None, method="dijkstra"):
    if weight is None:
        before = predecessor(G, source)
    else:
        before = dijkstra_predecessor_and_distance(G, source, weight=weight)[0]
    return _build_paths_from_predecessors({source}, target, before)


def _without_weights(weight=None):
    return True if weight is None else "weights are left to networkx"


@function(_without_weights)
def single_source_all_shortest_paths(G, source, weight=None, method="dijkstra"):
    before = predecessor(G, source)
    for node in before:
        yield node, list(_build_paths_from_predecessors({source}, node, before))


@function(_without_weights)
def all_pairs_all_shortest_paths(G, weight=None, method="dijkstra"):
    for node in G.nodes:
        yield node, dict(single_source_all_shortest_paths(G, node))


def _length_between(G, source, target, weight):
    """Returns the length of a shortest path, None if there is none."""
    number = G.find(target)
    found = _search(G, [source], weight, None, number if number >= 0 else None)
    return found.last_length() if number >= 0 and found.last() == number else None


@function(_weighted)
def bellman_ford_path_length(G, source, target, weight="weight"):
    if source == target:
        _require(G, source, "Node {} not found in graph")
        return 0
    _require(G, source, "Source {} not in G")
    found = _length_between(G, source, target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return found


def _check_star(heuristic=None, weight="weight", cutoff=None):
    if heuristic is not None or cutoff is not None:
        return "a heuristic and a cutoff are left to networkx"
    return _weighted(weight)


@function(_check_star)
def astar_path_length(G, source, target, heuristic=None, weight="weight", *, cutoff=None):
    if source not in G or target not in G:
        raise nx.NodeNotFound(f"Either source {source} or target {target} is not in G")
    values = G.values(weight)
    if values is not None and not values.whole:
        raise cannot("networkx adds weights that are not whole in another way")
    found = _length_between(G, source, target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found


# Distances of all pairs


def _check_barycenter(G, weight=None, attr=None, sp=None):
    if attr is not None or sp is not None:
        return "given distances and attributes are left to networkx"
    if G.is_directed():
        return "directions are left to networkx"
    return _weighted(weight)


@function(_check_barycenter)
def barycenter(G, weight=None, attr=None, sp=None):
    if len(G) == 0 or weight is None and (G.is_multigraph() or _edges(G) == len(G) - 1):
        raise cannot("centres of trees are left to networkx")
    G.long(weight)  # refuses weights that NetworkX's searches refuse
    if not _connected(G):
        raise nx.NetworkXNoPath(f"Input graph {G.source} is disconnected, so every induced subgraph has infinite "
                                "barycentricity.")
    sums = distances_of(G, weight)
    least = min(sums)
    return [v for v, total in zip(G.nodes, sums) if total == least]


@function(lambda G, sp=None, weight=None: sp is None and weight is None)
def harmonic_diameter(G, sp=None, *, weight=None):
    n = len(G)
    total = math.fsum(_core.closeness(G.kernel(), harmonic=True)[0].tolist()) if n else 0
    if total != 0:
        return n * (n - 1) / total
    return math.inf if n > 1 else math.nan


def _check_reaching(G, paths=None, weight=None):
    if weight is not None or paths is not None:
        return "weights and given paths are left to networkx"
    return True if G.is_directed() else "graphs without directions are left to networkx"


def _reaching(G):
    if not G.core.arcs:
        raise nx.NetworkXError("Size of G must be positive")
    if len(G) == 1:
        raise nx.NetworkXError("local_reaching_centrality of a single node with self-loop not well-defined")


@function(_check_reaching)
def local_reaching_centrality(G, v, paths=None, weight=None, normalized=True):
    _reaching(G)
    number = _require(G, v, "Source {} not in G")
    return (len(G.core.bfs_lengths(number, False, None)) - 1) / (len(G) - 1)


@function(_check_reaching)
def global_reaching_centrality(G, weight=None, normalized=True):
    _reaching(G)
    reached = [len(G.core.bfs_lengths(number, False, None)) - 1 for number in range(len(G))]
    shares = [count / (len(G) - 1) for count in reached]
    most = max(shares)
    return sum(most - share for share in shares) / (len(G) - 1)


# Pairs


@function()
def preferential_attachment(G, ebunch=None):
    refuse(G, "directed", "multigraph")
    degrees = dict(zip(G.nodes, _degrees(G)))
    if ebunch is None:
        ebunch = nx.non_edges(G.source)
    else:
        for pair in ebunch:
            for node in pair:
                if node not in G:
                    raise nx.NodeNotFound(f"Node {node} not in G.")
    return ((u, v, degrees[u] * degrees[v]) for u, v in ebunch)
