#!/usr/bin/env python3
"""Estimates how well each graph kernel's loops would use a large machine.

Runs every kernel of `callisto` on GRAPH with one thread and --stats, which reports for each of its loops how often it
ran, over how many iterations, and how long an iteration took. Then simulates those loops on MACHINE with some numbers
of threads (callisto-lab simulate, default schedule, batches chosen by the runtime), with iterations of the measured
mean length. Efficiency is the speed-up of the loop divided by that of a loop 64 times as long, in which starting, ending and
handing out cost next to nothing. A kernel's efficiency is that ratio for the sum of its loops' times.

What this does not model: iterations of different lengths, and waiting for memory that other threads use. Loops over
one part per thread have a single part on one thread; they are left out, and the output says how much time they took.

Usage: simulated_efficiency.py [--kernel LIST] CALLISTO GRAPH MACHINE [MACHINE...]
"""
import json
import os
import subprocess
import sys

KERNELS = {
    "bfs": ["bfs", "--sources", "4"],
    "sssp": ["sssp", "--sources", "4", "--random-weights", "1"],
    "pr": ["pagerank"],
    "cc": ["components"],
    "bc": ["betweenness", "--samples", "4", "--form", "inner"],
    "tc": ["triangles"],
    "kcore": ["kcore"],
    "clustering": ["clustering"],
    "communities": ["communities"],
}
THREADS = [64, 128, 256]
LONG = 64
LEAST_SHARE = 0.02  # of a kernel's time; loops below this share are left out


def run(*arguments):
    done = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, env=os.environ | {"LC_ALL": "C"})
    return json.loads(done.stdout)


def lab_beside(callisto):
    """Returns the program callisto-lab beside the command."""
    folder = os.path.dirname(callisto)
    return os.path.join(folder, "callisto-lab") if folder else "callisto-lab"


def loops_of(callisto, kernel, graph):
    """Returns (name, loops, iterations of each, nanoseconds per iteration) of loops that matter; the share left out."""
    command, *options = KERNELS[kernel]
    found = run(callisto, command, graph, *options, "--threads", "1", "--stats", "--json", "--no-progress")
    inputs = ("build.cpp", "random_weights.cpp")  # loops of the input, not of the kernel
    sites = [s for s in found["loops"] if "/graph/" in s["file"] and not s["file"].endswith(inputs)]
    total = sum(s["work"] for s in sites)
    parts = sum(s["work"] for s in sites if s["iterations"] == s["loops"])
    loops = [(f"{os.path.basename(s['file'])}:{s['line']}", s["loops"], max(1, round(s["iterations"] / s["loops"])),
              1e9 * s["work"] / s["iterations"])
             for s in sites if s["work"] >= LEAST_SHARE * total and s["iterations"] > s["loops"]]
    return loops, parts / total


def speedups(callisto, machine, iterations, cycles):
    found = run(lab_beside(callisto), "simulate", machine, "--workload", "even", "--iterations", str(iterations), "--cycles",
                str(cycles), "--schedule", "auto", "--batch", "0", "--cap", "0.01", "--threads",
                ",".join(map(str, THREADS)), "--json", "--no-progress")
    runs = found["simulated"][0]["workloads"][0]["runs"]
    return {r["threads"]: r["speedup"] for r in runs}


def gigahertz_of(callisto, machine):
    return run(lab_beside(callisto), "simulate", machine, "--workload", "even", "--iterations", "1", "--schedule", "auto",
               "--batch", "0", "--threads", "1", "--json")["simulated"][0]["machine"]["gigahertz"]


def main():
    arguments = sys.argv[1:]
    kernels = list(KERNELS)
    if arguments[:1] == ["--kernel"]:
        kernels = arguments[1].split(",")
        arguments = arguments[2:]
    if len(arguments) < 3 or not set(kernels) <= set(KERNELS):
        sys.exit(__doc__)
    callisto, graph, *machines = arguments
    measured = {kernel: loops_of(callisto, kernel, graph) for kernel in kernels}
    for machine in machines:
        ghz = gigahertz_of(callisto, machine)
        print(f"\n### {machine}, {ghz:g} GHz\n")
        print("| kernel | loop | loops | iterations of each | ns each |" +
              "".join(f" {t} threads |" for t in THREADS))
        print("|---|---|--:|--:|--:|" + "--:|" * len(THREADS))
        for kernel, (loops, left_out) in measured.items():
            taken = dict.fromkeys(THREADS, 0.0)
            ideal = dict.fromkeys(THREADS, 0.0)
            rows = []
            for name, count, iterations, ns in loops:
                cycles = max(1, round(ns * ghz))
                here = speedups(callisto, machine, iterations, cycles)
                best = speedups(callisto, machine, LONG * max(iterations, 2**14), cycles)
                work = count * iterations * cycles
                for t in THREADS:
                    taken[t] += work / here[t]
                    ideal[t] += work / best[t]
                rows.append(f"| | {name} | {count} | {iterations:,} | {ns:.1f} |" +
                            "".join(f" {100 * here[t] / best[t]:.0f}% |" for t in THREADS))
            of_time = "" if left_out < LEAST_SHARE else f" but {100 * left_out:.0f}% of the time"
            print(f"| **{kernel}** | all{of_time} | | | |" +
                  "".join(f" **{100 * ideal[t] / taken[t]:.0f}%** |" for t in THREADS))
            print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
