"""The NetworkX backend "callisto": set NETWORKX_BACKEND_PRIORITY=callisto, and NetworkX's functions run here.

NetworkX loads this module on first use. Its functions have NetworkX's names and parameters."""

import inspect
from importlib.util import find_spec

from networkx.utils.backends import _registered_algorithms

from . import _centrality, _derived, _paths, _structure, _traversal  # noqa: F401  (they register their functions)
from ._graph import (Graph, convert_from_nx, convert_to_nx, converting, forget_replaced, has_conversion, is_kept,
                     taken, unreadable)
from ._registry import FUNCTIONS, ONCE, VERSION, Binding, adapted


def _parameters(name):
    """Returns the parameters of NetworkX's function; ours if this NetworkX does not have it."""
    found = _registered_algorithms.get(name)
    return inspect.signature(FUNCTIONS[name][0] if found is None else found.orig_func).parameters


globals().update({name: converting(adapted(entry[0], _parameters(name))) for name, entry in FUNCTIONS.items()})

#: Parameters that end a search early, or ask for some nodes only; and the functions that have them and are not ONCE.
ENDS = ("cutoff", "target", "nodes")
PARTIAL = frozenset(name for name in FUNCTIONS
                    if "clustering" in name or name == "triangles" or "_source_dijkstra" in name
                    or name.startswith("dijkstra_pred"))

#: By name: the parameters of the function's check, what binds the arguments of a call to them, and to ENDS.
CHECKED = {name: tuple(inspect.signature(entry[2]).parameters) if entry[2] else () for name, entry in FUNCTIONS.items()}
BINDINGS = {name: Binding(_parameters(name), CHECKED[name]) for name in FUNCTIONS}
BOUND_ENDS = {name: Binding(_parameters(name), ENDS) for name in PARTIAL}

__all__ = ["Graph", "can_run", "convert_from_nx", "convert_to_nx", "should_run", *FUNCTIONS]


#: NetworkX 3.5 changed the order or the type of what these return.
CHANGED_IN_3_5 = frozenset("""
all_pairs_dijkstra all_pairs_dijkstra_path multi_source_dijkstra multi_source_dijkstra_path single_source_dijkstra
single_source_dijkstra_path single_target_shortest_path_length square_clustering
""".split())


def can_run(name, args, kwargs):
    """Returns True, or why the backend cannot answer this call."""
    if VERSION < (3, 4):
        return "the backend needs NetworkX 3.4"
    if VERSION < (3, 5) and name in CHANGED_IN_3_5:
        return "networkx 3.4 answers in another form or order"
    if VERSION >= (3, 7) and name == "bfs_predecessors":
        return "networkx warns that it is deprecated"
    binding = BINDINGS[name]
    graph = taken(binding.graph_of(args, kwargs))
    if not isinstance(graph, Graph):
        if why := unreadable(graph):
            return why
        forget_replaced(graph)
    check = FUNCTIONS[name][2]
    if check is None:
        return True
    bound = binding(args, kwargs)
    if "G" in CHECKED[name]:
        bound["G"] = graph
    try:
        return check(**bound) or "these arguments are left to networkx"
    except TypeError:
        return True  # the call itself will tell


#: NetworkX computes these by scipy, which a user of ours need not have.
BY_SCIPY = frozenset({"eigenvector_centrality_numpy", "hits", "pagerank"})
HAS_SCIPY = find_spec("scipy") is not None

#: By name: ends of edges a node below which NetworkX may be faster: it iterates less, or has little to look at.
DENSE_ENOUGH = {"hits": 4, "k_truss": 4}


def should_run(name, args, kwargs):
    """Returns True, or why NetworkX is faster: for small graphs, and for one look at a graph not yet converted."""
    graph = BINDINGS[name].graph_of(args, kwargs)
    if isinstance(graph, Graph) or name in BY_SCIPY and not HAS_SCIPY:
        return True
    least = FUNCTIONS[name][1]
    if name in PARTIAL and any(end is not None for end in BOUND_ENDS[name](args, kwargs).values()):
        least = ONCE
    converted = has_conversion(graph) and is_kept(graph)
    if least is ONCE and not converted:
        return "one look at the graph takes less time than its conversion"
    rows = graph._adj
    if name in DENSE_ENOUGH and sum(map(len, rows.values())) < DENSE_ENOUGH[name] * len(rows):
        return "networkx may be faster on a graph as sparse"
    if converted:
        least = 500 if least is ONCE else min(least, 500)
    arcs = len(rows)
    if arcs < least:
        arcs = sum(map(len, rows.values()))
    return True if arcs >= least else f"the graph has fewer than {least} nodes or edges"
