#!/usr/bin/env python3
"""Measures what calls of the NetworkX backend's functions cost, and writes python/callisto_graph/nx/_costs.py, by which
should_run() decides: microseconds of processor time in NetworkX, here with a conversion, and here on a kept one.

    python networkx_costs.py [--only NAME ...] [--print]
    python networkx_costs.py --first        compares first calls by priority with NetworkX's, on graphs of 10,000 edges

Each function runs on random graphs of two sizes (nodes and ends of edges together), sparse and dense ones; what counts
is the one on which NetworkX does best. Where NetworkX takes long, larger graphs are left out: there is nothing to
decide any more. Only ratios matter, so that the load of the machine does little.
"""

import argparse
import functools
import gc
import os
import pathlib
import random
import sys
import time

os.environ["NETWORKX_CACHE_CONVERTED_GRAPHS"] = "True"
root = pathlib.Path(__file__).resolve().parents[2]
sys.path = [p for p in sys.path if pathlib.Path(p or ".").resolve() != root / "lab" / "python"]
sys.path.insert(0, str(root / "python" / "tests"))

import networkx as nx  # noqa: E402

from callisto_graph import nx as backend  # noqa: E402
from callisto_graph.nx._costs import COSTS  # noqa: E402
from networkx_ways import ACYCLIC, DIRECTED, NEEDED, REQUIRED, parameters_of, public  # noqa: E402

nx.config.warnings_to_ignore.add("cache")
SIZES = (400, 6000)
LONG = 0.005
#: Arguments for which both ways converge.
MORE = {"katz_centrality": {"alpha": 0.001}, "katz_centrality_numpy": {"alpha": 0.001}, "transitive_closure": {}}


def graph_of(name, size, ends):
    """Returns a connected random graph of about `size` nodes and ends of edges, `ends` a node."""
    return made(name in DIRECTED, name in ACYCLIC, size, ends)


@functools.lru_cache(maxsize=None)
def made(directed, acyclic, size, ends):
    G = (nx.DiGraph if directed else nx.Graph)()
    n = max(8, int(size / (1 + ends)))
    arcs = min(n * ends / (1 if directed else 2), n * (n - 1) // 4)
    r = random.Random(5)
    nx.add_path(G, range(n)) if acyclic else nx.add_cycle(G, range(n))
    edges = n
    while edges < arcs:
        u, v = r.randrange(n), r.randrange(n)
        if acyclic:
            u, v = min(u, v), max(u, v)
        if u != v and not G.has_edge(u, v):
            G.add_edge(u, v)
            edges += 1
    for _, _, data in G.edges(data=True):
        data["weight"] = data["capacity"] = r.randint(1, 9)
    return G


def arguments(name, G):
    made = dict(NEEDED.get(name, {}), **MORE.get(name, {}))
    for p in parameters_of(name)[1:]:
        if p.default is p.empty:
            made[p.name] = REQUIRED.get(f"{name} {p.name}", REQUIRED.get(p.name))
    if "communities" in made or "partition" in made:
        half = len(G) // 2
        made["communities" if "communities" in made else "partition"] = [set(list(G)[:half]), set(list(G)[half:])]
    return made


def consume(made):
    if hasattr(made, "__next__"):
        for _ in made:
            pass


def seconds(call):
    began = time.process_time()
    try:
        consume(call())
    except (nx.NetworkXException, nx.PowerIterationFailedConvergence, ZeroDivisionError):
        pass
    return time.process_time() - began


def least(call, before=lambda: None, enough=0.01):
    """Returns the least time of some runs of a call."""
    best, spent = float("inf"), 0
    for run in range(2):
        before()
        one = seconds(call)
        best, spent = min(best, one), spent + one
        if spent > enough and run >= 1 or one > LONG:
            break
    return best


def measure(name):
    theirs, first, kept = [], [], []
    for size in SIZES:
        three = []
        for ends in (2.6, 18):
            G = graph_of(name, size, ends)
            args = arguments(name, G)
            call = public(name)

            def named():
                return call(G, **args, backend="callisto")

            def forget():
                G.__networkx_cache__.clear()

            try:
                own = least(lambda: call(G, **args, backend="networkx"))
            except NotImplementedError:  # networkx declares the function only
                own = 1.0
            named()
            three.append((own, least(named, forget), least(named)))
        own, cold, _ = min(three, key=lambda of: of[0] / of[1])
        theirs.append(own)
        first.append(cold)
        kept.append(own * max(k / t for t, _, k in three))
        if max(t for t, _, _ in three) > LONG:
            break
    return tuple(tuple(max(1, round(1e6 * s)) for s in of) for of in (theirs, first, kept))


def first_calls(names):
    """Prints how many times as fast first calls by priority are, the lesser of two graphs of 10,000 edges."""
    for name in names:
        worst = None
        for size, ends in ((10000 * 2 + 8000, 2.5), (10000 * 2 + 1000, 20)):
            if name in DIRECTED:
                size, ends = size - 10000, ends / 2
            if len(COSTS.get(name, ((1,),))[0]) == 1:
                size /= 30  # NetworkX would take minutes
            G = graph_of(name, size, ends)
            args = arguments(name, G)
            call = public(name)

            def prioritized():
                G.__networkx_cache__.clear()
                nx.config.backend_priority.algos = nx.config.backend_priority.generators = ["callisto"]
                made = call(G, **args)
                consume(made)
                nx.config.backend_priority.algos = nx.config.backend_priority.generators = []

            def plain():
                consume(call(G, **args))

            ours = theirs = float("inf")
            for _ in range(3):  # in turns
                theirs, ours = min(theirs, seconds(plain)), min(ours, seconds(prioritized))
                nx.config.backend_priority.algos = nx.config.backend_priority.generators = []
                if theirs > 0.1:
                    break
            if worst is None or theirs / ours < worst[0]:
                worst = (theirs / ours, theirs, len(G), G.number_of_edges())
        gc.collect()
        ratio, theirs, nodes, edges = worst
        print(f"{name:42} {ratio:8.2f} times, NetworkX {1e3 * theirs:10.2f} ms, {nodes} nodes, {edges} edges", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--first", action="store_true")
    options = parser.parse_args()
    path = root / "python" / "callisto_graph" / "nx" / "_costs.py"
    before = COSTS
    gc.disable()  # a collection in one way and not in the other would be the difference
    if options.first:
        names = options.only or [name for name in sorted(COSTS) if name in backend.FUNCTIONS and name != "leiden_communities"]
        return first_calls(names)
    backend.should_run = lambda name, args, kwargs: True
    costs = {name: before[name] for name in sorted(backend.FUNCTIONS) if name in before}
    for name in options.only or sorted(backend.FUNCTIONS):
        if name not in nx.utils.backends._registered_algorithms:
            continue
        costs[name] = measure(name)
        gc.collect()
        print(name, costs[name], flush=True)
    if options.print:
        return None
    lines = ["COSTS = {"]
    lines += [f'    "{name}": {costs[name]},' for name in sorted(costs)] + ["}", ""]
    path.write_text(f'''"""What calls cost, by lab/python/networkx_costs.py, which writes this file: microseconds in NetworkX, here with a conversion,
and here on a kept one, for graphs of SIZES nodes and ends of edges together."""

SIZES = (400, 6000)

''' + "\n".join(lines))
    return None


if __name__ == "__main__":
    main()
