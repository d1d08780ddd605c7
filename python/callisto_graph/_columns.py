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


#: What columns of libraries have, and iterables of Python have not.
_column_ways = ("__arrow_c_stream__", "__arrow_c_array__", "__array__", "__array_interface__")


def as_array(values: Any, name: str, column: _core.ArrowColumn | None = None) -> npt.NDArray[Any]:
    """Returns a column of any library as a one-dimensional numpy array, without a copy where that is possible.

    `column`: what arrow_column() made of it, which is taken over. Takes numpy arrays, what has __arrow_c_stream__ or __arrow_c_array__ (pandas, polars, pyarrow and others) or
    __array__, and sequences. Raises UsageError for missing values that the library marks as such.
    """
    made: Any = None if column is None else _of_arrow(column)
    if made is not None:
        pass
    elif isinstance(values, np.ndarray):
        made = values
    elif type(values) is list:
        made = _from_sequence(values)
    elif isinstance(values, (str, bytes)) or not (is_column(values) or hasattr(values, "__iter__")):
        raise TypeError(f"{name} is of type {type(values).__name__}: expected a column: an array, a series or a list")
    elif is_column(values):
        for way in (_from_arrow, _from_array) if column is None else (_from_array,):
            try:
                made = way(values, name)
            except ImportError:  # the library has this way only beside another library, as pandas 3 beside pyarrow
                continue
            if made is not None:
                break
    if made is None:
        made = _from_sequence(list(values))
    if made.ndim != 1:
        raise UsageError(f"{name} has {made.ndim} dimensions: expected one column")
    if isinstance(made, np.ma.MaskedArray):
        masked = np.flatnonzero(np.ma.getmaskarray(made))
        if len(masked):
            raise UsageError(f"{name} of row {masked[0]} is missing: it is masked")
        made = made.data
    if made.dtype.kind == "O" and len(made) and all(type(value) is int for value in made.tolist()):
        made = _from_sequence(made.tolist())  # numbered as a column of ints is, whatever library it comes from
    return np.ascontiguousarray(made)


def is_column(values: Any) -> bool:
    """True for the column of a library, False for a list, another iterable of Python, or a single value."""
    return any(hasattr(values, way) for way in _column_ways) and not np.isscalar(values)


def label_list(values: Any, name: str) -> list[Any]:
    """Returns labels as a list of Python objects. Raises TypeError for a text, which is one label."""
    if is_column(values):
        return as_array(values, name).tolist()  # type: ignore[no-any-return]
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is {values!r}: expected a list of labels")
    return list(values)


def as_labels(values: Any, name: str) -> tuple[list[Hashable], dict[Hashable, int]]:
    """Returns the labels of all vertices, a copy, and where each is.

    Raises UsageError for a label that is missing or there twice, TypeError for one that is unhashable or of a type that
    has no Python objects of its own.
    """
    table = with_dates(as_array(values, name), name).tolist()
    index: dict[Hashable, int] = {}
    for row, label in enumerate(table):
        if is_missing(label):
            raise UsageError(f"{name} of row {row} is missing ({label!r}): expected a label")
        try:
            before = index.setdefault(label, row)
        except TypeError:
            raise TypeError(f"{name} of row {row} is of type {type(label).__name__}: expected a label, which can be "
                            "the key of a dict") from None
        if before != row:
            raise UsageError(f"{name} has a label twice, {label!r} in rows {before} and {row}: expected each once")
    return table, index


