"""Fast graph analytics on all cores: from files, data frames, scipy and NetworkX to answers.

    import callisto_graph as cl
    g = cl.from_edges(df["src"], df["dst"], directed=False)
    g.pagerank().top(10)

Importing starts no thread and opens no file; the first kernel does. With more than one program of Callisto on a machine,
the threads share it from then on (CALLISTO_COSCHED=off keeps a process out).
"""

import atexit as _atexit

from . import _core
from ._build import (from_edges, from_frame, from_igraph, from_networkx, from_scipy, grid, kronecker, load, power_law,
                     read, uniform)
from ._changing import (ChangingCommunities, ChangingComponents, ChangingCores, ChangingDistances, ChangingGraph,
                        ChangingGroups, ChangingPageRank, ChangingResult)
from ._core import __version__
from ._errors import (CancelledError, Error, InputError, NoCentralityError, OutOfMemoryError, OutputError, UsageError,
                      WeightError)
from ._graph import Graph
from ._paths import Routes
from ._progress import Progress
from ._results import (AllPaths, Betweenness, Biconnected, Closeness, Clustering, Colouring, Communities, Cores, Degrees, Diameter, Distances,
                       DistanceSample, Eccentricities, EdgeBetweenness, EdgeResult, Eigenvector, Flow, Forest, Groups, GroupsComparison, Hits,
                       IndependentSet, Katz, Layers, Layout, Matching, NeighbourSample, PageRank, Path, SimilarPairs, Truss, Values, VertexResult)
from ._structure import compare_groups
from ._threads import Threads, sharing, threads

# Kernels that daemon threads still wait for.
_atexit.register(_core.stop_all)

__all__ = [
    "AllPaths", "Betweenness", "Biconnected", "CancelledError", "ChangingCommunities", "ChangingComponents",
    "ChangingCores", "ChangingDistances", "ChangingGraph", "ChangingGroups", "ChangingPageRank", "ChangingResult", "Closeness", "Clustering", "Colouring", "Communities",
    "Cores", "Degrees", "Diameter", "DistanceSample", "Distances", "Eccentricities", "EdgeBetweenness",
    "EdgeResult", "Eigenvector", "Error", "Flow", "Forest", "Graph", "Groups", "GroupsComparison", "Hits", "IndependentSet",
    "InputError", "Katz", "Layers", "Layout", "Matching", "NeighbourSample", "NoCentralityError", "OutOfMemoryError", "OutputError", "PageRank",
    "Path", "Progress", "Routes", "SimilarPairs", "Threads", "Truss", "UsageError", "Values", "VertexResult", "WeightError",
    "__version__", "compare_groups", "from_edges", "from_frame", "from_igraph", "from_networkx", "from_scipy",
    "grid", "kronecker", "load", "power_law", "read", "sharing", "threads", "uniform"
]
