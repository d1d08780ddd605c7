"""Estimators of scikit-learn: communities as a clustering, and vectors of vertices as an embedding.

    from callisto_graph.sklearn import CommunityClustering
    CommunityClustering(random_state=0).fit_predict(X)

They take rows of features, of which the nearest neighbours become a graph; or, with affinity="precomputed", a square
matrix of weights, dense or sparse, or a Graph. They need scikit-learn 1.6 or newer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import kneighbors_graph
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from ._build import from_scipy
from ._graph import Graph

__all__ = ["CommunityClustering", "VertexEmbedding"]


class _OfGraph(BaseEstimator):  # type: ignore[misc]
    """Makes a graph of what an estimator is fitted to."""

    affinity: str
    n_neighbors: int
    random_state: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.affinity == "precomputed"
        return tags

    def _graph_of(self, X: Any) -> Graph:
        if self.affinity not in ("nearest_neighbors", "precomputed"):
            raise ValueError(f"affinity is {self.affinity!r}: expected 'nearest_neighbors' or 'precomputed'")
        if isinstance(X, Graph):
            if self.affinity != "precomputed":
                raise ValueError("a Graph is its own affinity: expected affinity='precomputed'")
            self.n_features_in_ = X.vertices
            self.affinity_matrix_ = X.to_scipy()
            return X
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        if self.affinity == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"the precomputed affinity has the shape {X.shape}: expected a square matrix")
            matrix = sparse.csr_array(X, copy=True)
            matrix.eliminate_zeros()
            if len(matrix.data) and matrix.data.min() < 0:
                raise ValueError("Negative values in data: expected weights of at least 0 as affinity")
        else:
            if not isinstance(self.n_neighbors, (int, np.integer)) or self.n_neighbors < 1:
                raise ValueError(f"n_neighbors is {self.n_neighbors!r}: expected a number above 0")
            near = kneighbors_graph(X, min(self.n_neighbors, X.shape[0] - 1), include_self=False)
            matrix = sparse.csr_array(near + near.T) * 0.5  # neighbours of each other weigh twice as much
        self.affinity_matrix_ = matrix
        return from_scipy(matrix, directed=False)

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(1, 2**31 - 1))


class CommunityClustering(ClusterMixin, _OfGraph):  # type: ignore[misc]
    """Clusters by communities of a graph; how many there are follows from the graph and the resolution.

    affinity: "nearest_neighbors": rows are features, and each row is joined with its nearest ones; "precomputed": a
        square matrix of weights, or a Graph.
    n_neighbors: how many rows each is joined with.
    method, quality, resolution, iterations: as of Graph.communities().
    random_state: the seed; None: another one in each fit.

    After fit(): labels_, by row, 0 for the largest cluster; n_clusters_; quality_; affinity_matrix_.
    """

    def __init__(self, *, affinity: str = "nearest_neighbors", n_neighbors: int = 10, method: str = "leiden",
                 quality: str = "modularity", resolution: float | None = None, iterations: int = 1,
                 random_state: Any = None) -> None:
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.method = method
        self.quality = quality
        self.resolution = resolution
        self.iterations = iterations
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> CommunityClustering:
        """Finds the clusters of rows of features, of a matrix of affinities, or of a Graph. `y` is not used."""
        graph = self._graph_of(X)
        found = graph.communities(method=self.method, quality=self.quality, resolution=self.resolution,
                                  iterations=self.iterations, seed=self._seed())
        self.labels_ = found.numbers()
        self.n_clusters_ = found.count
        self.quality_ = found.quality
        return self


class VertexEmbedding(_OfGraph):
    """Gives each row a vector, so that rows with like neighbourhoods have like vectors (FastRP).

    n_components: the length of a vector.
    affinity, n_neighbors, random_state: as of CommunityClustering.
    steps, degree_power: as of Graph.embedding().

    After fit(): embedding_, a row a row; affinity_matrix_. There is no transform(): a graph of other rows is another
    graph.
    """

    def __init__(self, n_components: int = 128, *, affinity: str = "nearest_neighbors", n_neighbors: int = 10,
                 steps: Sequence[float] = (0.0, 0.0, 1.0, 1.0), degree_power: float = 0.0,
                 random_state: Any = None) -> None:
        self.n_components = n_components
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.steps = steps
        self.degree_power = degree_power
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> VertexEmbedding:
        """Finds the vectors of rows of features, of a matrix of affinities, or of a Graph. `y` is not used."""
        graph = self._graph_of(X)
        self.embedding_ = graph.embedding(self.n_components, steps=self.steps, degree_power=self.degree_power,
                                          weights="strength" if graph.weighted else None, seed=self._seed())
        return self

    def fit_transform(self, X: Any, y: Any = None) -> npt.NDArray[np.float32]:
        """Returns the vectors, after fit()."""
        return self.fit(X).embedding_
