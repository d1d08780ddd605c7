"""Columns of vertices and edges: what users pass, and which of an edge's rows gives its values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ._columns import is_missing
from ._errors import UsageError


def objects_of(values: Any) -> list[Any]:
    """Returns a column as a list of Python's objects, None where a value is missing; NaN stays in columns of floats."""
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, way):
            made = getattr(values, way)()
            break
    else:
        made = list(values)
    made = [value.item() if isinstance(value, np.generic) else value for value in made]
    if all(value is None or isinstance(value, (int, float)) for value in made):
        return made
    return [None if is_missing(value) else value for value in made]


def columns_of(columns: Mapping[Any, Any] | None) -> dict[str, list[Any]]:
    """Returns columns by name as _core.with_columns() takes them."""
    return {str(name): objects_of(values) for name, values in (columns or {}).items()}


def as_columns(found: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """Returns what _core made of columns as arrays."""
    made: dict[str, npt.NDArray[Any]] = {}
    for name, values in found.items():
        if isinstance(values, list):
            array = np.empty(len(values), dtype=object)
            array[:] = values
            values = array
        made[name] = values
    return made


def giving_rows(graph: Any, source: npt.NDArray[Any], target: npt.NDArray[Any], weights: Any,
                repeats: str) -> npt.NDArray[np.int64]:
    """Returns by edge of the graph the row that it gets its values from: of rows that became one edge the one that stays,
    of those that were added up the first. `source`, `target`: vertices by row."""
    if repeats == "keep":
        raise UsageError("repeats is 'keep': expected another rule, by which one row gives an edge its attributes")
    u, v, _ = graph.edge_arrays()
    n = graph.vertices
    low, high = (source, target) if graph.directed else (np.minimum(source, target), np.maximum(source, target))
    keys = low.astype(np.int64) * n + high
    rows = np.arange(len(keys))
    rank = np.zeros(len(keys)) if weights is None or repeats not in ("remove", "heaviest") else np.asarray(weights)
    order = np.lexsort((rows, -rank if repeats == "heaviest" else rank, keys))
    found = np.searchsorted(keys[order], u.astype(np.int64) * n + v)
    made: npt.NDArray[np.int64] = order[found].astype(np.int64)
    return made
