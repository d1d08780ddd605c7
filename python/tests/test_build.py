"""Graphs from columns, matrices and other libraries: types, labels, what is refused."""

import datetime
import decimal
import fractions
import importlib.util
import random
import subprocess
import sys
import warnings

import networkx as nx
import numpy as np
import pytest

import callisto_graph as cl
from conftest import columns, graph_of, random_graphs


def edge_set(graph):
    """Edges by label with weights, both ways round if they have no directions: made of the rows alone."""
    labels = graph.label_list()
    offsets, targets, weights = graph.rows()
    return {(labels[u], labels[v]): 1.0 if weights is None else float(weights[i])
            for u in range(graph.vertices)
            for i in range(offsets[u], offsets[u + 1])
            for v in [targets[i]]}


def edge_set_of(graph, weight=None):
    """The same of a networkx graph, the slow way."""
    made = {}
    for u, v, data in graph.edges(data=True):
        made[u, v] = 1.0 if weight is None else float(data[weight])
        if not graph.is_directed():
            made[v, u] = made[u, v]
    return made


@pytest.mark.parametrize("label", [lambda v: v, lambda v: v + 7, lambda v: v - 20, lambda v: v * 2**40, str,
                                   lambda v: ("node", v), lambda v: f"ü{v}", lambda v: (v,) if v % 2 else str(v)],
                         ids=["dense", "shifted", "negative", "sparse", "text", "tuple", "unicode", "mixed"])
@pytest.mark.parametrize("weighted", [False, True])
def test_columns_of_any_labels(label, weighted):
    for graph, _ in random_graphs(5, weighted=weighted):
        named = nx.relabel_nodes(graph, {v: label(v) for v in graph})
        source, target, weights = columns(named, "weight" if weighted else None)
        made = cl.from_edges(source, target, weights, directed=graph.is_directed())
        assert edge_set(made) == edge_set_of(named, "weight" if weighted else None)
        assert set(made.label_list()) == {v for v in named if named.degree(v)}
        everything = cl.from_edges(source, target, weights, directed=graph.is_directed(), vertices=list(named))
        assert everything.label_list() == list(named)
        assert edge_set(everything) == edge_set(made)


def test_labels_are_numbered_as_files_number_them():
    assert cl.from_edges([30, 10, 20], [10, 20, 30]).label_list() == [10, 20, 30]
    assert cl.from_edges(["b", "c", "a"], ["c", "a", "b"]).label_list() == ["a", "b", "c"]
    assert cl.from_edges([0, 1], [1, 2]).labels is None
    assert cl.from_edges([("x",), ("y",)], [("y",), ("z",)]).label_list() == [("x",), ("y",), ("z",)]


@pytest.mark.parametrize("type_", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, ">i4"])
def test_every_integer_type(type_):
    made = cl.from_edges(np.array([0, 1, 2], dtype=type_), np.array([1, 2, 0], dtype=np.int64))
    assert edge_set(made).keys() == {(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)}


def test_dates_are_labels():
    days = np.array(["2020-01-02", "2020-01-01"], dtype="datetime64[D]")
    made = cl.from_edges(days, days[::-1].astype("datetime64[M]"))
    assert datetime.date(2020, 1, 2) in made and made.vertices == 2
    times = days.astype("datetime64[ns]")
    assert cl.from_edges(times, times[::-1]).label_list() == [datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 1)]
    assert cl.from_edges([days.tolist()[0]], [days.tolist()[1]], vertices=days).label_list() == days.tolist()
    with pytest.raises(cl.UsageError, match="row 1 is missing"):
        cl.from_edges(np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), days)
    with pytest.raises(TypeError, match="whole microseconds"):
        cl.from_edges(times + 1, times)


def test_huge_labels():
    assert cl.from_edges(np.array([2**64 - 1], dtype=np.uint64), np.array([1])).label_list() == [1, 2**64 - 1]
    assert cl.from_edges([2**70, 1], [1, -1]).label_list() == [2**70, 1, -1]
    with pytest.raises(cl.UsageError, match="above 2\\^63"):
        cl.from_edges(np.array([2**64 - 1], dtype=np.uint64), np.array([-1]), vertices=3)


