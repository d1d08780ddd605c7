"""The backend's graph: numbers for nodes, rows of neighbours, and the NetworkX graph that they were read from."""

import math
import random

import networkx as nx

from .. import _core

CLASSES = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)


def cannot(why):
    """Returns the exception that makes NetworkX ask the next backend."""
    return NotImplementedError(f"callisto: {why}")


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


class Graph:
    """A converted graph. Functions of the backend take it; to others NetworkX passes what `convert_to_nx` returns."""

    __networkx_backend__ = "callisto"

    def __init__(self, source):
        self.source = source
        self._directed = source.is_directed()
        self._multigraph = source.is_multigraph()
        self._adjacency = source._adj
        try:
            self.core = _core.NxGraph(self._adjacency, self._directed, self._multigraph)
        except NotImplementedError:
            self._adjacency = _plain_dicts(self._adjacency, self._multigraph)
            self.core = _core.NxGraph(self._adjacency, self._directed, self._multigraph)
        self.nodes = self.core.nodes
        self.graph = source.graph
        self._values = {}
        self._kernels = {}
        self._turned = not self._directed
        self.__networkx_cache__ = {}

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

    def _read(self, attribute):
        try:
            return self.core.values(self._adjacency, attribute)
        except NotImplementedError:
            if self._adjacency is not self.source._adj or type(self.source) in CLASSES:
                raise
        return self.core.values(_plain_dicts(self._adjacency, self._multigraph), attribute)

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
    if isinstance(graph, Graph):
        return graph
    made = Graph(graph)
    for attribute in edge_attrs or ():
        made.values(attribute)
    return made


def convert_to_nx(result, name=None):
    """Returns a graph as a NetworkX graph, anything else as it is."""
    return result.source.copy() if isinstance(result, Graph) else result


def steps(cutoff):
    """Returns the depth of a search that goes on while `cutoff` exceeds the level; None: no end."""
    if cutoff is None or cutoff == math.inf:
        return None
    return max(0, math.ceil(cutoff))
