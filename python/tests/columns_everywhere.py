"""Gives columns of each library that is there to each entry point that takes columns, and compares with lists. Needs
nothing but callisto_graph and numpy, so that it runs in environments without pytest: libraries.py."""

import importlib
import sys

import numpy as np

import callisto_graph as cl

TEXTS = ["ann", "ann", "bob", "cid", "a name that is longer than twelve letters"]
OTHERS = ["bob", "cid", "cid", "eve", "ann"]
NUMBERS, MORE = [5, 5, 7, 9, 2**40], [7, 9, 9, 11, 5]
WEIGHTS = [3.0, 12.0, 5.0, 40.0, 2.5]


def library(name):
    """Returns a library, None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def makers():
    """Yields (name, function that makes a column of a list)."""
    yield "list", list
    yield "tuple", tuple
    yield "generator", iter
    yield "numpy", np.array
    yield "numpy object", lambda v: np.array(v, dtype=object)
    yield "numpy masked, none missing", lambda v: np.ma.array(v, mask=[False] * len(v))
    if pandas := library("pandas"):
        yield "pandas Series", pandas.Series
        yield "pandas Series, another index", lambda v: pandas.Series(v, index=range(70, 70 + len(v)))
        yield "pandas object", lambda v: pandas.Series(v, dtype=object)
        yield "pandas Index", pandas.Index
        yield "pandas category", lambda v: pandas.Series(v, dtype="category")
        yield "pandas nullable", lambda v: pandas.Series(v).convert_dtypes()
        yield "pandas column of a frame", lambda v: pandas.DataFrame({"a": v, "b": v})["b"]
        yield "pandas array", lambda v: pandas.Series(v).array
    if polars := library("polars"):
        yield "polars Series", polars.Series
        yield "polars column of a frame", lambda v: polars.DataFrame({"a": v})["a"]
        yield "polars chunks", lambda v: polars.concat([polars.Series(v[:1]), polars.Series(v[1:])], rechunk=False)
        yield "polars categories", lambda v: polars.Series(v, dtype=polars.Categorical if type(v[0]) is str else None)
    if pyarrow := library("pyarrow"):
        yield "pyarrow array", pyarrow.array
        yield "pyarrow chunks", lambda v: pyarrow.chunked_array([v[:1], v[1:]])
        yield "pyarrow column of a table", lambda v: pyarrow.table({"a": v})["a"]
        yield "pyarrow dictionary", lambda v: pyarrow.array(v).dictionary_encode()
        if pandas:
            yield "pandas of pyarrow", lambda v: pandas.Series(v, dtype=pandas.ArrowDtype(pyarrow.array(v).type))


def makers_of_missing():
    """Yields (name, column of numbers of which row 1 is missing)."""
    yield "numpy masked", np.ma.array([5, 7, 9], mask=[0, 1, 0])
    yield "list", [5, None, 9]
    if pandas := library("pandas"):
        yield "pandas Int64", pandas.Series([5, None, 9], dtype="Int64")
        yield "pandas object", pandas.Series([5, None, 9], dtype=object)
        yield "pandas text", pandas.Series(["a", None, "b"])
        yield "pandas category", pandas.Series(["a", None, "b"], dtype="category")
    if polars := library("polars"):
        yield "polars", polars.Series([5, None, 9])
        yield "polars text", polars.Series(["a", None, "b"])
    if pyarrow := library("pyarrow"):
        yield "pyarrow", pyarrow.array([5, None, 9])
        yield "pyarrow text", pyarrow.array(["a", None, "b"])


def same(a, b):
    assert type(a) is type(b) and a == b, f"{a!r} instead of {b!r}"


def edges_of(graph):
    labels = graph.label_list()
    u, v, w = graph.edge_arrays()
    return [(labels[a], labels[b]) for a, b in zip(u.tolist(), v.tolist())], None if w is None else w.tolist()


def each_entry(column, source, target):
    """Calls each entry point with columns made of lists by `column`."""
    plain = cl.from_edges(source, target, WEIGHTS)
    made = cl.from_edges(column(source), column(target), column(WEIGHTS))
    same(made.label_list(), plain.label_list())
    same(edges_of(made), edges_of(plain))
    all_of = plain.label_list()[::-1]
    listed = cl.from_edges(column(source), column(target), vertices=column(all_of))
    same(listed.label_list(), all_of)
    same(listed.edges, 5)
    some = all_of[:2]
    same(made.pagerank(seeds=column(some)).to_dict(), plain.pagerank(seeds=some).to_dict())
    same(made.betweenness(sources=column(some)).to_dict(), plain.betweenness(sources=some).to_dict())
    same(made.edge_betweenness(sources=column(some)).to_dict(), plain.edge_betweenness(sources=some).to_dict())
    same([p.vertices for p in made.shortest_paths(all_of[0], column(some))],
         [p.vertices for p in plain.shortest_paths(all_of[0], some)])
    same(edges_of(made.subgraph(column(all_of[:3]))), edges_of(plain.subgraph(all_of[:3])))
    same(edges_of(made.neighbourhood(column(some), 1)), edges_of(plain.neighbourhood(some, 1)))
    same(made.walks(column(some), length=4).tolist(), plain.walks(some, length=4).tolist())
    groups = ["x", "x", "y", "y"][:made.vertices] + ["z"] * (made.vertices - 4)
    same(made.community_quality(column(groups)), plain.community_quality(groups))
    by_vertex = [float(v) for v in range(made.vertices)]
    same(made.draw(values=column(by_vertex)).data, plain.draw(values=by_vertex).data)
    rank = made.pagerank()
    same([rank[label] for label in some], rank[list(some)].tolist())
    live = cl.ChangingGraph()
    live.add_edges(column(source), column(target), column(WEIGHTS))
    same(live.edges, 5)
    same(live.remove_edges(column(source[:2]), column(target[:2])), 2)


def each_column_that_stays(column, source, target):
    """The same where a column is indexed with: an iterator of Python is none."""
    made = cl.from_edges(source, target, WEIGHTS)
    some = made.label_list()[1:3]
    rank = made.pagerank()
    same(rank[column(some)].tolist(), rank[some].tolist())
    mask = [v < 3 for v in range(made.vertices)]
    same(rank[column(mask)].tolist(), rank[np.array(mask)].tolist())
    same(edges_of(made.subgraph(column(mask))), edges_of(made.subgraph(np.array(mask))))
    try:
        made.subgraph(column(mask[:2]))
    except cl.UsageError as e:
        assert "truth values" in str(e), e
    else:
        raise AssertionError("a mask of two rows is taken")


def results_as_columns():
    """Results are columns, too: of the same graph, and back from frames."""
    graph = cl.from_edges(TEXTS, OTHERS, WEIGHTS)
    rank = graph.pagerank()
    cl.from_edges(rank.graph.label_array(), graph.label_list(), rank)
    for name in ("pandas", "polars"):
        if library(name) is None:
            try:
                rank.to_frame(name)
            except ImportError as e:
                assert f"pip install {name}" in str(e), e
            else:
                raise AssertionError(f"{name} is not there, but to_frame() answers")
            continue
        frame = graph.to_frame(name)
        same(edges_of(cl.from_edges(frame["source"], frame["target"], frame["weight"])), edges_of(graph))
        values = rank.to_frame(name)
        same(graph.pagerank(seeds=values["vertex"]).to_dict(), graph.pagerank(seeds=graph.label_list()).to_dict())
        same(list(values["scores"]), rank.scores.tolist())
        graph.edge_betweenness().to_frame(name), graph.communities().to_frame(name)


def missing_values():
    for name, column in makers_of_missing():
        for call in (lambda: cl.from_edges(column, [1, 2, 3]), lambda: cl.from_edges([1, 2, 3], column),
                     lambda: cl.from_edges([1, 2, 3], [2, 3, 4], column),
                     lambda: cl.from_edges([5], [5], vertices=column)):
            try:
                call()
            except (cl.UsageError, TypeError) as e:
                assert any(word in str(e) for word in ("row 1", "missing", "type", "expected a number")), f"{name}: {e}"
            else:
                raise AssertionError(f"{name}: a missing value is taken")


def check_all():
    names = []
    for name, column in makers():
        for source, target in ((TEXTS, OTHERS), (NUMBERS, MORE)):
            try:
                each_entry(column, source, target)
                if name not in ("list", "tuple", "generator"):
                    each_column_that_stays(column, source, target)
            except Exception as e:
                raise AssertionError(f"columns of {name}: {type(e).__name__}: {e}") from e
        names.append(name)
    results_as_columns()
    missing_values()
    return names


if __name__ == "__main__":
    print(f"{len(check_all())} kinds of columns")
    sys.exit(0)
