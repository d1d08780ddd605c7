"""Graphs over the ranks of a launcher of MPI: `mpirun -n 8 python program.py`, for graphs larger than one machine.

    from callisto_graph import cluster
    web = cluster.load("/shared/web.cg")
    ranked = web.pagerank()
    ranked.own                          # the scores of this rank's vertices, web.first ... web.last - 1
    if cluster.rank() == 0:
        print(ranked.whole.top(10))     # all of them, as of Graph.pagerank()

Importing this module joins the job, so all ranks import it. All ranks then make the same calls in the same order. A
process that no launcher started is a job of one rank.

An argument that is not valid, a label that no vertex has, and a file that a rank cannot open raise the same exception at
all ranks. Whatever else goes wrong at one rank, an exception that leaves its program included, ends all ranks with one
line that names it.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

import numpy as np
import numpy.typing as npt

from . import _core
from ._base import GraphBase, signed
from ._columns import label_list
from ._errors import UsageError
from ._graph import Graph
from ._numbers import above_0, count, iterations_of, seed_of
from ._results import Betweenness, Clustering, Communities, Cores, Distances, Groups, PageRank, VertexResult

__all__ = ["ClusterGraph", "RankResult", "deal", "load", "rank", "ranks"]

if not hasattr(_core, "job_join"):
    raise ImportError("callisto_graph.cluster: this build of the package has no ranks, as the wheels of PyPI, which "
                      "cannot link an MPI: see 'From Python' in docs/how-to/graphs-larger-than-one-machine.md")

_rank, _ranks = _core.job_join()
_process = os.getpid()
_none = 2**64 - 1

R = TypeVar("R", bound=VertexResult)
T = TypeVar("T")


def _leave() -> None:
    if os.getpid() == _process:
        _core.job_leave()


atexit.register(_leave)


def _end_with(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
    """Ends the other ranks, too, if an exception leaves the program of this one."""
    by_all = getattr(value, "_of_all_ranks", False)
    if not by_all or _rank == 0:
        _hook_before(kind, value, trace)
    if by_all or os.getpid() != _process:
        return
    sys.stdout.flush()
    sys.stderr.flush()
    _core.job_end(f"{kind.__name__}: {value}", 130 if issubclass(kind, KeyboardInterrupt) else 1)


_hook_before = sys.excepthook
if _ranks > 1:
    sys.excepthook = _end_with


def rank() -> int:
    """Returns the number of this process among those of the job, from 0."""
    return cast(int, _rank)


def ranks() -> int:
    """Returns how many processes the job has."""
    return cast(int, _ranks)


def _together(call: Callable[..., T], *arguments: Any) -> T:
    """Calls what throws at all ranks if it throws."""
    try:
        return call(*arguments)
    except Exception as e:
        e._of_all_ranks = True  # type: ignore[attr-defined]
        raise


def _refuse(e: Exception) -> Exception:
    e._of_all_ranks = True  # type: ignore[attr-defined]
    return e


def _told(numbers: npt.NDArray[np.uint64] | None) -> npt.NDArray[np.uint64]:
    """Returns the numbers of rank 0, at all ranks; the others give None."""
    mine = np.zeros(0, dtype=np.uint64) if numbers is None else np.ascontiguousarray(numbers, dtype=np.uint64)
    return cast("npt.NDArray[np.uint64]", _core.job_tell(mine))


class RankResult(Generic[R]):
    """Values by vertex, of which each rank has those of its own vertices, and rank 0 all."""

    __slots__ = ("_made", "_first", "_last")

    def __init__(self, made: R, first: int, last: int) -> None:
        self._made = made
        self._first = first
        self._last = last

    @property
    def own(self) -> npt.NDArray[Any]:
        """The values of this rank's vertices, of the main column: those of vertex `first` of the graph, and on."""
        return self._made._main()[self._first:self._last]

    @property
    def own_columns(self) -> dict[str, npt.NDArray[Any]]:
        """The values of this rank's vertices, of all columns, by name."""
        found = {name: getattr(self._made, name) for name in self._made.columns}
        return {name: values[self._first:self._last] for name, values in found.items() if values is not None}

    @property
    def facts(self) -> dict[str, Any]:
        """What the result says beside its columns, such as the number of iterations: at all ranks."""
        return {name: value for name, value in self._made._facts().items()
                if not name.startswith("_") and not isinstance(value, np.ndarray)}

    @property
    def whole(self) -> R | None:
        """At rank 0 the result of all vertices, as the method of Graph returns it; None at the other ranks."""
        return self._made if _rank == 0 else None

    def __repr__(self) -> str:
        facts = "".join(f", {name}={value!r}" for name, value in self.facts.items() if np.isscalar(value))
        return f"RankResult({type(self._made).__name__}: vertices {self._first} to {self._last - 1}{facts})"


