"""Columns of all libraries at all entry points, and what is refused: missing labels, labels twice, wrong counts."""

import decimal
import fractions

import numpy as np
import pytest

import callisto_graph as cl
import columns_everywhere


def test_columns_of_each_library_at_each_entry_point():
    assert len(columns_everywhere.check_all()) > 5


class OnlyBesideAnother:
    """A column with a first interface that needs a library which is not installed, as pandas 3 needs pyarrow."""

    def __init__(self, values, array=True):
        self.values = values
        self.array = array

    def __arrow_c_stream__(self, requested_schema=None):
        raise ImportError("`Import pyarrow` failed.")

    def __array__(self, dtype=None, copy=None):
        if not self.array:
            raise ImportError("no numpy for this type")
        return np.array(self.values, dtype=dtype)

    def __iter__(self):
        return iter(self.values)


@pytest.mark.parametrize("array", [True, False])
def test_an_interface_that_needs_another_library(array):
    columns = [OnlyBesideAnother(values, array) for values in ([1, 2], [2, 5], [1.5, 2.5])]
    made = cl.from_edges(*columns)
    assert made.label_list() == [1, 2, 5] and made.weighted
    made = cl.from_edges(OnlyBesideAnother(["a", "b"], array), OnlyBesideAnother(["b", "c"], array))
    assert made.label_list() == ["a", "b", "c"]


@pytest.mark.parametrize("call", [
    lambda masked: cl.from_edges(masked, [1, 2, 2]), lambda masked: cl.from_edges([1, 2, 2], masked),
    lambda masked: cl.from_edges([0, 1, 2], [1, 2, 0], masked), lambda masked: cl.from_edges([0], [1], vertices=masked),
    lambda masked: cl.grid(1, 3).pagerank(seeds=masked), lambda masked: cl.grid(1, 3).betweenness(sources=masked),
    lambda masked: cl.grid(1, 3).subgraph(masked), lambda masked: cl.grid(1, 3).subgraph(masked.astype(bool)),
    lambda masked: cl.grid(1, 3).pagerank()[masked], lambda masked: cl.grid(1, 3).community_quality(masked),
    lambda masked: cl.grid(1, 3).draw(values=masked), lambda masked: cl.grid(1, 3).walks(masked),
    lambda masked: cl.ChangingGraph().add_edges(masked, [1, 2, 3]),
    lambda masked: cl.ChangingGraph().add_edges([1, 2, 3], [2, 3, 4], masked),
])
def test_masked_arrays(call):
    with pytest.raises(cl.UsageError, match="row 2 is missing"):
        call(np.ma.array([0, 1, 5], mask=[0, 0, 1]))


def test_labels_twice_or_missing():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array(np.eye(3))
    for labels, match in ((["a", "a", "b"], "twice, 'a' in rows 0 and 1"), (["a", None, "b"], "row 1 is missing"),
                          ([1, 2, float("nan")], "row 2 is missing"), ([1, 1.0, 2], "twice"), (["a", "b"], "2 rows")):
        with pytest.raises(cl.UsageError, match=match):
            cl.from_scipy(matrix, labels=labels)
        if len(labels) == 3:
            with pytest.raises(cl.UsageError, match=match):
                cl.from_edges([], [], vertices=labels)
    with pytest.raises(TypeError, match="row 1 is of type list"):
        cl.from_scipy(matrix, labels=["a", [], "b"])
    with pytest.raises(TypeError, match="datetime64"):
        cl.from_scipy(matrix, labels=np.array([1, 2, 3], dtype="datetime64[ns]"))  # no whole microseconds
    own = ["a", "b", "c"]
    made = cl.from_scipy(matrix, labels=own)
    own[0] = "changed"
    assert made.label_list() == ["a", "b", "c"] and made.vertex("a") == 0
    assert cl.from_scipy(matrix, labels=np.array(["x", "y", "z"])).label_list() == ["x", "y", "z"]


def test_names_twice_in_igraph():
    igraph = pytest.importorskip("igraph")
    there = igraph.Graph(edges=[(0, 1), (1, 2)])
    there.vs["name"] = ["a", "b", "a"]
    with pytest.raises(cl.UsageError, match="'name' has a label twice"):
        cl.from_igraph(there)
    assert cl.from_igraph(there, labels=None).vertices == 3


def test_label_arrays_cannot_be_written():
    for graph in (cl.from_edges(["a"], ["b"]), cl.from_edges([5], [7]), cl.grid(2, 2), cl.from_edges([(1,)], [(2,)])):
        array = graph.label_array()
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_a_text_is_no_list_of_labels():
    graph = cl.from_edges(["a", "b"], ["b", "ab"])
    for call in (lambda: graph.pagerank(seeds="ab"), lambda: graph.subgraph("ab"), lambda: graph.walks("ab"),
                 lambda: graph.betweenness(sources="ab"), lambda: graph.neighbourhood("ab")):
        with pytest.raises(TypeError, match="'ab'"):
            call()


