"""Functions that make graphs."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Hashable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from . import _core
from ._attributes import giving_rows, objects_of
from ._columns import (arrow_column, as_array, as_ids, as_labels, as_weights, in_order, label_list, number_labels,
                       same_ids, with_dates)
from ._errors import UsageError
from ._graph import Graph
from ._numbers import count, seed_of
from ._progress import Progress, reporting

_repeats = ("remove", "keep", "heaviest", "first", "sum", "sum_weights")


def from_edges(source: Any, target: Any, weight: Any = None, *, directed: bool = False,
               vertices: int | Sequence[Hashable] | None = None, repeats: str | None = None, drop_loops: bool = False,
               progress: Progress = None) -> Graph:
    """Makes the graph of columns of edges: numpy arrays, series of pandas, polars or pyarrow, lists.

    source, target: the labels of both ends: whole numbers, texts, dates, or anything hashable.
    weight: numbers, one a row; None: the graph has no weights.
    directed: whether edges have directions.
    vertices: an int n: labels are 0 ... n - 1, and all of these are vertices. A sequence: all labels, in this order.
        None: the labels that occur; numbers from 0 on and texts in ascending order, others as they first occur.
    repeats: what becomes of edges that repeat: "remove": one stays, the lightest; "heaviest", "first"; "sum": weights
        or numbers of edges add up; "sum_weights": only weights do; "keep": all stay. None: "remove", with a note, and
        with a UserWarning where edges that repeat have different weights.
    drop_loops: drops edges from a vertex to itself.

    Raises UsageError for missing labels, weights that are NaN, and columns of different lengths; TypeError for labels
    that are floats or bools.
    """
    if repeats is not None and repeats not in _repeats:
        raise UsageError(f"repeats is {repeats!r}: expected one of {', '.join(map(repr, _repeats))}")
    if weight is None and vertices is None and progress is None:
        core = _of_whole_numbers(source, target, directed, repeats or "remove", drop_loops)
        if core is not None:
            return Graph(core, None)
    values = None if weight is None else as_weights(weight)
    numbered: Any = None
    if (vertices is None and type(source) is type(target) is list and 0 < len(source) == len(target)
            and type(source[0]) is type(target[0]) is str and (values is None or len(values) == len(source))):
        # Copies: a signal's handler, and threads that run meanwhile, may change the lists.
        numbered = _core.number_texts(source.copy(), target.copy())  # None: other labels are behind the texts
    if numbered is not None:
        u, v, labels = numbered
        return _of_numbers(u, v, labels, values, directed, repeats, drop_loops, progress)
    columns = _arrow_columns(source, target)
    texts: Any = columns
    if (vertices is None and all(column is not None and column.holds_texts() for column in columns)
            and 0 < len(texts[0]) == len(texts[1]) and (values is None or len(values) == len(texts[0]))):
        def build(rule: str, receiver: Any) -> Any:
            return _core.from_texts(*texts, values, directed, rule, drop_loops, receiver)[0]

        return _merged(build, None, repeats, values, drop_loops, progress)
    u = with_dates(as_array(source, "source", columns[0]), "source")
    v = with_dates(as_array(target, "target", columns[1]), "target")
    if len(u) != len(v):
        raise UsageError(f"source has {len(u)} rows, target {len(v)}: expected equally many")
    if values is not None and len(values) != len(u):
        raise UsageError(f"weight has {len(values)} rows, source {len(u)}: expected equally many")
    for column, name in ((u, "source"), (v, "target")):
        if len(column) and column.dtype.kind in "fbc":
            as_ids(column, name)
    if not len(u):
        u = v = np.zeros(0, dtype=np.int64)

    table: Sequence[Hashable] | None = None
    size: int | None = None
    if vertices is not None and not isinstance(vertices, (int, np.integer)):
        table, index = as_labels(vertices, "vertices")
        u, v = _looked_up(u, index, "source"), _looked_up(v, index, "target")
        size = len(table)
    elif vertices is not None:
        size = count(vertices, "vertices", 0)
        u, v = same_ids(as_ids(u, "source"), as_ids(v, "target"))
    elif u.dtype.kind in "iu" and v.dtype.kind in "iu" and min(u.min(initial=0), v.min(initial=0)) >= 0:
        u, v = same_ids(as_ids(u, "source"), as_ids(v, "target"))
    else:
        return _of_numbers(*number_labels(u, v), values, directed, repeats, drop_loops, progress)

    def build_numbers(rule: str, receiver: Any) -> Any:
        return _core.from_edges(u, v, values, size, directed, rule, drop_loops, receiver)[0]

    return _merged(build_numbers, table, repeats, values, drop_loops, progress)


def _merged(build: Callable[[str, Any], Any], table: Any, repeats: str | None, values: Any, drop_loops: bool,
            progress: Progress) -> Graph:
    """Makes a graph, and says what became of repeated edges with weights where the caller did not decide.
    `build`: makes the core by a rule for repeats."""
    with reporting(progress) as receiver:
        made = Graph(build(repeats or "remove", receiver), table)
    if repeats is not None or values is None or made.edges == len(values):
        return made
    all_edges = Graph(build("keep", None)).edges if drop_loops else len(values)
    if all_edges == made.edges:
        return made
    word = "edge repeats" if all_edges - made.edges == 1 else "edges repeat"
    note = (f"{all_edges - made.edges} {word} others: of each the lightest stays; repeats=\"sum\" adds their weights, as "
            "callisto pagerank does, repeats=\"remove\" leaves it so")
    # The lightest and the heaviest of all repeats are the same exactly where no weights differ.
    lightest, heaviest = made._core.out_rows()[2], build("heaviest", None).out_rows()[2]
    if not np.array_equal(lightest, heaviest):
        warnings.warn(note, UserWarning, stacklevel=_callers())
    return Graph(made._core, table, (note,))


def _callers() -> int:
    """Returns the level of the first caller outside of this file, for a warning that the calling function gives."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    return level


