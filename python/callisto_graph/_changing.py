"""Graphs that change, and analyses that follow them."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._base import GraphBase, _NetworkXArgument
from ._columns import as_array, as_weights, is_missing
from ._errors import UsageError
from ._numbers import seed_of
from ._progress import Progress, reporting
from ._results import Groups, Values, VertexResult

if TYPE_CHECKING:
    from ._graph import Graph


class _Labels(GraphBase):
    """The labels that the vertices of a changing graph have at one moment."""

    __slots__ = ()

    def __init__(self, vertices: int, table: list[Hashable] | None) -> None:
        self._core = SimpleNamespace(vertices=vertices, has_labels=False)
        self._table = table
        self._array = None
        self._index = None


class ChangingGraph(_NetworkXArgument):
    """A graph with edges that come and go, and analyses that follow at the cost of what a change moves.

    Made by Graph.changing(), or empty by ChangingGraph(directed=...). An edge is there at most once, and has a weight.
    Vertices are called by labels, as in Graph; a label that is new becomes a vertex. Any number of analyses may follow
    one graph. Calls from several threads take turns. An update that has begun is not interrupted.
    """

    __slots__ = ("_core", "_lock", "_table", "_index", "_weighted")

    _core: Any
    _table: list[Hashable] | None  # by vertex; None: labels are 0 ... n - 1
    _index: dict[Hashable, int] | None  # of _table

    def __init__(self, *, directed: bool = False) -> None:
        """Makes a graph without vertices."""
        self._begin(_core.changing(directed), None, False)

    def _begin(self, core: Any, table: list[Hashable] | None, weighted: bool) -> None:
        self._core = core
        self._lock = threading.RLock()  # a new label becomes one vertex
        self._table = table
        self._index = None
        self._weighted = weighted

    @classmethod
    def _of(cls, graph: Graph, progress: Progress) -> ChangingGraph:
        made = cls.__new__(cls)
        core = _core.without_labels(graph._core) if graph._core.has_labels else graph._core
        with reporting(progress) as receiver:
            made._begin(_core.changing_from(core, receiver), None if graph.labels is None else graph.label_list(),
                        graph.weighted)
        return made

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return int(self._core.vertices)

    @property
    def edges(self) -> int:
        """The number of edges: of a directed graph its arcs."""
        return int(self._core.edges)

    @property
    def directed(self) -> bool:
        """Whether edges have directions."""
        return bool(self._core.directed)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"ChangingGraph({self.vertices} vertices, {self.edges} edges, {kind})"

    def __reduce__(self) -> Any:
        raise TypeError("a ChangingGraph cannot be pickled: its analyses hold it; pickle to_graph(), and begin anew by "
                        "changing()")

    def __len__(self) -> int:
        return self.vertices

    def __contains__(self, label: Hashable) -> bool:
        return self._find(label) is not None

    # Labels

    def _find(self, label: Hashable) -> int | None:
        if self._table is None:
            plain = isinstance(label, (int, np.integer)) and not isinstance(label, bool)
            return int(label) if plain and 0 <= label < self.vertices else None  # type: ignore[call-overload,operator]
        if self._index is None:
            self._index = {name: v for v, name in enumerate(self._table)}
        return self._index.get(label)

    def _vertex(self, label: Hashable) -> int:
        v = self._find(label)
        if v is None:
            raise KeyError(f"no vertex is called {label!r}")
        return v

    def _vertex_or_new(self, label: Hashable) -> int:
        v = self._find(label)
        if v is not None:
            return v
        if is_missing(label):
            raise UsageError(f"a vertex is missing ({label!r}): expected a label")
        with self._lock:
            v = self._find(label)
            return self._new(label) if v is None else v

    def _new(self, label: Hashable) -> int:
        v = self.vertices
        if self._table is None:
            if isinstance(label, (int, np.integer)) and not isinstance(label, bool) and label == v:
                self._core.grow(v + 1)
                return v
            self._index = {u: u for u in range(v)}
            self._table = list(self._index)
        assert self._index is not None  # _find() has made it
        label = label.item() if isinstance(label, np.generic) else label
        self._core.grow(v + 1)
        self._table.append(label)
        self._index[label] = v
        return v

    def _numbers(self, column: Any, name: str, new: bool) -> npt.NDArray[np.int64]:
        """Returns vertices for a column of labels; -1 for one that is unknown, if it is not to be `new`."""
        values = as_array(column, name)
        if self._table is None and values.dtype.kind in "iu" and len(values):
            if values.min() >= 0 and int(values.max()) < self.vertices:
                return values.astype(np.int64)
        if new:
            return np.fromiter((self._vertex_or_new(label) for label in values.tolist()), np.int64, len(values))
        found = (self._find(label) for label in values.tolist())
        return np.fromiter((-1 if v is None else v for v in found), np.int64, len(values))

    def _label(self, v: int) -> Any:
        return v if self._table is None else self._table[v]

    def _frozen(self, vertices: int) -> _Labels:
        return _Labels(vertices, None if self._table is None else self._table[:vertices])

    # Changes

    def add_vertex(self, label: Hashable) -> None:
        """Adds a vertex without edges, unless it is there."""
        self._vertex_or_new(label)

    def add_edge(self, source: Hashable, target: Hashable, weight: float = 1.0) -> None:
        """Adds an edge, or gives it another weight if it is there. Raises UsageError for a weight that is negative,
        infinite or NaN.
        """
        # NaN and infinity are refused before a new label becomes a vertex.
        if not 0 <= weight < float("inf"):
            raise UsageError(f"the weight is {weight}: expected a finite number of at least 0")
        self._core.set(self._vertex_or_new(source), self._vertex_or_new(target), float(weight))
        self._weighted = self._weighted or weight != 1

    def remove_edge(self, source: Hashable, target: Hashable) -> bool:
        """Removes an edge. Returns whether there was one; its ends stay."""
        u, v = self._find(source), self._find(target)
        return u is not None and v is not None and bool(self._core.set(u, v, None))

    def add_edges(self, source: Any, target: Any, weight: Any = None) -> None:
        """Adds the edges of columns, as add_edge() does, and far faster: arrays, series, or lists of labels.

        Raises UsageError, and changes nothing, if the lengths differ or a weight is negative, infinite or NaN.
        """
        weights = None if weight is None else as_weights(weight)
        u, v = as_array(source, "source"), as_array(target, "target")
        for name, column in (("target", v), ("weight", weights)):
            if column is not None and len(column) != len(u):
                raise UsageError(f"source has {len(u)} rows, {name} has {len(column)}")
        if weights is not None and not np.all((weights >= 0) & (weights < np.inf)):
            row = int(np.flatnonzero(~((weights >= 0) & (weights < np.inf)))[0])
            raise UsageError(f"weight of row {row} is {weights[row]}: expected a finite number of at least 0")
        self._core.set_edges(self._numbers(u, "source", True), self._numbers(v, "target", True), weights, False)
        self._weighted = self._weighted or weights is not None and bool(np.any(weights != 1))

    def remove_edges(self, source: Any, target: Any) -> int:
        """Removes the edges of columns. Returns how many there were."""
        u, v = self._numbers(source, "source", False), self._numbers(target, "target", False)
        if len(u) != len(v):
            raise UsageError(f"source has {len(u)} rows, target has {len(v)}")
        known = (u >= 0) & (v >= 0)
        return int(self._core.set_edges(u[known], v[known], None, True))

    def weight(self, source: Hashable, target: Hashable) -> float | None:
        """Returns the weight of an edge, or None if there is none."""
        u, v = self._find(source), self._find(target)
        return None if u is None or v is None else self._core.weight(u, v)

    def to_graph(self) -> Graph:
        """Returns the graph as it is now, for every other kernel. It costs a copy."""
        from ._graph import Graph

        offsets, targets, weights = self._core.rows()
        core = _core.from_rows(offsets, targets, weights if self._weighted else None, self.directed, False, "keep", None)
        return Graph(core, None if self._table is None else self._table[:core.vertices])

    # Analyses

    def pagerank(self, *, damping: float = 0.85, tolerance: float = 1e-3, weights: str | None = "strength",
                 progress: Progress = None) -> ChangingPageRank:
        """Computes PageRank, and returns it as an analysis that follows the graph.

        tolerance: all scores together are off by about this at most (L1).
        weights: "strength": an edge is followed with the share that its weight has; None: all edges alike. An edge
        without a weight has the weight 1.
        """
        if weights not in (None, "strength"):
            raise UsageError(f"weights is {weights!r}: expected 'strength' or None")
        with reporting(progress) as receiver:
            return ChangingPageRank(self, _core.follow_pagerank(self._core, damping, tolerance, weights or "none", receiver))

    def components(self, *, progress: Progress = None) -> ChangingComponents:
        """Finds the connected components, and returns them as an analysis that follows the graph; directions do not
        count.
        """
        with reporting(progress) as receiver:
            return ChangingComponents(self, _core.follow_components(self._core, receiver))

    def communities(self, *, method: str = "leiden", resolution: float = 1.0, seed: int = 1,
                    weights: str | None = "strength", progress: Progress = None) -> ChangingCommunities:
        """Finds communities by modularity, and returns them as an analysis that follows the graph.

        method: "leiden" or "louvain". weights: "strength", or None: all edges alike. After changes of one edge in 16
        all communities are found anew; update() returns all vertices then.
        """
        if method not in ("leiden", "louvain"):
            raise UsageError(f"method is {method!r}: expected 'leiden' or 'louvain'")
        if weights not in (None, "strength"):
            raise UsageError(f"weights is {weights!r}: expected 'strength' or None")
        with reporting(progress) as receiver:
            return ChangingCommunities(self, _core.follow_communities(
                self._core, method, float(resolution), seed_of(seed), weights or "none", receiver))

    def cores(self, *, progress: Progress = None) -> ChangingCores:
        """Computes core numbers, and returns them as an analysis that follows the graph; directions, weights and loops
        do not count.
        """
        with reporting(progress) as receiver:
            return ChangingCores(self, _core.follow_cores(self._core, receiver))

    def distances(self, source: Hashable, *, weights: str | None = None, progress: Progress = None) -> ChangingDistances:
        """Finds the distances from `source`, and returns them as an analysis that follows the graph.

        weights: "length": sums of weights; None: numbers of edges.
        """
        if weights not in (None, "none", "length"):
            raise UsageError(f"weights is {weights!r}: expected one of 'none', 'length'")
        with reporting(progress) as receiver:
            v = self._vertex(source)
            return ChangingDistances(self, _core.follow_distances(self._core, v, weights == "length", receiver))


class ChangingResult:
    """An analysis that follows a ChangingGraph. What is read of it holds for the graph as it is at that moment."""

    __slots__ = ("graph", "_following")

    graph: ChangingGraph

    def __init__(self, graph: ChangingGraph, following: Any) -> None:
        self.graph = graph
        self._following = following

    def update(self) -> list[Any]:
        """Brings the analysis up to date. Returns the labels of the vertices that changed since the last update()."""
        return [self.graph._label(v) for v in self._following.update().tolist()]

    def updates(self, batches: Iterable[Any]) -> Iterator[list[Any]]:
        """Adds the edges of each batch to the graph, and yields the labels of the vertices that changed by it.

        batches: (source, target) or (source, target, weight), as add_edges() takes.
        """
        for batch in batches:
            self.graph.add_edges(*batch)
            yield self.update()

    def now(self) -> VertexResult:
        """Returns the values of all vertices, which later changes leave as they are."""
        values = self._following.values()
        return Values(self.graph._frozen(len(values)), values)

    def __getitem__(self, label: Hashable) -> Any:
        """Returns the value of the vertex with this label."""
        return self._following.value(self.graph._vertex(label))

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the values, in order of vertices."""
        return iter(self.now())

    def __contains__(self, label: Hashable) -> bool:
        """True if a vertex has this label."""
        return label in self.graph

    def __len__(self) -> int:
        return self.graph.vertices

    def __repr__(self) -> str:
        return f"{type(self).__name__}(of {self.graph!r})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.asarray(self._following.values(), dtype=dtype)

    def to_dict(self) -> dict[Any, Any]:
        """Returns {label: value}, in order of vertices."""
        return self.now().to_dict()

    def to_series(self) -> Any:
        """Returns the values as a pandas.Series, with the labels as its index."""
        return self.now().to_series()

    def top(self, n: int = 10) -> list[tuple[Any, Any]]:
        """Returns the n vertices with the largest values, as (label, value); for groups, the n largest of them."""
        return self.now().top(n)


