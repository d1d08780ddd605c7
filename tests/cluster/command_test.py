"""The command under the launcher of one MPI: what ranks tell is what one process tells, and failures are one line.

Usage: command_test.py openmpi|mpich COMMAND. Exit status 77: skipped, because there is no launcher.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

MPI, COMMAND = sys.argv[1:3]
LAUNCHER = shutil.which(f"mpirun.{MPI}")
# What differs from run to run, or tells of ranks. Levels may be searched in other ways (bfs.hpp), arcs be relaxed in
# another order (sssp.hpp).
UNSTEADY = ("seconds", "threads", "ranks", "bottom_up_levels", "loaded_in", "prepare_seconds")
# A kernel for each of some files.
MORE = {"star.cg": "kcore", "path.cg": "sssp", "one.cg": "triangles", "named.txt": "sssp"}
FAILED = []


def check(holds, what):
    if not holds:
        FAILED.append(what)
        print("FAILED:", what, flush=True)


def launched(ranks, *words):
    options = []
    if MPI == "openmpi":
        options = ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
    env = {**os.environ, "CALLISTO_GLOBAL_THREADS": "1"}
    return subprocess.run([LAUNCHER, *options, "-n", str(ranks), COMMAND, *map(str, words)], env=env, timeout=120,
                          stdin=subprocess.DEVNULL, capture_output=True)


def alone(*words):
    env = {**os.environ, "CALLISTO_THREADS": "1"}  # the memory that a kernel needs may depend on threads
    return subprocess.run([COMMAND, *map(str, words)], env=env, timeout=120, stdin=subprocess.DEVNULL,
                          capture_output=True)


def object_in(done, what):
    """Returns the object that the command told. A launcher may add lines of its own; a second object is a fault."""
    text = done.stdout.decode()
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError:
        found, end = {}, 0
    more = text[end:].strip()
    if more != "":
        print(f"{what}: more on standard output: {text!r}, standard error: {done.stderr!r}", flush=True)
    check(found != {} and "{" not in more, f"{what}: expected one object on standard output")
    return found


def steady(found):
    return {key: value for key, value in found.items() if key not in UNSTEADY}


def lines(edges):
    return "".join(f"{u} {v}\n" for u, v in edges)


def write_graphs(folder):
    """Returns the files: name, and a vertex of each."""
    draw = random.Random(5)
    texts = {
        "random": (lines((draw.randrange(900), draw.randrange(900)) for _ in range(4000)), "17"),
        "star": (lines((0, v) for v in range(1, 500)), "0"),
        "path": (lines((v, v + 1) for v in range(300)), "3"),
        "one": ("5 5\n", "5"),
        "three": ("2 4\n4 7\n", "2"),
        "named": ("ann bob\nbob cid\ndan eve\n", "ann"),
    }
    files = []
    for name, (text, vertex) in texts.items():
        path = folder / f"{name}.txt"
        path.write_text(text)
        native = folder / f"{name}.cg"
        check(alone("convert", path, native, "--quiet").returncode == 0, f"convert {name}")
        files.append((native, vertex))
        if name in ("random", "named"):
            files.append((path, vertex))
    return files


def same_results(folder):
    for number, (file, vertex) in enumerate(write_graphs(folder)):
        commands = {
            "pagerank": ["pagerank", file],
            "components": ["components", file],
            "info": ["info", file],
            "bfs": ["bfs", file, "--source", vertex],
            "kcore": ["kcore", file, "--verify"],
            "triangles": ["triangles", file, "--verify"],
            "sssp": ["sssp", file, "--random-weights", "4", "--source", vertex, "--verify"],
        }
        if file.name == "random.cg":
            commands["seeds"] = ["pagerank", file, "--seeds", "3,5:2", "--undirected"]
            commands["target"] = [*commands["sssp"], "--target", "30", "--target", "31"]
        else:  # kernels_test.cpp has every kernel on every kind of graph; launchers take a second
            kept = ["components", "bfs"] if number % 2 == 0 else ["pagerank", "info"]
            kept += [more for name, more in MORE.items() if name == file.name]
            commands = {name: commands[name] for name in kept}
        for name, words in commands.items():
            expected = alone(*words, "--json")
            check(expected.returncode == 0, f"{name} {file.name} alone: {expected.stderr}")
            for ranks in (2, 4) if file.name == "random.cg" and name not in ("kcore", "triangles", "target") else (2 + len(file.name + name) % 3,):
                what = f"{name} {file.name} on {ranks} ranks"
                done = launched(ranks, *words, "--json")
                check(done.returncode == 0, f"{what}: exit code {done.returncode}: {done.stderr}")
                if done.returncode != 0:
                    continue
                found = object_in(done, what)
                check(steady(found) == steady(json.loads(expected.stdout)), f"{what}: {done.stdout} {expected.stdout}")
                check(found.get("ranks") == ranks, f"{what}: ranks")


def same_files(folder):
    file = folder / "random.cg"
    weighted = ["sssp", file, "--random-weights", "4", "--source", "17"]
    for words in (["pagerank", file], ["components", file], ["bfs", file, "--source", "17"], weighted):
        one, many = folder / "one.tsv", folder / "many.tsv"
        alone(*words, "--output", one, "--quiet")
        done = launched(3, *words, "--output", many, "--quiet")
        check((done.returncode, done.stdout) == (0, b""), f"{words[0]} --output: {done}")
        keep = 2 if words[0] == "bfs" else 3  # parents may differ
        rows = [[line.split("\t")[:keep] for line in path.read_text().splitlines()] for path in (one, many)]
        check(rows[0] == rows[1] and len(rows[0]) > 100, f"{words[0]} --output: other lines")
        one.unlink()
        many.unlink()


def one_line(ranks, code, pattern, *words):
    done = launched(ranks, *words)
    own = [line for line in done.stderr.decode().splitlines() if line.startswith("callisto")]
    check(done.returncode == code, f"{words}: exit code {done.returncode}, expected {code}: {done.stderr}")
    check(len(own) == 1 and pattern in own[0], f"{words}: {own}, expected one line with {pattern}")
    check(done.stdout == b"", f"{words}: {done.stdout}")


def failures(folder):
    file = folder / "random.cg"
    one_line(3, 3, "nowhere.cg", "pagerank", folder / "nowhere.cg")
    (folder / "bad.txt").write_text("0 1\n1 x y\n")
    one_line(2, 3, "bad.txt", "components", folder / "bad.txt", "--ids", "numbers")
    one_line(2, 2, "--damping", "pagerank", file, "--damping", "2")
    one_line(2, 2, "999999", "bfs", file, "--source", "999999")
    one_line(2, 4, "no/such", "pagerank", file, "--output", folder / "no/such/folder")
    one_line(2, 2, "launcher of MPI started 2 processes", "closeness", file)
    negative = folder / "negative.txt"
    negative.write_text("0 1 2\n1 2 -1\n")
    one_line(2, 3, "weights of at least 0", "sssp", negative, "--directed", "--source", "0")
    one_line(2, 2, "no weights", "sssp", file, "--source", "17")
    truncated = folder / "truncated.cg"
    truncated.write_bytes(file.read_bytes()[:5000])
    one_line(2, 3, "truncated native graph", "info", truncated)


def main():
    if LAUNCHER is None:
        print(f"skipped: no mpirun.{MPI}")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        same_results(folder)
        same_files(folder)
        failures(folder)
    print("passed" if not FAILED else f"{len(FAILED)} failed")
    return 1 if FAILED else 0


sys.exit(main())
