"""The class Graph."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._attributes import as_columns, columns_of
from ._base import GraphBase, _NetworkXArgument, signed
from ._changing import ChangingGraph
from ._columns import are_names, as_weights, name_table
from ._errors import UsageError
from ._numbers import count, iterations_of, seed_of
from ._paths import PathKernels
from ._progress import Progress, reporting
from ._rank import RankKernels
from ._structure import StructureKernels

if TYPE_CHECKING:
    from ._results import Layout


#: How names of other formats end, which save() would fill with its own.
_OTHER_SUFFIXES = frozenset((".graphml", ".gexf", ".gml", ".mtx", ".csv", ".tsv", ".json", ".dot", ".parquet", ".net"))


class Graph(RankKernels, PathKernels, StructureKernels, _NetworkXArgument):
    """An immutable graph. Make one by from_edges(), read(), from_scipy(), from_networkx(), from_igraph() or a generator.

    Vertices are the numbers 0 ... n - 1 inside; `labels` tells what they are called outside. Arguments that name a
    vertex take a label. Results are arrays by vertex, and call vertices by their labels where they are converted. Any
    number of threads may use a graph at once. Kernels release the GIL, and Ctrl-C ends them.
    """

    __slots__ = ("notes",)

    #: Decisions of the reader that another reader might take otherwise, a line each.
    notes: tuple[str, ...]

    def __init__(self, core: _core.Graph, labels: Sequence[Hashable] | npt.NDArray[Any] | None = None,
                 notes: Iterable[str] = ()) -> None:
        """Wraps a graph of the extension module. `labels`: what the vertices are called, if `core` does not know."""
        if labels is not None and len(labels) != core.vertices:
            raise UsageError(f"{len(labels)} labels for {core.vertices} vertices")
        self._core = core if labels is None or not core.has_labels else _core.without_labels(core)
        self._table = labels
        self._array = None
        self._index = None
        self.notes = tuple(notes)

    # Sizes

    @property
    def arcs(self) -> int:
        """The number of stored arcs: of an undirected graph two for each edge, and one for a loop."""
        return int(self._core.arcs)

    @property
    def edges(self) -> int:
        """The number of edges: of a directed graph its arcs."""
        return self.arcs if self.directed else (self.arcs + int(self._core.self_loops())) // 2

    @property
    def directed(self) -> bool:
        """Whether edges have directions."""
        return bool(self._core.directed)

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return bool(self._core.weighted)

    @property
    def nbytes(self) -> int:
        """The bytes of the rows: offsets, targets and weights."""
        return int(self._core.nbytes)

    def __repr__(self) -> str:
        kind = f"{'directed' if self.directed else 'undirected'}{', weighted' if self.weighted else ''}"
        return f"Graph({self.vertices} vertices, {self.edges} edges, {kind})"

    def _repr_html_(self) -> str:
        from ._display import graph_html

        return graph_html(self)

    def draw(self, *, size: int = 480, iterations: int = 300, values: npt.ArrayLike | None = None) -> Any:
        """Draws a small graph: returns an object that Jupyter shows, with the picture as SVG in its attribute `data`.

        values: by vertex; larger ones make larger dots. Raises UsageError for more than 500 vertices.
        """
        from ._display import drawing

        return drawing(self, count(size, "size"), iterations_of(iterations, 0),
                       None if values is None else as_weights(values, "values"))

    # Rows and edges

    def neighbours(self, label: Hashable, side: str = "out") -> list[Any]:
        """Returns the labels of the vertices that edges lead to from this one; with side="in", that lead here."""
        if side not in ("out", "in"):
            raise UsageError(f"side is {side!r}: expected 'out' or 'in'")
        v = self.vertex(label)
        offsets, targets, _ = self._core.out_rows() if side == "out" else self._core.in_rows()
        return [self.label(u) for u in targets[int(offsets[v]):int(offsets[v + 1])].tolist()]

    def rows(self, side: str = "out") -> tuple[npt.NDArray[np.int64], npt.NDArray[Any], npt.NDArray[Any] | None]:
        """Returns the rows as views that cannot be written: offsets, targets, and weights or None.

        Row v holds the targets [offsets[v], offsets[v + 1]), ascending. Whole weights below 65,536 have 16 bits.
        """
        if side not in ("out", "in"):
            raise UsageError(f"side is {side!r}: expected 'out' or 'in'")
        offsets, targets, weights = self._core.out_rows() if side == "out" else self._core.in_rows()
        return offsets.view(np.int64), signed(targets), weights

    def edge_arrays(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.float64] | None]:
        """Returns the edges as columns of vertices, and their weights or None; an undirected edge once."""
        offsets, targets, weights = self.rows()
        source = np.repeat(np.arange(self.vertices, dtype=targets.dtype), np.diff(offsets))
        values = None if weights is None else weights.astype(np.float64)
        if self.directed:
            return source, targets.copy(), values
        once = targets >= source
        return source[once], targets[once], None if values is None else values[once]

    def to_frame(self, library: str = "pandas") -> Any:
        """Returns the edges as a data frame, of pandas or polars: labels of both ends, the weight if there is one, and the
        columns of the edges.
        """
        from ._results import _frame

        source, target, weight = self.edge_arrays()
        labels = self.label_array()
        columns: dict[str, Any] = {"source": labels[source], "target": labels[target]}
        if weight is not None:
            columns["weight"] = weight
        columns.update(self.edge_columns())
        return _frame(columns, library)

    def to_scipy(self) -> Any:
        """Returns the adjacency matrix as a scipy.sparse.csr_array: rows by vertex; targets are not copied.

        Entries are the weights, or ones. An undirected graph's matrix is symmetric.
        """
        from scipy import sparse

        offsets, targets, weights = self.rows()
        data = np.ones(len(targets)) if weights is None else weights.astype(np.float64)
        return sparse.csr_array((data, targets, offsets), shape=(self.vertices, self.vertices))

    def to_networkx(self) -> Any:
        """Returns a networkx.Graph or DiGraph with the same nodes, edges, and weights as `weight`, without columns."""
        import networkx

        made = networkx.DiGraph() if self.directed else networkx.Graph()
        labels = self.label_list()
        source, target, weight = self.edge_arrays()
        ends = ([labels[u] for u in source.tolist()], [labels[v] for v in target.tolist()])
        made.add_nodes_from(labels)
        if weight is None:
            made.add_edges_from(zip(*ends))
        else:
            made.add_weighted_edges_from(zip(*ends, weight.tolist()))
        return made

    def to_igraph(self) -> Any:
        """Returns an igraph.Graph; labels become the vertices' `name`, weights the edges' `weight`."""
        import igraph

        source, target, weight = self.edge_arrays()
        made = igraph.Graph(n=self.vertices, edges=np.column_stack([source, target]), directed=self.directed)
        if self.labels is not None:
            made.vs["name"] = self.label_list()
        if weight is not None:
            made.es["weight"] = weight.tolist()
        return made

    # Columns of vertices and edges

    def vertex_columns(self) -> dict[str, npt.NDArray[Any]]:
        """Returns the columns of the vertices by name: arrays by vertex, of objects where texts or missing ints are."""
        return as_columns(_core.vertex_columns(self._core))

    def edge_columns(self) -> dict[str, npt.NDArray[Any]]:
        """Returns the columns of the edges by name: arrays by edge, in the order of edge_arrays()."""
        return as_columns(_core.edge_columns(self._core))

    def vertex_frame(self, library: str = "pandas") -> Any:
        """Returns the vertices as a data frame, of pandas or polars: their labels and columns."""
        from ._results import _frame

        return _frame({"vertex": self.label_array(), **self.vertex_columns()}, library)

    def with_columns(self, vertices: Any = None, edges: Any = None) -> Graph:
        """Returns the same graph with more columns of its vertices and edges, which stay with them in subgraphs and files.

        vertices: by name, a column with a value by vertex. edges: one with a value by edge, in the order of
        edge_arrays(). Values are ints, floats, bools or texts; None: it is missing. A column replaces that of its name.
        """
        both = ({**self.vertex_columns(), **(vertices or {})}, {**self.edge_columns(), **(edges or {})})
        return Graph(_core.with_columns(self._core, *map(columns_of, both)), self._table, self.notes)

    def where(self, condition: str, *, progress: Progress = None) -> Graph:
        """Returns the graph of the vertices and edges that fit a condition on their columns.

        condition: such as `age >= 18 and kind in ("road", "rail") and weight > 2`: or, and, not, parentheses, comparisons,
        `in`, `is missing`. `weight` is the weight of an edge, `vertex` the name or number of a vertex. Each part that `and`
        joins speaks of vertices or of edges: an edge that fails goes, a vertex that fails goes with its edges.
        """
        core = self._core
        if self._table is not None and isinstance(condition, str) and re.search(r"\bvertex\b", condition):
            if self._labels_are_stored():
                core = self._core_with_labels()
        with reporting(progress) as receiver:
            made = _core.where(core, condition, receiver)
        return self._like(made) if core is self._core else Graph(made)

    # Places

    def layout(self, *, iterations: int = 300) -> Layout:
        """Places the vertices in the plane so that neighbours are near: forces of Fruchterman and Reingold on levels.

        iterations: for small levels; large ones have fewer. Cost: some 5 s of processor time for a million edges.
        """
        from ._results import Layout

        source, target, _ = self.edge_arrays()
        between = source != target
        ends = (source[between].astype(np.uint32), target[between].astype(np.uint32))
        x, y = _core.layout(self.vertices, *ends, iterations_of(iterations, 0)) if self.vertices else (np.zeros(0),) * 2
        return Layout(self, np.asarray(x), np.asarray(y))

    def plot(self, ax: Any = None, *, layout: Any = None, values: npt.ArrayLike | None = None,
             labels: bool | None = None) -> Any:
        """Draws the graph with matplotlib, and returns the axes. Raises ImportError where matplotlib is not installed.

        ax: the axes to draw on; None: new ones. layout: a result of layout(), or an array of two columns by vertex.
        values: by vertex; they choose the colours. labels: whether labels are written; None: up to 60 vertices.
        """
        from ._display import plotted

        return plotted(self, ax, layout, None if values is None else as_weights(values, "values"), labels)

    # Other graphs

    def _like(self, core: Any) -> Graph:
        """Wraps a graph made of this one's vertices; if they are fewer or in another order, core labels tell which."""
        if self._table is None or self._core.has_labels:
            return Graph(core)
        which = core.labels().view(np.int64) if core.has_labels else np.arange(core.vertices)
        table = self._table
        table = table[which] if isinstance(table, np.ndarray) else [table[v] for v in which.tolist()]
        return Graph(core, table)

    def _changed(self, change: Callable[..., Any], *arguments: Any, progress: Progress = None) -> Graph:
        with reporting(progress) as receiver:
            return self._like(change(self._core, *arguments, receiver))

    def subgraph(self, labels: Iterable[Hashable] | npt.NDArray[np.bool_], *, progress: Progress = None) -> Graph:
        """Returns the graph of some vertices and all edges between them, which keep their labels.

        labels: those of the vertices; or by vertex, whether it is in (a column of bool).
        """
        chosen: npt.NDArray[np.bool_]
        mask = self._mask(labels)
        if mask is not None:
            chosen = mask
        else:
            chosen = np.zeros(self.vertices, dtype=np.bool_)
            chosen[self.vertices_of(labels)] = True
        if len(chosen) == 0 == self.vertices:
            return self
        # Vertices without labels keep their numbers as labels.
        return self._changed(_core.subgraph, chosen, progress=progress)

    def largest_component(self, *, strong: bool = False, progress: Progress = None) -> Graph:
        """Returns the largest connected component; `strong`: the largest strongly connected one."""
        with reporting(progress) as receiver:
            chosen = _core.largest_component(self._core, strong, receiver)
        return self.subgraph(chosen, progress=progress)

    def k_core(self, k: int, *, progress: Progress = None) -> Graph:
        """Returns the k-core: the largest subgraph in which every vertex has at least k neighbours."""
        with reporting(progress) as receiver:
            chosen = _core.core_of(self._core, count(k, "k", 0, 2**32 - 1), receiver)
        return self.subgraph(chosen, progress=progress)

    def neighbourhood(self, centres: Iterable[Hashable], hops: int = 1, *, progress: Progress = None) -> Graph:
        """Returns the vertices at most `hops` edges from one of the centres, whatever the direction of edges."""
        with reporting(progress) as receiver:
            chosen = _core.within_hops(self._core, self.vertices_of(centres),
                                        count(hops, "hops", 0, 2**32 - 1), receiver)
        return self.subgraph(chosen, progress=progress)

    def undirected(self, *, repeats: str = "remove", progress: Progress = None) -> Graph:
        """Returns the graph without directions. repeats: what becomes of two opposite edges; see from_edges()."""
        return self._changed(_core.symmetrized, repeats, progress=progress)

    def without_loops(self, *, progress: Progress = None) -> Graph:
        """Returns the graph without edges from a vertex to itself."""
        return self._changed(_core.without_loops, progress=progress)

    def hubs_first(self, *, progress: Progress = None) -> Graph:
        """Returns the graph with its vertices numbered by falling degree, on which kernels can be several times as fast.

        Vertices keep their labels.
        """
        return self._changed(_core.hubs_first, progress=progress)

    def reversed(self) -> Graph:
        """Returns the graph with all edges the other way; it shares this one's memory."""
        return self._like(_core.reversed(self._core))

    def unweighted(self) -> Graph:
        """Returns the graph without weights; it shares this one's memory."""
        return self._like(_core.unweighted(self._core))

    def with_random_weights(self, seed: int = 1, *, progress: Progress = None) -> Graph:
        """Returns the graph with random weights from 1 to 255, as of the GAP benchmark."""
        return self._changed(_core.with_random_weights, seed_of(seed), progress=progress)

    def changing(self, *, progress: Progress = None) -> ChangingGraph:
        """Returns a copy with edges that may come and go, and analyses that follow. Of repeated arcs the lightest stays.

        Raises UsageError for a weight that is negative, infinite or NaN.
        """
        return ChangingGraph._of(self, progress)

    # Files and pickles

    def _core_with_labels(self) -> Any:
        """Returns a core that knows what vertices are called."""
        made = self._labelled_core()
        if made is self._core:
            return made
        columns = (self.vertex_columns(), self.edge_columns())
        return _core.with_columns(made, *map(columns_of, columns)) if any(columns) else made

    def _labels_are_stored(self) -> bool:
        """Returns whether files, and thus conditions, can hold the labels: numbers from 0 on, or texts."""
        labels = self.label_list()
        return all(type(label) is int and 0 <= label < 2**64 for label in labels) or are_names(labels)

    def _labelled_core(self) -> Any:
        labels = self.labels
        if labels is None or self._core.has_labels:  # a table beside the core is one of a core without labels
            return self._core
        if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu" and (not len(labels) or labels.min() >= 0):
            return _core.with_labels(self._core, np.ascontiguousarray(labels, dtype=np.uint64))
        names = self.label_list()
        if all(type(label) is int and 0 <= label < 2**64 for label in names):
            return _core.with_labels(self._core, np.array(names, dtype=np.uint64))
        if not are_names(names):
            raise UsageError("the labels are neither numbers from 0 on nor texts, which files hold: pickle the graph, or "
                             "make it with other labels")
        return _core.with_names(self._core, *name_table(names))

    def save(self, path: str | os.PathLike[str], *, progress: Progress = None) -> None:
        """Writes the graph to a file of Callisto's own format (.cg), whole or not at all; load() maps it.

        Raises UsageError for a name that ends as those of another format, which write() writes.
        """
        suffix = os.path.splitext(os.fsdecode(path))[1].lower()
        if suffix in _OTHER_SUFFIXES:
            raise UsageError(f"save() writes Callisto's own format (.cg): write() writes {suffix}")
        self._save(path, progress)

    def _save(self, path: str | os.PathLike[str], progress: Progress) -> None:
        core = self._core_with_labels()
        with reporting(progress) as receiver:
            _core.save(core, os.fspath(path), receiver)

    def write(self, path: str | os.PathLike[str], format: str = "automatic", *,
              progress: Progress = None) -> tuple[str, ...]:
        """Writes the graph in a format of other programs, or in Callisto's own; returns what the file does not keep.

        format: "automatic": that of the suffix; or "edge-list", "matrix-market", "table" ..., as of `callisto convert`.
        """
        where = os.fspath(path)
        if format == "native" or format == "automatic" and where.endswith(".cg"):
            self._save(where, progress)
            return ()
        core = self._core_with_labels()
        with reporting(progress) as receiver:
            return tuple(_core.write(core, where, format, receiver))

    def __reduce__(self) -> tuple[Any, ...]:
        offsets, targets, weights = self._core.out_rows()
        columns = (_core.vertex_columns(self._core), _core.edge_columns(self._core))
        return _restored, (self.directed, offsets, targets, weights, self.labels, self.notes, *columns)

    def __copy__(self) -> Graph:
        return self

    def __deepcopy__(self, memo: Any) -> Graph:
        return self


def _restored(directed: bool, offsets: Any, targets: Any, weights: Any, labels: Any, notes: Any,
              vertices: Any = None, edges: Any = None) -> Graph:
    """Makes the graph of a pickle."""
    values = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    core = _core.from_rows(np.ascontiguousarray(offsets), np.ascontiguousarray(targets), values, directed, False, "keep",
                           None)
    if core is None:
        raise UsageError("the pickle does not hold a graph: its rows do not ascend")
    if vertices or edges:
        core = _core.with_columns(core, columns_of(vertices), columns_of(edges))
    return Graph(core, labels, notes)


__all__ = ["Graph", "GraphBase"]