def test_equal_keys_are_one_vertex():
    made = cl.from_edges([1, True, "x"], [1.0, "x", np.int64(1)])
    assert made.vertices == 2 and made.vertex(1) == made.vertex(True) == made.vertex(1.0)


def test_many_texts_are_numbered_and_ordered_as_sorted_does():
    r = random.Random(1)
    letters = ["a", "b", "é", "\udc80", "\U0001f600", "z" * 9, ""]
    for alphabet in (letters, letters[:3] + letters[4:]):
        names = ["".join(r.choices(alphabet, k=r.randint(0, 5))) for _ in range(6000)]
        made = cl.from_edges(names[:3000], names[3000:], repeats="keep")
        assert made.label_list() == sorted(set(names), key=lambda name: name.encode("utf-8", "surrogateescape"))
        labels = made.label_list()
        assert all((labels.index(u), labels.index(v)) == (made.vertex(u), made.vertex(v))
                   for u, v in zip(names[:50], names[3000:]))
        assert edge_set(made).keys() >= set(zip(names[:3000], names[3000:]))


def test_texts_of_lists_and_arrays_make_one_graph():
    words = ["", "a", "shared 1", "shared 11", "a text of more than twenty-four bytes, and its end",
             "a text of more than twenty-four bytes, and another", "straße", "\U0001f600", "nul\0inside"]
    words += [f"v{i}" for i in range(991)]
    order = sorted(range(len(words)), key=lambda i: words[i].encode())
    rank = np.argsort(order)
    r = np.random.default_rng(3)
    rows = 300_000  # more than a block: threads collect texts in tables of their own
    picks = r.integers(0, len(words), (2, rows))
    source, target = ([words[i] for i in column] for column in picks.tolist())
    weight = r.random(rows)

    def same(made, count):
        numbers = cl.from_edges(rank[picks[0, :count]], rank[picks[1, :count]], weight[:count], vertices=len(words))
        return (made.label_list() == [words[i] for i in order]
                and all(np.array_equal(a, b) for a, b in zip(made.rows(), numbers.rows())))

    assert same(cl.from_edges(source, target, weight), rows)
    count = 20_000
    for column in (list, tuple, np.array, lambda texts: np.array(texts, dtype=object)):
        assert same(cl.from_edges(column(source[:count]), column(target[:count]), weight[:count]), count)


def test_labels_that_are_no_texts_are_seen_behind_texts():
    class Name(str):
        pass

    many = [f"v{i}" for i in range(100)]
    for column in (list, lambda labels: np.array(labels, dtype=object)):
        with pytest.raises(cl.UsageError, match="target of row 100 is missing"):
            cl.from_edges(column(many + ["x"]), column(many + [None]))
        assert cl.from_edges(column(many + [7]), column(many + ["x"])).label_list()[-2:] == [7, "x"]
        assert cl.from_edges(column(many + [Name("v3")]), column(many + ["x"])).vertices == 101
        with pytest.raises(cl.UsageError, match="source has 101 rows, target 100"):
            cl.from_edges(column(many + ["x"]), column(many))
        with pytest.raises(cl.UsageError, match="the weight of row 2 is NaN"):
            cl.from_edges(column(["a", "b", "c"]), column(["b", "c", "d"]), [1.0, 2.0, float("nan")])


def test_frames_of_edges_and_vertices():
    edges = {"source": ["b", "a"], "target": ["c", "b"], "w": [2.0, 3.0]}
    makers = [dict]
    for library in ("pandas", "polars"):
        if (found := sys.modules.get(library)) is not None or importlib.util.find_spec(library):
            makers.append((found or importlib.import_module(library)).DataFrame)
    if importlib.util.find_spec("pyarrow"):
        makers.append(importlib.import_module("pyarrow").table)
    for frame in makers:
        made = cl.from_frame(frame(edges), weight="w", directed=True)
        assert edge_set(made) == {("b", "c"): 2, ("a", "b"): 3}
        made = cl.from_frame(frame(edges), "target", "source", vertices=frame({"name": ["z", "c", "b", "a"]}), label="name")
        assert made.label_list() == ["z", "c", "b", "a"] and made.edges == 2
        with pytest.raises(cl.UsageError, match="edges has no column 'from': expected one of 'source', 'target', 'w'"):
            cl.from_frame(frame(edges), "from")
        with pytest.raises(cl.UsageError, match="vertices has no column 'vertex'"):
            cl.from_frame(frame(edges), vertices=frame({"name": ["a"]}))