def _of_numbers(u: Any, v: Any, labels: list[Hashable], values: Any, directed: bool, repeats: str | None,
                drop_loops: bool, progress: Progress) -> Graph:
    """Makes the graph of two columns of places in `labels`. Texts become names: as in files, vertices are numbered in the
    order of their names."""
    found = in_order(labels)
    if found:
        ranks, names = found
        u, v = ranks[u], ranks[v]

    def build(rule: str, receiver: Any) -> Any:
        core = _core.from_edges(u, v, values, len(labels), directed, rule, drop_loops, receiver)[0]
        return _core.with_names(core, *names) if found else core

    return _merged(build, None if found else labels, repeats, values, drop_loops, progress)


_int64 = np.dtype(np.int64)


def _whole_numbers(column: Any) -> Any:
    """Returns an array of 64-bit ints, or a list of ints, as an array that _core takes; None for any other column."""
    if type(column) is list:
        if len(column) > 100 or set(map(type, column)) != {int}:
            return None
        try:
            return np.array(column, _int64)
        except OverflowError:
            return None
    if type(column) is np.ndarray and column.dtype is _int64 and column.ndim == 1 and column.flags.c_contiguous:
        return column
    return None


def _of_whole_numbers(source: Any, target: Any, directed: bool, repeats: str, drop_loops: bool) -> Any:
    """Returns the core of the plainest columns, a few edges of which take no longer than this way has steps; None for
    others, for negative numbers, and for what from_edges() has a word about."""
    u, v = _whole_numbers(source), _whole_numbers(target)
    if u is None or v is None or len(u) == 0 or len(u) != len(v):
        return None
    try:
        return _core.from_edges(u, v, None, None, directed, repeats, drop_loops, None)[0]
    except UsageError:
        return None


def _arrow_columns(source: Any, target: Any) -> list[_core.ArrowColumn | None]:
    made: list[_core.ArrowColumn | None] = []
    for values, name in ((source, "source"), (target, "target")):
        try:
            made.append(arrow_column(values, name))
        except ImportError:  # the library has this way only beside another one
            made.append(None)
    return made


def _column_of(frame: Any, name: Any, which: str) -> Any:
    try:
        return frame[name]
    except (KeyError, IndexError, TypeError, ValueError):
        pass
    except Exception as error:
        if type(error).__name__ != "ColumnNotFoundError":  # of polars
            raise
    raise UsageError(f"{which} has no column {name!r}: expected one of {', '.join(map(repr, _column_names(frame)))}")


def _read_frame(frame: Any, columns: list[Any] | None) -> Any:
    """Returns the frame, or the one that a data set of pyarrow or a lazy frame of polars stands for: these columns of it,
    or all."""
    if hasattr(frame, "to_table") and hasattr(frame, "schema"):
        there = frame.schema.names
        return frame.to_table(columns=[name for name in columns if name in there] if columns else None)
    if hasattr(frame, "collect") and hasattr(frame, "collect_schema"):
        there = frame.collect_schema().names()
        return (frame.select([name for name in columns if name in there]) if columns else frame).collect()
    return frame


