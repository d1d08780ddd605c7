"""Kernels that tell how a graph is made up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _numbers
from ._base import GraphBase, signed
from ._columns import as_array, is_missing
from ._errors import UsageError
from ._numbers import count, iterations_of, seed_of
from ._progress import Progress, reporting
from ._results import (Biconnected, Clustering, Colouring, Communities, Cores, Degrees, Forest, Groups,
                       GroupsComparison, IndependentSet, IntArray, Layers, Matching, NeighbourSample, SimilarPairs, Truss)


def _group_numbers(groups: npt.ArrayLike, name: str) -> npt.NDArray[np.uint64]:
    """Returns by item the row where its group first occurs."""
    first: dict[Hashable, int] = {}
    of = [first.setdefault(group, row) for row, group in enumerate(as_array(groups, name).tolist())]
    for group, row in first.items():
        if is_missing(group):
            raise UsageError(f"the group of row {row} is missing ({group!r}): expected one")
    return np.array(of, dtype=np.uint64)


def compare_groups(a: npt.ArrayLike, b: npt.ArrayLike) -> GroupsComparison:
    """Tells how much two divisions of the same items agree. `a`, `b`: a value by item, equal within a group.

    Normalized mutual information (Danon et al.), the Rand index and its adjusted form (Hubert and Arabie), and the
    variation of information (Meila). Results of components() and communities() are divisions of vertices.
    """
    of_a, of_b = _group_numbers(a, "a"), _group_numbers(b, "b")
    if len(of_a) != len(of_b):
        raise UsageError(f"a has {len(of_a)} items and b {len(of_b)}: expected as many")
    groups_a, groups_b, *values = _core.compare_groups(of_a, of_b)
    return GroupsComparison((groups_a, groups_b), *values)


class StructureKernels(GraphBase):
    """Components, cores, triangles, communities and the like."""

    __slots__ = ()

    def components(self, *, progress: Progress = None) -> Groups:
        """Finds the connected components; of a directed graph the weakly connected ones."""
        with reporting(progress) as receiver:
            return self._groups(_core.components(self._core, False, receiver))

    def strong_components(self, *, progress: Progress = None) -> Groups:
        """Finds the strongly connected components: vertices that reach each other."""
        with reporting(progress) as receiver:
            return self._groups(_core.components(self._core, True, receiver))

    def _groups(self, of: IntArray) -> Groups:
        of = signed(of)
        return Groups(self, of, int(np.count_nonzero(of == np.arange(len(of)))))

    def communities(self, *, method: str = "leiden", quality: str = "modularity",
                    resolution: float | None = None, directions: str = "follow", iterations: int = 1,
                    seed: int = 1, progress: Progress = None) -> Communities:
        """Finds communities: groups with more edges inside than chance would put there.

        method: "leiden", "louvain", or "labels" (label propagation).
        quality: "modularity" or "cpm", which leiden and louvain maximize.
        resolution: higher values find smaller communities. None: 1 for modularity; for cpm the density of the graph,
        the weight of all edges by the number of pairs of vertices.
        directions: "follow", or "ignore": edges of a directed graph count without direction.
        iterations: of leiden and louvain, each from the communities of the one before.

        Weights count as strengths. The result depends on the graph and the arguments alone, not on threads.
        """
        with reporting(progress) as receiver:
            of, groups, value, converged = _core.communities(self._core, method, quality, directions, resolution,
                                                             iterations_of(iterations), seed_of(seed), receiver)
        return Communities(self, of.view(np.int64), groups, value, converged)

    def community_quality(self, groups: npt.ArrayLike, *, quality: str = "modularity",
                          resolution: float | None = None, directions: str = "follow",
                          progress: Progress = None) -> float:
        """Returns the quality of a division of the vertices. `groups`: a value by vertex, equal within a group.

        quality, resolution and directions are those of communities().
        """
        values = as_array(groups, "groups")
        if len(values) != self.vertices:
            raise UsageError(f"groups has the shape {values.shape}: expected ({self.vertices},)")
        of = _group_numbers(values, "groups")
        with reporting(progress) as receiver:
            made = _core.community_quality(self._core, of, quality, directions, resolution, receiver)
        return float(made)

    def cores(self, *, progress: Progress = None) -> Cores:
        """Computes the coreness of every vertex, of the underlying simple undirected graph."""
        with reporting(progress) as receiver:
            return Cores(self, *_core.kcore(self._core, receiver))

    def triangles(self, *, progress: Progress = None) -> int:
        """Counts the triangles of the underlying simple undirected graph."""
        with reporting(progress) as receiver:
            return int(_core.count_triangles(self._core, receiver)[0])

    def clustering(self, *, directed: bool = False, weights: str | None = None,
                   progress: Progress = None) -> Clustering:
        """Computes clustering coefficients: the share of pairs of neighbours that are neighbours themselves.

        directed: triangles count by the directions of their edges (Fagiolo). weights: "strength": by the geometric mean
        of their weights (Onnela et al.). Without either, also counts the triangles of every vertex.
        """
        weighted = self._lengths(weights, ("none", "strength")) == "strength"
        with reporting(progress) as receiver:
            if not directed and not weighted:
                triangles, coefficients, total, average, transitivity = _core.clustering(self._core, receiver)
                return Clustering(self, coefficients, triangles.view(np.int64), average, transitivity, total)
            coefficients, average = _core.valued_clustering(self._core, directed, weighted, receiver)
        return Clustering(self, coefficients, None, average, None, None)

    def truss(self, *, progress: Progress = None) -> Truss:
        """Computes the trussness of every edge, of the underlying simple undirected graph."""
        with reporting(progress) as receiver:
            source, target, trussness, highest, innermost = _core.truss(self._core, receiver)
        return Truss(self, signed(source), signed(target), trussness, highest, innermost)

    def biconnected(self, *, progress: Progress = None) -> Biconnected:
        """Finds biconnected components, bridges and articulation points, of the underlying simple undirected graph."""
        with reporting(progress) as receiver:
            made = _core.biconnected(self._core, receiver)
        return Biconnected(self, *map(signed, made))

    def topological_order(self, *, progress: Progress = None) -> Layers:
        """Orders the vertices of a directed graph without cycles so that arcs lead forward.

        Raises UsageError, which names a cycle, if there is one; a self-loop is a cycle.
        """
        with reporting(progress) as receiver:
            order, layer, count, cycle = _core.topological_order(self._core, receiver)
        if len(cycle):
            shown = [self.label(v) for v in signed(cycle[:20]).tolist()]
            end = f" -> ... ({len(cycle) - 20} more)" if len(cycle) > 20 else f" -> {shown[0]}"
            raise UsageError("the graph has a cycle: " + " -> ".join(map(str, shown)) + end)
        return Layers(self, signed(layer), signed(order), count)

    def assortativity(self, *, progress: Progress = None) -> float:
        """Computes the correlation of the degrees at both ends of edges, without loops and repeats; NaN if undefined.

        In a directed graph it is that of out-degrees with the in-degrees that arcs lead to.
        """
        with reporting(progress) as receiver:
            return float(_core.assortativity(self._core, receiver))

    def spanning_forest(self, *, heaviest: bool = False, progress: Progress = None) -> Forest:
        """Finds the minimum spanning forest, or the maximum one; without weights all edges weigh 1."""
        with reporting(progress) as receiver:
            source, target, weights, total, trees = _core.spanning_forest(self._core, heaviest, receiver)
        return Forest(self, source.view(np.int64), target.view(np.int64), weights, total, trees)

    def similarity(self, pairs: Iterable[tuple[Hashable, Hashable]], *, measure: str = "jaccard",
                   progress: Progress = None) -> SimilarPairs:
        """Tells how alike the vertices of each pair are, by the neighbours that they share.

        measure: "jaccard": shared by all neighbours of the two; "overlap": by those of the one that has fewer; "cosine":
        by the root of the product of both. Without an upper bound: "common": the number of shared ones; "adamic-adar":
        each divided by the logarithm of its degree; "resource-allocation": by its degree; "preferential-attachment":
        the product of both degrees.
        """
        ends = [(self.vertex(u), self.vertex(v)) for u, v in pairs]
        both = np.array(ends, dtype=np.uint64).reshape(-1, 2)
        source, target = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
        with reporting(progress) as receiver:
            values = _core.similarities(self._core, source, target, measure, receiver)
        return SimilarPairs(self, source.view(np.int64), target.view(np.int64), values)

    def similar_pairs(self, threshold: float | None = None, *, count: int | None = None, measure: str = "jaccard",
                      least_common: int = 1, progress: Progress = None) -> SimilarPairs:
        """Finds the pairs that are at least as alike as `threshold`; or for each vertex the `count` most alike ones.

        least_common: pairs with fewer common neighbours are left out.
        """
        if (threshold is None) == (count is None):
            raise UsageError("expected either threshold or count")
        common = _numbers.count(least_common, "least_common", 0)
        most = 0 if count is None else _numbers.count(count, "count")
        with reporting(progress) as receiver:
            if threshold is not None:
                made = _core.similar_pairs(self._core, threshold, measure, common, receiver)
            else:
                made = _core.most_similar(self._core, most, measure, common, receiver)
        return SimilarPairs(self, made[0].view(np.int64), made[1].view(np.int64), made[2])

    def predicted_links(self, count: int, *, measure: str = "adamic-adar", least_common: int = 1,
                        progress: Progress = None) -> SimilarPairs:
        """Finds the `count` pairs of vertices without an edge that are most alike: links to come. The best is first.

        measure: as of similarity(). least_common: pairs with fewer common neighbours are left out, but for
        "preferential-attachment".
        """
        most = _numbers.count(count, "count")
        common = _numbers.count(least_common, "least_common", 0)
        with reporting(progress) as receiver:
            made = _core.predicted_links(self._core, most, measure, common, receiver)
        return SimilarPairs(self, made[0].view(np.int64), made[1].view(np.int64), made[2])

    def matching(self, *, heaviest_first: bool = False, seed: int = 1, progress: Progress = None) -> Matching:
        """Finds a maximal matching: edges of which no two share a vertex.

        heaviest_first: takes edges by falling weight: at least half of the largest weight possible.
        """
        with reporting(progress) as receiver:
            partners, edges, weight = _core.matching(self._core, heaviest_first, seed_of(seed), receiver)
        return Matching(self, signed(partners), edges, weight)

    def colouring(self, *, order: str = "smallest_log_last", seed: int = 1, progress: Progress = None) -> Colouring:
        """Colours the vertices greedily: neighbours get different colours.

        order: "smallest_log_last" takes the fewest colours, "largest_log_first" less time; or "random".
        """
        with reporting(progress) as receiver:
            return Colouring(self, *_core.colouring(self._core, order, seed_of(seed), receiver))

    def independent_set(self, *, seed: int = 1, progress: Progress = None) -> IndependentSet:
        """Finds a maximal independent set: no two vertices are neighbours, and none can be added."""
        with reporting(progress) as receiver:
            return IndependentSet(self, *_core.independent_set(self._core, seed_of(seed), receiver))

    def walks(self, starts: Iterable[Hashable] | None = None, *, each: int = 1, length: int = 80, p: float = 1.0,
              q: float = 1.0, weights: str | None = None, seed: int = 1,
              progress: Progress = None) -> npt.NDArray[np.int64]:
        """Makes random walks along edges: a row of vertices a walk, -1 behind the end of one that cannot go on.

        starts: labels where walks begin; None: every vertex. each: rounds over the starts.
        length: most vertices of a walk. p, q: node2vec's return and in-out parameters.
        weights: "strength": edges are taken in proportion to their weights.
        """
        each, length, seed = count(each, "each"), count(length, "length"), seed_of(seed)
        first = np.arange(self.vertices, dtype=np.uint64) if starts is None else self.vertices_of(starts)
        weighted = self._lengths(weights, ("none", "strength")) == "strength"
        with reporting(progress) as receiver:
            made = _core.walks(self._core, np.tile(first, each), length, p, q, weighted, seed, receiver)
        rows: npt.NDArray[np.int64] = made.reshape(-1, length)
        return rows

    def sample_neighbours(self, seeds: Iterable[Hashable], counts: Iterable[int], *, side: str = "in",
                          replace: bool = False, seed: int = 1) -> NeighbourSample:
        """Draws neighbours of some vertices, of these neighbours, and so on: the sample of a batch that a graph network
        learns from.

        seeds: labels. counts: how many neighbours of each vertex a hop draws; -1: all. side: "in": those that edges come
        from; "out": those that they lead to. replace: whether one neighbour may be drawn twice.
        """
        draw = self._drawing(counts, side, replace)
        return draw(self.vertices_of(seeds), seed_of(seed))

    def neighbour_batches(self, counts: Iterable[int], *, seeds: Iterable[Hashable] | None = None, size: int = 1024,
                          shuffle: bool = True, side: str = "in", replace: bool = False,
                          seed: int = 1) -> Iterator[NeighbourSample]:
        """Iterates over samples as of sample_neighbours(), each for `size` of the seeds: what an epoch of a graph network
        learns from.

        seeds: labels; None: all vertices. shuffle: whether they come in random order. seed: of the order and of all
        draws; pass another one in each epoch.
        """
        draw = self._drawing(counts, side, replace)
        most = count(size, "size")
        random = np.random.default_rng(seed_of(seed))
        chosen = np.arange(self.vertices, dtype=np.uint64) if seeds is None else self.vertices_of(seeds)
        if shuffle:
            chosen = random.permutation(chosen)
        batches = [chosen[first:first + most] for first in range(0, len(chosen), most)]
        numbers = random.integers(1, 2**63, len(batches)).tolist()
        return (draw(batch, number) for batch, number in zip(batches, numbers))

    def _drawing(self, counts: Iterable[int], side: str,
                 replace: bool) -> Callable[[npt.NDArray[np.uint64], int], NeighbourSample]:
        if side not in ("in", "out"):
            raise UsageError(f"side is {side!r}: expected 'in' or 'out'")
        hops = [_numbers.count(n, "counts", -1) for n in counts]
        return lambda vertices, seed: NeighbourSample(
            self, *_core.sample_neighbours(self._core, vertices, hops, bool(replace), side == "in", seed))

    def embedding(self, dimensions: int = 128, *, steps: Sequence[float] = (0.0, 0.0, 1.0, 1.0),
                  degree_power: float = 0.0, weights: str | None = None, seed: int = 1,
                  progress: Progress = None) -> npt.NDArray[np.float32]:
        """Returns a vector for each vertex, a row a vertex: vertices with like neighbourhoods have like vectors (FastRP).

        steps: what the own random vector counts, the mean over neighbours, the mean over theirs, and so on.
        degree_power: the power of the degree that multiplies a random vector; below 0 hubs count less.
        weights: "strength": means are by the weights of edges.
        """
        wanted = [float(one) for one in steps]
        if not all(np.isfinite(one) and one >= 0 for one in wanted) or not sum(wanted) > 0 or not np.isfinite(degree_power):
            raise UsageError("steps and degree_power: expected finite numbers, steps of 0 or more, one above 0")
        use = self._lengths(weights, ("none", "strength"))
        size = count(dimensions, "dimensions")
        with reporting(progress) as receiver:
            made = _core.fast_random_projection(self._core, size, wanted, float(degree_power), use, seed_of(seed), receiver)
        rows: npt.NDArray[np.float32] = made.reshape(-1, size)
        return rows

    def node2vec(self, dimensions: int = 128, *, length: int = 80, each: int = 10, window: int = 10, negative: int = 5,
                 p: float = 1.0, q: float = 1.0, rate: float = 0.025, weights: str | None = None, seed: int = 1,
                 progress: Progress = None) -> npt.NDArray[np.float32]:
        """Returns a vector for each vertex, a row a vertex, which learns from walks (node2vec): vertices that walks visit
        near each other have vectors of large products. The same whatever the number of threads.

        length, each: vertices of a walk, and walks from each vertex. window: vertices up to so many steps apart are near.
        negative: vertices drawn for each pair, which are not near. p, q: going back is 1/p as likely, going farther 1/q.
        rate: length of the first steps of learning, at most 1. weights: "strength": walks follow edges by their weights.
        """
        use = self._lengths(weights, ("none", "strength"))
        size = count(dimensions, "dimensions")
        with reporting(progress) as receiver:
            made = _core.node2vec(self._core, size, count(length, "length"), count(each, "each"), count(window, "window"),
                                  count(negative, "negative"), float(p), float(q), float(rate), use, seed_of(seed), receiver)
        rows: npt.NDArray[np.float32] = made.reshape(-1, size)
        return rows

    def statistics(self, *, progress: Progress = None) -> dict[str, Any]:
        """Returns sizes, degrees and irregularities: vertices, arcs, edges, self-loops, repeats, isolated vertices.

        "edges" leaves out loops and repeats, which Graph.edges counts.

        "density" is the share of pairs of vertices that are joined, "reciprocity" the share of arcs with their reverse.
        """
        with reporting(progress) as receiver:
            return dict(_core.statistics(self._core, receiver))

    def degrees(self, side: str = "out") -> Degrees:
        """Returns the degree of every vertex, in stored arcs: "out" or "in", which are alike in undirected graphs."""
        if side not in ("out", "in"):
            raise UsageError(f"side is {side!r}: expected 'out' or 'in'")
        offsets = (self._core.out_rows() if side == "out" else self._core.in_rows())[0]
        return Degrees(self, np.diff(offsets.view(np.int64)))

    def degree_counts(self, side: str = "out", *, progress: Progress = None) -> tuple[IntArray, IntArray]:
        """Returns the degrees that occur, ascending, and how many vertices have each.

        side: "out", "in", or "simple": neighbours in the underlying simple undirected graph.
        """
        with reporting(progress) as receiver:
            degrees, counts = _core.degree_counts(self._core, side, receiver)
        return degrees.view(np.int64), counts.view(np.int64)
