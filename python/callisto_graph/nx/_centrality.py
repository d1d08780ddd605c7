"""How important nodes and edges are."""

import math

import networkx as nx
import numpy as np

from .. import _core
from .._errors import NoCentralityError
from ._graph import cannot, length, strength
from ._paths import _connected
from ._registry import VERSION, function


def _check_pagerank(alpha, tol, weight, dangling):
    if dangling is not None:
        return "shares of dangling nodes are left to networkx"
    if callable(weight):
        return "the weight is a function"
    return True if 0 <= alpha < 1 and tol > 0 else "alpha or tol is out of range"


@function(_check_pagerank)
def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight", dangling=None):
    n = len(G)
    if n == 0:
        return {}
    kernel, values = G.strong(weight)
    if nstart is not None and not sum(nstart.get(v, 0) for v in G.nodes) > 0:
        raise cannot("a start without a sum above 0 is left to networkx")
    seeds = seed_weights = None
    if personalization is not None:
        wanted = [(v, float(personalization.get(node, 0))) for v, node in enumerate(G.nodes)]
        if any(not 0 <= w < math.inf for _, w in wanted):
            raise cannot("a personalization is negative or no number")
        wanted = [(v, w) for v, w in wanted if w > 0]
        if not wanted:
            raise ZeroDivisionError
        seeds = np.array([v for v, _ in wanted], np.uint64)
        seed_weights = np.array([w for _, w in wanted], np.float64)
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    # NetworkX stops at n * tol, which leaves few digits of large graphs; the kernel goes on at least to 1e-6.
    scores, _, change, _ = _core.pagerank(kernel, alpha, min(n * tol, 1e-6), max_iter, weights=strength(values),
                                          seeds=seeds, seed_weights=seed_weights)
    if change >= n * tol:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(scores)


def _lengths_above_0(G, weight):
    kernel, values = G.long(weight, above=True)
    return kernel, values is not None


def _betweenness(kernel, sample, normalized, weighted):
    return _core.betweenness(kernel, sources=np.array(sample, np.uint64) if sample else None, normalized=normalized,
                             weights="length" if weighted else "none")[0]


def _sample(G, k, seed):
    """Returns the numbers of NetworkX's own sample of k nodes; none for all."""
    if k is None:
        return []
    return [G.find(node) for node in seed.sample(list(G.nodes), k)]


