"""Kernels that tell how important vertices are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import numpy as np

from . import _core
from ._base import GraphBase
from ._columns import label_list
from ._errors import UsageError
from ._numbers import above_0, count, iterations_of, seed_of
from ._progress import Progress, reporting
from ._results import Betweenness, Closeness, EdgeBetweenness, Eigenvector, Hits, Katz, PageRank


class RankKernels(GraphBase):
    """Centralities."""

    __slots__ = ()

    def pagerank(self, *, damping: float = 0.85, tolerance: float = 1e-9, iterations: int = 100,
                 seeds: Mapping[Hashable, float] | Iterable[Hashable] | None = None, weights: str | None = "strength",
                 accelerated: bool = True, progress: Progress = None) -> PageRank:
        """Computes the PageRank of every vertex; with `seeds`, the personalised one.

        damping: probability of following an edge rather than restarting, in [0, 1).
        tolerance: ends once a sweep changes all scores together (L1) by no more than this.
        iterations: sweeps at most; `converged` tells whether they were enough.
        seeds: where the walk restarts: labels, or {label: share}. None: everywhere.
        weights: "strength": an edge is followed with the share that its weight has; None: all edges alike.
        accelerated: False: plain power iteration, which takes more sweeps.

        Rank of vertices without out-edges is spread over all vertices, or the seeds, as NetworkX does.
        """
        vertices = shares = None
        if seeds is not None:
            table = dict(seeds) if isinstance(seeds, Mapping) else dict.fromkeys(label_list(seeds, "seeds"), 1.0)
            if not table:
                raise UsageError("seeds is empty: expected a label, or None")
            vertices = self.vertices_of(table)
            shares = np.array(list(table.values()), dtype=np.float64)
        with reporting(progress) as receiver:
            made = _core.pagerank(self._core, damping, tolerance, iterations_of(iterations), accelerated,
                                  self._lengths(weights, ("none", "strength")), vertices, shares, receiver)
        return PageRank(self, *made)

    def betweenness(self, *, samples: int | None = None, seed: int = 1, error: float | None = None,
                    confidence: float = 0.9, sources: Iterable[Hashable] | None = None, normalized: bool = False,
                    weights: str | None = None, progress: Progress = None) -> Betweenness:
        """Computes the betweenness of every vertex: the share of shortest paths between others that lead through it.

        samples: so many sources, chosen at random by `seed`; None: all, which is exact.
        error: samples until normalized scores are within this of the exact ones, with `confidence`.
        sources: labels of the sources, instead of a random sample.
        normalized: scores as shares of the pairs of other vertices.
        weights: "length": the weight of an edge is its length; None: edges have length 1.
        """
        with reporting(progress) as receiver:
            scores, errors, used, _ = _core.betweenness(
                self._core, 0 if samples is None else count(samples, "samples"), seed_of(seed), above_0(error, "error"),
                confidence, None if sources is None else self.vertices_of(sources), normalized,
                self._lengths(weights, ("none", "length")), receiver)
        return Betweenness(self, scores, errors, used)

    def edge_betweenness(self, *, samples: int | None = None, seed: int = 1,
                         sources: Iterable[Hashable] | None = None, normalized: bool = False,
                         weights: str | None = None, progress: Progress = None) -> EdgeBetweenness:
        """Computes the betweenness of every edge; arguments as of betweenness()."""
        with reporting(progress) as receiver:
            source, target, scores, used = _core.edge_betweenness(
                self._core, 0 if samples is None else count(samples, "samples"), seed_of(seed),
                None if sources is None else self.vertices_of(sources), normalized,
                self._lengths(weights, ("none", "length")), receiver)
        return EdgeBetweenness(self, source.view(np.int64), target.view(np.int64), scores, used)

    def closeness(self, *, harmonic: bool = False, outgoing: bool = False, normalized: bool = False,
                  weights: str | None = None, samples: int | None = None, seed: int = 1, error: float | None = None,
                  confidence: float = 0.9, progress: Progress = None) -> Closeness:
        """Computes how near the others are to each vertex.

        harmonic: sums of reciprocal distances, which suit graphs that are not connected.
        outgoing: distances from the vertex; otherwise to it.
        normalized: harmonic sums divided by n - 1; closeness is so in any case.
        weights: "length": the weight of an edge is its length; None: edges have length 1.
        samples, seed: so many vertices at the other ends, chosen at random; None: all, which is exact.
        error, confidence: as many samples as this bound of the error needs.
        """
        with reporting(progress) as receiver:
            made = _core.closeness(self._core, harmonic, outgoing, normalized,
                                   self._lengths(weights, ("none", "length")),
                                   0 if samples is None else count(samples, "samples"), seed_of(seed),
                                   above_0(error, "error"), confidence, receiver)
        return Closeness(self, *made)

    def eigenvector(self, *, tolerance: float = 1e-9, iterations: int = 1000, weights: str | None = None,
                    progress: Progress = None) -> Eigenvector:
        """Computes eigenvector centrality: a vertex scores as its in-neighbours do, together.

        weights: "strength": entries of the matrix are the weights; None: all are 1.
        Raises NoCentralityError if a directed graph has no cycle.
        """
        with reporting(progress) as receiver:
            made = _core.eigenvector(self._core, tolerance, iterations_of(iterations),
                                     self._lengths(weights, ("none", "strength")), receiver)
        return Eigenvector(self, *made)

    def katz(self, *, alpha: float | None = None, beta: float = 1.0, normalized: bool = True, tolerance: float = 1e-9,
             iterations: int = 1000, weights: str | None = None, progress: Progress = None) -> Katz:
        """Computes Katz centrality: x = alpha * (sum of x over in-neighbours) + beta.

        alpha: below 1 / the largest eigenvalue, else NoCentralityError; None: 0.1 if that is, or else 0.85 of it.
        normalized: scaled so that the sum of squares is 1.
        """
        with reporting(progress) as receiver:
            made = _core.katz(self._core, above_0(alpha, "alpha"), beta, normalized, tolerance,
                              iterations_of(iterations),
                              self._lengths(weights, ("none", "strength")), receiver)
        return Katz(self, *made)

    def hits(self, *, tolerance: float = 1e-9, iterations: int = 1000, weights: str | None = "strength",
             progress: Progress = None) -> Hits:
        """Computes hubs and authorities (Kleinberg): good hubs lead to good authorities."""
        with reporting(progress) as receiver:
            made = _core.hits(self._core, tolerance, iterations_of(iterations),
                              self._lengths(weights, ("none", "strength")), receiver)
        return Hits(self, *made)