def _column_names(frame: Any) -> list[Any]:
    there = getattr(frame, "columns", None)
    if there is None or callable(there) or len(there) and not isinstance(next(iter(there)), (str, int)):
        there = getattr(frame, "column_names", None) or list(frame)
    return list(there)


def from_frame(edges: Any, source: Any = "source", target: Any = "target", weight: Any = None, *,
               vertices: Any = None, label: Any = "vertex", directed: bool = False, repeats: str | None = None,
               drop_loops: bool = False, attributes: bool = False, progress: Progress = None) -> Graph:
    """Makes the graph of a frame of edges, and of one of vertices: of pandas, polars or pyarrow, or dicts of columns.

    Data sets of pyarrow and lazy frames of polars are read, of their columns those that are needed.

    edges: a row an edge. source, target, weight: names of its columns; weight: None: the graph has no weights.
    vertices: a row a vertex, isolated ones too; vertices are numbered in this order, so that results fit its rows.
        None: the vertices that have edges.
    label: the name of its column of labels.
    directed, repeats, drop_loops: as of from_edges().
    attributes: whether the other columns of both frames stay with the graph, see Graph.vertex_columns(); of rows that
        became one edge the one that stays gives its values.

    Raises UsageError for a column that is missing, and as from_edges() does.
    """
    edges = _read_frame(edges, None if attributes else [source, target, *([] if weight is None else [weight])])
    vertices = _read_frame(vertices, None if attributes else [label])
    labels = None if vertices is None else _column_of(vertices, label, "vertices")
    u, v = _column_of(edges, source, "edges"), _column_of(edges, target, "edges")
    weights = None if weight is None else _column_of(edges, weight, "edges")
    made = from_edges(u, v, weights, directed=directed, vertices=labels, repeats=repeats, drop_loops=drop_loops,
                      progress=progress)
    if not attributes:
        return made
    of_vertices = {} if vertices is None else {name: _column_of(vertices, name, "vertices")
                                               for name in _column_names(vertices) if name != label}
    of_edges = {}
    others = [name for name in _column_names(edges) if name not in (source, target, weight)]
    if others:
        first, second = (made.vertices_of(label_list(column, "edges")).astype(np.int64) for column in (u, v))
        rows = giving_rows(made, first, second, None if weights is None else as_weights(weights),
                           repeats or "remove").tolist()
        for name in others:
            column = objects_of(_column_of(edges, name, "edges"))
            of_edges[name] = [column[row] for row in rows]
    return made.with_columns(of_vertices, of_edges)


def _looked_up(column: Any, index: dict[Hashable, int], name: str) -> Any:
    made = np.empty(len(column), dtype=np.int64)
    for row, label in enumerate(column.tolist()):
        try:
            made[row] = index[label]
        except KeyError:
            raise UsageError(f"{name} of row {row} is {label!r}, which is not in vertices") from None
    return made


def from_scipy(matrix: Any, *, directed: bool = True, weights: bool = True, copy: bool = True,
               labels: Sequence[Hashable] | None = None, progress: Progress = None) -> Graph:
    """Makes the graph of a square sparse matrix: an entry (i, j), also a zero, is an edge from vertex i to vertex j.

    directed: False: edges have no directions; where the matrix is not symmetric, each entry becomes an edge, and of
        two different weights the lighter counts.
    weights: whether the entries are the weights.
    labels: what the vertices are called, each once; None: 0, 1, 2 ...
    copy: False: shares the matrix's memory where its types allow (int32 or int64 indices with int64 offsets, and
        float64 entries); the caller must not write to it then.

    Duplicate entries are summed, as scipy does. Raises UsageError for a matrix that is not square, for NaN, and for
    labels that are missing or repeat.
    """
    try:
        from scipy import sparse
    except ImportError:
        raise ImportError("scipy is not installed: pip install scipy") from None
    if not sparse.issparse(matrix):
        raise TypeError(f"matrix is of type {type(matrix).__name__}: expected a sparse matrix or array of scipy")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise UsageError(f"the matrix has the shape {matrix.shape}: expected a square one")
    if weights and matrix.dtype.kind not in "iufb":
        raise TypeError(f"the entries have the type {matrix.dtype}: expected real numbers, or weights=False")
    table = None if labels is None else as_labels(labels, "labels")[0]
    if table is not None and len(table) != matrix.shape[0]:
        raise UsageError(f"labels has {len(table)} rows, the matrix {matrix.shape[0]}: expected equally many")
    rows = matrix if matrix.format == "csr" else matrix.tocsr()
    share = not copy
    for attempt in range(2):
        offsets = np.ascontiguousarray(rows.indptr, dtype=np.int64).view(np.uint64)
        if len(rows.indices) and rows.indices.min() < 0:
            raise UsageError("the matrix has a negative index")
        if rows.indices.dtype == np.int32:
            targets = np.ascontiguousarray(rows.indices).view(np.uint32)
        elif matrix.shape[0] < 2**32 - 1:
            targets = rows.indices.astype(np.uint32)
        else:
            targets = np.ascontiguousarray(rows.indices, dtype=np.int64).view(np.uint64)
        values = np.ascontiguousarray(rows.data, dtype=np.float64) if weights else None
        end = int(offsets[-1])
        with reporting(progress) as receiver:
            core = _core.from_rows(offsets, targets[:end], None if values is None else values[:end], directed, share,
                                   "remove", receiver)
        if core is not None:
            return Graph(core, table)
        if attempt == 0:  # never sorted in the caller's matrix
            rows = rows.copy()
            rows.sum_duplicates()
    raise UsageError("the rows of the matrix cannot be sorted")


