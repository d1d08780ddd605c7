"""Cores, triangles, similarity and communities."""

import itertools
import math

import networkx as nx

from .. import _core
from ._graph import cannot, refuse, unseeded
from ._registry import function

_LOOPS = ("Input graph has self loops which is not permitted; "
          "Consider using G.remove_edges_from(nx.selfloop_edges(G)).")


def _check_core(G, core_number=None):
    if G.is_directed() and (core_number is not None or not G.is_multigraph()):
        return "cores of directed graphs are left to networkx"
    return True


@function(_check_core, "core_number")
def core_number_(G):
    refuse(G, "multigraph")
    if G.core.loops:
        raise nx.NetworkXNotImplemented(_LOOPS)
    return G.by_node(_core.kcore(G.kernel())[0])


def _core_subgraph(G, chosen, k, core_number, lower=0):
    numbers = core_number_(G) if core_number is None else core_number
    if k is None:
        k = max(numbers.values()) - lower
    return G.source.subgraph(v for v in numbers if chosen(v, k, numbers)).copy()


@function(_check_core)
def k_core(G, k=None, core_number=None):
    return _core_subgraph(G, lambda v, k, c: c[v] >= k, k, core_number)


@function(_check_core)
def k_shell(G, k=None, core_number=None):
    return _core_subgraph(G, lambda v, k, c: c[v] == k, k, core_number)


@function(_check_core)
def k_crust(G, k=None, core_number=None):
    return _core_subgraph(G, lambda v, k, c: c[v] <= k, k, core_number, 1)


@function(_check_core)
def k_corona(G, k, core_number=None):
    rows = G.source._adj
    return _core_subgraph(G, lambda v, k, c: c[v] == k and k == sum(1 for w in rows[v] if c[w] >= k), k, core_number)


@function()
def k_truss(G, k):
    if G.core.loops:
        raise nx.NetworkXNotImplemented(_LOOPS)
    nodes = G.nodes
    kept = set()
    if len(G):
        ends = _core.nx_truss(G.kernel(), max(0, math.ceil(k)))
        for u, v in zip(*(a.tolist() for a in ends)):
            kept.add((u, v))
    number = {v: i for i, v in enumerate(nodes)}
    truss = G.source.copy()
    truss.remove_edges_from([(u, v) for u, v in G.source.edges()
                             if (min(number[u], number[v]), max(number[u], number[v])) not in kept])
    truss.remove_nodes_from(list(nx.isolates(truss)))
    return truss


def _check_bridges(G, root=None):
    if G.is_multigraph():
        return "bridges of multigraphs are left to networkx"
    return True if root is None else "bridges of one component are left to networkx"


def _blocks(G):
    if G.core.loops:
        raise cannot("blocks of graphs with loops are left to networkx")
    return _core.biconnected(G.kernel())


@function(_check_bridges)
def bridges(G, root=None):
    if not len(G):
        return iter(())
    source, target, block, sizes, _ = _blocks(G)
    chosen = sizes[block] == 2
    found = set(zip(source[chosen].tolist(), target[chosen].tolist()))
    number = {v: i for i, v in enumerate(G.nodes)}
    return ((u, v) for u, v in G.source.edges()
            if (min(number[u], number[v]), max(number[u], number[v])) in found)


@function(_check_bridges)
def has_bridges(G, root=None):
    return len(G) > 0 and 2 in _blocks(G)[3].tolist()


@function()
def is_biconnected(G):
    sizes = _blocks(G)[3].tolist() if len(G) else []
    return sizes == [len(G)]


def _chosen(G, nodes, found):
    """Returns the value of one node, those of some, or all."""
    if nodes is None:
        return found
    if nodes in G:
        return found[nodes]
    return {v: found[v] for v in G.source.nbunch_iter(nodes)}


def _check_triangles(G, nodes=None):
    if G.is_multigraph() and nodes is not None:
        return "triangles of some nodes of multigraphs are left to networkx"
    return True


@function(_check_triangles)
def triangles(G, nodes=None):
    return _chosen(G, nodes, G.by_node(_core.clustering(G.kernel())[0]))


def _check_clustering(G, weight):
    return "the weight is a function" if callable(weight) and not G.is_multigraph() else True


@function(_check_clustering)
def clustering(G, nodes=None, weight=None):
    refuse(G, "multigraph")
    values = G.values(weight)
    if values is not None:
        if values.smallest < 0 or values.largest <= 0:
            raise cannot("a weight is negative")
        if G.core.loops:
            raise cannot("weighted clustering with loops is left to networkx")
        made = _core.valued_clustering(G.kernel(values), G.is_directed(), True)[0]
    elif G.is_directed():
        made = _core.valued_clustering(G.kernel(), True, False)[0]
    else:
        made = _core.clustering(G.kernel())[1]
    return _chosen(G, nodes, {v: c or 0 for v, c in zip(G.nodes, made.tolist())})


@function(_check_clustering)
def average_clustering(G, nodes=None, weight=None, count_zeros=True):
    found = clustering(G, nodes, weight=weight).values()
    if not count_zeros:
        found = [c for c in found if abs(c) > 0]
    return sum(found) / len(found)