def test_read_only_and_strided_columns():
    both = np.array([[0, 1], [1, 2], [2, 3]])
    both.flags.writeable = False
    assert cl.from_edges(both[:, 0], both[:, 1]).edges == 3
    assert cl.from_edges(both[::-1, 0], both[::-1, 1]).edges == 3


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["x", "y", "x"], "b": ["y", "z", "z"], "w": [1, 2, 3]})
    made = cl.from_edges(frame["a"], frame["b"], frame["w"])
    assert edge_set(made)["y", "z"] == 2 and made.weighted
    assert cl.from_edges(frame["a"].astype("category"), frame["b"].astype("category")).label_list() == ["x", "y", "z"]
    assert cl.from_edges(pandas.Series([1, 2]), pandas.Series([2, 3])).label_list() == [1, 2, 3]
    with pytest.raises((cl.UsageError, TypeError)):
        cl.from_edges(pandas.Series([1, None]), pandas.Series([2, 3]))
    with pytest.raises(cl.UsageError, match="row 1 is missing"):
        cl.from_edges(pandas.Series(["a", None], dtype=object), pandas.Series(["b", "c"]))
    # pandas 2 hands such a column over as floats.
    with pytest.raises((cl.UsageError, TypeError), match="row 1 is missing|float64"):
        cl.from_edges(pandas.Series([1, None], dtype="Int64"), pandas.Series([2, 3]))


def test_polars_and_arrow():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    texts, numbers = ["a long name that is not short", "b", "c"], [3, 4, 5]
    for column in (polars.Series, pyarrow.array, lambda v: pyarrow.chunked_array([v[:1], v[1:]]),
                   lambda v: polars.concat([polars.Series(v[:1]), polars.Series(v[1:])], rechunk=False)):
        assert cl.from_edges(column(texts), column(texts[1:] + texts[:1])).label_list() == sorted(texts)
        assert cl.from_edges(column(numbers), column(numbers[::-1]), column([0.5, 1.5, 2.5])).label_list() == numbers
    sliced = pyarrow.array([9, 8, 7, 6], pyarrow.int32())[1:3]
    assert cl.from_edges(sliced, pyarrow.array([1, 2], pyarrow.uint8())).label_list() == [1, 2, 7, 8]
    for missing in (polars.Series([1, None]), pyarrow.array([1, None]), pyarrow.array(["x", None]),
                    pyarrow.chunked_array([[1], [None]])):
        with pytest.raises(cl.UsageError, match="row 1 is missing"):
            cl.from_edges(missing, [1, 2])
    with pytest.raises(cl.UsageError, match="table"):
        cl.from_edges(polars.DataFrame({"a": [1], "b": [2]}), [1])


def test_arrow_without_pyarrow():
    pyarrow = pytest.importorskip("pyarrow")

    class Capsules:
        def __init__(self, column):
            self._column = column

        def __arrow_c_array__(self, requested_schema=None):
            return self._column.__arrow_c_array__(requested_schema)

    made = cl.from_edges(Capsules(pyarrow.array([1, 2])), Capsules(pyarrow.array([2, 3])))
    assert made.label_list() == [1, 2, 3]


@pytest.mark.parametrize("ids, match", [([0.0, 1.0], "whole"), (np.array([0.5, np.nan]), "whole"), ([True, False], "bool"),
                                        (np.array([True, False]), "bool"), (np.array([1 + 2j, 0]), "complex"),
                                        ("ab", "column"), (7, "column")])
