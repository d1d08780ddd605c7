#!/usr/bin/env python3
"""Runs installed OpenMP programs with the stock libgomp and with Callisto's, and compares what they write.

Each program of programs.py that is installed runs alone, then two at once, with each library in turns. A line a program
tells the ratio of the stock library's time by Callisto's; times decide nothing. The list is repeated until the time is
over, and each program runs once at least.

Exit status: 0, all wrote the same; 1, some did not; 77, none is installed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import inputs
from programs import PROGRAMS

LIMIT = 900  # seconds for one run, a guard


class Runner:
    def __init__(self, library, folder, interpreter):
        self.library = library
        self.folder = folder
        self.inputs = folder / "inputs"
        self.inputs.mkdir(parents=True)
        self.runs = 0
        # Jobs have a table of their own, so that the two of a pair
        # meet no others.
        jobs = folder / "jobs"
        jobs.mkdir()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "CALLISTO_", "LD_PRELOAD"))}
        self.environment |= {"IN": str(self.inputs), "PYTHON": interpreter, "CALLISTO_COSCHED_DIR": str(jobs), "LC_ALL": "C.UTF-8"}

    def shell(self, text, program, where, library=None, limit=LIMIT):
        environment = self.environment | {"NAME": re.sub(r"\W", "_", program.name)}
        if library:
            environment["LD_PRELOAD"] = str(library)
        # A group of its own, so that all of it ends with it.
        process = subprocess.Popen(["bash", "-c", text], cwd=where, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            out, err = b"", f"no end after {limit} s".encode()
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")

    def is_there(self, need, program):
        kind, _, name = need.rpartition(":")
        if kind == "py":
            return self.shell(f"$PYTHON -c 'import {name}'", program, self.folder)[0] == 0
        if kind == "r":
            return self.shell(f"Rscript -e 'library({name})'", program, self.folder)[0] == 0
        if kind == "lib":
            return self.shell(f"test \"$(gcc -print-file-name=lib{name}.so)\" != lib{name}.so", program, self.folder)[0] == 0
        return shutil.which(name) is not None if "/" not in name else pathlib.Path(name).exists()

    def prepare(self, program):
        """Makes the inputs; returns what went wrong."""
        for name, function in program.inputs.items():
            if not (self.inputs / name).exists():
                getattr(inputs, function)(str(self.inputs / name))
        code, out, err = self.shell(program.before or "true", program, self.inputs)
        return "" if code == 0 else (err or out).strip()[-300:]

    def once(self, program, library, at_once):
        """Runs it, or two at once; returns the seconds and what each wrote."""
        begin = time.monotonic()
        places = []
        for _ in range(at_once):
            self.runs += 1
            places.append(self.folder / f"run{self.runs}")
            places[-1].mkdir()
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            with_each = list(pool.map(lambda place: self.shell(program.command, program, place, library), places))
        seconds = time.monotonic() - begin
        wrote = []
        for place, (code, out, err) in zip(places, with_each):
            text = "\n".join(line for line in out.splitlines() if not (program.drops and re.fullmatch(program.drops, line)))
            if program.compares:
                text += self.shell(program.compares, program, place)[1]
            wrote.append(f"status {code}" + (f": {err.strip()[-300:]}" if code != 0 else "") + "\n" + text)
            shutil.rmtree(place)
        return seconds, wrote


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path, help="Callisto's libgomp.so.1")
    parser.add_argument("--seconds", type=float, default=0, help="go on for so long (%(default)s: each program once)")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name has this")
    parser.add_argument("--python", default=shutil.which("python3"), help="the interpreter whose modules count (%(default)s)")
    options = parser.parse_args()
    if not options.library.is_file():
        parser.error(f"{options.library}: there is no such file")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="callisto-installed-"))
    runner = Runner(options.library.resolve(), folder, options.python)
    ready, absent, wrong = [], [], 0
    for program in PROGRAMS:
        if not re.search(options.only, program.name, re.IGNORECASE):
            continue
        if not all(runner.is_there(need, program) for need in program.needs):
            absent.append(program.name)
            continue
        failed = runner.prepare(program)
        if failed:
            print(f"{program.name}: cannot be prepared: {failed}", flush=True)
        else:
            ready.append(program)
    print(f"not installed: {', '.join(absent) or 'none'}", flush=True)
    if not ready:
        print("none of the programs is installed")
        shutil.rmtree(folder)
        sys.exit(77)
    ends = time.monotonic() + options.seconds
    ratios = {program.name: ([], []) for program in ready}
    rounds = 0
    while rounds == 0 or time.monotonic() < ends:
        rounds += 1
        for program in ready:
            if rounds > 1 and time.monotonic() >= ends:
                break
            said = f"{program.name:22}"
            for at_once in (1, 2):
                times, wrote = {}, {}
                order = [None, runner.library] if rounds % 2 else [runner.library, None]
                for library in order:
                    times[library], wrote[library] = runner.once(program, library, at_once)
                expected = wrote[None][0]
                if not expected.startswith("status 0\n"):
                    said += f"  stock fails: {expected.strip()[:200]}"
                    break
                differs = [text for text in wrote[runner.library] if text != expected]
                unsteady = any(text != expected for text in wrote[None])
                ratio = times[None] / times[runner.library]
                ratios[program.name][at_once - 1].append(ratio)
                said += f"  {('alone', 'two at once')[at_once - 1]} {times[None]:6.2f} s, {ratio:5.2f}"
                if differs and not unsteady:
                    wrong += 1
                    said += f"\n  DIFFERS: stock {expected[-200:]!r}, callisto {differs[0][-200:]!r}\n"
                elif unsteady:
                    said += " (the stock library's own runs differ)"
            print(said, flush=True)
    for number, kind in enumerate(("alone", "two at once")):
        medians = [statistics.median(kinds[number]) for kinds in ratios.values() if kinds[number]]
        if medians:
            print(f"{kind}: {len(medians)} programs, the stock library's time by Callisto's: geometric mean "
                  f"{statistics.geometric_mean(medians):.2f}, least {min(medians):.2f}")
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
