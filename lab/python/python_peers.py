#!/usr/bin/env python3
"""Compares Callisto's kernels with those of NetworKit and igraph, on the same graphs in turns.

Every round runs `callisto`, which reports the kernel's time with the graph in memory, then NetworKit and igraph in
this process on the same simple undirected graph. The results are compared. Prints a table of medians and of
ratios to Callisto; exits with 1 if a result differs. Leaves out peers that Python cannot import. Communities:
communities.py.

Usage: python_peers.py CALLISTO ROUNDS GRAPH [GRAPH...]      (text edge lists, also compressed by gzip)
"""
import contextlib
import gzip
import json
import math
import os
import statistics
import subprocess
import sys
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
wrong = []


def read(path):
    """Returns the labels, and the edges (u < v) of the simple undirected graph, as vertex numbers."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        words = [line.split()[:2] for line in lines if line[0] not in "#%" and line.strip()]
        arcs = numpy.array(words, dtype=numpy.int64)
    labels, flat = numpy.unique(arcs, return_inverse=True)
    arcs = flat.reshape(-1, 2)
    arcs.sort(axis=1)
    return labels, numpy.unique(arcs[arcs[:, 0] != arcs[:, 1]], axis=0)


def timed(f):
    begin = time.perf_counter()
    result = f()
    return time.perf_counter() - begin, result


class Callisto:
    def __init__(self, command, path):
        self.command, self.path = command, path

    def __call__(self, kernel, *options):
        arguments = [self.path, "--undirected", "--drop-loops", "--json", "--no-progress", *map(str, options)]
        done = subprocess.run([self.command, kernel, *arguments], check=True, stdout=subprocess.PIPE)
        found = json.loads(done.stdout)
        return found["seconds"]["compute"], found


def close(a, b, relative=1e-6):
    return math.isclose(a, b, rel_tol=relative, abs_tol=1e-12)


def kernels(callisto, labels, nk, ig):
    """Returns (name, ours, {peer: theirs}, whether results agree); each returns seconds and what to compare."""
    n = len(labels)
    source = int(numpy.argmax(ig.degree())) if ig is not None else 0
    k = min(SAMPLES, n)
    chosen = list(range(0, n, max(1, n // k)))[:k]

    def ours(kernel, key, *options):
        def call():
            seconds, found = callisto(kernel, *options)
            return seconds, key(found)
        return call

    def theirs(run, key):
        def call():
            seconds, found = timed(run)
            return seconds, key(found)
        return call

    def nk_run(algorithm):
        return lambda: algorithm().run()

    both = {}
    if nk is not None:
        both["NetworKit"] = {
            "bfs": theirs(nk_run(lambda: networkit.distance.BFS(nk, source, False)),
                          lambda a: sum(d < 1e300 for d in a.getDistances())),
            "cc": theirs(nk_run(lambda: networkit.components.ParallelConnectedComponents(nk)),
                         lambda a: a.numberOfComponents()),
            "pr": theirs(nk_run(lambda: ranking(nk)), lambda a: int(labels[numpy.argmax(a.scores())])),
            "clustering": theirs(nk_run(lambda: networkit.centrality.LocalClusteringCoefficient(nk, True)),
                                 lambda a: sum(a.scores()) / n),
            "kcore": theirs(nk_run(lambda: networkit.centrality.CoreDecomposition(nk)),
                            lambda a: int(a.maxCoreNumber())),
            "bc": theirs(nk_run(lambda: networkit.centrality.EstimateBetweenness(nk, k, False, True)), lambda a: None),
        }
    if ig is not None:
        both["igraph"] = {
            "bfs": theirs(lambda: ig.distances(source=[source]), lambda r: sum(d != math.inf for d in r[0])),
            "cc": theirs(ig.connected_components, len),
            "pr": theirs(ig.pagerank, lambda r: int(labels[numpy.argmax(r)])),
            "clustering": theirs(lambda: ig.transitivity_local_undirected(mode="zero"), lambda r: sum(r) / n),
            "kcore": theirs(ig.coreness, max),
            "bc": theirs(lambda: ig.betweenness(directed=False, sources=chosen), lambda r: None),
        }

    def table(kernel, call, agree):
        return kernel, call, {peer: calls[kernel] for peer, calls in both.items()}, agree

    yield table("bfs", ours("bfs", lambda f: f["reached"], "--source", labels[source]), lambda a, b: a == b)
    yield table("cc", ours("components", lambda f: f["components"]), lambda a, b: a == b)
    yield table("pr", ours("pagerank", lambda f: f["top"][0]["vertex"]), lambda a, b: a == b)
    yield table("clustering", ours("clustering", lambda f: f["average_clustering"]), close)
    yield table("kcore", ours("kcore", lambda f: f["degeneracy"]), lambda a, b: a == b)
    yield table("bc", ours("betweenness", lambda f: None, "--samples", k), lambda a, b: True)


def ranking(nk):
    a = networkit.centrality.PageRank(nk, damp=0.85, tol=1e-9)
    with contextlib.suppress(AttributeError):
        a.norm = networkit.centrality.Norm.L1_NORM
    return a


def measure(command, rounds, path):
    labels, edges = read(path)
    nk = ig = None
    if networkit is not None:
        networkit.setNumberOfThreads(THREADS)
        nk = networkit.GraphFromCoo(tuple(numpy.ascontiguousarray(edges.T)), n=len(labels))
    if igraph is not None:
        ig = igraph.Graph(n=len(labels), edges=edges)
    name = os.path.basename(path)
    print(f"\n{name}: {len(labels):,} vertices, {len(edges):,} edges; {rounds} rounds, {THREADS} threads (igraph: 1)\n")
    print("| kernel | Callisto | " + " | ".join(f"{p} | ratio" for p in ("NetworKit", "igraph")) + " |")
    print("|---|--:|--:|--:|--:|--:|")
    for kernel, ours, peers, agree in kernels(Callisto(command, path), labels, nk, ig):
        times = {"Callisto": []} | {p: [] for p in peers}
        for _ in range(rounds):
            seconds, mine = ours()
            times["Callisto"].append(seconds)
            for peer, call in peers.items():
                seconds, found = call()
                times[peer].append(seconds)
                if not agree(mine, found):
                    wrong.append(f"{name}: {kernel}: Callisto {mine}, {peer} {found}")
        cells = [f"{1e3 * statistics.median(times['Callisto']):.4g} ms"]
        for peer in ("NetworKit", "igraph"):
            if peer not in times:
                cells += ["-", "-"]
                continue
            ratio = statistics.median(t / o for t, o in zip(times[peer], times["Callisto"]))
            cells += [f"{1e3 * statistics.median(times[peer]):.4g} ms", f"{ratio:.3g}"]
        print(f"| {kernel} | " + " | ".join(cells) + " |", flush=True)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    for path in sys.argv[3:]:
        measure(sys.argv[1], int(sys.argv[2]), path)
    for line in wrong:
        print("WRONG:", line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
