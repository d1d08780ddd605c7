#!/usr/bin/env python3
"""Prints what arrays cost from edges to results: Callisto beside igraph, networkit, rustworkx and scipy.

    PYTHONPATH=build/release/python build/python-env/bin/python lab/python/arrays.py [FILE...]

Each figure is the median of five runs in turns, in seconds of CPU time of all threads (`--wall`: of the clock). Peers that
are not installed are left out. Each result is compared with Callisto's, and a wrong one ends the program. Without FILE the
graph is a Kronecker graph of 2^16 vertices.
"""

import argparse
import importlib.metadata
import statistics
import sys
import time

sys.path.pop(0)  # the file beside this one has the name of a package

import numpy as np  # noqa: E402

import callisto_graph as cl  # noqa: E402

runs = 5
sources = 16  # of betweenness


def installed(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


class Callisto:
    name = "callisto-graph"

    def build(self, n, u, v):
        self.graph = cl.from_edges(u, v, vertices=n)

    def pagerank(self):
        return self.graph.pagerank(tolerance=1e-9).scores

    def components(self):
        return self.graph.components().of

    def cores(self):
        return self.graph.cores().coreness

    def communities(self):
        return self.graph.communities().of

    def triangles(self):
        return self.graph.triangles()

    def distances(self):
        return self.graph.bfs(0).distances

    def betweenness(self):
        return self.graph.betweenness(sources=range(sources)).scores


class Igraph:
    name = "igraph"

    def build(self, n, u, v):
        import igraph

        self.graph = igraph.Graph(n=n, edges=np.column_stack([u, v]))

    def pagerank(self):
        return np.array(self.graph.pagerank())

    def components(self):
        return np.array(self.graph.connected_components().membership)

    def cores(self):
        return np.array(self.graph.coreness())

    def communities(self):
        return np.array(self.graph.community_leiden("modularity", n_iterations=2).membership)

    def triangles(self):
        return len(self.graph.list_triangles())

    def distances(self):
        return np.array(self.graph.distances(0)[0])

    def betweenness(self):
        return np.array(self.graph.betweenness(sources=list(range(sources))))


class Networkit:
    name = "networkit"

    def build(self, n, u, v):
        import networkit

        self.kit = networkit
        self.graph = networkit.GraphFromCoo((u.astype(np.uint64), v.astype(np.uint64)), n=n)

    def pagerank(self):
        return np.array(self.kit.centrality.PageRank(self.graph, 0.85, 1e-9).run().scores())

    def components(self):
        return np.array(self.kit.components.ParallelConnectedComponents(self.graph).run().getPartition().getVector())

    def cores(self):
        return np.array(self.kit.centrality.CoreDecomposition(self.graph).run().scores())

    def communities(self):
        return np.array(self.kit.community.ParallelLeiden(self.graph).run().getPartition().getVector())

    def triangles(self):
        self.graph.indexEdges()
        return round(sum(self.kit.sparsification.TriangleEdgeScore(self.graph).run().scores()) / 3)

    def distances(self):
        found = np.array(self.kit.distance.BFS(self.graph, 0, storePaths=False).run().getDistances())
        return np.where(found > 1e300, np.inf, found)

    def betweenness(self):
        self.kit.centrality.EstimateBetweenness(self.graph, sources, False, True).run().scores()  # from sources of its own


class Rustworkx:
    name = "rustworkx"

    def build(self, n, u, v):
        import rustworkx

        self.x = rustworkx
        self.graph = rustworkx.PyGraph(multigraph=False)
        self.graph.add_nodes_from(range(n))
        self.graph.add_edges_from_no_data(list(zip(u.tolist(), v.tolist())))

    def pagerank(self):
        found = self.x.pagerank(self.graph.to_directed(), tol=1e-9 / self.graph.num_nodes(), max_iter=1000)
        return np.array([found[v] for v in range(len(found))])

    def components(self):
        found = np.empty(self.graph.num_nodes(), dtype=np.int64)
        for number, members in enumerate(self.x.connected_components(self.graph)):
            found[list(members)] = number
        return found

    def cores(self):
        found = self.x.core_number(self.graph)
        return np.array([found[v] for v in range(len(found))])

    def triangles(self):
        degrees = np.array([self.graph.degree(v) for v in self.graph.node_indices()])
        return round(self.x.transitivity(self.graph) * (degrees * (degrees - 1) // 2).sum() / 3)

    def distances(self):
        found = np.full(self.graph.num_nodes(), np.inf)
        lengths = self.x.dijkstra_shortest_path_lengths(self.graph, 0, lambda _: 1.0)
        found[list(lengths.keys())] = list(lengths.values())
        found[0] = 0
        return found


class Scipy:
    name = "scipy"

    def build(self, n, u, v):
        from scipy import sparse

        one_way = sparse.coo_array((np.ones(len(u)), (u, v)), shape=(n, n)).tocsr()
        self.matrix = ((one_way + one_way.T) > 0).astype(float).tocsr()

    def pagerank(self):
        from scipy import sparse

        out = np.asarray(self.matrix.sum(axis=1)).ravel()
        steps = sparse.diags_array(np.divide(1, out, where=out > 0, out=np.zeros_like(out))) @ self.matrix
        n = len(out)
        x = np.full(n, 1 / n)
        for _ in range(200):
            last = x
            x = 0.85 * (x @ steps + x[out == 0].sum() / n) + 0.15 / n
            if np.abs(x - last).sum() < 1e-9:
                break
        return x

    def components(self):
        from scipy.sparse import csgraph

        return csgraph.connected_components(self.matrix, directed=False)[1]

    def triangles(self):
        ones = self.matrix.astype(np.int64)
        return (ones @ ones).multiply(ones).sum() // 6

    def distances(self):
        from scipy.sparse import csgraph

        return csgraph.dijkstra(self.matrix, indices=0, unweighted=True)


def partition(of):
    """Numbers classes by their first members."""
    _, first, number = np.unique(of, return_index=True, return_inverse=True)
    return first[number]


def same(task, ours, theirs):
    """Compares what two packages found; peers choose communities, and sources of an estimate, themselves."""
    if theirs is None or task in ("build", "communities"):
        return True
    if task == "components":
        return np.array_equal(partition(ours), partition(theirs))
    if task == "distances":
        return np.array_equal(np.where(ours < 0, np.inf, ours), np.where(theirs < 0, np.inf, theirs))
    if task == "pagerank":
        return np.abs(ours / ours.sum() - theirs / theirs.sum()).sum() < 1e-4
    if task == "betweenness":  # packages scale the sum over sources, and Callisto (as NetworkX) the sources' own scores
        ours, theirs = ours[sources:], theirs[sources:]
        return np.allclose(ours / ours.sum(), theirs / theirs.sum(), rtol=1e-6)
    return np.array_equal(ours, theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--wall", action="store_true")
    parser.add_argument("--tasks", default="build,pagerank,components,cores,communities,triangles,distances,betweenness")
    options = parser.parse_args()
    clock = time.perf_counter if options.wall else time.process_time
    peers = [peer for peer in (Callisto, Igraph, Networkit, Rustworkx, Scipy)
             if peer is Callisto or installed(peer.name)]
    titles = [f"{peer.name} {cl.__version__ if peer is Callisto else installed(peer.name)}" for peer in peers]
    for file in options.files or [None]:
        graph = cl.read(file, directed=False) if file else cl.kronecker(16, 16)
        u, v, _ = graph.edge_arrays()
        u, v = (ends[u != v].astype(np.int64) for ends in (u, v))
        print(f"\n{file or 'Kronecker 2^16'}: {graph.vertices:,} vertices, {len(u):,} edges; "
              f"seconds of {'the clock' if options.wall else 'CPU time'}, medians of {runs}\n")
        print("| | " + " | ".join(titles) + " |\n|---|" + "--:|" * len(peers))
        made = [peer() for peer in peers]
        for peer in made:
            peer.build(graph.vertices, u, v)
        for task in options.tasks.split(","):
            seconds = [[] for _ in made]
            for _ in range(runs):
                for peer, taken in zip(made, seconds):
                    run = getattr(peer, task, None)
                    if run is None or taken and taken[-1] > 20:
                        continue
                    begun = clock()
                    found = run(*(graph.vertices, u, v) if task == "build" else ())
                    taken.append(clock() - begun)
                    if peer is made[0]:
                        ours = found
                    elif not same(task, ours, found):
                        sys.exit(f"arrays: {task}: {peer.name} found something else than {made[0].name}")
            cells = [f"{statistics.median(taken):.4f}" if taken else "-" for taken in seconds]
            print(f"| {task} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