def with_dates(values: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Returns a column of dates, times or durations as objects of Python's datetime; another column as it is.

    Raises TypeError for one that these cannot express: of fractions of microseconds, or of months.
    """
    if values.dtype.kind not in "mM":
        return values
    unit = np.datetime_data(values.dtype)[0]
    wanted = "D" if values.dtype.kind == "M" and unit in ("Y", "M", "W", "D") else "us"
    try:
        made = values.astype(f"{values.dtype.kind}8[{wanted}]")
        whole = bool(np.all((made.astype(values.dtype) == values) | np.isnat(values)))
    except (TypeError, OverflowError):
        whole = False
    if not whole:
        raise TypeError(f"{name} has the type {values.dtype}: expected whole microseconds")
    return made.astype(object)


def _from_sequence(values: list[Any]) -> npt.NDArray[Any]:
    kinds = {type(value) for value in values}
    if kinds <= {int}:
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError:
            pass
    elif (kinds == {bool} or kinds <= {int, float}
          or kinds and all(issubclass(kind, (np.integer, np.floating)) for kind in kinds)):
        return np.array(values)
    made = np.empty(len(values), dtype=object)
    if kinds == {str}:
        made[:] = values
        return made
    for i, value in enumerate(values):
        made[i] = value
    return made


def arrow_column(values: Any, name: str) -> _core.ArrowColumn | None:
    """Returns a column that has Arrow's interface; None for one that numpy knows, or another. Raises UsageError for
    missing values, ImportError where the library has this way only beside another library."""
    if hasattr(values, "__array__") and isinstance(getattr(values, "dtype", None), np.dtype):
        return None  # a series of pandas over an array: that is there already
    if not (hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")):
        return None
    return _core.ArrowColumn(values, name)


def _from_arrow(values: Any, name: str) -> npt.NDArray[Any] | None:
    """Returns the array of a column that has Arrow's interface; None for another, and for types that numpy has another
    way for, such as a dictionary."""
    column = arrow_column(values, name)
    return None if column is None else _of_arrow(column)


def _of_arrow(column: _core.ArrowColumn) -> npt.NDArray[Any] | None:
    made = column.to_array()
    if isinstance(made, list):
        array = np.empty(len(made), dtype=object)
        array[:] = made
        made = array
    return made  # type: ignore[no-any-return]


def _from_array(values: Any, name: str) -> npt.NDArray[Any] | None:
    """Returns the array of a column that numpy knows how to ask for one; None for another."""
    if not (hasattr(values, "__array__") or hasattr(values, "__array_interface__")):
        return None
    made: npt.NDArray[Any] = np.asanyarray(values)
    return made


def as_ids(values: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Returns a column of integers in a form that _core takes. Raises TypeError for other types."""
    if values.dtype.kind not in "iu":
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise TypeError(f"row {int(np.isnan(values).argmax())} of {name} is missing: expected whole numbers; leave out "
                            "such rows first, as frame.dropna() does")
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
    try:
        return np.ascontiguousarray(array, dtype=np.float64)
    except OverflowError:
        row = next(i for i, value in enumerate(array) if abs(value) > sys.float_info.max)
        raise UsageError(f"{name} of row {row} is above the largest float") from None


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


def is_missing(label: Any) -> bool:
    """True for None, NaN, NaT and NA: what is not equal to itself, or will not say."""
    if label is None:
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        return True


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
    texts = _core.number_texts(source.tolist(), target.tolist())
    if texts is not None:
        return texts  # type: ignore[no-any-return]
    values = np.concatenate([source.astype(object), target.astype(object)])
    index: dict[Hashable, int] = {}
    number = index.setdefault
    codes = np.fromiter((number(label, len(index)) for label in values.tolist()), dtype=np.int64, count=len(values))
    for label, code in index.items():
        if is_missing(label):
            codes[codes == code] = -1
            _refuse_missing(values, codes, length)
    return codes[:length], codes[length:], list(index)


def in_order(texts: list[Any]) -> tuple[npt.NDArray[np.int64], Any] | None:
    """Returns by place the place that each text has in the order of files, and what _core.with_names() takes of texts in
    that order; None if the labels are not all texts that a file can hold."""
    if not texts:
        return None
    order, joined, offsets = _core.order_texts(texts) or (None, None, None)
    if order is None:  # bytes that are no UTF-8
        if not are_names(texts):
            return None
        names = sorted(texts, key=lambda name: name.encode("utf-8", "surrogateescape"))
        number = {name: i for i, name in enumerate(names)}
        return np.fromiter((number[text] for text in texts), np.int64, len(texts)), name_table(names)
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[order] = np.arange(len(texts))
    return ranks, (joined, offsets, np.arange(len(texts), dtype=np.uint64))


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
