#!/usr/bin/env python3
"""Runs OpenMP test suites that were built elsewhere, with the stock libgomp and with Callisto's preloaded. Reports each
test that passes with the stock one only.

Each FOLDER holds built programs of any suite. Each executable file below it is a test, which passes if it ends with
status 0. NAME.json beside it says what else the test needs; all keys are optional:

    {"env": {"OMP_PLACES": "cores"},    its environment; OMP_NUM_THREADS here replaces the value of --threads
     "args": ["30"],                    arguments
     "fails": true,                     it must end with a status other than 0 (but not by a signal)
     "output": ["regular expression"],  each must be found in its output, standard error included
     "timeout": 60}                     seconds, instead of --timeout

Exit status: 0, all pass that pass with the stock library; 1, some do not; 2, wrong use.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time


class Test:
    def __init__(self, program):
        self.program = program
        described = program.with_name(program.name + ".json")
        self.how = json.loads(described.read_text()) if described.exists() else {}

    def run(self, threads, library, timeout):
        """Returns "pass", or why the test did not pass."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_"))}
        environment["OMP_NUM_THREADS"] = str(threads)
        environment.update(self.how.get("env", {}))
        if library:
            environment["LD_PRELOAD"] = str(library)
        command = [str(self.program), *self.how.get("args", [])]
        limit = self.how.get("timeout", timeout)
        with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as scratch:
            # A process group of its own, so that all its processes end with it.
            process = subprocess.Popen(command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=output, start_new_session=True)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
            output.seek(0)
            text = output.read().decode(errors="replace")
        if status is None:
            return f"no end after {limit:g} s"
        if status < 0:
            return f"ended by {signal.Signals(-status).name}"
        if (status != 0) != bool(self.how.get("fails")):
            return f"status {status}" + (": " + text.strip().splitlines()[-1][:160] if text.strip() else "")
        for pattern in self.how.get("output", []):
            if not re.search(pattern, text):
                return f"output does not have {pattern!r}"
        return "pass"


def find_tests(folder, wanted):
    programs = (p for p in sorted(folder.rglob("*")) if p.is_file() and os.access(p, os.X_OK) and p.suffix != ".so")
    return [Test(p) for p in programs if wanted.search(str(p.relative_to(folder)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--library", required=True, type=pathlib.Path, help="Callisto's libgomp.so.1")
    parser.add_argument("--threads", default="1,2,4,16", help="OMP_NUM_THREADS of the runs (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="tests at a time (%(default)s)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a test (%(default)s)")
    parser.add_argument("--only", default="", metavar="REGEX", help="tests whose path has this")
    parser.add_argument("--stock", type=pathlib.Path, metavar="FILE",
                        help="keep the stock library's results in this file, and use those that it has")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all results to this file")
    options = parser.parse_args()
    if not options.library.is_file():
        parser.error(f"--library {options.library}: there is no such file")
    for folder in options.folders:
        if not folder.is_dir():
            parser.error(f"{folder}: not a folder")
    try:
        threads = [int(t) for t in options.threads.split(",")]
        wanted = re.compile(options.only)
    except (ValueError, re.error) as e:
        parser.error(str(e))

    kept = json.loads(options.stock.read_text()) if options.stock and options.stock.exists() else {}
    results = {}
    regressions = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for folder in options.folders:
            tests = find_tests(folder.resolve(), wanted)
            for n in threads:
                begin = time.monotonic()

                def both(test, n=n):
                    name = f"{test.program}@{n}"
                    if name not in kept:
                        kept[name] = test.run(n, None, options.timeout)
                    if kept[name] != "pass":
                        return test, name, kept[name], None
                    return test, name, "pass", test.run(n, options.library.resolve(), options.timeout)

                stock_passes = ours_passes = 0
                for done, (test, name, stock, ours) in enumerate(pool.map(both, tests), 1):
                    results[name] = {"stock": stock, "callisto": ours}
                    stock_passes += stock == "pass"
                    ours_passes += ours == "pass"
                    if ours not in (None, "pass"):
                        print(f"{'':2}{n} threads  {test.program.relative_to(folder.resolve())}: {ours}", flush=True)
                    if sys.stderr.isatty():
                        print(f"\r{done}/{len(tests)} ", end="", file=sys.stderr, flush=True)
                regressions += stock_passes - ours_passes
                print(f"{folder}, {n} threads: {len(tests)} tests, {stock_passes} pass with the stock library, "
                      f"{ours_passes} of them with Callisto's ({time.monotonic() - begin:.0f} s)", flush=True)
                if options.stock:
                    options.stock.write_text(json.dumps(kept, indent=0, sort_keys=True))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1, sort_keys=True))
    return 1 if regressions else 0


if __name__ == "__main__":
    sys.exit(main())
