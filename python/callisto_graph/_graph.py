"""The class Graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._paths import PathKernels
from ._rank import RankKernels
from ._structure import StructureKernels


class Graph(RankKernels, PathKernels, StructureKernels):
    """An immutable graph. Make one by from_edges(), read(), from_scipy(), from_networkx(), from_igraph() or a generator.

    Vertices are the numbers 0 ... n - 1 inside; `labels` tells what they are called outside. Arguments that name a
    vertex take a label; results are arrays by vertex, and name vertices by label where they are printed or converted.
    Any number of threads may use a graph at once.
    """

    __slots__ = ("_core", "_labels", "_index", "notes", "__weakref__")

    def __init__(self, core: _core.Graph, labels: Optional[Sequence[Hashable]] = None,
                 notes: Iterable[str] = ()) -> None:
        """Wraps a graph of the extension module. `labels`: what the vertices are called, if `core` does not know."""
        self._core = core
        self._labels: Any = labels
        self._index: Any = None
        #: Decisions of the reader that another reader might take otherwise, a line each.
        self.notes: tuple[str, ...] = tuple(notes)

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return int(self._core.vertices)

    @property
    def arcs(self) -> int:
        """The number of stored arcs: of an undirected graph two for each edge, and one for a loop."""
        return int(self._core.arcs)

    @property
    def directed(self) -> bool:
        """Whether edges have directions."""
        return bool(self._core.directed)

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return bool(self._core.weighted)

    @property
    def nbytes(self) -> int:
        """The bytes of the rows: offsets, targets and weights."""
        return int(self._core.nbytes)
