"""Searches, orders and components, in NetworkX's order."""

import networkx as nx

from .. import _core
from ._graph import cannot, refuse, unseeded
from ._registry import VERSION, function


def _start(G, node):
    number = G.find(node)
    if number < 0:
        hash(node)
        raise nx.NetworkXError(f"The node {node} is not in the {'digraph' if G.is_directed() else 'graph'}.")
    return number


def _unsorted(sort_neighbors=None):
    return True if sort_neighbors is None else "sorted neighbours are left to networkx"


@function(_unsorted)
def bfs_edges(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    core = G.turned() if reverse else G.core
    yield from core.bfs_edges(_start(G, source), reverse, depth_limit)


@function(_unsorted)
def bfs_tree(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(bfs_edges(G, source, reverse, depth_limit))
    return tree


@function(_unsorted)
def bfs_predecessors(G, source, depth_limit=None, sort_neighbors=None):
    for u, v in bfs_edges(G, source, depth_limit=depth_limit):
        yield v, u


@function(_unsorted)
def bfs_successors(G, source, depth_limit=None, sort_neighbors=None):
    parent, children = source, []
    for u, v in bfs_edges(G, source, depth_limit=depth_limit):
        if u != parent:
            yield parent, children
            parent, children = u, []
        children.append(v)
    yield parent, children


@function()
def bfs_layers(G, sources):
    if sources in G:
        sources = [sources]
    first = list(dict.fromkeys(sources)) if VERSION < (3, 5) else list(set(sources))
    for node in first:
        if node not in G:
            raise nx.NetworkXError(f"The node {node} is not in the graph.")
    yield from G.core.bfs_layers([G.find(node) for node in first])


@function()
def descendants_at_distance(G, source, distance):
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if not isinstance(distance, int) or distance < 0:
        return set()
    if distance == 0:
        return {source}
    return G.core.bfs_set(G.find(source), False, distance)


@function()
def descendants(G, source):
    return G.core.bfs_set(_start(G, source), False, None)


@function()
def ancestors(G, source):
    return G.core.bfs_set(_start(G, source), True, None)


def _depth_first(G, source, depth_limit):
    return G.core.depth_first(None if source is None else _start(G, source), depth_limit)


@function(_unsorted)
def dfs_edges(G, source=None, depth_limit=None, *, sort_neighbors=None):
    yield from _depth_first(G, source, depth_limit)[1]


@function(_unsorted)
def dfs_tree(G, source=None, depth_limit=None, *, sort_neighbors=None):
    tree = nx.DiGraph()
    if source is None:
        tree.add_nodes_from(G.nodes)
    else:
        tree.add_node(source)
    tree.add_edges_from(_depth_first(G, source, depth_limit)[1])
    return tree


@function(_unsorted)
def dfs_predecessors(G, source=None, depth_limit=None, *, sort_neighbors=None):
    return {v: u for u, v in _depth_first(G, source, depth_limit)[1]}


@function(_unsorted)
def dfs_successors(G, source=None, depth_limit=None, *, sort_neighbors=None):
    made = {}
    for u, v in _depth_first(G, source, depth_limit)[1]:
        made.setdefault(u, []).append(v)
    return made


def _whole_depth(depth_limit=None, sort_neighbors=None):
    if depth_limit is not None:
        return "orders of a limited depth are left to networkx"
    return _unsorted(sort_neighbors)


@function(_whole_depth)
def dfs_preorder_nodes(G, source=None, depth_limit=None, *, sort_neighbors=None):
    yield from _depth_first(G, source, None)[0]


@function(_whole_depth)
def dfs_postorder_nodes(G, source=None, depth_limit=None, *, sort_neighbors=None):
    yield from _depth_first(G, source, None)[2]


@function()
def is_directed_acyclic_graph(G):
    return G.is_directed() and G.core.generations(G.copies())[1]


@function()
def is_bipartite(G):
    return G.core.two_colours()


def _not_empty(G):
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")


@function()
def connected_components(G):
    yield from G.core.components()


@function()
def weakly_connected_components(G):
    yield from G.core.components()


@function()
def number_connected_components(G):
    return _core.nx_component_count(G.kernel(), False)


@function()
def number_weakly_connected_components(G):
    return _core.nx_component_count(G.kernel(), False)


@function()
def is_connected(G):
    _not_empty(G)
    return _core.nx_component_count(G.kernel(), False) == 1


@function()
def is_weakly_connected(G):
    _not_empty(G)
    return _core.nx_component_count(G.kernel(), False) == 1


@function()
def node_connected_component(G, n):
    number = G.find(n)
    if number < 0:
        hash(n)
        raise KeyError(n)
    return G.core.component_of(number)


@function()
def strongly_connected_components(G):
    yield from G.core.strong_components()


@function()
def number_strongly_connected_components(G):
    return _core.nx_component_count(G.kernel(), True)


@function()
def is_strongly_connected(G):
    _not_empty(G)
    return _core.nx_component_count(G.kernel(), True) == 1


@function()
def maximal_matching(G):
    return G.core.matching()


def _check_colour(G, strategy="largest_first", interchange=False):
    if strategy != "largest_first" or interchange:
        return "only the strategy largest_first, without interchange, is here"
    return True


@function(_check_colour)
def greedy_color(G, strategy="largest_first", interchange=False):
    return G.core.colours(G.copies())


def _check_set(G, nodes=None, seed=None):
    return "sets around given nodes are left to networkx" if nodes else unseeded(seed)


@function(_check_set)
def maximal_independent_set(G, nodes=None, seed=None):
    if G.core.loops or not len(G):
        raise cannot("sets of empty graphs and graphs with loops are left to networkx")
    members = _core.nx_independent_set(G.kernel(), seed.getrandbits(63))
    return [G.nodes[v] for v in members]


def _check_tree(G, algorithm="kruskal"):
    if G.is_directed():
        return True  # refused as networkx refuses it
    if algorithm != "kruskal":
        return "only kruskal's algorithm is here"
    return "spanning trees of multigraphs are left to networkx" if G.is_multigraph() else True


def _forest(G, heaviest, weight, data):
    for u, v in G.core.kruskal(G.values(weight), heaviest):
        yield (u, v, G.source._adj[u][v]) if data else (u, v)


def _tree(G, heaviest, weight):
    refuse(G, "directed")
    G.values(weight)
    tree = G.source.__class__()
    tree.graph.update(G.source.graph)
    tree.add_nodes_from(G.source.nodes.items())
    tree.add_edges_from(_forest(G, heaviest, weight, True))
    return tree


@function(_check_tree)
def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    G.values(weight)
    return _forest(G, False, weight, data)


@function(_check_tree)
def maximum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    G.values(weight)
    return _forest(G, True, weight, data)


@function(_check_tree)
def minimum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    return _tree(G, False, weight)


@function(_check_tree)
def maximum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    return _tree(G, True, weight)
