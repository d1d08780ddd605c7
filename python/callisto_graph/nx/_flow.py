"""Flows between two nodes, and what they tell about connectivity."""

import networkx as nx

from .. import _core
from ._graph import cannot
from ._registry import function
from ._traversal import _not_empty


def _check_flow(flow_func=None):
    return "a function of its own is left to networkx" if flow_func is not None else True


def _ends(G, s, t):
    for node in (s, t):
        if node not in G:
            raise nx.NetworkXError(f"node {node!s} not in graph")
    if s == t:
        raise nx.NetworkXError("source and sink are the same node")
    if G.is_multigraph():
        raise nx.NetworkXError("MultiGraph and MultiDiGraph not supported (yet).")
    return G.find(s), G.find(t)


def _flow(G, s, t, capacity, options):
    """Returns (value, numbers of the nodes on t's side of the least cut)."""
    if options:
        raise cannot("options of flow functions are left to networkx")
    source, target = _ends(G, s, t)
    values = G.capacities(capacity)
    if not values.whole:
        raise cannot("capacities that are not whole are left to networkx, which adds them in another order")
    kernel, finite = G.bounded(capacity)
    value, beyond, _ = _core.nx_flow(kernel, source, target, True)
    if value > finite:
        raise nx.NetworkXUnbounded("Infinite capacity path, flow unbounded above.")
    return int(value), beyond


@function(_check_flow)
def maximum_flow_value(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    return _flow(flowG, _s, _t, capacity, kwargs)[0]


@function(_check_flow)
def minimum_cut_value(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    return _flow(flowG, _s, _t, capacity, kwargs)[0]


@function(_check_flow)
def minimum_cut(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    value, beyond = _flow(flowG, _s, _t, capacity, kwargs)
    beyond = {flowG.nodes[v] for v in beyond}
    return value, (set(flowG.nodes) - beyond, beyond)


def _check_cut(flow_func=None, auxiliary=None, residual=None):
    given = flow_func is not None or auxiliary is not None or residual is not None
    return "given flows and networks are left to networkx" if given else True


@function(_check_cut)
def minimum_st_edge_cut(G, s, t, flow_func=None, auxiliary=None, residual=None):
    if not G.core.arcs:
        raise cannot("graphs without edges are left to networkx")
    for node in (s, t):
        if node not in G:
            raise nx.NetworkXError(f"node {node!s} not in graph")
    if s == t:
        raise nx.NetworkXError("source and sink are the same node")
    _, _, cut = _core.nx_flow(G.kernel(), G.find(s), G.find(t), False)
    return {(G.nodes[u], G.nodes[v]) for u, v in cut}


def _check_connectivity(flow_func=None, cutoff=None):
    return "a given function and a cutoff are left to networkx" if flow_func is not None or cutoff is not None else True


def _dominating(G):
    """Returns the numbers of nodes of which each other node is a neighbour."""
    offsets, targets, _ = G.kernel().out_rows()
    offsets, targets = offsets.tolist(), targets.tolist()
    covered, made = bytearray(len(G)), []
    for v in sorted(range(len(G)), key=lambda v: offsets[v] - offsets[v + 1]):
        if not covered[v]:
            made.append(v)
            covered[v] = 1
            for u in targets[offsets[v]:offsets[v + 1]]:
                covered[u] = 1
    return made


@function(_check_connectivity)
def edge_connectivity(G, s=None, t=None, flow_func=None, cutoff=None):
    if (s is None) != (t is None):
        raise nx.NetworkXError("Both source and target must be specified.")
    if s is not None:
        for node in (s, t):
            if node not in G:
                raise nx.NetworkXError(f"node {node} not in graph")
        if s == t or not G.core.arcs:
            raise cannot("one node twice, and graphs without edges, are left to networkx")
        return int(_core.nx_flow(G.kernel(), G.find(s), G.find(t), False)[0])
    if G.is_multigraph() or G.core.loops or len(G) < 2:
        raise cannot("parallel edges, loops and single nodes are left to networkx")
    _not_empty(G)
    if _core.nx_component_count(G.kernel(), False) != 1:
        return 0
    least = min(G.core.degrees(None, True, True))
    if G.is_directed():
        pairs = [(v, (v + 1) % len(G)) for v in range(len(G))]
    else:
        first, *others = _dominating(G)
        pairs = [(first, v) for v in others]
    for u, v in pairs:
        if least:
            least = min(least, int(_core.nx_flow(G.kernel(), u, v, False)[0]))
    return least


