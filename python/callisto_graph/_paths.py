"""Kernels that find distances and paths."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from . import _core
from ._base import GraphBase, signed
from ._errors import UsageError
from ._numbers import above_0, count, seed_of
from ._progress import Progress, reporting
from ._results import AllPaths, Diameter, Distances, DistanceSample, Eccentricities, Flow, Path

_farthest = 2**32 - 1


class PathKernels(GraphBase):
    """Distances and paths."""

    __slots__ = ()

    def bfs(self, source: Hashable, *, along: str = "out", depth: int | None = None,
            progress: Progress = None) -> Distances:
        """Searches breadth-first from `source`: distances in edges, and parents on shortest paths.

        along: "out" follows edges, "in" goes against them, "both" ignores directions.
        depth: vertices farther away than this stay unreached.
        """
        levels = _farthest if depth is None else count(depth, "depth", 0, _farthest)
        v = self.vertex(source)
        with reporting(progress) as receiver:
            parents, distances, reached, eccentricity = _core.bfs(
                self._core, v, along, levels, True, receiver)
        return Distances(self, signed(distances), signed(parents), v, reached, eccentricity)

    def sssp(self, source: Hashable, *, delta: float | None = None, negative: bool = False,
             progress: Progress = None) -> Distances:
        """Finds shortest paths from `source` by the sums of weights.

        delta: width of a bucket of delta-stepping, in units of weight; None: chosen from the graph.
        negative: weights may be negative (Bellman and Ford). Raises UsageError if a cycle has a negative sum.
        """
        width = above_0(delta, "delta")
        v = self.vertex(source)
        if not self._core.arcs:
            made = self.bfs(source)
            return Distances(self, np.where(made.distances == 0, 0.0, np.inf), made.parents, v, 1, 0.0)
        with reporting(progress) as receiver:
            distances, parents, reached, eccentricity, cycle = _core.sssp(
                self._core, v, width, True, negative, receiver)
        if len(cycle):
            labels = [self.label(u) for u in cycle.tolist()[:10]]
            raise UsageError(f"a cycle of {len(cycle)} vertices has a negative sum of weights: {labels}")
        return Distances(self, distances, signed(parents), v, reached, eccentricity)

    def shortest_paths(self, source: Hashable, targets: Iterable[Hashable], *, progress: Progress = None) -> list[Path]:
        """Finds a shortest path from `source` to each target, by the sums of weights; ends as soon as it has all."""
        v, ends = self.vertex(source), self.vertices_of(targets)
        with reporting(progress) as receiver:
            made = _core.paths_to(self._core, v, ends, receiver)
        return [Path(distance, [self.label(u) for u in vertices.tolist()]) for distance, vertices in made]

    def shortest_path(self, source: Hashable, target: Hashable, *, weights: str | None = None,
                      progress: Progress = None) -> Path:
        """Finds a shortest path between two vertices by searches from both, which look at little of a large graph.

        weights: "length": sums of weights; None: numbers of edges.
        """
        weighted = self._lengths(weights, ("none", "length")) == "length"
        u, v = self.vertex(source), self.vertex(target)
        with reporting(progress) as receiver:
            length, vertices, _ = _core.path_between(self._core, u, v, weighted, receiver)
        return Path(length, [self.label(w) for w in vertices.tolist()])

    def routes(self, *, weights: str | None = None, file: str | os.PathLike[str] | None = None,
               progress: Progress = None) -> Routes:
        """Makes routes, by which the shortest path between two vertices is found at once; for roads and other graphs of
        small degrees. Method: contraction hierarchies (Geisberger et al. 2008).

        weights: "length": sums of weights; None: numbers of edges.
        file: takes the routes that this file, from which the graph was read, holds by `callisto convert --routes` or
        Routes.save(), instead of making them; `weights` are as they were then.
        """
        if file is not None:
            return Routes(self, _core.open_routes(self._core, os.fspath(file)))
        weighted = self._lengths(weights, ("none", "length")) == "length"
        with reporting(progress) as receiver:
            return Routes(self, _core.make_routes(self._core, weighted, receiver))

    def all_shortest_paths(self, source: Hashable, target: Hashable, *, weights: str | None = None, limit: int = 100,
                           progress: Progress = None) -> AllPaths:
        """Counts all shortest paths between two vertices, and lists the first.

        weights: as of shortest_path(). Lengths that differ by no more than 1e-10 of them are equal.
        limit: most paths to list, in the order of the labels where they part.
        """
        weighted = self._lengths(weights, ("none", "length")) == "length"
        u, v = self.vertex(source), self.vertex(target)
        with reporting(progress) as receiver:
            length, total, vertices, _, paths = _core.all_paths_between(
                self._core, u, v, weighted, count(limit, "limit", 0), receiver)
        exact = int(total) if total <= 2**53 else total
        return AllPaths(length, exact, vertices, [[self.label(w) for w in path.tolist()] for path in paths])

    def k_shortest_paths(self, source: Hashable, target: Hashable, k: int, *, weights: str | None = None,
                         progress: Progress = None) -> list[Path]:
        """Finds the k shortest paths without repeated vertices between two vertices, or all if there are fewer.

        Shorter paths come first, equally long ones in the order of the labels where they part. The method is Yen's.
        weights: as of shortest_path().
        """
        weighted = self._lengths(weights, ("none", "length")) == "length"
        u, v = self.vertex(source), self.vertex(target)
        with reporting(progress) as receiver:
            made = _core.k_paths_between(self._core, u, v, count(k, "k"), weighted, receiver)
        return [Path(length, [self.label(w) for w in vertices.tolist()]) for length, vertices in made]

    def maximum_flow(self, source: Hashable, target: Hashable, *, weights: str | None = None,
                     progress: Progress = None) -> Flow:
        """Finds the largest flow from `source` to `target`, and the least cut between them.

        weights: "strength": capacities of edges; None: each edge carries 1. An undirected edge carries it either way.
        """
        weighted = self._lengths(weights, ("none", "strength")) == "strength"
        u, v = self.vertex(source), self.vertex(target)
        with reporting(progress) as receiver:
            value, sides, cut, edges = _core.maximum_flow(self._core, u, v, weighted, receiver)
        named = [[(self.label(a), self.label(b), x) for a, b, x in some] for some in (cut, edges)]
        return Flow(value, [self.label(w) for w in np.flatnonzero(sides).tolist()], *named)

    def diameter(self, *, searches: int | None = None, progress: Progress = None) -> Diameter:
        """Finds the diameter of the largest component, in edges of either direction.

        searches: most breadth-first searches to do; the result then may be bounds. None: as many as it takes.
        """
        with reporting(progress) as receiver:
            lower, upper, u, v, done, vertices = _core.diameter(
                self._core, 2**64 - 1 if searches is None else count(searches, "searches"), receiver)
        source, target = (self.label(u), self.label(v)) if self.vertices else (None, None)
        return Diameter(lower, upper, source, target, done, vertices)

    def eccentricities(self, *, along: str = "both", weights: str | None = None,
                       progress: Progress = None) -> Eccentricities:
        """Finds how far the farthest vertex is from every vertex, of those that it reaches.

        along: "out", "in" or "both", as of bfs(). weights: "length": sums of weights; None: numbers of edges.
        """
        weighted = self._lengths(weights, ("none", "length")) == "length"
        with reporting(progress) as receiver:
            made = _core.eccentricities(self._core, along, weighted, receiver)
        return Eccentricities(self, *made)

    def distances(self, *, sources: int = 32, seed: int = 1, progress: Progress = None) -> DistanceSample:
        """Samples how far the vertices of the largest component are apart, in edges of either direction."""
        with reporting(progress) as receiver:
            pairs, mean, low, high, vertices, used = _core.distances(
                self._core, count(sources, "sources"), seed_of(seed), receiver)
        return DistanceSample(pairs.view(np.int64), mean, low, high, vertices, used)


class Routes:
    """Routes of a graph, by which the shortest path between two vertices is found at once. Made by Graph.routes()."""

    __slots__ = ("graph", "_made")

    graph: Any

    def __init__(self, graph: Any, made: Any) -> None:
        self.graph = graph
        self._made = made

    @property
    def arcs(self) -> int:
        """The number of arcs and shortcuts."""
        return int(self._made.arcs)

    @property
    def weights(self) -> str | None:
        """What lengths are: "length": sums of weights; None: numbers of edges."""
        return "length" if self._made.weighted else None

    def __repr__(self) -> str:
        return f"Routes({self.arcs} arcs and shortcuts, of {self.graph!r})"

    def path(self, source: Hashable, target: Hashable) -> Path:
        """Finds a shortest path between two vertices. It is as long as that of Graph.shortest_path()."""
        u, v = self.graph.vertex(source), self.graph.vertex(target)
        length, vertices, _ = _core.path_by_routes(self.graph._core, self._made, u, v)
        return Path(length, [self.graph.label(w) for w in vertices.tolist()])

    def save(self, path: str | os.PathLike[str], *, progress: Progress = None) -> None:
        """Writes the graph with its routes to a file of Callisto's own format (.cg). `callisto path` uses them."""
        core = self.graph._core_with_labels()
        with reporting(progress) as receiver:
            _core.save_routes(core, self._made, os.fspath(path), receiver)
