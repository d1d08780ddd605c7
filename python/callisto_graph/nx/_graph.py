"""The backend's graph: numbers for nodes, rows of neighbours, and the NetworkX graph that they were read from."""

import functools
import inspect
import math
import random
import weakref

import networkx as nx

from .. import _core
from .._changing import ChangingGraph
from .._graph import Graph as OwnGraph

CLASSES = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
_CLASSES = frozenset(CLASSES)

#: What a subclass of a graph may have of its own and still be read as NetworkX reads it.
_INDIFFERENT = frozenset("""
__annotations__ __class__ __class_getitem__ __dict__ __doc__ __eq__ __firstlineno__ __format__ __hash__ __init__
__init_subclass__ __module__ __networkx_backend__ __new__ __reduce__ __reduce_ex__ __repr__ __setstate__ __getstate__
__sizeof__ __slots__ __static_attributes__ __str__ __subclasshook__ __weakref__ name to_directed_class
to_undirected_class
""".split())


def cannot(why):
    """Returns the exception that makes NetworkX ask the next backend."""
    return NotImplementedError(f"callisto: {why}")


def refuse(G, *kinds):
    """Raises what NetworkX's @not_implemented_for raises, for a graph of one of the kinds "directed", "multigraph"."""
    for kind in kinds:
        if G.is_directed() if kind == "directed" else G.is_multigraph():
            raise nx.NetworkXNotImplemented(f"not implemented for {kind} type")


@functools.lru_cache(maxsize=1000)
def _own_members(cls):
    """Returns the members of NetworkX's class that a subclass has replaced, apart from those that are indifferent."""
    base = next(known for known in reversed(CLASSES) if issubclass(cls, known))
    return frozenset(name for name in dir(base) if name not in _INDIFFERENT
                     and inspect.getattr_static(cls, name) is not inspect.getattr_static(base, name))


def _is_factory(name):
    return name.endswith("_factory")


def _is_writer(name):
    return name.startswith(("add_", "remove_", "clear", "update", "new_edge_key"))


def unreadable(graph):
    """Returns why the graph's dictionaries may not be what NetworkX's functions see of it; None if they are."""
    if type(graph) in _CLASSES:
        return None
    if not isinstance(graph, nx.Graph):
        return f"{type(graph).__name__} is no graph of networkx"
    own = [name for name in _own_members(type(graph)) if not _is_factory(name) and not _is_writer(name)]
    return f"the class {type(graph).__name__} has {min(own)} of its own" if own else None


def is_kept(graph):
    """True if a conversion of the graph may be kept: if its methods, which clear the cache, are all that changes it.

    Views change with the graph that they show. A class may change its dictionaries by methods, or by dictionaries, of
    its own."""
    return (type(graph._adj) is dict and not hasattr(graph, "_graph")
            and (type(graph) in _CLASSES or not _own_members(type(graph))))


def _conversions(graph):
    """Returns NetworkX's dictionary of this backend's conversions of a graph."""
    cache = getattr(graph, "__networkx_cache__", None)
    return cache.get("backends", {}).get("callisto", {}) if cache else {}


def has_conversion(graph):
    """True if NetworkX keeps a conversion of the graph."""
    return any(isinstance(made, Graph) for made in list(_conversions(graph).values()))


def _are_checked():
    """True if users ask that values of edges are compared in each call."""
    return bool(getattr(getattr(nx.config.backends, "callisto", None), "check", False))


def forget_replaced(graph):
    """Drops conversions of other dictionaries than the graph has: of earlier ones, or of the graph that it copies. If
    users ask for it, drops those of other values of edges, too."""
    kept = _conversions(graph)
    if kept and any(isinstance(made, Graph) and not (made.is_of(graph) and (not _are_checked() or made.is_current()))
                    for made in list(kept.values())):
        kept.clear()


#: Callisto's own graphs never change.
_taken = weakref.WeakKeyDictionary()


def taken(graph):
    """Returns a graph that a caller passed, one of Callisto's own converted."""
    if type(graph) in _CLASSES:
        return graph
    if isinstance(graph, OwnGraph):
        if graph not in _taken:
            _taken[graph] = Graph(graph.to_networkx())
        return _taken[graph]
    return Graph(graph.to_graph().to_networkx()) if isinstance(graph, ChangingGraph) else graph


def converting(implementation):
    """Returns a function of the backend that also takes Callisto's own graphs."""

    @functools.wraps(implementation)
    def call(G, *args, **kwargs):
        return implementation(G if type(G) is Graph else taken(G), *args, **kwargs)

    return call