def test_ids_of_other_types(ids, match):
    with pytest.raises(TypeError, match=match):
        cl.from_edges(ids, ids)


@pytest.mark.parametrize("weight, error, match", [
    ([1, float("nan")], cl.UsageError, "row 1 is NaN"), ([1, None], TypeError, "row 1 is None"),
    ([1, "2"], TypeError, "row 1 is '2'"), ([1, decimal.Decimal(2)], TypeError, "row 1"),
    (np.array([1j, 2]), TypeError, "complex"), (np.array(["1", "2"]), TypeError, "expected numbers"),
    ([1], cl.UsageError, "weight has 1 rows"),
    ([1, 10**400], cl.UsageError, "row 1 is above the largest float")])
def test_weights_that_are_refused(weight, error, match):
    with pytest.raises(error, match=match):
        cl.from_edges([0, 1], [1, 2], weight)


def test_weights_that_are_taken():
    for weight in ([1, 2.5], [np.float32(1), np.int8(2)], np.array([True, False]), [float("inf"), -1.0], [True, 2]):
        made = cl.from_edges([0, 1], [1, 2], weight)
        assert [edge_set(made)[0, 1], edge_set(made)[1, 2]] == [float(w) for w in weight]
    with pytest.raises(cl.WeightError):
        cl.from_edges([0, 1], [1, 2], [float("inf"), -1.0]).sssp(0)


def test_vertices_outside():
    for source, target in (([0, 5], [1, 1]), ([0, -1], [1, 1]), ([0, 1], [1, 2**40])):
        with pytest.raises(cl.UsageError, match="row 1"):
            cl.from_edges(source, target, vertices=3)
    with pytest.raises(cl.UsageError, match="row 0 is 'c'"):
        cl.from_edges(["a"], ["c"], vertices=["a", "b"])
    with pytest.raises(cl.UsageError, match="twice"):
        cl.from_edges(["a"], ["b"], vertices=["a", "b", "a"])
    with pytest.raises(cl.UsageError, match="2 rows, target 1"):
        cl.from_edges([0, 1], [1])


@pytest.mark.parametrize("repeats, weight", [("remove", 2.0), ("heaviest", 5.0), ("first", 3.0), ("sum", 10.0)])
def test_repeats(repeats, weight):
    made = cl.from_edges([0, 1, 0], [1, 0, 1], [3, 5, 2], repeats=repeats)
    assert edge_set(made) == {(0, 1): weight, (1, 0): weight}
    assert cl.from_edges([0, 1, 0], [1, 0, 1], [3, 5, 2], repeats="keep").arcs == 6
    with pytest.raises(cl.UsageError, match="one of 'remove'"):
        cl.from_edges([0], [1], repeats="all")


def test_loops_and_empty_graphs():
    assert cl.from_edges([0, 1], [0, 0]).edges == 2
    assert cl.from_edges([0, 1], [0, 0], drop_loops=True).edges == 1
    for empty in (cl.from_edges([], []), cl.from_edges([], [], vertices=0), cl.from_edges([], [], vertices=[])):
        assert (empty.vertices, empty.arcs, empty.label_list()) == (0, 0, [])
    assert cl.from_edges([], [], vertices=3).vertices == 3
    assert cl.from_edges(np.array([], dtype=float), np.array([], dtype=object)).vertices == 0


def test_labels_name_vertices():
    made = cl.from_edges(["a", "b"], ["b", "c"])
    assert "a" in made and "z" not in made and 1 not in made
    assert made.label(made.vertex("c")) == "c"
    with pytest.raises(KeyError, match="'z'"):
        made.bfs("z")
    plain = cl.from_edges([0], [1])
    assert plain.vertex(np.int32(1)) == 1
    for wrong in (2, -1, "0", True, None):
        with pytest.raises(KeyError):
            plain.vertex(wrong)


# Matrices

sparse = pytest.importorskip("scipy.sparse")


def matrix_of(graph, weight=None, **kind):
    return nx.to_scipy_sparse_array(graph, nodelist=sorted(graph), weight=weight, **kind)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok"])
