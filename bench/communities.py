#!/usr/bin/env python3
"""Compares Callisto's communities with NetworKit's PLM and PLP in turns: a table of medians of 5 runs, of seconds and
modularity.

Usage: communities.py COMMAND FILE ... (graphs in any format; kron18 and the like are generated). Needs the Python package
networkit. Both take the same undirected graph without weights and loops, on two threads; loading is not timed.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import networkit
import numpy

THREADS, ROUNDS = 2, 5


def main():
    command = sys.argv[1]

    def callisto(*arguments):
        done = subprocess.run([command, *map(str, arguments), "--json"], check=True, capture_output=True)
        return json.loads(done.stdout)

    networkit.setNumberOfThreads(THREADS)
    print("| graph | vertices | edges | louvain s | modularity | PLM s | modularity | ratio | labels s | modularity "
          "| PLP s | modularity | ratio |\n" + 13 * "|---" + "|")
    for name in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            native, file = pathlib.Path(folder) / "g.cg", pathlib.Path(folder) / "g.sg"
            if name.startswith("kron"):
                callisto("generate", "kronecker", native, "--scale", name[4:])
                callisto("convert", native, file, "--drop-loops")
            else:
                callisto("convert", name, file, "--undirected", "--drop-loops")
            with open(file, "rb") as sg:  # GAPBS: directed, arcs, vertices, offsets, targets
                sg.read(1)
                arcs, vertices = (int(n) for n in numpy.fromfile(sg, numpy.int64, 2))
                offsets = numpy.fromfile(sg, numpy.int64, vertices + 1)
                to = numpy.fromfile(sg, numpy.int32, arcs).astype(numpy.uint64)
            source = numpy.repeat(numpy.arange(vertices, dtype=numpy.uint64), numpy.diff(offsets))
            once = source < to
            graph = networkit.GraphFromCoo((source[once], to[once]), n=vertices, directed=False)

            def ours(method):
                found = callisto("communities", file, "--method", method, "--threads", THREADS)
                return found["seconds"]["compute"], found["modularity"]

            def theirs(make):
                run = make(graph)
                begin = time.perf_counter()
                run.run()
                seconds = time.perf_counter() - begin
                return seconds, networkit.community.Modularity().getQuality(run.getPartition(), graph)

            pairs = [("louvain", networkit.community.PLM), ("labels", networkit.community.PLP)]
            trials = {method: [] for method, _ in pairs}
            for _ in range(ROUNDS):
                for method, make in pairs:
                    trials[method].append((*ours(method), *theirs(make)))
            cells = [pathlib.Path(name).name.split(".")[0], f"{vertices:,}", f"{graph.numberOfEdges():,}"]
            for method, _ in pairs:
                seconds, quality, other, other_quality = (statistics.median(column) for column in zip(*trials[method]))
                ratio = statistics.median(trial[2] / trial[0] for trial in trials[method])
                cells += [f"{seconds:.3f}", f"{quality:.4f}", f"{other:.3f}", f"{other_quality:.4f}", f"{ratio:.1f}"]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
