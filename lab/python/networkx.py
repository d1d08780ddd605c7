#!/usr/bin/env python3
"""Times NetworkX's 20 most used functions, that the backend has, in NetworkX and in the ways in which users reach the
backend: by the variables of the environment, where first calls may stay in NetworkX, and by name. Prints tables in
Markdown: medians of 5 runs in turns, in CPU seconds of all threads; one run of NetworkX if it takes more than 2 s.

    python networkx.py [FILE]     FILE: an edge list; without it random graphs only
"""

import functools
import gzip
import os
import statistics
import sys
import time

os.environ.setdefault("NETWORKX_CACHE_CONVERTED_GRAPHS", "True")
folder = os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != folder]  # this file has the package's name

import networkx as nx  # noqa: E402

import callisto_graph  # noqa: E402
from callisto_graph import nx as backend  # noqa: E402

RUNS = 5
nx.config.warnings_to_ignore.add("cache")

#: By name: the arguments behind the graph, and the most edges with which NetworkX is timed in reasonable time.
FUNCTIONS = {
    "pagerank": ((), 10**7),
    "betweenness_centrality": ((), 20_000),
    "edge_betweenness_centrality": ((), 20_000),
    "closeness_centrality": ((), 20_000),
    "harmonic_centrality": ((), 20_000),
    "eigenvector_centrality": ((), 10**6),
    "katz_centrality": ((0.001,), 10**6),
    "degree_centrality": ((), 10**7),
    "connected_components": ((), 10**7),
    "number_connected_components": ((), 10**7),
    "shortest_path": ((0,), 10**7),
    "single_source_shortest_path_length": ((0,), 10**7),
    "single_source_dijkstra_path_length": ((0,), 10**6),
    "average_shortest_path_length": ((), 20_000),
    "eccentricity": ((), 20_000),
    "core_number": ((), 10**7),
    "clustering": ((), 10**6),
    "triangles": ((), 10**6),
    "louvain_communities": ((), 10**5),
    "minimum_spanning_tree": ((), 10**6),
}


#: Functions with arguments that end them early, which first calls have only as defaults.
WHOLE = {name: (arguments, 10**6) for name, arguments in (
    ("triangles", ()), ("single_source_dijkstra_path_length", (0,)), ("clustering", ()), ("average_clustering", ()))}

#: Functions of the backend that have answered.
answered = set()


def counting(name, function):
    @functools.wraps(function)
    def counted(*args, **kwargs):
        made = function(*args, **kwargs)
        answered.add(name)
        return made

    return counted


def seconds(call):
    begin = time.process_time()
    made = call()
    if hasattr(made, "__next__"):
        list(made)
    return time.process_time() - begin


def public(name):
    return getattr(nx, name, None) or getattr(nx.community, name)


def prioritized(call):
    """Calls with what both variables of the environment set."""
    nx.config.backend_priority.algos = nx.config.backend_priority.generators = ["callisto"]
    try:
        return call()
    finally:
        nx.config.backend_priority.algos = nx.config.backend_priority.generators = []


def timed(G, name, arguments):
    """Returns medians in CPU seconds: NetworkX; by the variables, a first call; the backend named, with conversion; by
    the variables, with a graph that is converted already. And whether the backend answered the first call."""
    theirs, first, named, kept = [], [], [], []
    function = public(name)

    for _ in range(RUNS):
        if not theirs or theirs[0] < 2:
            theirs.append(seconds(lambda: function(G, *arguments, backend="networkx")))
        G.__networkx_cache__.clear()
        answered.clear()
        first.append(prioritized(lambda: seconds(lambda: function(G, *arguments))))
        here = name in answered
        G.__networkx_cache__.clear()
        named.append(seconds(lambda: function(G, *arguments, backend="callisto")))
        kept.append(prioritized(lambda: seconds(lambda: function(G, *arguments))))
    return [statistics.median(x) for x in (theirs, first, named, kept)], here


def table(title, G, functions=FUNCTIONS):
    edges = G.number_of_edges()
    print(f"\n{title}: {len(G)} nodes, {edges} edges\n")
    print("| function | NetworkX, s | first call, s | times | runs here | named, s | times | kept, s | times |")
    print("|---|--:|--:|--:|---|--:|--:|--:|--:|")
    for name, (arguments, most) in functions.items():
        if edges > most:
            continue
        (theirs, first, named, kept), here = timed(G, name, arguments)
        G.__networkx_cache__.clear()
        print(f"| {name} | {theirs:.4f} | {first:.4f} | {theirs / first:.1f} | {'yes' if here else 'if kept'} "
              f"| {named:.4f} | {theirs / named:.1f} | {kept:.4f} | {theirs / kept:.1f} |", flush=True)


def read(path, label, weighted):
    G = nx.Graph()
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for line in lines:
            if line[0] in "#%":
                continue
            u, v = map(label, line.split()[:2])
            if u == v:
                continue  # core_number refuses loops
            if weighted:
                G.add_edge(u, v, weight=(len(line) * 7) % 50)
            else:
                G.add_edge(u, v)
    return G


def conversions(path):
    print("\n| conversion of " + os.path.basename(path) + " | s |\n|---|--:|")
    kinds = (("ints", int, False), ("ints, weights", int, True), ("a new str a line", str, False))
    for title, label, weighted in kinds:
        G = read(path, label, weighted)

        def convert():
            made = backend.convert_from_nx(G, {"weight": 1} if weighted else None)
            made.long("weight" if weighted else None)

        print(f"| {title} | {statistics.median(seconds(convert) for _ in range(RUNS)):.3f} |", flush=True)


def main():
    for name in {**FUNCTIONS, **WHOLE}:
        setattr(backend, name, counting(name, getattr(backend, name)))
    print(f"callisto-graph {callisto_graph.__version__}, networkx {nx.__version__}, Python {sys.version.split()[0]}, "
          f"{callisto_graph.threads()} threads; medians of {RUNS}, CPU seconds of all threads")
    table("Random graph", nx.gnm_random_graph(1_000, 10_000, seed=1))
    table("Larger random graph", nx.gnm_random_graph(20_000, 200_000, seed=1), WHOLE)
    if len(sys.argv) > 1:
        conversions(sys.argv[1])
        table(os.path.basename(sys.argv[1]), read(sys.argv[1], int, False))


if __name__ == "__main__":
    main()
