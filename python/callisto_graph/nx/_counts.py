"""What NetworkX counts over nodes, neighbours, triads and distances; matrices; neighbourhoods."""

import itertools
import math
from collections import Counter

import networkx as nx
import numpy as np

from .. import _core
from ._derived import _degrees, _edges, _simple
from ._graph import cannot, refuse, steps
from ._paths import _connected
from ._registry import VERSION, function
from ._structure import _LOOPS
from ._traversal import _not_empty, maximal_matching


def _unweighted(weight=None):
    return True if weight is None else "weights are left to networkx"


def _all_nodes(nodes=None, weight=None):
    return True if nodes is None and weight is None else "some nodes, and weights, are left to networkx"


# Degrees


def _degree_of(G, kind):
    return G.core.degrees(G.copies(), "out" in kind, "in" in kind)


@function(_all_nodes)
def average_neighbor_degree(G, source="out", target="out", nodes=None, weight=None):
    kinds = ("in", "out", "in+out")
    if not G.is_directed():
        if source != "out" or target != "out":
            raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
        source = target = "in+out"
    for name, kind in (("source", source), ("target", target)):
        if kind not in kinds:
            raise nx.NetworkXError(f"{name} argument {kind} must be 'in', 'out' or 'in+out'")
    degrees, wanted = _degree_of(G, source), _degree_of(G, target)
    sums = [0] * len(G)
    for side in ("out", "in") if G.is_directed() else ("out",):
        if side in source:
            sums = [a + b for a, b in zip(sums, _core.nx_sums_over_neighbours(G.core, wanted, side == "in"))]
    return {v: total / degree if degree else 0.0 for v, total, degree in zip(G.nodes, sums, degrees)}


@function(_all_nodes)
def average_degree_connectivity(G, source="in+out", target="in+out", nodes=None, weight=None):
    kinds = ("in", "out", "in+out")
    if G.is_directed():
        if source not in kinds:
            raise nx.NetworkXError('source must be one of "in", "out", or "in+out"')
        if target not in kinds:
            raise nx.NetworkXError('target must be one of "in", "out", or "in+out"')
    elif source != "in+out" or target != "in+out":
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    degrees, wanted = _degree_of(G, source), _degree_of(G, target)
    sums, norms = {}, {}
    for k, s in zip(degrees, _core.nx_sums_over_neighbours(G.core, wanted, source == "in")):
        sums[k] = sums.get(k, 0) + s
        norms[k] = norms.get(k, 0) + k
    return {k: total if norms[k] == 0 else total / norms[k] for k, total in sums.items()}


@function(_all_nodes)
def degree_assortativity_coefficient(G, x="out", y="in", weight=None, nodes=None):
    if G.is_directed() and not {x, y} <= {"in", "out"}:
        raise cannot("other degrees are left to networkx")
    kinds = (x, y) if G.is_directed() else ("in+out", "in+out")
    moments = _core.nx_degree_moments(G.core, *(_degree_of(G, kind) for kind in kinds), G.copies())
    m, sx, sy, sxx, syy, sxy = map(int, moments)
    spread_x, spread_y = m * sxx - sx * sx, m * syy - sy * sy
    if max(moments) > 2**53 or min(spread_x, spread_y) <= 0:
        raise cannot("degrees that are all alike, or very large, are left to networkx")
    return (m * sxy - sx * sy) / (math.sqrt(spread_x) * math.sqrt(spread_y))


def _check_club(normalized=True):
    return "comparison with random graphs is left to networkx" if normalized else True


@function(_check_club)
def rich_club_coefficient(G, normalized=True, Q=100, seed=None):
    if G.core.loops:
        raise Exception("rich_club_coefficient is not implemented for graphs with self loops.")  # as networkx
    if not G.core.arcs:
        return {}
    degrees = np.bincount(G.core.degrees(None, True, True))
    above = (len(G) - np.cumsum(degrees)).tolist()
    edges = _core.nx_edges_above_degrees(G.core)
    return {d: 2 * (edges[d] if d < len(edges) else 0) / (n * (n - 1)) for d, n in enumerate(above) if n > 1}


@function(lambda G: _simple(G))
def s_metric(G):
    _, _, _, _, _, products = _core.nx_degree_moments(G.core, _degrees(G), _degrees(G), None)
    if G.is_directed():
        return float(products)
    degrees = _degrees(G)
    loops = sum(degrees[G.find(v)] ** 2 for v in G.nodes if v in G._adjacency[v]) if G.core.loops else 0
    return float((products + loops) / 2)


def _check_reciprocity(G, nodes=None):
    if nodes is not None or G.is_multigraph() or not G.is_directed():
        return "some nodes, parallel edges and graphs without directions are left to networkx"
    return True


