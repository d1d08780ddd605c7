"""Compares every kernel over ranks with one process, on graphs given as files: each MPI that is installed, each number
of ranks. Prints what differs. Exit status 0: nothing.

Usage: every_graph.py COMMAND FILE... [--ranks 1,2,3,4,8] [--mpi openmpi,mpich] [--kernels bfs,sssp ...]
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys

# What differs from run to run, or tells of ranks. Levels may be searched in other ways (bfs.hpp), arcs be relaxed in
# another order (sssp.hpp), vertices not be folded (betweenness.hpp), contributions stand in places by measured times.
UNSTEADY = ("seconds", "threads", "ranks", "bottom_up_levels", "loaded_in", "prepare_seconds", "memory_needed", "form",
            "level", "trials", "searches", "inside_order")
MORE_UNSTEADY = ("relaxations", "shortened")
KERNELS = {
    "pagerank": [],
    "components": ["--top", "50"],
    "info": [],
    "bfs": ["--source"],
    "kcore": [],
    "triangles": [],
    "sssp": ["--random-weights", "4", "--source"],
    "betweenness": ["--samples", "3", "--top", "1"],
    "communities": ["--top", "3"],
    "clustering": ["--top", "3"],
    "analyze": ["--samples", "3", "--top", "2"],
}


def steady(found):
    return {key: value for key, value in found.items() if key not in UNSTEADY}


def alike(one, other):
    """True if both are equal, sums of doubles within 1e-9."""
    if isinstance(one, float) and isinstance(other, (int, float)):
        return one == other or math.isclose(one, other, rel_tol=1e-9)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other


def launch_words(mpi, launcher, ranks):
    options = []
    if mpi == "openmpi":
        options = ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
    return [launcher, *options, "-n", str(ranks)]


def object_of(words, env):
    done = subprocess.run(words, env={**os.environ, **env}, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        return done.returncode
    found, _ = json.JSONDecoder().raw_decode(done.stdout.decode())
    found = steady(found)
    return {key: value for key, value in found.items() if key not in MORE_UNSTEADY}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--ranks", default="1,2,3,4,8")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    how = parser.parse_args()
    different = 0
    for file in how.files:
        top = subprocess.run([how.command, "pagerank", file, "--top", "1", "--json"], capture_output=True, check=False)
        if top.returncode != 0:
            print(f"{file}: cannot be read", flush=True)
            different += 1
            continue
        source = str(json.loads(top.stdout)["top"][0]["vertex"])
        for kernel in how.kernels.split(","):
            words = [how.command, kernel, file, *KERNELS[kernel]]
            if words[-1] == "--source":
                words.append(source)
            alone = object_of([*words, "--json"], {})
            for mpi in how.mpi.split(","):
                launcher = shutil.which(f"mpirun.{mpi}")
                for ranks in how.ranks.split(",") if launcher is not None else ():
                    found = object_of([*launch_words(mpi, launcher, ranks), *words, "--json"],
                                      {"CALLISTO_GLOBAL_THREADS": "1"})
                    if not alike(alone, found):
                        different += 1
                        print(f"{kernel} {file}, {ranks} ranks of {mpi}:\n  {alone}\n  {found}", flush=True)
    print(f"{different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
