#!/usr/bin/env python3
"""Prints what a call on a small graph costs, and what columns of texts cost beside pandas.factorize.

    PYTHONPATH=build/release/python build/python-env/bin/python lab/python/small_and_texts.py [--rows N]

Microseconds, or seconds, of CPU time of all threads; medians of five runs in turns. The graph of texts is compared with
that of their numbers by pandas, and a difference ends the program. Libraries that are not installed are left out.
"""

import argparse
import importlib.util
import statistics
import sys
import time

sys.path.pop(0)  # files beside this one have the names of packages

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

import callisto_graph as cl  # noqa: E402

runs = 5
calls = 400


def medians(ways, of):
    """Returns by name the median CPU time of ways[name](), called `of` times, in seconds a call."""
    seconds = {name: [] for name in ways}
    for _ in range(runs):
        for name, way in ways.items():
            begin = time.process_time()
            for _ in range(of):
                way()
            seconds[name].append((time.process_time() - begin) / of)
    return {name: statistics.median(times) for name, times in seconds.items()}


def small():
    ring = cl.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    one = np.array([0]), np.array([1])
    ways = {"from_edges() of one edge, arrays": lambda: cl.from_edges(*one),
            "from_edges() of one edge, lists": lambda: cl.from_edges([0], [1]),
            "pagerank() of four": ring.pagerank, "components() of four": ring.components,
            "betweenness() of four": ring.betweenness, "communities() of four": ring.communities}
    for name, seconds in medians(ways, calls).items():
        print(f"{name:36} {seconds * 1e6:10.1f} us")


def texts(rows):
    random = np.random.default_rng(1)
    for distinct in (1000, rows // 10, rows):
        numbers = random.integers(0, distinct, rows), random.integers(0, distinct, rows)
        lists = [[f"user{number}" for number in column] for column in numbers]
        columns = {"lists": lists, "pandas": [pd.Series(column) for column in lists]}
        for library, make in (("polars", "Series"), ("pyarrow", "array")):
            if importlib.util.find_spec(library) is not None:
                columns[library] = [getattr(importlib.import_module(library), make)(column) for column in lists]
        ways = {"pandas.factorize, both columns": lambda: [pd.factorize(column) for column in columns["pandas"]],
                "from_edges() of numbers": lambda: cl.from_edges(*numbers)}
        for name, both in columns.items():
            ways[f"from_edges() of {name}"] = lambda both=both: cl.from_edges(*both)
        print(f"\n{rows:,} rows of {distinct:,} texts")
        for name, seconds in medians(ways, 1).items():
            print(f"{name:36} {seconds:10.3f} s")
        expected = cl.from_edges(*numbers)
        for name, both in columns.items():
            made = cl.from_edges(*both)
            if (made.vertices, made.edges) != (expected.vertices, expected.edges):
                sys.exit(f"from_edges() of {name} makes {made}, of numbers {expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    small()
    texts(rows)


if __name__ == "__main__":
    main()