GRAPH = cl.grid(4, 4)
WEIGHTED = GRAPH.with_random_weights()

#: By argument: the call with it, and the least that it may be.
COUNTS = {
    "samples": [(lambda x: GRAPH.betweenness(samples=x), 1), (lambda x: GRAPH.edge_betweenness(samples=x), 1),
                (lambda x: GRAPH.closeness(samples=x), 1)],
    "iterations": [(lambda x: GRAPH.pagerank(iterations=x), 1), (lambda x: GRAPH.eigenvector(iterations=x), 1),
                   (lambda x: GRAPH.katz(iterations=x), 1), (lambda x: GRAPH.hits(iterations=x), 1),
                   (lambda x: GRAPH.communities(iterations=x), 1), (lambda x: GRAPH.draw(iterations=x), 0)],
    "searches": [(lambda x: GRAPH.diameter(searches=x), 1)],
    "sources": [(lambda x: GRAPH.distances(sources=x), 1)],
    "depth": [(lambda x: GRAPH.bfs(0, depth=x), 0)],
    "each": [(lambda x: GRAPH.walks(each=x), 1), (lambda x: GRAPH.node2vec(2, length=2, each=x), 1)],
    "length": [(lambda x: GRAPH.walks(length=x), 1), (lambda x: GRAPH.node2vec(2, length=x), 1)],
    "count": [(lambda x: GRAPH.similar_pairs(count=x), 1), (lambda x: GRAPH.predicted_links(x), 1), (cl.threads, 1)],
    "least_common": [(lambda x: GRAPH.similar_pairs(0.5, least_common=x), 0),
                     (lambda x: GRAPH.predicted_links(3, least_common=x), 0)],
    "k": [(lambda x: GRAPH.k_core(x), 0), (lambda x: GRAPH.k_shortest_paths(0, 1, x), 1)],
    "limit": [(lambda x: GRAPH.all_shortest_paths(0, 1, limit=x), 0)],
    "hops": [(lambda x: GRAPH.neighbourhood([0], x), 0)],
    "n": [(lambda x: GRAPH.pagerank().top(x), 0), (lambda x: GRAPH.components().top(x), 0),
          (lambda x: GRAPH.edge_betweenness().top(x), 0), (lambda x: GRAPH.changing().pagerank().top(x), 0)],
    "size": [(lambda x: GRAPH.draw(size=x), 1)],
    "vertices": [(lambda x: cl.from_edges([], [], vertices=x), 0), (lambda x: cl.uniform(x, 0), 0)],
    "edges": [(lambda x: cl.uniform(5, x), 0), (lambda x: cl.power_law(5, x), 0)],
    "scale": [(lambda x: cl.kronecker(x), 0)],
    "degree": [(lambda x: cl.kronecker(3, x), 0)],
    "rows": [(lambda x: cl.grid(x, 2), 0)],
    "columns": [(lambda x: cl.grid(2, x), 0)],
    "seed": [(lambda x, f=f: f(seed=x), 0) for f in (
        GRAPH.communities, GRAPH.matching, GRAPH.colouring, GRAPH.independent_set, GRAPH.walks, GRAPH.distances,
        GRAPH.with_random_weights, lambda seed: GRAPH.betweenness(samples=2, seed=seed),
        lambda seed: cl.kronecker(3, seed=seed))],
}


@pytest.mark.parametrize("name, call, least", [(name, *entry) for name, entries in COUNTS.items() for entry in entries])
def test_counts(name, call, least):
    for wrong in ([0] if least else []) + [-1, -(2**70), 2**70]:
        with pytest.raises(cl.UsageError, match=f"{name} is {wrong}: expected a whole number"):
            call(wrong)
    for wrong in (2.5, 2.0, np.float64(3), float("nan"), True, decimal.Decimal(2), fractions.Fraction(1, 2)):
        if name == "vertices" and not isinstance(wrong, bool):
            with pytest.raises((cl.UsageError, TypeError), match="vertices is"):
                call(wrong)
            continue
        with pytest.raises(cl.UsageError, match=f"{name} is .*: expected a whole number"):
            call(wrong)
    if name != "vertices":
        with pytest.raises(TypeError, match=f"{name} is of type str: expected a whole number"):
            call("2")
    before = cl.threads()
    for right in (max(least, 1), np.int64(2), np.uint8(3)):
        call(right)
    cl.threads(before)


@pytest.mark.parametrize("name, call", [
    ("error", lambda x: GRAPH.betweenness(error=x)), ("error", lambda x: GRAPH.closeness(error=x)),
    ("delta", lambda x: WEIGHTED.sssp(0, delta=x)), ("alpha", lambda x: GRAPH.katz(alpha=x))])
def test_numbers_above_0(name, call):
    for wrong in (0, 0.0, -1, float("nan"), float("inf")):
        with pytest.raises(cl.UsageError, match=f"{name} is .*above 0"):
            call(wrong)
    call(None)
