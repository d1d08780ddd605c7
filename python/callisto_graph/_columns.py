"""Columns of data frames and arrays as numpy arrays, and numbers for labels."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UsageError

#: Integers that _core takes as they are; others are widened to 64 bits.
_direct = (np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.uint64), np.dtype(np.uint32))


def as_array(values: Any, name: str) -> npt.NDArray[Any]:
    """Returns a column of any library as a one-dimensional numpy array, without a copy where that is possible.

    Takes numpy arrays, what has __arrow_c_stream__ or __arrow_c_array__ (pandas, polars, pyarrow and others) or
    __array__, and sequences. Raises UsageError for missing values.
    """
    made: Any
    if isinstance(values, np.ndarray):
        made = values
    elif hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        made = _from_arrow(values, name)
    elif hasattr(values, "__array__") or hasattr(values, "__array_interface__"):
        made = np.asarray(values)
    elif isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is of type {type(values).__name__}: expected a column: an array, a series or a list")
    else:
        made = _from_sequence(list(values))
    if made.ndim != 1:
        raise UsageError(f"{name} has {made.ndim} dimensions: expected one column")
    return np.ascontiguousarray(made)


def _from_sequence(values: list[Any]) -> npt.NDArray[Any]:
    kinds = {type(value) for value in values}
    if kinds <= {int}:
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError:
            pass
    elif kinds <= {int, float} or kinds and all(issubclass(kind, (np.integer, np.floating)) for kind in kinds):
        return np.array(values)
    made = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        made[i] = value
    return made


def _from_arrow(values: Any, name: str) -> npt.NDArray[Any]:
    made = _core.from_arrow(values)
    if made is None:  # a type that has no numpy array of its own, such as a dictionary
        made = np.asarray(values)
        if isinstance(made, np.ma.MaskedArray):
            raise UsageError(f"{name} has missing values: expected none")
    if isinstance(made, list):
        array = np.empty(len(made), dtype=object)
        array[:] = made
        return array
    return made  # type: ignore[no-any-return]


def as_ids(values: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Returns a column of integers in a form that _core takes. Raises TypeError for other types."""
    if values.dtype.kind not in "iu":
        hint = "; convert it, if all are whole" if values.dtype.kind == "f" else ""
        raise TypeError(f"{name} has the type {values.dtype}: expected whole numbers{hint}")
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return values if values.dtype in _direct else values.astype(np.int64)


def as_weights(values: Any, name: str = "weight") -> npt.NDArray[np.float64]:
    """Returns a column of weights as doubles. Raises TypeError for what is no real number."""
    array = as_array(values, name)
    if array.dtype.kind == "O":
        wrong = next((i for i, value in enumerate(array) if not isinstance(value, (int, float, np.number))), None)
        if wrong is not None:
            raise TypeError(f"{name} of row {wrong} is {array[wrong]!r}: expected a number")
    elif array.dtype.kind not in "iufb":
        raise TypeError(f"{name} has the type {array.dtype}: expected numbers")
    return np.ascontiguousarray(array, dtype=np.float64)


def same_ids(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Returns both columns of integers with one type."""
    if source.dtype == target.dtype:
        return source, target
    for column in (source, target):
        if column.dtype == np.uint64 and len(column) and column.max() >= 2**63:
            if min(source.min(initial=0), target.min(initial=0)) < 0:
                raise UsageError("one column has negative numbers, the other some above 2^63: expected one range")
            return source.astype(np.uint64), target.astype(np.uint64)
    return source.astype(np.int64), target.astype(np.int64)


def _refuse_missing(values: npt.NDArray[Any], codes: npt.NDArray[Any], length: int) -> None:
    row = int(np.flatnonzero(codes < 0)[0])
    side = "source" if row < length else "target"
    raise UsageError(f"{side} of row {row % max(length, 1)} is missing ({values[row]!r}): expected a label")


def _is_missing(label: Any) -> bool:
    return label is None or label != label


def number_labels(source: npt.NDArray[Any],
                  target: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[Hashable]]:
    """Returns numbers for the labels of both columns, and the labels in order: first seen, first numbered.

    Labels that are equal as keys of a dict are one. Raises UsageError for missing labels, TypeError for unhashable ones.
    """
    length = len(source)
    if source.dtype.kind in "iu" and target.dtype.kind in "iu":
        values = np.concatenate(same_ids(source, target))
        unique, codes = np.unique(values, return_inverse=True)
        codes = codes.astype(np.int64)
        return codes[:length], codes[length:], unique.tolist()
    values = np.concatenate([source.astype(object), target.astype(object)])
    pandas = sys.modules.get("pandas")
    if pandas is not None and all(column.dtype.kind in "UT" or _all_str(column) for column in (source, target)):
        codes, unique = pandas.factorize(values)
        codes = codes.astype(np.int64)
        if len(codes) and codes.min() < 0:
            _refuse_missing(values, codes, length)
        return codes[:length], codes[length:], list(unique)
    index: dict[Hashable, int] = {}
    number = index.setdefault
    codes = np.fromiter((number(label, len(index)) for label in values.tolist()), dtype=np.int64, count=len(values))
    for label, code in index.items():
        if _is_missing(label):
            codes[codes == code] = -1
            _refuse_missing(values, codes, length)
    return codes[:length], codes[length:], list(index)


def _all_str(column: npt.NDArray[Any]) -> bool:
    return column.dtype.kind == "O" and all(type(value) is str for value in column.tolist())


def name_table(names: Sequence[str]) -> tuple[bytes, npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Returns what _core.with_names() takes: the bytes of the names in ascending order, where each begins, and by
    vertex the number of its name there."""
    encoded = [name.encode("utf-8", "surrogateescape") for name in names]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    ranks = np.empty(len(encoded), dtype=np.uint64)
    ranks[order] = np.arange(len(encoded), dtype=np.uint64)
    offsets = np.zeros(len(encoded) + 1, dtype=np.uint64)
    np.cumsum([len(encoded[i]) for i in order], out=offsets[1:])
    return b"".join(encoded[i] for i in order), offsets, ranks


def are_names(labels: Sequence[Hashable]) -> bool:
    """True if all labels are texts that a file can hold."""
    if not all(type(label) is str for label in labels):
        return False
    try:
        for label in labels:
            label.encode("utf-8", "surrogateescape")  # type: ignore[attr-defined]
    except UnicodeEncodeError:
        return False
    return True
