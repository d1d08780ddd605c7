#!/usr/bin/env python3
"""Runs random programs of all runtimes at once, as jobs that share the machine, and checks each result.

    tests/cosched/soak_runtimes.py build/release/bin/callisto-lab [--seconds 1800] [--seed N] [--programs 6]
                                   [--longest MS]

The programs are the actors of `callisto-lab bench manners --runtimes`: loops, algorithms and tasks, OpenMP, Domino,
Global in one process and on two ranks, kernels from Python. Each runs for 0.2 to 5 s, plainly, at nice level 19, with
pauses, or on twice as many threads as contexts. One in eight is stopped for a while, or killed; a killed one has no
result. A program that fails, says a wrong result or does not end ends the soak with the exit code 1; so does a unit of
work that took longer than --longest, of programs that were not stopped. The last line says what ran and the longest
unit.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("lab", type=pathlib.Path)
parser.add_argument("--seconds", type=float, default=1800)
parser.add_argument("--seed", type=int, default=None)
parser.add_argument("--programs", type=int, default=6, help="at once, at most")
parser.add_argument("--longest", type=float, default=None, help="milliseconds")
o = parser.parse_args()
seed = o.seed if o.seed is not None else random.SystemRandom().randrange(1 << 32)
chance = random.Random(seed)
print(f"seed {seed}", flush=True)

lab = o.lab.resolve()
openmp = lab.parent.parent / "lib" / "callisto" / "libgomp.so.1"
package = lab.parent.parent / "python"
launcher = shutil.which("mpirun.mpich")
table = tempfile.mkdtemp(prefix="callisto-soak-")
contexts = len(os.sched_getaffinity(0))
# The actor `python` is text of the program's.
kinds = ["loops", "algorithms", "domino", "global"]
if openmp.exists():
    kinds += ["openmp", "openmp-short"]
if launcher:
    kinds.append("ranks")
script = subprocess.run([lab, "bench", "program", "python", "1"], capture_output=True, text=True).stdout
with_package = {**os.environ, "PYTHONPATH": str(package)}
found = subprocess.run([sys.executable, "-c", "import callisto_graph"], env=with_package, capture_output=True)
if script and found.returncode == 0:
    kinds.append("python")


class Program:
    def __init__(self):
        self.kind = chance.choice(kinds)
        self.way = chance.choice(["", "", ":nice", ":asleep", ":threads"])
        self.length = chance.uniform(0.2, 5)
        arguments = [self.kind + self.way, str(int(self.length * 1000)), "0"]
        environment = {**os.environ, "CALLISTO_COSCHED": "", "CALLISTO_COSCHED_DIR": table, "CALLISTO_WEIGHT": ""}
        if self.way == ":threads":
            environment |= {"CALLISTO_THREADS": str(2 * contexts), "OMP_NUM_THREADS": str(2 * contexts)}
        if self.kind.startswith("openmp"):
            environment["LD_PRELOAD"] = str(openmp)
        command = [lab, "bench", "program"]
        if self.kind == "ranks":
            command = [launcher, "-n", "2", *command]
        if self.kind == "python":
            command = [sys.executable, "-c", script]
            environment["PYTHONPATH"] = str(package)
        self.began = time.monotonic()
        self.output = tempfile.TemporaryFile(dir=table)
        self.process = subprocess.Popen([*command, *arguments], stdout=self.output, stderr=subprocess.STDOUT,
                                        env=environment, start_new_session=True)
        # A launcher's ranks have groups of their own, which a signal to the launcher does not reach.
        disturbed = chance.random() < 1 / 8 and self.kind != "ranks"
        self.trouble = chance.choice(["stop", "kill"]) if disturbed else None
        self.trouble_at = self.began + chance.uniform(0, self.length)
        self.goes_on_at = None
        self.was_stopped = self.killed = False

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def disturb(self, now):
        if self.trouble and now >= self.trouble_at and self.process.poll() is None:
            self.was_stopped = True
            if self.trouble == "kill":
                self.killed = True
                self.signal(signal.SIGKILL)
            else:
                self.goes_on_at = now + chance.uniform(0.001, 0.3)
                self.signal(signal.SIGSTOP)
            self.trouble = None
        if self.goes_on_at and now >= self.goes_on_at:
            self.signal(signal.SIGCONT)
            self.goes_on_at = None

    def said(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")


ended = {kind: 0 for kind in kinds}
longest = (0.0, "")
units = killed = 0
running = []
failure = None
end = time.monotonic() + o.seconds
try:
    while not failure and (running or time.monotonic() < end):
        now = time.monotonic()
        if now < end and len(running) < chance.randint(1, o.programs):
            running.append(Program())
        for p in list(running):
            p.disturb(now)
            name = p.kind + p.way
            if p.process.poll() is None:
                if now > p.began + p.length + 120:
                    failure = f"{name} did not end: {p.said()!r}"
                continue
            running.remove(p)
            if p.killed:
                killed += 1
                continue
            words = p.said().split()
            if p.process.returncode != 0 or len(words) != 5:
                failure = f"{name}: exit code {p.process.returncode}, said {p.said()!r}"
                break
            ended[p.kind] += 1
            units += int(words[0])
            if not p.was_stopped and float(words[3]) > longest[0]:
                longest = (float(words[3]), name)
                if o.longest and longest[0] > o.longest:
                    failure = f"{name}: a unit of work took {longest[0]:.0f} ms, above {o.longest:.0f}"
        time.sleep(0.02)
finally:
    for p in running:
        p.signal(signal.SIGKILL)
        p.process.wait()
    shutil.rmtree(table, ignore_errors=True)
counts = ", ".join(f"{n} {kind}" for kind, n in ended.items())
print(f"{counts}; {killed} killed; {units} units of work, the longest {longest[0]:.0f} ms ({longest[1]})")
if failure:
    sys.exit(f"seed {seed}: {failure}")