def _check_betweenness(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    if endpoints and (k is not None or G.is_directed()):
        return "endpoints with samples or directed graphs are left to networkx"
    if k is not None and VERSION < (3, 6):
        return "samples are left to versions of networkx that scale them otherwise"
    return "the weight is a function" if callable(weight) else True


@function(_check_betweenness)
def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    n = len(G)
    if k == n:
        k = None
    sample = _sample(G, k, seed)
    if n < (2 if endpoints else 3):
        return dict.fromkeys(G.nodes, 0.0)
    if k == 0:
        raise ZeroDivisionError("division by zero")
    kernel, weighted = _lengths_above_0(G, weight)
    if not endpoints:
        made = G.by_node(_betweenness(kernel, sample, normalized, weighted))
        if k == 1:
            made[G.nodes[sample[0]]] = math.nan
        return made
    scores = _betweenness(kernel, [], False, weighted).tolist()
    size = {}
    for component in G.core.components():
        size.update(dict.fromkeys(component, len(component) - 1))
    scale = 2 / (n * (n - 1)) if normalized else 1.0
    return {v: (s + size[v]) * scale for v, s in zip(G.nodes, scores)}


def _check_edge_betweenness(G, k=None, normalized=True, weight=None, seed=None):
    if G.is_multigraph():
        return "edges of multigraphs are left to networkx"
    if k is not None and VERSION < (3, 6):
        return "samples are left to versions of networkx that scale them otherwise"
    return "the weight is a function" if callable(weight) else True


@function(_check_edge_betweenness)
def edge_betweenness_centrality(G, k=None, normalized=True, weight=None, seed=None):
    sample = _sample(G, k, seed)
    if len(G) < 2:
        return G.core.edge_dict([])
    if k == 0:
        raise ZeroDivisionError("division by zero")
    kernel, weighted = _lengths_above_0(G, weight)
    return G.core.edge_dict(_core.nx_edge_betweenness(kernel, sample, normalized, weighted))


def _check_closeness(G, u=None, distance=None, wf_improved=True):
    if not wf_improved and G.is_directed():
        return "closeness without the factor of Wasserman and Faust in directed graphs is left to networkx"
    return "the distance is a function" if callable(distance) else True


@function(_check_closeness)
def closeness_centrality(G, u=None, distance=None, wf_improved=True):
    if u is not None:
        raise cannot("the closeness of one node is left to networkx")
    kernel, values = G.long(distance)
    made = G.by_node(_core.closeness(kernel, weights=length(values))[0])
    if not wf_improved:
        n = len(G)
        for component in G.core.components():
            for v in component if len(component) > 1 else ():
                made[v] *= (n - 1) / (len(component) - 1)
    return made


def _check_harmonic(G, nbunch=None, distance=None, sources=None):
    if nbunch is not None or sources is not None:
        return "sums over some nodes are left to networkx"
    return "the distance is a function" if callable(distance) else True


@function(_check_harmonic)
def harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    kernel, values = G.long(distance)
    made = G.by_node(_core.closeness(kernel, harmonic=True, weights=length(values))[0])
    return {v: made[v] or 0 for v in set(G.nodes)}


def _irreducible(G, weight):
    """Returns the kernel graph of a connected graph of weights above 0, of which the eigenvector is unique."""
    kernel, values = G.strong(weight)
    if values is not None and values.smallest <= 0:
        raise cannot("a weight is not above 0")
    if not G.core.arcs or not _connected(G):
        raise cannot("the eigenvector of a graph that is not connected depends on the start")
    return kernel, strength(values)


@function(lambda G, max_iter=100, tol=1e-6, nstart=None, weight=None: nstart is None)
def eigenvector_centrality(G, max_iter=100, tol=1e-6, nstart=None, weight=None):
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    kernel, weights = _irreducible(G, weight or None)
    scores, *_, converged = _core.eigenvector(kernel, 1e-9, weights=weights)
    if not converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(scores)


@function(lambda G, weight=None, max_iter=50, tol=0: max_iter > 1)
def eigenvector_centrality_numpy(G, weight=None, max_iter=50, tol=0):
    if len(G) < 3:
        raise cannot("graphs of less than 3 nodes are left to networkx")
    kernel, weights = _irreducible(G, weight)
    scores, *_, converged = _core.eigenvector(kernel, 1e-13, weights=weights)
    if not converged:
        raise cannot("the iteration did not converge")
    return G.by_node(scores)


def _katz(G, alpha, beta, normalized, weight, tolerance):
    kernel, values = G.strong(weight)
    scores, *_, converged = _core.katz(kernel, alpha, beta, normalized, tolerance, weights=strength(values))
    return scores, converged


def _above_0(number):
    try:
        return 0 < float(number) < math.inf
    except (TypeError, ValueError):
        return False


def _check_katz(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1e-6, nstart=None, normalized=True, weight=None):
    return True if nstart is None and _above_0(alpha) and _above_0(beta) else "only alpha and beta above 0 are here"


@function(_check_katz)
def katz_centrality(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1e-6, nstart=None, normalized=True, weight=None):
    if len(G) == 0:
        return {}
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    try:
        scores, converged = _katz(G, alpha, float(beta), normalized, weight, 1e-9)
    except NoCentralityError:
        raise nx.PowerIterationFailedConvergence(max_iter) from None
    if not converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(scores)


def _check_katz_numpy(G, alpha=0.1, beta=1.0, normalized=True, weight=None):
    if not _above_0(alpha) or not _above_0(beta):
        return "only alpha and beta above 0 are here"
    # The largest eigenvalue is at least the mean degree: what cannot converge is not begun.
    if weight is None and type(G) is nx.Graph and len(G) and alpha * sum(map(len, G._adj.values())) > len(G):
        return "alpha is not below 1 / the largest eigenvalue"
    return True


@function(_check_katz_numpy)
def katz_centrality_numpy(G, alpha=0.1, beta=1.0, normalized=True, weight=None):
    if len(G) < 2:
        raise cannot("graphs of less than 2 nodes are left to networkx")
    try:
        scores, converged = _katz(G, alpha, float(beta), normalized, weight, 1e-13)
    except NoCentralityError:
        converged = False
    if not converged:
        raise cannot("alpha is not below 1 / the largest eigenvalue")
    return G.by_node(scores)


def _check_hits(G, max_iter=100, tol=1e-8, nstart=None, normalized=True):
    if nstart is not None or not normalized:
        return "a start, and scores that are not normalized, are left to networkx"
    return True


@function(_check_hits)
def hits(G, max_iter=100, tol=1e-8, nstart=None, normalized=True):
    if len(G) == 0:
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    if len(G) < 3 or not G.core.arcs:
        raise cannot("tiny graphs are left to networkx")
    kernel, values = G.strong("weight")
    if values is not None and values.largest <= 0:
        raise cannot("graphs without weight are left to networkx")
    hubs, authorities, *_, converged = _core.hits(kernel, 1e-9, 20 * max_iter, strength(values))
    if not converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(hubs), G.by_node(authorities)


def _degree_share(G, outgoing, incoming):
    if len(G) <= 1:
        return dict.fromkeys(G.nodes, 1)
    s = 1.0 / (len(G) - 1.0)
    return {v: d * s for v, d in zip(G.nodes, G.core.degrees(G.copies(), outgoing, incoming))}


@function()
def degree_centrality(G):
    return _degree_share(G, True, True)


@function()
def in_degree_centrality(G):
    return _degree_share(G, False, True)


@function()
def out_degree_centrality(G):
    return _degree_share(G, True, False)
