#!/usr/bin/env python3
"""Prints the largest flows of OR-tools and the parts of METIS beside those of the command.

    python lab/python/flows_and_parts.py build/release/bin/callisto FOLDER [GRAPH.txt.gz ...]

Seconds of processor time, one thread, the least of three runs in turns; of the command with its start and opening a
native file, of the peers of the call alone. Makes graphs in FOLDER: a picture's grid with two ends tied to all pixels,
frames of a grid (RMF), levels at random (Washington), random arcs and a Kronecker graph. Values of flows are compared,
and a difference ends the program. Needs numpy and scipy; ortools and pymetis where they are.
"""

import json
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np
import scipy.sparse

command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
random = np.random.default_rng(1)


def both_ways(edges):
    return np.r_[edges, edges[:, ::-1]]


def grid(places):
    return np.r_[np.c_[places[:, :-1].ravel(), places[:, 1:].ravel()], np.c_[places[:-1].ravel(), places[1:].ravel()]]


def picture(n):
    edges = both_ways(grid(np.arange(n * n).reshape(n, n)))
    pixels = np.arange(n * n)
    ends = np.r_[np.c_[np.full(n * n, n * n), pixels], np.c_[pixels, np.full(n * n, n * n + 1)]]
    capacities = np.r_[random.integers(1, 101, len(edges)), random.integers(0, 60, len(ends))]
    kept = capacities > 0
    return np.c_[np.r_[edges, ends], capacities][kept], n * n, n * n + 1


def frames(a, b):
    places = np.arange(a * a * b).reshape(b, a, a)
    rows = [np.c_[e, np.full(len(e), 100 * a * a)] for e in (both_ways(grid(p)) for p in places)]
    rows += [np.c_[places[i].ravel(), random.permutation(places[i + 1].ravel()), random.integers(1, 101, a * a)]
             for i in range(b - 1)]
    return np.concatenate(rows), 0, a * a * b - 1


def levels(rows, columns):
    places = np.arange(rows * columns).reshape(columns, rows)
    arcs = [np.c_[places[i], random.choice(places[i + 1], rows), random.integers(1, 1001, rows)]
            for i in range(columns - 1) for _ in range(3)]
    source, target = rows * columns, rows * columns + 1
    ends = [np.c_[np.full(rows, source), places[0], np.full(rows, 3000)],
            np.c_[places[-1], np.full(rows, target), np.full(rows, 3000)]]
    return np.concatenate(arcs + ends), source, target


def kronecker(scale, arcs):
    ends = np.zeros((arcs, 2), dtype=np.int64)
    for bit in range(scale):
        r = random.random(arcs)
        ends[:, 0] |= (r > 0.76).astype(np.int64) << bit
        ends[:, 1] |= (((r > 0.57) & (r < 0.76)) | (r > 0.95)).astype(np.int64) << bit
    return np.c_[ends, random.integers(1, 101, arcs)], 0, 1


def by_command(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([command, *map(str, arguments), "--threads", "1", "--quiet", "--json"], check=True,
                          capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def flow_of_ortools(arcs, source, target):
    from ortools.graph.python import max_flow

    solver = max_flow.SimpleMaxFlow()
    solver.add_arcs_with_capacity(arcs[:, 0], arcs[:, 1], arcs[:, 2])
    begin = time.process_time()
    solver.solve(source, target)
    return solver.optimal_flow(), time.process_time() - begin


def parts_of_metis(rows, count):
    import pymetis

    begin = time.process_time()
    cut, _ = pymetis.part_graph(count, pymetis.CSRAdjacency(rows.indptr, rows.indices))
    return cut, time.process_time() - begin


def least(runs):
    return runs[0][0], min(seconds for _, seconds in runs)


def shown(ours, peer, peer_name):
    return f"callisto {ours[0]:.0f} {ours[1]:.3f} s, {peer_name} {peer[0]:.0f} {peer[1]:.3f} s ({peer[1] / ours[1]:.2f})"


def compare_flows(name, arcs, source, target):
    arcs = arcs[arcs[:, 0] != arcs[:, 1]]
    np.savetxt(folder / f"{name}.wel", arcs, fmt="%d")
    native = folder / f"{name}.cg"
    subprocess.run([command, "convert", folder / f"{name}.wel", native, "--repeats", "sum", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    runs = [(by_command("flow", native, source, target, "--edges"), flow_of_ortools(arcs, source, target))
            for _ in range(3)]
    ours, peer = least([(o["flow"], s) for (o, s), _ in runs]), least([p for _, p in runs])
    print(name, len(arcs), "arcs:", shown(ours, peer, "OR-tools"), flush=True)
    if ours[0] != peer[0]:
        raise SystemExit("the flows differ")
    return native


def compare_parts(native):
    text = native.with_suffix(".mtx")
    subprocess.run([command, "convert", native, text, "--undirected", "--drop-loops", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    entries = np.loadtxt((line for line in text.open() if line[0] != "%"), usecols=(0, 1), dtype=np.int64)
    n, edges = int(entries[0].max()), both_ways(entries[1:] - 1)
    rows = scipy.sparse.coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()
    for count in (2, 8, 32):
        runs = [(by_command("partition", native, "--undirected", "--parts", count, "--weights", "none"),
                 parts_of_metis(rows, count)) for _ in range(3)]
        ours, peer = least([(o["cut"], s) for (o, s), _ in runs]), least([p for _, p in runs])
        print(native.stem, count, "parts:", shown(ours, peer, "METIS"), flush=True)


made = {"picture": picture(300), "frames": frames(32, 40), "levels": levels(512, 256),
        "random": (np.c_[random.integers(0, 1 << 15, (500_000, 2)), random.integers(1, 101, 500_000)], 5, 77),
        "kronecker": kronecker(15, 500_000)}
natives = [compare_flows(name, *graph) for name, graph in made.items()]
natives = [natives[0], natives[4]]
for given in sys.argv[3:]:
    natives.append(folder / (pathlib.Path(given).name.split(".")[0] + ".cg"))
    subprocess.run([command, "convert", given, natives[-1], "--quiet"], check=True, stdout=subprocess.DEVNULL)
for native in natives:
    compare_parts(native)