@function(_check_reciprocity)
def overall_reciprocity(G):
    if not G.core.arcs:
        raise nx.NetworkXError("Not defined for empty graphs")
    return _core.nx_mutual_arcs(G.core) / G.core.arcs


@function(_check_reciprocity)
def reciprocity(G, nodes=None):
    return overall_reciprocity(G)


@function(_simple)
def number_of_selfloops(G):
    return G.core.loops


@function()
def isolates(G):
    return (v for v, degree in zip(G.nodes, _degrees(G)) if degree == 0)


@function()
def number_of_isolates(G):
    return _degrees(G).count(0)


@function()
def is_regular(G):
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    if not G.is_directed():
        return len(set(_degree_of(G, "in+out"))) == 1
    return len(set(_degree_of(G, "in"))) == 1 and len(set(_degree_of(G, "out"))) == 1


def _odd_ends(G):
    """Returns how many nodes of a graph with edges both ways have odd degrees."""
    return sum(degree % 2 for degree in _degree_of(G, "in+out"))


def _is_eulerian(G):
    if G.is_directed():
        return _degree_of(G, "in") == _degree_of(G, "out") and _connected(G)
    return not _odd_ends(G) and _connected(G)


def _has_path(G):
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    if _is_eulerian(G):
        return True
    if not G.is_directed():
        return _odd_ends(G) == 2 and _connected(G)
    more = [o - i for o, i in zip(_degree_of(G, "out"), _degree_of(G, "in"))]
    return (set(more) <= {-1, 0, 1} and more.count(1) <= 1 and more.count(-1) <= 1
            and _core.nx_component_count(G.kernel(), False) == 1)


def _no_source(source=None):
    return True if source is None else "paths from a given node are left to networkx"


@function(_no_source)
def has_eulerian_path(G, source=None):
    return _has_path(G)


@function()
def is_semieulerian(G):
    return _has_path(G) and not _is_eulerian(G)


# Triads and neighbours


@function(lambda G, nodelist=None: nodelist is None or "triads of some nodes are left to networkx")
def triadic_census(G, nodelist=None):
    triads = nx.algorithms.triads
    codes, single, twofold = _core.nx_triads(G.core)
    census = {name: 0 for name in triads.TRIAD_NAMES}
    for code, count in enumerate(codes):
        census[triads.TRICODE_TO_NAME[code]] += count
    census["012"] += single
    census["102"] += twofold
    n = len(G)
    census["003"] = n * (n - 1) * (n - 2) // 6 - sum(census.values())
    return census


@function(lambda G, nodes=None: nodes is None or "some nodes are left to networkx")
def generalized_degree(G, nodes=None):
    refuse(G, "multigraph")
    offsets, shared = _core.nx_shared_neighbours(G.core)
    return {v: Counter(shared[first:last]) for v, (first, last) in zip(G.nodes, itertools.pairwise(offsets))}


@function()
def girth(G):
    if G.core.loops:
        raise cannot("loops are left to networkx")
    return _core.nx_girth(G.core) or math.inf


@function()
def local_efficiency(G):
    if len(G) == 0:
        raise ZeroDivisionError("division by zero")
    return _core.nx_local_efficiency(G.core)


def _check_holes(G, nodes=None, weight=None):
    if nodes is not None or G.is_multigraph():
        return "some nodes, and parallel edges, are left to networkx"
    return "the weight is a function" if callable(weight) else True


def _holes(G, weight, constraint):
    values = G.values(weight)
    if len(G) == 0 or G.core.loops or values is not None and values.smallest <= 0:
        raise cannot("graphs without nodes, loops, and weights that are not above 0 are left to networkx")
    return G.by_node(_core.nx_structural_holes(G.core, values, constraint))


@function(_check_holes)
def constraint(G, nodes=None, weight=None):
    return _holes(G, weight, True)


@function(_check_holes)
def effective_size(G, nodes=None, weight=None):
    # NetworkX's form for matrices divides by the strongest tie of the other end, its form for one node by that of this.
    if G.is_directed() or G.values(weight) is not None:
        raise cannot("directions and weights are left to networkx")
    return _holes(G, weight, False)


@function()
def onion_layers(G):
    if G.core.loops:
        raise nx.NetworkXNotImplemented(_LOOPS.replace("has self", "contains self"))
    return _core.nx_onion_layers(G.core)


@function(lambda G, number_of_nodes=None: _simple(G))
def voterank(G, number_of_nodes=None):
    n = len(G)
    if n == 0 or not G.core.arcs:
        return []
    if number_of_nodes is None or number_of_nodes > n:
        number_of_nodes = n
    mean = sum(G.core.degrees(None, True, not G.is_directed())) / n
    return _core.nx_vote_rank(G.core, max(0, number_of_nodes), mean)


# Distances of all pairs


def _distance_sum(G, weights, squared=False):
    _not_empty(G)
    if not _connected(G):
        return None
    return sum(_core.nx_distance_sums(G.core, weights, squared))


