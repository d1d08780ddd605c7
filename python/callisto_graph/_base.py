"""What a graph's vertices are called, and what all kernels use."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._columns import as_array, is_column, label_list
from ._errors import UsageError


def signed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns unsigned numbers as signed ones, without a copy: the largest, which means none, becomes -1."""
    return values.view(np.dtype(f"i{values.dtype.itemsize}"))


class _NetworkXArgument:
    """What NetworkX's functions ask of a graph that they pass on to a backend."""

    __slots__ = ()

    __networkx_backend__ = "callisto"

    @property
    def directed(self) -> bool:
        """Whether edges have directions."""
        raise NotImplementedError

    def is_directed(self) -> bool:
        """Returns whether edges have directions, for NetworkX."""
        return self.directed

    def is_multigraph(self) -> bool:
        """Returns False, for NetworkX: to_networkx() makes one edge of edges that repeat."""
        return False


class GraphBase:
    """The core and the labels of a graph."""

    __slots__ = ("_core", "_table", "_array", "_index", "__weakref__")

    _core: Any
    _table: Sequence[Hashable] | npt.NDArray[Any] | None
    _array: npt.NDArray[Any] | None
    _index: dict[Hashable, int] | None

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return int(self._core.vertices)

    @property
    def labels(self) -> Sequence[Hashable] | npt.NDArray[Any] | None:
        """What the vertices are called, by vertex; None if that is 0, 1, 2 ..."""
        if self._table is None and self._core.has_labels:
            table = self._core.labels()
            if isinstance(table, np.ndarray) and (not len(table) or table.max() < 2**63):
                table = table.view(np.int64)
            self._table = table
        return self._table

    def label(self, vertex: int) -> Any:
        """Returns what a vertex is called."""
        n = self.vertices
        if not 0 <= vertex < n:
            raise UsageError(f"vertex {vertex}: expected 0 to {n - 1}")
        labels = self.labels
        if labels is None:
            return vertex
        label = labels[vertex]
        return label.item() if isinstance(label, np.generic) else label

    def label_list(self) -> list[Any]:
        """Returns the labels of all vertices as Python objects."""
        labels = self.labels
        if labels is None:
            return list(range(self.vertices))
        return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)

    def label_array(self) -> npt.NDArray[Any]:
        """Returns the labels of all vertices as an array, which cannot be written."""
        if self._array is None:
            labels = self.labels
            if labels is None:
                self._array = np.arange(self.vertices)
            elif isinstance(labels, np.ndarray):
                self._array = labels
            else:
                self._array = np.empty(len(labels), dtype=object)
                for i, label in enumerate(labels):
                    self._array[i] = label
            self._array = self._array.view()
            self._array.flags.writeable = False
        return self._array

    def vertex(self, label: Hashable) -> int:
        """Returns the vertex that has this label. Raises KeyError if there is none."""
        labels = self.labels
        n = self.vertices
        if labels is None:
            if isinstance(label, (int, np.integer)) and not isinstance(label, bool) and 0 <= label < n:
                return int(label)
            raise KeyError(f"no vertex is called {label!r}: the labels are 0 to {n - 1}")
        if self._index is None:
            self._index = {label: v for v, label in enumerate(self.label_list())}
        try:
            return self._index[label]
        except KeyError:
            raise KeyError(f"no vertex is called {label!r}") from None

    def vertices_of(self, labels: Iterable[Hashable]) -> npt.NDArray[np.uint64]:
        """Returns the vertices that have these labels."""
        return np.fromiter((self.vertex(label) for label in label_list(labels, "labels")), dtype=np.uint64)

    def _mask(self, labels: Any) -> npt.NDArray[np.bool_] | None:
        """Returns a column of truth values by vertex as an array; None for anything else, which are labels.

        Raises UsageError if a value is missing, or if there are more or fewer than vertices.
        """
        if isinstance(labels, list) and len(labels) == self.vertices and all(type(value) is bool for value in labels):
            if self.labels is None or not any(type(label) is bool for label in self.label_list()):
                return np.array(labels, dtype=np.bool_)
        if not is_column(labels):
            return None
        values = as_array(labels, "labels")
        if values.dtype.kind == "O" and len(values) and all(isinstance(value, (bool, np.bool_)) for value in values):
            values = values.astype(np.bool_)
        if values.dtype.kind != "b":
            return None
        if len(values) != self.vertices:
            raise UsageError(f"{len(values)} truth values for {self.vertices} vertices: expected one a vertex")
        return values

    def __contains__(self, label: Hashable) -> bool:
        try:
            self.vertex(label)
        except KeyError:
            return False
        return True

    def __len__(self) -> int:
        return self.vertices

    def _lengths(self, weights: str | None, kinds: tuple[str, ...]) -> str:
        """Checks what a kernel is to take weights for."""
        chosen = "none" if weights is None else weights
        if chosen not in kinds:
            expected = ", ".join("None" if kind == "none" else repr(kind) for kind in kinds)
            raise UsageError(f"weights is {weights!r}: expected one of {expected}; an edge has one weight, chosen when the "
                             "graph is made")
        if chosen == "length" and not self._core.weighted:
            if not self._core.arcs:
                return "none"  # an empty array of weights tells nothing
            raise UsageError("weights is 'length', but the graph has no weights")
        return chosen
