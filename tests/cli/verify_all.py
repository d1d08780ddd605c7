#!/usr/bin/env python3
"""Runs every kernel on every graph of a folder with --verify, as ./x soak does.

Usage: verify_all.py COMMAND LAB [FILE ...], LAB being callisto-lab. Without files: those of the folder CALLISTO_DATA (default: shared/data beside
the repository); where there is none it says so and succeeds. A line a graph; exit status 1 if a result was wrong.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

KERNELS = [
    ["bfs", "--sources", "3"], ["sssp", "--sources", "3", "--random-weights", "1"], ["pagerank"],
    ["pagerank", "--undirected", "--seeds", "{label}"], ["closeness"], ["eigenvector", "--undirected"], ["katz"], ["hits"],
    ["closeness", "--harmonic", "--samples", "30"], ["components"], ["scc"], ["biconnected"], ["kcore"], ["communities"],
    ["communities", "--method", "labels"], ["communities", "--resolution", "2"], ["clustering"], ["triangles"],
    ["diameter", "--searches", "40"], ["forest", "--random-weights", "1"], ["matching"],
    ["matching", "--random-weights", "1", "--weights", "strength"], ["colouring"], ["independent-set"],
    ["clustering", "--directions"], ["clustering", "--random-weights", "1", "--weights", "strength"], ["similarity", "--best", "3"],
    ["path", "{graph}", "{label}", "{far}"], ["path", "{graph}", "{label}", "{far}", "--all"],
    ["path", "{graph}", "{label}", "{far}", "--shortest", "4"], ["truss"], ["eccentricity"], ["partition", "--parts", "5"], ["walks", "--each", "1", "--p", "0.5", "--q", "2"], ["bench", "gap", "--kernel", "bc", "--trials", "1"],
]
# On a larger graph, a search from each vertex, 1,000 sequential searches and the like take longer than all the rest.
MOST_ARCS_FOR_SLOW_CHECKS = 2_000_000
SLOW_TO_CHECK = [["closeness"], ["diameter", "--searches", "40"], ["eccentricity"], ["truss"], ["similarity", "--best", "3"],
                 ["path", "{graph}", "{label}", "{far}", "--shortest", "4"]]


def verify(command, lab, graph, most_arcs_for_slow_checks=MOST_ARCS_FOR_SLOW_CHECKS):
    """Throws CalledProcessError or AssertionError if a kernel fails or is wrong on the graph in this file."""
    def run(*arguments):
        done = subprocess.run([lab if arguments[0] == "bench" else command, *map(str, arguments)], check=True, capture_output=True)
        return json.loads(done.stdout) if "--json" in arguments else None
    with tempfile.TemporaryDirectory() as folder:
        native = pathlib.Path(folder) / "graph.cg"
        run("convert", graph, native, "--quiet")
        size = run("info", native, "--json")["graph"]
        label = run("components", native, "--json")["top"][0]["component"]
        far = run("diameter", native, "--searches", "4", "--json")["to"]
        for kernel in KERNELS:
            if kernel in SLOW_TO_CHECK and size["arcs"] > most_arcs_for_slow_checks:
                continue
            arguments = [argument.format(label=label, far=far, graph=native) for argument in kernel]
            found = run(*arguments, *([] if "{graph}" in kernel else [native]), "--verify", "--json")
            assert kernel[0] == "bench" or found["verified"], f"{kernel} of {graph} was not verified"


def main():
    command, lab, files = *sys.argv[1:3], [pathlib.Path(file) for file in sys.argv[3:]]
    if not files:
        root = pathlib.Path(__file__).resolve().parents[2]
        folder = pathlib.Path(os.environ.get("CALLISTO_DATA") or root.parent / "shared" / "data")
        files = sorted(file for file in folder.glob("*.gz") if ".coords." not in file.name)
        if not files:
            print(f"no graphs in {folder}: nothing verified")
            return 0
    failed = 0
    for file in files:
        begin = time.monotonic()
        try:
            verify(command, lab, file)
            print(f"{file.name}: right, {time.monotonic() - begin:.0f} s", flush=True)
        except (subprocess.CalledProcessError, AssertionError) as error:
            failed = 1
            says = error.stderr.decode().strip() if isinstance(error, subprocess.CalledProcessError) else ""
            print(f"{file.name}: {error} {says}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
