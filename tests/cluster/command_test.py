"""The command under the launcher of one MPI: what ranks tell is what one process tells, and failures are one line.

Usage: command_test.py openmpi|mpich COMMAND. Exit status 77: skipped, because there is no launcher.
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from every_graph import alike, launch_words, steady

MPI, COMMAND = sys.argv[1], os.path.abspath(sys.argv[2])
LAUNCHER = shutil.which(f"mpirun.{MPI}")
# A kernel for each of some files.
MORE = {"star.cg": "kcore", "path.cg": "communities", "one.cg": "triangles", "named.txt": "analyze",
        "three.cg": "betweenness", "named.cg": "sssp"}
# What runs on random.cg on one number of ranks only.
LESS = ("analyze", "betweenness", "clustering", "communities", "kcore", "target", "triangles")
FAILED = []
LONGEST = 600  # seconds: ranks that wait spin, on a machine that others may load


def check(holds, what):
    if not holds:
        FAILED.append(what)
        print("FAILED:", what, flush=True)


def launched(ranks, *words):
    return started(ranks, COMMAND, *words)


def started(ranks, *words):
    env = {**os.environ, "CALLISTO_GLOBAL_THREADS": "1"}
    return subprocess.run([*launch_words(MPI, LAUNCHER, ranks), *map(str, words)], env=env, timeout=LONGEST,
                          stdin=subprocess.DEVNULL, capture_output=True)


def alone(*words):
    env = {**os.environ, "CALLISTO_THREADS": "1"}  # the memory that a kernel needs may depend on threads
    return subprocess.run([COMMAND, *map(str, words)], env=env, timeout=LONGEST, stdin=subprocess.DEVNULL,
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
            "analyze": ["analyze", file, "--samples", "8"],  # each takes some collective operations a level
            "clustering": ["clustering", file, "--verify"],
            "components": ["components", file],
            "communities": ["communities", file, "--verify"],
            "info": ["info", file],
            "bfs": ["bfs", file, "--source", vertex],
            "kcore": ["kcore", file, "--verify"],
            "triangles": ["triangles", file, "--verify"],
            "betweenness": ["betweenness", file, "--top", "1"],
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
            for ranks in (2, 4) if file.name == "random.cg" and name not in LESS else (2 + len(file.name + name) % 3,):
                what = f"{name} {file.name} on {ranks} ranks"
                done = launched(ranks, *words, "--json")
                check(done.returncode == 0, f"{what}: exit code {done.returncode}: {done.stderr}")
                if done.returncode != 0:
                    continue
                found = object_in(done, what)
                check(alike(steady(json.loads(expected.stdout)), steady(found)), f"{what}: {done.stdout} {expected.stdout}")
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


def same_native_files(folder):
    for name, options in (("random.txt", []), ("named.txt", ["--directed"]), ("random.cg", ["--random-weights", "4"])):
        one, many = folder / "one.cg", folder / "many.cg"
        check(alone("convert", folder / name, one, *options).returncode == 0, f"convert {name} alone")
        done = launched(3, "convert", folder / name, many, *options, "--json")
        check(done.returncode == 0, f"convert {name}: {done}")
        check(object_in(done, f"convert {name}").get("ranks") == 3, f"convert {name}: ranks")
        check(one.read_bytes() == many.read_bytes(), f"convert {name}: other bytes")
        one.unlink()
        many.unlink()


def one_line(ranks, code, pattern, *words):
    told_in_one_line(launched(ranks, *words), code, pattern, words)


def told_in_one_line(done, code, pattern, words):
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
    far = folder / "far.txt"
    far.write_text("1 2\n" * 4000 + "3 x\n")
    one_line(3, 3, "far.txt:4001: expected a vertex number", "pagerank", far, "--ids", "numbers")
    one_line(2, 4, "/dev/full", "components", file, "--output", "/dev/full")
    one_line(2, 2, "--edges", "betweenness", file, "--edges")
    one_line(2, 2, "--directions", "clustering", folder / "named.txt", "--directed", "--directions")
    one_line(2, 2, "ranks write native files together", "convert", file, folder / "out.mtx")
    one_line(2, 4, "no/such", "convert", file, folder / "no/such/folder.cg")


def by_rank(folder, name, line):
    """Writes a script that runs the command at each rank, behind `line`, which finds the number in $rank."""
    script = folder / name
    script.write_text(f"""#!/bin/sh