class _Names(GraphBase):
    """What the vertices of a graph over ranks are called; it has no rows."""

    __slots__ = ()

    def __init__(self, core: _core.Graph) -> None:
        self._core = core
        self._table = self._array = self._index = None


class ClusterGraph:
    """A graph of which each rank has the rows of some vertices that follow each other. Made by load() and deal().

    Methods are those of Graph that ranks compute together; all ranks call them. Their results are those of one process
    (docs/how-to/graphs-larger-than-one-machine.md says how exactly). Labels of vertices are known at rank 0, which looks
    up those that arguments name: rank 0's arguments count.
    """

    __slots__ = ("_core", "_named")

    def __init__(self, core: Any, named: GraphBase | None = None) -> None:
        self._core = core
        self._named: GraphBase = _Names(core.named()) if named is None else named

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return int(self._core.vertices)

    @property
    def arcs(self) -> int:
        """The number of stored arcs: of an undirected graph two for each edge, and one for a loop."""
        return int(self._core.arcs)

    @property
    def directed(self) -> bool:
        """Whether edges have directions."""
        return bool(self._core.directed)

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return bool(self._core.weighted)

    @property
    def first(self) -> int:
        """The first vertex of this rank."""
        return int(self._core.first)

    @property
    def last(self) -> int:
        """The vertex behind the last one of this rank."""
        return int(self._core.last)

    @property
    def labels(self) -> Sequence[Hashable] | npt.NDArray[Any] | None:
        """At rank 0, what the vertices are called, by vertex; None if that is 0, 1, 2 ..., and at the other ranks."""
        return self._named.labels if _rank == 0 else None

    def __repr__(self) -> str:
        kind = f"{'directed' if self.directed else 'undirected'}{', weighted' if self.weighted else ''}"
        return f"ClusterGraph({self.vertices} vertices, {self.arcs} arcs, {kind}, vertices {self.first} to {self.last - 1} here)"

    def _result(self, made: R) -> RankResult[R]:
        return RankResult(made, self.first, self.last)

    def _vertices_of(self, labels: Iterable[Hashable]) -> npt.NDArray[np.uint64]:
        """Returns the vertices with these labels of rank 0. Raises KeyError at all ranks."""
        found, missing = None, ""
        if _rank == 0:
            try:
                found = self._named.vertices_of(labels)
            except (KeyError, UsageError, TypeError) as e:
                missing = str(e.args[0] if e.args else e)
        words = _told(np.frombuffer(missing.encode("utf-8", "surrogateescape"), dtype=np.uint8).astype(np.uint64))
        if len(words):
            raise _refuse(KeyError(words.astype(np.uint8).tobytes().decode("utf-8", "surrogateescape")))
        return _told(found)

    def draw_weights(self, seed: int = 1) -> None:
        """Gives edges random weights, those of `callisto --random-weights`."""
        _together(self._core.draw_weights, _together(seed_of, seed))

    def statistics(self) -> dict[str, Any]:
        """Counts vertices, arcs, self-loops, repeated arcs, edges and degrees, as Graph.statistics(): at all ranks."""
        return dict(_together(self._core.statistics))

    def pagerank(self, *, damping: float = 0.85, tolerance: float = 1e-9, iterations: int = 100,
                 seeds: Mapping[Hashable, float] | Iterable[Hashable] | None = None, weights: str | None = "strength",
                 accelerated: bool = True) -> RankResult[PageRank]:
        """Computes the PageRank of every vertex; with `seeds`, the personalised one. Arguments as of Graph.pagerank()."""
        vertices = shares = None
        if seeds is not None:
            table = dict(seeds) if isinstance(seeds, Mapping) else dict.fromkeys(label_list(seeds, "seeds"), 1.0)
            if not table:
                raise _refuse(UsageError("seeds is empty: expected a label, or None"))
            vertices = self._vertices_of(table)
            shares = _told(np.array(list(table.values()), dtype=np.float64).view(np.uint64)).view(np.float64)
        made = _together(self._core.pagerank, damping, tolerance, _together(iterations_of, iterations), accelerated,
                         "none" if weights is None else weights, vertices, shares)
        return self._result(PageRank(self._named, *made))

    def betweenness(self, *, samples: int | None = None, seed: int = 1, sources: Iterable[Hashable] | None = None,
                    normalized: bool = False) -> RankResult[Betweenness]:
        """Computes the betweenness of every vertex. Arguments as of Graph.betweenness()."""
        made = _together(self._core.betweenness, 0 if samples is None else _together(count, samples, "samples"),
                         _together(seed_of, seed), None if sources is None else self._vertices_of(sources), normalized)
        return self._result(Betweenness(self._named, *made))

    def components(self) -> RankResult[Groups]:
        """Finds the connected components; directions do not matter."""
        of = _together(self._core.components).view(np.int64)
        return self._result(Groups(self._named, of, int(np.count_nonzero(of == np.arange(len(of))))))

    def communities(self, *, method: str = "leiden", quality: str = "modularity", directions: str = "follow",
                    resolution: float | None = None, iterations: int = 1, seed: int = 1) -> RankResult[Communities]:
        """Divides the vertices into communities. Arguments as of Graph.communities()."""
        of, groups, value, converged = _together(self._core.communities, method, quality, directions, resolution,
                                                 _together(iterations_of, iterations), _together(seed_of, seed))
        return self._result(Communities(self._named, of.view(np.int64), groups, value, converged))

    def cores(self) -> RankResult[Cores]:
        """Finds the coreness of every vertex."""
        return self._result(Cores(self._named, *_together(self._core.kcore)))

    def triangles(self) -> int:
        """Counts the triangles: at all ranks."""
        return int(_together(self._core.count_triangles))

    def clustering(self) -> RankResult[Clustering]:
        """Computes local clustering coefficients and triangles by vertex."""
        triangles, coefficients, total, average, transitivity = _together(self._core.clustering)
        return self._result(Clustering(self._named, coefficients, triangles.view(np.int64), average, transitivity,
                                       total))

    def bfs(self, source: Hashable) -> RankResult[Distances]:
        """Searches breadth-first from `source`; of several possible parents the smallest."""
        v = int(self._vertices_of([source])[0])
        parents, distances, reached, eccentricity = _together(self._core.bfs, v)
        return self._result(Distances(self._named, signed(distances), signed(parents), v, reached, eccentricity))

    def sssp(self, source: Hashable, *, delta: float | None = None) -> RankResult[Distances]:
        """Finds shortest paths from `source` by the sums of weights, which are at least 0.

        delta: width of a bucket of delta-stepping, in units of weight; None: chosen from the graph.
        """
        v = int(self._vertices_of([source])[0])
        distances, parents, reached, eccentricity = _together(self._core.sssp, v, _together(above_0, delta, "delta"))
        return self._result(Distances(self._named, distances, signed(parents), v, reached, eccentricity))


