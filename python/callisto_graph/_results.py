"""Results of kernels: arrays by vertex or by edge, that know what vertices are called."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from ._columns import is_column
from ._errors import UsageError
from ._numbers import count

if TYPE_CHECKING:
    from ._base import GraphBase

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]


def _frame(columns: dict[str, Any], library: str) -> Any:
    if library == "pandas":
        try:
            import pandas
        except ImportError:
            raise ImportError("pandas is not installed: pip install pandas, or to_frame(library='polars')") from None
        return pandas.DataFrame(columns)
    if library == "polars":
        try:
            import polars
        except ImportError:
            raise ImportError("polars is not installed: pip install polars, or to_frame(library='pandas')") from None
        return polars.DataFrame(columns)
    raise UsageError(f"library is {library!r}: expected 'pandas' or 'polars'")


@dataclass(eq=False, repr=False)
class VertexResult:
    """Values by vertex. Index it with a label, or a list of labels; use it as an array; convert it.

    It behaves as an array by vertex: iteration, `sum()` and `len()` see the values in order of vertices, `in` asks for a
    label, and an array of truth values chooses rows. Operators work value by value: comparisons give an array of truth
    values, arithmetic gives Values. The other operand is a number, an array by vertex, a result for the same labels in
    any order, or a pandas.Series with these labels as its index.
    """

    graph: GraphBase = field(repr=False)

    #: The attributes that are arrays by vertex, the main one first.
    columns: ClassVar[tuple[str, ...]] = ()

    def _main(self) -> npt.NDArray[Any]:
        array: npt.NDArray[Any] = getattr(self, self.columns[0])
        return array

    def _facts(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "graph" and name not in self.columns}

    def __len__(self) -> int:
        return len(self._main())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        made = np.asarray(self._main(), dtype=dtype)
        return made.copy() if copy and made is self._main() else made

    def __getitem__(self, label: Any) -> Any:
        """Returns the value of the vertex with this label; for a list or a column, the values of all of them."""
        if not isinstance(label, list) and (not is_column(label) or np.isscalar(label)):
            return self._main()[self.graph.vertex(label)].item()
        mask = self.graph._mask(label)
        return self._main()[self.graph.vertices_of(label) if mask is None else mask]

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the values, as Python objects, in order of vertices."""
        return iter(self._main().tolist())

    def __contains__(self, label: Hashable) -> bool:
        """True if a vertex has this label."""
        return label in self.graph

    def _operand(self, other: Any) -> Any:
        """Returns the other operand of an operator: a number, or an array in the order of this result's vertices.
        Raises UsageError if it is for other vertices."""
        if isinstance(other, VertexResult):
            if other.graph is self.graph:
                return other._main()
            labels, values = other.graph.label_list(), other._main()
        elif hasattr(other, "index") and hasattr(other, "to_numpy"):
            labels, values = other.index.tolist(), other.to_numpy()
        else:
            if isinstance(other, (np.ndarray, list)) and np.shape(other) != (len(self),):
                raise UsageError(f"{len(self)} values beside an operand of shape {np.shape(other)}: expected one a vertex")
            return other
        mine = self.graph.label_list()
        if labels == mine:
            return values
        place = {label: row for row, label in enumerate(labels)}
        if len(place) != len(mine) or len(labels) != len(mine) or not all(label in place for label in mine):
            raise UsageError("the operands have other labels: expected values of the same vertices")
        return values[[place[label] for label in mine]]

    def _operated(self, operator: Any, other: Any, swapped: bool = False) -> Any:
        mine, its = self._main(), self._operand(other)
        made = operator(its, mine) if swapped else operator(mine, its)
        return made if made.dtype.kind == "b" else Values(self.graph, made)

    __array_priority__ = 1000  # an array as the left operand leaves the operator to this class
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return self._operated(np.equal, other)

    def __ne__(self, other: object) -> Any:
        return self._operated(np.not_equal, other)

    def __lt__(self, other: Any) -> Any:
        return self._operated(np.less, other)

    def __le__(self, other: Any) -> Any:
        return self._operated(np.less_equal, other)

    def __gt__(self, other: Any) -> Any:
        return self._operated(np.greater, other)

    def __ge__(self, other: Any) -> Any:
        return self._operated(np.greater_equal, other)

    def __add__(self, other: Any) -> Any:
        return self._operated(np.add, other)

    def __radd__(self, other: Any) -> Any:
        return self._operated(np.add, other, True)

    def __sub__(self, other: Any) -> Any:
        return self._operated(np.subtract, other)

    def __rsub__(self, other: Any) -> Any:
        return self._operated(np.subtract, other, True)

    def __mul__(self, other: Any) -> Any:
        return self._operated(np.multiply, other)

    def __rmul__(self, other: Any) -> Any:
        return self._operated(np.multiply, other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._operated(np.divide, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._operated(np.divide, other, True)

    def __neg__(self) -> Any:
        return Values(self.graph, np.negative(self._main()))

    def __repr__(self) -> str:
        facts = "".join(f", {name}={value!r}" for name, value in self._facts().items() if np.isscalar(value))
        return f"{type(self).__name__}({self.columns[0]}: {len(self)} vertices{facts})"

    def to_dict(self) -> dict[Any, Any]:
        """Returns {label: value}, of the main column, in order of vertices."""
        return dict(zip(self.graph.label_list(), self._main().tolist()))

    def to_series(self) -> Any:
        """Returns the main column as a pandas.Series, with the labels as its index."""
        try:
            import pandas
        except ImportError:
            raise ImportError("pandas is not installed: pip install pandas") from None
        index = pandas.Index(self.graph.label_array(), name="vertex")
        return pandas.Series(self._main(), index=index, name=self.columns[0])

    def to_frame(self, library: str = "pandas") -> Any:
        """Returns a data frame, of pandas or polars: a row a vertex, with its label and all columns."""
        columns: dict[str, Any] = {"vertex": self.graph.label_array()}
        for name in self.columns:
            values = getattr(self, name)
            if values is not None:
                columns[name] = values
        return _frame(columns, library)

    def top(self, n: int = 10) -> list[tuple[Any, Any]]:
        """Returns the n vertices with the largest values of the main column, as (label, value); equal ones by vertex."""
        values = self._main()
        n = min(count(n, "n", 0), len(values))
        if n == 0:
            return []
        order = values.astype(np.float64)
        np.negative(order, out=order)
        if n < len(values):
            least = np.partition(order, n - 1)[n - 1]
            candidates = np.flatnonzero(order <= least)
        else:
            candidates = np.arange(len(values))
        first = candidates[np.argsort(order[candidates], kind="stable")][:n]
        return [(self.graph.label(v), values[v].item()) for v in first.tolist()]

    def _repr_html_(self) -> str:
        from ._display import result_html

        return result_html(self)


@dataclass(eq=False, repr=False)
class EdgeResult:
    """Values by edge, or by pair of vertices: `source` and `target` are vertices. Iteration is over the values."""

    graph: GraphBase = field(repr=False)
    source: IntArray
    target: IntArray

    #: The attributes that are arrays by edge, apart from its ends, the main one first.
    columns: ClassVar[tuple[str, ...]] = ()

    def __len__(self) -> int:
        return len(self.source)

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the values of the main column, as Python objects."""
        return iter(getattr(self, self.columns[0]).tolist())

    def __repr__(self) -> str:
        facts = "".join(f", {name}={value!r}" for name, value in vars(self).items()
                        if name != "graph" and np.isscalar(value))
        return f"{type(self).__name__}({', '.join(self.columns)}: {len(self)} rows{facts})"

    def to_dict(self) -> dict[tuple[Any, Any], Any]:
        """Returns {(label, label): value}, of the main column."""
        labels = self.graph.label_list()
        values = getattr(self, self.columns[0])
        return {(labels[u], labels[v]): x
                for u, v, x in zip(self.source.tolist(), self.target.tolist(), values.tolist())}

    def to_series(self) -> Any:
        """Returns the main column as a pandas.Series, with pairs of labels as its index."""
        frame = self.to_frame()
        return frame.set_index(["source", "target"])[self.columns[0]]

    def to_frame(self, library: str = "pandas") -> Any:
        """Returns a data frame, of pandas or polars: a row an edge, with the labels of its ends and all columns."""
        labels = self.graph.label_array()
        columns: dict[str, Any] = {"source": labels[self.source], "target": labels[self.target]}
        for name in self.columns:
            columns[name] = getattr(self, name)
        return _frame(columns, library)

    def top(self, n: int = 10) -> list[tuple[Any, Any, Any]]:
        """Returns the n edges with the largest values of the main column, as (label, label, value)."""
        values = getattr(self, self.columns[0])
        first = np.argsort(-values.astype(np.float64), kind="stable")[:count(n, "n", 0)]
        return [(self.graph.label(int(self.source[i])), self.graph.label(int(self.target[i])), values[i].item())
                for i in first.tolist()]


@dataclass(eq=False, repr=False)
class Values(VertexResult):
    """Values of an analysis that follows a changing graph, as they were at one moment."""

    values: FloatArray  #: by vertex
    columns = ("values",)


@dataclass(eq=False, repr=False)
class PageRank(VertexResult):
    """PageRank of every vertex."""

    scores: FloatArray  #: by vertex; their sum is 1
    iterations: int  #: sweeps done
    change: float  #: what the last sweep changed all scores by, together
    converged: bool  #: whether that is at most the tolerance
    columns = ("scores",)


@dataclass(eq=False, repr=False)
class Betweenness(VertexResult):
    """Betweenness of every vertex."""

    scores: FloatArray  #: by vertex
    standard_errors: FloatArray | None  #: by vertex, of a random sample's scores; None if they are exact
    sources: int  #: vertices of the sample; all, if the scores are exact
    columns = ("scores", "standard_errors")


@dataclass(eq=False, repr=False)
class EdgeBetweenness(EdgeResult):
    """Betweenness of every edge."""

    scores: FloatArray  #: by edge
    sources: int  #: vertices of the sample; all, if the scores are exact
    columns = ("scores",)


@dataclass(eq=False, repr=False)
class Closeness(VertexResult):
    """Closeness, or harmonic closeness, of every vertex."""

    scores: FloatArray  #: by vertex
    standard_errors: FloatArray | None  #: by vertex, of a random sample's scores; None if they are exact
    sources: int  #: vertices of the sample; all, if the scores are exact
    columns = ("scores", "standard_errors")


@dataclass(eq=False, repr=False)
class Eigenvector(VertexResult):
    """Eigenvector centrality of every vertex."""

    scores: FloatArray  #: by vertex; the sum of squares is 1
    eigenvalue: float  #: the largest
    iterations: int  #: products with the matrix
    residual: float  #: of the eigenvector, as a share of the eigenvalue
    converged: bool  #: whether that is at most the tolerance
    columns = ("scores",)


@dataclass(eq=False, repr=False)
class Katz(VertexResult):
    """Katz centrality of every vertex."""

    scores: FloatArray  #: by vertex
    alpha: float  #: as used
    iterations: int  #: products with the matrix
    residual: float  #: of the linear system
    converged: bool  #: whether that is at most the tolerance
    columns = ("scores",)


@dataclass(eq=False, repr=False)
class Hits(VertexResult):
    """Hubs and authorities."""

    hubs: FloatArray  #: by vertex; the sum is 1
    authorities: FloatArray  #: by vertex; the sum is 1
    iterations: int  #: products with the matrix and its transpose
    residual: float  #: of the authorities
    converged: bool  #: whether that is at most the tolerance
    columns = ("authorities", "hubs")


@dataclass(eq=False, repr=False)
class Layout(VertexResult):
    """Places of the vertices in the plane."""

    x: FloatArray  #: by vertex
    y: FloatArray  #: by vertex
    columns = ("x", "y")

    def points(self) -> FloatArray:
        """Returns the places as an array of two columns, a row a vertex."""
        return np.column_stack([self.x, self.y])

    def to_dict(self) -> dict[Any, tuple[float, float]]:
        """Returns {label: (x, y)}, as NetworkX's functions that draw take it."""
        return dict(zip(self.graph.label_list(), zip(self.x.tolist(), self.y.tolist())))


@dataclass(eq=False, repr=False)
class NeighbourSample:
    """Neighbours of some vertices, hop by hop: what samplers of PyTorch Geometric and DGL return."""

    graph: GraphBase = field(repr=False)
    vertices: IntArray  #: the vertices of the sample: the seeds, then by hop those that are found first
    source: IntArray  #: by arc: the place in `vertices` of the neighbour
    target: IntArray  #: by arc: the place of the vertex that it was drawn for
    arcs: IntArray  #: by arc: its row in rows() of the sampled side
    ends: IntArray  #: how many of the vertices are seeds, are within one hop, within two ...

    def edge_index(self) -> IntArray:
        """Returns the arcs as two rows of places, from neighbours to the vertices they were drawn for, as PyTorch
        Geometric's Data takes them.
        """
        return np.stack([self.source, self.target])

    def labels(self) -> list[Any]:
        """Returns the labels of the vertices of the sample."""
        return [self.graph.label(v) for v in self.vertices.tolist()]

    def __repr__(self) -> str:
        return f"NeighbourSample({len(self.vertices)} vertices, {len(self.source)} arcs)"


@dataclass(eq=False, repr=False)
class Degrees(VertexResult):
    """Degrees of all vertices, in stored arcs."""

    degrees: IntArray  #: by vertex
    columns = ("degrees",)


@dataclass(eq=False, repr=False)
class Distances(VertexResult):
    """Distances of all vertices from a source, with the shortest paths."""

    distances: npt.NDArray[Any]  #: by vertex: in arcs, -1 if not reached; or in lengths, infinity if not reached
    parents: IntArray  #: by vertex: the number of the vertex before it on a shortest path, which label() names; the source is its own; -1: not reached
    source: int  #: vertex
    reached: int  #: vertices with a distance
    eccentricity: float  #: the largest distance
    columns = ("distances", "parents")

    def path(self, target: Hashable) -> list[Any]:
        """Returns the labels on a shortest path from the source to `target`; empty if it is not reached."""
        v = self.graph.vertex(target)
        if self.parents[v] < 0:
            return []
        along = [v]
        while along[-1] != self.source:
            along.append(int(self.parents[along[-1]]))
        return [self.graph.label(u) for u in reversed(along)]

    def to_dict(self) -> dict[Any, Any]:
        """Returns {label: distance} of the vertices that are reached."""
        reached = np.flatnonzero(self.parents >= 0)
        values = self.distances[reached].tolist()
        return {self.graph.label(v): d for v, d in zip(reached.tolist(), values)}


@dataclass(eq=False, repr=False)
class Path:
    """A shortest path to one target."""

    distance: float  #: infinity: there is no path
    vertices: list[Any]  #: labels, from the source to the target; empty: there is no path

    def __repr__(self) -> str:
        return f"Path(distance={self.distance}, vertices={self.vertices})"


@dataclass(repr=False)
class AllPaths:
    """The shortest paths between two vertices."""

    distance: float  #: infinity: there is no path
    count: float  #: how many there are; exact, and an int, up to 2**53
    vertices: int  #: how many vertices are on them
    paths: list[list[Any]]  #: labels of the first paths, from the source to the target

    def __repr__(self) -> str:
        return f"AllPaths(distance={self.distance}, count={self.count}, {len(self.paths)} listed)"


@dataclass(repr=False)
class Flow:
    """The largest flow between two vertices, and the least cut."""

    value: float  #: what flows: the capacity of the cut
    source_side: list[Any]  #: labels of the vertices on the source's side of the cut
    cut: list[tuple[Any, Any, float]]  #: edges from that side to the other, with their capacities
    edges: list[tuple[Any, Any, float]]  #: edges that carry the flow, with what they carry

    def __repr__(self) -> str:
        return f"Flow(value={self.value}, {len(self.cut)} edges in the cut)"


@dataclass
class Diameter:
    """The diameter of the largest component, or bounds of it."""

    lower: int  #: two vertices are so far apart
    upper: int  #: no two are farther; the diameter is known if both are equal
    source: Any  #: label of one of the two vertices that are `lower` apart
    target: Any  #: label of the other one
    searches: int  #: breadth-first searches done
    vertices: int  #: of the largest component


@dataclass(eq=False, repr=False)
class Eccentricities(VertexResult):
    """Eccentricities: how far the farthest vertex is from each."""

    eccentricities: FloatArray  #: by vertex
    diameter: float  #: the largest
    radius: float  #: the smallest in the largest component
    central: BoolArray  #: by vertex: whether it has the radius in that component
    columns = ("eccentricities", "central")


@dataclass(eq=False)
class DistanceSample:
    """How far vertices of the largest component are apart, from a sample of sources."""

    pairs: IntArray  #: pairs[d]: pairs of a source and a vertex at distance d
    mean: float  #: mean distance
    diameter_low: int  #: the diameter is at least this
    diameter_high: int  #: the diameter is at most this
    vertices: int  #: of the largest component
    sources: int  #: searched from


@dataclass(eq=False, repr=False)
class Groups(VertexResult):
    """A division of the vertices: components. A vertex's value is the number of its group, see numbers()."""

    of: IntArray  #: by vertex: the smallest vertex of its group
    count: int  #: number of groups
    _numbers: IntArray | None = field(default=None, init=False, repr=False)
    columns = ("of",)

    def _main(self) -> IntArray:
        return self.numbers()

    def sizes(self) -> tuple[IntArray, IntArray]:
        """Returns the groups, each by its smallest vertex, and their sizes: the largest first, equal ones by vertex."""
        sizes = np.bincount(self.of, minlength=0)
        roots = np.flatnonzero(sizes)
        order = np.argsort(-sizes[roots], kind="stable")
        return roots[order], sizes[roots][order]

    def numbers(self) -> IntArray:
        """Returns by vertex the number of its group: 0 for the largest, and so on."""
        if self._numbers is None:
            roots, _ = self.sizes()
            number = np.zeros(len(self.of), dtype=np.int64)
            number[roots] = np.arange(len(roots))
            self._numbers = number[self.of]
        return self._numbers

    def members(self) -> list[list[Any]]:
        """Returns the labels of each group, the largest group first."""
        numbers = self.numbers()
        order = np.argsort(numbers, kind="stable")
        ends = np.cumsum(np.bincount(numbers, minlength=self.count))[:-1]
        return [[self.graph.label(v) for v in part.tolist()] for part in np.split(order, ends)] if len(order) else []

    def to_dict(self) -> dict[Any, int]:
        """Returns {label: number of its group}; see numbers()."""
        return dict(zip(self.graph.label_list(), self.numbers().tolist()))

    def to_series(self) -> Any:
        """Returns the numbers of the groups as a pandas.Series, with the labels as its index."""
        try:
            import pandas
        except ImportError:
            raise ImportError("pandas is not installed: pip install pandas") from None
        return pandas.Series(self.numbers(), index=pandas.Index(self.graph.label_array(), name="vertex"), name="group")

    def to_frame(self, library: str = "pandas") -> Any:
        """Returns a data frame, of pandas or polars: a row a vertex, with its label and the number of its group."""
        return _frame({"vertex": self.graph.label_array(), "group": self.numbers()}, library)

    def top(self, n: int = 10) -> list[tuple[Any, int]]:
        """Returns the n largest groups, each as (label of its smallest vertex, size)."""
        n = count(n, "n", 0)
        roots, sizes = self.sizes()
        return [(self.graph.label(v), s) for v, s in zip(roots[:n].tolist(), sizes[:n].tolist())]


@dataclass(eq=False, repr=False)
class Communities(Groups):
    """Communities."""

    quality: float  #: modularity, or CPM's quality
    converged: bool  #: no joining of two communities is better


@dataclass(eq=False, repr=False)
class Cores(VertexResult):
    """The k-core decomposition."""

    coreness: IntArray  #: by vertex
    degeneracy: int  #: the largest
    innermost: int  #: vertices that have it
    columns = ("coreness",)


@dataclass(eq=False, repr=False)
class Clustering(VertexResult):
    """Clustering coefficients."""

    coefficients: FloatArray  #: by vertex
    triangles: IntArray | None  #: by vertex; None with directions or weights
    average: float  #: mean of the coefficients
    transitivity: float | None  #: 3 times triangles by pairs of neighbours; None with directions or weights
    total: int | None  #: triangles of the graph; None with directions or weights
    columns = ("coefficients", "triangles")


@dataclass(eq=False, repr=False)
class Truss(EdgeResult):
    """The k-truss decomposition."""

    trussness: IntArray  #: by edge
    highest: int  #: the largest
    innermost: int  #: edges that have it
    columns = ("trussness",)


@dataclass(eq=False, repr=False)
class Biconnected(EdgeResult):
    """The biconnected components, called blocks: edges are in one block if a cycle without repeated vertices has both."""

    block: IntArray  #: by edge: its block; blocks are numbered in the order of their first edges
    sizes: IntArray  #: by block: its vertices
    blocks: IntArray  #: by vertex: the blocks that it is in
    columns = ("block",)

    def bridges(self) -> list[tuple[Any, Any]]:
        """Returns the bridges, by labels: edges without which their component falls apart."""
        chosen = np.flatnonzero(self.sizes[self.block] == 2)
        return [(self.graph.label(u), self.graph.label(v))
                for u, v in zip(self.source[chosen].tolist(), self.target[chosen].tolist())]

    def articulation_points(self) -> list[Any]:
        """Returns the labels of the vertices without which their component falls apart."""
        return [self.graph.label(v) for v in np.flatnonzero(self.blocks > 1).tolist()]

    def members(self) -> list[list[Any]]:
        """Returns the labels of the vertices of each block, by its number."""
        both = np.concatenate([np.stack([self.block, end], axis=1) for end in (self.source, self.target)])
        pairs = np.unique(both, axis=0)
        ends = np.cumsum(self.sizes)[:-1]
        return [[self.graph.label(v) for v in part.tolist()] for part in np.split(pairs[:, 1], ends)] if len(pairs) else []


@dataclass(eq=False, repr=False)
class Layers(VertexResult):
    """A topological order: the layer of a vertex is the number of arcs on the longest path that ends there."""

    layer: IntArray  #: by vertex; arcs lead to higher layers
    order: IntArray  #: the vertices, by layer, then by vertex
    count: int  #: how many layers there are
    columns = ("layer",)

    def labels(self) -> list[Any]:
        """Returns the labels of the vertices in topological order."""
        return [self.graph.label(v) for v in self.order.tolist()]


@dataclass(frozen=True)
class GroupsComparison:
    """How much two divisions into groups agree."""

    groups: tuple[int, int]  #: groups of each
    mutual_information: float  #: normalized by the mean of both entropies; 1: equal, 0: independent
    adjusted_rand: float  #: 1: equal, 0: as by chance
    rand: float  #: share of pairs that are together in both divisions, or apart in both
    variation_of_information: float  #: in nats; 0: equal


@dataclass(eq=False, repr=False)
class Forest(EdgeResult):
    """A minimum or maximum spanning forest."""

    weights: FloatArray  #: by edge
    total: float  #: their sum
    trees: int  #: connected components, single vertices included
    columns = ("weights",)


@dataclass(eq=False, repr=False)
class SimilarPairs(EdgeResult):
    """Pairs of vertices, and how alike they are."""

    similarity: FloatArray  #: by pair, from 0 to 1
    columns = ("similarity",)


@dataclass(eq=False, repr=False)
class Matching(VertexResult):
    """A maximal matching."""

    partners: IntArray  #: by vertex: the other end of its edge; -1: it has none
    edges: int  #: of the matching
    weight: float  #: of these edges, 1 each in a graph without weights
    columns = ("partners",)

    def pairs(self) -> list[tuple[Any, Any]]:
        """Returns the edges as pairs of labels."""
        first = np.flatnonzero(self.partners > np.arange(len(self.partners)))
        return [(self.graph.label(u), self.graph.label(v)) for u, v in zip(first.tolist(), self.partners[first].tolist())]


@dataclass(eq=False, repr=False)
class Colouring(VertexResult):
    """A greedy colouring."""

    colours: IntArray  #: by vertex, from 0 on
    count: int  #: colours used
    columns = ("colours",)


@dataclass(eq=False, repr=False)
class IndependentSet(VertexResult):
    """A maximal independent set."""

    members: BoolArray  #: by vertex: whether it is in the set
    size: int  #: of the set
    columns = ("members",)

    def labels(self) -> list[Any]:
        """Returns the labels of the members."""
        return [self.graph.label(v) for v in np.flatnonzero(self.members).tolist()]