rank=${{OMPI_COMM_WORLD_RANK-$PMI_RANK}}
{line}
exec "{COMMAND}" "$@"
""")
    script.chmod(0o755)
    return script


def unreadable_at_one_rank(folder):
    text = folder / "random.txt"
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    for name in ("random.txt", "random.cg"):
        script = by_rank(folder, "elsewhere.sh", f'[ "$rank" = 1 ] && cd "{elsewhere}" || cd "{folder}"')
        done = started(3, script, "components", name)
        told_in_one_line(done, 3, "rank 1 of 3", ("components", name, "elsewhere"))
    short = elsewhere / "random.cg"
    short.write_bytes((folder / "three.cg").read_bytes())
    done = started(3, script, "components", "random.cg")
    told_in_one_line(done, 3, "another graph than at rank 0", ("components", "another graph"))
    assert text.exists()


def slurm_script(folder):
    """The page's script for Slurm: its options are ones of sbatch, and it runs where srun starts ranks."""
    page = pathlib.Path(__file__).parents[2] / "docs/how-to/graphs-larger-than-one-machine.md"
    inside = page.read_text().split("## Slurm\n")[1].split("\n## ")[0]
    lines = [line[4:] for line in inside.splitlines() if line.startswith("    ")]
    check(lines[:1] == ["#!/bin/bash"], f"Slurm: {lines}")
    # sbatch reads options up to the first command.
    options = [line for line in lines[1:] if line.startswith("#")]
    check(lines[1:1 + len(options)] == options, f"Slurm: options behind a command: {lines}")
    for line in options:
        known = r"#SBATCH --(job-name|output|time|partition|mem|nodes|ntasks-per-node|cpus-per-task)=[\w:.%/-]+"
        check(re.fullmatch(known, line) is not None, f"Slurm: {line}")
    shutil.copy(folder / "random.cg", folder / "web.cg")
    script = folder / "job.sh"
    script.write_text("\n".join(lines).replace("/shared/", f"{folder}/").replace("=scores", f"={folder}/scores")
                      .replace(" scores", f" {folder}/scores") + "\n")
    tools = folder / "tools"
    tools.mkdir()
    (tools / "callisto").symlink_to(COMMAND)
    words = " ".join(launch_words(MPI, LAUNCHER, 2))
    (tools / "srun").write_text(f'#!/bin/sh\n[ "$1" = --mpi=pmix ] || exit 9\nshift\nexec {words} "$@"\n')
    (tools / "srun").chmod(0o755)
    check(subprocess.run(["bash", "-n", script], check=False).returncode == 0, "Slurm: syntax")
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "CALLISTO_GLOBAL_THREADS": "1"}
    done = subprocess.run(["bash", script], env=env, timeout=LONGEST, stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    check(done.returncode == 0, f"Slurm: {done}")
    check(len((folder / "scores.tsv").read_text().splitlines()) > 100, "Slurm: no scores")


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


def killed_or_stopped(folder):
    """Rank 0 reads a pipe that stays open, so that the other ranks wait until the test goes on."""
    for deadly in (True, False):
        pids = [folder / f"pid.{deadly}.{rank}" for rank in range(3)]
        script = by_rank(folder, "pids.sh", f'echo $$ > "{folder}/new.{deadly}.$rank" && '
                                            f'mv "{folder}/new.{deadly}.$rank" "{folder}/pid.{deadly}.$rank"')
        reading, writing = os.pipe()
        job = subprocess.Popen([*launch_words(MPI, LAUNCHER, 3), script, "components", "-", "--json"],
                               env={**os.environ, "CALLISTO_GLOBAL_THREADS": "1"}, stdin=reading,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(reading)
        while not all(p.exists() for p in pids) and job.poll() is None:
            time.sleep(0.01)
        numbers = [int(p.read_text()) for p in pids]
        if deadly:
            os.kill(numbers[1], signal.SIGKILL)
        else:
            os.kill(numbers[1], signal.SIGSTOP)
            os.write(writing, b"1 2\n2 3\n7 8\n")
            os.close(writing)
            os.kill(numbers[1], signal.SIGCONT)
        out, err = job.communicate(timeout=LONGEST)
        if deadly:
            os.close(writing)
            check(job.returncode != 0, f"a rank was killed: exit code {job.returncode}: {err}")
            check(b"{" not in out, f"a rank was killed: {out}")
        else:
            check(job.returncode == 0, f"a rank was stopped: exit code {job.returncode}: {err}")
            check(b'"components":' in out, f"a rank was stopped: {out}")
        until = time.monotonic() + 120
        while any(map(alive, numbers)) and time.monotonic() < until:
            time.sleep(0.01)
        check(not any(map(alive, numbers)), f"ranks are left running: {numbers}")


def main():
    if LAUNCHER is None:
        print(f"skipped: no mpirun.{MPI}")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        same_results(folder)
        same_files(folder)
        same_native_files(folder)
        failures(folder)
        slurm_script(folder)
        unreadable_at_one_rank(folder)
        killed_or_stopped(folder)
    print("passed" if not FAILED else f"{len(FAILED)} failed")
    return 1 if FAILED else 0


sys.exit(main())