def from_igraph(graph: Any, *, weight: str | None = "weight", labels: str | None = "name",
                progress: Progress = None) -> Graph:
    """Makes the graph of an igraph.Graph.

    weight: the edges' attribute that is the weight; without one, or None: the graph has no weights.
    labels: the vertices' attribute that calls them; without one, or None: they are called 0, 1, 2 ...
    Raises UsageError if a vertex has no label, or the label of another one.
    Of edges that repeat one stays, the lightest.
    """
    if not hasattr(graph, "vs"):
        raise TypeError(f"graph is of type {type(graph).__name__}: expected an igraph.Graph")
    named = labels is not None and labels in graph.vs.attributes()
    table = as_labels(graph.vs[labels], f"the attribute {labels!r}")[0] if named else None
    edges = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    values = as_weights(graph.es[weight]) if weight is not None and weight in graph.es.attributes() else None
    u, v = np.ascontiguousarray(edges[:, 0]), np.ascontiguousarray(edges[:, 1])
    with reporting(progress) as receiver:
        core, _, _, _ = _core.from_edges(u, v, values, graph.vcount(), graph.is_directed(), "remove", False, receiver)
    return Graph(core, table)


def read(path: str | os.PathLike[str], *, format: str = "automatic", directed: bool | None = None,
         columns: Sequence[str | int] = (), weights_column: str | int | None = None, separator: str | None = None,
         header: bool | None = None, ids: str = "as_found", bipartite: bool = False, member: str = "",
         encoding: str = "", skip_bad_lines: bool = False, repeats: str | None = None, drop_loops: bool = False,
         names: str | os.PathLike[str] | None = None, verify: bool = False,
         attributes: bool | Sequence[str] = False, where: str | None = None, progress: Progress = None) -> Graph:
    """Reads a graph from a file of any format that `callisto convert` reads, plain, compressed, or in an archive.

    format: "automatic": found from the content; or "edge-list", "matrix-market", "table", "graphml" ...
    directed: None: as the file says, or else directed; True, False: whatever it says.
    columns: of a table: the columns of both ends and of the weight, by name or by number from 1.
    weights_column: of a table: that of the weight; "none": there is none.
    separator, header: of a table; None: found from the content.
    ids: of a text: "as_found", "numbers" or "names".
    bipartite: ids of the first column are other vertices than those of the second.
    member: the file to read of an archive.
    encoding: of a text, as iconv names it: "latin1", "utf-16" ...; "": UTF-8, or as the file shows.
    skip_bad_lines: leaves out the lines of a list or table that are no edges, with a note.
    repeats, drop_loops: as of from_edges(); None: "remove", with a note.
    names: a file that names the vertices, a line each.
    verify: checks all of a native file, which is otherwise trusted.
    attributes: True: columns of vertices and edges stay with the graph, see Graph.vertex_columns(); or names of some.
    where: a condition on columns, as of Graph.where(): what fails is left out, edges before repeats are merged.

    The graph's `notes` tell what was decided. Raises FileNotFoundError, and InputError with the line of a fault.
    """
    file = os.fspath(path)
    if file != "-":
        os.stat(file)
    if repeats is not None and repeats not in _repeats:
        raise UsageError(f"repeats is {repeats!r}: expected one of {', '.join(map(repr, _repeats))}")
    with reporting(progress) as receiver:
        core, notes = _core.read(
            file, format, directed is False, directed is True, [str(column) for column in columns],
            None if weights_column is None else str(weights_column), separator, header, ids, bipartite, member,
            encoding, skip_bad_lines, repeats, drop_loops, verify, None if names is None else os.fspath(names),
            attributes is True, [] if isinstance(attributes, bool) else list(attributes), where or "", receiver)
    return Graph(core, None, notes)


