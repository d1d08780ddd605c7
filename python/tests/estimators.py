"""The estimators of callisto_graph.sklearn pass scikit-learn's own checks, and find what is there. libraries.py runs it in
an environment that has scikit-learn."""

import re
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import check_estimator

import callisto_graph as cl
from callisto_graph.sklearn import CommunityClustering, VertexEmbedding

ESTIMATORS = [
    CommunityClustering(),
    CommunityClustering(affinity="precomputed"),
    VertexEmbedding(n_components=8),
    VertexEmbedding(n_components=8, affinity="precomputed"),
]
#: By affinity: checks that pass features, whatever the tags of the estimator say, and why they cannot pass.
EXPECTED = {"precomputed": {"check_clustering": "it passes rows of features where a matrix of affinities is asked for"}}


def scikit_learn_checks():
    for estimator in ESTIMATORS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = check_estimator(estimator, on_fail=None, expected_failed_checks=EXPECTED.get(estimator.affinity))
        failed = [f"{check['check_name']}: {check['exception']}" for check in made if check["status"] == "failed"]
        assert not failed, f"{estimator}: {failed}"
        passed = sum(check["status"] == "passed" for check in made)
        assert passed > 30, (estimator, passed)
        print(f"{estimator}: {passed} checks passed")


def clusters():
    X, y = make_blobs(300, centers=4, cluster_std=0.6, random_state=3)
    found = CommunityClustering(random_state=0, resolution=0.3).fit(X)
    assert adjusted_rand_score(y, found.labels_) > 0.95
    assert found.n_clusters_ == len(set(found.labels_)) and found.quality_ > 0.5
    again = clone(found).fit(X)
    assert (again.labels_ == found.labels_).all()
    # The same graph as a matrix, dense and sparse, and as a Graph.
    matrix = found.affinity_matrix_
    graph = cl.from_scipy(matrix, directed=False)
    for affinity in (matrix, sparse.coo_array(matrix), matrix.toarray(), graph):
        other = CommunityClustering(random_state=0, resolution=0.3, affinity="precomputed").fit(affinity)
        assert (other.labels_ == found.labels_).all()
    assert (CommunityClustering(random_state=0, affinity="precomputed", resolution=0.3).fit_predict(graph)
            == found.labels_).all()


def vectors():
    edges = [(u, v) for u in range(20) for v in range(u)]
    two = cl.from_edges([u + 20 * i for i in range(2) for u, _ in edges] + [0],
                        [v + 20 * i for i in range(2) for _, v in edges] + [20])
    made = VertexEmbedding(16, affinity="precomputed", random_state=1).fit_transform(two)
    assert made.shape == (40, 16)
    made = made / np.linalg.norm(made, axis=1, keepdims=True)
    like = made @ made.T
    assert like[:20, :20].mean() > 0.9 > 0.6 > like[:20, 20:].mean()


def refused(call, words):
    try:
        call()
    except ValueError as error:
        assert re.search(words, str(error)), error
    else:
        raise AssertionError(words)


def refusals():
    X = np.eye(4)
    refused(lambda: CommunityClustering(affinity="cosine").fit(X), "affinity is 'cosine'")
    refused(lambda: CommunityClustering(affinity="precomputed").fit(X[:2]), "square")
    refused(lambda: CommunityClustering(affinity="precomputed").fit(-X), "at least 0")
    refused(lambda: CommunityClustering(n_neighbors=0).fit(X), "n_neighbors")
    refused(lambda: CommunityClustering().fit(cl.grid(2, 2)), "its own affinity")


def page():
    """The lines of the recipe."""
    text = (Path(__file__).resolve().parents[2] / "docs/how-to/python-recipes.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "callisto_graph.sklearn" in block]
    assert len(blocks) == 1
    exec(compile(blocks[0], "python-recipes.md", "exec"), {})


if __name__ == "__main__":
    for step in (clusters, vectors, refusals, page, scikit_learn_checks):
        step()
    sys.exit(0)
