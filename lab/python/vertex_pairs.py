#!/usr/bin/env python3
"""Compares paths and flows between pairs of vertices with igraph and NetworkX.

    PYTHONPATH=build/release/python build/python-env/bin/python lab/python/vertex_pairs.py FILE [--weights] [--flows | --routes]

Milliseconds of processor time with one thread, from Python: the median of five pairs of the largest component of the
undirected graph, each pair by all libraries in turn; and the peer's median by ours. Lengths, numbers of all shortest
paths where there are fewer than 100,000, and values of flows are compared, and a difference ends the program.
--routes: 101 pairs, by routes and without them; and the time to make the routes.
"""

import argparse
import os
import random
import statistics
import sys
import time

sys.path.pop(0)  # files beside this one have the names of packages
os.environ["CALLISTO_COSCHED"] = "off"

import igraph as ig  # noqa: E402
import networkx as nx  # noqa: E402
import numpy as np  # noqa: E402

import callisto_graph as cl  # noqa: E402

pairs = 5
most_listed = 100_000


def same(a, b):
    if not np.allclose(a, b, rtol=1e-9, atol=0):
        sys.exit(f"vertex_pairs: {a} by callisto, {b} by the peer")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--weights", action="store_true", help="lengths and capacities are the file's weights")
    parser.add_argument("--flows", action="store_true", help="flows alone")
    parser.add_argument("--routes", action="store_true", help="one path by routes alone")
    given = parser.parse_args()
    cl.threads(1)
    graph = cl.read(given.file).undirected()
    u, v, w = graph.edge_arrays()
    weights = w.tolist() if given.weights else None
    by_igraph = ig.Graph(n=graph.vertices, edges=np.column_stack([u, v]))
    by_networkx = nx.Graph()
    by_networkx.add_weighted_edges_from(zip(u.tolist(), v.tolist(), weights or [1.0] * len(u)))
    length, strength = ("length", "strength") if given.weights else (None, None)
    labels = graph.label_list()
    draw = random.Random(5)
    component = max(by_igraph.connected_components(), key=len)
    times = {}

    def timed(what, who, call):
        begin = time.process_time()
        answer = call()
        times.setdefault(what, {}).setdefault(who, []).append(time.process_time() - begin)
        return answer

    def paths(ends, a, b):
        path = timed("shortest_path()", "callisto", lambda: graph.shortest_path(*ends, weights=length))
        timed("shortest_path()", "igraph", lambda: by_igraph.get_shortest_path(a, b, weights=weights, output="vpath"))
        same(path.distance, timed(
            "shortest_path()", "networkx",
            lambda: nx.bidirectional_dijkstra(by_networkx, a, b)[0] if weights
            else len(nx.bidirectional_shortest_path(by_networkx, a, b)) - 1))
        every = timed("all_shortest_paths()", "callisto",
                      lambda: graph.all_shortest_paths(*ends, weights=length, limit=0))
        if every.count < most_listed:
            same(every.count, timed(
                "all_shortest_paths()", "igraph",
                lambda: len({tuple(p) for p in by_igraph.get_all_shortest_paths(a, b, weights=weights)})))
        few = timed("k_shortest_paths(), 10", "callisto",
                    lambda: graph.k_shortest_paths(*ends, 10, weights=length))
        listed = timed("k_shortest_paths(), 10", "igraph",
                       lambda: by_igraph.get_k_shortest_paths(a, b, k=10, weights=weights))
        same([p.distance for p in few],
             [sum(by_networkx[x][y]["weight"] for x, y in zip(p, p[1:])) for p in listed])

    if given.routes:
        made = timed("routes()", "callisto", lambda: graph.routes(weights=length))
        print(f"{made.arcs} arcs and shortcuts, of {len(u)} edges")
    for _ in range(101 if given.routes else pairs):
        a, b = draw.sample(component, 2)
        ends = labels[a], labels[b]
        if given.routes:
            plain = timed("shortest_path()", "callisto", lambda: graph.shortest_path(*ends, weights=length))
            same(plain.distance, timed("Routes.path()", "callisto", lambda: made.path(*ends)).distance)
            timed("Routes.path()", "igraph", lambda: by_igraph.get_shortest_path(a, b, weights=weights, output="vpath"))
            continue
        if not given.flows:
            paths(ends, a, b)
        flow = timed("maximum_flow()", "callisto", lambda: graph.maximum_flow(*ends, weights=strength))
        same(flow.value, timed("maximum_flow()", "igraph", lambda: by_igraph.maxflow(a, b, capacity=weights)).value)
    for what, by in times.items():
        middle = {who: statistics.median(s) for who, s in by.items()}
        print(f"{what:24}", "  ".join(f"{who} {m * 1e3:.3g} ms" + ("" if who == "callisto" else
                                      f" ({m / middle['callisto']:.2f})") for who, m in middle.items()))


if __name__ == "__main__":
    main()