def unseeded(seed):
    """Returns True if the caller gave no seed. A seed promises NetworkX's own random choices, which kernels do not
    make."""
    return True if seed is None or seed is random._inst else "a seed asks for networkx's own choices"


def _plain_dicts(adjacency, multigraph):
    """Copies an adjacency of views, or of dictionaries of other types, into plain ones."""
    if multigraph:
        return {u: {v: {k: dict(d) for k, d in keys.items()} for v, keys in row.items()}
                for u, row in adjacency.items()}
    return {u: {v: dict(d) for v, d in row.items()} for u, row in adjacency.items()}


def _are_symmetric(adjacency):
    """True if each end of every edge has the other one: in filtered views one can be without."""
    return all(u in adjacency[v] for u, row in adjacency.items() for v in row if v in adjacency)


def _are_transposed(adjacency, predecessors):
    """True if the arcs that lead out are those that come in: directed views of undirected ones need not have that."""
    return ({(u, v) for u, row in adjacency.items() for v in row}
            == {(u, v) for v, row in predecessors.items() for u in row})


def _values_are_symmetric(adjacency, multigraph, attribute):
    """True if both ends of every edge have the same values of an attribute: an undirected view of opposite arcs shows
    those of one arc from one end, those of the other arc from the other end."""

    def values(data):
        if multigraph:
            return {key: None if attribute is None else one.get(attribute, 1) for key, one in data.items()}
        return data.get(attribute, 1)

    try:
        return all(values(data) == values(adjacency[v][u]) for u, row in adjacency.items() for v, data in row.items())
    except (KeyError, ValueError):  # an end without the edge, or values such as arrays
        return False