def load(path: str | os.PathLike[str], *, verify: bool = False, progress: Progress = None) -> Graph:
    """Opens a native file (.cg), as Graph.save() writes it: maps it into memory, which takes milliseconds.

    The file must not be changed in place while the graph lives. verify: checks all of it; without, open only files
    that you trust. Raises InputError for a file of another format, which read() takes.
    """
    return read(path, format="native", verify=verify, progress=progress)


def kronecker(scale: int, degree: int = 16, *, seed: int = 1, directed: bool = False,
              progress: Progress = None) -> Graph:
    """Makes a Kronecker graph of the Graph500 benchmark: 2^scale vertices, `degree` edges for each before repeats."""
    with reporting(progress) as receiver:
        return Graph(_core.kronecker(count(scale, "scale", 0, 63), count(degree, "degree", 0), seed_of(seed), directed,
                                     receiver))


def uniform(vertices: int, edges: int, *, seed: int = 1, directed: bool = False, progress: Progress = None) -> Graph:
    """Makes a graph of uniformly random edges, close to Erdos and Renyi's G(n, m)."""
    with reporting(progress) as receiver:
        return Graph(_core.uniform(count(vertices, "vertices", 0), count(edges, "edges", 0), seed_of(seed), directed,
                                   receiver))


def power_law(vertices: int, edges: int, exponent: float = 2.5, *, seed: int = 1, directed: bool = False,
              progress: Progress = None) -> Graph:
    """Makes a random graph with degrees that follow a power law of this exponent, after Chung and Lu."""
    with reporting(progress) as receiver:
        return Graph(_core.power_law(count(vertices, "vertices", 0), count(edges, "edges", 0), exponent, seed_of(seed),
                                     directed, receiver))


def grid(rows: int, columns: int, *, directed: bool = False, progress: Progress = None) -> Graph:
    """Makes a grid: each vertex has an edge to the next one of its row and to the one below it."""
    with reporting(progress) as receiver:
        return Graph(_core.grid(count(rows, "rows", 0), count(columns, "columns", 0), directed, receiver))


def from_networkx(graph: Any, *, weight: str | None = "weight") -> Graph:
    """Makes the graph of a networkx.Graph or DiGraph, with its nodes as labels.

    weight: the edges' attribute that is the weight; edges without it weigh 1. Where all weigh 1, or for None, the graph
    has no weights. Of parallel edges of a multigraph one stays, the lightest. Attributes of nodes are not taken.
    Needs networkx 3.4 or newer.
    """
    from .nx._graph import Graph as Converted

    if not hasattr(graph, "adj"):
        raise TypeError(f"graph is of type {type(graph).__name__}: expected a graph of networkx")
    converted = Converted(graph)  # type: ignore[no-untyped-call]
    try:
        core = converted.kernel(converted.values(weight))  # type: ignore[no-untyped-call]
    except NotImplementedError as why:
        return _with_other_weights(graph, weight, str(why))
    nodes = list(converted.nodes)
    plain = all(type(node) is int for node in nodes) and nodes == list(range(len(nodes)))
    return Graph(core, None if plain else nodes)


def _with_other_weights(graph: Any, weight: Any, why: str) -> Graph:
    """Makes the graph of networkx edges of which some weights are neither ints nor floats, but other real numbers."""
    rows = list(graph.edges(data=weight, default=1)) if isinstance(weight, str) else []
    for u, v, value in rows:
        if not isinstance(value, (Real, np.bool_)) or value != value:
            raise UsageError(f"the weight of the edge ({u!r}, {v!r}) is {value!r}: expected a number")
    if not rows:
        raise UsageError(why)
    source, target, values = zip(*rows)
    return from_edges(list(source), list(target), [float(value) for value in values], directed=graph.is_directed(),
                      vertices=list(graph), repeats="remove")