class ChangingPageRank(ChangingResult):
    """PageRank that follows a graph: scores by vertex, with the sum 1."""

    __slots__ = ()


class ChangingDistances(ChangingResult):
    """Distances that follow a graph: by vertex; infinity if it is not reached."""

    __slots__ = ()


class ChangingCores(ChangingResult):
    """Core numbers that follow a graph: by vertex the largest k such that the k-core has it."""

    __slots__ = ()

    @property
    def degeneracy(self) -> int:
        """The largest core number."""
        return int(self._following.degeneracy())

    def __getitem__(self, label: Hashable) -> int:
        """Returns the core number of the vertex with this label."""
        return int(self._following.value(self.graph._vertex(label)))


class ChangingGroups(ChangingResult):
    """Groups that follow a graph: components or communities. A vertex's value is the label of the first vertex of its
    group.
    """

    __slots__ = ()

    @property
    def count(self) -> int:
        """The number of groups."""
        return int(self._following.count())

    def now(self) -> Groups:
        """Returns the groups, which later changes leave as they are."""
        values = self._following.values()
        return Groups(self.graph._frozen(len(values)), values, len(np.unique(values)))

    def __getitem__(self, label: Hashable) -> Any:
        """Returns the label of the first vertex of a vertex's group."""
        return self.graph._label(int(self._following.value(self.graph._vertex(label))))

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the labels of the first vertices of the vertices' groups."""
        return map(self.graph._label, self._following.values().tolist())


class ChangingComponents(ChangingGroups):
    """Connected components that follow a graph."""

    __slots__ = ()


class ChangingCommunities(ChangingGroups):
    """Communities that follow a graph, each connected."""

    __slots__ = ()

    @property
    def modularity(self) -> float:
        """The modularity."""
        return float(self._following.modularity())