class Graph:
    """A converted graph. Functions of the backend take it; to others NetworkX passes what `convert_to_nx` returns."""

    __networkx_backend__ = "callisto"

    def __init__(self, source):
        self.source = source
        self._directed = source.is_directed()
        self._multigraph = source.is_multigraph()
        self._read_from = source._adj, getattr(source, "_pred", None)
        self._adjacency = source._adj
        try:
            core = _core.NxGraph(self._adjacency, self._directed, self._multigraph)
        except NotImplementedError:
            self._adjacency = _plain_dicts(self._adjacency, self._multigraph)
            if not self._directed and not _are_symmetric(self._adjacency):
                raise cannot("an edge is there from one of its ends only") from None
            if self._directed and not _are_transposed(self._adjacency, source._pred):
                raise cannot("an edge leads out of a node and does not come in at another, or the reverse") from None
            core = _core.NxGraph(self._adjacency, self._directed, self._multigraph)
        self.core = core
        self.nodes = self.core.nodes
        self.graph = source.graph
        self._values = {}
        self._kernels = {}
        self._turned = not self._directed
        self.__networkx_cache__ = {}

    def is_of(self, graph):
        """True if this was read from the graph, and from the dictionaries that it has. A shallow copy shares these, and
        may count otherwise: it keeps views of the graph that it copies."""
        if self.source is not graph or "core" not in vars(self):
            return False
        return graph._adj is self._read_from[0] and getattr(graph, "_pred", None) is self._read_from[1]

    def is_current(self):
        """True if the edges have the values that were read, and no row is longer or shorter."""
        for key, values in list(self._values.items()):
            is_capacity = isinstance(key, tuple) and key[:1] == ("capacity",)
            try:
                now = self._read(key[1], math.inf) if is_capacity else self._read(key)
            except RuntimeError:  # NotImplementedError, too
                return False
            if not now.same(values):
                return False
        return True

    # NetworkX keeps a conversion in the graph: pickles and deep copies of the one hold the other.

    def __getstate__(self):
        return {"source": self.source}

    def __setstate__(self, state):
        self.source = state["source"]  # it may not be complete yet

    def __getattr__(self, name):
        if name.startswith("__") or "source" not in vars(self) or "core" in vars(self):
            raise AttributeError(f"a converted graph has no attribute {name!r}")
        self.__init__(self.source)
        return getattr(self, name)

    def is_directed(self):
        return self._directed

    def is_multigraph(self):
        return self._multigraph

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __contains__(self, node):
        return self.core.find(node) >= 0

    def number_of_nodes(self):
        return len(self.nodes)

    def find(self, node):
        """Returns the number of a node, negative for a stranger."""
        return self.core.find(node)

    def values(self, attribute, one_type=False):
        """Returns the values of an attribute of the edges, or None if all are the int 1.

        `one_type`: refuses a mix of ints and floats, of which sums have either type."""
        if attribute is None:
            return None
        if callable(attribute):
            raise cannot("the weight is a function")
        found = self._values.get(attribute)
        if found is None:
            found = self._values[attribute] = self._read(attribute)
        if found.unit and found.whole:
            return None
        if one_type and not (found.whole or found.real):
            raise cannot("the weights are ints and floats")
        return found

    def copies(self):
        """Returns the numbers of parallel edges; None if there are none."""
        if not self._multigraph:
            return None
        if None not in self._values:
            self._values[None] = self._read(None)
        return self._values[None]

    def _read(self, attribute, missing=1):
        adjacency = self._adjacency
        try:
            found = self.core.values(adjacency, attribute, missing)
        except NotImplementedError:
            if adjacency is not self.source._adj or type(self.source) in CLASSES:
                raise
            adjacency = _plain_dicts(adjacency, self._multigraph)
            found = self.core.values(adjacency, attribute, missing)
        if (not self._directed and adjacency is not self.source._adj
                and not _values_are_symmetric(adjacency, self._multigraph, attribute)):
            raise cannot("an edge has another weight from its other end")
        return found

    def capacities(self, attribute):
        """Returns the values of an attribute of the edges, infinity for edges that have none."""
        key = "capacity", attribute
        if key not in self._values:
            self._values[key] = self._read(attribute, math.inf)
        return self._values[key]

    def bounded(self, attribute):
        """Returns (kernel graph, sum of all finite capacities): infinite ones are larger than that."""
        key = "capacity", attribute
        if key not in self._kernels:
            values = self.capacities(attribute)
            finite = values.bound_capacities()
            if finite > 2**52:
                raise cannot("the sum of the capacities is beyond 2^52")
            self._kernels[key] = values.graph(self.core, False), finite
        return self._kernels[key]

    def kernel(self, values=None, sums=False):
        """Returns the graph for kernels: without weights, with the least of parallel edges, or with their sums."""
        key = (values, sums)
        if key not in self._kernels:
            self._kernels[key] = self.core.graph() if values is None else values.graph(self.core, sums)
        return self._kernels[key]

    def strong(self, attribute, negative=False):
        """Returns (kernel graph, weights) with weights as strengths of ties, those of parallel edges added up."""
        values = self.copies() if attribute is None else self.values(attribute)
        if values is None:
            values = self.copies()
        if values is None:
            return self.kernel(), None
        if values.smallest < 0 and not negative:
            raise cannot("a weight is negative")
        return self.kernel(values, True), values

    def long(self, attribute, above=False, one_type=False, kernel=True):
        """Returns (kernel graph, weights) with weights as lengths: of parallel edges the least counts."""
        values = self.values(attribute, one_type)
        if values is not None and (values.smallest < 0 or (above and values.smallest == 0)):
            raise cannot("a weight is not above 0" if above else "a weight is negative")
        return self.kernel(values) if kernel else None, values

    def turned(self):
        """Returns the core with rows of predecessors in NetworkX's order."""
        if not self._turned:
            try:
                self.core.walk_predecessors(self.source._pred)
            except NotImplementedError:
                self.core.walk_predecessors(_plain_dicts(self.source._pred, self._multigraph))
            self._turned = True
        return self.core

    def by_node(self, array):
        """Returns a dictionary of Python numbers, in the order of the nodes."""
        return dict(zip(self.nodes, array.tolist()))


def strength(values):
    """Returns how a kernel of ties uses the values of the edges' weights; None: there are none."""
    return "none" if values is None else "strength"


def length(values):
    """Returns how a kernel of paths uses the values of the edges' weights; None: there are none."""
    return "none" if values is None else "length"


def convert_from_nx(graph, edge_attrs=None, node_attrs=None, preserve_edge_attrs=False, preserve_node_attrs=False,
                    preserve_graph_attrs=False, name=None, graph_name=None):
    """Returns the backend's graph. Reads the values of `edge_attrs` at once; further ones when they are asked for."""
    graph = taken(graph)
    if isinstance(graph, Graph):
        return graph
    if not is_kept(graph) and getattr(graph, "__networkx_cache__", None) is not None:
        graph.__networkx_cache__ = None  # NetworkX then keeps nothing
    made = Graph(graph)
    for attribute in edge_attrs or ():
        made.values(attribute)
    return made


def convert_to_nx(result, name=None):
    """Returns a graph as a NetworkX graph, anything else as it is."""
    result = taken(result)
    return result.source.copy() if isinstance(result, Graph) else result


def steps(cutoff):
    """Returns the depth of a search that goes on while `cutoff` exceeds the level; None: no end."""
    if cutoff is None or cutoff == math.inf:
        return None
    return max(0, math.ceil(cutoff))
