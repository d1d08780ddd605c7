"""Calls each function of the NetworkX backend on each class of graphs, and compares what NetworkX refuses with what the
backend refuses. Prints how many calls were refused, and where the two differ. test_networkx_ways.py runs it."""

import sys
import warnings

import networkx as nx

from callisto_graph import nx as backend
from networkx_ways import REQUIRED, parameters_of, public

warnings.simplefilter("ignore")


def refusal(call):
    """Returns the refusal of a call as a text; None if it was answered, or failed for another reason."""
    try:
        made = call()
        if hasattr(made, "__next__"):
            next(made, None)
    except nx.NetworkXNotImplemented as e:
        return f"NetworkXNotImplemented: {e}"
    except Exception:  # noqa: BLE001  (other tests compare what else is raised)
        return None


def graph_of(kind):
    G = kind(nx.cycle_graph(9))
    G.add_edges_from([(0, 2), (3, 7)])
    return G


def prioritized(call):
    nx.config.backend_priority.algos = nx.config.backend_priority.generators = ["callisto"]
    try:
        return call()
    finally:
        nx.config.backend_priority.algos = nx.config.backend_priority.generators = []


def main():
    backend.should_run = lambda name, args, kwargs: True
    refused, told = 0, []
    for name in backend.FUNCTIONS:
        if name not in nx.utils.backends._registered_algorithms or public(name) is None:
            continue
        needed = [p.name for p in parameters_of(name)[1:] if p.default is p.empty]
        args = [REQUIRED.get(f"{name} {n}", REQUIRED.get(n)) for n in needed]
        if name in ("modularity", "partition_quality"):
            args = [[set(range(5)), set(range(5, 9))]]
        for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
            for more in [{}] + [{p.name: "prim"} for p in parameters_of(name) if p.name == "algorithm"]:
                G = graph_of(kind)
                theirs = refusal(lambda: public(name)(G, *args, **more))
                named = refusal(lambda: public(name)(G, *args, **more, backend="callisto"))
                first = prioritized(lambda: refusal(lambda: public(name)(G, *args, **more)))
                if not theirs == named == first:
                    told.append(f"{name} on {kind.__name__} {more}: {theirs}, named {named}, by priority {first}")
                refused += theirs is not None
    print(refused, *told, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
