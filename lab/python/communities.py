#!/usr/bin/env python3
"""Compares Callisto's communities with igraph's Leiden and NetworKit's Leiden and PLM, in turns: quality and speed.

Usage: communities.py COMMAND ROUNDS [FILE ...]. Without files: LFR benchmarks, planted partitions and rings of cliques.
Needs the Python packages networkit and igraph. All take the same undirected simple graph; NetworKit and Callisto have 2
threads, igraph has one. A line a graph: medians of modularity, NMI with the planted communities, and processor seconds of
the kernel (of Callisto: of the process, less those of `callisto info`); then how many times more the faster of igraph and
PLM takes, per processor second and as wall time.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import igraph
import networkit
import numpy

THREADS = 2


def planted_graphs():
    """Yields a name, NetworKit's graph and by vertex the planted community."""
    networkit.setSeed(7, False)
    for n, most, least_size, most_size in ((1000, 50, 20, 100), (10_000, 100, 20, 200), (100_000, 300, 50, 1000)):
        for mixing in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
            made = networkit.generators.LFRGenerator(n)
            made.generatePowerlawDegreeSequence(20, most, -2.5)
            made.generatePowerlawCommunitySizeSequence(least_size, most_size, -1.5)
            made.setMu(mixing)
            yield f"LFR {n:,} {mixing}", made.generate(), made.getPartition().getVector()
    for inside in (0.1, 0.3):
        made = networkit.generators.ClusteredRandomGraphGenerator(5000, 50, inside, 0.002)
        yield f"planted 5,000 {inside}", made.generate(), made.getCommunities().getVector()
    for cliques, size in ((300, 5), (10_000, 6)):
        graph = networkit.Graph(cliques * size)
        for c in range(cliques):
            for i in range(size):
                for j in range(i):
                    graph.addEdge(c * size + i, c * size + j)
            graph.addEdge(c * size, (c + 1) % cliques * size + 1)
        yield f"ring of {cliques:,} K{size}", graph, [v // size for v in range(cliques * size)]


def read(command, file, folder):
    """Returns NetworKit's graph of a file, by way of GAPBS's format: directed, arcs, vertices, offsets, targets."""
    plain = folder / "g.sg"
    subprocess.run([command, "convert", file, plain, "-q", "--undirected", "--drop-loops"], check=True, capture_output=True)
    with open(plain, "rb") as sg:
        sg.read(1)
        arcs, vertices = (int(n) for n in numpy.fromfile(sg, numpy.int64, 2))
        offsets = numpy.fromfile(sg, numpy.int64, vertices + 1)
        to = numpy.fromfile(sg, numpy.int32, arcs).astype(numpy.uint64)
    source = numpy.repeat(numpy.arange(vertices, dtype=numpy.uint64), numpy.diff(offsets))
    once = source < to
    return networkit.GraphFromCoo((source[once], to[once]), n=vertices, directed=False)


def main():
    command, rounds = sys.argv[1], int(sys.argv[2])
    folder = pathlib.Path(tempfile.mkdtemp())
    networkit.setNumberOfThreads(THREADS)

    def processor_of(*arguments):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([command, *map(str, arguments)], check=True, capture_output=True, text=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime, done.stdout

    def ours(graph, native, seed):
        idle, _ = processor_of("info", native, "--json", "--threads", THREADS)
        processor, text = processor_of("communities", native, "--json", "--threads", THREADS, "--seed", seed)
        told = json.loads(text)
        _, lines = processor_of("communities", native, "-q", "-o", "-", "--threads", THREADS, "--seed", seed)
        found = [int(line.split("\t")[1]) for line in lines.splitlines()]
        return processor - idle, told["seconds"]["compute"], told["modularity"], found

    def theirs(make, graph, _native, _seed):
        wall, processor = time.perf_counter(), time.process_time()
        found, modularity = make(graph)
        processor, wall = time.process_time() - processor, time.perf_counter() - wall
        return processor, wall, modularity(), found()

    def networkits(algorithm):
        def make(graph):
            run = algorithm(graph[0])
            run.run()
            part = run.getPartition()
            return lambda: part.getVector(), lambda: networkit.community.Modularity().getQuality(part, graph[0])
        return make

    def igraphs(graph):
        found = graph[1].community_leiden(objective_function="modularity", n_iterations=2)
        return lambda: found.membership, lambda: found.modularity

    methods = {
        "Callisto": ours,
        "igraph": lambda *of: theirs(igraphs, *of),
        "NetworKit Leiden": lambda *of: theirs(networkits(lambda g: networkit.community.ParallelLeiden(g, iterations=3)), *of),
        "PLM": lambda *of: theirs(networkits(networkit.community.PLM), *of),
    }
    print("| graph | vertices | edges | " + " | ".join(f"{name}: modularity | NMI | s" for name in methods) +
          " | processor | wall |\n" + "|---" * (5 + 3 * len(methods)) + "|")
    graphs = ((pathlib.Path(f).name.split(".")[0], read(command, f, folder), None) for f in sys.argv[3:])
    for name, graph, planted in graphs if sys.argv[3:] else planted_graphs():
        ends = numpy.array([(u, v) for u, v in graph.iterEdges()])
        text, native = folder / "g.el", folder / "g.cg"
        # Each vertex has a line of its own, so that isolated ones stay; loops are dropped.
        numpy.savetxt(text, numpy.vstack([ends, numpy.column_stack([range(graph.numberOfNodes())] * 2)]), "%d")
        subprocess.run([command, "convert", text, native, "-q", "--undirected", "--drop-loops"], check=True, capture_output=True)
        both = (graph, igraph.Graph(n=graph.numberOfNodes(), edges=ends))
        trials = {method: [] for method in methods}
        for seed in range(1, rounds + 1):
            for method, run in methods.items():
                processor, wall, modularity, found = run(both, native, seed)
                nmi = igraph.compare_communities(planted, found, "nmi") if planted else float("nan")
                trials[method].append((processor, wall, modularity, nmi))
        middle = {m: [statistics.median(column) for column in zip(*t)] for m, t in trials.items()}
        cells = [name, f"{graph.numberOfNodes():,}", f"{graph.numberOfEdges():,}"]
        for m in methods:
            cells += [f"{middle[m][2]:.4f}", f"{middle[m][3]:.3f}", f"{middle[m][0]:.3f}"]
        for measure in (0, 1):
            cells.append(f"{min(middle['igraph'][measure], middle['PLM'][measure]) / max(1e-4, middle['Callisto'][measure]):.1f}")
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