@pytest.mark.parametrize("copy", [True, False])
def test_matrices_of_every_form(form, copy):
    for graph, expected in random_graphs(8, weighted=True):
        matrix = matrix_of(graph, "weight", format=form, dtype=float)
        made = cl.from_scipy(matrix, directed=graph.is_directed(), copy=copy)
        assert edge_set(made) == edge_set(expected)
        assert made.directed == graph.is_directed()
        back = made.to_scipy()
        assert (back != matrix.tocsr()).nnz == 0


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("matrix", [sparse.csr_array, sparse.csr_matrix])
def test_index_types(index, matrix):
    made = matrix((np.ones(3), np.array([1, 2, 0], dtype=index), np.array([0, 1, 2, 3], dtype=index)), shape=(3, 3))
    assert edge_set(cl.from_scipy(made, copy=False)).keys() == {(0, 1), (1, 2), (2, 0)}


def test_matrices_that_are_not_canonical():
    matrix = sparse.csr_array((np.array([1.0, 2, 4, 0]), np.array([2, 1, 2, 0]), np.array([0, 3, 4, 4])), shape=(3, 3))
    before = (matrix.data.copy(), matrix.indices.copy())
    made = cl.from_scipy(matrix)
    assert edge_set(made) == {(0, 1): 2, (0, 2): 5, (1, 0): 0}
    assert np.array_equal(matrix.data, before[0]) and np.array_equal(matrix.indices, before[1])
    assert edge_set(cl.from_scipy(matrix, weights=False, directed=False)).keys() == {(0, 1), (1, 0), (0, 2), (2, 0)}


def test_a_shared_matrix_outlives_its_name():
    matrix = matrix_of(nx.gnm_random_graph(200, 800, seed=1, directed=True), format="csr", dtype=float)
    matrix.indices = matrix.indices.astype(np.int32)
    expected = cl.from_scipy(matrix)
    references = sys.getrefcount(matrix.indices)
    shared = cl.from_scipy(matrix, copy=False)
    assert np.shares_memory(shared.rows()[1], matrix.indices)
    assert np.shares_memory(shared.rows()[2], matrix.data)
    assert sys.getrefcount(matrix.indices) > references
    indices = matrix.indices
    del matrix
    assert edge_set(shared) == edge_set(expected)
    assert np.array_equal(shared.pagerank().scores, expected.pagerank().scores)
    held = sys.getrefcount(indices)
    del shared
    assert sys.getrefcount(indices) < held


def test_matrices_that_are_refused():
    with pytest.raises(cl.UsageError, match="square"):
        cl.from_scipy(sparse.csr_array((2, 3)))
    with pytest.raises(TypeError, match="complex"):
        cl.from_scipy(sparse.csr_array(np.array([[1j]])))
    with pytest.raises(TypeError, match="sparse"):
        cl.from_scipy(np.eye(3))
    with pytest.raises(cl.UsageError, match="NaN"):
        cl.from_scipy(sparse.csr_array(np.array([[float("nan")]])))
    for indices in ([7], [-1]):
        broken = sparse.csr_array((2, 2))
        broken.indices, broken.data, broken.indptr = np.array(indices), np.ones(1), np.array([0, 1, 1])
        with pytest.raises(cl.UsageError):
            cl.from_scipy(broken)


def test_bool_and_integer_entries():
    for type_ in (bool, np.int32, np.uint8, np.float32):
        made = cl.from_scipy(sparse.csr_array(np.array([[0, 1], [1, 0]], dtype=type_)), directed=False)
        assert edge_set(made) == {(0, 1): 1, (1, 0): 1}


