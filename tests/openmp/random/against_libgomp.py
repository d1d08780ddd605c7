#!/usr/bin/env python3
"""Runs random OpenMP programs in C, C++ and Fortran with the stock libgomp and with Callisto's, and compares the output.

Each program is compiled once by GCC and runs several times, each time with other settings of the environment, which
both libraries get. A run differs if the output or the exit status does. The program and the command that runs it are
kept then. With --clang, clang compiles, and the stock library is libomp.

Exit status: 0, no run differs; 1, some do; 77, there is no compiler.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import c_programs
import fortran_programs

COMPILERS = {"c": ("gcc-12", "gcc"), "cc": ("g++-12", "g++"), "f90": ("gfortran-12", "gfortran")}
CLANG = {"c": ("clang-19", "clang"), "cc": ("clang++-19", "clang++")}
LIMIT = 120  # seconds for a run; a program takes milliseconds on a quiet machine


def has_openmp(compiler):
    """True if the compiler finds its omp.h, which is in a package of its own."""
    command = [compiler, "-fopenmp", "-fsyntax-only", "-xc", "-"]
    return subprocess.run(command, input="#include <omp.h>\n", text=True, capture_output=True, check=False).returncode == 0


def compilers(of):
    found = {}
    for suffix, names in of.items():
        paths = [path for path in map(shutil.which, names) if path]
        if paths and (suffix == "f90" or has_openmp(paths[0])):
            found[suffix] = paths[0]
    return found


def text_of(suffix, seed):
    source = random.Random(seed)
    if suffix == "f90":
        return fortran_programs.Program(source).text()
    return c_programs.Program(source, suffix == "cc").text()


def settings(source):
    """Returns variables of OpenMP for a run."""
    some = {"OMP_NUM_THREADS": source.choice(["1", "2", "2", "3", "4", "4", "5", "8", "16", "3,2", "2,2,2"]),
            "OMP_WAIT_POLICY": source.choice(["passive", "passive", "passive", "active"])}
    more = {"OMP_SCHEDULE": ["static", "static,3", "dynamic", "dynamic,4", "guided", "guided,2", "monotonic:dynamic,2",
                             "nonmonotonic:guided", "auto"],
            "OMP_DYNAMIC": ["true", "false"], "OMP_NESTED": ["true", "false"], "OMP_MAX_ACTIVE_LEVELS": ["1", "2", "5"],
            "OMP_CANCELLATION": ["true", "true", "false"], "OMP_PROC_BIND": ["true", "false", "close", "spread"],
            "OMP_STACKSIZE": ["2M", "16M"], "OMP_THREAD_LIMIT": ["6", "3", "20"], "GOMP_SPINCOUNT": ["0", "100", "3000"],
            "OMP_MAX_TASK_PRIORITY": ["0", "3"]}
    for variable in source.sample(sorted(more), source.randint(0, 5)):
        some[variable] = source.choice(more[variable])
    return some


def outcome(program, environment):
    # An environment of its own: no variable of OpenMP or Callisto but these.
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "CALLISTO_", "LD_PRELOAD"))}
    try:
        done = subprocess.run([str(program)], env=clean | environment, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"no end after {LIMIT} s"
    # libomp comments on variables.
    errors = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("OMP:"))
    return f"status {done.returncode}\n{done.stdout}{errors.strip()}"


def compare(seed, suffix, compiler, library, folder, runs, by_clang):
    """Makes one program, and runs it; returns how many runs there were, and texts that tell what differs."""
    source = folder / f"{seed}.{suffix}"
    program = folder / f"{seed}.{suffix}.out"
    source.write_text(text_of(suffix, seed))
    level = random.Random(seed).choice(["-O0", "-O1", "-O2"])
    command = [compiler, "-w", "-fopenmp", level, str(source), "-o", str(program)]
    if suffix == "f90":
        modules = folder / f"{seed}.modules"
        modules.mkdir()
        command.append(f"-J{modules}")
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        # clang lacks some constructs, and libomp runs some in a way that differs from run to run.
        return (0, []) if by_clang else (0, [f"{source}: does not compile:\n{built.stderr}"])
    if by_clang and len({outcome(program, settings(random.Random(f"{seed} {run}"))) for run in range(runs + 1)}) != 1:
        return 0, []
    findings, done = [], 0
    for run in range(runs):
        variables = settings(random.Random(f"{seed} {run}"))
        stock = outcome(program, variables)
        if not stock.startswith("status 0\n"):
            # Nothing to compare with; the programs are right by construction, so this is worth a line.
            print(f"seed {seed}, run {run}: the stock library ends with {stock.splitlines()[0]}", flush=True)
            continue
        ours = outcome(program, variables | {"LD_PRELOAD": str(library)})
        done += 1
        # libomp's results may differ from run to run: then ours is among them.
        if ours != stock and not (by_clang and any(outcome(program, variables) == ours for _ in range(20))):
            shown = " ".join(f"{k}={v}" for k, v in variables.items())
            difference = [f"{a} | {b}" for a, b in zip(stock.splitlines(), ours.splitlines()) if a != b][:3]
            findings.append(f"{shown} LD_PRELOAD={library} {program}\n  stock | callisto: " +
                            "; ".join(difference or [stock[-200:], ours[-200:]]))
    if not findings:
        source.unlink()
        program.unlink()
    return done, findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path, help="Callisto's libgomp.so.1")
    parser.add_argument("--runs", type=int, default=30, help="runs to compare (%(default)s)")
    parser.add_argument("--seconds", type=float, help="go on for so long instead")
    parser.add_argument("--of-each", type=int, default=4, metavar="N", help="runs of a program (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first program (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (%(default)s)")
    parser.add_argument("--clang", action="store_true", help="compile by clang, and compare with libomp")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="where programs that differ stay")
    options = parser.parse_args()
    if not options.library.is_file():
        parser.error(f"{options.library}: there is no such file")
    found = compilers(CLANG if options.clang else COMPILERS)
    if not found:
        expected = "clang with libomp's omp.h" if options.clang else "gcc, g++ or gfortran"
        print(f"there is no compiler to make programs with: expected {expected}")
        sys.exit(77)
    library = options.library.resolve()
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="callisto-random-"))
    folder.mkdir(parents=True, exist_ok=True)
    ends = time.monotonic() + options.seconds if options.seconds else None
    done = differing = programs = 0
    suffixes = sorted(found)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seed = options.seed
        while time.monotonic() < ends if ends else done < options.runs and programs < 10 * options.runs:
            batch = range(seed, seed + options.jobs * len(suffixes))
            seed = batch.stop
            for n, findings in pool.map(lambda s: compare(s, suffixes[s % len(suffixes)], found[suffixes[s % len(suffixes)]],
                                                          library, folder, options.of_each, options.clang), batch):
                done += n
                programs += 1
                differing += len(findings)
                for finding in findings:
                    print(finding, flush=True)
    print(f"{done} runs of {programs} programs in {', '.join(suffixes)}: {differing} differ; programs from seed {options.seed} on")
    if differing == 0 and not options.keep:
        shutil.rmtree(folder)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