@function(_unweighted)
def gutman_index(G, weight=None):
    if "weight" in G:
        raise cannot("networkx mistakes a node of this name")
    _not_empty(G)
    if not _connected(G):
        return math.inf
    degrees = _degrees(G)
    each = _core.nx_distance_sums(G.core, degrees, False)
    return sum(a * b for a, b in zip(degrees, each)) / 2


@function(_unweighted)
def schultz_index(G, weight=None):
    if "weight" in G:
        raise cannot("networkx mistakes a node of this name")
    total = _distance_sum(G, _degrees(G))
    return math.inf if total is None else 2 * total / 2


@function(_unweighted)
def hyper_wiener_index(G, weight=None):
    total = _distance_sum(G, [], True)
    return math.inf if total is None else total / 2


# Matrices


def _entries(G, weight):
    """Returns (offsets, targets, values) of the rows; parallel edges are added up."""
    values = G.copies() if weight is None else G.values(weight)
    if values is None:
        values = G.copies()
    kernel = G.kernel() if values is None else G.kernel(values, True)
    offsets, targets, entries = kernel.out_rows()
    whole = values is None or values.whole
    if entries is None or not len(entries):
        entries = np.ones(len(targets))
    return offsets.astype(np.int64), targets, entries.astype(np.int64 if whole and len(targets) else np.float64)


def _check_matrix(nodelist=None, dtype=None, weight="weight", format="csr"):
    if nodelist is not None or dtype is not None or format not in ("csr", "csc"):
        return "some nodes, given types and other formats are left to networkx"
    return "the weight is a function" if callable(weight) else True


@function(_check_matrix)
def to_scipy_sparse_array(G, nodelist=None, dtype=None, weight="weight", format="csr"):
    import scipy as sp

    n = len(G)
    if n == 0:
        raise nx.NetworkXError("Graph has no nodes or edges")
    offsets, targets, entries = _entries(G, weight)
    made = sp.sparse.csr_array((entries, targets.astype(np.int32), offsets.astype(np.int32)), shape=(n, n))
    return made if format == "csr" else made.asformat(format)


def _check_array(nodelist=None, dtype=None, order=None, multigraph_weight=sum, weight="weight", nonedge=0.0):
    usual = nodelist is None and dtype is None and order is None and multigraph_weight is sum
    if not usual or type(nonedge) is not float or callable(weight):
        return "some nodes, given types and sums are left to networkx"
    return True


@function(_check_array)
def to_numpy_array(G, nodelist=None, dtype=None, order=None, multigraph_weight=sum, weight="weight", nonedge=0.0):
    n = len(G)
    made = np.full((n, n), nonedge)
    if G.core.arcs:
        offsets, targets, entries = _entries(G, weight)
        made[np.repeat(np.arange(n), np.diff(offsets)), targets] = entries
    return made


# Choices and neighbourhoods


@function()
def min_maximal_matching(G):
    refuse(G, "directed", "multigraph")
    return maximal_matching(G)


@function()
def min_edge_dominating_set(G):
    if len(G) == 0:
        raise ValueError("Expected non-empty NetworkX graph!")
    refuse(G, "directed", "multigraph")
    return maximal_matching(G)


def _check_ego(G, undirected=False, distance=None):
    if distance is not None or undirected and (G.is_directed() or VERSION < (3, 6)):
        return "distances, and ignored directions, are left to networkx"
    return True


@function(_check_ego)
def ego_graph(G, n, radius=1, center=True, undirected=False, distance=None):
    number = G.find(n)
    if number < 0:
        raise nx.NodeNotFound(f"Source {n} is not in G")
    made = G.source.subgraph(G.core.bfs_lengths(number, False, steps(radius))).copy()
    if not center:
        made.remove_node(n)
    return made


@function(_simple)
def partition_quality(G, partition):
    group = [-1] * len(G)
    for number, community in enumerate(partition):
        for node in community:
            if node in G:
                group[G.find(node)] = number
    if -1 in group or sum(map(len, partition)) != len(G):
        raise nx.NetworkXError("`partition` is not a valid partition of the nodes of G")
    n, edges = len(G), _edges(G)
    offsets, targets, _ = G.kernel().out_rows()
    groups = np.array(group)
    source = np.repeat(np.arange(n), np.diff(offsets.astype(np.int64)))
    inside = int(np.count_nonzero(groups[source] == groups[targets]))
    if not G.is_directed():
        inside = (inside - G.core.loops) // 2 + G.core.loops
    apart = sum(len(a) * len(b) for a, b in itertools.combinations(partition, 2)) * (2 if G.is_directed() else 1)
    pairs = n * (n - 1) if G.is_directed() else n * (n - 1) // 2
    return inside / edges, (inside + apart - (edges - inside)) / pairs