def test_networkx_and_igraph_there_and_back():
    igraph = pytest.importorskip("igraph")
    number = random.Random(1)
    for graph, _ in random_graphs(14, weighted=True):
        for named in (graph, nx.relabel_nodes(graph, {v: (v,) for v in graph})):
            made = cl.from_networkx(named)
            assert edge_set(made) == edge_set_of(named, "weight") and made.label_list() == list(named)
            assert edge_set(cl.from_networkx(named, weight=None)) == edge_set_of(named)
    with pytest.raises(cl.UsageError, match="the weight of the edge \\(0, 1\\) is 'heavy'"):
        cl.from_networkx(nx.Graph([(0, 1, {"weight": "heavy"})]))
    for weight in (np.float32(2.5), np.int8(2), True, fractions.Fraction(5, 2)):
        made = cl.from_networkx(nx.DiGraph([("a", "b", {"weight": weight}), ("c", "a", {"weight": 2})]))
        assert edge_set(made) == {("a", "b"): float(weight), ("c", "a"): 2} and made.label_list() == ["a", "b", "c"]
    for make, match in ((cl.from_networkx, "a graph of networkx"), (cl.from_igraph, "an igraph.Graph")):
        with pytest.raises(TypeError, match=f"of type list: expected {match}"):
            make([(0, 1)])
    for graph, made in random_graphs(11, weighted=True):
        named = nx.relabel_nodes(graph, {v: f"n{v}" for v in graph})
        ours = graph_of(named, "weight")
        assert edge_set_of(ours.to_networkx(), "weight") == edge_set(ours)
        assert list(ours.to_networkx()) == list(named)
        there = ours.to_igraph()
        assert isinstance(there, igraph.Graph) and there.is_directed() == graph.is_directed()
        back = cl.from_igraph(there)
        assert edge_set(back) == edge_set(ours) and back.label_list() == ours.label_list()
        assert cl.from_igraph(made.to_igraph(), weight=None).weighted is False
        if graph.number_of_edges():
            assert edge_set(ours.reversed()) == {(v, u): w for (u, v), w in edge_set(ours).items()}
        some = number.sample(sorted(named), k=(len(named) + 1) // 2)
        assert edge_set(ours.subgraph(some)) == edge_set_of(named.subgraph(some), "weight")


def test_repeats_with_different_weights_warn():
    for labels in ([0, 1], ["a", "b"], [("a",), ("b",)]):
        source, target = [labels[0], labels[1], labels[0]], [labels[1], labels[0], labels[0]]
        for drop in (False, True):
            with pytest.warns(UserWarning, match="1 edge repeats others.*repeats=\"sum\"") as found:
                made = cl.from_edges(source, target, [4, 1, 1], drop_loops=drop)
            assert found[0].filename == __file__ and len(found) == 1 and len(made.notes) == 1
            frame = {"source": source, "target": target, "w": [4, 1, 1]}
            with pytest.warns(UserWarning, match="1 edge repeats"):
                cl.from_frame(frame, weight="w", drop_loops=drop)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert cl.from_edges(source, target, [4, 4, 1], drop_loops=drop).notes
                assert not cl.from_edges(source, target, [4, 1, 1], directed=True, drop_loops=drop).notes
                assert not cl.from_edges(source, target, [4, 1, 1], repeats="remove", drop_loops=drop).notes


def test_save_refuses_names_of_other_formats(tmp_path):
    with pytest.raises(cl.UsageError, match=r"write\(\) writes .graphml"):
        cl.from_edges([0], [1]).save(tmp_path / "x.graphml")
    assert not list(tmp_path.iterdir())


def test_a_networkx_that_is_too_old_is_named():
    text = ("import sys, networkx, callisto_graph as cl; sys.modules['networkx.utils.backends'] = None\n"
            "try: cl.from_networkx(networkx.path_graph(2))\nexcept ImportError as e: print(e)")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert "is too old: expected 3.4 or newer" in done.stdout


def test_what_messages_say_to_users_of_frames():
    with pytest.raises(TypeError, match="row 1 of source is missing"):
        cl.from_edges(np.array([1, np.nan]), [2, 3])
    g = cl.from_edges(["a", "b"], ["b", "c"])
    with pytest.raises(cl.UsageError, match="expected one of None, 'strength'"):
        g.pagerank(weights="weight")
    assert g.subgraph([True, False, True]).label_list() == ["a", "c"]
