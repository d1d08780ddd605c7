#!/usr/bin/env python3
"""Reads edge tables in turns with callisto, DuckDB and polars, and prints medians.

Usage: lab/python/text_readers.py CALLISTO ROUNDS FILE...

Callisto numbers the vertices and builds the graph; the others deliver columns. Each run is a process with 2 threads.
Needs: pip install duckdb polars.
"""

import os
import resource
import statistics
import subprocess
import sys
import time

READERS = {
    "callisto": None,
    "duckdb": "import duckdb,sys; duckdb.sql('set threads=2'); "
              "duckdb.sql(f\"create table t as select * from read_csv('{sys.argv[1]}')\")",
    "polars": "import polars,sys; polars.read_csv(sys.argv[1])",
    "polars, ids": "import polars as p,sys; f=p.read_csv(sys.argv[1]); n=p.concat([f[:,0],f[:,1]]).unique().sort(); "
                   "d=p.DataFrame({'n':n,'i':range(len(n))}); k=f.columns; "
                   "f.join(d,left_on=k[0],right_on='n').join(d,left_on=k[1],right_on='n',suffix='2')",
}


def command_of(reader, callisto, path):
    if reader == "callisto":
        return [callisto, "info", path, "--directed", "--quiet", "--threads", "2"]
    return [sys.executable, "-c", READERS[reader], path]


def main():
    callisto, rounds, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    environment = dict(os.environ, POLARS_MAX_THREADS="2")
    for path in files:
        size = os.path.getsize(path) / 1e6
        wall = {reader: [] for reader in READERS}
        processor = {reader: [] for reader in READERS}
        for _ in range(rounds):
            for reader in READERS:
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                begin = time.monotonic()
                subprocess.run(command_of(reader, callisto, path), check=True, env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                wall[reader].append(time.monotonic() - begin)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                processor[reader].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        for reader in READERS:
            print(f"{os.path.basename(path)} ({size:.0f} MB)  {reader:12} wall {statistics.median(wall[reader]):7.2f} s"
                  f"  processor {statistics.median(processor[reader]):7.2f} s", flush=True)


if __name__ == "__main__":
    main()
