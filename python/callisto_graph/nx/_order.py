"""Acyclic graphs, their orders and closures; biconnected components; a path by A*."""

import itertools

import networkx as nx

from .. import _core
from ._graph import cannot
from ._paths import _connected, _weighted
from ._registry import function
from ._traversal import _not_empty

_CYCLE = "Graph contains a cycle or graph changed during iteration"


def _acyclic(G):
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")


def _watch(G):
    """Returns a function that raises what networkx raises of a node if a caller has changed its edges since, between two
    items."""
    rows = G._adjacency
    lengths = {v: len(row) for v, row in rows.items()}

    def unchanged(node):
        if node not in rows:
            raise RuntimeError("Graph changed during iteration")
        if len(rows[node]) != lengths[node]:
            if any(head not in lengths for head in rows[node]):
                raise RuntimeError("Graph changed during iteration")
            raise nx.NetworkXUnfeasible(_CYCLE)

    return unchanged


@function()
def topological_generations(G):
    _acyclic(G)
    generations, whole = G.core.generations(G.copies())
    unchanged = _watch(G)
    for generation in generations:
        for node in generation:
            unchanged(node)
        yield generation
    if not whole:
        raise nx.NetworkXUnfeasible(_CYCLE)


@function()
def topological_sort(G):
    for generation in topological_generations(G):
        yield from generation


@function()
def lexicographical_topological_sort(G, key=None):
    ranks = None
    if G.is_directed():
        keys = G.nodes if key is None else [key(node) for node in G.nodes]
        try:
            if any(k != k for k in keys):
                raise cannot("keys that are not equal to themselves have no order")
            order = sorted(range(len(G)), key=keys.__getitem__)
        except TypeError:
            raise cannot("keys that cannot be compared are left to networkx") from None
        ranks = [0] * len(G)
        for rank, v in enumerate(order):
            ranks[v] = rank
    return _by_rank(G, ranks)


def _by_rank(G, ranks):
    _acyclic(G)
    nodes, whole = _core.nx_topological_by_rank(G.core, ranks)
    unchanged = _watch(G)
    for node in nodes:
        unchanged(node)
        yield node
    if not whole:
        raise nx.NetworkXUnfeasible(_CYCLE)


def _check_longest(weight="weight", default_weight=1, topo_order=None):
    if topo_order is not None or default_weight != 1 or type(default_weight) is not int:
        return "a given order and weights of edges without one are left to networkx"
    return _weighted(weight)


@function(_check_longest)
def dag_longest_path(G, weight="weight", default_weight=1, topo_order=None):
    values = G.values(weight)
    if values is not None and G.is_multigraph():
        raise cannot("weights of parallel edges are left to networkx")
    if not len(G):
        return []
    G.turned()
    path = _core.nx_longest_path(G.core, values)
    if path is None:
        raise nx.NetworkXUnfeasible(_CYCLE)
    return path


@function(_check_longest)
def dag_longest_path_length(G, weight="weight", default_weight=1):
    path = dag_longest_path(G, weight)
    if G.values(weight) is None:
        return max(0, len(path) - 1)
    length = 0
    for u, v in itertools.pairwise(path):
        length += G._adjacency[u][v].get(weight, 1)
    return length


@function(lambda G, reflexive=False: reflexive is False or "loops of their own are left to networkx")
def transitive_closure(G, reflexive=False):
    closure = G.source.copy()
    for node, heads in zip(G.nodes, _core.nx_reached_heads(G.core)):
        row = closure._adj[node]
        closure.add_edges_from([(node, head) for head in heads if head not in row])
    return closure


def _check_scc(scc=None):
    return True if scc is None else "given components are left to networkx"


@function(_check_scc)
def condensation(G, scc=None):
    mapping, members = {}, {}
    made = nx.DiGraph()
    made.graph["mapping"] = mapping
    if len(G) == 0:
        return made
    sets, arcs = _core.nx_condensed(G.core)
    for number, component in enumerate(sets):
        members[number] = component
        mapping.update((node, number) for node in component)
    made.add_nodes_from(range(len(sets)))
    made.add_edges_from(arcs)
    nx.set_node_attributes(made, members, "members")
    return made


@function()
def is_semiconnected(G):
    _not_empty(G)
    return _core.nx_component_count(G.kernel(), False) == 1 and _core.nx_is_chain(G.core)


@function()
def is_aperiodic(G):
    if not G.is_directed():
        raise nx.NetworkXError("is_aperiodic not defined for undirected graphs")
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    if not _connected(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    return _core.nx_period(G.core) == 1


@function()
def articulation_points(G):
    yield from _core.nx_articulation_points(G.core)


@function()
def biconnected_components(G):
    yield from _core.nx_block_sets(G.core)


@function()
def biconnected_component_edges(G):
    yield from _core.nx_block_edges(G.core)


def _check_star(heuristic=None, weight="weight", cutoff=None):
    if heuristic is not None or cutoff is not None:
        return "a heuristic and a cutoff are left to networkx"
    return _weighted(weight)


@function(_check_star)
def astar_path(G, source, target, heuristic=None, weight="weight", *, cutoff=None):
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    _, values = G.long(weight, kernel=False)
    path = _core.nx_star_path(G.core, values, G.find(source), G.find(target))
    if not path:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return path
