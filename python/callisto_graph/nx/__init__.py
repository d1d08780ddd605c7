"""The NetworkX backend "callisto": set NETWORKX_BACKEND_PRIORITY=callisto, and NetworkX's functions run here.

NetworkX loads this module on first use. Its functions have NetworkX's names and parameters."""

import inspect
import warnings
from importlib.util import find_spec

import networkx

try:
    from networkx.utils.backends import _registered_algorithms
except ImportError:
    raise ImportError(f"networkx {networkx.__version__} is too old: expected 3.4 or newer "
                      "(pip install 'networkx>=3.4')") from None

from . import (_centrality, _counts, _derived, _flow, _negative, _order, _paths, _structure,  # noqa: F401
               _traversal)  # they register their functions
from ._cost import LAZY, is_inside, is_never_first, limits_of, share_of, size_of, worth
from ._graph import (Graph, convert_from_nx, convert_to_nx, converting, forget_replaced, has_conversion, is_kept,
                     taken, unreadable)
from ._registry import FUNCTIONS, VERSION, Binding, adapted


if VERSION < (3, 4):
    warnings.warn(f"networkx {networkx.__version__} is too old for the backend callisto, which leaves all calls to it: "
                  "expected 3.4 or newer (pip install 'networkx>=3.4')", UserWarning, stacklevel=2)


def _parameters(name):
    """Returns the parameters of NetworkX's function; ours if this NetworkX does not have it."""
    found = _registered_algorithms.get(name)
    return inspect.signature(FUNCTIONS[name][0] if found is None else found.orig_func).parameters


globals().update({name: converting(adapted(entry[0], _parameters(name))) for name, entry in FUNCTIONS.items()})

#: By name: the parameters of the function's check, and what binds the arguments of a call to them.
CHECKED = {name: tuple(inspect.signature(entry[1]).parameters) if entry[1] else () for name, entry in FUNCTIONS.items()}
BINDINGS = {name: Binding(_parameters(name), CHECKED[name]) for name in FUNCTIONS}
#: By name: what binds those arguments that may end a call early.
ENDS = {name: Binding(_parameters(name), limits_of(_parameters(name))) for name in FUNCTIONS}

__all__ = ["Graph", "can_run", "convert_from_nx", "convert_to_nx", "should_run", *FUNCTIONS]


#: By version of NetworkX: functions of which it changed the order, the type or the value.
CHANGED = {
    (3, 5): frozenset("""
        all_pairs_all_shortest_paths constraint effective_size is_aperiodic single_source_all_shortest_paths
        single_target_shortest_path_length square_clustering
        """.split()),
    (3, 6): frozenset("""
        all_pairs_dijkstra all_pairs_dijkstra_path johnson multi_source_dijkstra multi_source_dijkstra_path
        single_source_dijkstra single_source_dijkstra_path
        """.split()),
}
#: The functions that this NetworkX answers otherwise than a later one.
EARLIER = frozenset().union(*(names for version, names in CHANGED.items() if VERSION < version))


def can_run(name, args, kwargs):
    """Returns True, or why the backend cannot answer this call."""
    if VERSION < (3, 4):
        return "the backend needs NetworkX 3.4"
    if name in EARLIER:
        return "this version of networkx answers in another form or order"
    if VERSION >= (3, 7) and name == "bfs_predecessors":
        return "networkx warns that it is deprecated"
    binding = BINDINGS[name]
    graph = taken(binding.graph_of(args, kwargs))
    if not isinstance(graph, Graph):
        if why := unreadable(graph):
            return why
        forget_replaced(graph)
    check = FUNCTIONS[name][1]
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


def should_run(name, args, kwargs):
    """Returns True, or why NetworkX is faster, by what such a call costs on a graph of this size: here with a conversion,
    or on the one that is kept, and there."""
    graph = BINDINGS[name].graph_of(args, kwargs)
    if isinstance(graph, Graph) or name in BY_SCIPY and not HAS_SCIPY:
        return True
    kept = has_conversion(graph) and is_kept(graph)
    given = ENDS[name](args, kwargs)
    share = 1.0
    if any(value is not None for value in given.values()):
        share = share_of(name, given, len(graph))
        if share is None:  # the call may end at once
            return True if kept else "a part of the graph takes less time than its conversion"
    if name in LAZY and not kept and is_inside():
        return "a search inside of another function may end soon"
    return worth(name, 0 if not kept and is_never_first(name) else size_of(graph._adj), kept, share)
