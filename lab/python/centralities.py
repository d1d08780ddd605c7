#!/usr/bin/env python3
"""Compares Callisto's centralities with those of NetworKit and igraph, on the same weighted graphs in turns.

The graphs are simple and undirected, with random whole weights from 1 to 255 (`--random-weights 1`). Every round runs
`callisto`, which reports the kernel's time with the graph in memory, then the peers in this process. Searches start
from 64 sources. Prints medians and ratios to Callisto's; exits with 1 if a best vertex differs. Leaves out peers that
Python cannot import.

Usage: centralities.py CALLISTO ROUNDS GRAPH [GRAPH...]      (any file that Callisto reads)
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

try:
    import networkit
except ImportError:
    networkit = None
try:
    import igraph
except ImportError:
    igraph = None

THREADS = len(os.sched_getaffinity(0))
SAMPLES = 64
OURS = {
    "PageRank by strengths": ["pagerank"],
    "eigenvector": ["eigenvector", "--weights", "none"],
    "eigenvector by strengths": ["eigenvector", "--weights", "strength"],
    "Katz": ["katz", "--weights", "none"],
    "HITS": ["hits", "--weights", "none"],
    "betweenness by lengths": ["betweenness", "--weights", "length", "--samples", str(SAMPLES)],
    "edges": ["betweenness", "--edges", "--samples", str(SAMPLES)],
    "edges by lengths": ["betweenness", "--edges", "--weights", "length", "--samples", str(SAMPLES)],
    "closeness": ["closeness", "--samples", str(SAMPLES)],
    "closeness by lengths": ["closeness", "--weights", "length", "--samples", str(SAMPLES)],
    "harmonic closeness": ["closeness", "--harmonic", "--samples", str(SAMPLES)],
}
RANKINGS = ["PageRank by strengths", "eigenvector", "eigenvector by strengths", "HITS"]


def read(path):
    """Returns the labels, the edges by vertex number, and their weights, from a weighted edge list."""
    rows = numpy.loadtxt(path, comments=("#", "%"))
    labels, flat = numpy.unique(rows[:, :2].astype(numpy.int64), return_inverse=True)
    return labels, flat.reshape(-1, 2), rows[:, 2]


def networkit_kernels(n, edges, weights, alpha):
    def graph(values, weighted):
        ends = tuple(numpy.ascontiguousarray(edges.T))
        return networkit.GraphFromCoo((values, ends), n=n, weighted=weighted, directed=False)
    plain, weighted, of = graph(numpy.ones(len(edges)), False), graph(weights, True), networkit.centrality

    def run(make):
        return lambda: make().run().scores()
    return {
        "PageRank by strengths": run(lambda: of.PageRank(weighted, 0.85, 1e-9)),
        "eigenvector": run(lambda: of.EigenvectorCentrality(plain, 1e-9)),
        "eigenvector by strengths": run(lambda: of.EigenvectorCentrality(weighted, 1e-9)),
        "Katz": run(lambda: of.KatzCentrality(plain, alpha(), 1.0, 1e-9)),
        "betweenness by lengths": run(lambda: of.EstimateBetweenness(weighted, SAMPLES, False, True)),
    }


def igraph_kernels(n, edges, weights):
    graph = igraph.Graph(n=n, edges=edges)
    chosen = list(range(0, n, max(1, n // SAMPLES)))[:SAMPLES]
    return {
        "PageRank by strengths": lambda: graph.pagerank(weights=weights),
        "eigenvector": graph.eigenvector_centrality,
        "eigenvector by strengths": lambda: graph.eigenvector_centrality(weights=weights),
        "HITS": graph.authority_score,
        "betweenness by lengths": lambda: graph.betweenness(sources=chosen, weights=weights),
        "edges": lambda: graph.edge_betweenness(sources=chosen),
        "edges by lengths": lambda: graph.edge_betweenness(sources=chosen, weights=weights),
        "closeness": lambda: graph.closeness(vertices=chosen),
        "closeness by lengths": lambda: graph.closeness(vertices=chosen, weights=weights),
        "harmonic closeness": lambda: graph.harmonic_centrality(vertices=chosen),
    }


def measure(command, rounds, path, folder):
    """Prints the table of one graph; returns the rankings that differ."""
    native, text = folder / "graph.cg", folder / "graph.wel"
    subprocess.run([command, "convert", path, native, "--undirected", "--drop-loops", "--random-weights", "1", "--quiet"],
                   check=True)
    subprocess.run([command, "convert", native, text, "--quiet"], check=True)
    labels, edges, weights = read(text)
    found = {}

    def ours(name):
        done = subprocess.run([command, *OURS[name], native, "--json", "--threads", str(THREADS)], check=True,
                              stdout=subprocess.PIPE)
        found[name] = json.loads(done.stdout)
        return found[name]["seconds"]["compute"]
    peers = {}
    if networkit is not None:
        networkit.setNumberOfThreads(THREADS)
        peers["NetworKit"] = networkit_kernels(len(labels), edges, weights, lambda: found["Katz"]["alpha"])
    if igraph is not None:
        peers["igraph"] = igraph_kernels(len(labels), edges, list(weights))
    print(f"{path}: {len(labels)} vertices, {len(edges)} edges", flush=True)
    wrong = []
    for name in OURS:
        times = {}
        for _ in range(rounds):
            times.setdefault("callisto", []).append(ours(name))
            for peer, kernels in peers.items():
                if name not in kernels:
                    continue
                begin = time.perf_counter()
                scores = kernels[name]()
                times.setdefault(peer, []).append(time.perf_counter() - begin)
                if name in RANKINGS and found[name]["top"][0]["vertex"] != labels[numpy.argmax(scores)]:
                    wrong.append(f"{path}: {name} of {peer}")
        medians = {who: statistics.median(values) for who, values in times.items()}
        cells = [f"{who} {value:.4g} s, {value / medians['callisto']:.3g}" for who, value in medians.items()]
        print(f"  {name}: " + "; ".join(cells), flush=True)
    return wrong


def main():
    command, rounds, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    wrong = []
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            wrong += measure(command, rounds, path, pathlib.Path(folder))
    for line in wrong:
        print("the best vertex differs:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
