#!/usr/bin/env python3
"""Times NetworkX's 20 most used functions, that the backend has, with and without it, conversion included; and
conversions alone. Prints tables in Markdown: medians of 5 runs in turns, in CPU seconds of all threads; one run of
NetworkX if it takes more than 2 s.

    python networkx.py [FILE]     FILE: an edge list; without it random graphs only
"""

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


def seconds(call):
    begin = time.process_time()
    made = call()
    if hasattr(made, "__next__"):
        list(made)
    return time.process_time() - begin


def public(name):
    return getattr(nx, name, None) or getattr(nx.community, name)


def timed(G, name, arguments):
    """Returns medians: NetworkX; the backend with conversion; with a graph that is converted already."""
    theirs, cold, warm = [], [], []

    def ours():
        return public(name)(G, *arguments, backend="callisto")

    for _ in range(RUNS):
        if not theirs or theirs[0] < 2:
            theirs.append(seconds(lambda: public(name)(G, *arguments, backend="networkx")))
        G.__networkx_cache__.clear()
        cold.append(seconds(ours))
        warm.append(seconds(ours))
    return [statistics.median(x) for x in (theirs, cold, warm)]


def table(title, G):
    edges = G.number_of_edges()
    print(f"\n{title}: {len(G)} nodes, {edges} edges\n")
    print("| function | NetworkX, s | with conversion, s | times | converted, s | times | runs |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for name, (arguments, most) in FUNCTIONS.items():
        if edges > most:
            continue
        theirs, cold, warm = timed(G, name, arguments)
        G.__networkx_cache__.clear()
        chosen = "yes" if backend.should_run(name, (G, *arguments), {}) is True else "if converted"
        print(f"| {name} | {theirs:.4f} | {cold:.4f} | {theirs / cold:.1f} | {warm:.4f} | {theirs / warm:.1f} "
              f"| {chosen} |", flush=True)


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
    print(f"callisto-graph {callisto_graph.__version__}, networkx {nx.__version__}, Python {sys.version.split()[0]}, "
          f"{callisto_graph.threads()} threads; medians of {RUNS}, CPU seconds of all threads")
    table("Random graph", nx.gnm_random_graph(1_000, 10_000, seed=1))
    if len(sys.argv) > 1:
        conversions(sys.argv[1])
        table(os.path.basename(sys.argv[1]), read(sys.argv[1], int, False))


if __name__ == "__main__":
    main()
