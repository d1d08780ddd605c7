"""Whether a call is faster here than in NetworkX: what such calls were measured to cost, for the size of this graph."""

import bisect
import functools
import math
import sys
from itertools import islice

from ._costs import COSTS, SIZES

#: A call runs here if it takes less than this share of NetworkX's time, with a conversion and on a kept one. Costs follow
#: from nodes and ends of edges together, and conversions vary with the graph.
FIRST, KEPT = 0.7, 0.9

#: Parameters that end a call early, or ask for a part of the graph.
LIMITS = frozenset("cutoff depth_limit ebunch nbunch nodes nodelist number_of_nodes s target k sources".split())

#: By name: the parameter that is a number of rounds, of which each looks at the whole graph.
ROUNDS = {"betweenness_centrality": "k", "edge_betweenness_centrality": "k", "voterank": "number_of_nodes"}

#: Functions that look at each node's degree only, which takes less time than any conversion.
DEGREES = frozenset("degree_centrality in_degree_centrality is_regular isolates number_of_isolates out_degree_centrality".split())

#: Searches that go only as far as their caller asks.
LAZY = frozenset("bfs_edges bfs_layers dfs_edges".split())

#: How many rows at both ends of a graph tell how long its rows are: to count all takes longer than many calls do.
ROWS = 32

_LOGS = tuple(map(math.log, SIZES))


def size_of(rows):
    """Returns about how many nodes and ends of edges there are in a graph's rows. Many graphs begin with their hubs: of
    both ends the one with the shorter rows counts."""
    nodes, values = len(rows), rows.values()
    if nodes <= 2 * ROWS:
        return nodes + sum(map(len, values))
    ends = [values, reversed(values)] if type(rows) is dict else [values]
    return nodes + nodes * min(sum(map(len, islice(end, ROWS))) for end in ends) // ROWS


def is_inside():
    """True if a function of NetworkX makes the call that is asked about, not a user."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("networkx.utils."):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__", "").startswith("networkx.")


def limits_of(parameters):
    """Returns the names of the parameters that may end a call early: those that are None where nothing is asked."""
    return tuple(name for name, p in parameters.items() if name in LIMITS and p.default is None)


def share_of(name, given, nodes):
    """Returns the share of the whole work that a call does, as its arguments say; None if they do not tell."""
    wanted = ROUNDS.get(name)
    others = [value for parameter, value in given.items() if parameter != wanted]
    if any(value is not None for value in others) or not isinstance(given.get(wanted), int):
        return None
    return min(1.0, max(given[wanted], 1) / max(nodes, 1))


def microseconds(measured, size, linear=False):
    """Returns what a call costs by what it cost on graphs of SIZES, in between and beyond by powers of the size. `linear`:
    beyond, it grows at least as the size does, since what is the same for all graphs is a part of the smaller cost."""
    if len(measured) == 1:  # where networkx takes so long on the smallest graph that nothing else was to be measured
        return measured[0] * size / SIZES[0]
    at = min(max(bisect.bisect(SIZES, size), 1), len(measured) - 1)
    low, high = math.log(measured[at - 1]), math.log(measured[at])
    power = (high - low) / (_LOGS[at] - _LOGS[at - 1])
    if linear and size > SIZES[at]:
        return measured[at] * (size / SIZES[at]) ** max(power, 1.0)
    return math.exp(low + power * (math.log(max(size, 1)) - _LOGS[at - 1]))


def worth(name, size, kept, share=1.0):
    """Returns True, or why not. `size`: nodes and ends of edges together. `kept`: there is a conversion. `share`: of
    the work of a whole call."""
    return _worth(name, int(8 * math.log2(size)) if size > 0 else 0, kept, share)


@functools.lru_cache(maxsize=1024)
def is_never_first(name):
    """True if first calls are slower here on graphs of all sizes: the size of the graph then does not matter."""
    return all(_worth(name, eighths, False, 1.0) is not True for eighths in range(0, 8 * 40, 4))


@functools.lru_cache(maxsize=4096)
def _worth(name, eighths, kept, share):
    """Returns what worth() does for sizes of 2^(eighths / 8) on, nearly up to the next eighth."""
    size = 2.0 ** (eighths / 8)
    if name in DEGREES and not kept:
        return "networkx looks at degrees in less time than a conversion takes"
    if name not in COSTS:
        return True if kept or size > 10000 else "the costs of the call are not known"
    theirs, first, again = COSTS[name]
    least = max(size, SIZES[0])  # below, calls here cost what they cost on any graph
    own = share * microseconds(again, least, True)
    if not kept:
        own += max(0.0, microseconds(first, least, True) - microseconds(again, least, True))
    if own < (KEPT if kept else FIRST) * share * microseconds(theirs, size):
        return True
    return "networkx takes no longer on " + ("this graph" if kept else "a graph of this size as its conversion does")
