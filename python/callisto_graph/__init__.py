"""Fast graph analytics on all cores: from files, data frames, scipy and NetworkX to answers.

    import callisto_graph as cl
    g = cl.from_edges(df["src"], df["dst"], directed=False)
    g.pagerank().top(10)
"""

from ._core import __version__
from ._errors import (CancelledError, Error, InputError, NoCentralityError, OutOfMemoryError, OutputError, UsageError,
                      WeightError)
from ._graph import Graph
from ._threads import Threads, sharing, threads

__all__ = ["CancelledError", "Error", "Graph", "InputError", "NoCentralityError", "OutOfMemoryError", "OutputError",
           "Threads", "UsageError", "WeightError", "__version__", "sharing", "threads"]