@function(lambda G: G.is_multigraph() or not G.is_directed())
def transitivity(G):
    refuse(G, "multigraph")
    return _core.clustering(G.kernel())[4] or 0


@function(lambda G, nodes=None: not G.is_directed())
def square_clustering(G, nodes=None):
    made = _core.nx_square_clustering(G.kernel()).tolist()
    return _chosen(G, nodes, {v: 0 if c < 0 else c for v, c in zip(G.nodes, made)})


def _check_pairs(ebunch=None):
    if ebunch is None or isinstance(ebunch, (list, tuple, set)):
        return True
    return "only a list, tuple or set of pairs is here"


def _valued(G, pairs, measure):
    numbers = [(G.find(u), G.find(v)) for u, v in pairs]
    values = _core.nx_alike(G.kernel(), numbers, measure, G.core.degrees(None, True, True) if measure > 1 else [])
    if any(map(math.isinf, values)):
        raise cannot("a logarithm is 0")
    return zip(pairs, values)


def _alike(G, ebunch, measure):
    """Returns ((u, v), value) for each pair; for None, for the pairs that are no edges, which may be too many for a
    list."""
    if ebunch is None:
        pairs = nx.non_edges(G.source)
        blocks = iter(lambda: list(itertools.islice(pairs, 4096)), [])
        return itertools.chain.from_iterable(_valued(G, block, measure) for block in blocks)
    for pair in ebunch:
        for node in pair:
            if node not in G:
                raise nx.NodeNotFound(f"Node {node} not in G.")
    return _valued(G, ebunch, measure)


@function(_check_pairs)
def jaccard_coefficient(G, ebunch=None):
    found = _alike(G, ebunch, 1)
    return ((u, v, 0 if p < 0 else p) for (u, v), p in found)


@function(_check_pairs)
def adamic_adar_index(G, ebunch=None):
    found = _alike(G, ebunch, 2)
    return ((u, v, p or 0) for (u, v), p in found)


@function(_check_pairs)
def resource_allocation_index(G, ebunch=None):
    found = _alike(G, ebunch, 3)
    return ((u, v, p or 0) for (u, v), p in found)


def _with_nearness(G, found, alpha):
    source, lengths = None, {}
    for (u, v), p in found:
        if u != source:
            source, lengths = u, G.core.bfs_lengths(G.find(u), False, None)
        yield u, v, alpha * int(p) + (1 - alpha) * len(G) / lengths.get(v, math.inf)


@function(_check_pairs)
def common_neighbor_centrality(G, ebunch=None, alpha=0.8):
    if ebunch is not None and any(u == v for u, v in ebunch):
        raise cannot("pairs of one node are left to networkx")
    found = _alike(G, ebunch, 0)
    return ((u, v, int(p)) for (u, v), p in found) if alpha == 1 else _with_nearness(G, found, alpha)


def _check_communities(G, weight="weight", resolution=1, threshold=1e-7, max_level=None, seed=None):
    if max_level is not None:
        return "levels are left to networkx"
    return "the weight is a function" if callable(weight) else unseeded(seed)


def _communities(G, leiden, weight, resolution, seed):
    if not G.core.arcs:
        return [{v} for v in G.nodes]
    kernel, _ = G.strong(weight)
    return G.core.sets_by(_core.nx_communities(kernel, leiden, resolution, seed.getrandbits(63)))


@function(_check_communities)
def louvain_communities(G, weight="weight", resolution=1, threshold=1e-7, max_level=None, seed=None):
    return _communities(G, False, weight, resolution, seed)


def _check_leiden(G, weight="weight", resolution=1, max_level=None, seed=None, metric="modularity", theta=0.01):
    return "levels and other qualities are left to networkx" if max_level is not None or metric != "modularity" else True


# From 3.7 on NetworkX has the function itself; `metric`, `theta` and another default quality came with it.
@function(_check_leiden)
def leiden_communities(G, weight="weight", resolution=1, max_level=None, seed=None, metric="modularity", theta=0.01):
    if metric != "modularity":
        raise cannot("other qualities are left to networkx")
    return _communities(G, True, weight, resolution, seed)


# On some views of multigraphs NetworkX fails.
@function(lambda G: not (G.is_multigraph() and hasattr(G, "_graph")))
def label_propagation_communities(G):
    return dict(enumerate(G.core.label_sets(G.copies()))).values()


@function(lambda G, communities, weight="weight", resolution=1: not callable(weight))
def modularity(G, communities, weight="weight", resolution=1):
    if not isinstance(communities, list):
        communities = list(communities)
    group = [0] * len(G)
    members = 0
    met = set()
    for community in communities:
        members += len(community)
        first = None
        for node in community:
            number = G.find(node)
            if number < 0:
                continue
            first = number if first is None else first
            met.add(number)
            group[number] = first
    if not len(G) == len(met) == members:
        raise nx.community.quality.NotAPartition(G.source, communities)
    kernel, values = G.strong(weight)
    if not G.core.arcs or (values is not None and values.largest <= 0):
        raise cannot("graphs without weight are left to networkx")
    return _core.nx_modularity(kernel, group, resolution)
