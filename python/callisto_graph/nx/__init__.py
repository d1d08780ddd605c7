"""The NetworkX backend "callisto": set NETWORKX_BACKEND_PRIORITY=callisto, and NetworkX's functions run here.

NetworkX loads this module on first use. Its functions have NetworkX's names and parameters."""

import inspect
from importlib.util import find_spec

from networkx.utils.backends import _registered_algorithms

from . import _centrality, _paths, _structure, _traversal  # noqa: F401  (they register their functions)
from ._graph import Graph, convert_from_nx, convert_to_nx
from ._registry import FUNCTIONS, ONCE, VERSION, adapted


def _parameters(name):
    """Returns the parameters of NetworkX's function; none if this NetworkX does not have it."""
    found = _registered_algorithms.get(name)
    return {} if found is None else inspect.signature(found.orig_func).parameters


globals().update({name: adapted(entry[0], _parameters(name)) for name, entry in FUNCTIONS.items()})

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
    check = FUNCTIONS[name][2]
    if check is None:
        return True
    try:
        return check(*args, **kwargs) or "these arguments are left to networkx"
    except TypeError:
        return True  # the call itself will tell


#: Parameters that end a search early, or ask for some nodes only; by function, the arguments before the first of them.
ENDS = ("cutoff", "target", "nodes")
PARTIAL = {"average_clustering": 1, "clustering": 1, "square_clustering": 1, "triangles": 1,
           **{name: 2 for name in FUNCTIONS if "_source_dijkstra" in name or name.startswith("dijkstra_pred")}}


#: NetworkX computes these by scipy, which a user of ours need not have.
BY_SCIPY = frozenset({"eigenvector_centrality_numpy", "hits", "pagerank"})
HAS_SCIPY = find_spec("scipy") is not None


def _graph_of(args, kwargs):
    return args[0] if args else next(iter(kwargs.values()), None)


def should_run(name, args, kwargs):
    """Returns True, or why NetworkX is faster: for small graphs, and for one look at a graph not yet converted."""
    graph = _graph_of(args, kwargs)
    if isinstance(graph, Graph) or name in BY_SCIPY and not HAS_SCIPY:
        return True
    least = FUNCTIONS[name][1]
    if name in PARTIAL and (len(args) > PARTIAL[name] or any(kwargs.get(k) is not None for k in ENDS)):
        least = ONCE
    cache = getattr(graph, "__networkx_cache__", None)
    converted = bool(cache and cache.get("backends", {}).get("callisto"))
    if least is ONCE and not converted:
        return "one look at the graph takes less time than its conversion"
    rows = graph._adj
    if converted:
        least = 500 if least is ONCE else min(least, 500)
    arcs = len(rows)
    if arcs < least:
        arcs = sum(map(len, rows.values()))
    return True if arcs >= least else f"the graph has fewer than {least} nodes or edges"