_repeats = ("remove", "keep", "heaviest", "first", "sum", "sum_weights")


def load(path: str | os.PathLike[str], *, format: str = "automatic", directed: bool | None = None,
         columns: Sequence[str | int] = (), weights_column: str | int | None = None, separator: str | None = None,
         header: bool | None = None, ids: str = "as_found", repeats: str | None = None,
         drop_loops: bool = False) -> ClusterGraph:
    """Loads a graph of a file that all ranks see under this path. Arguments as of callisto_graph.read().

    All ranks map a native file. Of a plain text of edges each rank reads a range of bytes. Rank 0 reads any other file,
    and sends each rank its rows. Raises FileNotFoundError or another OSError at all ranks if one cannot open the file;
    a fault in the file ends the job with one line.
    """
    file = os.fspath(path)
    where, number = _core.job_check_file(file)
    if number != 0:
        raise _refuse(OSError(number, f"{os.strerror(number)} at rank {where}", file))
    if repeats is not None and repeats not in _repeats:
        raise _refuse(UsageError(f"repeats is {repeats!r}: expected one of {', '.join(map(repr, _repeats))}"))
    return ClusterGraph(_core.job_load(file, format, directed is False, directed is True,
                                       [str(column) for column in columns],
                                       None if weights_column is None else str(weights_column), separator, header, ids,
                                       repeats, drop_loops))


def deal(graph: Graph | None) -> ClusterGraph:
    """Deals a graph that rank 0 has made, which keeps it; the other ranks give None."""
    if _rank != 0:
        return ClusterGraph(_core.job_deal(None))
    if graph is None:
        _core.job_end("deal() got None at rank 0: expected a Graph", 2)
    return ClusterGraph(_core.job_deal(cast(Graph, graph)._core), graph)
