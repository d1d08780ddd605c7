#!/usr/bin/env python3
"""Compares every kernel of the command with NetworkX and igraph on random graphs, as ./x soak does.

Usage: random_graphs.py COMMAND [--graphs N] [--seed S] [--only KERNEL]

Graphs are directed or not, weighted or not, have repeated edges, loops, names and isolated vertices, and come as edge
lists, CSV, GraphML, GML or Pajek. Each kernel runs on each graph, with options drawn at random. A difference is printed
with the command; its graph stays in a folder. Exit status 1 after a difference, 77 without NetworkX and igraph.
"""

import argparse
import csv
import itertools
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import traceback

try:
    import igraph
    import networkx as nx
    import numpy
    import scipy  # noqa: F401  NetworkX's spectral functions need it.
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed (pip install networkx igraph scipy)")
    sys.exit(77)

REPEATS = {
    "keep": None,
    "sum": lambda weights: sum(weights),
    "min": min,
    "max": max,
    "first": lambda weights: weights[0],
}


class Case:
    """A random graph: its file, the options that read it, and NetworkX's graph of the same."""

    def __init__(self, command, folder, seed):
        self.command, self.folder, self.r = command, folder, random.Random(seed)
        r = self.r
        self.directed, self.weighted = r.random() < 0.5, r.random() < 0.5
        self.repeats = r.choice(list(REPEATS))
        n = r.choice([2, 3, 5, 8, 13, 21, 34])
        kind = r.choice(["edge-list", "edge-list", "csv", "graphml", "gml", "pajek"])
        label = r.choice([str, lambda i: str(7 * i + 3)])
        if kind in ("csv", "graphml", "gml"):
            label = r.choice([label, lambda i: f"node {i}", lambda i: f"{chr(0xe0 + i % 20)}, \"{i}\" & <co>"])
        labels = [label(i) for i in range(n)]
        weight = r.choice([lambda: r.randint(1, 9), lambda: r.randint(1, 20) / 4])
        loops, multiple = r.random() < 0.4, r.random() < 0.5
        edges = []
        for _ in range(int(n * r.choice([0.5, 1, 2, 4])) + 1):
            edges.append((r.choice(labels), r.choice(labels), weight() if self.weighted else 1))
            while multiple and r.random() < 0.3:
                edges.append((*r.choice([edges[-1][:2], edges[-1][1::-1]]), weight() if self.weighted else 1))
        if not loops:
            edges = [e for e in edges if e[0] != e[1]] or [(labels[0], labels[1], edges[0][2])]
        self.drop_loops = r.random() < 0.2
        self.edges, self.kind = edges, kind
        self.write(labels)
        self.make()

    def write(self, labels):
        kind, flag = self.kind, "--directed" if self.directed else "--undirected"
        self.options = ["--repeats", self.repeats] + ["--drop-loops"] * self.drop_loops
        self.isolated = kind not in ("edge-list", "csv")
        used = {v for e in self.edges for v in e[:2]}
        self.labels = [v for v in labels if v in used or self.isolated]
        if kind == "edge-list":
            self.file = self.folder / ("g.wel" if self.weighted else "g.el")
            rows = [" ".join(map(str, e if self.weighted else e[:2])) for e in self.edges]
            head = [f"# {'D' if self.directed else 'Und'}irected graph"] if self.r.random() < 0.5 else []
            self.file.write_text("\n".join(head + rows) + "\n")
            if not head:
                self.options.append(flag)
        elif kind == "csv":
            self.file = self.folder / "g.csv"
            with open(self.file, "w", newline="", encoding="utf-8") as out:
                writer = csv.writer(out)
                writer.writerow(["source", "target", "weight"][: 3 if self.weighted else 2])
                writer.writerows(e if self.weighted else e[:2] for e in self.edges)
            self.options += [flag, "--ids", "names"]
        else:
            graph = (nx.MultiDiGraph if self.directed else nx.MultiGraph)()
            graph.add_nodes_from(labels)
            for u, v, w in self.edges:
                graph.add_edge(u, v, **({"weight": w} if self.weighted else {}))
            self.file = self.folder / f"g.{'net' if kind == 'pajek' else kind}"
            {"graphml": nx.write_graphml, "gml": nx.write_gml, "pajek": nx.write_pajek}[kind](graph, self.file)
            # The writers have an order of edges of their own, which matters to "first".
            self.edges = [(u, v, d.get("weight", 1)) for u, v, d in graph.edges(data=True)]
            if kind == "pajek" and not self.weighted:
                self.weighted = True  # NetworkX writes a weight of 1.0 for each edge.

    def make(self):
        """Sets graph (what the command holds, by NetworkX's classes) and simple (undirected, without loops)."""
        by_ends = {}
        for u, v, w in self.edges:
            if u != v or not self.drop_loops:
                by_ends.setdefault((u, v) if self.directed else tuple(sorted((u, v))), []).append(w)
        if self.repeats == "keep":
            self.graph = (nx.MultiDiGraph if self.directed else nx.MultiGraph)()
        else:
            self.graph = (nx.DiGraph if self.directed else nx.Graph)()
            # Edges without weights count as 1, so that their sum is a weight.
            if self.repeats == "sum" and not self.weighted and any(len(weights) > 1 for weights in by_ends.values()):
                self.weighted = self.counts_differ(by_ends)
                if not self.weighted:
                    by_ends = {ends: [1] for ends in by_ends}
            by_ends = {ends: [REPEATS[self.repeats](weights)] for ends, weights in by_ends.items()}
        self.graph.add_nodes_from(self.labels)
        for (u, v), weights in by_ends.items():
            for w in weights:
                self.graph.add_edge(u, v, weight=w)
        self.simple = nx.Graph()
        self.simple.add_nodes_from(self.labels)
        self.simple.add_edges_from((u, v) for u, v in self.graph.edges() if u != v)

    def counts_differ(self, by_ends):
        """True unless all edges are listed equally often; loops may be listed half as often if edges are undirected."""
        counts = {len(weights) for (u, v), weights in by_ends.items() if u != v}
        if len(counts) != 1:
            return True
        count = counts.pop()
        usual = {count, count / 2} if not self.directed else {count}
        return any(len(weights) not in usual for (u, v), weights in by_ends.items() if u == v)

    def use(self, word, default="none"):
        """Draws --weights; returns the option and NetworkX's name of the weight, or None."""
        if not self.weighted:
            return [], None
        used = self.r.choice([word, "none"])
        return ([] if used == default and self.r.random() < 0.5 else ["--weights", used]), "weight" if used == word else None

    def call(self, *arguments):
        self.arguments = [self.command, *map(str, arguments), *self.options, "--threads", self.r.choice("12")]
        return subprocess.run(self.arguments, capture_output=True, text=True, encoding="utf-8")

    def table(self, kernel, *options):
        """Returns the rows that the command writes; None, with the line in `refusal`, if it refuses."""
        done = self.call(kernel, self.file, *options, "-q", "-o", "-")
        if done.returncode:
            assert done.returncode in (1, 2, 3) and done.stderr.startswith("callisto: "), done.stderr
            self.refusal = done.stderr.splitlines()[-1]
            return None
        return [row.split("\t") for row in done.stdout.splitlines()]

    def values(self, kernel, *options):
        rows = self.table(kernel, *options)
        if rows is None:
            return None
        assert len(rows) == len(self.labels), f"{len(rows)} rows, {len(self.labels)} vertices"
        return {row[0]: number(row[1]) for row in rows}

    def told(self, kernel, *options):
        done = self.call(kernel, self.file, *options, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def number(text):
    return math.inf if text == "-" else float(text)


def same(found, expected, tolerance=1e-6):
    assert found is not None, "refused"
    assert found.keys() == expected.keys(), "other vertices"
    for v, x in expected.items():
        y = found[v]
        assert x == y or abs(x - y) <= tolerance * max(1, abs(x)), f"{v}: {y}, expected {x}"


def to_igraph(case, graph):
    ids = {v: i for i, v in enumerate(case.labels)}
    edges = [(ids[u], ids[v]) for u, v in graph.edges()]
    result = igraph.Graph(n=len(ids), edges=edges, directed=graph.is_directed())
    result.es["weight"] = [d.get("weight", 1) for _, _, d in graph.edges(data=True)]
    return result


def by_label(case, values):
    return dict(zip(case.labels, values))


def plain(case):
    return not case.graph.is_multigraph()


def loopless(graph):
    return nx.number_of_selfloops(graph) == 0


KERNELS = []
ESTIMATES = []  # true for each estimate that is off by more than four of its standard errors


def kernel(f):
    KERNELS.append(f)
    return f


@kernel
def info(case):
    told = case.told("info")
    apart = (nx.DiGraph if case.directed else nx.Graph)()
    apart.add_nodes_from(case.labels)
    apart.add_edges_from((u, v) for u, v in case.graph.edges() if u != v)
    assert abs(told["density"] - nx.density(apart)) < 1e-12, told
    if case.directed and apart.number_of_edges():
        assert abs(told["reciprocity"] - nx.overall_reciprocity(apart)) < 1e-12, told
    assert told["edges"] == case.graph.number_of_edges(), told
    told = told["graph"]
    assert told["vertices"] == len(case.labels) and told["directed"] == case.directed, told
    arcs = case.graph.number_of_edges()
    assert told["arcs"] == (arcs if case.directed else 2 * arcs - nx.number_of_selfloops(case.graph)), told
    assert told["weighted"] == case.weighted or not arcs, told


@kernel
def pagerank(case):
    options, weight = case.use("strength", "strength")
    damping = case.r.choice([0.85, 0.5, 0.95])
    drawn = case.r.sample(case.labels, min(2, len(case.labels)))
    seeds = {v: case.r.randint(1, 4) for v in drawn} if case.r.random() < 0.4 else None
    options += ["--damping", damping, "--tolerance", 1e-12, "--iterations", 5000] + ["--power"] * case.r.randint(0, 1)
    if seeds:
        lines = [f"{v}\t{w}" for v, w in seeds.items()]
        (case.folder / "seeds.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        options += ["--seeds-file", case.folder / "seeds.tsv"]
    graph = case.graph
    if weight is None and graph.is_multigraph():
        graph = graph.copy()
        nx.set_edge_attributes(graph, 1, "weight")
    found = case.values("pagerank", *options)
    same(found, nx.pagerank(graph, damping, seeds, weight=weight or ("weight" if graph.is_multigraph() else None),
                            tol=1e-13, max_iter=5000))
    if loopless(graph) or case.directed:
        g = to_igraph(case, graph)
        weights = "weight" if weight or graph.is_multigraph() else None
        reset = [seeds.get(v, 0) for v in case.labels] if seeds else None
        if reset is None or all(g.degree(mode="out")):  # igraph leaves a sink for any vertex.
            same(found, by_label(case, g.personalized_pagerank(damping=damping, reset=reset, weights=weights)))


def lengths(case):
    """Returns the graph with the shortest of repeated edges, as paths have it."""
    graph = (nx.DiGraph if case.directed else nx.Graph)()
    graph.add_nodes_from(case.labels)
    for u, v, d in case.graph.edges(data=True):
        if u != v and (not graph.has_edge(u, v) or d["weight"] < graph[u][v]["weight"]):
            graph.add_edge(u, v, weight=d["weight"])
    return graph


@kernel
def betweenness(case):
    options, weight = case.use("length")
    normalized = case.r.random() < 0.5
    options += ["--normalized"] * normalized
    options += case.r.choice([[], ["--form", "flat"], ["--form", "inner"], ["--form", "nested"]]) if not weight else []
    graph = lengths(case)
    found = case.values("betweenness", *options)
    same(found, nx.betweenness_centrality(graph, normalized=normalized, weight=weight))
    if not normalized:
        g = to_igraph(case, graph)
        same(found, by_label(case, g.betweenness(directed=case.directed, weights=weight)))


@kernel
def betweenness_of_edges(case):
    options, weight = case.use("length")
    normalized = case.r.random() < 0.5
    rows = case.table("betweenness", "--edges", *options, *["--normalized"] * normalized)
    graph = lengths(case)
    key = tuple if case.directed else lambda ends: tuple(sorted(ends))
    expected = nx.edge_betweenness_centrality(graph, normalized=normalized, weight=weight)
    same({key(row[:2]): float(row[2]) for row in rows}, {key(e): x for e, x in expected.items()})


@kernel
def sampled(case):
    """Estimates: an error of 0 only where they are exact. main() judges how many are off by four standard errors: those
    of one graph depend on the same few sources."""
    kind = case.r.choice(["betweenness", "closeness"])
    options, _ = case.use("length")
    options += ["--harmonic"] * (kind == "closeness" and case.r.random() < 0.5)
    options += ["--edges"] * (kind == "betweenness" and case.r.random() < 0.3)
    samples = min(max(2, len(case.labels) // 2), len(case.labels))
    right = {tuple(row[:-1]): float(row[-1]) for row in case.table(kind, *options)}
    rows = case.table(kind, *options, "--samples", samples, "--seed", case.r.randint(1, 99))
    assert len(rows) == len(right), "other rows"
    exact = samples == len(case.labels)
    for *names, value, error in ([*row, "0"] for row in rows) if exact else rows:
        off = abs(float(value) - right[tuple(names)])
        assert float(error) >= 0 and (float(error) > 0 or off <= 1e-6 * max(1, float(value))), f"{names}: off by {off}, error 0"
        ESTIMATES.append(off > 4 * float(error) + 1e-6)


@kernel
def closeness(case):
    options, weight = case.use("length")
    outgoing = case.r.random() < 0.4
    graph = lengths(case)
    graph = graph.reverse() if outgoing and case.directed else graph
    options += ["--outgoing"] * outgoing
    same(case.values("closeness", *options), nx.closeness_centrality(graph, distance=weight))
    harmonic = case.values("closeness", "--harmonic", *options)
    same(harmonic, nx.harmonic_centrality(graph, distance=weight))
    g = to_igraph(case, graph)
    scaled = case.values("closeness", "--harmonic", "--normalized", *options)
    same(scaled, by_label(case, [0 if math.isnan(x) else x for x in g.harmonic_centrality(mode="in", weights=weight)]))


def matrix(case, weight):
    graph = case.graph
    if weight is None:
        graph = graph.copy()
        nx.set_edge_attributes(graph, 1, "weight")
    return nx.to_numpy_array(graph, nodelist=case.labels, weight="weight")


def gap(values):
    """Returns how far the largest number stands off the others, as a share; 0 if there is none."""
    values = sorted(map(abs, values), reverse=True)
    return 0 if values[0] < 1e-9 else 1 if len(values) == 1 else 1 - values[1] / values[0]


@kernel
def eigenvector(case):
    if case.graph.number_of_edges() == 0:
        return
    options, weight = case.use("strength")
    a = matrix(case, weight)
    eigenvalues = numpy.linalg.eigvals(a)
    largest = max(abs(eigenvalues))
    found = case.values("eigenvector", *options, "--iterations", 100000, "--tolerance", 1e-12)
    graph = case.graph
    connected = nx.is_strongly_connected(graph) if case.directed else nx.is_connected(graph)
    if not connected and (largest < 1e-3 or found is None):
        assert found is None or largest > 1e-3, "a graph without cycles has no eigenvector"
        return
    x = numpy.array([found[v] for v in case.labels])
    assert min(x) >= 0 and abs(x @ x - 1) < 1e-9, "no unit vector of positive numbers"
    if gap(eigenvalues) > 1e-3 or connected:
        assert max(abs(a.T @ x - largest * x)) < 1e-5 * largest, f"no eigenvector to {largest}"
    if connected:
        same(found, by_label(case, (lambda y: abs(y) / numpy.linalg.norm(y))(leading(a.T))), 1e-5)


def leading(a):
    eigenvalues, vectors = numpy.linalg.eig(a)
    return vectors[:, numpy.argmax(eigenvalues.real)].real


@kernel
def katz(case):
    options, weight = case.use("strength")
    a = matrix(case, weight)
    largest = max(abs(numpy.linalg.eigvals(a)))
    alpha = case.r.choice([0.1, 0.5, 0.9]) / max(largest, 1)
    beta, unscaled = case.r.choice([1, 0.5]), case.r.random() < 0.5
    found = case.values("katz", *options, "--alpha", alpha, "--beta", beta, *["--unscaled"] * unscaled, "--tolerance", 1e-12)
    x = numpy.linalg.solve(numpy.eye(len(a)) - alpha * a.T, beta * numpy.ones(len(a)))
    same(found, by_label(case, x if unscaled else x / numpy.linalg.norm(x)))


@kernel
def hits(case):
    options, weight = case.use("strength", "strength")
    a = matrix(case, weight)
    singular = numpy.linalg.svd(a, compute_uv=False)
    rows = case.table("hits", *options, "--iterations", 100000, "--tolerance", 1e-12)
    if rows is None:
        assert singular[0] < 1e-9, f"refused: {case.refusal}"
        return
    if gap(singular) < 1e-3:
        return
    authority = numpy.array([float(row[1]) for row in rows])
    hub = numpy.array([float(row[2]) for row in rows])
    names = [row[0] for row in rows]
    assert abs(sum(authority) - 1) < 1e-9 and abs(sum(hub) - 1) < 1e-9, "sums"
    u, _, v = numpy.linalg.svd(a)
    u, v = abs(u[:, 0]), abs(v[0])
    same(dict(zip(names, authority)), by_label(case, v / sum(v)), 1e-5)
    same(dict(zip(names, hub)), by_label(case, u / sum(u)), 1e-5)


@kernel
def triangles(case):
    expected = nx.triangles(case.simple)
    told = case.told("triangles")
    assert told["triangles"] == sum(expected.values()) // 3, told["triangles"]


@kernel
def clustering(case):
    rows = case.table("clustering")
    same({row[0]: float(row[1]) for row in rows}, nx.clustering(case.simple))
    same({row[0]: int(row[2]) for row in rows}, nx.triangles(case.simple))
    told = case.told("clustering")
    assert abs(told["transitivity"] - nx.transitivity(case.simple)) < 1e-9, "transitivity"
    assert abs(told["average_clustering"] - nx.average_clustering(case.simple)) < 1e-9, "average"
    if not plain(case):
        return
    graph = case.graph
    options, weight = case.use("strength")
    directions = case.directed and case.r.random() < 0.5
    if directions or (weight and not case.directed):
        same(case.values("clustering", *options, *["--directions"] * directions), nx.clustering(graph, weight=weight))


def groups_of(found):
    groups = {}
    for v, group in found.items():
        groups.setdefault(group, set()).add(v)
    return groups


@kernel
def communities(case):
    method = case.r.choice(["leiden", "leiden", "louvain", "labels"])
    resolution = case.r.choice([1, 0.5, 2])
    follow = case.r.random() < 0.5
    cpm = method != "labels" and case.r.random() < 0.3
    options = ["--method", method, "--resolution", resolution, "--directions", "follow" if follow else "ignore"]
    options += ["--quality", "cpm"] if cpm else []
    options += ["--iterations", case.r.choice([1, 3])] if method != "labels" else []
    told = case.told("communities", *options, "--verify")
    assert told["verified"], "not verified"
    rows = case.table("communities", *options)
    groups = groups_of({row[0]: row[1] for row in rows})
    order = {v: i for i, v in enumerate(row[0] for row in rows)}
    for name, members in groups.items():
        assert name == min(members, key=order.get), f"{name} is not the first of its community"
        assert nx.is_connected(case.simple.subgraph(members)), f"{name}: not connected"
    graph = case.graph if follow or not case.directed else nx.MultiGraph(case.graph.edges(data=True))
    graph.add_nodes_from(case.labels)
    if case.graph.number_of_edges() == 0:
        return
    if not cpm:
        expected = nx.community.modularity(graph, groups.values(), "weight", resolution)
        assert abs(told["modularity"] - expected) < 1e-9, f"modularity {told['modularity']}, expected {expected}"
    if not cpm and not case.directed:
        g, ids = to_igraph(case, graph), {name: i for i, name in enumerate(groups)}
        of = {v: ids[name] for name, members in groups.items() for v in members}
        expected = g.modularity([of[v] for v in case.labels], weights="weight", resolution=resolution)
        assert abs(told["modularity"] - expected) < 1e-9, f"modularity {told['modularity']}, igraph {expected}"


def same_groups(found, expected):
    found = {frozenset(members) for members in groups_of(found).values()}
    assert found == {frozenset(members) for members in expected}, "other components"


@kernel
def components(case):
    same_groups({row[0]: row[1] for row in case.table("components")}, nx.connected_components(case.simple))


@kernel
def scc(case):
    graph = case.graph if case.directed else case.simple.to_directed()
    same_groups({row[0]: row[1] for row in case.table("scc")}, nx.strongly_connected_components(graph))


@kernel
def biconnected(case):
    rows = case.table("biconnected", "--edges")
    blocks = {}
    for u, v, block in rows:
        blocks.setdefault(block, set()).add(frozenset((u, v)))
    expected = {frozenset(map(frozenset, block)) for block in nx.biconnected_component_edges(case.simple)}
    assert {frozenset(block) for block in blocks.values()} == expected, "other blocks"
    found = {frozenset(row) for row in case.table("biconnected", "--bridges")}
    assert found == set(map(frozenset, nx.bridges(case.simple))), "other bridges"
    points = {v for v, blocks in case.values("biconnected").items() if blocks > 1}
    assert points == set(nx.articulation_points(case.simple)), "other articulation points"


@kernel
def topological(case):
    if not case.directed or not nx.is_directed_acyclic_graph(case.graph):
        return  # of such graphs python/tests/test_kernels.py compares the cycle
    layers = {v: i for i, layer in enumerate(nx.topological_generations(case.graph)) for v in layer}
    rows = case.table("topological")
    same({row[0]: int(row[1]) for row in rows}, layers)
    assert [int(row[1]) for row in rows] == sorted(layers.values()), "not in order"


@kernel
def kcore(case):
    found = case.values("kcore")
    same(found, nx.core_number(case.simple))
    same(found, by_label(case, to_igraph(case, case.simple).coreness(mode="all")))


def check_parents(case, rows, graph, weight):
    distance = {row[0]: number(row[1]) for row in rows}
    for v, text, parent in rows:
        if parent != "-" and parent != v:
            step = graph[parent][v]["weight"] if weight else 1
            assert abs(distance[parent] + step - distance[v]) < 1e-6, f"parent of {v}"
        assert (parent == "-") == (text == "-"), f"{v}: parent without distance, or the other way round"
    return distance


@kernel
def path(case):
    source, target = case.r.choice(case.labels), case.r.choice(case.labels)
    graph = lengths(case)
    weighted = case.weighted and case.r.random() < .5
    weight = "weight" if weighted else None
    use = [] if weighted else ["--weights", "none"]

    def found(*options):
        paths = {}
        for number_of, v, length in case.table("path", source, target, *use, *options):
            paths.setdefault(number_of, []).append((v, number(length)))
        return list(paths.values())

    try:
        shortest = nx.shortest_path_length(graph, source, target, weight)
    except nx.NetworkXNoPath:
        assert found() == found("--all") == found("-k", "3") == [], "a path where there is none"
        return
    for path_found in found():
        assert abs(path_found[-1][1] - shortest) < 1e-6 and path_found[-1][0] == target, "another length"
    if source == target:
        return
    simple = nx.Graph(graph) if not graph.is_directed() else nx.DiGraph(graph)
    expected = [nx.path_weight(simple, p, weight) if weighted else len(p) - 1
                for p in itertools.islice(nx.shortest_simple_paths(simple, source, target, weight), 5)]
    several = [path_found[-1][1] for path_found in found("-k", "5")]
    assert len(several) == len(expected) and all(abs(a - b) < 1e-6 for a, b in zip(several, expected)), \
        f"lengths {several}, expected {expected}"


@kernel
def flow(case):
    source, target = case.r.choice(case.labels), case.r.choice(case.labels)
    if source == target:
        return
    graph = (nx.DiGraph if case.directed else nx.Graph)()
    graph.add_nodes_from(case.labels)
    for u, v, d in case.graph.edges(data=True):
        more = d["weight"] if case.weighted else 1
        graph.add_edge(u, v, weight=more + (graph[u][v]["weight"] if graph.has_edge(u, v) else 0))
    graph.remove_edges_from([(v, v) for v in case.labels if graph.has_edge(v, v)])
    expected = nx.maximum_flow_value(graph, source, target, capacity="weight")
    cut = sum(number(row[2]) for row in case.table("flow", source, target))
    assert abs(cut - expected) < 1e-6 * max(1, expected), f"cut {cut}, expected {expected}"


@kernel
def bfs(case):
    source, graph = case.r.choice(case.labels), lengths(case)
    depth = case.r.choice([None, None, 1, 2])
    rows = case.table("bfs", "--source", source, *(["--depth", depth] if depth else []))
    expected = nx.single_source_shortest_path_length(graph, source, cutoff=depth)
    same(check_parents(case, rows, graph, None), {v: expected.get(v, math.inf) for v in case.labels})


@kernel
def sssp(case):
    if not case.weighted:
        return
    source, graph = case.r.choice(case.labels), lengths(case)
    options = ["--delta", case.r.choice([0.5, 3, 100])] if case.r.random() < 0.5 else []
    rows = case.table("sssp", "--source", source, *options)
    expected = nx.single_source_dijkstra_path_length(graph, source)
    same(check_parents(case, rows, graph, True), {v: expected.get(v, math.inf) for v in case.labels})
    target = case.r.choice(case.labels)
    path = case.table("sssp", "--source", source, "--target", target)
    if target in expected:
        assert path[0][1] == source and path[-1][1] == target, path
        assert abs(float(path[-1][2]) - expected[target]) < 1e-6, path
        assert all(graph.has_edge(a[1], b[1]) for a, b in zip(path, path[1:])), path


@kernel
def negative(case):
    """Bellman and Ford's method: some weights below 0."""
    if not case.weighted or not case.directed or case.kind != "edge-list":
        return
    other = Case.__new__(Case)
    other.__dict__.update(case.__dict__)
    other.edges = [(u, v, w - case.r.choice([0, 0, 0, 4])) for u, v, w in case.edges]
    other.write(case.labels)
    other.make()
    source = other.r.choice(other.labels)
    graph = (nx.DiGraph if other.directed else nx.Graph)()
    graph.add_nodes_from(other.labels)
    for u, v, d in other.graph.edges(data=True):
        graph.add_edge(u, v, weight=min(d["weight"], graph[u][v]["weight"] if graph.has_edge(u, v) else math.inf))
    rows = other.table("sssp", "--source", source)
    case.arguments = other.arguments
    try:
        expected = nx.single_source_bellman_ford_path_length(graph, source)
    except nx.NetworkXUnbounded:
        assert rows is None and "negative" in other.refusal, "a negative cycle is not refused"
    else:
        same(check_parents(other, rows, graph, True), {v: expected.get(v, math.inf) for v in other.labels})
    finally:
        case.write(case.labels)


def longest(case, along, weight):
    graph = lengths(case)
    if along == "both" and case.directed:
        graph = nx.compose_all([nx.Graph(graph)])
        for u, v, d in lengths(case).edges(data=True):
            graph[u][v]["weight"] = min(graph[u][v]["weight"], d["weight"])
    elif along == "in" and case.directed:
        graph = graph.reverse()
    search = nx.single_source_dijkstra_path_length if weight else nx.single_source_shortest_path_length
    return {v: max(search(graph, v).values()) for v in case.labels}


@kernel
def eccentricity(case):
    options, weight = case.use("length")
    along = case.r.choice(["both", "out", "in"])
    expected = longest(case, along, weight)
    found = case.values("eccentricity", *options, "--along", along)
    same(found, expected)
    if not weight:
        mode = {"both": "all"}.get(along, along)
        same(found, by_label(case, to_igraph(case, case.graph).eccentricity(mode=mode)))


@kernel
def diameter(case):
    options, weight = case.use("length")
    along = case.r.choice(["both", "out", "in"])
    told = case.told("diameter", *options, "--along", along)
    expected = longest(case, along, weight)
    right = max(expected.values())
    if along == "both" and not weight:
        components = list(nx.connected_components(case.simple))
        most = max(map(len, components))
        right = {max(expected[v] for v in c) for c in components if len(c) == most}
        assert told["exact"] and told["diameter"] in right, f"{told['diameter']}, expected one of {right}"
    else:
        assert told["exact"] and abs(told["diameter"] - right) < 1e-6, f"{told['diameter']}, expected {right}"


@kernel
def forest(case):
    heaviest = case.r.random() < 0.5
    graph = nx.Graph()
    graph.add_nodes_from(case.labels)
    for u, v, d in case.graph.edges(data=True):
        better = max if heaviest else min
        if u != v:
            graph.add_edge(u, v, weight=better(d["weight"], graph[u][v]["weight"]) if graph.has_edge(u, v) else d["weight"])
    rows = case.table("forest", *["--heaviest"] * heaviest)
    tree = (nx.maximum_spanning_tree if heaviest else nx.minimum_spanning_tree)(graph)
    assert len(rows) == tree.number_of_edges(), f"{len(rows)} edges, expected {tree.number_of_edges()}"
    found = nx.Graph([row[:2] for row in rows])
    assert all(graph.has_edge(*row[:2]) for row in rows) and (not rows or nx.is_forest(found)), "no forest of the graph"
    weight, expected = sum(float(row[2]) if len(row) > 2 else 1 for row in rows), tree.size("weight")
    assert abs(weight - expected) < 1e-6 * max(1, expected), f"weight {weight}, expected {expected}"


@kernel
def truss(case):
    expected = {}
    for k in range(2, 40):
        inside = nx.k_truss(case.simple, k)
        if inside.number_of_edges() == 0:
            break
        expected.update({tuple(sorted(e)): k for e in inside.edges()})
    least = case.r.choice([None, 3])
    rows = case.table("truss", *(["--least", least] if least else []))
    same({tuple(sorted(row[:2])): int(row[2]) for row in rows}, {e: k for e, k in expected.items() if k >= (least or 2)})


@kernel
def similarity(case):
    measure, least = case.r.choice(["jaccard", "overlap", "cosine", "common", "adamic-adar", "resource-allocation"]), case.r.choice([1, 2])
    near = {v: set(case.simple[v]) for v in case.labels}
    expected = {}
    for i, u in enumerate(case.labels):
        for v in case.labels[i + 1:]:
            common = len(near[u] & near[v])
            if common >= least:
                by = {"jaccard": len(near[u] | near[v]), "overlap": min(len(near[u]), len(near[v])),
                      "cosine": math.sqrt(len(near[u]) * len(near[v]))}
                expected[u, v] = common / by.get(measure, 1)
    theirs = {"jaccard": nx.jaccard_coefficient, "adamic-adar": nx.adamic_adar_index,
              "resource-allocation": nx.resource_allocation_index}
    if measure in theirs:
        values = {(u, v): x for u, v, x in theirs[measure](case.simple, list(expected))}
        if measure == "jaccard":
            same(values, expected)
        expected = values
    options = ["--measure", measure, "--least-common", least]
    threshold = case.r.choice([0.013, 0.47, 1 if measure in ("jaccard", "overlap") else 0.93])
    key = lambda row: tuple(sorted(row[:2]))  # noqa: E731
    rows = case.table("similarity", "--threshold", threshold, *options)
    same({key(row): float(row[2]) for row in rows}, {key(e): x for e, x in expected.items() if x >= threshold})
    best = case.r.choice([1, 3])
    rows = case.table("similarity", "--best", best, *options)
    for v in case.labels:
        found = sorted((float(row[2]) for row in rows if row[0] == v), reverse=True)
        right = sorted((x for e, x in expected.items() if v in e), reverse=True)[:best]
        assert len(found) == len(right) and numpy.allclose(found, right), f"best of {v}: {found}, expected {right}"


@kernel
def matching(case):
    options, weight = case.use("strength")
    rows = case.table("matching", *options, "--seed", case.r.randint(1, 99))
    pairs = {tuple(sorted(row[:2])) for row in rows if row[1] != "-"}
    assert nx.is_maximal_matching(case.simple, pairs), "no maximal matching"
    if weight:
        graph = case.simple.copy()
        for u, v, d in case.graph.edges(data=True):
            if u != v:
                graph[u][v]["weight"] = max(d["weight"], graph[u][v].get("weight", 0))
        most = sum(graph[u][v]["weight"] for u, v in nx.max_weight_matching(graph))
        found = sum(graph[u][v]["weight"] for u, v in pairs)
        assert 2 * found >= most - 1e-9, f"weight {found}, the largest possible is {most}"


@kernel
def colouring(case):
    by = case.r.choice(["smallest-last", "largest-first", "random"])
    found = case.values("colouring", "--by", by)
    assert all(found[u] != found[v] for u, v in case.simple.edges()), "neighbours of one colour"
    assert max(found.values()) <= max(degree for _, degree in case.simple.degree()), f"{max(found.values()) + 1} colours"
    assert set(found.values()) == set(range(int(max(found.values())) + 1)), "a colour is left out"


@kernel
def independent_set(case):
    members = {v for v, x in case.values("independent-set", "--seed", case.r.randint(1, 99)).items() if x}
    assert not any(u in members and v in members for u, v in case.simple.edges()), "neighbours"
    assert all(v in members or members & set(case.simple[v]) for v in case.labels), "not maximal"


@kernel
def walks(case):
    if any(" " in v for v in case.labels):
        return  # A walk's labels have blanks between.
    length = case.r.choice([1, 5, 20])
    options, _ = case.use("strength", "strength")
    options += case.r.choice([[], ["--p", 0.25, "--q", 4]])
    rows = [row[0].split(" ") for row in case.table("walks", "--each", 2, "--length", length, *options)]
    assert len(rows) == 2 * len(case.labels), f"{len(rows)} walks"
    for walk in rows:
        assert all(case.graph.has_edge(u, v) for u, v in zip(walk, walk[1:])), f"no walk: {walk}"
        assert len(walk) == length or len(case.graph[walk[-1]]) == 0, f"a short walk: {walk}"


def same_graph(found, expected, weighted):
    def bag(graph):
        key = tuple if expected.is_directed() else lambda ends: tuple(sorted(ends))
        return sorted((*key((str(u), str(v))), float(d.get("weight", 1)) if weighted else 1)
                      for u, v, d in graph.edges(data=True))
    assert set(map(str, found)) == set(map(str, expected)), f"vertices {list(found)}, expected {list(expected)}"
    assert bag(found) == bag(expected), f"edges {bag(found)}, expected {bag(expected)}"


@kernel
def convert(case):
    kind = case.r.choice(["graphml", "gml", "gexf", "net"])
    out = case.folder / f"out.{kind}"
    done = case.call("convert", case.file, out, "-q")
    assert done.returncode == 0, done.stderr
    read = {"graphml": lambda f: nx.read_graphml(f, force_multigraph=True), "gml": lambda f: nx.read_gml(f, label="label"),
            "gexf": nx.read_gexf, "net": nx.read_pajek}[kind]
    # NetworkX refuses other characters than ASCII in GML; Pajek's names have no quotes.
    odd = (kind == "gml" and not "".join(case.labels).isascii()) or (kind == "net" and '"' in "".join(case.labels))
    if kind == "net" and odd:
        return
    if not odd and (plain(case) or kind not in ("gml", "gexf")):
        same_graph(read(out), case.graph, case.weighted)
    back = case.folder / "back.graphml"
    options, case.options = case.options, ["--repeats", "keep"]
    done = case.call("convert", out, back, "-q")
    case.options = options
    assert done.returncode == 0, done.stderr
    same_graph(nx.read_graphml(back, force_multigraph=True), case.graph, case.weighted)


@kernel
def subgraph(case):
    how = case.r.choice(["core", "largest", "strong", "around"])
    if how == "core":
        k = case.r.choice([1, 2, 3])
        options, keep = ["--core", k], [v for v, c in nx.core_number(case.simple).items() if c >= k]
    elif how == "around":
        centre, hops = case.r.choice(case.labels), case.r.choice([1, 2])
        options = ["--around", centre, "--hops", hops]
        keep = list(nx.single_source_shortest_path_length(case.simple, centre, cutoff=hops))
    else:
        strong = how == "strong"
        graph = case.graph if case.directed else case.simple.to_directed()
        parts = list(nx.strongly_connected_components(graph) if strong else nx.connected_components(case.simple))
        most = max(map(len, parts))
        if sum(len(part) == most for part in parts) > 1:
            return
        options, keep = ["--largest-strong" if strong else "--largest-component"], max(parts, key=len)
    out = case.folder / "part.graphml"
    done = case.call("subgraph", case.file, out, *options, "-q")
    if not keep:
        return
    assert done.returncode == 0, done.stderr
    same_graph(nx.read_graphml(out, force_multigraph=True), case.graph.subgraph(keep), case.weighted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command")
    parser.add_argument("--graphs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    given = parser.parse_args()
    kernels = [f for f in KERNELS if given.only in (None, f.__name__)]
    differences = compared = 0
    for seed in range(given.seed, given.seed + given.graphs):
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"random-graph-{seed}-"))
        differs = False
        case = Case(given.command, folder, seed)
        for f in kernels:
            case.arguments, case.refusal = [], ""
            try:
                f(case)
                compared += 1
            except Exception as error:  # noqa: BLE001  Whatever goes wrong is a difference.
                differs = True
                differences += 1
                what = str(error) or traceback.format_exc().splitlines()[-2].strip()
                print(f"seed {seed}, {f.__name__}: {type(error).__name__}: {what[:300]} {case.refusal}\n"
                      f"  {' '.join(case.arguments)}", flush=True)
        if not differs:
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()
    far = sum(ESTIMATES) / max(1, len(ESTIMATES))
    print(f"{len(ESTIMATES)} estimates, {far:.1%} of them off by more than 4 standard errors")
    if far > 0.001:
        differences += 1
    print(f"{given.graphs} graphs, {compared} comparisons the same, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
